package engine_test

import (
	"context"
	"fmt"
	"math/big"
	"testing"

	"agentstudio/engine"
)

// paid is a model of a provider; what a token costs is its price times 0.001 dollars.
type paid struct {
	script
	provider string
}

func (p *paid) Info() engine.ModelInfo {
	return engine.ModelInfo{Provider: p.provider, API: engine.APIChat, ID: "m-1"}
}

type listed struct{ *paid }

func (listed) Cost(u engine.Usage) (string, bool) {
	if u.InputTokens == nil || u.OutputTokens == nil {
		return "", false
	}
	return big.NewRat(int64(*u.InputTokens+*u.OutputTokens), 1000).FloatString(3), true
}

func using(in, out int, usd *string) turn {
	return func(_ context.Context, _ engine.Request, yield func(engine.Chunk) bool) error {
		_ = yield(toolCall("", "read", `{}`)) && yield(engine.Usage{InputTokens: &in, OutputTokens: &out, CostUSD: usd}) && yield(engine.Stop{Reason: engine.StopToolUse})
		return nil
	}
}

func openPaid(t *testing.T, b engine.Budget, turns ...turn) *bench {
	cfg := with(reader())
	cfg.Budget = b
	cfg.Model = listed{&paid{script{turns: turns}, engine.ProviderOther}}
	return open(t, cfg)
}

func costs(events []engine.Event) (all []string) {
	for _, e := range events {
		if p, ok := e.Payload.(engine.TurnCompleted); ok && p.Usage.CostUSD != nil {
			all = append(all, *p.Usage.CostUSD)
		}
	}
	return all
}

func TestEachCallHasItsCost(t *testing.T) {
	own := "0.5"
	b := openPaid(t, engine.Budget{}, using(100, 20, nil), using(1, 1, &own), say("done"))
	events := b.untilEnd(b.send("go"))
	if got := costs(events); len(got) != 3 || got[0] != "0.120" || got[1] != own {
		t.Errorf("the turns cost %v; a cost that the provider tells goes first", got)
	}
	// The last call told no tokens: its cost comes from the estimate.
	last := all[engine.TurnCompleted](events)[2].Usage
	if want := big.NewRat(int64(*last.InputTokens+*last.OutputTokens), 1000).FloatString(3); !last.Estimated || *last.CostUSD != want {
		t.Errorf("the estimated call has %+v", last)
	}
	sum := new(big.Rat)
	for _, c := range costs(events) {
		r, _ := new(big.Rat).SetString(c)
		sum.Add(sum, r)
	}
	if total := *find[engine.RunCompleted](t, events).Usage.CostUSD; total != sum.FloatString(6) {
		t.Errorf("the run cost %s, its calls %s", total, sum.FloatString(6))
	}
}

func TestACallOfUnknownPriceHasNoCost(t *testing.T) {
	cfg := with(reader())
	cfg.Model = &paid{script{turns: []turn{using(100, 20, nil), say("done")}}, engine.ProviderOther}
	b := open(t, cfg)
	events := b.untilEnd(b.send("go"))
	if got := costs(events); got != nil || find[engine.RunCompleted](t, events).Usage.CostUSD != nil {
		t.Errorf("it cost %v", got)
	}
}

func TestTheCostBudgetEndsTheRun(t *testing.T) {
	b := openPaid(t, engine.Budget{MaxCostUSD: "0.25"}, using(90, 10, nil))
	events := b.untilEnd(b.send("go"))
	f := find[engine.RunFailed](t, events)
	if f.Code != engine.BudgetExceeded || f.Details["which"] != "cost" || fmt.Sprint(f.Details["used"]) != "0.3000" || f.Details["limit"] != "0.25" {
		t.Errorf("failed with %+v", f)
	}
	if w := all[engine.BudgetWarned](events); len(w) != 1 || w[0].Which != "cost" || w[0].Used != "0.2000" {
		t.Errorf("warned %+v", w)
	}
}

// A limit that nobody could watch over is refused before anything is sent or written.
func TestACostBudgetNeedsAPrice(t *testing.T) {
	cfg := with(reader())
	cfg.Budget.MaxCostUSD = "0.25"
	m := &paid{script{turns: []turn{say("done")}}, engine.ProviderOther}
	cfg.Model = m
	b := open(t, cfg)
	_, err := b.s.Do(t.Context(), engine.Send{Text: "go", By: tester})
	wantCode(t, err, engine.BudgetNeedsPrice)
	if b.s.Busy() || len(m.requests()) != 0 {
		t.Error("something was begun")
	}
	for _, e := range log(t, b) {
		if e.Kind() == "user.message" || e.Kind() == "run.started" {
			t.Errorf("the log has %s", e.Kind())
		}
	}
	m.provider = engine.ProviderScripted // which costs nothing
	b.untilEnd(b.send("go"))
}
