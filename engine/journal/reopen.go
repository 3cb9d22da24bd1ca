package journal

import (
	"errors"
	"io"
	"os"
	"path/filepath"

	"agentstudio/engine"
)

// reopen checks the whole file, sets a torn tail aside, and makes the journal ready to append.
func (s *session) reopen() error {
	path := filepath.Join(s.dir, eventsName)
	r, err := os.Open(path)
	if err != nil {
		return unreadable(err)
	}
	defer r.Close()
	sc := newScanner(r, mark{seq: 1}, "")
	sc.decode = true
	for {
		f, err := sc.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return unreadable(err)
		}
		if f.seq%indexEvery == 1 {
			s.marks = append(s.marks, f.mark())
		}
		s.about.take(f.event.Payload)
	}
	if err := s.judge(sc); err != nil {
		s.marks = nil
		return err
	}
	s.end, s.owner, s.holding = sc.at, sc.owner, true
	s.sweep()
	return s.ready(r, path, sc)
}

// judge says why a journal must not be written (JOURNAL_DAMAGED), or nil.
func (s *session) judge(sc *scanner) error {
	switch {
	case len(sc.damaged) > 0:
		d := sc.damaged[0]
		return engine.Errorf(engine.JournalDamaged, "line %d of the journal is damaged (%s); what follows it is whole. The session is open for reading only; agentstudio sessions repair %s mends it", d.Line, d.Reason, s.id).
			With("line", d.Line).With("reason", d.Reason)
	case sc.at.seq == 1:
		return engine.Errorf(engine.JournalDamaged, "the journal holds no event; agentstudio sessions delete %s removes it", s.id)
	case sc.owner != string(s.id):
		return engine.Errorf(engine.JournalDamaged, "the folder %s holds the journal of %.80s, so it is open for reading only; give the folder its name back", s.id, sc.owner)
	}
	return nil
}

func unreadable(err error) error {
	return &engine.Error{Code: engine.JournalDamaged, Message: "the journal could not be read: " + reason(err), Err: err}
}

func unwritable(err error) error {
	return &engine.Error{Code: engine.JournalFailed, Err: err,
		Message: "the journal cannot be written (" + reason(err) + "), so the session is open for reading only; free disk space or fix the state directory, then open it again"}
}

// ready cuts off what follows the last whole record, once a copy beside the journal is durable. The
// next record begins on a line of its own.
func (s *session) ready(r *os.File, path string, sc *scanner) error {
	info, err := r.Stat()
	if err != nil {
		return unreadable(err)
	}
	if s.torn = info.Size() - sc.at.offset; s.torn > 0 {
		if err := s.store.keep(io.NewSectionReader(r, sc.at.offset, s.torn), path+".torn"); err != nil {
			return unwritable(err)
		}
	}
	f, err := s.store.openFile(path, os.O_WRONLY|os.O_APPEND)
	if err != nil {
		return unwritable(err)
	}
	if err := s.mendEnd(f, sc); err != nil {
		return unwritable(errors.Join(err, f.Close()))
	}
	s.file = f
	return nil
}

// mendEnd makes the file end with a whole line.
func (s *session) mendEnd(f File, sc *scanner) error {
	if s.torn > 0 {
		if err := f.Truncate(sc.at.offset); err != nil {
			return err
		}
	}
	if !sc.newline {
		if err := s.store.fail("write"); err != nil {
			return err
		}
		if _, err := f.Write([]byte("\n")); err != nil {
			return err
		}
		s.end.offset++
	}
	if s.torn == 0 && sc.newline {
		return nil
	}
	if err := s.store.fail("sync"); err != nil {
		return err
	}
	return f.Sync()
}

// keep appends what is cut off to a file beside the journal, durably.
func (s *Store) keep(r io.Reader, path string) error {
	if err := s.fail("keep"); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	return errors.Join(err, f.Sync(), f.Close(), syncDir(filepath.Dir(path)))
}

// replace puts a file that write fills in the place of path, atomically and durably. The temporary
// file has a name of its own, so that two processes never write the same one.
func (s *Store) replace(path string, write func(io.Writer) error) error {
	t, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*") // 0600
	if err != nil {
		return err
	}
	err = write(t)
	if err == nil {
		err = t.Sync()
	}
	err = errors.Join(err, t.Close())
	if err == nil {
		err = s.fail("rename")
	}
	if err == nil {
		err = os.Rename(t.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(t.Name()))
	}
	return syncDir(filepath.Dir(path))
}
