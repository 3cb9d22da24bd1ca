package engine_test

import (
	"testing"

	"agentstudio/engine"
)

// After the journal has refused once, no command is taken and nothing new is shown as if it were.
func TestNothingIsTakenAfterTheJournalFailed(t *testing.T) {
	failing := false
	cfg := engine.Config{Store: &faultStore{fail: func(string, []engine.Event) error {
		if failing {
			return errDisk
		}
		return nil
	}}}
	b := open(t, cfg, say("ok"))
	b.untilEnd(b.send("one"))
	failing = true
	_, err := b.s.Do(t.Context(), engine.Rename{Title: "x", By: tester})
	wantCode(t, err, engine.JournalFailed)
	for _, c := range []engine.Command{engine.Send{Text: "two", By: tester}, engine.FollowUp{Text: "two", By: tester}, engine.Rename{Title: "y", By: tester},
		engine.Configure{Budget: &engine.Budget{MaxTurns: 3}, By: tester}} {
		_, err := b.s.Do(t.Context(), c)
		wantCode(t, err, engine.JournalFailed)
	}
	_ = b.s.Close()
	for batch := range b.s.Follow(t.Context(), 0) {
		for _, e := range batch {
			switch p := e.Payload.(type) {
			case engine.UserMessage:
				if p.Text == "two" {
					t.Fatal("a refused message is shown")
				}
			case engine.SessionRenamed, engine.SettingsChanged:
				t.Fatalf("a refused %s is shown", e.Kind())
			}
		}
	}
}
