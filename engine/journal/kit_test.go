package journal

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"agentstudio/engine"
)

// roles are what a re-executed test binary does instead of testing.
func roles() map[string]func([]string) int {
	return map[string]func([]string) int{"hold": childHold, "start": childStart, "write": childWrite, "kill": childKill}
}

const roleVariable = "AGENTSTUDIO_JOURNAL_TEST_ROLE"

func TestMain(m *testing.M) {
	if role, ok := roles()[os.Getenv(roleVariable)]; ok {
		os.Exit(role(os.Args[1:]))
	}
	debug.SetGCPercent(800) // tens of thousands of openings
	goleak.VerifyTestMain(m)
}

var tester = engine.Actor{Screen: "cli", Name: "test"}

// stepClock is a stepped clock: each event one millisecond later.
type stepClock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *stepClock {
	return &stepClock{now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
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

// counter makes ids that are the same in every test.
func counter() func(string) string {
	var n atomic.Int64
	return func(prefix string) string { return fmt.Sprintf("%s_%05d", prefix, n.Add(1)) }
}

type turn = func(context.Context, func(engine.Chunk) bool) error

// script is a model whose n-th call is answered by the n-th turn, the last one again and again.
type script struct {
	mu    sync.Mutex
	turns []turn
	seen  []engine.Request
}

func (s *script) Info() engine.ModelInfo {
	return engine.ModelInfo{Provider: "scripted", API: "scripted", ID: "fake", ContextWindow: 8192}
}

func (s *script) Stream(ctx context.Context, r engine.Request) iter.Seq2[engine.Chunk, error] {
	return func(yield func(engine.Chunk, error) bool) {
		s.mu.Lock()
		n := min(len(s.seen), len(s.turns)-1)
		s.seen = append(s.seen, r)
		s.mu.Unlock()
		if err := s.turns[n](ctx, func(c engine.Chunk) bool { return yield(c, nil) }); err != nil {
			yield(nil, err)
		}
	}
}

func (s *script) requests() []engine.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.seen)
}

func spent() engine.Usage {
	in, out := 10, 5
	return engine.Usage{InputTokens: &in, OutputTokens: &out}
}

func say(text string) turn {
	return func(_ context.Context, yield func(engine.Chunk) bool) error {
		_ = yield(engine.Text(text)) && yield(spent()) && yield(engine.Stop{Reason: engine.StopEnd})
		return nil
	}
}

func call(calls ...engine.ToolCall) turn {
	return func(_ context.Context, yield func(engine.Chunk) bool) error {
		for _, c := range calls {
			if !yield(c) {
				return nil
			}
		}
		_ = yield(spent()) && yield(engine.Stop{Reason: engine.StopToolUse})
		return nil
	}
}

func toolCall(id, tool, args string) engine.ToolCall {
	return engine.ToolCall{ID: engine.CallID(id), Tool: tool, Args: json.RawMessage(args)}
}

// fakeTool is a tool made of a function.
type fakeTool struct {
	name   string
	policy engine.Verdict
	replay engine.Replay
	run    func(engine.Call)
}

func (f *fakeTool) Spec() engine.Spec {
	return engine.Spec{Name: f.name, Description: "for tests", Parameters: json.RawMessage(`{"type":"object"}`), Policy: f.policy, Replay: f.replay}
}

func (f *fakeTool) Prepare(context.Context, json.RawMessage) (engine.Plan, error) {
	return engine.Plan{Summary: f.name}, nil
}

func (f *fakeTool) Run(_ context.Context, c engine.Call) (engine.Result, error) {
	if f.run != nil {
		f.run(c)
	}
	return engine.Result{Content: "done " + string(c.Args)}, nil
}

func reader() *fakeTool {
	return &fakeTool{name: "read", policy: engine.Allow, replay: engine.ReplaySafe}
}

func saver(run func(engine.Call)) *fakeTool {
	return &fakeTool{name: "save", policy: engine.Ask, replay: engine.ReplayNever, run: run}
}

// desk is a program with an engine on a store, as long as a test needs one.
type desk struct {
	t     testing.TB
	store *Store
	model *script
	ids   func(string) string
	clock *stepClock
	tools []engine.Tool
	last  *engine.Engine
	made  int
}

func newDesk(t testing.TB, root string, opts Options, tools ...engine.Tool) *desk {
	t.Helper()
	st, err := Open(root, opts)
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{t: t, store: st, model: &script{turns: []turn{say("Hello.")}}, ids: counter(), clock: newClock(), tools: tools}
	t.Cleanup(d.quit)
	return d
}

// open starts the program anew and opens a session, "" for a new one.
func (d *desk) open(id engine.SessionID) (*engine.Session, error) {
	d.quit()
	d.last = engine.New(engine.Config{Store: d.store, Model: d.model, Clock: d.clock, NewID: d.ids, Version: "test", Workspace: "~/work",
		Tools: func(engine.Env) []engine.Tool { return d.tools }})
	return d.last.Open(d.t.Context(), id)
}

