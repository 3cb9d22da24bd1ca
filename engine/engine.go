// Package engine runs agent sessions. Commands go into a session by Do, numbered events come out
// by Follow, and every state is a fold of those events. It knows no model, tool, disk or screen:
// all of them are handed to it through the ports in Config.
package engine

import (
	"context"
	"sync"
)

// Engine opens sessions, and waits for all that they have started.
type Engine struct {
	cfg Config

	mu   sync.Mutex
	open map[SessionID]*held
}

type held struct {
	session *Session
	runs    sync.WaitGroup
	once    sync.Once
}

// New makes an engine from cfg, which must have a Store and NewID. It starts nothing.
func New(cfg Config) *Engine {
	return &Engine{cfg: cfg.withDefaults(), open: map[SessionID]*held{}}
}

// Open begins a new session for the id "", else reopens one: what was interrupted is ended, told
// by session.resumed, and nothing runs by itself. A session that another process holds, that is
// damaged or of a newer format is opened for reading only (see ReadOnly). It fails with
// SESSION_NOT_FOUND, SESSION_LOCKED when this engine has it open already, or the store's codes.
func (e *Engine) Open(ctx context.Context, id SessionID) (*Session, error) {
	s, err := e.begin(ctx, id)
	return s, At("engine.open", err)
}

func (e *Engine) begin(ctx context.Context, id SessionID) (*Session, error) {
	fresh := id == ""
	if fresh {
		id = SessionID(e.cfg.NewID("ses"))
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.open[id] != nil {
		return nil, Errorf(SessionLocked, "this program has the session %s open already", id)
	}
	var j Journal
	var only error
	if fresh {
		var err error
		if j, err = e.cfg.Store.Create(ctx, id); err != nil {
			return nil, err
		}
	} else if j, only = e.cfg.Store.Open(ctx, id); j == nil {
		return nil, only
	}
	s, err := e.assemble(ctx, id, j, only)
	if err != nil {
		_ = j.Close()
		return nil, err
	}
	if only != nil {
		return s, nil
	}
	if err := s.start(ctx, fresh); err != nil {
		delete(e.open, id)
		_ = j.Close()
		return nil, err
	}
	return s, nil
}

// assemble makes a session around a journal and folds what the journal holds.
func (e *Engine) assemble(ctx context.Context, id SessionID, j Journal, only error) (*Session, error) {
	cfg := e.cfg
	s := &Session{id: id, cfg: &cfg, given: e.cfg, log: newLog(id, j, cfg), redact: NewRedactor(cfg.Key.Reveal()), only: only, ended: make(chan struct{})}
	s.broker = newBroker(s.log, cfg.Clock)
	env := Env{Session: id, Artifacts: j, Attachments: j.Attachments()}
	s.tools = offer(cfg.Tools(env))
	if cfg.Intake != nil {
		s.intake = cfg.Intake(env)
	}
	for ev, err := range j.Replay(ctx, 0) {
		if err != nil {
			return nil, err
		}
		s.log.restore(ev)
	}
	s.opened = s.log.last
	s.log.read(func(f *fold) {
		for _, p := range f.settings {
			s.use(p)
		}
	})
	h := &held{session: s}
	s.spawn = h.runs.Go
	s.closer = func() { h.once.Do(func() { e.close(h) }) }
	e.open[id] = h
	if live(only) {
		h.runs.Go(s.watch)
	}
	return s, nil
}

// start appends what a session begins with, or what reopening it has to tell.
func (s *Session) start(ctx context.Context, fresh bool) error {
	var entries []entry
	if fresh {
		entries = append(entries, entry{payload: SessionStarted{Title: "", Workspace: s.cfg.Workspace, Version: s.cfg.Version}})
	} else {
		entries = append(s.interrupted(), s.sweep(ctx)...)
	}
	entries = append(entries, entry{payload: s.catalog()})
	if s.cfg.Model != nil {
		entries = append(entries, s.chosen(s.cfg.Model.Info())...)
	}
	if _, left := skillIndex(s.cfg.Catalog); left > 0 {
		entries = append(entries, entry{payload: Notice{Code: "CATALOGUE_CUT", Message: "the list of skills is too long for the model; some were left out"}})
	}
	_, err := s.log.append(entries...)
	return err
}

// interrupted ends what the last process left open.
func (s *Session) interrupted() (out []entry) {
	rec := Recovered{TornBytes: s.log.journal.TornBytes()}
	how := ending{
		unstarted: Errorf(Interrupted, "the program ended before this call was started; it did not run"),
		safe:      Errorf(Interrupted, "the program ended while this ran; nothing was changed, and it may be called again"),
		never:     Errorf(OutcomeUnknown, "the program ended while this ran; it is not known whether it took effect: check before repeating"),
	}
	s.log.read(func(f *fold) {
		by := Actor{Screen: "policy", Name: "recovery"}
		out = f.closing(f.run, StopInterrupted, how, by, Instant{s.cfg.Clock.Now()})
		if f.run != "" {
			rec.InterruptedRun = f.run
			out = append(out, entry{f.run, f.runSeq, RunFailed{Code: Interrupted, Retryable: true,
				Message: "the program ended in the middle of this run; nothing was repeated"}})
		}
	})
	p := SessionResumed{}
	if rec != (Recovered{}) {
		p.Recovered = &rec
	}
	return append(out, entry{payload: p})
}

func (s *Session) catalog() CatalogLoaded {
	p := CatalogLoaded{Skills: []Skill{}, Diagnostics: []Diagnostic{}, Tools: []ToolEntry{}}
	p.Skills = append(p.Skills, s.cfg.Catalog.Skills...)
	p.Diagnostics = append(p.Diagnostics, s.cfg.Catalog.Diagnostics...)
	for _, t := range s.tools {
		p.Tools = append(p.Tools, ToolEntry{t.spec.Name, s.cfg.Policy.Judge(t.spec.Name, t.spec, true).Verdict, t.spec.Replay})
	}
	return p
}

// close ends one session: cancel, wait, tell, give up the journal.
func (e *Engine) close(h *held) {
	s := h.session
	_ = s.cancel(cancelled{"sessionClosed", Actor{Screen: "policy", Name: "close"}})
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	close(s.ended)
	h.runs.Wait()
	if s.only == nil {
		_, _ = s.log.append(entry{payload: SessionClosed{Reason: "closed"}})
	}
	_ = s.log.journal.Close()
	s.log.close()
	e.mu.Lock()
	delete(e.open, s.id)
	e.mu.Unlock()
}

// Close closes every session, and waits for all their runs.
func (e *Engine) Close() error {
	e.mu.Lock()
	var all []*Session
	for _, h := range e.open {
		all = append(all, h.session)
	}
	e.mu.Unlock()
	var wg sync.WaitGroup
	for _, s := range all {
		wg.Go(func() { _ = s.Close() })
	}
	wg.Wait()
	return nil
}
