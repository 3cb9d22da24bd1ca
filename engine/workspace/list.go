package workspace

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"
)

// Kind is what an entry of a folder is.
type Kind string

// The four kinds. KindOther is a device, FIFO or socket.
const (
	KindFile   Kind = "file"
	KindFolder Kind = "folder"
	KindLink   Kind = "link"
	KindOther  Kind = "other"
)

func kindOf(mode fs.FileMode) Kind {
	switch {
	case mode.IsRegular():
		return KindFile
	case mode.IsDir():
		return KindFolder
	case mode&fs.ModeSymlink != 0:
		return KindLink
	}
	return KindOther
}

// Entry is one thing in a folder, as it was when it was looked at.
type Entry struct {
	Location  Location
	Name      string // the last element, escaped as in Location.String
	Kind      Kind
	Bytes     int64 // of a file, else 0
	Protected bool  // listed, never read
	Special   bool  // a device, FIFO or socket, or a link that is spelled as one to a device

	w  *Workspace
	in folder // while Walk's function runs
}

// Open opens the file that the entry stands for, with the checks of OpenFile. An entry from Walk is
// opened in the folder being walked, however its path may have changed meanwhile, and only while
// Walk's function runs.
func (e Entry) Open(ctx context.Context) (fs.File, error) {
	if e.Protected {
		return nil, protectedError(e.Location)
	}
	if e.in == nil {
		return e.w.openAt(ctx, e.Location)
	}
	elements := e.Location.elements()
	return e.w.openIn(ctx, e.in, elements[len(elements)-1], e.Location)
}

// Read reads the whole file that the entry stands for. Errors: those of OpenFile, and
// FILE_TOO_LARGE where it is over limit bytes.
func (e Entry) Read(ctx context.Context, limit int64) ([]byte, error) {
	f, err := e.Open(ctx)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // nothing was written
	return readAll(ctx, f, e.Location, limit)
}

func (w *Workspace) entry(loc Location, info fs.FileInfo, state fs.FileInfo) Entry {
	e := Entry{Location: loc, Kind: kindOf(info.Mode()), w: w}
	elements := loc.elements()
	e.Name = Escape(elements[len(elements)-1])
	e.Protected = w.protects(loc) || (info.IsDir() && sameState(state, info))
	switch e.Kind {
	case KindFile:
		e.Bytes = info.Size()
	case KindOther:
		e.Special = true
	case KindLink:
		e.Special = fateOf(w.root(loc.root), loc.Rel()) == fateDevice
	}
	return e
}

// ReadDir lists a folder, sorted by the bytes of the names: the first limit entries (0 for all)
// and how many there are. Protected entries are listed as such; links are listed, not followed.
// Errors: those of Resolve and OpenFile, and NOT_A_FOLDER.
func (w *Workspace) ReadDir(ctx context.Context, path string, limit int) (entries []Entry, total int, err error) {
	loc, err := w.Resolve(path)
	if err != nil {
		return nil, 0, err
	}
	in, done, err := w.descend(ctx, w.root(loc.root), loc.elements(), nil)
	if err != nil {
		return nil, 0, err
	}
	defer done()
	names, err := names(ctx, in, loc)
	if err != nil {
		return nil, 0, err
	}
	total = len(names)
	if limit > 0 {
		names = names[:min(limit, total)]
	}
	state := w.stateInfo()
	for _, name := range names {
		if err := Stopped(ctx); err != nil {
			return nil, 0, err
		}
		info, err := in.lstat(name)
		if errors.Is(err, fs.ErrNotExist) {
			total-- // gone since
			continue
		}
		if err != nil {
			return nil, 0, osError(loc.child(name), err)
		}
		entries = append(entries, w.entry(loc.child(name), info, state))
	}
	return entries, total, nil
}

// names lists the folder's true names, sorted. It reads in pieces, so that cancelling stops it.
func names(ctx context.Context, in folder, loc Location) ([]string, error) {
	f, err := in.list()
	if err != nil {
		return nil, osError(loc, err)
	}
	defer f.Close() //nolint:errcheck // nothing was written
	var all []string
	for {
		if err := Stopped(ctx); err != nil {
			return nil, err
		}
		piece, err := f.ReadDir(1024)
		for _, entry := range piece {
			all = append(all, entry.Name())
		}
		if err == io.EOF {
			slices.Sort(all)
			return all, nil
		}
		if err != nil {
			return nil, osError(loc, err)
		}
	}
}
