package journal

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"agentstudio/engine"
)

// Plan is what a repair keeps and drops.
type Plan struct {
	Kept    int     // events
	Missing int     // events that journal.repaired stands for
	Dropped []Fault // places; nil if there is nothing to repair
	Backup  string  // name of the kept old file, once done
}

// maxMissing is the most events a repair makes stand-ins for: a forged number must not fill a disk.
const maxMissing = 1 << 20

// Repair says what a repair of the journal would drop, and with do also does it: a new file with
// a journal.repaired event for each lost one, the old file kept beside it. It fails with
// SESSION_NOT_FOUND, SESSION_LOCKED, JOURNAL_NEWER, JOURNAL_DAMAGED if nothing can be made of the
// journal, and WRITE_FAILED, after which the old journal is untouched. May be called from any
// goroutine.
func (s *Store) Repair(id engine.SessionID, do bool) (Plan, error) {
	dir, err := s.find(id)
	if err != nil {
		return Plan{}, err
	}
	if err := newer(dir); err != nil {
		return Plan{}, err
	}
	unlock, err := s.lock(dir)
	if err != nil {
		return Plan{}, err
	}
	defer unlock()
	path := filepath.Join(dir, eventsName)
	plan, err := mend(path, io.Discard)
	if err != nil || !do || len(plan.Dropped) == 0 {
		return plan, err
	}
	plan.Backup, err = s.backup(path)
	if err == nil {
		err = s.replace(path, func(w io.Writer) error {
			_, err := mend(path, w)
			return err
		})
	}
	if err != nil {
		return plan, &engine.Error{Code: engine.WriteFailed, Message: "the repaired journal could not be written, the old one is untouched: " + reason(err), Err: err}
	}
	return plan, nil
}

// backup keeps the old file under another name, durably, and gives that name.
func (s *Store) backup(path string) (string, error) {
	name := fmt.Sprintf("%s.damaged-%s", path, time.Now().UTC().Format("20060102T150405.000000"))
	if err := s.fail("keep"); err != nil {
		return "", err
	}
	if os.Link(path, name) == nil {
		return filepath.Base(name), syncDir(filepath.Dir(path))
	}
	r, err := os.Open(path) // no links on this file system
	if err != nil {
		return "", err
	}
	defer r.Close()
	return filepath.Base(name), s.keep(r, name)
}

// mender writes a journal anew, each record as it was but for the chain.
type mender struct {
	w    *bufio.Writer
	crc  uint32
	buf  []byte
	plan Plan
}

// mend writes to w what can be read of a journal.
func mend(path string, w io.Writer) (Plan, error) {
	f, err := os.Open(path)
	if err != nil {
		return Plan{}, unreadable(err)
	}
	defer f.Close()
	m := &mender{w: bufio.NewWriterSize(w, readAhead)}
	sc := newScanner(f, mark{seq: 1}, "")
	sc.decode = true
	for {
		found, err := sc.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return Plan{}, unreadable(err)
		}
		if err := m.add(found); err != nil {
			return Plan{}, err
		}
	}
	if m.plan.Kept == 0 {
		return Plan{}, engine.Errorf(engine.JournalDamaged, "the journal holds no event, so there is nothing to mend")
	}
	if lost := append(sc.damaged, sc.bad...); len(lost) > 0 {
		m.plan.Dropped = append(lost, sc.notes...) // foreign lines don't get into the new file either
		slices.SortStableFunc(m.plan.Dropped, func(a, b Fault) int { return int(a.Offset - b.Offset) })
	}
	return m.plan, m.w.Flush()
}

// add writes a record, and before it what stands for those that are missing.
func (m *mender) add(f found) error {
	if f.gap != 0 {
		if f.seq-f.gap > maxMissing || m.plan.Missing > maxMissing {
			return engine.Errorf(engine.JournalDamaged, "events %d to %d are missing, more than a repair can stand in for", f.gap, f.seq-1)
		}
		for seq := f.gap; seq < f.seq; seq++ { // every number keeps its event
			e := engine.Event{ID: engine.EventID(fmt.Sprintf("evt_repaired_%d", seq)), Session: f.event.Session, Seq: seq, At: f.event.At,
				Payload: engine.JournalRepaired{From: f.gap, To: f.seq - 1, Reason: f.reason}}
			var err error
			if m.buf, err = e.AppendJSON(m.buf[:0]); err != nil {
				return err
			}
			if err := m.write(); err != nil {
				return err
			}
			m.plan.Missing++
		}
	}
	m.plan.Kept++
	m.buf = f.rec.envelope(m.buf[:0])
	return m.write()
}

func (m *mender) write() error {
	m.buf, m.crc = seal(m.buf, 0, m.crc)
	_, err := m.w.Write(m.buf)
	return err
}
