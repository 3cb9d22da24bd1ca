package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"agentstudio/engine"
	"agentstudio/engine/view"
	"agentstudio/tui"
)

func testOptions(t *testing.T, state string) *options {
	t.Helper()
	return &options{std: stdio{in: os.Stdin, out: io.Discard, err: io.Discard}, scenario: "ads-report", state: state, lang: "en"}
}

func hashed(t *testing.T, s *view.State) string {
	t.Helper()
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// folded follows a session until sequence last, dawdling between batches, and gives the State.
func folded(t *testing.T, s *engine.Session, last engine.Seq, dawdle func()) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	var state view.State
	for batch, err := range s.Follow(ctx, 0) {
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range batch {
			if _, err := state.Apply(e); err != nil {
				t.Fatal(err)
			}
			if state.Seq == last {
				return hashed(t, &state)
			}
		}
		dawdle()
	}
	t.Fatalf("the session ended at %d, before %d", state.Seq, last)
	return ""
}

// Seven views of one session hold the same State at the same sequence, byte for byte: the real
// screen's, a slow follower's, a late follower's, a fresh fold, a snapshot with the tail at every
// cut, the reopened journal's, and the fold of `sessions show --json`.
func TestSevenViewsAreEqual(t *testing.T) {
	dir := t.TempDir()
	o := testOptions(t, dir)
	s, err := o.assemble(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, quit := context.WithCancel(t.Context())
	defer quit()
	// The screen, with its real pump; each applied sequence is reported.
	applied := make(chan engine.Seq, 4096)
	screen := make(chan string, 1)
	go func() {
		keys, _ := io.Pipe()
		m, err := tui.Run(ctx, tui.Options{Session: s.session, Lang: s.lang, Theme: "dark", Applied: func(seq engine.Seq) { applied <- seq }},
			keys, tea.WithOutput(io.Discard), tea.WithWindowSize(120, 40), tea.WithoutSignalHandler())
		if err != nil {
			t.Error(err)
		}
		screen <- hashed(t, m.State())
	}()
	receipt, err := s.session.Do(t.Context(), engine.Send{Text: s.scenario.Prompt("en"), By: engine.Actor{Screen: "cli", Name: "test"}})
	if err != nil {
		t.Fatal(err)
	}
	judge := &approver{verdict: func(engine.ApprovalRequired) (bool, string) { return true, "" }, actor: engine.Actor{Screen: "cli", Name: "test"}}
	log := untilEnd(t, s.session, receipt.Run, judge)
	last := log[len(log)-1].Seq
	for seq := range applied {
		if seq >= last {
			break
		}
	}
	quit()
	want := <-screen
	views := map[string]string{
		"slow follower": folded(t, s.session, last, dawdle),
		"late follower": folded(t, s.session, last, func() {}),
	}
	var fresh view.State
	snapshots := []string{hashed(t, &fresh)}
	for _, e := range log {
		if _, err := fresh.Apply(e); err != nil {
			t.Fatal(err)
		}
		snapshots = append(snapshots, hashed(t, &fresh))
	}
	views["fresh fold"] = hashed(t, &fresh)
	for cut := range snapshots {
		var state view.State
		if err := json.Unmarshal([]byte(snapshots[cut]), &state); err != nil {
			t.Fatal(err)
		}
		for _, e := range log[cut:] {
			if _, err := state.Apply(e); err != nil {
				t.Fatal(err)
			}
		}
		if got := hashed(t, &state); got != want {
			t.Fatalf("a snapshot at %d with its tail differs", cut)
		}
	}
	id := string(s.session.ID())
	s.close()
	views["sessions show"] = shown(t, dir, id, last)
	o.resume = id
	again, err := o.assemble(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer again.close()
	views["reopened journal"] = folded(t, again.session, last, func() {})
	for name, got := range views {
		if got != want {
			t.Errorf("%s differs from the screen\n%s\n%s", name, got, want)
		}
	}
	if !strings.Contains(want, "report.md") {
		t.Error("the State knows no report")
	}
}

// untilEnd follows a run to its end, deciding on the way, and gives every event.
func untilEnd(t *testing.T, s *engine.Session, run engine.RunID, judge *approver) (log []engine.Event) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for batch, err := range s.Follow(ctx, 0) {
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range batch {
			log = append(log, e)
			if p, ok := e.Payload.(engine.ApprovalRequired); ok {
				judge.decide(ctx, s, p)
			}
			if e.Run == run && engine.Terminal(e.Payload) {
				return log
			}
		}
	}
	t.Fatal("the run never ended")
	return nil
}

// shown folds what `sessions show --json` prints.
func shown(t *testing.T, dir, id string, last engine.Seq) string {
	t.Helper()
	var out bytes.Buffer
	if status := run(t.Context(), []string{"sessions", "show", id, "--json", "--state", dir}, stdio{in: strings.NewReader(""), out: &out, err: io.Discard}); status != 0 {
		t.Fatalf("sessions show ended with %d", status)
	}
	var state view.State
	for line := range strings.Lines(out.String()) {
		e, err := engine.DecodeEvent([]byte(line))
		if err != nil {
			t.Fatal(err)
		}
		if e.Seq > last {
			break
		}
		if _, err := state.Apply(e); err != nil {
			t.Fatal(err)
		}
	}
	return hashed(t, &state)
}

// dawdle lets others run for a while.
func dawdle() {
	for range 2000 {
		runtime.Gosched()
	}
}
