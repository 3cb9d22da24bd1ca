package view_test

import (
	"fmt"
	"testing"

	"agentstudio/engine"
	"agentstudio/engine/view"
)

// recording is 100,000 events of many runs with long answers and calls, encoded.
func recording(b *testing.B) (lines [][]byte) {
	seq, runs := 0, 0
	add := func(run string, cause int, p engine.Payload) int {
		seq++
		line, err := at(seq, cause, run, p).AppendJSON(nil)
		if err != nil {
			b.Fatal(err)
		}
		lines = append(lines, line)
		return seq
	}
	add("", 0, engine.SessionStarted{Version: "1"})
	for seq < 100_000 {
		runs++
		run := fmt.Sprintf("run_%d", runs)
		said := add("", 0, engine.UserMessage{Message: engine.MessageID("u" + run), Text: "go on", Delivery: "prompt"})
		started := add(run, said, engine.RunStarted{Run: engine.RunID(run), Budget: engine.DefaultBudget()})
		for turn := range 5 {
			t := add(run, started, engine.TurnStarted{Turn: turn + 1, ContextTokens: 4000, Parts: []engine.ContextPart{{Kind: "messages", Tokens: 4000}}})
			msg := engine.MessageID(fmt.Sprintf("m%s_%d", run, turn))
			add(run, t, engine.AssistantStarted{Message: msg})
			for range 80 {
				add(run, t, engine.AssistantDelta{Message: msg, Delta: "a few words of text, "})
			}
			a := add(run, t, engine.AssistantCompleted{Message: msg, StopReason: engine.StopToolUse, ToolCalls: 1})
			call := engine.CallID(fmt.Sprintf("c%s_%d", run, turn))
			q := add(run, a, engine.ToolRequested{Call: call, Tool: "read", Arguments: []byte(`{"path":"skill:ads-analysis/SKILL.md"}`)})
			add(run, t, engine.TurnCompleted{Turn: turn + 1, StopReason: engine.StopToolUse})
			add(run, q, engine.ToolStarted{Call: call, Tool: "read"})
			add(run, q, engine.ToolCompleted{Call: call, Tool: "read", Content: "the content of a file of some length", DurationMS: 3})
		}
		add(run, started, engine.RunCompleted{Turns: 5})
	}
	return lines[:100_000]
}

// BenchmarkFold folds 100,000 events that are decoded already.
func BenchmarkFold(b *testing.B) {
	events := make([]engine.Event, 0, 100_000)
	for _, l := range recording(b) {
		e, err := engine.DecodeEvent(l)
		if err != nil {
			b.Fatal(err)
		}
		events = append(events, e)
	}
	b.ReportAllocs()
	for b.Loop() {
		var s view.State
		fold(b, &s, events)
	}
}

// BenchmarkFoldFloor decodes the same events and does nothing with them.
func BenchmarkFoldFloor(b *testing.B) {
	lines := recording(b)
	b.ReportAllocs()
	for b.Loop() {
		for _, l := range lines {
			if _, err := engine.DecodeEvent(l); err != nil {
				b.Fatal(err)
			}
		}
	}
}