func (d *desk) mustOpen(id engine.SessionID) *engine.Session {
	d.t.Helper()
	s, err := d.open(id)
	if err != nil {
		d.t.Fatal(err)
	}
	return s
}

func (d *desk) quit() {
	if d.last != nil {
		_ = d.last.Close()
		d.last = nil
	}
}

// talk sends a message, approves whatever is asked, and gives all events up to the run's end.
func (d *desk) talk(s *engine.Session, text string) []engine.Event {
	d.t.Helper()
	events, err := d.converse(s, text)
	if err != nil {
		d.t.Fatal(err)
	}
	return events
}

func (d *desk) converse(s *engine.Session, text string) ([]engine.Event, error) {
	r, err := s.Do(d.t.Context(), engine.Send{Text: text, By: tester})
	if err != nil {
		return nil, err
	}
	return d.until(s, func(e engine.Event) bool {
		if p, ok := e.Payload.(engine.ApprovalRequired); ok {
			_, _ = s.Do(d.t.Context(), engine.Decide{Approval: p.Approval, Digest: p.Digest, Approve: true, By: tester})
		}
		return e.Run == r.Run && engine.Terminal(e.Payload)
	})
}

// until follows the session until an event satisfies stop, and gives all events so far.
func (d *desk) until(s *engine.Session, stop func(engine.Event) bool) ([]engine.Event, error) {
	ctx, cancel := context.WithTimeout(d.t.Context(), time.Minute)
	defer cancel()
	var all []engine.Event
	for batch, err := range s.Follow(ctx, 0) {
		if err != nil {
			return all, err
		}
		for _, e := range batch {
			if all = append(all, e); stop(e) {
				return all, nil
			}
		}
	}
	return all, fmt.Errorf("what was waited for never came; there were %v", kindsOf(all))
}

// past gives the events that an open session has shown by now.
func (d *desk) past(s *engine.Session) []engine.Event {
	d.t.Helper()
	var out []engine.Event
	for batch, err := range s.Follow(d.t.Context(), 0) {
		if err != nil {
			d.t.Fatal(err)
		}
		out = batch // opening shows no more than memory holds
		break
	}
	return out
}

func kindsOf(events []engine.Event) (k []string) {
	for _, e := range events {
		k = append(k, e.Kind())
	}
	return k
}

func all[P engine.Payload](events []engine.Event) (out []P) {
	for _, e := range events {
		if p, ok := e.Payload.(P); ok {
			out = append(out, p)
		}
	}
	return out
}

// replay gives what a journal holds, holes included.
func replay(t testing.TB, j engine.Journal, after engine.Seq) []engine.Event {
	t.Helper()
	var out []engine.Event
	for e, err := range j.Replay(t.Context(), after) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, e)
	}
	return out
}

func encoded(t testing.TB, e engine.Event) string {
	t.Helper()
	b, err := e.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// quick gives a folder in memory where there is one: thousands of syncs are not what is tested.
func quick(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "journal-*")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// recorded is the journal of a real session.
type recorded struct {
	id     engine.SessionID
	data   []byte
	lines  [][]byte // newlines included
	events []engine.Event
}

// record keeps what the session of a desk has written, and closes it.
func (d *desk) record(id engine.SessionID) recorded {
	d.t.Helper()
	d.quit()
	data, err := os.ReadFile(filepath.Join(d.store.dir, string(id), eventsName))
	if err != nil {
		d.t.Fatal(err)
	}
	r := recorded{id: id, data: data}
	for line := range slices.Values(bytesLines(data)) {
		e, err := engine.DecodeEvent(line)
		if err != nil {
			d.t.Fatal(err)
		}
		r.lines, r.events = append(r.lines, line), append(r.events, e)
	}
	return r
}

func bytesLines(b []byte) (lines [][]byte) {
	for start := 0; start < len(b); {
		end := start
		for end < len(b) && b[end] != '\n' {
			end++
		}
		end = min(end+1, len(b))
		lines = append(lines, b[start:end])
		start = end
	}
	return lines
}

// short is a session of twenty records in less than 16 KiB.
func short(t testing.TB) recorded {
	t.Helper()
	d := newDesk(t, quick(t), Options{}, reader())
	d.model.turns = []turn{call(toolCall("c1", "read", `{"path":"a.txt"}`)), say("It says hello.")}
	s := d.mustOpen("")
	d.talk(s, "What is in a.txt?")
	r := d.record(s.ID())
	if len(r.events) != 20 || len(r.data) > 16<<10 {
		t.Fatalf("the session has %d records and %d bytes: %v", len(r.events), len(r.data), kindsOf(r.events))
	}
	return r
}

func itoa(n int) string { return strconv.Itoa(n) }
