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

// Verify reads a whole journal and says what is wrong with it (SESSION_NOT_FOUND, and
// JOURNAL_DAMAGED if it cannot be read at all). It changes nothing. A torn tail alone is still OK:
// the next opening sets it aside. May be called from any goroutine.
func (s *Store) Verify(id engine.SessionID) (Report, error) {
	r := Report{Damaged: []Fault{}, Gaps: [][2]engine.Seq{}}
	dir, err := s.find(id)
	if err != nil {
		return r, err
	}
	f, err := os.Open(filepath.Join(dir, eventsName))
	if err != nil {
		return r, unreadable(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return r, unreadable(err)
	}
	// Of a journal that somebody is writing, what is there now.
	sc := newScanner(io.NewSectionReader(f, 0, info.Size()), mark{seq: 1}, "")
	sc.decode = true
	for {
		found, err := sc.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return r, unreadable(err)
		}
		r.Events++
		if found.gap != 0 && len(r.Gaps) < maxFaults {
			r.Gaps = append(r.Gaps, [2]engine.Seq{found.gap, found.seq - 1})
		}
	}
	r.LastSequence, r.TornBytes, r.Notes = sc.at.seq-1, info.Size()-sc.at.offset, sc.notes
	r.Damaged = append(r.Damaged, sc.damaged...)
	switch {
	case r.Events == 0:
		r.TornBytes = 0
		r.Damaged = append(append(r.Damaged, sc.bad...), Fault{1, 0, "the journal holds no event"})
	case sc.owner != string(id):
		r.Damaged = append(r.Damaged, Fault{1, 0, "the journal of another session"})
	}
	r.OK = len(r.Damaged) == 0
	return r, nil
}
