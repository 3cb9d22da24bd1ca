package mirror_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"agentstudio/engine"
	"agentstudio/mirror"
)

// question waits for an open question that it has not given before.
func (c *client) question() approval {
	c.t.Helper()
	for {
		if n := len(c.page.approvals); n > 0 && c.page.approvals[n-1].ID != c.asked {
			c.asked = c.page.approvals[n-1].ID
			return c.page.approvals[n-1]
		}
		c.next()
	}
}

func decision(id string, a approval, yes bool, at time.Time) map[string]any {
	return map[string]any{"type": "decide", "id": id, "approvalId": a.ID, "digest": a.Digest, "approve": yes, "pressedAt": at}
}

func (c *client) result(id string) message {
	c.t.Helper()
	return c.until(func(m message) bool { return m.Type == "result" && m.ID == id })
}

func TestDecide(t *testing.T) {
	s := open(t, nil, save("call_a", `{"a":"\u202eb"}`), say("done"))
	c := s.dial(s.tokens[mirror.Approver], 0)
	s.send("go")
	a := c.question()
	if a.Text != "# secret preview" || len(a.Digest) != 64 {
		t.Errorf("asked is %+v", a)
	}
	now := time.Now()
	for _, x := range []struct {
		id     string
		change func(map[string]any)
		want   engine.Code
	}{
		{"stale", func(d map[string]any) { d["pressedAt"] = now.Add(-16 * time.Second) }, engine.DecisionStale},
		{"never", func(d map[string]any) { delete(d, "pressedAt") }, engine.DecisionStale},
		{"future", func(d map[string]any) { d["pressedAt"] = now.Add(time.Minute) }, engine.DecisionStale},
		{"digest", func(d map[string]any) { d["digest"] = strings.Repeat("0", 64) }, engine.ApprovalMismatch},
		{"short", func(d map[string]any) { d["digest"] = a.Digest[:8] }, engine.ApprovalMismatch},
		{"unknown", func(d map[string]any) { d["approvalId"] = "apr_x" }, engine.ApprovalNotFound},
		{"nothing", func(d map[string]any) { delete(d, "approve") }, engine.RequestMalformed},
	} {
		d := decision(x.id, a, true, now)
		x.change(d)
		c.tell(d)
		if r := c.result(x.id); r.OK || r.Code != x.want {
			t.Errorf("%s: %s, want %s", x.id, r.raw, x.want)
		}
	}
	if n := s.tool.ran.Load(); n != 0 {
		t.Fatalf("the tool ran %d times", n)
	}
	c.tell(decision("yes", a, true, time.Now()))
	if r := c.result("yes"); !r.OK || r.Resolution.Status != "approved" || r.Resolution.By.Name != "approver" || r.Resolution.By.Screen != "mirror" {
		t.Errorf("approving: %s", r.raw)
	}
	s.untilKind("run.completed")
	c.tell(decision("yes", a, false, time.Now().Add(-time.Hour))) // the same id: the first result, whatever it says
	if r := c.result("yes"); !r.OK || r.Already || r.Resolution.Status != "approved" {
		t.Errorf("a repeat: %s", r.raw)
	}
	other := s.dial(s.tokens[mirror.Operator], 0)
	other.untilType("patch")
	other.tell(decision("same", a, true, time.Now()))
	if r := other.result("same"); !r.OK || !r.Already || !strings.Contains(r.Message, "approved by approver") {
		t.Errorf("the same by another: %s", r.raw)
	}
	other.tell(decision("opposite", a, false, time.Now()))
	if r := other.result("opposite"); r.OK || r.Code != engine.ApprovalAlreadyResolved || r.Resolution.By.Name != "approver" {
		t.Errorf("the opposite by another: %s", r.raw)
	}
	if n := s.tool.ran.Load(); n != 1 {
		t.Errorf("the tool ran %d times", n)
	}
}

