package journal

import (
	"errors"
	"io"
	"os"
	"path/filepath"

	"agentstudio/engine"
)

// Report is what Verify found.
type Report struct {
	OK           bool            `json:"ok"`
	Events       int             `json:"events"`
	LastSequence engine.Seq      `json:"lastSequence"`
	TornBytes    int64           `json:"tornBytes,omitempty"`
	Damaged      []Fault         `json:"damaged"`
	Notes        []Fault         `json:"notes,omitempty"`
	Gaps         [][2]engine.Seq `json:"gaps"`
}

// Verify reads a whole journal and says what is wrong with it. It changes nothing. A torn tail
// alone is still OK: the next opening sets it aside.
func (s *Store) Verify(id engine.SessionID) (Report, error) {
	r := Report{Damaged: []Fault{}, Gaps: [][2]engine.Seq{}}
	dir, err := s.path(id)
	if err != nil {
		return r, err
	}
	f, err := os.Open(filepath.Join(dir, eventsName))
	if err != nil {
		return r, engine.Errorf(engine.SessionNotFound, "there is no saved session %s; agentstudio sessions list shows them", id)
	}
	defer f.Close()
	sc := newScanner(f, 0, 0)
	for {
		found, err := sc.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return r, unreadable(err)
		}
		r.Events++
		if found.gap != 0 {
			r.Gaps = append(r.Gaps, [2]engine.Seq{found.gap, found.seq - 1})
		}
		if _, err := found.rec.decode(); err != nil {
			r.Damaged = append(r.Damaged, Fault{sc.line, found.offset, engine.MessageOf(err)})
		}
	}
	info, err := f.Stat()
	if err != nil {
		return r, unreadable(err)
	}
	r.LastSequence, r.TornBytes, r.Notes = sc.last, info.Size()-sc.good, sc.notes
	r.Damaged = append(r.Damaged, sc.damaged...)
	if r.Events == 0 {
		r.Damaged = append(r.Damaged, Fault{1, 0, "the journal holds no event"})
	}
	r.OK = len(r.Damaged) == 0
	return r, nil
}
