package journal

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"agentstudio/engine"
)

const (
	indexEvery = 64
	syncWithin = 200 * time.Millisecond
	keptBuffer = 1 << 20
)

// session is one journal. It holds back what it is given until the first Sync, so that a session
// in which nothing was said leaves nothing on the disk.
type session struct {
	engine.ArtifactStore
	attachments engine.AttachmentFiles // nil where none are kept
	store       *Store
	id          engine.SessionID
	dir         string
	torn        int64
	only        bool // for reading

	syncing sync.Mutex // one sync at a time, and no closing meanwhile; taken before mu
	timers  sync.WaitGroup

	mu      sync.Mutex
	file    File // nil before the first Sync
	unlock  func()
	end     mark // where the next record goes; for reading only: behind the last one seen
	marks   []mark
	seen    os.FileInfo // for reading only: the file that end and marks are of
	owner   string      // the session that the records name
	about   meta
	stale   bool // session.json says something else
	held    []engine.Event
	holding bool
	dirty   bool // something is written and not synced
	closed  bool
	broken  error
	timer   *time.Timer // armed while something is dirty
	buf     []byte
}

// Append implements engine.Journal.
func (s *session) Append(events []engine.Event) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.only:
		return engine.SessionReadOnly
	case s.broken != nil:
		return s.broken
	case s.closed:
		return engine.SessionClosedCode
	case len(events) == 0:
		return nil
	case s.holding:
		s.held = append(s.held, events...)
		return nil
	}
	if err := s.put(events); err != nil {
		return err
	}
	if s.timer == nil {
		s.timers.Add(1)
		s.timer = time.AfterFunc(syncWithin, func() {
			defer s.timers.Done()
			_ = s.Sync() // a failure is told by whatever comes next
		})
	}
	return nil
}

// disarm stops the timer. Called with mu held.
func (s *session) disarm() {
	if s.timer != nil && s.timer.Stop() {
		s.timers.Done()
	}
	s.timer = nil
}

// put writes the events with one write. Called with mu held.
func (s *session) put(events []engine.Event) error {
	buf, err := s.buf[:0], error(nil)
	end, marks := s.end, len(s.marks)
	for _, e := range events {
		if e.Seq != end.seq {
			return s.fail(engine.Errorf(engine.Internal, "event %d came where %d belongs", e.Seq, end.seq))
		}
		if e.Seq%indexEvery == 1 {
			s.marks = append(s.marks, mark{e.Seq, s.end.offset + int64(len(buf)), end.prev})
		}
		if buf, end.prev, err = appendLine(buf, e, end.prev); err != nil {
			s.marks = s.marks[:marks]
			return s.fail(err)
		}
		end.seq++
	}
	if err := s.write(buf); err != nil {
		s.marks = s.marks[:marks]
		return s.fail(err)
	}
	end.offset += int64(len(buf))
	s.end, s.dirty = end, true
	if s.buf = buf; cap(buf) > keptBuffer {
		s.buf = nil
	}
	for _, e := range events {
		s.stale = s.about.take(e.Payload) || s.stale
	}
	return nil
}

// write writes whole lines or none: what got through of a failed write is cut off again. If that
// fails as well, the next opening does it.
func (s *session) write(buf []byte) error {
	if err := s.store.fail("write"); err != nil {
		return err
	}
	n, err := s.file.Write(buf)
	if err == nil && n < len(buf) {
		err = io.ErrShortWrite
	}
	if err != nil {
		_ = s.file.Truncate(s.end.offset)
	}
	return err
}

// fail keeps the first error for good: the journal takes nothing more. Called with mu held.
func (s *session) fail(err error) error {
	if s.broken == nil {
		s.broken = &engine.Error{Code: engine.JournalFailed, Message: reason(err), Err: err}
	}
	return s.broken
}

// reason is an error of the system without the path, which is the machine's layout.
func reason(err error) string {
	var own *engine.Error
	var p *os.PathError
	var l *os.LinkError
	var c *os.SyscallError
	switch {
	case errors.As(err, &own):
		return engine.MessageOf(own)
	case errors.As(err, &p):
		return p.Err.Error()
	case errors.As(err, &l):
		return l.Err.Error()
	case errors.As(err, &c):
		return c.Err.Error()
	}
	return err.Error()
}

// Sync implements engine.Journal. The first one makes the session's folder and file.
func (s *session) Sync() error {
	s.syncing.Lock()
	defer s.syncing.Unlock()
	s.mu.Lock()
	s.disarm()
	if s.broken != nil || s.only {
		defer s.mu.Unlock()
		return s.broken
	}
	if s.holding {
		defer s.mu.Unlock()
		if err := s.materialise(); err != nil {
			return s.fail(err)
		}
		return nil
	}
	dirty, stale, about := s.dirty, s.stale, s.about
	s.dirty, s.stale = false, false
	s.mu.Unlock()
	if dirty {
		if err := s.flush(); err != nil {
			s.mu.Lock()
			defer s.mu.Unlock()
			return s.fail(err) // never tried again: what a failed sync left is unknown
		}
	}
	if stale {
		_ = s.store.writeMeta(s.dir, about) // the journal says the same, and counts
	}
	return nil
}

// flush syncs the file, which is not closed meanwhile since syncing is held.
func (s *session) flush() error {
	if err := s.store.fail("sync"); err != nil {
		return err
	}
	return s.file.Sync()
}

// materialise brings what was held back onto the disk, durably. Called with mu held.
func (s *session) materialise() error {
	fresh := s.file == nil
	if fresh {
		if err := s.create(); err != nil {
			return err
		}
	}
	if err := s.put(s.held); err != nil {
		return err
	}
	if err := s.flush(); err != nil {
		return err
	}
	s.dirty, s.held, s.holding = false, nil, false
	if !fresh {
		return nil
	}
	s.stale = false // create has written it
	if err := s.store.fail("syncdir"); err != nil {
		return err
	}
	// The names: of the file, of the session's folder, of the folder of sessions.
	return errors.Join(syncDir(s.dir), syncDir(s.store.dir), syncDir(filepath.Dir(s.store.dir)))
}

// create makes the folder, the lock, session.json and the empty file.
func (s *session) create() error {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	unlock, err := s.store.lock(s.dir)
	if err != nil {
		return err
	}
	s.unlock = unlock
	about := s.about
	for _, e := range s.held {
		about.take(e.Payload)
	}
	if err := s.store.writeMeta(s.dir, about); err != nil {
		return err
	}
	f, err := s.store.openFile(filepath.Join(s.dir, eventsName), os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND)
	if err == nil {
		s.file = f
	}
	return err
}

// Attachments implements engine.Journal.
func (s *session) Attachments() engine.AttachmentFiles { return s.attachments }

// TornBytes implements engine.Journal.
func (s *session) TornBytes() int64 { return s.torn }

// Close implements engine.Journal. What is still held back is dropped: nothing was said. It may be
// called again; when it returns, no timer of the journal runs any more.
func (s *session) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	written := s.file != nil && !s.holding && s.broken == nil
	s.mu.Unlock()
	var err error
	if written {
		err = s.Sync()
	}
	s.mu.Lock()
	s.disarm()
	if s.broken == nil {
		s.broken = engine.SessionClosedCode
	}
	s.mu.Unlock()
	s.timers.Wait() // Append arms no further one
	s.syncing.Lock()
	defer s.syncing.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file != nil {
		err = errors.Join(err, s.file.Close())
	}
	if s.unlock != nil {
		s.unlock()
		s.unlock = nil
	}
	return err
}
