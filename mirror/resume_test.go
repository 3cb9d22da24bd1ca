package mirror_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"agentstudio/engine"
	"agentstudio/mirror"
)

// upto reads until the page holds a sequence.
func (c *client) upto(seq engine.Seq) {
	c.t.Helper()
	for c.page.sequence < uint64(seq) {
		c.next()
	}
}

// agrees compares the page with the server.
func (c *client) agrees() {
	c.t.Helper()
	c.tell(map[string]any{"type": "hash", "id": "agrees"})
	h := c.until(func(m message) bool { return m.Type == "hash" })
	if h.Sequence != c.page.sequence || h.Hash != c.page.hash() {
		c.t.Errorf("at %d the page has %s, the server at %d %s", c.page.sequence, c.page.hash(), h.Sequence, h.Hash)
	}
}

// rename appends an event, n times.
func (s *stage) rename(n int) (last engine.Seq) {
	s.t.Helper()
	for i := range n {
		r, err := s.session.Do(s.t.Context(), engine.Rename{Title: fmt.Sprintf("title %d", i), By: tester})
		if err != nil {
			s.t.Fatal(err)
		}
		last = r.Seq
	}
	return last
}

// The cases from the field of where a client stands when it comes back.
func TestReplayBySequence(t *testing.T) {
	f, err := os.Open("testdata/replay.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := open(t, func(o *mirror.Options) { o.Limits = mirror.Limits{Snapshots: 100, Connects: 1000, Sockets: 10} })
	last := s.rename(1)
	last = s.rename(50 - int(last))
	if last != 50 {
		t.Fatalf("the log ends at %d", last)
	}
	whole := s.dial(s.tokens[mirror.Viewer], 0)
	whole.upto(50)
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var c struct {
			Case  int
			After json.RawMessage `json:"client_after"`
			Live  []int           `json:"live_during_replay"`
		}
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		d := s.connect()
		d.tell(map[string]any{"type": "auth", "token": s.tokens[mirror.Viewer], "after": c.After})
		if c.Case == 6 || c.Case == 7 {
			if code := d.closed(); code != 4400 {
				t.Errorf("case %d: closed with %d", c.Case, code)
			}
			continue
		}
		var after uint64
		_ = json.Unmarshal(c.After, &after)
		until := last
		if c.Live != nil {
			until = s.rename(len(c.Live))
		}
		d.page.sequence = after // what it says it holds; the rows are those of whole
		reset := false
		var rows []string
		for d.page.sequence != uint64(until) || after > uint64(last) && !reset {
			m := d.next()
			reset = reset || m.Type == "reset"
			for _, r := range m.Rows["timeline"] {
				rows = append(rows, text(r["id"]))
			}
		}
		want := ""
		for n := after + 1; n <= uint64(until); n++ {
			want += fmt.Sprintf("%d ", n)
		}
		if after > uint64(last) {
			want = want + strings.Join(whole.page.order["timeline"], " ") + " "
		}
		if got := strings.Join(rows, " ") + " "; reset != (after > uint64(last)) || strings.TrimSpace(got) != strings.TrimSpace(want) {
			t.Errorf("case %d: reset %v, rows %s, want %s", c.Case, reset, got, want)
		}
		last = until
	}
}

// connect opens a page's socket and says nothing.
func (s *stage) connect() *client {
	s.t.Helper()
	c := s.dialWith("")
	return c
}

// A session or share that the client names and that is not the one served is a reset.
func TestOtherSessionIsAReset(t *testing.T) {
	s := open(t, func(o *mirror.Options) { o.Limits.Snapshots, o.Limits.Connects = 100, 1000 })
	for _, hello := range []map[string]any{{"sessionId": "ses_other"}, {"share": "names"}} {
		c := s.connect()
		c.page.sequence = 2
		hello["type"], hello["token"], hello["after"] = "auth", s.tokens[mirror.Viewer], 2
		c.tell(hello)
		c.next()
		if m := c.next(); m.Type != "reset" {
			t.Errorf("%v: %s", hello, m.raw)
		}
	}
}

