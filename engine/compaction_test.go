package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"runtime"
	"strings"
	"testing"

	"agentstudio/engine"
)

// small is a model with a window of 2,000 tokens that answers a request for a summary by itself.
type small struct {
	script
	summary turn
	sums    []engine.Request
}

func (s *small) Info() engine.ModelInfo {
	return engine.ModelInfo{Provider: "scripted", API: "scripted", ID: "small", ContextWindow: 4000}
}

func (s *small) Stream(ctx context.Context, r engine.Request) iter.Seq2[engine.Chunk, error] {
	if r.Purpose != engine.PurposeSummary {
		return s.script.Stream(ctx, r)
	}
	return func(yield func(engine.Chunk, error) bool) {
		s.sums = append(s.sums, r)
		if err := s.summary(ctx, r, func(c engine.Chunk) bool { return yield(c, nil) }); err != nil {
			yield(nil, err)
		}
	}
}

// wordy is a session on a small model whose tool gives long results, after so many runs.
func wordy(t *testing.T, summary turn, runs int, system ...engine.SystemPart) (*bench, *small) {
	t.Helper()
	read := reader()
	read.run = func(_ context.Context, c engine.Call) (engine.Result, error) {
		return engine.Result{Content: fmt.Sprintf("result of %s: %s", c.Args, strings.Repeat("figures ", 300))}, nil
	}
	m := &small{summary: summary}
	n := 0
	m.turns = []turn{func(_ context.Context, r engine.Request, yield func(engine.Chunk) bool) error {
		if last := r.Messages[len(r.Messages)-1]; last.Role == engine.RoleTool {
			_ = yield(engine.Text("done")) && yield(engine.Stop{Reason: engine.StopEnd})
			return nil
		}
		n++
		_ = yield(toolCall(fmt.Sprintf("c%d", n), "read", fmt.Sprintf(`{"path":"skill:s%d/SKILL.md"}`, n))) && yield(engine.Stop{Reason: engine.StopToolUse})
		return nil
	}}
	cfg := with(read)
	cfg.Model, cfg.System = m, system
	b := open(t, cfg)
	for i := range runs {
		b.untilEnd(b.send(fmt.Sprintf("question %d", i+1)))
	}
	return b, m
}

func log(t *testing.T, b *bench) []engine.Event {
	t.Helper()
	for batch, err := range b.s.Follow(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		return batch
	}
	return nil
}

// wellFormed checks that each call is followed by its result, and that no answer is last.
func wellFormed(t *testing.T, r engine.Request) {
	t.Helper()
	open := []engine.CallID{}
	for i, m := range r.Messages {
		switch {
		case m.Role == engine.RoleTool && (len(open) == 0 || open[0] != m.Reply):
			t.Errorf("message %d answers %s, open are %v", i, m.Reply, open)
		case m.Role == engine.RoleTool:
			open = open[1:]
		case len(open) > 0:
			t.Errorf("message %d comes before the results of %v", i, open)
		}
		for _, c := range m.Calls {
			open = append(open, c.ID)
		}
	}
	if last := r.Messages[len(r.Messages)-1]; last.Role == engine.RoleAssistant || len(open) > 0 {
		t.Errorf("it ends with %+v, open are %v", last, open)
	}
}

func TestALongConversationIsSummarised(t *testing.T) {
	b, m := wordy(t, say("the goal; figures (#7)"), 6)
	events := log(t, b)
	done := all[engine.CompactionCompleted](events)
	if len(done) == 0 || len(m.sums) != len(done) {
		t.Fatalf("%d compactions, %d requests for one", len(done), len(m.sums))
	}
	for _, c := range done {
		if c.After >= c.Before || c.FirstKept == 0 || !strings.HasPrefix(c.Summary, "the goal; figures (#7)") {
			t.Errorf("compacted %+v", c)
		}
	}
	for _, r := range m.requests() {
		wellFormed(t, r)
	}
	for _, r := range m.sums {
		if len(r.Tools) != 0 || len(r.Messages) != 1 || !strings.Contains(r.Messages[0].Text, "(#") {
			t.Errorf("asked for a summary with %+v", r)
		}
	}
	for _, r := range append(m.requests(), m.sums...) {
		if r.Session != b.s.ID() || r.Session == "" {
			t.Errorf("a request names the session %q", r.Session)
		}
	}
	last := m.requests()[len(m.requests())-1]
	if !strings.Contains(last.Messages[0].Text, "[Summary by the studio") {
		t.Errorf("the newest request begins with %q", last.Messages[0].Text)
	}
	all := fmt.Sprint(last.Messages)
	for n := 1; n <= 6; n++ { // each skill is there word for word, or named as left out
		if !strings.Contains(all, fmt.Sprintf("skill:s%d/SKILL.md", n)) {
			t.Errorf("skill %d is neither kept nor named", n)
		}
	}
	var started engine.TurnStarted
	for _, e := range events {
		if p, ok := e.Payload.(engine.TurnStarted); ok {
			started = p
		}
	}
	sum := 0
	for _, p := range started.Parts {
		sum += p.Tokens
	}
	if sum != started.ContextTokens {
		t.Errorf("the parts add up to %d, the request is %d", sum, started.ContextTokens)
	}
}

func TestAFailedSummaryFailsNothing(t *testing.T) {
	b, m := wordy(t, failing(engine.ModelBadRequest), 6)
	events := log(t, b)
	if n := len(all[engine.CompactionFailed](events)); n == 0 {
		t.Fatal("no failed compaction is told")
	}
	if n := len(all[engine.RunCompleted](events)); n != 6 || len(all[engine.CompactionCompleted](events)) != 0 {
		t.Errorf("%d runs completed", n)
	}
	for _, r := range m.requests() {
		wellFormed(t, r)
	}
}

