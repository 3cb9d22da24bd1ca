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
	"strings"

	"agentstudio/engine"
)

var _ engine.Store = (*Store)(nil)

// Options are what a Store needs from outside.
type Options struct {
	// Artifacts makes the place of a session's artifacts, given its folder. Without it a session
	// keeps none.
	Artifacts func(dir string) engine.ArtifactStore
	// Attachments makes the place of a session's attachments, given its folder. Without it a session
	// keeps none.
	Attachments func(dir string) engine.AttachmentFiles
	// ReadOnly opens the store for looking only (List, Newest, ReadOnly, Verify): nothing is made
	// or checked, and the state directory may be missing or on a medium that cannot be written.
	ReadOnly bool
	// Fail, if set, is asked before each step that touches the disk (lock, write, sync, syncdir,
	// keep, rename); an error stands for the step's own. Called from any goroutine. For tests.
	Fail func(step string) error
	// OpenFile, if set, opens a journal's file for writing. For tests.
	OpenFile func(path string, flag int) (File, error)
}

// File is what a journal needs of its file. Sync is called beside Write, the rest one at a time.
type File interface {
	io.Writer
	// Sync makes what was written survive a power loss.
	Sync() error
	// Truncate cuts the file off.
	Truncate(size int64) error
	io.Closer
}

// Store is a folder of sessions. It may be used from any goroutine.
type Store struct {
	dir  string // of the sessions
	opts Options
}

// Open makes the state directory root ready, and checks that it can be written (STATE_UNUSABLE).
// With Options.ReadOnly it touches nothing.
func Open(root string, opts Options) (*Store, error) {
	s := &Store{dir: filepath.Join(root, "sessions"), opts: opts}
	if opts.ReadOnly {
		return s, nil
	}
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

func (s *Store) openFile(path string, flag int) (File, error) {
	if s.opts.OpenFile != nil {
		return s.opts.OpenFile(path, flag)
	}
	return os.OpenFile(path, flag, 0o600)
}

// isID tells whether a name is spelled like a session's id.
func isID(name string) bool {
	rest, ok := strings.CutPrefix(name, "ses_")
	if !ok || rest == "" || len(rest) > 64 {
		return false
	}
	return !strings.ContainsFunc(rest, func(c rune) bool {
		return !(c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z')
	})
}

func (s *Store) path(id engine.SessionID) (string, error) {
	if !isID(string(id)) {
		return "", engine.Errorf(engine.SessionNotFound, "%.80q is not a session's id; agentstudio sessions list shows them", string(id))
	}
	return filepath.Join(s.dir, string(id)), nil
}

// find gives the folder of a saved session. What is no folder of its own with a regular journal in
// it (a link, a pipe) is not found: it is not ours, and reading it could lead anywhere.
func (s *Store) find(id engine.SessionID) (string, error) {
	dir, err := s.path(id)
	if err != nil {
		return "", err
	}
	if !isSession(dir) {
		return "", engine.Errorf(engine.SessionNotFound, "there is no saved session %s; agentstudio sessions list shows them", id)
	}
	return dir, nil
}

func isSession(dir string) bool {
	if i, err := os.Lstat(dir); err != nil || !i.IsDir() {
		return false
	}
	i, err := os.Lstat(filepath.Join(dir, eventsName))
	return err == nil && i.Mode().IsRegular()
}

func (s *Store) session(id engine.SessionID, dir string) *session {
	j := &session{store: s, id: id, dir: dir, owner: string(id), end: mark{seq: 1}, ArtifactStore: noArtifacts{}}
	j.about = meta{FormatVersion: formatVersion, ID: string(id)}
	if s.opts.Artifacts != nil {
		j.ArtifactStore = s.opts.Artifacts(filepath.Join(dir, artifactsName))
	}
	if s.opts.Attachments != nil {
		j.attachments = s.opts.Attachments(filepath.Join(dir, attachmentsName))
	}
	return j
}

// noArtifacts is the place of artifacts in a store that was opened without one.
type noArtifacts struct{}

func (noArtifacts) WriteArtifact(context.Context, string, string, []byte) (engine.Artifact, error) {
	return engine.Artifact{}, engine.Errorf(engine.WriteFailed, "this session keeps no artifacts")
}

func (noArtifacts) Read(_ context.Context, name string) ([]byte, error) {
	return nil, engine.Errorf(engine.RefNotFound, "there is no artifact %.80q", name)
}

// Create implements engine.Store. The disk is touched by the first Sync. It fails when a session of
// this id is saved already, as may happen with ids made from a seed (STATE_UNUSABLE).
func (s *Store) Create(_ context.Context, id engine.SessionID) (engine.Journal, error) {
	dir, err := s.path(id)
	if err != nil {
		return nil, err
	}
	if _, err := os.Lstat(filepath.Join(dir, eventsName)); err == nil {
		return nil, engine.Errorf(engine.StateUnusable, "a session %s is saved already, since the same seed makes the same ids; choose another --seed or --state, delete that session, or use --no-save", id)
	}
	j := s.session(id, dir)
	j.holding = true
	return j, nil
}

// Open implements engine.Store. A journal that cannot be written, for want of space or rights,
// comes for reading only with JOURNAL_FAILED.
func (s *Store) Open(_ context.Context, id engine.SessionID) (engine.Journal, error) {
	dir, err := s.find(id)
	if err != nil {
		return nil, err
	}
	j := s.session(id, dir)
	if err := newer(dir); err != nil {
		j.only = true
		return j, err
	}
	if j.unlock, err = s.lock(dir); err != nil {
		j.only = true
		return j, err
	}
	if err := j.reopen(); err != nil {
		j.unlock()
		j.unlock, j.only, j.holding, j.end, j.torn = nil, true, false, mark{seq: 1}, 0
		return j, err
	}
	j.stale = !hasMeta(dir)
	return j, nil
}

// ReadOnly opens a session for reading, without taking its lock (SESSION_NOT_FOUND). Another
// process may be writing it: each Replay yields what is there by then.
func (s *Store) ReadOnly(id engine.SessionID) (engine.Journal, error) {
	dir, err := s.find(id)
	if err != nil {
		return nil, err
	}
	j := s.session(id, dir)
	j.only = true
	return j, nil
}
