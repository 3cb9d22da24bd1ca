package journal

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"agentstudio/engine"
)

// Plan is what a repair drops and keeps.
type Plan struct {
	Kept    int
	Dropped []Fault
	Backup  string // name of the kept old file, once done
}

// Delete removes a session with all its files. It refuses what is not a session of this store
// (SESSION_NOT_FOUND) or is held by another process (SESSION_LOCKED).
func (s *Store) Delete(id engine.SessionID) error {
	dir, err := s.path(id)
	if err != nil {
		return err
	}
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() {
		return engine.Errorf(engine.SessionNotFound, "there is no saved session %s", id)
	}
	if _, err := os.Lstat(filepath.Join(dir, eventsName)); err != nil {
		return engine.Errorf(engine.SessionNotFound, "the folder of %s holds no journal, so it is not taken for a session", id)
	}
	unlock, err := lock(dir)
	if err != nil {
		return err
	}
	defer unlock()
	if err := os.RemoveAll(dir); err != nil {
		return &engine.Error{Code: engine.WriteFailed, Message: "the session could not be deleted: " + reason(err), Err: err}
	}
	return nil
}

// Repair says what a repair of the journal would drop, and with do also does it: a new file with
// a journal.repaired event in each hole, the old one kept beside it.
func (s *Store) Repair(id engine.SessionID, do bool) (Plan, error) {
	dir, err := s.path(id)
	if err != nil {
		return Plan{}, err
	}
	path := filepath.Join(dir, eventsName)
	if _, err := os.Stat(path); err != nil {
		return Plan{}, engine.Errorf(engine.SessionNotFound, "there is no saved session %s; agentstudio sessions list shows them", id)
	}
	if err := newer(dir); err != nil {
		return Plan{}, err
	}
	unlock, err := lock(dir)
	if err != nil {
		return Plan{}, err
	}
	defer unlock()
	buf, plan, err := mend(path)
	if err != nil || !do || len(plan.Dropped) == 0 {
		return plan, err
	}
	plan.Backup = fmt.Sprintf("%s.damaged-%s", eventsName, time.Now().UTC().Format("20060102T150405"))
	if err := os.Link(path, filepath.Join(dir, plan.Backup)); err != nil {
		return plan, unrepaired(err)
	}
	if err := replace(path, buf); err != nil {
		return plan, unrepaired(err)
	}
	return plan, nil
}

func unrepaired(err error) error {
	return &engine.Error{Code: engine.WriteFailed, Message: "the repaired journal could not be written, the old one is untouched: " + reason(err), Err: err}
}

// mend writes a journal anew from what can be read of it.
func mend(path string) (buf []byte, plan Plan, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, plan, unreadable(err)
	}
	defer f.Close()
	sc := newScanner(f, 0, 0)
	var crc uint32
	add := func(e engine.Event) {
		if err == nil {
			buf, crc, err = appendLine(buf, e, crc)
		}
	}
	for err == nil {
		found, rerr := sc.next()
		if errors.Is(rerr, io.EOF) {
			break
		}
		if rerr != nil {
			return nil, plan, unreadable(rerr)
		}
		e, derr := found.rec.decode()
		if derr != nil {
			return nil, plan, derr
		}
		for seq := found.gap; seq != 0 && seq < found.seq; seq++ { // every number keeps its event
			add(engine.Event{ID: engine.EventID(fmt.Sprintf("evt_repaired%d", seq)), Session: e.Session, Seq: seq, At: e.At,
				Payload: engine.JournalRepaired{From: found.gap, To: found.seq - 1, Reason: found.reason}})
		}
		add(e)
		plan.Kept++
	}
	plan.Dropped = append(append(plan.Dropped, sc.damaged...), sc.bad...)
	return buf, plan, err
}