// A hole is mended by asking again.
func TestAgain(t *testing.T) {
	s := open(t, nil, say("hello"))
	c := s.dial(s.tokens[mirror.Viewer], 0)
	c.upto(1)
	held := c.page.sequence
	s.send("hi")
	end := s.untilKind("run.completed")
	eventually(t, func() bool { // frames are lost on the way
		_, err := c.read()
		if err != nil {
			t.Fatal(err)
		}
		ready := c.page.sequence >= uint64(end.Seq)
		return ready
	})
	lost := newPage()
	lost.sequence = held
	_ = lost
	c.tell(map[string]any{"type": "again", "after": held})
	c.page.sequence = held
	c.upto(end.Seq)
	c.agrees()
}

// An open question is on every screen exactly once, whatever happened to the connection, and closing
// one decides nothing.
func TestPendingAfterReconnect(t *testing.T) {
	s := open(t, func(o *mirror.Options) { o.Limits = mirror.Limits{Snapshots: 100, Connects: 1000} }, save("call_a", `{"x":1}`), say("done"))
	c := s.dial(s.tokens[mirror.Approver], 0)
	s.send("go")
	a := c.question()
	held := c.page
	_ = c.conn.Close() // the phone sleeps; the question came before
	again := s.dialFrom(s.tokens[mirror.Approver], held)
	again.upto(engine.Seq(held.sequence))
	fresh := s.dial(s.tokens[mirror.Operator], 0)
	fresh.upto(engine.Seq(held.sequence))
	for name, d := range map[string]*client{"the same page": again, "another device": fresh} {
		if len(d.page.approvals) != 1 || d.page.approvals[0] != a {
			t.Errorf("%s shows %+v, want %+v once", name, d.page.approvals, a)
		}
	}
	_ = fresh.conn.Close()
	_ = again.conn.Close()
	if s.tool.ran.Load() != 0 {
		t.Error("closing a page decided")
	}
	if _, err := s.session.Do(t.Context(), engine.Decide{Approval: engine.ApprovalID(a.ID), Digest: a.Digest, By: tester}); err != nil {
		t.Fatal(err)
	}
	end := s.untilKind("run.completed")
	late := s.dialFrom(s.tokens[mirror.Approver], held) // it was decided meanwhile
	late.upto(end.Seq)
	call := late.page.rows["call_a"]["call"].(map[string]any)
	if len(late.page.approvals) != 0 || call["decision"] != "denied" || call["decidedBy"].(map[string]any)["screen"] != "tui" {
		t.Errorf("decided meanwhile: %+v, %+v", late.page.approvals, call)
	}
	late.agrees()
}

// dialFrom comes back with a page.
func (s *stage) dialFrom(token string, p page) *client {
	s.t.Helper()
	c := s.dial(token, p.sequence)
	c.page = p.clone()
	return c
}

// A session of many long texts comes in parts that a slow phone gets in time, and is whole.
func TestLongSessionComesInParts(t *testing.T) {
	long := strings.Repeat("你好 wide and long\n", 20000)
	s := open(t, func(o *mirror.Options) { o.Limits.Frames = 1e6 }, say(long))
	s.send(long[:200000])
	end := s.untilKind("run.completed")
	eventually(t, func() bool { return s.last() >= end.Seq })
	c := s.dial(s.tokens[mirror.Viewer], 0)
	parts := 0
	for c.page.sequence < uint64(end.Seq) {
		if m := c.next(); len(m.raw) > 128<<10 {
			t.Errorf("a frame of %d bytes", len(m.raw))
		}
		parts++
	}
	if parts < 8 {
		t.Errorf("only %d frames", parts)
	}
	if !c.page.holds(`你好 wide`) {
		t.Error("the text is not there")
	}
	for _, id := range c.page.order["chat"] {
		if r := c.page.rows[id]; r["kind"] == "agent" && text(r["text"]) != long {
			t.Errorf("the answer has %d bytes of %d", len(text(r["text"])), len(long))
		}
	}
	c.agrees()
}

// Another session is shown to whoever watches, from its beginning.
func TestShowAnotherSession(t *testing.T) {
	s := open(t, nil, say("hello"))
	other := open(t, nil, say("of the other"))
	other.send("hi")
	end := other.untilKind("run.completed")
	c := s.dial(s.tokens[mirror.Viewer], 0)
	c.upto(1)
	s.m.Show(other.session)
	c.untilType("reset")
	for !c.page.holds("of the other") {
		c.next()
	}
	c.upto(end.Seq)
	c.agrees()
}

