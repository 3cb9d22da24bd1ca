package journal

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agentstudio/engine"
)

// Listed is a session in the list. Texts are cleaned and cut.
type Listed struct {
	ID        engine.SessionID `json:"id"`
	Title     string           `json:"title"`
	StartedAt string           `json:"startedAt"`
	UpdatedAt string           `json:"updatedAt"`
	Events    int              `json:"events"`
	State     string           `json:"state"` // ok, running, interrupted, damaged, locked or newer
	Reason    string           `json:"reason,omitempty"`
}

// List gives every session of the store, the newest first. Foreign files are left out; broken
// sessions are listed with a reason. It changes nothing (STATE_UNUSABLE if the folder cannot be
// read, and ctx's error). May be called from any goroutine.
func (s *Store) List(ctx context.Context) ([]Listed, error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil && !(s.opts.ReadOnly && errors.Is(err, fs.ErrNotExist)) {
		return nil, &engine.Error{Code: engine.StateUnusable, Message: "the sessions cannot be listed: " + reason(err), Err: err}
	}
	all := []Listed{}
	for _, e := range entries {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		id := engine.SessionID(e.Name())
		dir, err := s.find(id)
		if err != nil {
			continue
		}
		all = append(all, look(id, dir))
	}
	slices.SortFunc(all, func(a, b Listed) int {
		// What has no time is broken, and comes last.
		return cmp.Or(strings.Compare(b.UpdatedAt, a.UpdatedAt), strings.Compare(string(b.ID), string(a.ID)))
	})
	return all, nil
}

// Newest is the id of the session that was used last (SESSION_NOT_FOUND when there is none). One
// without an event, which a kill in its first moment leaves, has not been used. May be called from
// any goroutine.
func (s *Store) Newest(ctx context.Context) (engine.SessionID, error) {
	all, err := s.List(ctx)
	if err != nil {
		return "", err
	}
	for _, l := range all {
		if l.Events > 0 {
			return l.ID, nil
		}
	}
	return "", engine.Errorf(engine.SessionNotFound, "no session has been saved yet")
}

// look reads what the list says of a session.
func look(id engine.SessionID, dir string) Listed {
	l := Listed{ID: id, State: "ok"}
	f, err := os.Open(filepath.Join(dir, eventsName))
	if err != nil {
		l.State, l.Reason = "damaged", "the journal could not be read: "+reason(err)
		return l
	}
	defer f.Close()
	sc := newScanner(f, mark{seq: 1}, "")
	var about meta
	open := false
	for {
		found, err := sc.next()
		if err != nil {
			if !errors.Is(err, io.EOF) {
				l.State, l.Reason = "damaged", "the journal could not be read: "+reason(err)
			}
			break
		}
		l.take(found, &about, &open)
	}
	l.Title = about.Title
	l.judge(sc, dir, open)
	return l
}

// take notes what a record says for the list, decoding only those that matter.
func (l *Listed) take(f found, about *meta, open *bool) {
	l.Events++
	l.UpdatedAt = engine.Label(f.rec.field("timestamp"), maxTitle)
	if l.StartedAt == "" {
		l.StartedAt = l.UpdatedAt
	}
	switch f.rec.field("type") {
	case "run.started":
		*open = true
	case "run.completed", "run.failed", "run.cancelled":
		*open = false
	case "session.started", "session.renamed", "user.message":
		if e, err := f.rec.decode(); err == nil {
			about.take(e.Payload)
		}
	}
}

func (l *Listed) judge(sc *scanner, dir string, open bool) {
	later, held := newer(dir), locked(dir)
	switch {
	case later != nil:
		l.State, l.Reason = "newer", engine.MessageOf(later)
	case l.State == "damaged":
	case len(sc.damaged) > 0:
		l.State, l.Reason = "damaged", sc.damaged[0].Reason
	case l.Events == 0 && len(sc.bad) > 0:
		l.State, l.Reason = "damaged", sc.bad[0].Reason
	case l.Events == 0:
		l.State, l.Reason = "damaged", "the journal holds no event"
	case sc.owner != string(l.ID):
		l.State, l.Reason = "damaged", "the journal of another session"
	case held && open:
		l.State = "running"
	case held:
		l.State, l.Reason = "locked", engine.MessageOf(lockedBy(dir))
	case open:
		l.State, l.Reason = "interrupted", "the program ended in the middle of a run"
	}
}
