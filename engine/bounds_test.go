package engine_test

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"testing"

	"agentstudio/engine"
)

// endless is an answer that never ends by itself.
func endless(piece string, kind func(string) engine.Chunk) turn {
	return func(ctx context.Context, _ engine.Request, yield func(engine.Chunk) bool) error {
		for ctx.Err() == nil && yield(kind(piece)) {
		}
		return ctx.Err()
	}
}

func spoken(s string) engine.Chunk   { return engine.Text(s) }
func thinking(s string) engine.Chunk { return engine.Reasoning(s) }

// An answer that never ends is broken off: by the tokens of the run, else by its size. It is not
// asked for again.
func TestAnEndlessAnswerIsBrokenOff(t *testing.T) {
	for name, c := range map[string]struct {
		answer turn
		budget int
		code   engine.Code
		most   int
	}{
		"tokens":            {endless(strings.Repeat("word ", 400), spoken), 3000, engine.BudgetExceeded, 40_000},
		"tokens, reasoning": {endless(strings.Repeat("word ", 400), thinking), 3000, engine.BudgetExceeded, 0},
		"size":              {endless(strings.Repeat("word ", 50_000), spoken), 100_000_000, engine.ModelProtocol, 9 << 20},
	} {
		t.Run(name, func(t *testing.T) {
			b := open(t, engine.Config{Budget: engine.Budget{MaxTokens: c.budget}}, c.answer)
			events := b.untilEnd(b.send("go"))
			if f := find[engine.RunFailed](t, events); f.Code != c.code {
				t.Errorf("failed with %s: %s", f.Code, f.Message)
			}
			if n := len(b.model.requests()); n != 1 {
				t.Errorf("%d requests", n)
			}
			said := 0
			for _, d := range all[engine.AssistantDelta](events) {
				said += len(d.Delta)
			}
			if said > c.most {
				t.Errorf("%d bytes were kept", said)
			}
		})
	}
}

// A request that alone is beyond the tokens of the run is not sent.
func TestARequestBeyondTheBudgetIsNotSent(t *testing.T) {
	b := open(t, engine.Config{Budget: engine.Budget{MaxTokens: 2000}}, say("ok"))
	f := find[engine.RunFailed](t, b.untilEnd(b.send(strings.Repeat("long ", 4000))))
	if n := len(b.model.requests()); f.Code != engine.BudgetExceeded || n != 0 {
		t.Errorf("%s after %d requests", f.Code, n)
	}
}

// A provider's id of a call that looks like a key is not kept.
func TestACallIDIsNoKey(t *testing.T) {
	const key = "Pl4ntedKeyOfTheServer"
	cfg := with(reader())
	cfg.Key = engine.NewSecret(key)
	b := open(t, cfg, func(_ context.Context, r engine.Request, yield func(engine.Chunk) bool) error {
		if r.Messages[len(r.Messages)-1].Role == engine.RoleTool {
			_ = yield(engine.Text("done")) && yield(engine.Stop{Reason: engine.StopEnd})
			return nil
		}
		_ = yield(toolCall(key, "read", `{}`)) && yield(toolCall("pre"+key, "read", `{}`)) && yield(toolCall("sk-proj-abcdefghijklmnopqrstuvwxyz0123456789", "read", `{}`)) &&
			yield(engine.Stop{Reason: engine.StopToolUse})
		return nil
	})
	b.untilEnd(b.send("go"))
	for _, e := range log(t, b) {
		if text := fmt.Sprintf("%+v", e); strings.Contains(text, key) || strings.Contains(text, "sk-proj") {
			t.Errorf("it is in %T", e.Payload)
		}
	}
	for _, m := range b.model.requests()[1].Messages {
		if text := fmt.Sprintf("%+v", m); strings.Contains(text, key) {
			t.Errorf("it goes back with %+v", m)
		}
	}
}