// Presence says who watches to every screen.
func TestPresence(t *testing.T) {
	s := open(t, nil)
	c := s.dial(s.tokens[mirror.Approver], 0)
	c.until(func(m message) bool { return m.Type == "presence" && m.Viewers == 0 && len(m.People) == 1 })
	v := s.dial(s.tokens[mirror.Viewer], 0)
	v.until(func(m message) bool { return m.Type == "presence" && m.Viewers == 1 && len(m.People) == 1 })
	c.until(func(m message) bool { return m.Type == "presence" && m.Viewers == 1 })
	_ = v.conn.Close()
	c.until(func(m message) bool { return m.Type == "presence" && m.Viewers == 0 })
	if n := s.m.State().Clients; n != 1 {
		t.Errorf("%d clients", n)
	}
}

// A socket that says nothing is closed, and does not keep others out.
func TestSilentSockets(t *testing.T) {
	s := open(t, nil)
	var silent []*client
	for range 5 {
		silent = append(silent, s.connect())
	}
	c := s.dial(s.tokens[mirror.Viewer], 0)
	if m := c.next(); m.Type != "auth_ok" {
		t.Errorf("first came %s", m.raw)
	}
	began := time.Now()
	codes := map[int]int{}
	for _, d := range silent {
		codes[d.closed()]++
	}
	if codes[4408] < 1 || time.Since(began) > 5*time.Second {
		t.Errorf("closed with %v after %s", codes, time.Since(began))
	}
}

// A device's fourth socket takes the place of its oldest, and the mirror takes no more than it may.
func TestSocketsOfADevice(t *testing.T) {
	s := open(t, func(o *mirror.Options) { o.Clients = 4; o.Limits.Snapshots, o.Limits.Connects = 100, 1000 })
	first := s.dial(s.tokens[mirror.Viewer], 0)
	first.untilType("patch")
	for range 3 {
		s.dial(s.tokens[mirror.Viewer], 0).untilType("patch")
	}
	if code := first.closed(); code != 4409 {
		t.Errorf("the oldest was closed with %d", code)
	}
	s.dial(s.tokens[mirror.Approver], 0).untilType("patch")
	if code := s.dial(s.tokens[mirror.Operator], 0).closed(); code != 4429 {
		t.Errorf("one too many was closed with %d", code)
	}
}

// Frames are bounded in size and number.
func TestFrameLimits(t *testing.T) {
	s := open(t, nil)
	c := s.dial(s.tokens[mirror.Viewer], 0)
	c.untilType("patch")
	c.tell(map[string]any{"type": "ping", "id": strings.Repeat("x", 17<<10)})
	if code := c.closed(); code != 1009 {
		t.Errorf("a large frame: %d", code)
	}
	c = s.dial(s.tokens[mirror.Approver], 0)
	c.untilType("patch")
	for range 60 {
		if c.conn.WriteJSON(map[string]any{"type": "ping"}) != nil {
			break
		}
	}
	if code := c.closed(); code != 4429 {
		t.Errorf("60 frames at once: %d", code)
	}
	c = s.dial(s.tokens[mirror.Operator], 0)
	c.untilType("patch")
	if err := c.conn.WriteMessage(1, []byte("{")); err != nil {
		t.Fatal(err)
	}
	if code := c.closed(); code != 4400 {
		t.Errorf("no JSON: %d", code)
	}
}

// Whole views are bounded, for each device.
func TestSnapshotLimit(t *testing.T) {
	clock := newHandClock()
	s := open(t, func(o *mirror.Options) { o.Clock = clock })
	got := ""
	for range 8 {
		status, _, _ := s.request("GET", "/api/session", s.tokens[mirror.Viewer], "")
		got += fmt.Sprintf("%d ", status)
	}
	if want := strings.Repeat("200 ", 6) + "429 429 "; got != want {
		t.Errorf("answers %s, want %s", got, want)
	}
	if code := s.dial(s.tokens[mirror.Viewer], 0).closed(); code != 4429 {
		t.Errorf("by the socket: %d", code)
	}
	clock.advance(time.Minute)
	if status, _, _ := s.request("GET", "/api/session", s.tokens[mirror.Viewer], ""); status != 200 {
		t.Errorf("a minute later: %d", status)
	}
}
