package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"agentstudio/engine"
)

// Save changes keys of the config file at a path, which is made if it is missing; see Edit. The
// file is replaced whole or not at all. A link is followed, so that it stays one and the file it
// leads to is replaced. Errors: CONFIG_INVALID, WRITE_FAILED.
func Save(path, name string, changes map[string]string) error {
	if path == "" {
		return engine.Errorf(engine.WriteFailed, "there is no home folder to keep settings in")
	}
	path, err := target(path)
	if err != nil {
		return unwritten(name, err)
	}
	b, err := content(path)
	if err != nil {
		return unreadable(name, err)
	}
	out, err := Edit(name, b, changes)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return unwritten(name, err)
	}
	if err := replace(path, out); err != nil {
		return unwritten(name, err)
	}
	return nil
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