// A summary that is longer than what it would stand for is told, paid for and not used.
func TestALongSummaryIsNotUsed(t *testing.T) {
	b, m := wordy(t, say(strings.Repeat("and then ", 3000)), 6)
	events := log(t, b)
	failed := all[engine.CompactionFailed](events)
	if len(failed) == 0 || failed[0].Code != engine.ContextOverflow || len(all[engine.CompactionCompleted](events)) != 0 {
		t.Fatalf("failed: %+v", failed)
	}
	if n := len(all[engine.RunCompleted](events)); n != 6 {
		t.Errorf("%d runs completed", n)
	}
	if len(m.sums) != len(failed) {
		t.Errorf("%d requests for a summary, %d failures", len(m.sums), len(failed))
	}
}

// Where the prompt fills most of the window, fewer messages stay, so that the request fits at all.
func TestABigPromptLeavesLessRoom(t *testing.T) {
	b, _ := wordy(t, say("in short"), 6, engine.SystemPart{Kind: "workspace", Origin: "AGENTS.md", Text: strings.Repeat("rules ", 800)})
	var compacted bool
	for _, e := range log(t, b) {
		switch p := e.Payload.(type) {
		case engine.CompactionCompleted:
			compacted = true
		case engine.TurnStarted:
			if compacted && p.ContextTokens > 3000 { // three quarters of the window
				t.Errorf("a request of %d tokens after a summary", p.ContextTokens)
			}
			compacted = false
		}
	}
	if n := len(all[engine.CompactionCompleted](log(t, b))); n == 0 {
		t.Error("nothing was summarised")
	}
}

func TestARefusalForSizeIsSummarisedOnce(t *testing.T) {
	b, m := wordy(t, say("short"), 2)
	m.turns = []turn{failing(engine.ContextOverflow)}
	before := len(m.requests())
	f := find[engine.RunFailed](t, b.untilEnd(b.send("and now")))
	if n := len(m.requests()) - before; f.Code != engine.ContextOverflow || n != 2 {
		t.Errorf("failed with %s after %d requests", f.Code, n)
	}
	events := log(t, b)
	if c := all[engine.CompactionStarted](events); len(c) == 0 || c[len(c)-1].Reason != "overflow" {
		t.Errorf("compacted %+v", c)
	}
}

// A session that is reopened goes on from the summary, not from what it sums up.
func TestASummarySurvivesReopening(t *testing.T) {
	store := &engine.MemStore{}
	read := reader()
	read.run = func(context.Context, engine.Call) (engine.Result, error) {
		return engine.Result{Content: strings.Repeat("figures ", 300)}, nil
	}
	m := &small{summary: say("in short")}
	n := 0
	m.turns = []turn{func(_ context.Context, r engine.Request, yield func(engine.Chunk) bool) error {
		if r.Messages[len(r.Messages)-1].Role == engine.RoleTool {
			_ = yield(engine.Text("done")) && yield(engine.Stop{Reason: engine.StopEnd})
			return nil
		}
		n++
		_ = yield(engine.ToolCall{ID: engine.CallID(fmt.Sprint("c", n)), Tool: "read", Args: json.RawMessage(`{}`)}) && yield(engine.Stop{Reason: engine.StopToolUse})
		return nil
	}}
	cfg := with(read)
	cfg.Model, cfg.Store = m, store
	b := open(t, cfg)
	for range 6 {
		b.untilEnd(b.send("question"))
	}
	was := m.requests()[len(m.requests())-1].Messages
	if err := b.s.Close(); err != nil {
		t.Fatal(err)
	}
	s, err := b.engine.Open(t.Context(), b.s.ID())
	if err != nil {
		t.Fatal(err)
	}
	b.s = s
	b.untilEnd(b.send("question"))
	now := m.requests()[len(m.requests())-2].Messages
	if now[0].Text != was[0].Text && !strings.Contains(now[0].Text, "[Summary by the studio") {
		t.Errorf("it goes on with %q, was %q", now[0].Text, was[0].Text)
	}
}

func TestSummarisingByHand(t *testing.T) {
	b, m := wordy(t, say("in short"), 2)
	before := len(m.sums)
	if _, err := b.s.Do(t.Context(), engine.Compact{By: tester}); err != nil {
		t.Fatal(err)
	}
	b.until(func(e engine.Event) bool {
		p, ok := e.Payload.(engine.CompactionCompleted)
		return ok && p.Summary != ""
	})
	if c := all[engine.CompactionStarted](log(t, b)); len(m.sums) != before+1 || c[len(c)-1].Reason != "manual" {
		t.Errorf("%d requests for a summary, %+v", len(m.sums)-before, c)
	}
	run := b.sendWhenIdle("and on")
	b.untilEnd(run)
	for _, r := range m.requests() {
		wellFormed(t, r)
	}
}

func TestNothingToSummarise(t *testing.T) {
	b, _ := wordy(t, say("in short"), 0)
	_, err := b.s.Do(t.Context(), engine.Compact{By: tester})
	wantCode(t, err, engine.InvalidCommand)
}

// sendWhenIdle sends as soon as the session takes a message: it is told of a summary a moment
// before it is idle again.
func (b *bench) sendWhenIdle(text string) engine.RunID {
	b.t.Helper()
	for {
		r, err := b.s.Do(b.t.Context(), engine.Send{Text: text, By: tester})
		if err == nil {
			return r.Run
		}
		if engine.CodeOf(err) != engine.SessionBusy {
			b.t.Fatal(err)
		}
		runtime.Gosched()
	}
}
