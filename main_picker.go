package main

import (
	"context"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"agentstudio/engine"
	"agentstudio/tui"
)

// picker is the saved sessions as the screen needs them, and knows which of them is shown. Its
// methods may be called from any goroutine.
type picker struct {
	mu     sync.Mutex
	studio *studio         // nil until the first session is open
	shown  *engine.Session // the one on the screen
	before []engine.SessionID
	ended  bool
}

var _ tui.Sessions = (*picker)(nil)

// begin takes over a studio that has just been opened.
func (p *picker) begin(s *studio) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.studio, p.shown = s, s.session
}

// now is the session on the screen, nil while none is open.
func (p *picker) now() *engine.Session {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.shown
}

// end gives the studio, the session that is shown, and those that were before; nothing is opened
// any more. All are nil if nothing was opened at all.
func (p *picker) end() (s *studio, shown *engine.Session, before []engine.SessionID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
	for _, id := range p.before {
		if id != p.shown.ID() && !slices.Contains(before, id) {
			before = append(before, id)
		}
	}
	return p.studio, p.shown, before
}

// ready tells why nothing can be done, or nil. Called with mu held.
func (p *picker) ready() error {
	switch {
	case p.ended:
		return engine.Errorf(engine.SessionClosedCode, "the studio is closing")
	case p.studio == nil || p.studio.store == nil:
		return engine.Errorf(engine.InvalidCommand, "the session is still being opened")
	}
	return nil
}

// List implements tui.Sessions.
func (p *picker) List(ctx context.Context) ([]tui.Saved, error) {
	p.mu.Lock()
	err := p.ready()
	s := p.studio
	p.mu.Unlock()
	if err != nil {
		return nil, err
	}
	listed, err := s.store.List(ctx)
	if err != nil {
		return nil, err
	}
	all := make([]tui.Saved, len(listed))
	for i, l := range listed {
		at, err := time.Parse(time.RFC3339Nano, l.UpdatedAt)
		if err != nil {
			at = time.Time{} // broken, and said so by its state
		}
		all[i] = tui.Saved{ID: l.ID, Title: l.Title, State: l.State, Updated: at, Events: l.Events}
		if l.Title == "" {
			all[i].Title = l.Reason
		}
	}
	return all, nil
}

// Open implements tui.Sessions.
func (p *picker) Open(ctx context.Context, id engine.SessionID) (tui.Opened, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.ready(); err != nil {
		return tui.Opened{}, err
	}
	if p.shown.Busy() {
		return tui.Opened{}, engine.Errorf(engine.SessionBusy, "a run is active; wait for its end or cancel it")
	}
	next, err := p.studio.engine.Open(ctx, id)
	if err != nil {
		return tui.Opened{}, err
	}
	if err := p.shown.Retire(); err != nil { // a run has begun meanwhile
		_ = next.Close()
		return tui.Opened{}, err
	}
	p.before = append(p.before, p.shown.ID())
	p.shown = next
	if c := p.studio.chosen(); c != nil {
		// A session that is open for reading only keeps the model it has; the screen says so anyway.
		_, _ = next.Do(ctx, engine.Configure{Connection: c, By: engine.Actor{Screen: "tui", Name: "terminal"}})
	}
	return p.studio.opened(next), nil
}

// Rename implements tui.Sessions. A session that is not shown is opened for it as the studio would:
// what was interrupted in it is ended too.
func (p *picker) Rename(ctx context.Context, id engine.SessionID, title string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.ready(); err != nil {
		return err
	}
	s := p.shown
	if s.ID() != id {
		var err error
		if s, err = p.studio.engine.Open(ctx, id); err != nil {
			return err
		}
		defer s.Close()
	}
	_, err := s.Do(ctx, engine.Rename{Title: title, By: engine.Actor{Screen: "tui", Name: "terminal"}})
	return err
}

// Delete implements tui.Sessions.
func (p *picker) Delete(_ context.Context, id engine.SessionID) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.ready(); err != nil {
		return err
	}
	if p.shown.ID() == id {
		return engine.Errorf(engine.SessionLocked, "this session is shown now; open another one before you delete it")
	}
	return p.studio.store.Delete(id)
}

// made lists the files of the sessions that were shown before the last one and are newer than
// began. A session that was shown twice is listed once, one that is gone not at all.
func (o *options) made(s *studio, ids []engine.SessionID, began time.Time) (paths []string) {
	root, err := o.stateRoot()
	if err != nil {
		return nil
	}
	for _, id := range ids {
		names, err := filepath.Glob(filepath.Join(root, "sessions", string(id), "artifacts", "[^.]*"))
		if err != nil {
			continue
		}
		for _, name := range names {
			if at := o.artifactPath(s, id, filepath.Base(name), began); at != "" {
				paths = append(paths, at)
			}
		}
	}
	return paths
}