// Every command of a viewer and of a presenter is refused by the server, whatever the page offers.
func TestCommandsByRole(t *testing.T) {
	s := open(t, nil, save("call_a", `{}`), say("done"))
	run := s.send("go")
	s.untilKind("approval.required")
	op := s.dial(s.tokens[mirror.Operator], 0)
	a := op.question()
	for _, r := range []mirror.Role{mirror.Viewer, mirror.Presenter, mirror.Approver} {
		c := s.dial(s.tokens[r], 0)
		c.untilType("patch")
		orders := []map[string]any{{"type": "message", "id": "m", "text": "hi"}, {"type": "extend", "id": "e", "approvalId": a.ID, "seconds": 60}}
		if r != mirror.Approver {
			orders = append(orders, decision("d", a, true, time.Now()), map[string]any{"type": "cancel", "id": "c", "runId": run})
		}
		for _, o := range orders {
			c.tell(o)
			if m := c.result(o["id"].(string)); m.OK || m.Code != engine.NotAllowed {
				t.Errorf("%s as %s: %s", o["type"], r, m.raw)
			}
		}
	}
	op.tell(map[string]any{"type": "extend", "id": "e", "approvalId": a.ID, "seconds": 60})
	if m := op.result("e"); !m.OK {
		t.Errorf("an operator gives more time: %s", m.raw)
	}
	op.tell(map[string]any{"type": "message", "id": "m", "text": "and then?", "delivery": "followUp"})
	if m := op.result("m"); !m.OK {
		t.Errorf("an operator sends: %s", m.raw)
	}
	op.tell(map[string]any{"type": "cancel", "id": "c1", "runId": "run_of_yesterday"})
	if m := op.result("c1"); m.OK || m.Code != engine.NothingRunning {
		t.Errorf("cancelling another run: %s", m.raw)
	}
	op.tell(map[string]any{"type": "cancel", "id": "c2", "runId": run})
	if m := op.result("c2"); !m.OK {
		t.Errorf("an operator cancels: %s", m.raw)
	}
	op.tell(map[string]any{"type": "become", "id": "x", "role": "king"})
	if m := op.result("x"); m.Code != engine.RequestMalformed {
		t.Errorf("an unknown frame: %s", m.raw)
	}
	if n := s.tool.ran.Load(); n != 0 {
		t.Errorf("the tool ran %d times", n)
	}
}

// The cases from the field of two answers at once: the first in the engine's order wins, the tool
// runs once or not at all, every screen shows the same.
func TestTwoAnswers(t *testing.T) {
	t.Parallel()
	for _, run := range answerCases(t) {
		times := 1
		if run[0].Run == 1 {
			times = 100
		}
		ran := 0
		for range times {
			ran += twoAnswers(t, run)
		}
		switch n := run[0].Run; {
		case (n == 1 || n == 2 || n == 4) && ran != times, (n == 5 || n == 6) && ran != 0, n == 3 && ran > 1:
			t.Errorf("run %d: the tool ran %d times in %d", n, ran, times)
		}
	}
}

type answerCase struct {
	Run, At              int
	From, Decision, Note string
}

func answerCases(t *testing.T) (runs [][]answerCase) {
	f, err := os.Open("testdata/answers.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var c answerCase
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		if len(runs) == 0 || runs[len(runs)-1][0].Run != c.Run {
			runs = append(runs, nil)
		}
		runs[len(runs)-1] = append(runs[len(runs)-1], c)
	}
	return runs
}

// twoAnswers plays one of them and tells how often the tool ran. Answers of the same millisecond
// race; later ones come when the earlier are through.
func twoAnswers(t *testing.T, answers []answerCase) int {
	s := open(t, func(o *mirror.Options) { o.Limits.Decisions = 100 }, save("call_a", `{}`), say("done"))
	defer s.m.Close()
	s.send("go")
	screens := map[string]*client{"browser1": s.dial(s.tokens[mirror.Approver], 0), "browser2": s.dial(s.tokens[mirror.Operator], 0)}
	asked := map[string]approval{}
	for name, c := range screens {
		asked[name] = c.question()
	}
	a := asked["browser1"]
	if strings.Contains(answers[0].Note, "Esc") {
		if _, err := s.session.Do(t.Context(), engine.Cancel{By: tester}); err != nil {
			t.Fatal(err)
		}
	} else if strings.Contains(answers[0].Note, "timed out") {
		return 0 // the engine's own test has the expiry; a page cannot tell it from a decision that came before
	}
	var wg sync.WaitGroup
	at := answers[0].At
	for i, x := range answers {
		if x.At != at {
			wg.Wait()
			at = x.At
		}
		yes := x.Decision == "approve"
		if x.From == "terminal" {
			wg.Go(func() {
				_, _ = s.session.Do(t.Context(), engine.Decide{Approval: engine.ApprovalID(a.ID), Digest: a.Digest, Approve: yes, By: tester})
			})
			continue
		}
		c := screens[x.From]
		wg.Go(func() {
			id := fmt.Sprint(i)
			c.tell(decision(id, a, yes, time.Now()))
			c.result(id)
		})
	}
	wg.Wait()
	end := s.until(func(e engine.Event) bool { return engine.Terminal(e.Payload) })
	decided := 0
	s.until(func(e engine.Event) bool {
		if _, ok := e.Payload.(engine.ApprovalResolved); ok {
			decided++
		}
		return e.Seq == end.Seq
	})
	if decided != 1 {
		t.Errorf("run %d: %d decisions in the log", answers[0].Run, decided)
	}
	said := map[string]bool{}
	for _, c := range screens {
		if c.page.sequence < uint64(end.Seq) {
			c.until(func(m message) bool { return m.Type == "patch" && m.Sequence >= uint64(end.Seq) })
		}
		said[text(c.page.rows["call_a"]["call"].(map[string]any)["decision"])] = true
	}
	if len(said) != 1 {
		t.Errorf("run %d: the screens show %v", answers[0].Run, said)
	}
	return int(s.tool.ran.Load())
}

