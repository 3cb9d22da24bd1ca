package workspace

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"

	"agentstudio/engine"
)

// tries is how often an entry that changes between being looked at and being opened is looked at
// again: an editor that saves by renaming must not make a read fail, a loop of swaps must end.
const tries = 4

// errChanged says that what was opened is not what was looked at.
var errChanged = errors.New("changed while it was being opened")

// OpenFile opens a regular file for reading. It never blocks on a FIFO. The caller closes the
// file. Errors: those of Resolve, and PATH_NOT_FOUND, PATH_OUTSIDE_WORKSPACE (a link that leads
// out), SYMLINK_NOT_ALLOWED (one that stays inside, or loops), NOT_A_REGULAR_FILE, IS_A_FOLDER,
// NOT_A_FOLDER (in the middle), PROTECTED_PATH, ACCESS_DENIED, READ_FAILED, RUN_CANCELLED.
func (w *Workspace) OpenFile(ctx context.Context, path string) (fs.File, Location, error) {
	loc, err := w.Resolve(path)
	if err != nil {
		return nil, Location{}, err
	}
	f, err := w.openAt(ctx, loc)
	return f, loc, err
}

// ReadFile reads a whole regular file of at most limit bytes. Errors: those of OpenFile, and
// FILE_TOO_LARGE.
func (w *Workspace) ReadFile(ctx context.Context, path string, limit int64) ([]byte, Location, error) {
	f, loc, err := w.OpenFile(ctx, path)
	if err != nil {
		return nil, loc, err
	}
	defer f.Close() //nolint:errcheck // nothing was written
	data, err := readAll(ctx, f, loc, limit)
	return data, loc, err
}

// Stat says what is at a path, without following links. A protected entry is told of
// (Entry.Protected) and not refused, but nothing in a protected folder is. Errors: as OpenFile,
// but for those about the kind of the last element.
func (w *Workspace) Stat(ctx context.Context, path string) (Entry, error) {
	loc, err := w.locate(path)
	if err != nil {
		return Entry{}, err
	}
	parent, name, done, err := w.parent(ctx, loc)
	if err != nil {
		return Entry{}, err
	}
	defer done()
	if name == "" {
		return Entry{Location: loc, Name: Escape(loc.String()), Kind: KindFolder, Protected: w.protects(loc), w: w}, nil
	}
	info, err := parent.lstat(name)
	if err != nil {
		return Entry{}, osError(loc, err)
	}
	return w.entry(loc, info, w.stateInfo()), nil
}

func (w *Workspace) openAt(ctx context.Context, loc Location) (fs.File, error) {
	parent, name, done, err := w.parent(ctx, loc)
	if err != nil {
		return nil, err
	}
	defer done()
	if name == "" {
		return nil, isFolderError(loc)
	}
	return w.openIn(ctx, parent, name, loc)
}

// openIn opens the regular file name of the folder.
func (w *Workspace) openIn(ctx context.Context, in folder, name string, loc Location) (fs.File, error) {
	for range tries {
		if err := Stopped(ctx); err != nil {
			return nil, err
		}
		seen, err := in.lstat(name)
		if err != nil {
			return nil, osError(loc, err)
		}
		if err := w.regular(loc, seen); err != nil {
			return nil, err
		}
		f, err := openSame(in, name, seen)
		if err == nil {
			return f, nil
		}
		if errors.Is(err, fs.ErrPermission) {
			return nil, osError(loc, err)
		}
	}
	return nil, changedError(loc)
}

// openSame opens name and checks that it is the regular file that was seen.
func openSame(in folder, name string, seen fs.FileInfo) (fs.File, error) {
	f, err := in.open(name)
	if err != nil {
		return nil, err
	}
	opened, err := f.Stat()
	if err != nil || !opened.Mode().IsRegular() || !in.same(seen, opened) {
		return nil, errors.Join(errChanged, err, f.Close())
	}
	return f, nil
}

// regular refuses whatever is not a regular file, by what lstat saw.
func (w *Workspace) regular(loc Location, seen fs.FileInfo) error {
	switch kindOf(seen.Mode()) {
	case KindFile:
		return nil
	case KindLink:
		return linkError(w.root(loc.root), loc)
	case KindFolder:
		return isFolderError(loc)
	}
	return located(engine.NotARegularFile, loc, " is not a regular file (a device, FIFO or socket is never read)", nil)
}

