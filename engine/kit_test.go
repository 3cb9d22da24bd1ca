package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"agentstudio/engine"
)

// script is a model whose n-th call (from 0) is answered by the n-th function.
type script struct {
	mu    sync.Mutex
	turns []func(context.Context, engine.Request, func(engine.Chunk) bool) error
	seen  []engine.Request
}

func (s *script) Info() engine.ModelInfo {
	return engine.ModelInfo{Provider: "scripted", API: "scripted", ID: "fake", ContextWindow: 8192}
}

func (s *script) Stream(ctx context.Context, r engine.Request) iter.Seq2[engine.Chunk, error] {
	return func(yield func(engine.Chunk, error) bool) {
		s.mu.Lock()
		n := len(s.seen)
		s.seen = append(s.seen, r)
		s.mu.Unlock()
		if n >= len(s.turns) {
			n = len(s.turns) - 1
		}
		if err := s.turns[n](ctx, r, func(c engine.Chunk) bool { return yield(c, nil) }); err != nil {
			yield(nil, err)
		}
	}
}

func (s *script) requests() []engine.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]engine.Request(nil), s.seen...)
}

type turn = func(context.Context, engine.Request, func(engine.Chunk) bool) error

func say(text string) turn {
	return func(_ context.Context, _ engine.Request, yield func(engine.Chunk) bool) error {
		_ = yield(engine.Text(text)) && yield(engine.Stop{Reason: engine.StopEnd})
		return nil
	}
}

func call(calls ...engine.ToolCall) turn {
	return func(_ context.Context, _ engine.Request, yield func(engine.Chunk) bool) error {
		for _, c := range calls {
			if !yield(c) {
				return nil
			}
		}
		yield(engine.Stop{Reason: engine.StopToolUse})
		return nil
	}
}

func toolCall(id, tool, args string) engine.ToolCall {
	return engine.ToolCall{ID: engine.CallID(id), Tool: tool, Args: json.RawMessage(args)}
}

// fakeTool is a tool made of functions.
type fakeTool struct {
	name   string
	policy engine.Verdict
	replay engine.Replay
	plan   func(json.RawMessage) (engine.Plan, error)
	run    func(context.Context, engine.Call) (engine.Result, error)
	ran    atomic.Int32
}

func (f *fakeTool) Spec() engine.Spec {
	return engine.Spec{Name: f.name, Description: "for tests", Parameters: json.RawMessage(`{"type":"object"}`), Policy: f.policy, Replay: f.replay}
}

func (f *fakeTool) Prepare(_ context.Context, args json.RawMessage) (engine.Plan, error) {
	if f.plan == nil {
		return engine.Plan{Summary: f.name}, nil
	}
	return f.plan(args)
}

func (f *fakeTool) Run(ctx context.Context, c engine.Call) (engine.Result, error) {
	f.ran.Add(1)
	if f.run == nil {
		return engine.Result{Content: "done " + string(c.Args)}, nil
	}
	return f.run(ctx, c)
}

func reader() *fakeTool {
	return &fakeTool{name: "read", policy: engine.Allow, replay: engine.ReplaySafe}
}

func saver() *fakeTool {
	return &fakeTool{name: "save", policy: engine.Ask, replay: engine.ReplayNever}
}

// handClock is a clock that a test moves by hand.
type handClock struct {
	mu     sync.Mutex
	now    time.Time
	timers map[int]*handTimer
	next   int
	armed  chan struct{} // closed and replaced at every AfterFunc
}

type handTimer struct {
	at time.Time
	f  func()
}

func newHandClock() *handClock {
	return &handClock{now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), timers: map[int]*handTimer{}, armed: make(chan struct{})}
}

func (c *handClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}
func (c *handClock) Stamp() time.Time { return c.Now() }
func (c *handClock) Stepped() bool    { return false }

func (c *handClock) AfterFunc(d time.Duration, f func()) func() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	id := c.next
	c.next++
	c.timers[id] = &handTimer{c.now.Add(d), f}
	close(c.armed)
	c.armed = make(chan struct{})
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		_, there := c.timers[id]
		delete(c.timers, id)
		return there
	}
}

// advance moves the time and calls what is due, in order, on the caller's goroutine.
func (c *handClock) advance(d time.Duration) {
	c.mu.Lock()
	until := c.now.Add(d)
	for {
		due, at := -1, until
		for id, t := range c.timers {
			if !t.at.After(at) {
				due, at = id, t.at
			}
		}
		if due < 0 {
			break
		}
		t := c.timers[due]
		delete(c.timers, due)
		c.now = t.at
		c.mu.Unlock()
		t.f()
		c.mu.Lock()
	}
	c.now = until
	c.mu.Unlock()
}

