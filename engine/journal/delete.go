package journal

import (
	"errors"
	"os"
	"path/filepath"

	"agentstudio/engine"
)

// Delete removes a session with all its files. It refuses what is not a session of this store, a
// link to one included (SESSION_NOT_FOUND), and one that is held (SESSION_LOCKED). After
// WRITE_FAILED the session may have lost files but is still listed, so that it can be deleted
// again.
func (s *Store) Delete(id engine.SessionID) error {
	dir, err := s.find(id)
	if err != nil {
		return err
	}
	unlock, err := s.lock(dir)
	if err != nil {
		return err
	}
	err = empty(dir)
	unlock() // before its own file goes: some systems keep an open file
	if err == nil {
		err = os.RemoveAll(dir)
	}
	if err == nil {
		err = syncDir(s.dir)
	}
	if err != nil {
		return &engine.Error{Code: engine.WriteFailed, Message: "the session could not be deleted: " + reason(err), Err: err}
	}
	return nil
}

// empty removes all but the lock, and the journal last: without it the folder is no session any
// more, and nobody would find what is left.
func empty(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() != lockName && e.Name() != eventsName {
			err = errors.Join(err, os.RemoveAll(filepath.Join(dir, e.Name())))
		}
	}
	if err != nil {
		return err
	}
	return os.Remove(filepath.Join(dir, eventsName))
}
