package provider

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"agentstudio/engine"
	"agentstudio/engine/journal"
)

// peek is a tool that may always run.
type peek struct{}

func (peek) Spec() engine.Spec {
	return engine.Spec{Name: "ls", Parameters: json.RawMessage(`{"type":"object"}`), Policy: engine.Allow, Replay: engine.ReplaySafe}
}

func (peek) Prepare(context.Context, json.RawMessage) (engine.Plan, error) {
	return engine.Plan{Summary: "ls"}, nil
}

func (peek) Run(context.Context, engine.Call) (engine.Result, error) {
	return engine.Result{Content: "x.txt"}, nil
}

// converse opens a saved session (a new one for ""), sends a message to the model called name, and
// gives the bodies of the requests that came of it. The server answers with each stream in turn.
func converse(t *testing.T, d dialect, state string, id engine.SessionID, name string, streams ...string) (engine.SessionID, []string) {
	t.Helper()
	store, err := journal.Open(state, journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	from := &canned{t: t, dialect: d}
	c := d.connection("https://models.example/v1")
	c.Model = name
	m, err := d.make(c, Options{Client: &http.Client{Transport: trip(func(req *http.Request) (*http.Response, error) {
		stream := streams[min(len(from.seen), len(streams)-1)]
		from.body = func() io.Reader { return strings.NewReader(stream) }
		return from.RoundTrip(req)
	})}})
	if err != nil {
		t.Fatal(err)
	}
	var n atomic.Int64
	e := engine.New(engine.Config{Model: m, Store: store, Tools: func(engine.Env) []engine.Tool { return []engine.Tool{peek{}} },
		NewID: func(prefix string) string { return fmt.Sprintf("%s_%s%d", prefix, name, n.Add(1)) }})
	defer func() { _ = e.Close() }()
	s, err := e.Open(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	after := s.Opened()
	r, err := s.Do(t.Context(), engine.Send{Text: "go", By: engine.Actor{Screen: "cli", Name: "test"}})
	if err != nil {
		t.Fatal(err)
	}
	for batch, err := range s.Follow(t.Context(), after) {
		if err != nil {
			t.Fatal(err)
		}
		for _, ev := range batch {
			switch p := ev.Payload.(type) {
			case engine.RunFailed:
				t.Fatalf("%s: %s", p.Code, p.Message)
			case engine.RunCompleted:
				if ev.Run == r.Run {
					var bodies []string
					for _, b := range from.seen {
						bodies = append(bodies, string(b))
					}
					return s.ID(), bodies
				}
			}
		}
	}
	t.Fatal("no end")
	return "", nil
}

// TestReasoningSurvivesSavingAndDiesWithItsModel: what a provider must be given back is so byte for
// byte, in the loop, after the program has been closed and opened again, and never by another model.
func TestReasoningSurvivesSavingAndDiesWithItsModel(t *testing.T) {
	for _, c := range []struct {
		d      dialect
		stream string // an answer with a call
		back   string
	}{
		{responsesDialect(), itemDone("0", aThought) + itemDone("1", aCall) + completed(""), aThought},
		{messagesDialect(), thoughtful(), `"thinking":"Let me see <x>"`},
	} {
		state := t.TempDir()
		id, sent := converse(t, c.d, state, "", "one", c.stream, c.d.hi)
		if len(sent) != 2 || strings.Contains(sent[0], c.back) || !strings.Contains(sent[1], c.back) {
			t.Errorf("%s, in the loop: %q", c.d.name, sent)
		}
		if _, sent = converse(t, c.d, state, id, "one", c.d.hi); len(sent) != 1 || !strings.Contains(sent[0], c.back) {
			t.Errorf("%s, resumed: %q", c.d.name, sent)
		}
		if _, sent = converse(t, c.d, state, id, "two", c.d.hi); len(sent) != 1 || strings.Contains(sent[0], c.back) || strings.Contains(sent[0], "gAAA") {
			t.Errorf("%s, by another model: %q", c.d.name, sent)
		}
		if _, sent = converse(t, c.d, state, id, "one", c.d.hi); len(sent) != 1 || !strings.Contains(sent[0], c.back) {
			t.Errorf("%s, by the first model again: %q", c.d.name, sent)
		}
	}
}