// stepClock is a stepped clock: each event one millisecond later.
type stepClock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *stepClock) Stamp() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(time.Millisecond)
	return c.now
}
func (c *stepClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}
func (c *stepClock) Stepped() bool { return true }
func (c *stepClock) AfterFunc(d time.Duration, f func()) func() bool {
	return time.AfterFunc(d, f).Stop
}

func counter() func(string) string {
	var n atomic.Int64
	return func(prefix string) string { return fmt.Sprintf("%s_%d", prefix, n.Add(1)) }
}

// bench is an open session with what a test needs around it.
type bench struct {
	t      testing.TB
	engine *engine.Engine
	s      *engine.Session
	model  *script
}

var tester = engine.Actor{Screen: "cli", Name: "test"}

func open(t testing.TB, cfg engine.Config, turns ...turn) *bench {
	t.Helper()
	b := &bench{t: t, model: &script{turns: turns}}
	if cfg.Store == nil {
		cfg.Store = &engine.MemStore{}
	}
	if cfg.NewID == nil {
		cfg.NewID = counter()
	}
	if cfg.Model == nil {
		cfg.Model = b.model
	}
	b.engine = engine.New(cfg)
	t.Cleanup(func() { _ = b.engine.Close() })
	s, err := b.engine.Open(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	b.s = s
	return b
}

func with(tools ...engine.Tool) engine.Config {
	return engine.Config{Tools: func(engine.Env) []engine.Tool { return tools }}
}

func (b *bench) send(text string) engine.RunID {
	b.t.Helper()
	r, err := b.s.Do(b.t.Context(), engine.Send{Text: text, By: tester})
	if err != nil {
		b.t.Fatal(err)
	}
	return r.Run
}

// until follows the session until an event satisfies stop, and gives all events so far.
func (b *bench) until(stop func(engine.Event) bool) []engine.Event {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), 90*time.Second)
	defer cancel()
	var all []engine.Event
	for batch, err := range b.s.Follow(ctx, 0) {
		if err != nil {
			b.t.Fatal(err)
		}
		for _, e := range batch {
			all = append(all, e)
			if stop(e) {
				return all
			}
		}
	}
	b.t.Fatalf("what was waited for never came; there were: %v", kindsOf(all))
	return nil
}

func (b *bench) untilKind(kind string) []engine.Event {
	b.t.Helper()
	return b.until(func(e engine.Event) bool { return e.Kind() == kind })
}

func (b *bench) untilEnd(run engine.RunID) []engine.Event {
	b.t.Helper()
	return b.until(func(e engine.Event) bool { return e.Run == run && engine.Terminal(e.Payload) })
}

func kindsOf(events []engine.Event) (k []string) {
	for _, e := range events {
		k = append(k, e.Kind())
	}
	return k
}

func find[P engine.Payload](t testing.TB, events []engine.Event) P {
	t.Helper()
	for _, e := range events {
		if p, ok := e.Payload.(P); ok {
			return p
		}
	}
	var zero P
	t.Fatalf("no %s among %v", engine.KindOf(zero), kindsOf(events))
	return zero
}

func all[P engine.Payload](events []engine.Event) (out []P) {
	for _, e := range events {
		if p, ok := e.Payload.(P); ok {
			out = append(out, p)
		}
	}
	return out
}

func wantCode(t testing.TB, err error, code engine.Code) {
	t.Helper()
	if !errors.Is(err, code) {
		t.Fatalf("got %v, want %s", err, code)
	}
}

// heldJournal is a Journal whose Append and Sync a test can make fail.
type faultStore struct {
	engine.MemStore
	fail func(step string, events []engine.Event) error
}

type faultJournal struct {
	engine.Journal
	fail func(string, []engine.Event) error
}

func (s *faultStore) Create(ctx context.Context, id engine.SessionID) (engine.Journal, error) {
	j, err := s.MemStore.Create(ctx, id)
	return faultJournal{j, s.fail}, err
}

func (j faultJournal) Append(events []engine.Event) error {
	if err := j.fail("append", events); err != nil {
		return err
	}
	return j.Journal.Append(events)
}

func (j faultJournal) Sync() error {
	if err := j.fail("sync", nil); err != nil {
		return err
	}
	return j.Journal.Sync()
}

var errDisk = fmt.Errorf("no space left on device: %w", io.ErrShortWrite)
