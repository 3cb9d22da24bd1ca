package config

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"agentstudio/engine"
)

// Save changes keys of the config file at a path, which is made if it is missing; see Edit. The
// file is replaced whole or not at all. A link is followed, so that it stays one and the file it
// leads to is replaced. Others who save at the same time wait, here and in other processes; none
// waits longer than maxWait. Errors: CONFIG_INVALID, WRITE_FAILED.
func Save(path, name string, changes map[string]string) error {
	if path == "" {
		return engine.Errorf(engine.WriteFailed, "there is no home folder to keep settings in")
	}
	path, err := target(path)
	if err != nil {
		return unwritten(name, err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return unwritten(name, err)
	}
	unlock, err := lock(path)
	if err != nil {
		return unwritten(name, err)
	}
	defer unlock()
	b, err := content(path)
	if err != nil {
		return unreadable(name, err)
	}
	out, err := Edit(name, b, changes)
	if err != nil {
		return err
	}
	if err := replace(path, out); err != nil {
		return unwritten(name, err)
	}
	return nil
}

// maxWait is how long a saver waits for another. Saving takes milliseconds.
const maxWait = 2 * time.Second

// lock keeps other savers of a file out. The lock is the kernel's and ends with the process; the
// file for it stays, since whoever took it away could let two in. It is beside the config, which
// is replaced and so can't be locked itself.
func lock(path string) (unlock func(), err error) {
	at := path + ".lock"
	if i, err := os.Lstat(at); err == nil && !i.Mode().IsRegular() { // opening one could wait forever
		return nil, errors.New(filepath.Base(at) + " is not a file; take it away")
	}
	l := flock.New(at, flock.SetPermissions(0o600))
	ctx, stop := context.WithTimeout(context.Background(), maxWait)
	defer stop()
	_, err = l.TryLockContext(ctx, 5*time.Millisecond)
	switch {
	case err == nil:
		return func() { _ = l.Close() }, nil
	case errors.Is(err, context.DeadlineExceeded):
		err = errors.New("another agentstudio has been saving there for " + maxWait.String() + "; try again, or stop that one")
	}
	return nil, errors.Join(err, l.Close())
}

func unwritten(name string, err error) error {
	why := err
	var p *fs.PathError
	if errors.As(err, &p) {
		why = p.Err
	}
	return &engine.Error{Code: engine.WriteFailed, Message: "the settings could not be saved to " + name + ": " + why.Error(), Err: err}
}

// target is where a path leads, whether or not the file is there; a link to nothing is refused.
func target(path string) (string, error) {
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return path, nil
	}
	return filepath.EvalSymlinks(path)
}

// replace puts content in the place of path, atomically and durably.
func replace(path string, content []byte) error {
	t, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*") // 0600
	if err != nil {
		return err
	}
	_, err = t.Write(content)
	if err == nil {
		err = t.Sync()
	}
	err = errors.Join(err, t.Close())
	if err == nil {
		err = os.Rename(t.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(t.Name()))
	}
	return nil
}
