package engine_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"agentstudio/engine"
)

// keeping runs a message whose first answer is a call with the continuation kept, and then what
// ends it; the second answer is text.
func keeping(t *testing.T, kept string, then ...engine.Chunk) (*bench, []engine.Event) {
	t.Helper()
	b := open(t, with(reader()), func(_ context.Context, _ engine.Request, yield func(engine.Chunk) bool) error {
		for _, c := range append([]engine.Chunk{toolCall("c1", "read", `{}`), engine.Continuation(kept)}, then...) {
			if !yield(c) {
				return nil
			}
		}
		return nil
	}, say("done"))
	return b, b.untilEnd(b.send("please"))
}

func TestAContinuationGoesBackUnchangedAndIsShownToNobody(t *testing.T) {
	const kept = `{"reasoning":"private \u00e9 <thought>","n":[1,2.50]}`
	b, events := keeping(t, kept, engine.Stop{Reason: engine.StopToolUse})
	var again []byte
	for _, msg := range b.model.requests()[1].Messages {
		if msg.Role == engine.RoleAssistant {
			again = msg.Continuation
		}
	}
	if string(again) != kept {
		t.Errorf("went back as %s", again)
	}
	durable := 0
	for _, e := range events {
		whole, err := e.AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(whole, []byte("private")) {
			durable++
			back, err := engine.DecodeEvent(whole)
			if p, ok := back.Payload.(engine.AssistantCompleted); err != nil || !ok || string(p.Continuation) != kept {
				t.Errorf("read back as %+v, %v", back.Payload, err)
			}
		}
		public, err := e.Public().AppendJSON(nil)
		if err != nil || bytes.Contains(public, []byte("private")) || bytes.Contains(public, []byte("ontinuation")) {
			t.Errorf("shown: %s %v", public, err)
		}
	}
	if durable != 1 {
		t.Errorf("in %d events", durable)
	}
}

func TestContinuationsThatAreNotKept(t *testing.T) {
	ends := engine.Stop{Reason: engine.StopToolUse}
	for name, c := range map[string]struct {
		kept string
		then []engine.Chunk
	}{
		"a key":     {`{"reasoning":"it is sk-abcdefghijklmnopqrstuvwx"}`, []engine.Chunk{ends}},
		"no JSON":   {`{"reasoning"`, []engine.Chunk{ends}},
		"too large": {`"` + strings.Repeat("x", 1<<20) + `"`, []engine.Chunk{ends}},
		"cut":       {`{"a":1}`, nil},
	} {
		_, events := keeping(t, c.kept, c.then...)
		n := 0
		for _, p := range all[engine.AssistantCompleted](events) {
			n++
			if p.Continuation != nil {
				t.Errorf("%s: kept %.60s", name, p.Continuation)
			}
		}
		if n == 0 {
			t.Errorf("%s: no answer", name)
		}
	}
}
