package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agentstudio/engine"
	"agentstudio/engine/intake"
	"agentstudio/engine/workspace"
)

// takePictures makes the intake of each session. They share one that decodes, since one picture is
// decoded at a time.
func takePictures(newID func(string) string) func(engine.Env) engine.Intake {
	in := intake.New(intake.DefaultLimits())
	return func(env engine.Env) engine.Intake {
		if env.Attachments == nil {
			return nil
		}
		return intake.NewStore(in, env.Attachments, func() string { return newID("att") })
	}
}

// attachAll attaches files to the session's draft, in order, up to the first that is refused.
func (s *studio) attachAll(ctx context.Context, files localFiles, paths []string, by engine.Actor) (ids []string, err error) {
	for _, path := range paths {
		r, err := s.attach(ctx, files, path, by)
		if err != nil {
			return ids, err
		}
		ids = append(ids, r.Attachment)
	}
	return ids, nil
}

func (s *studio) attach(ctx context.Context, files localFiles, path string, by engine.Actor) (engine.Receipt, error) {
	f, err := files.Open(ctx, path)
	if err != nil {
		return engine.Receipt{}, err
	}
	type done struct {
		r   engine.Receipt
		err error
	}
	got := make(chan done, 1)
	go func() { // a file whose reading blocks can't be called off; it is left alone then
		defer f.Close() //nolint:errcheck // read only
		r, err := s.session.Do(ctx, engine.Attach{Name: filepath.Base(path), Body: f, By: by})
		got <- done{r, err}
	}()
	var r engine.Receipt
	select {
	case d := <-got:
		r, err = d.r, d.err
	case <-ctx.Done():
		return engine.Receipt{}, context.Cause(ctx)
	}
	if err != nil {
		return r, &engine.Error{Code: engine.CodeOf(err), Message: filepath.Base(path) + ": " + engine.MessageOf(err), Details: engine.DetailsOf(err), Err: err}
	}
	return r, nil
}

// detachAll takes pictures back that were not sent. One that stays does no harm: it waits in the draft.
func (s *studio) detachAll(ids []string, by engine.Actor) {
	for _, id := range ids {
		_, _ = s.session.Do(context.Background(), engine.Detach{Attachment: id, By: by})
	}
}

// tellAll closes the session and tells all that happened in it.
func (s *studio) tellAll(out *teller) error {
	err := s.session.Close()
	for batch, ferr := range s.session.Follow(context.Background(), 0) {
		if ferr != nil {
			return errors.Join(err, ferr)
		}
		for _, e := range batch {
			err = errors.Join(err, out.tell(e))
		}
	}
	return err
}

// localFiles are the files of this computer, for whoever sits at it and names one: nothing that the
// tools would not read either is opened. It has no state and may be used by any goroutine.
type localFiles struct {
	home  string // "" if there is none
	state string // the state directory
}

func (o *options) files() localFiles {
	home, _ := os.UserHomeDir()
	state, _ := o.stateRoot() // assembling has said what is wrong with it
	return localFiles{resolved(home), resolved(state)}
}

// resolved is a folder's place without links, since that is what the places of files are compared with.
func resolved(dir string) string {
	if real, err := filepath.EvalSymlinks(dir); err == nil && dir != "" {
		return real
	}
	return dir
}

// Open opens a regular file. Errors: PATH_NOT_FOUND, PROTECTED_PATH, NOT_A_REGULAR_FILE, IS_A_FOLDER,
// ACCESS_DENIED.
func (l localFiles) Open(_ context.Context, path string) (io.ReadCloser, error) {
	at, err := l.find(path)
	if err != nil {
		return nil, err
	}
	f, err := os.Open(at)
	if err != nil {
		return nil, unopened(path, err)
	}
	return f, nil
}

// Picture tells whether a path is that of a file that can be attached by its place; what is in it is
// seen when it is.
func (l localFiles) Picture(_ context.Context, path string) bool {
	_, err := l.find(path)
	return err == nil
}

// find gives the place of a regular file that may be read.
func (l localFiles) find(path string) (string, error) {
	name := filepath.Base(path)
	at, err := filepath.EvalSymlinks(l.whole(path))
	if err != nil {
		return "", unopened(path, err)
	}
	for _, p := range []string{l.whole(path), at} {
		if l.guarded(p) {
			return "", engine.Errorf(engine.ProtectedPath, "%s is protected and not read; copy the picture somewhere else", name)
		}
	}
	info, err := os.Stat(at)
	switch {
	case err != nil:
		return "", unopened(path, err)
	case info.IsDir():
		return "", engine.Errorf(engine.IsAFolder, "%s is a folder; name a picture in it", name)
	case !info.Mode().IsRegular():
		return "", engine.Errorf(engine.NotARegularFile, "%s is no regular file", name)
	}
	return at, nil
}

// whole is a path from the root of the file system: ~ is the home folder, and what begins nowhere is
// from the folder of the start.
func (l localFiles) whole(path string) string {
	if rest, ok := strings.CutPrefix(filepath.ToSlash(path), "~/"); ok && l.home != "" {
		path = filepath.Join(l.home, rest)
	}
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// guarded tells whether a whole path is one that the tools would not read: by its names below the home
// folder, or below the root of the file system, or since it is the program's own.
func (l localFiles) guarded(at string) bool {
	inside := func(dir string) (string, bool) {
		rel, err := filepath.Rel(dir, at)
		return filepath.ToSlash(rel), dir != "" && err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
	}
	if _, own := inside(l.state); own {
		return true
	}
	rel, home := inside(l.home)
	if !home {
		rel = filepath.ToSlash(at)
	}
	return workspace.Protected(rel)
}

// pictureNames end what can be attached.
func pictureNames() []string { return []string{".png", ".jpg", ".jpeg", ".jfif", ".webp"} }

// List gives the folders and pictures of a folder, sorted, folders with a slash behind.
func (l localFiles) List(_ context.Context, folder string) ([]string, error) {
	const most = 1000
	at := l.whole(folder)
	entries, err := os.ReadDir(at)
	if err != nil {
		return nil, unopened(folder, err)
	}
	var names []string
	for _, e := range entries {
		name := e.Name()
		if l.guarded(filepath.Join(at, name)) || len(names) == most {
			continue
		}
		info, err := os.Stat(filepath.Join(at, name))
		switch {
		case err != nil:
		case info.IsDir():
			names = append(names, name+"/")
		case info.Mode().IsRegular() && slices.Contains(pictureNames(), strings.ToLower(filepath.Ext(name))):
			names = append(names, name)
		}
	}
	return names, nil
}

// unopened says why a file can't be opened, by its own name only.
func unopened(path string, err error) error {
	name := filepath.Base(path)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return engine.Errorf(engine.AccessDenied, "%s may not be read by this account", name)
	case errors.Is(err, fs.ErrNotExist):
		return engine.Errorf(engine.PathNotFound, "there is no file %s", name)
	}
	return &engine.Error{Code: engine.PathNotFound, Message: "there is no file " + name + " that could be opened", Err: err}
}