// Where nobody knows the window, the size of the request that was refused says enough.
func TestAnOverflowOfAnUnknownWindowIsSummarised(t *testing.T) {
	m := &narrow{limit: 10_000}
	cfg := with(reader())
	cfg.Model = m
	b := open(t, cfg)
	for i := range 12 {
		b.untilEnd(b.send(fmt.Sprintf("question %d: %s", i, strings.Repeat("words ", 300))))
	}
	events := log(t, b)
	if n := len(all[engine.RunCompleted](events)); n != 12 {
		t.Errorf("%d of 12 runs completed; failed: %+v", n, all[engine.RunFailed](events))
	}
	if n := len(all[engine.CompactionCompleted](events)); n == 0 {
		t.Error("nothing was summarised")
	}
}

// A summary's request fits into the window too, however many messages there are.
func TestASummaryRequestFits(t *testing.T) {
	m := &narrow{limit: 1 << 30}
	cfg := with(reader())
	cfg.Model = m
	b := open(t, cfg)
	for i := range 150 {
		b.untilEnd(b.send(fmt.Sprintf("question %d: %s", i, strings.Repeat("words ", 60))))
	}
	m.limit, m.window = 12_000, 4000
	b.untilEnd(b.send("and now"))
	if n := len(m.summaries); n != 1 {
		t.Fatalf("%d requests for a summary", n)
	}
	text := m.summaries[0].Messages[0].Text
	if n := engine.EstimateTokens(text); n > 3000 { // three quarters of the window
		t.Errorf("the summary was asked for with %d tokens", n)
	}
	if !strings.Contains(text, "question 0:") || !strings.Contains(text, "messages after it are left out") {
		t.Errorf("it begins with %.200q", text)
	}
}

// narrow is a model that refuses what is over so many bytes.
type narrow struct {
	limit     int
	window    int // tokens, 0 if unknown
	summaries []engine.Request
}

func (n *narrow) Info() engine.ModelInfo {
	return engine.ModelInfo{Provider: "other", API: engine.APIChat, ID: "narrow", ContextWindow: n.window}
}

func (n *narrow) Stream(_ context.Context, r engine.Request) iter.Seq2[engine.Chunk, error] {
	return func(yield func(engine.Chunk, error) bool) {
		size := 0
		for _, m := range r.Messages {
			size += len(m.Text)
		}
		if r.Purpose == engine.PurposeSummary {
			n.summaries = append(n.summaries, r)
		}
		if size > n.limit {
			yield(nil, engine.Errorf(engine.ContextOverflow, "too long"))
			return
		}
		_ = yield(engine.Text("well"), nil) && yield(engine.Stop{Reason: engine.StopEnd}, nil)
	}
}

// A request that the provider makes once more by itself is told of, and begins no answer: a fault
// after it may still be tried again. What failed tries have cost counts.
func TestRepeatedRequestsAndTheirCost(t *testing.T) {
	in, out := 1000, 10
	n := 0
	b := open(t, engine.Config{}, func(_ context.Context, _ engine.Request, yield func(engine.Chunk) bool) error {
		n++
		_ = yield(engine.Repeated("without cache key"))
		if n == 1 {
			_ = yield(engine.Usage{InputTokens: &in, OutputTokens: &out})
			return engine.Errorf(engine.ModelServer, "on purpose")
		}
		_ = yield(engine.Text("ok")) && yield(engine.Usage{InputTokens: &in, OutputTokens: &out}) && yield(engine.Stop{Reason: engine.StopEnd})
		return nil
	})
	events := b.untilEnd(b.send("go"))
	done := find[engine.RunCompleted](t, events)
	if *done.Usage.InputTokens != 2000 || *done.Usage.OutputTokens != 20 {
		t.Errorf("it cost %d and %d tokens", *done.Usage.InputTokens, *done.Usage.OutputTokens)
	}
	told := 0
	for _, p := range all[engine.Notice](events) {
		if p.Code == "REQUEST_REPEATED" && p.Message == "without cache key" {
			told++
		}
	}
	if r := all[engine.ModelRetrying](events); told != 2 || len(r) != 1 || r[0].Attempt != 2 {
		t.Errorf("told %d times, tries %+v", told, r)
	}
}

func TestLabelsHideNothing(t *testing.T) {
	for in, want := range map[string]string{"a\u202egnp.exe\u2066.png": "agnp.exe.png", "x\u200by\ufeff": "xy", "👩\u200d🔧": "👩\u200d🔧", "a\nb\x1b[31m": "a b [31m"} {
		if got := engine.Label(in, 40); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