// Over plain http on a network an approval is held at the terminal, where it can be stopped; to deny
// counts at once.
func TestHeldApproval(t *testing.T) {
	clock := newHandClock()
	s := open(t, func(o *mirror.Options) { o.Clock, o.Insecure = clock, true; o.Far() }, save("call_a", `{"n":1}`), save("call_b", `{"n":2}`), save("call_c", `{"n":3}`), say("done"))
	c := s.dial(s.tokens[mirror.Approver], 0)
	s.send("go")
	a := c.question()
	c.tell(decision("1", a, true, clock.Now()))
	eventually(t, func() bool { return len(s.m.State().Held) == 1 })
	if h := s.m.State().Held[0]; h.Name != "approver" || h.Digest != a.Digest || h.Until.Sub(clock.Now()) != 3*time.Second {
		t.Errorf("held is %+v", h)
	}
	if !s.m.StopHeld(engine.ApprovalID(a.ID)) {
		t.Error("there was nothing to stop")
	}
	if r := c.result("1"); r.OK || r.Code != engine.DecisionStopped {
		t.Errorf("stopped: %s", r.raw)
	}
	c.tell(decision("2", a, true, clock.Now()))
	eventually(t, func() bool { return len(s.m.State().Held) == 1 })
	clock.advance(2999 * time.Millisecond)
	if s.tool.ran.Load() != 0 {
		t.Error("it counted before its time")
	}
	clock.advance(time.Millisecond)
	if r := c.result("2"); !r.OK {
		t.Errorf("after 3 s: %s", r.raw)
	}
	b := c.question()
	c.tell(decision("3", b, false, clock.Now()))
	if r := c.result("3"); !r.OK || len(s.m.State().Held) != 0 {
		t.Errorf("denying: %s", r.raw)
	}
	d := c.question()
	c.tell(decision("4", d, true, clock.Now()))
	eventually(t, func() bool { return len(s.m.State().Held) == 1 })
	if err := s.m.Revoke(s.m.State().Held[0].Device); err != nil {
		t.Fatal(err)
	}
	c.closed()
	eventually(t, func() bool { return len(s.m.State().Held) == 0 })
	clock.advance(time.Minute)
	if n := s.tool.ran.Load(); n != 1 {
		t.Errorf("the tool ran %d times; what a revoked device had held must not count", n)
	}
}

// A decision counts against a limit of its own.
func TestDecisionLimit(t *testing.T) {
	clock := newHandClock()
	s := open(t, func(o *mirror.Options) { o.Clock = clock })
	c := s.dial(s.tokens[mirror.Approver], 0)
	c.untilType("patch")
	got := map[engine.Code]int{}
	for i := range 12 {
		c.tell(decision(fmt.Sprint(i), approval{ID: "apr_x", Digest: "d"}, true, clock.Now()))
		got[c.result(fmt.Sprint(i)).Code]++
	}
	if got[engine.ApprovalNotFound] != 10 || got[engine.RateLimited] != 2 {
		t.Errorf("results: %v", got)
	}
}
