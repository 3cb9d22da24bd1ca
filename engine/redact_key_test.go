package engine_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"agentstudio/engine"
)

// A model that repeats the key it was asked with does not bring it into the log, however it is cut.
func TestTheModelsKeyNeverReachesTheLog(t *testing.T) {
	const key = "planted key of no known form"
	cfg := engine.Config{Key: engine.NewSecret(key), Models: func(engine.Connection) (engine.Model, error) {
		return &script{turns: []turn{say("your second key is another-planted-key, and " + key)}}, nil
	}}
	b := open(t, cfg, func(_ context.Context, _ engine.Request, yield func(engine.Chunk) bool) error {
		for _, c := range "the key is " + key + ", I think" {
			yield(engine.Text(string(c)))
		}
		yield(engine.Stop{Reason: engine.StopEnd})
		return nil
	})
	b.untilEnd(b.send("what is your key?"))
	if _, err := b.s.Do(t.Context(), engine.Configure{Connection: &engine.Connection{Key: engine.NewSecret("another-planted-key")}, By: tester}); err != nil {
		t.Fatal(err)
	}
	events := b.untilEnd(b.send("and now?"))
	if all := fmt.Sprintf("%+v", events); strings.Contains(all, "planted") {
		t.Errorf("a key is in the log:\n%s", all)
	}
	if n := len(all[engine.ModelConfigured](events)); n != 2 {
		t.Errorf("%d models were configured, want 2", n)
	}
}
