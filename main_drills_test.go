package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"agentstudio/engine/scenario"
	"agentstudio/fixtures"
)

// drilled plays a bundled drill by the command, as its file says, and gives what it printed.
func drilled(t *testing.T, name, lang, seed string) []byte {
	t.Helper()
	sc, err := scenario.Load(name, fixtures.Scenarios())
	if err != nil {
		t.Fatal(err)
	}
	d, ok := sc.Drill()
	if !ok {
		t.Fatalf("%s is no drill", name)
	}
	var out, said bytes.Buffer
	args := []string{"run", "--no-save", "--json", "--scenario", name, "--lang", lang, "--approve", map[string]string{"approve": "always", "deny": "never"}[d.Answer],
		"--seed", seed, "--clock", "2026-01-01T00:00:00Z", sc.Prompt(lang)}
	run(t.Context(), args, stdio{in: strings.NewReader(""), out: &out, err: &said})
	last := lines(t, out.Bytes())
	if end := last[len(last)-1]; !slices.ContainsFunc(last, func(l line) bool { return l.Type == d.Ends }) {
		t.Fatalf("%s ends with %s, not %s: %s", name, end.Type, d.Ends, said.String())
	}
	return out.Bytes()
}

// line is what a test looks at of an event.
type line struct {
	Type    string
	Payload map[string]any
}

func lines(t *testing.T, out []byte) (all []line) {
	t.Helper()
	for l := range bytes.Lines(out) {
		var e line
		if err := json.Unmarshal(l, &e); err != nil {
			t.Fatalf("%v: %s", err, l)
		}
		all = append(all, e)
	}
	return all
}

// story is the course of a run: the loop's own events, with what tells one from another.
func story(all []line) (told []string) {
	for _, e := range all {
		s := e.Type
		switch s {
		case "turn.started", "tool.completed", "run.completed":
		case "assistant.completed":
			if e.Payload["interrupted"] == true {
				s += " cut"
			}
		case "model.retrying":
			s += fmt.Sprintf(" %v %v", e.Payload["attempt"], e.Payload["code"])
		case "compaction.started":
			s += fmt.Sprint(" ", e.Payload["reason"])
		case "compaction.completed", "compaction.failed":
		default:
			continue
		}
		told = append(told, s)
	}
	return told
}

func TestDrillsOfTheLoop(t *testing.T) {
	turn := []string{"turn.started", "assistant.completed", "tool.completed"}
	last := []string{"turn.started", "assistant.completed", "run.completed"}
	summary := func(why string) []string { return []string{"compaction.started " + why, "compaction.completed"} }
	for name, want := range map[string][]string{
		"rate-limited":     slices.Concat([]string{"turn.started", "model.retrying 2 MODEL_RATE_LIMITED", "model.retrying 3 MODEL_OVERLOADED"}, turn[1:], last),
		"stream-cut":       slices.Concat([]string{"turn.started", "assistant.completed cut", "model.retrying 2 MODEL_STREAM_CUT"}, turn, last),
		"context-full":     slices.Concat(turn, turn, turn, turn, summary("threshold"), last),
		"context-overflow": slices.Concat(turn, turn, turn, turn, []string{"turn.started"}, summary("overflow"), last),
	} {
		for _, lang := range []string{"en", "zh"} {
			one := drilled(t, name, lang, "1")
			if got := story(lines(t, one)); !slices.Equal(got, want) {
				t.Errorf("%s (%s): %q\nwant %q", name, lang, got, want)
			}
			if !bytes.Equal(one, drilled(t, name, lang, "1")) {
				t.Errorf("%s (%s): two runs with one seed and clock differ", name, lang)
			}
			inLanguage(t, name, lang, lines(t, one))
		}
	}
}

// inLanguage checks that what the model said is in the language of who asked, after a summary too.
func inLanguage(t *testing.T, name, lang string, all []line) {
	t.Helper()
	var said strings.Builder
	for _, e := range all {
		if e.Type == "assistant.delta" {
			fmt.Fprint(&said, e.Payload["delta"])
		}
	}
	chinese := strings.ContainsFunc(said.String(), func(r rune) bool { return r >= 0x4e00 && r < 0xa000 })
	if chinese != (lang == "zh") || strings.Contains(said.String(), "n/a") {
		t.Errorf("%s (%s) says %s", name, lang, said.String())
	}
}

// The waits that a server doesn't ask for vary by the seed alone, and a summary makes the request
// much smaller.
func TestFiguresOfTheDrills(t *testing.T) {
	waits := func(seed string) (all []float64) {
		for _, e := range lines(t, drilled(t, "rate-limited", "en", seed)) {
			if e.Type == "model.retrying" {
				all = append(all, e.Payload["delayMs"].(float64))
			}
		}
		return all
	}
	a, b := waits("1"), waits("2")
	if len(a) != 2 || len(b) != 2 || a[0] != 2000 || b[0] != 2000 || a[1] == b[1] || a[1] < 1500 || a[1] > 2500 {
		t.Errorf("waits %v and %v: the first is asked for, the second made from the seed", a, b)
	}
	for _, name := range []string{"context-full", "context-overflow"} {
		for _, e := range lines(t, drilled(t, name, "en", "1")) {
			if e.Type != "compaction.completed" {
				continue
			}
			before, after := e.Payload["before"].(float64), e.Payload["after"].(float64)
			summary, _ := e.Payload["summary"].(string)
			if after > before*0.6 || !strings.HasPrefix(summary, "Goal: compare three periods") || !strings.Contains(summary, "skill:ads-analysis/SKILL.md, word for word]") {
				t.Errorf("%s: %v → %v tokens, summary %.300s", name, before, after, summary)
			}
		}
	}
}
