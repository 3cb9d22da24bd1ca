package journal

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agentstudio/engine"
)

// Listed is a session in the list.
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
// sessions are listed with a reason. It changes nothing.
func (s *Store) List(ctx context.Context) ([]Listed, error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return nil, &engine.Error{Code: engine.StateUnusable, Message: "the sessions cannot be listed: " + reason(err), Err: err}
	}
	all := []Listed{}
	for _, e := range entries {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		id := engine.SessionID(e.Name())
		dir, err := s.path(id)
		if err != nil || !e.IsDir() {
			continue
		}
		if l, ok := look(id, dir); ok {
			all = append(all, l)
		}
	}
	slices.SortFunc(all, func(a, b Listed) int {
		return -strings.Compare(a.UpdatedAt+string(a.ID), b.UpdatedAt+string(b.ID))
	})
	return all, nil
}

// Newest is the id of the session that was used last (SESSION_NOT_FOUND when there is none).
func (s *Store) Newest(ctx context.Context) (engine.SessionID, error) {
	all, err := s.List(ctx)
	if err == nil && len(all) == 0 {
		err = engine.Errorf(engine.SessionNotFound, "no session has been saved yet")
	}
	if err != nil {
		return "", err
	}
	return all[0].ID, nil
}

// look reads what the list says of a session; false for a folder that is none.
func look(id engine.SessionID, dir string) (Listed, bool) {
	l := Listed{ID: id, State: "ok"}
	f, err := os.Open(filepath.Join(dir, eventsName))
	if err != nil {
		return l, false
	}
	defer f.Close()
	if i, err := f.Stat(); err != nil || !i.Mode().IsRegular() {
		return l, false
	}
	sc := newScanner(f, 0, 0)
	open := false
	for {
		found, err := sc.next()
		if err != nil {
			if !errors.Is(err, io.EOF) {
				l.State, l.Reason = "damaged", reason(err)
			}
			break
		}
		l.take(found, &open)
	}
	l.judge(sc, dir, open)
	return l, true
}

// take notes what a record says for the list, decoding only those that matter.
func (l *Listed) take(f found, open *bool) {
	l.Events++
	l.UpdatedAt = f.rec.field("timestamp")
	if l.StartedAt == "" {
		l.StartedAt = l.UpdatedAt
	}
	switch f.rec.field("type") {
	case "run.started":
		*open = true
	case "run.completed", "run.failed", "run.cancelled":
		*open = false
	case "user.message", "session.renamed":
		e, err := f.rec.decode()
		if err != nil {
			return
		}
		switch p := e.Payload.(type) {
		case engine.SessionRenamed:
			l.Title = p.Title
		case engine.UserMessage:
			if l.Title == "" {
				l.Title = engine.Label(p.Text, 60)
			}
		}
	}
}

func (l *Listed) judge(sc *scanner, dir string, open bool) {
	held := locked(dir)
	switch {
	case newer(dir) != nil:
		l.State, l.Reason = "newer", engine.MessageOf(newer(dir))
	case l.State == "damaged":
	case len(sc.damaged) > 0:
		l.State, l.Reason = "damaged", sc.damaged[0].Reason
	case l.Events == 0 && len(sc.bad) > 0:
		l.State, l.Reason = "damaged", sc.bad[0].Reason
	case l.Events == 0:
		l.State, l.Reason = "damaged", "the journal is empty"
	case held && open:
		l.State = "running"
	case held:
		l.State, l.Reason = "locked", engine.MessageOf(lockedBy(dir))
	case open:
		l.State, l.Reason = "interrupted", "the program ended in the middle of a run"
	}
}
