package workspace

import (
	"io"
	"io/fs"
	"time"
)

// emptyDir is the one folder of emptyFS, its own info.
type emptyDir struct{}

func (emptyDir) Stat() (fs.FileInfo, error) { return emptyDir{}, nil }
func (emptyDir) Close() error               { return nil }
func (emptyDir) Name() string               { return "." }
func (emptyDir) Size() int64                { return 0 }
func (emptyDir) Mode() fs.FileMode          { return fs.ModeDir | 0o500 }
func (emptyDir) ModTime() time.Time         { return time.Time{} }
func (emptyDir) IsDir() bool                { return true }
func (emptyDir) Sys() any                   { return nil }

func (emptyDir) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: ".", Err: fs.ErrInvalid}
}

func (emptyDir) ReadDir(n int) ([]fs.DirEntry, error) {
	if n > 0 {
		return nil, io.EOF
	}
	return nil, nil
}
