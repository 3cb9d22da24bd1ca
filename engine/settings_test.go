package engine_test

import (
	"context"
	"testing"
	"time"

	"agentstudio/engine"
)

func TestSettingsTightenCountAndSurviveReopening(t *testing.T) {
	store := &engine.MemStore{}
	cfg := with(reader(), saver())
	cfg.Store = store
	b := open(t, cfg, call(toolCall("", "read", `{}`)), say("ok"))
	do := func(c engine.Configure) error { _, err := b.s.Do(t.Context(), c); return err }
	wantCode(t, do(engine.Configure{Policy: []engine.Rule{{Tool: "save", Verdict: engine.Allow}}, By: tester}), engine.InvalidCommand)
	wantCode(t, do(engine.Configure{Policy: []engine.Rule{{Tool: "shell", Verdict: engine.Deny}}, By: tester}), engine.ToolUnknown)
	wantCode(t, do(engine.Configure{Budget: &engine.Budget{MaxTurns: -1}, By: tester}), engine.InvalidCommand)
	wantCode(t, do(engine.Configure{Budget: &engine.Budget{MaxCostUSD: "1/0"}, By: tester}), engine.InvalidCommand)
	wantCode(t, do(engine.Configure{ApprovalExpiry: 2 * time.Hour, By: tester}), engine.InvalidCommand)
	if err := do(engine.Configure{Budget: &engine.Budget{MaxTurns: 7}, ApprovalExpiry: 30 * time.Second,
		Policy: []engine.Rule{{Tool: "read", Verdict: engine.Deny, Source: "settings"}}, By: tester}); err != nil {
		t.Fatal(err)
	}
	check := func(b *bench) {
		t.Helper()
		events := b.untilEnd(b.send("go"))
		var started engine.RunStarted
		for _, s := range all[engine.RunStarted](events) {
			started = s
		}
		if started.Budget != (engine.Budget{MaxTurns: 7, MaxTokens: 500_000, DeadlineS: 600}) {
			t.Fatalf("the budget is %+v", started.Budget)
		}
		var q engine.ToolRequested
		for _, r := range all[engine.ToolRequested](events) {
			q = r
		}
		if q.Policy.Verdict != engine.Deny || q.Policy.Source != "settings" {
			t.Fatalf("judged as %+v", q.Policy)
		}
		var tools []engine.ToolEntry
		for _, c := range all[engine.CatalogLoaded](events) {
			tools = c.Tools
		}
		if tools[0].Policy != engine.Deny {
			t.Fatalf("the catalogue says %+v", tools)
		}
	}
	check(b)
	id := b.s.ID()
	_ = b.engine.Close()
	again := &bench{t: t, model: &script{turns: []turn{call(toolCall("", "read", `{}`)), say("ok")}}}
	cfg.NewID, cfg.Model = counter(), again.model
	again.engine = engine.New(cfg)
	defer again.engine.Close()
	s, err := again.engine.Open(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	again.s = s
	check(again)
}

func TestSettingsWaitForTheRunsEnd(t *testing.T) {
	hang := func(ctx context.Context, _ engine.Request, _ func(engine.Chunk) bool) error {
		<-ctx.Done()
		return ctx.Err()
	}
	b := open(t, engine.Config{}, hang)
	b.send("go")
	_, err := b.s.Do(t.Context(), engine.Configure{Budget: &engine.Budget{MaxTurns: 3}, By: tester})
	wantCode(t, err, engine.SessionBusy)
}

// remembering gives an answer with state of its own, as reasoning models do.
func remembering(state string) turn {
	return func(_ context.Context, _ engine.Request, yield func(engine.Chunk) bool) error {
		_ = yield(engine.Text("thought")) && yield(engine.Continuation(state)) && yield(engine.Stop{Reason: engine.StopEnd})
		return nil
	}
}

// named is a model of that name.
type named struct {
	*script
	id string
}

func (n named) Info() engine.ModelInfo {
	return engine.ModelInfo{Provider: "other", API: engine.APIChat, ID: n.id}
}

// Another model is told to be another, with what it isn't sent; the same one again is no news.
func TestAnotherModelLeavesReasoningOut(t *testing.T) {
	first := named{&script{turns: []turn{remembering(`{"signature":"abc"}`)}}, "first"}
	cfg := engine.Config{Model: first}
	cfg.Models = func(c engine.Connection) (engine.Model, error) { return named{first.script, c.Model}, nil }
	b := open(t, cfg)
	b.untilEnd(b.send("go"))
	for i, c := range []struct {
		model   string
		notices int
	}{{"first", 0}, {"second", 1}, {"second", 1}, {"first", 2}} {
		if _, err := b.s.Do(t.Context(), engine.Configure{Connection: &engine.Connection{Model: c.model}, By: tester}); err != nil {
			t.Fatal(err)
		}
		got := all[engine.Notice](log(t, b))
		n := 0
		for _, p := range got {
			if p.Code == "REASONING_LEFT_OUT" {
				n++
			}
		}
		if n != c.notices {
			t.Errorf("step %d to %s: notices %+v, want %d", i, c.model, got, c.notices)
		}
	}
	b.untilEnd(b.send("on"))
	last := first.script.requests()[1]
	if len(last.Messages) != 3 || last.Messages[1].Text != "thought" {
		t.Errorf("the conversation went on with %+v", last.Messages)
	}
}
