package workspace

import (
	"io/fs"
	"os"
	"path"
)

// folder is an open folder. Names are single elements. Neither enter nor open follows a link that
// stays after lstat has seen none: the caller compares what was opened with what lstat saw.
type folder interface {
	info() (fs.FileInfo, error)
	lstat(name string) (fs.FileInfo, error)
	readlink(rel string) (string, error) // rel may have several elements
	lstatAt(rel string) (fs.FileInfo, error)
	enter(name string) (folder, error)
	open(name string) (fs.File, error) // never blocks on a FIFO
	list() (fs.ReadDirFile, error)
	same(a, b fs.FileInfo) bool
	close() error
}

// diskFolder is a folder on disk, held by handle: renaming what is above it changes nothing.
type diskFolder struct{ root *os.Root }

func (d *diskFolder) info() (fs.FileInfo, error)              { return d.root.Stat(".") }
func (d *diskFolder) lstat(name string) (fs.FileInfo, error)  { return d.root.Lstat(name) }
func (d *diskFolder) lstatAt(rel string) (fs.FileInfo, error) { return d.root.Lstat(rel) }
func (d *diskFolder) readlink(rel string) (string, error)     { return d.root.Readlink(rel) }
func (d *diskFolder) same(a, b fs.FileInfo) bool              { return os.SameFile(a, b) }
func (d *diskFolder) close() error                            { return d.root.Close() }

func (d *diskFolder) enter(name string) (folder, error) {
	// With the dot the name is opened as a folder only. Without it, OpenRoot would wait for a
	// writer where a FIFO has just taken the folder's place.
	sub, err := d.root.OpenRoot(name + "/.")
	if err != nil {
		return nil, err
	}
	return &diskFolder{root: sub}, nil
}

func (d *diskFolder) open(name string) (fs.File, error) {
	f, err := d.root.OpenFile(name, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (d *diskFolder) list() (fs.ReadDirFile, error) {
	f, err := d.root.Open(".")
	if err != nil {
		return nil, err
	}
	return f, nil
}

// bundledFolder is a folder of an fs.FS.
type bundledFolder struct {
	fsys fs.FS
	at   string
}

func (b *bundledFolder) info() (fs.FileInfo, error)             { return fs.Stat(b.fsys, b.at) }
func (b *bundledFolder) lstat(name string) (fs.FileInfo, error) { return b.lstatAt(name) }
func (b *bundledFolder) lstatAt(rel string) (fs.FileInfo, error) {
	return fs.Lstat(b.fsys, b.path(rel))
}
func (b *bundledFolder) readlink(rel string) (string, error) { return fs.ReadLink(b.fsys, b.path(rel)) }
func (b *bundledFolder) path(rel string) string              { return path.Join(b.at, rel) }
func (b *bundledFolder) same(fs.FileInfo, fs.FileInfo) bool  { return true } // it never changes
func (b *bundledFolder) close() error                        { return nil }
func (b *bundledFolder) open(name string) (fs.File, error)   { return b.fsys.Open(b.path(name)) }

func (b *bundledFolder) enter(name string) (folder, error) {
	return &bundledFolder{fsys: b.fsys, at: b.path(name)}, nil
}

func (b *bundledFolder) list() (fs.ReadDirFile, error) {
	f, err := b.fsys.Open(b.at)
	if err != nil {
		return nil, err
	}
	dir, ok := f.(fs.ReadDirFile)
	if !ok {
		return nil, &fs.PathError{Op: "readdir", Path: b.at, Err: fs.ErrInvalid}
	}
	return dir, nil
}

// emptyFS is a folder with nothing in it: the workspace of a session that was given none.
type emptyFS struct{}

// Open knows "." only.
func (emptyFS) Open(name string) (fs.File, error) {
	if name != "." {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return emptyDir{}, nil
}