// parent opens the folder that holds loc, and names the entry in it; name is "" for a root itself,
// whose folder is then given. done gives the folder back.
func (w *Workspace) parent(ctx context.Context, loc Location) (in folder, name string, done func(), err error) {
	r := w.root(loc.root)
	elements := loc.elements()
	if len(elements) == 0 {
		return r.top, "", func() {}, nil
	}
	in, done, err = w.descend(ctx, r, elements[:len(elements)-1], nil)
	return in, elements[len(elements)-1], done, err
}

// descend opens one folder after the other, so that each element is checked by itself. each, if
// there is one, is called with every folder on the way, the last one too.
func (w *Workspace) descend(ctx context.Context, r *openRoot, elements []string, each func(folder, Location)) (folder, func(), error) {
	in, done := r.top, func() {}
	loc := Location{r.name, "."}
	state := w.stateInfo()
	if each != nil {
		each(in, loc)
	}
	for _, element := range elements {
		loc = loc.child(element)
		next, err := w.enter(ctx, in, element, loc, state)
		done()
		if err != nil {
			return nil, func() {}, err
		}
		in, done = next, func() { next.close() } //nolint:errcheck // a handle for reading
		if each != nil {
			each(in, loc)
		}
	}
	return in, done, nil
}

// enter opens the folder name inside in. It is not entered if it is protected or not a folder.
func (w *Workspace) enter(ctx context.Context, in folder, name string, loc Location, state fs.FileInfo) (folder, error) {
	for range tries {
		if err := Stopped(ctx); err != nil {
			return nil, err
		}
		seen, err := in.lstat(name)
		if err != nil {
			return nil, osError(loc, err)
		}
		switch {
		case w.protects(loc) || sameState(state, seen):
			return nil, protectedError(loc)
		case kindOf(seen.Mode()) == KindLink:
			return nil, linkError(w.root(loc.root), loc)
		case !seen.IsDir():
			return nil, located(engine.NotAFolder, loc, " is not a folder", nil)
		}
		sub, err := enterSame(in, name, seen)
		if err == nil {
			return sub, nil
		}
		if errors.Is(err, fs.ErrPermission) {
			return nil, osError(loc, err)
		}
	}
	return nil, changedError(loc)
}

func enterSame(in folder, name string, seen fs.FileInfo) (folder, error) {
	sub, err := in.enter(name)
	if err != nil {
		return nil, err
	}
	opened, err := sub.info()
	if err != nil || !in.same(seen, opened) {
		return nil, errors.Join(errChanged, err, sub.close())
	}
	return sub, nil
}

// stateInfo looks at the state directory anew, since it may be made after the roots are opened.
// Comparing by identity holds on disks that fold case, and through other spellings.
func (w *Workspace) stateInfo() fs.FileInfo {
	if len(w.state) == 0 {
		return nil
	}
	info, err := os.Stat(w.state[0])
	if err != nil {
		return nil
	}
	return info
}

func sameState(state, seen fs.FileInfo) bool {
	return state != nil && os.SameFile(state, seen)
}

func isFolderError(loc Location) error {
	return located(engine.IsAFolder, loc, " is a folder; ls lists it", nil)
}

// readAll reads in pieces, so that cancelling stops it.
func readAll(ctx context.Context, f fs.File, loc Location, limit int64) ([]byte, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, osError(loc, err)
	}
	if info.Size() > limit {
		return nil, tooLargeError(loc, info.Size(), limit)
	}
	data := make([]byte, 0, info.Size()+1)
	for {
		if err := Stopped(ctx); err != nil {
			return nil, err
		}
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
		n, err := f.Read(data[len(data):min(cap(data), len(data)+1<<20)])
		data = data[:len(data)+n]
		switch {
		case int64(len(data)) > limit: // it has grown since
			return nil, tooLargeError(loc, int64(len(data)), limit)
		case err == io.EOF:
			return data, nil
		case err != nil:
			return nil, osError(loc, err)
		}
	}
}

func tooLargeError(loc Location, size, limit int64) error {
	return engine.Errorf(engine.FileTooLarge, "%s has %d bytes, over the limit of %d", loc, size, limit).
		With("path", loc.String()).With("bytes", size).With("limit", limit)
}
