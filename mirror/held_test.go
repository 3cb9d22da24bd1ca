package mirror_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"agentstudio/engine"
	"agentstudio/mirror"
)

func insecure(clock *handClock) func(*mirror.Options) {
	return func(o *mirror.Options) { o.Clock, o.Insecure = clock, true; o.Far() }
}

// What could not count is never held: made up, stale or finished approvals don't hide a real one.
func TestOnlyWhatCountsIsHeld(t *testing.T) {
	clock := newHandClock()
	s := open(t, insecure(clock), save("call_a", `{"n":1}`), save("call_b", `{"n":2}`), say("done"))
	c := s.dial(s.tokens[mirror.Approver], 0)
	s.send("go")
	a := c.question()
	for i, x := range []struct {
		change func(map[string]any)
		want   engine.Code
	}{
		{func(d map[string]any) { d["approvalId"] = "apr_bogus" }, engine.ApprovalNotFound},
		{func(d map[string]any) { d["digest"] = "\x1b[31mEVIL\u202e" }, engine.ApprovalMismatch},
		{func(d map[string]any) { d["digest"] = a.Digest[:8] }, engine.ApprovalMismatch},
		{func(d map[string]any) { d["pressedAt"] = clock.Now().Add(-16 * time.Second) }, engine.DecisionStale},
	} {
		id := fmt.Sprint("x", i)
		d := decision(id, a, true, clock.Now())
		x.change(d)
		c.tell(d)
		if r := c.result(id); r.OK || r.Code != x.want || strings.ContainsAny(r.Message, "\x1b\u202e") {
			t.Errorf("%d: %s, want %s", i, r.raw, x.want)
		} else if i == 2 && !strings.Contains(r.Message, "first 8 digits") {
			t.Errorf("a cut digest: %s", r.Message)
		}
	}
	if h := s.m.State().Held; len(h) != 0 {
		t.Errorf("held are %+v", h)
	}
	c.tell(decision("real", a, true, clock.Now()))
	eventually(t, func() bool { h := s.m.State().Held; return len(h) == 1 && h[0].Digest == a.Digest })
	clock.advance(3 * time.Second)
	if r := c.result("real"); !r.OK {
		t.Errorf("the real one: %s", r.raw)
	}
	c.question()
	c.tell(decision("again", a, true, clock.Now()))
	if r := c.result("again"); !r.OK || !r.Already {
		t.Errorf("one that was decided: %s", r.raw)
	}
}

// A question is held once, whoever else approves it: the others are told what became of the first.
func TestHeldOnce(t *testing.T) {
	clock := newHandClock()
	s := open(t, insecure(clock), save("call_a", `{"n":1}`), say("done"))
	c, other := s.dial(s.tokens[mirror.Approver], 0), s.dial(s.tokens[mirror.Operator], 0)
	s.send("go")
	a := c.question()
	other.question()
	for _, stop := range []bool{true, false} {
		c.tell(decision(fmt.Sprint("1", stop), a, true, clock.Now()))
		eventually(t, func() bool { return len(s.m.State().Held) == 1 })
		other.tell(decision(fmt.Sprint("2", stop), a, true, clock.Now()))
		other.tell(map[string]any{"type": "ping", "id": fmt.Sprint(stop)}) // read after the decision
		other.until(func(m message) bool { return m.Type == "pong" && m.ID == fmt.Sprint(stop) })
		if h := s.m.State().Held; len(h) != 1 || h[0].Name != "approver" {
			t.Fatalf("held are %+v", h)
		}
		if stop {
			s.m.StopHeld(engine.ApprovalID(a.ID))
		} else {
			clock.advance(3 * time.Second)
		}
		first, second := c.result(fmt.Sprint("1", stop)), other.result(fmt.Sprint("2", stop))
		switch {
		case stop && (first.Code != engine.DecisionStopped || second.Code != engine.DecisionStopped):
			t.Errorf("stopped: %s, %s", first.raw, second.raw)
		case !stop && (!first.OK || first.Already || !second.OK || !second.Already || second.Resolution.By.Name != "approver"):
			t.Errorf("it counted: %s, %s", first.raw, second.raw)
		}
	}
}

// An approval is shown at the terminal for its whole time: while one whose question was decided there
// meanwhile is still shown, the next waits for its turn.
func TestHeldOneAfterTheOther(t *testing.T) {
	clock := newHandClock()
	s := open(t, insecure(clock), save("call_a", `{"n":1}`), save("call_b", `{"n":2}`), say("done"))
	c := s.dial(s.tokens[mirror.Approver], 0)
	s.send("go")
	shown := func(a approval) bool {
		h := s.m.State().Held
		return len(h) == 1 && h[0].Approval == engine.ApprovalID(a.ID) && h[0].Until.Sub(clock.Now()) == 3*time.Second
	}
	a := c.question()
	c.tell(decision("a", a, true, clock.Now()))
	eventually(t, func() bool { return shown(a) })
	if _, err := s.session.Do(t.Context(), engine.Decide{Approval: engine.ApprovalID(a.ID), Digest: a.Digest, By: tester}); err != nil {
		t.Fatal(err)
	}
	b := c.question()
	c.tell(decision("b", b, true, clock.Now()))
	c.tell(map[string]any{"type": "ping", "id": "p"}) // read after the decision
	c.untilType("pong")
	if !shown(a) {
		t.Errorf("held are %+v", s.m.State().Held)
	}
	clock.advance(3 * time.Second)
	if r := c.result("a"); r.OK || r.Code != engine.ApprovalAlreadyResolved {
		t.Errorf("decided at the terminal: %s", r.raw)
	}
	eventually(t, func() bool { return shown(b) })
	clock.advance(2999 * time.Millisecond)
	if n := s.tool.ran.Load(); n != 0 {
		t.Errorf("it counted before its time: %d", n)
	}
	clock.advance(time.Millisecond)
	if r := c.result("b"); !r.OK {
		t.Errorf("after its own 3 s: %s", r.raw)
	}
}

// More time is given in seconds that an approval can have.
func TestExtendIsBounded(t *testing.T) {
	s := open(t, nil, save("call_a", `{}`), say("done"))
	c := s.dial(s.tokens[mirror.Operator], 0)
	s.send("go")
	a := c.question()
	for i, seconds := range []int{0, -5, 3601, 18446744374, 1<<63 - 1} {
		c.tell(map[string]any{"type": "extend", "id": fmt.Sprint(i), "approvalId": a.ID, "seconds": seconds})
		if r := c.result(fmt.Sprint(i)); r.OK || r.Code != engine.InvalidCommand || !strings.Contains(r.Message, "3600") {
			t.Errorf("%d: %s", seconds, r.raw)
		}
	}
	c.tell(map[string]any{"type": "extend", "id": "fine", "approvalId": a.ID, "seconds": 3600})
	if r := c.result("fine"); !r.OK {
		t.Errorf("an hour: %s", r.raw)
	}
}
