// Package journal keeps sessions on disk: one folder a session, one line an event, each line
// chained to the one before by checksums. It promises that what was synced survives a crash, that
// after any crash the journal opens, and that one process writes at a time.
package journal

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"

	"github.com/google/renameio/v2"

	"agentstudio/engine"
)

var _ engine.Store = (*Store)(nil)

// Options are what a Store needs from outside.
type Options struct {
	// Artifacts makes the place of a session's artifacts, given its folder.
	Artifacts func(dir string) engine.ArtifactStore
	// Fail, if set, is asked before each step that touches the disk (write, sync, syncdir); an
	// error stands for the step's own. For tests.
	Fail func(step string) error
	// OpenFile, if set, opens a journal's file for writing. For tests.
	OpenFile func(path string, flag int) (File, error)
}

// File is an open journal file.
type File = file

// Store is a folder of sessions. It may be used from any goroutine.
type Store struct {
	dir  string // of the sessions
	opts Options
}

// Open makes the state directory root ready, and checks that it can be written (STATE_UNUSABLE).
func Open(root string, opts Options) (*Store, error) {
	s := &Store{dir: filepath.Join(root, "sessions"), opts: opts}
	err := os.MkdirAll(s.dir, 0o700)
	if err == nil {
		err = writable(s.dir)
	}
	if err != nil {
		return nil, &engine.Error{Code: engine.StateUnusable, Err: err,
			Message: "the state directory cannot be written (" + reason(err) + "); choose another with --state, or use --no-save to keep the session in memory only"}
	}
	return s, nil
}

func writable(dir string) error {
	f, err := os.CreateTemp(dir, ".check-*")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

func (s *Store) fail(step string) error {
	if s.opts.Fail == nil {
		return nil
	}
	return s.opts.Fail(step)
}

func (s *Store) openFile(path string, flag int) (file, error) {
	if s.opts.OpenFile != nil {
		return s.opts.OpenFile(path, flag)
	}
	return os.OpenFile(path, flag, 0o600)
}

var idPattern = regexp.MustCompile(`^ses_[0-9A-Za-z]{1,64}$`)

func (s *Store) path(id engine.SessionID) (string, error) {
	if !idPattern.MatchString(string(id)) {
		return "", engine.Errorf(engine.SessionNotFound, "%.80q is not a session's id; agentstudio sessions list shows them", string(id))
	}
	return filepath.Join(s.dir, string(id)), nil
}

func (s *Store) artifacts(dir string) engine.ArtifactStore {
	if s.opts.Artifacts == nil {
		return nil
	}
	return s.opts.Artifacts(filepath.Join(dir, "artifacts"))
}

// Create implements engine.Store. The disk is touched by the first Sync.
func (s *Store) Create(_ context.Context, id engine.SessionID) (engine.Journal, error) {
	dir, err := s.path(id)
	if err != nil {
		return nil, err
	}
	return &session{store: s, id: id, dir: dir, holding: true, ArtifactStore: s.artifacts(dir)}, nil
}

// Open implements engine.Store.
func (s *Store) Open(_ context.Context, id engine.SessionID) (engine.Journal, error) {
	dir, err := s.path(id)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(dir, eventsName)); err != nil {
		return nil, engine.Errorf(engine.SessionNotFound, "there is no saved session %s; agentstudio sessions list shows them", id)
	}
	j := &session{store: s, id: id, dir: dir, ArtifactStore: s.artifacts(dir)}
	if err := newer(dir); err != nil {
		j.only = true
		return j, err
	}
	unlock, err := lock(dir)
	if err != nil {
		j.only = true
		return j, err
	}
	j.unlock = unlock
	if err := j.reopen(); err != nil {
		unlock()
		j.unlock, j.only = nil, true
		return j, err
	}
	return j, nil
}

// ReadOnly opens a session for reading, without taking its lock.
func (s *Store) ReadOnly(id engine.SessionID) (engine.Journal, error) {
	dir, err := s.path(id)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(dir, eventsName)); err != nil {
		return nil, engine.Errorf(engine.SessionNotFound, "there is no saved session %s; agentstudio sessions list shows them", id)
	}
	return &session{store: s, id: id, dir: dir, only: true, ArtifactStore: s.artifacts(dir)}, nil
}

// reopen checks the whole file, sets a torn tail aside, and makes the journal ready to append.
func (s *session) reopen() error {
	path := filepath.Join(s.dir, eventsName)
	r, err := os.Open(path)
	if err != nil {
		return unreadable(err)
	}
	defer r.Close()
	sc := newScanner(r, 0, 0)
	for {
		f, err := sc.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return unreadable(err)
		}
		if f.seq%indexEvery == 1 {
			s.index = append(s.index, mark{f.seq, f.offset})
		}
	}
	if len(sc.damaged) > 0 {
		d := sc.damaged[0]
		return engine.Errorf(engine.JournalDamaged, "line %d of the journal is damaged (%s); what follows it is whole. The session is open for reading only; agentstudio sessions repair %s mends it", d.Line, d.Reason, s.id).
			With("line", d.Line).With("reason", d.Reason)
	}
	s.size, s.crc, s.holding = sc.good, sc.crc, true
	return s.ready(r, path, sc)
}

func unreadable(err error) error {
	return &engine.Error{Code: engine.JournalDamaged, Message: "the journal could not be read: " + reason(err), Err: err}
}

// ready cuts off what follows the last whole record, keeping it beside the journal.
func (s *session) ready(r *os.File, path string, sc *scanner) error {
	info, err := r.Stat()
	if err != nil {
		return unreadable(err)
	}
	s.torn = info.Size() - sc.good
	if s.torn > 0 {
		if err := keep(io.NewSectionReader(r, sc.good, s.torn), path+".torn"); err != nil {
			return unreadable(err)
		}
	}
	if s.file, err = s.store.openFile(path, os.O_WRONLY|os.O_APPEND); err != nil {
		return unreadable(err)
	}
	if s.torn > 0 {
		err = errors.Join(s.file.Truncate(sc.good), s.file.Sync())
	} else if !sc.newline && sc.good > 0 { // a whole record that only lacks its newline
		_, err = s.file.Write([]byte("\n"))
		s.size++
	}
	if err != nil {
		_ = s.file.Close()
		s.file = nil
		return unreadable(err)
	}
	return nil
}

// keep appends what is cut off to a file beside the journal.
func keep(r io.Reader, path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	return errors.Join(err, f.Sync(), f.Close())
}

// replace writes a file atomically and durably.
func replace(path string, b []byte) error {
	t, err := renameio.NewPendingFile(path, renameio.WithPermissions(0o600))
	if err != nil {
		return err
	}
	defer t.Cleanup()
	if _, err := t.Write(b); err != nil {
		return err
	}
	return errors.Join(t.CloseAtomicallyReplace(), syncDir(filepath.Dir(path)))
}
