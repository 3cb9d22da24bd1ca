package journal

import (
	"os"
	"slices"
	"testing"

	"agentstudio/engine"
)

// twoCalls is a session in which one answer makes two calls: a reading one and one that acts.
func twoCalls(t *testing.T, first, second engine.ToolCall) recorded {
	t.Helper()
	d := newDesk(t, quick(t), Options{}, reader(), saver(nil))
	d.model.turns = []turn{call(first, second), say("Both are done, and here is what they say.")}
	s := d.mustOpen("")
	d.talk(s, "do both")
	return d.record(s.ID())
}

// cutAfter is the journal up to the n-th event of a kind, as a crash leaves it.
func (r recorded) cutAfter(t *testing.T, kind string, n int) []byte {
	t.Helper()
	for i, e := range r.events {
		if e.Kind() == kind {
			if n--; n == 0 {
				return []byte(joined(r.lines[:i+1]))
			}
		}
	}
	t.Fatalf("there is no %s among %v", kind, kindsOf(r.events))
	return nil
}

// older is a journal as an older version may have left it: a message behind open calls, then a
// late result, one without a call, and a second one for the same call.
func older(t *testing.T, rec recorded) []byte {
	t.Helper()
	data := rec.cutAfter(t, "turn.completed", 1)
	lines := bytesLines(data)
	_, crc, _ := readTail(lines[len(lines)-1][len(lines[len(lines)-1])-1-tailBytes : len(lines[len(lines)-1])-1])
	e := rec.events[len(lines)-1]
	for _, p := range []engine.Payload{
		engine.UserMessage{Message: "msg_x", Text: "hello?", Delivery: "prompt", By: tester},
		engine.ToolCompleted{Call: "c2", Tool: "read", Content: "late result"},
		engine.ToolCompleted{Call: "c9", Tool: "read", Content: "result without a call"},
		engine.ToolCompleted{Call: "c2", Tool: "read", Content: "second result"},
	} {
		e.Seq++
		e.Payload = p
		var err error
		if data, crc, err = appendLine(data, e, crc); err != nil {
			t.Fatal(err)
		}
	}
	return data
}

func TestOrphanCalls(t *testing.T) {
	read, save := toolCall("c1", "read", `{}`), toolCall("c2", "save", `{}`)
	readFirst, saveFirst := twoCalls(t, read, save), twoCalls(t, toolCall("c1", "save", `{}`), toolCall("c2", "read", `{}`))
	const interrupted, unknown = engine.Interrupted, engine.OutcomeUnknown
	for name, c := range map[string]struct {
		rec       recorded
		data      []byte
		ends      []engine.Code // of calls, in order, made by the reopening
		approvals int           // cancelled by it
		cut       bool          // an answer
	}{
		"in the middle of the calls being asked": {readFirst, readFirst.cutAfter(t, "tool.requested", 1), []engine.Code{interrupted}, 0, false},
		"before any runs":                        {readFirst, readFirst.cutAfter(t, "turn.completed", 1), []engine.Code{interrupted, interrupted}, 0, false},
		"a safe one runs":                        {readFirst, readFirst.cutAfter(t, "tool.started", 1), []engine.Code{interrupted, interrupted}, 0, false},
		"an acting one runs":                     {saveFirst, saveFirst.cutAfter(t, "tool.started", 1), []engine.Code{unknown, interrupted}, 0, false},
		"after the first result":                 {readFirst, readFirst.cutAfter(t, "tool.completed", 1), []engine.Code{interrupted}, 0, false},
		"while a person is asked":                {readFirst, readFirst.cutAfter(t, "approval.required", 1), []engine.Code{interrupted}, 1, false},
		"approved and not started":               {readFirst, readFirst.cutAfter(t, "approval.resolved", 1), []engine.Code{interrupted}, 0, false},
		"in the middle of an answer":             {readFirst, readFirst.cutAfter(t, "assistant.delta", 1), nil, 0, true},
		"before an answer's first word":          {readFirst, readFirst.cutAfter(t, "assistant.started", 2), nil, 0, true},
		"as an older version left it":            {twoCalls(t, read, toolCall("c2", "read", `{}`)), nil, []engine.Code{interrupted}, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			if c.data == nil {
				c.data = older(t, c.rec)
			}
			s := newSite(t, c.rec)
			if err := os.WriteFile(s.path, c.data, 0o600); err != nil {
				t.Fatal(err)
			}
			ran := 0
			again := reader()
			again.run = func(engine.Call) { ran++ }
			d := s.desk(t, again, saver(func(engine.Call) { ran++ }))
			before := len(bytesLines(c.data))
			ended(t, d, c.rec.id, before, c.ends, c.approvals, c.cut)
			lasting(t, d, c.rec.id)
			d.talk(d.mustOpen(c.rec.id), "go on")
			wellFormed(t, d.model)
			if ran != 0 {
				t.Errorf("%d calls were run by themselves", ran)
			}
		})
	}
}

// ended holds the first reopening to ending everything that was open, and telling it.
func ended(t *testing.T, d *desk, id engine.SessionID, before int, ends []engine.Code, approvals int, cut bool) {
	t.Helper()
	s := d.mustOpen(id)
	events := d.past(s)
	fresh := events[before:]
	var codes []engine.Code
	for _, p := range all[engine.ToolFailed](fresh) {
		codes = append(codes, p.Code)
	}
	if !slices.Equal(codes, ends) || len(all[engine.ToolDenied](fresh)) > 0 {
		t.Errorf("the open calls end with %v: %v", codes, kindsOf(fresh))
	}
	resolved := all[engine.ApprovalResolved](fresh)
	if len(resolved) != approvals || approvals > 0 && resolved[0].Status != engine.Cancelled {
		t.Errorf("the open approvals end with %+v", resolved)
	}
	for _, p := range all[engine.ApprovalRequired](events) { // nobody can consume the old one
		_, err := s.Do(t.Context(), engine.Decide{Approval: p.Approval, Digest: p.Digest, Approve: false, By: tester})
		if code := engine.CodeOf(err); code != engine.ApprovalCancelled && code != engine.ApprovalAlreadyResolved {
			t.Errorf("deciding the old approval: %v", err)
		}
	}
	if done := all[engine.AssistantCompleted](fresh); (len(done) == 1) != cut || cut && !done[0].Interrupted {
		t.Errorf("the answers that were cut end with %+v", done)
	}
	failed, told := all[engine.RunFailed](fresh), all[engine.SessionResumed](fresh)
	if len(failed) != 1 || failed[0].Code != engine.Interrupted || len(told) != 1 || told[0].Recovered == nil || told[0].Recovered.InterruptedRun == "" {
		t.Errorf("the run's end is %+v, told by %+v", failed, told)
	}
	if len(d.model.requests()) != 0 {
		t.Error("the model was asked")
	}
}

// lasting reopens ten times: nothing further may be mended.
func lasting(t *testing.T, d *desk, id engine.SessionID) {
	t.Helper()
	for range 10 {
		before := d.record(id)
		fresh := d.past(d.mustOpen(id))[len(before.events):]
		for _, e := range fresh {
			switch p := e.Payload.(type) {
			case engine.SessionResumed:
				if p.Recovered != nil {
					t.Fatalf("reopening again tells of %+v", *p.Recovered)
				}
			case engine.CatalogLoaded, engine.ModelConfigured:
			default:
				t.Fatalf("reopening again adds %s", encoded(t, e))
			}
		}
	}
}
