package journal

import (
	"context"
	"errors"
	"io"
	"iter"
	"os"
	"path/filepath"
	"sync"
	"time"

	"agentstudio/engine"
)

const (
	indexEvery = 64
	syncWithin = 200 * time.Millisecond
)

// file is what a journal needs of its file; tests put one in that fails or forgets.
type file interface {
	io.Writer
	Sync() error
	Truncate(size int64) error
	Close() error
}

// session is one journal. It holds back what it is given until the first Sync, so that a session
// in which nothing was said leaves nothing on the disk.
type session struct {
	engine.ArtifactStore
	store *Store
	id    engine.SessionID
	dir   string
	torn  int64
	only  bool // for reading

	mu      sync.Mutex
	file    file // nil before the first Sync
	unlock  func()
	size    int64 // of whole lines in the file
	crc     uint32
	index   []mark
	held    []engine.Event
	holding bool
	broken  error
	timer   *time.Timer // armed while written lines wait for a sync
}

// mark says where a record lies in the file.
type mark struct {
	seq    engine.Seq
	offset int64
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
	case s.holding:
		s.held = append(s.held, events...)
		return nil
	}
	if err := s.put(events); err != nil {
		return err
	}
	if s.timer == nil {
		s.timer = time.AfterFunc(syncWithin, func() { _ = s.Sync() })
	}
	return nil
}

// put writes the events with one write.
func (s *session) put(events []engine.Event) error {
	var buf []byte
	var err error
	crc, size := s.crc, s.size
	for _, e := range events {
		if e.Seq%indexEvery == 1 {
			s.index = append(s.index, mark{e.Seq, size + int64(len(buf))})
		}
		if buf, crc, err = appendLine(buf, e, crc); err != nil {
			return s.fail(err)
		}
	}
	if err := s.store.fail("write"); err != nil {
		return s.fail(err)
	}
	n, err := s.file.Write(buf)
	if err == nil && n < len(buf) {
		err = io.ErrShortWrite
	}
	if err != nil {
		_ = s.file.Truncate(size) // a half line is also cut off by the next reader
		return s.fail(err)
	}
	s.size, s.crc = size+int64(len(buf)), crc
	return nil
}

func (s *session) fail(err error) error {
	s.broken = &engine.Error{Code: engine.JournalFailed, Message: reason(err), Err: err}
	return s.broken
}

// reason is an error of the system without the path, which is the machine's layout.
func reason(err error) string {
	var p *os.PathError
	var l *os.LinkError
	var c *os.SyscallError
	switch {
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
	s.mu.Lock()
	if s.timer != nil {
		s.timer.Stop()
		s.timer = nil
	}
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
	f := s.file
	s.mu.Unlock()
	err := s.store.fail("sync")
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.fail(err) // never tried again: what a failed sync left is unknown
	}
	return nil
}

// materialise brings what was held back onto the disk, durably.
func (s *session) materialise() error {
	if s.file == nil {
		if err := s.create(); err != nil {
			return err
		}
	}
	if err := s.put(s.held); err != nil {
		return err
	}
	if err := s.store.fail("sync"); err != nil {
		return err
	}
	if err := s.file.Sync(); err != nil {
		return err
	}
	s.held, s.holding = nil, false
	if err := s.store.fail("syncdir"); err != nil {
		return err
	}
	return errors.Join(syncDir(s.dir), syncDir(filepath.Dir(s.dir)))
}

// create makes the folder, the lock, session.json and the empty file.
func (s *session) create() error {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	unlock, err := lock(s.dir)
	if err != nil {
		return err
	}
	s.unlock = unlock
	if err := writeMeta(s.dir, s.id); err != nil {
		return err
	}
	f, err := s.store.openFile(filepath.Join(s.dir, eventsName), os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND)
	s.file = f
	return err
}

// Replay implements engine.Journal. Holes are told by a journal.damaged event made here.
func (s *session) Replay(ctx context.Context, after engine.Seq) iter.Seq2[engine.Event, error] {
	return func(yield func(engine.Event, error) bool) {
		last, more := s.replayFile(ctx, after, yield)
		if !more {
			return
		}
		s.mu.Lock()
		held := s.held
		s.mu.Unlock()
		for _, e := range held {
			if e.Seq > last && !yield(e, nil) {
				return
			}
		}
	}
}

func (s *session) replayFile(ctx context.Context, after engine.Seq, yield func(engine.Event, error) bool) (engine.Seq, bool) {
	s.mu.Lock()
	size, at, exists := s.size, s.before(after), s.file != nil || s.only
	s.mu.Unlock()
	if !exists || size == 0 && !s.only {
		return after, true
	}
	f, err := os.Open(filepath.Join(s.dir, eventsName))
	if err != nil {
		return after, yield(engine.Event{}, &engine.Error{Code: engine.ReadFailed, Message: "the journal could not be read: " + reason(err), Err: err})
	}
	defer f.Close()
	var r io.Reader = io.NewSectionReader(f, at.offset, size-at.offset)
	if s.only { // another process may be writing
		r = io.NewSectionReader(f, at.offset, 1<<62)
	}
	sc := newScanner(r, at.offset, max(at.seq, 1)-1)
	for ctx.Err() == nil {
		found, err := sc.next()
		if errors.Is(err, io.EOF) {
			return max(sc.last, after), true
		}
		if err != nil {
			return after, yield(engine.Event{}, &engine.Error{Code: engine.ReadFailed, Message: "the journal could not be read: " + reason(err), Err: err})
		}
		if found.seq <= after {
			continue
		}
		e, err := found.rec.decode()
		if err != nil {
			return after, yield(engine.Event{}, err)
		}
		if found.gap != 0 && !yield(hole(e, max(found.gap, after+1), found), nil) {
			return after, false
		}
		if !yield(e, nil) {
			return after, false
		}
	}
	return after, false
}

// hole stands for the events that are missing before e.
func hole(e engine.Event, from engine.Seq, f found) engine.Event {
	return engine.Event{ID: "evt_hole", Session: e.Session, Seq: f.seq - 1, At: e.At,
		Payload: engine.JournalDamage{From: from, To: f.seq - 1, Reason: f.reason}}
}

// before is the newest mark at or before the event that follows after. Called with mu held.
func (s *session) before(after engine.Seq) mark {
	best := mark{1, 0}
	for _, m := range s.index {
		if m.seq > after+1 {
			break
		}
		best = m
	}
	return best
}

// TornBytes implements engine.Journal.
func (s *session) TornBytes() int64 { return s.torn }

// Close implements engine.Journal. What is still held back is dropped: nothing was said.
func (s *session) Close() error {
	s.mu.Lock()
	f := s.file
	holding, broken := s.holding, s.broken
	s.mu.Unlock()
	var err error
	if f != nil && !holding && broken == nil {
		err = s.Sync()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.timer != nil {
		s.timer.Stop()
		s.timer = nil
	}
	s.broken = engine.SessionClosedCode
	if f != nil {
		err = errors.Join(err, f.Close())
	}
	if s.unlock != nil {
		s.unlock()
		s.unlock = nil
	}
	return err
}
