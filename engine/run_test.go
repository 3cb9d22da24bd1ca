package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"agentstudio/engine"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// order is type and cause of each event, as in "tool.started<9".
func order(events []engine.Event) (out []string) {
	for _, e := range events {
		s := e.Kind()
		if e.Cause != 0 {
			s += "<" + kindAt(events, e.Cause)
		}
		out = append(out, s)
	}
	return out
}

func kindAt(events []engine.Event, seq engine.Seq) string {
	for _, e := range events {
		if e.Seq == seq {
			return e.Kind()
		}
	}
	return "?"
}

func TestARunWithAnApprovalHasTheContractsOrderAndCauses(t *testing.T) {
	save := saver()
	save.run = func(context.Context, engine.Call) (engine.Result, error) {
		return engine.Result{Content: "saved", Artifacts: []engine.Artifact{{Name: "report.md"}}}, nil
	}
	b := open(t, with(reader(), save), call(toolCall("c1", "save", `{"body":"x"}`)), say("all done"))
	run := b.send("please")
	asked := find[engine.ApprovalRequired](t, b.untilKind("approval.required"))
	if _, err := b.s.Do(t.Context(), engine.Decide{Approval: asked.Approval, Digest: asked.Digest, Approve: true, By: tester}); err != nil {
		t.Fatal(err)
	}
	events := b.untilEnd(run)
	want := []string{
		"session.started", "catalog.loaded", "model.configured",
		"user.message", "run.started<user.message", "prompt.changed<run.started",
		"turn.started<run.started", "assistant.started<turn.started", "assistant.completed<turn.started",
		"tool.requested<assistant.completed", "notice<turn.started", "turn.completed<turn.started",
		"approval.required<tool.requested", "approval.resolved<approval.required",
		"tool.started<tool.requested", "artifact.ready<tool.requested", "tool.completed<tool.requested",
		"turn.started<run.started", "assistant.started<turn.started", "assistant.delta<turn.started",
		"assistant.completed<turn.started", "turn.completed<turn.started", "run.completed<run.started",
	}
	// The notice that the fake's usage is unknown comes after its turn.
	want = slices.Delete(want, 10, 11)
	want = slices.Insert(want, 11, "notice<turn.started")
	if got := order(events); !slices.Equal(got, want) {
		t.Fatalf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for i, e := range events {
		if e.Seq != engine.Seq(i+1) {
			t.Fatalf("event %d has sequence %d", i+1, e.Seq)
		}
	}
	if n := save.ran.Load(); n != 1 {
		t.Fatalf("the tool ran %d times", n)
	}
}

func TestADeniedCallIsToldToTheModelAndTheRunCompletes(t *testing.T) {
	save := saver()
	b := open(t, with(save), call(toolCall("c1", "save", `{}`)), say("understood"))
	run := b.send("please")
	asked := find[engine.ApprovalRequired](t, b.untilKind("approval.required"))
	if _, err := b.s.Do(t.Context(), engine.Decide{Approval: asked.Approval, Digest: asked.Digest, Reason: "not today", By: tester}); err != nil {
		t.Fatal(err)
	}
	events := b.untilEnd(run)
	if d := find[engine.ToolDenied](t, events); d.Code != engine.ApprovalDenied || !strings.Contains(d.Message, "not today") {
		t.Fatalf("denied with %+v", d)
	}
	find[engine.RunCompleted](t, events)
	if save.ran.Load() != 0 {
		t.Fatal("a denied tool ran")
	}
	last := b.model.requests()[1].Messages
	if m := last[len(last)-1]; m.Role != engine.RoleTool || !m.Failed || !strings.Contains(m.Text, "not today") {
		t.Fatalf("the model was told %+v", m)
	}
}

func TestUnattendedApprovalExpires(t *testing.T) {
	clock := newHandClock()
	save := saver()
	cfg := with(save)
	cfg.Clock, cfg.ApprovalExpiry = clock, 10*time.Second
	b := open(t, cfg, call(toolCall("c1", "save", `{}`)), say("nobody came"))
	run := b.send("please")
	b.untilKind("approval.required")
	clock.advance(10 * time.Second)
	events := b.untilEnd(run)
	if r := find[engine.ApprovalResolved](t, events); r.Status != engine.Expired || r.WaitedMS != 10_000 {
		t.Fatalf("resolved as %+v", r)
	}
	if d := find[engine.ToolDenied](t, events); d.Code != engine.ApprovalExpired {
		t.Fatalf("denied with %s", d.Code)
	}
	if save.ran.Load() != 0 {
		t.Fatal("an expired call ran")
	}
}

func TestBadCallsAreDeniedAndTheRunGoesOn(t *testing.T) {
	deep := `{"a":` + strings.Repeat("[", 80) + strings.Repeat("]", 80) + `}`
	for name, tc := range map[string]struct {
		tool, args string
		code       engine.Code
		raw        bool
	}{
		"unknown tool":     {"shell", `{}`, engine.ToolUnknown, false},
		"not an object":    {"read", `[1]`, engine.InvalidArguments, true},
		"two objects":      {"read", `{}{}`, engine.InvalidArguments, true},
		"cut":              {"read", `{"path":"a`, engine.InvalidArguments, true},
		"twice the key":    {"read", `{"a":1,"a":2}`, engine.InvalidArguments, true},
		"too deep":         {"read", deep, engine.InvalidArguments, true},
		"too large":        {"read", `{"a":"` + strings.Repeat("x", 65<<10) + `"}`, engine.ArgumentsTooLarge, true},
		"beyond 2^53":      {"read", `{"a":9007199254740993}`, engine.InvalidArguments, true},
		"key under ask":    {"save", `{"body":"sk-abcdefghijklmnopqrstuv"}`, engine.SecretInArguments, false},
		"secret under ask": {"save", `{"password":"x"}`, engine.SecretInArguments, false},
	} {
		t.Run(name, func(t *testing.T) {
			read, save := reader(), saver()
			b := open(t, with(read, save), call(toolCall("c1", tc.tool, tc.args)), say("ok"))
			events := b.untilEnd(b.send("go"))
			if d := find[engine.ToolDenied](t, events); d.Code != tc.code || d.Message == "" {
				t.Fatalf("denied with %+v, want %s", d, tc.code)
			}
			q := find[engine.ToolRequested](t, events)
			if (q.RawArguments != "") != tc.raw || (len(q.Arguments) > 0) == tc.raw {
				t.Fatalf("requested as %+v", q)
			}
			find[engine.RunCompleted](t, events)
			if read.ran.Load()+save.ran.Load() != 0 {
				t.Fatal("a denied call ran")
			}
		})
	}
}

func TestEmptyArgumentsAreAnEmptyObject(t *testing.T) {
	read := reader()
	b := open(t, with(read), call(toolCall("c1", "read", " ")), say("ok"))
	events := b.untilEnd(b.send("go"))
	if c := find[engine.ToolCompleted](t, events); c.Content != "done {}" {
		t.Fatalf("ran with %q", c.Content)
	}
}

func TestACutAnswerRunsNothing(t *testing.T) {
	read := reader()
	cut := func(_ context.Context, _ engine.Request, yield func(engine.Chunk) bool) error {
		_ = yield(engine.Text("half an ans")) && yield(toolCall("c1", "read", `{}`))
		return nil // no Stop: the connection ended
	}
	b := open(t, with(read), cut)
	events := b.untilEnd(b.send("go"))
	if f := find[engine.RunFailed](t, events); f.Code != engine.ModelStreamCut || !f.Retryable {
		t.Fatalf("failed with %+v", f)
	}
	if c := find[engine.AssistantCompleted](t, events); !c.Interrupted || c.StopReason != engine.StopInterrupted || c.ToolCalls != 0 {
		t.Fatalf("completed as %+v", c)
	}
	if c := find[engine.TurnCompleted](t, events); c.StopReason != engine.StopInterrupted {
		t.Fatalf("turn completed as %+v", c)
	}
	if read.ran.Load() != 0 || len(all[engine.ToolRequested](events)) != 0 {
		t.Fatal("a call of a cut answer was taken up")
	}
}

func TestACallCutByTheOutputLimitIsNotRun(t *testing.T) {
	read := reader()
	long := func(_ context.Context, _ engine.Request, yield func(engine.Chunk) bool) error {
		_ = yield(toolCall("c1", "read", `{"path":"a"}`)) && yield(engine.Stop{Reason: engine.StopLength})
		return nil
	}
	b := open(t, with(read), long, say("ok"))
	events := b.untilEnd(b.send("go"))
	if d := find[engine.ToolDenied](t, events); d.Code != engine.CallCutOff {
		t.Fatalf("denied with %s", d.Code)
	}
	if read.ran.Load() != 0 {
		t.Fatal("a cut call ran")
	}
}

func TestBudgets(t *testing.T) {
	again := call(toolCall("", "read", `{}`))
	n := func(i int) *int { return &i }
	costly := func(_ context.Context, _ engine.Request, yield func(engine.Chunk) bool) error {
		_ = yield(toolCall("", "read", `{}`)) && yield(engine.Usage{InputTokens: n(900), OutputTokens: n(200)}) && yield(engine.Stop{Reason: engine.StopToolUse})
		return nil
	}
	t.Run("turns", func(t *testing.T) {
		cfg := with(reader())
		cfg.Budget = engine.Budget{MaxTurns: 5}
		b := open(t, cfg, again)
		events := b.untilEnd(b.send("go"))
		f := find[engine.RunFailed](t, events)
		if f.Code != engine.BudgetExceeded || f.Details["which"] != "turns" {
			t.Fatalf("failed with %+v", f)
		}
		if got := len(all[engine.TurnStarted](events)); got != 5 {
			t.Fatalf("%d model calls under a budget of 5", got)
		}
		if w := all[engine.BudgetWarned](events); len(w) != 1 || w[0].Which != "turns" || w[0].Used != "4" {
			t.Fatalf("warned %+v", w)
		}
	})
	t.Run("tokens", func(t *testing.T) {
		cfg := with(reader())
		cfg.Budget = engine.Budget{MaxTokens: 2000}
		b := open(t, cfg, costly)
		events := b.untilEnd(b.send("go"))
		if f := find[engine.RunFailed](t, events); f.Code != engine.BudgetExceeded || f.Details["which"] != "tokens" {
			t.Fatalf("failed with %+v", f)
		}
		if got := len(all[engine.TurnStarted](events)); got != 2 {
			t.Fatalf("%d model calls", got)
		}
		for _, q := range all[engine.ToolRequested](events)[1:] {
			if d := find[engine.ToolDenied](t, events); d.Call != q.Call {
				t.Fatalf("the call of the overrunning turn ended as %+v", d)
			}
		}
	})
	t.Run("deadline stands still while a person is waited for", func(t *testing.T) {
		clock := newHandClock()
		save := saver()
		hang := func(ctx context.Context, _ engine.Request, _ func(engine.Chunk) bool) error {
			<-ctx.Done()
			return ctx.Err()
		}
		cfg := with(save)
		cfg.Clock, cfg.Budget = clock, engine.Budget{DeadlineS: 60}
		cfg.ApprovalExpiry = 50 * time.Minute
		b := open(t, cfg, call(toolCall("c1", "save", `{}`)), hang)
		run := b.send("go")
		asked := find[engine.ApprovalRequired](t, b.untilKind("approval.required"))
		clock.advance(40 * time.Minute)
		if _, err := b.s.Do(t.Context(), engine.Decide{Approval: asked.Approval, Digest: asked.Digest, Approve: true, By: tester}); err != nil {
			t.Fatal(err)
		}
		b.until(func(e engine.Event) bool { p, ok := e.Payload.(engine.TurnStarted); return ok && p.Turn == 2 })
		clock.advance(61 * time.Second)
		f := find[engine.RunFailed](t, b.untilEnd(run))
		if f.Code != engine.BudgetExceeded || f.Details["which"] != "deadline" {
			t.Fatalf("failed with %+v", f)
		}
	})
}

func TestNoProgressEndsTheRun(t *testing.T) {
	b := open(t, with(reader()), call(toolCall("", "shell", `{}`)))
	events := b.untilEnd(b.send("go"))
	if f := find[engine.RunFailed](t, events); f.Code != engine.NoProgress {
		t.Fatalf("failed with %+v", f)
	}
	if got := len(all[engine.TurnStarted](events)); got != 3 {
		t.Fatalf("%d turns, want 3", got)
	}
}

func TestCancel(t *testing.T) {
	inTool := make(chan struct{})
	slow := reader()
	slow.run = func(ctx context.Context, _ engine.Call) (engine.Result, error) {
		close(inTool)
		<-ctx.Done()
		return engine.Result{}, ctx.Err()
	}
	save := saver()
	b := open(t, with(slow, save), call(toolCall("c1", "read", `{}`), toolCall("c2", "save", `{}`)))
	run := b.send("go")
	<-inTool
	if _, err := b.s.Do(t.Context(), engine.Cancel{By: tester}); err != nil {
		t.Fatal(err)
	}
	events := b.untilEnd(run)
	if f := find[engine.ToolFailed](t, events); f.Call != "c1" || f.Code != engine.RunCancelled {
		t.Fatalf("the started call ended as %+v", f)
	}
	if d := find[engine.ToolDenied](t, events); d.Call != "c2" || d.Code != engine.RunCancelled {
		t.Fatalf("the call not started ended as %+v", d)
	}
	if c := find[engine.RunCancelledEvent](t, events); c.Reason != "user" || c.By != tester {
		t.Fatalf("cancelled as %+v", c)
	}
	b.model.turns = []turn{say("again")}
	find[engine.RunCompleted](t, b.untilEnd(b.send("once more")))
	_, err := b.s.Do(t.Context(), engine.Cancel{By: tester})
	wantCode(t, err, engine.NothingRunning)
}

func TestCancelWhileAnApprovalIsOpen(t *testing.T) {
	save := saver()
	b := open(t, with(save), call(toolCall("c1", "save", `{}`)))
	run := b.send("go")
	asked := find[engine.ApprovalRequired](t, b.untilKind("approval.required"))
	if _, err := b.s.Do(t.Context(), engine.Cancel{By: tester}); err != nil {
		t.Fatal(err)
	}
	events := b.untilEnd(run)
	if r := find[engine.ApprovalResolved](t, events); r.Status != engine.Cancelled || r.By != tester {
		t.Fatalf("resolved as %+v", r)
	}
	if d := find[engine.ToolDenied](t, events); d.Code != engine.RunCancelled {
		t.Fatalf("denied with %s", d.Code)
	}
	_, err := b.s.Do(t.Context(), engine.Decide{Approval: asked.Approval, Digest: asked.Digest, Approve: true, By: tester})
	wantCode(t, err, engine.ApprovalCancelled)
}

func TestAToolThatIgnoresItsContextIsAbandoned(t *testing.T) {
	clock := newHandClock()
	release, inTool := make(chan struct{}), make(chan struct{})
	deaf := reader()
	deaf.run = func(context.Context, engine.Call) (engine.Result, error) {
		close(inTool)
		<-release
		return engine.Result{Content: "too late"}, nil
	}
	cfg := with(deaf)
	cfg.Clock = clock
	b := open(t, cfg, call(toolCall("c1", "read", `{}`)))
	run := b.send("go")
	<-inTool
	armed := clock.armed
	if _, err := b.s.Do(t.Context(), engine.Cancel{By: tester}); err != nil {
		t.Fatal(err)
	}
	<-armed
	clock.advance(2 * time.Second)
	events := b.untilEnd(run)
	close(release)
	if f := find[engine.ToolFailed](t, events); f.Code != engine.ToolAbandoned {
		t.Fatalf("failed with %+v", f)
	}
	if got := len(all[engine.ToolCompleted](events)); got != 0 {
		t.Fatal("a late result was taken")
	}
}

func TestAPanicOfAToolEndsTheRunWithoutTellingItsText(t *testing.T) {
	var where string
	bad := reader()
	bad.run = func(context.Context, engine.Call) (engine.Result, error) { panic("secret inner state") }
	cfg := with(bad)
	cfg.Fault = func(w string, p any, stack []byte) { where = w }
	b := open(t, cfg, call(toolCall("c1", "read", `{}`)))
	events := b.untilEnd(b.send("go"))
	if f := find[engine.ToolFailed](t, events); f.Code != engine.Internal {
		t.Fatalf("failed with %+v", f)
	}
	if f := find[engine.RunFailed](t, events); f.Code != engine.Internal {
		t.Fatalf("run failed with %+v", f)
	}
	log, _ := json.Marshal(events)
	if strings.Contains(string(log), "secret inner") || where != "read" {
		t.Fatalf("the panic's text is in the log, or the fault sink was told %q", where)
	}
}

func TestReadOnlyCallsRunTogetherAndAnswerInOrder(t *testing.T) {
	started := make(chan string, 4)
	release := make(chan struct{})
	read := reader()
	read.run = func(_ context.Context, c engine.Call) (engine.Result, error) {
		started <- string(c.ID)
		<-release
		return engine.Result{Content: string(c.ID)}, nil
	}
	b := open(t, with(read), call(toolCall("c1", "read", `{}`), toolCall("c2", "read", `{}`), toolCall("c3", "read", `{}`)), say("ok"))
	run := b.send("go")
	for range 3 {
		<-started // all three are inside at once, or this never returns
	}
	close(release)
	b.untilEnd(run)
	var replies []string
	for _, m := range b.model.requests()[1].Messages {
		if m.Role == engine.RoleTool {
			replies = append(replies, m.Text)
		}
	}
	if !slices.Equal(replies, []string{"c1", "c2", "c3"}) {
		t.Fatalf("results in the order %v", replies)
	}
}

func TestTheSameActIsNotDoneTwice(t *testing.T) {
	save := saver()
	b := open(t, with(save), call(toolCall("c1", "save", `{"b":1,"a":2}`)), call(toolCall("c2", "save", ` {"a": 2, "b": 1.0}`)), say("ok"))
	run := b.send("go")
	asked := find[engine.ApprovalRequired](t, b.untilKind("approval.required"))
	if _, err := b.s.Do(t.Context(), engine.Decide{Approval: asked.Approval, Digest: asked.Digest, Approve: true, By: tester}); err != nil {
		t.Fatal(err)
	}
	events := b.untilEnd(run)
	done := all[engine.ToolCompleted](events)
	if len(done) != 2 || done[0].Repeats != 0 || done[1].Repeats == 0 || save.ran.Load() != 1 {
		t.Fatalf("ran %d times, completed as %+v", save.ran.Load(), done)
	}
	if kindAt(events, done[1].Repeats) != "tool.completed" || !strings.Contains(done[1].Content, done[0].Content) {
		t.Fatalf("the repeat says %q of %d", done[1].Content, done[1].Repeats)
	}
}

func TestWhatChangedSinceApprovalIsRefused(t *testing.T) {
	state := "before"
	save := saver()
	save.plan = func(json.RawMessage) (engine.Plan, error) {
		return engine.Plan{Summary: "save", Facts: map[string]string{"old": state}}, nil
	}
	b := open(t, with(save), call(toolCall("c1", "save", `{}`)), say("ok"))
	run := b.send("go")
	asked := find[engine.ApprovalRequired](t, b.untilKind("approval.required"))
	state = "after"
	if _, err := b.s.Do(t.Context(), engine.Decide{Approval: asked.Approval, Digest: asked.Digest, Approve: true, By: tester}); err != nil {
		t.Fatal(err)
	}
	if d := find[engine.ToolDenied](t, b.untilEnd(run)); d.Code != engine.ChangedSinceApproval {
		t.Fatalf("denied with %+v", d)
	}
	if save.ran.Load() != 0 {
		t.Fatal("it ran all the same")
	}
}

func TestDeltasAreGatheredAndNothingIsLost(t *testing.T) {
	text := strings.Repeat("请确认 ", 300)
	drip := func(_ context.Context, _ engine.Request, yield func(engine.Chunk) bool) error {
		for i := 0; i < len(text); i++ { // byte by byte: runes arrive in pieces
			if !yield(engine.Text(text[i : i+1])) {
				return nil
			}
		}
		yield(engine.Stop{Reason: engine.StopEnd})
		return nil
	}
	cfg := engine.Config{Clock: &stepClock{now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}}
	b := open(t, cfg, drip)
	events := b.untilEnd(b.send("go"))
	var joined strings.Builder
	deltas := all[engine.AssistantDelta](events)
	for _, d := range deltas {
		if strings.ContainsRune(d.Delta, '\uFFFD') {
			t.Fatalf("a rune was cut in %q", d.Delta)
		}
		joined.WriteString(d.Delta)
	}
	if joined.String() != text {
		t.Fatal("the deltas do not join to the text")
	}
	if most := len(text)/64 + 2; len(deltas) > most {
		t.Fatalf("%d deltas for %d bytes", len(deltas), len(text))
	}
}

func TestSilenceDoesNotHoldBackText(t *testing.T) {
	clock := newHandClock()
	goOn := make(chan struct{})
	pause := func(ctx context.Context, _ engine.Request, yield func(engine.Chunk) bool) error {
		_ = yield(engine.Text("first ")) && yield(engine.Text("second "))
		select {
		case <-goOn:
		case <-ctx.Done():
		}
		yield(engine.Stop{Reason: engine.StopEnd})
		return nil
	}
	cfg := engine.Config{Clock: clock}
	b := open(t, cfg, pause)
	armed := clock.armed
	run := b.send("go")
	<-armed // the deadline
	b.until(func(e engine.Event) bool {
		d, ok := e.Payload.(engine.AssistantDelta)
		return ok && d.Delta == "first "
	})
	waitFor(t, func() bool {
		clock.advance(20 * time.Millisecond)
		return hasDelta(b, "second ")
	})
	close(goOn)
	b.untilEnd(run)
}

func hasDelta(b *bench, text string) bool {
	ctx, cancel := context.WithCancel(b.t.Context())
	defer cancel()
	for batch := range b.s.Follow(ctx, 0) {
		return slices.ContainsFunc(batch, func(e engine.Event) bool {
			d, ok := e.Payload.(engine.AssistantDelta)
			return ok && d.Delta == text
		})
	}
	return false
}

// waitFor calls ok until it is true.
func waitFor(t *testing.T, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !ok(); {
		if time.Now().After(end) {
			t.Fatal("never came true")
		}
	}
}

func TestCommandsThatAreRefused(t *testing.T) {
	hang := func(ctx context.Context, _ engine.Request, _ func(engine.Chunk) bool) error {
		<-ctx.Done()
		return ctx.Err()
	}
	b := open(t, engine.Config{}, hang)
	do := func(c engine.Command) error { _, err := b.s.Do(t.Context(), c); return err }
	wantCode(t, do(engine.Send{Text: " \n", By: tester}), engine.EmptyMessage)
	wantCode(t, do(engine.Send{Text: strings.Repeat("x", 300<<10), By: tester}), engine.MessageTooLarge)
	wantCode(t, do(engine.Decide{Approval: "apr_9", By: tester}), engine.ApprovalNotFound)
	wantCode(t, do(engine.Rename{Title: "\x1b\n", By: tester}), engine.InvalidCommand)
	run := b.send("go")
	wantCode(t, do(engine.Send{Text: "and now?", By: tester}), engine.SessionBusy)
	if err := do(engine.Cancel{By: tester}); err != nil {
		t.Fatal(err)
	}
	b.untilEnd(run)
	_ = b.s.Close()
	wantCode(t, do(engine.Send{Text: "closed?", By: tester}), engine.SessionClosedCode)
}

func TestTheStoresRefusalEndsTheRunAndTheSession(t *testing.T) {
	for _, step := range []string{"append", "sync"} {
		t.Run(step, func(t *testing.T) {
			failing := false
			save := reader()
			save.run = func(context.Context, engine.Call) (engine.Result, error) {
				failing = true
				return engine.Result{Content: "x"}, nil
			}
			store := &faultStore{fail: func(at string, _ []engine.Event) error {
				if failing && at == step {
					return errDisk
				}
				return nil
			}}
			cfg := with(save)
			cfg.Store = store
			b := open(t, cfg, call(toolCall("c1", "read", `{}`)), say("never said"))
			run := b.send("go")
			events := b.untilEnd(run)
			if f := find[engine.RunFailed](t, events); f.Code != engine.JournalFailed {
				t.Fatalf("failed with %+v", f)
			}
			if len(all[engine.ToolCompleted](events)) != 0 {
				t.Fatal("an event that was not saved is shown")
			}
			if f := all[engine.ToolFailed](events); len(f) != 1 || f[0].Call != "c1" {
				t.Fatalf("the call ended as %+v", f)
			}
			_, err := b.s.Do(t.Context(), engine.Send{Text: "still there?", By: tester})
			if !errors.Is(err, engine.JournalFailed) {
				t.Fatalf("the session takes commands: %v", err)
			}
			for i, e := range events {
				if e.Seq != engine.Seq(i+1) {
					t.Fatalf("hole before %d", e.Seq)
				}
			}
		})
	}
}
