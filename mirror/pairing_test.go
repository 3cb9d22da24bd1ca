package mirror_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"agentstudio/engine"
	"agentstudio/mirror"
)

type letIn struct {
	Token, DeviceID, Name, Server, Request, Digits string
	Role                                           mirror.Role
	Error                                          struct{ Code engine.Code }
}

// pair redeems a code.
func (s *stage) pair(code, name string) (int, letIn) {
	s.t.Helper()
	return s.call("/api/pair", map[string]string{"code": code, "name": name})
}

func (s *stage) call(path string, body any) (int, letIn) {
	s.t.Helper()
	b, err := json.Marshal(body)
	if err != nil {
		s.t.Fatal(err)
	}
	status, _, answer := s.request("POST", path, "", string(b))
	var l letIn
	if err := json.Unmarshal([]byte(answer), &l); err != nil {
		s.t.Fatalf("%s: %d %q", path, status, answer)
	}
	return status, l
}

// told are the mirror.device events so far, as "what name role by".
func (s *stage) told() (all []string) {
	for batch, err := range s.session.Follow(s.t.Context(), 0) {
		if err != nil {
			s.t.Fatal(err)
		}
		for _, e := range batch {
			if p, ok := e.Payload.(engine.MirrorDevice); ok {
				all = append(all, fmt.Sprintf("%s %s %s by %s", p.What, p.Name, p.Role, p.By.Name))
			}
		}
		return all // one batch holds all of so short a log
	}
	return all
}

func (s *stage) wantTold(want ...string) {
	s.t.Helper()
	if got := s.told(); strings.Join(got, "\n") != strings.Join(want, "\n") {
		s.t.Errorf("the log has\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

func TestClassCode(t *testing.T) {
	s := open(t, nil)
	code := s.m.ShowClassCode()
	spoken := strings.ToLower(code[:4]) + "-" + strings.ToLower(code[4:])
	for i, want := range []string{"Ada", "Ada 2", "Ada 3"} {
		status, l := s.pair(map[bool]string{true: code, false: spoken}[i == 0], "\x1bAda\u202e\x00")
		if want = strings.Replace("␛Ada⟨U+202E⟩␀"+strings.TrimPrefix(want, "Ada"), "Ada", "Ada", 1); status != 200 || l.Role != mirror.Viewer || l.Name != want || len(l.Token) < 43 {
			t.Errorf("join %d: %d %+v, want %q", i, status, l, want)
		}
		if status, _, _ := s.request("GET", "/api/health", l.Token, ""); status != 200 {
			t.Errorf("the token of join %d: %d", i, status)
		}
		if status, _, _ := s.request("POST", "/api/cancel", l.Token, "{}"); status != 403 {
			t.Errorf("a viewer cancels: %d", status)
		}
	}
	s.m.HideClassCode()
	if status, l := s.pair(code, "late"); status != 403 || l.Error.Code != engine.PairingWrong {
		t.Errorf("after hiding: %d %+v", status, l)
	}
	if status, l := s.pair("", "nobody"); status != 403 || l.Error.Code != engine.PairingWrong {
		t.Errorf("no code: %d %+v", status, l)
	}
}

func TestApproverCode(t *testing.T) {
	clock := newHandClock()
	s := open(t, func(o *mirror.Options) { o.Clock = clock })
	code, until, err := s.m.ShowApproverCode()
	if err != nil || until.Sub(clock.Now()) != 2*time.Minute {
		t.Fatal(until, err)
	}
	status, l := s.pair(code, "Ada's phone")
	if status != 202 || len(l.Digits) != 4 || l.Token != "" {
		t.Fatalf("redeeming: %d %+v", status, l)
	}
	if status, other := s.pair(code, "Eve"); status != 409 || other.Error.Code != engine.PairingUsed {
		t.Errorf("again: %d %+v", status, other)
	}
	st := s.m.State()
	if st.Asking == nil || st.Asking.Name != "Ada's phone" || st.Asking.Address != "127.0.0.1" || strings.Contains(fmt.Sprintf("%+v", st), l.Digits) {
		t.Errorf("the terminal shows %+v", st)
	}
	if _, _, err := s.m.ShowApproverCode(); engine.CodeOf(err) != engine.PairingBusy {
		t.Errorf("another code meanwhile: %v", err)
	}
	if err := s.m.Confirm(" " + l.Digits + "\n"); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the first answer may have been lost on the way
		status, in := s.call("/api/pair/wait", map[string]string{"request": l.Request})
		if status != 200 || in.Role != mirror.Approver || in.Name != "Ada's phone" {
			t.Fatalf("waiting: %d %+v", status, in)
		}
		l.Token = in.Token
	}
	if status, _, body := s.request("POST", "/api/cancel", l.Token, `{"runId":"run_1"}`); status != 409 || !strings.Contains(body, "NOTHING_RUNNING") {
		t.Errorf("an approver cancels: %d %s", status, body)
	}
	if status, other := s.call("/api/pair/wait", map[string]string{"request": "x"}); status != 410 {
		t.Errorf("somebody else's request: %d %+v", status, other)
	}
	clock.advance(3 * time.Minute)
	if status, _ := s.call("/api/pair/wait", map[string]string{"request": l.Request}); status != 410 {
		t.Errorf("three minutes later the token is given again: %d", status)
	}
	s.wantTold("paired Ada's phone approver by terminal")
}

func TestWrongDigitsEndTheRequest(t *testing.T) {
	s := open(t, nil)
	code, _, _ := s.m.ShowApproverCode()
	_, l := s.pair(code, "Eve")
	wrong := "0000"
	if l.Digits == wrong {
		wrong = "0001"
	}
	if err := s.m.Confirm(wrong); engine.CodeOf(err) != engine.PairingRefused {
		t.Errorf("wrong digits: %v", err)
	}
	if err := s.m.Confirm(l.Digits); engine.CodeOf(err) != engine.PairingExpired {
		t.Errorf("the right ones after that: %v", err)
	}
	if status, other := s.call("/api/pair/wait", map[string]string{"request": l.Request}); status != 403 || other.Error.Code != engine.PairingRefused {
		t.Errorf("waiting: %d %+v", status, other)
	}
	if status, other := s.pair(code, "Eve"); status != 409 || other.Error.Code != engine.PairingUsed {
		t.Errorf("the code again: %d %+v", status, other)
	}
	s.wantTold("refused Eve approver by terminal")
	if len(s.m.State().Devices) != len(mirror.Roles()) {
		t.Errorf("devices: %+v", s.m.State().Devices)
	}
}

func TestPairingExpires(t *testing.T) {
	clock := newHandClock()
	s := open(t, func(o *mirror.Options) { o.Clock = clock })
	code, _, _ := s.m.ShowApproverCode()
	clock.advance(2*time.Minute + time.Second)
	if status, l := s.pair(code, "late"); status != 403 || l.Error.Code != engine.PairingWrong {
		t.Errorf("an old code: %d %+v", status, l)
	}
	code, _, _ = s.m.ShowApproverCode()
	_, l := s.pair(code, "slow")
	done := make(chan letIn)
	go func() {
		_, in := s.call("/api/pair/wait", map[string]string{"request": l.Request})
		done <- in
	}()
	clock.armed(t, 2) // of the request, and of the call that waits
	clock.advance(time.Minute)
	if in := <-done; in.Error.Code != engine.PairingExpired && in.Digits != l.Digits {
		t.Errorf("waiting: %+v", in)
	}
	if status, in := s.call("/api/pair/wait", map[string]string{"request": l.Request}); status != 410 || in.Error.Code != engine.PairingExpired {
		t.Errorf("afterwards: %d %+v", status, in)
	}
	s.wantTold("refused slow approver by expiry")
}

// Wrong codes end nothing, and stop counting after ten a minute.
func TestWrongCodesDestroyNothing(t *testing.T) {
	s := open(t, nil)
	class := s.m.ShowClassCode()
	got := ""
	for range 12 {
		status, _ := s.pair("ZZZZZZZZ", "guess")
		got += fmt.Sprintf("%d ", status)
	}
	if want := strings.Repeat("403 ", 10) + "429 429 "; got != want {
		t.Errorf("answers %s, want %s", got, want)
	}
	if st := s.m.State(); st.Class != class {
		t.Errorf("the class code is %q, was %q", st.Class, class)
	}
}

// A token is nothing to find in what the server keeps or shows, and it ends.
func TestTokensEnd(t *testing.T) {
	clock := newHandClock()
	s := open(t, func(o *mirror.Options) { o.Clock = clock })
	_, l := s.pair(s.m.ShowClassCode(), "Ada")
	health := func() int { status, _, _ := s.request("GET", "/api/health", l.Token, ""); return status }
	clock.advance(11 * time.Hour)
	if health() != 200 {
		t.Error("gone after 11 hours")
	}
	clock.advance(11 * time.Hour)
	if health() != 200 {
		t.Error("gone 11 hours after it was last seen")
	}
	clock.advance(13 * time.Hour)
	if health() != 401 {
		t.Error("still good after 13 hours without use")
	}
	if status, _, _ := s.request("GET", "/api/health", s.tokens[mirror.Viewer], ""); status != 200 {
		t.Errorf("a token of the file ended too: %d", status)
	}
	s.wantTold("paired Ada viewer by Ada", "revoked Ada viewer by expiry")
}

func TestRevokeAndLeave(t *testing.T) {
	s := open(t, nil)
	_, l := s.pair(s.m.ShowClassCode(), "Ada")
	c := s.dial(l.Token, 0)
	c.untilType("patch")
	if err := s.m.Revoke("dev_nobody"); engine.CodeOf(err) != engine.DeviceUnknown {
		t.Errorf("an unknown device: %v", err)
	}
	began := time.Now()
	if err := s.m.Revoke(l.DeviceID); err != nil {
		t.Fatal(err)
	}
	if code := c.closed(); code != 4403 || time.Since(began) > time.Second {
		t.Errorf("closed with %d after %s", code, time.Since(began))
	}
	if status, _, _ := s.request("GET", "/api/health", l.Token, ""); status != 401 {
		t.Errorf("the token: %d", status)
	}
	if code := s.dial(l.Token, 0).closed(); code != 4401 {
		t.Errorf("coming again: %d", code)
	}
	_, l = s.pair(s.m.State().Class, "Bob")
	c = s.dial(l.Token, 0)
	c.untilType("patch")
	c.tell(map[string]any{"type": "leave"})
	if code := c.closed(); code != 4403 {
		t.Errorf("leaving: %d", code)
	}
	_, l = s.pair(s.m.State().Class, "Cid")
	if status, _, _ := s.request("POST", "/api/leave", l.Token, ""); status != 204 {
		t.Errorf("leaving by POST: %d", status)
	}
	if status, _, _ := s.request("GET", "/api/health", l.Token, ""); status != 401 {
		t.Errorf("the token of who left: %d", status)
	}
	s.wantTold("paired Ada viewer by Ada", "revoked Ada viewer by terminal", "paired Bob viewer by Bob", "revoked Bob viewer by Bob",
		"paired Cid viewer by Cid", "revoked Cid viewer by Cid")
}

// A device that is given another role is told at once, and begins anew with what that may see.
func TestSetRole(t *testing.T) {
	s := open(t, func(o *mirror.Options) { o.Share = mirror.ShareNone }, say("the answer"))
	_, l := s.pair(s.m.ShowClassCode(), "Ada")
	s.send("the question")
	s.untilKind("run.completed")
	c := s.dial(l.Token, 0)
	last := c.until(func(m message) bool { return m.Type == "patch" && strings.Contains(m.raw, `"run.completed"`) })
	if strings.Contains(last.raw, "answer") || c.page.holds("question") || c.page.holds("answer") {
		t.Errorf("a viewer of nothing sees %+v", c.page.rows)
	}
	if err := s.m.SetRole(l.DeviceID, "king"); engine.CodeOf(err) != engine.InvalidCommand {
		t.Errorf("no such role: %v", err)
	}
	if err := s.m.SetRole(l.DeviceID, mirror.Presenter); err != nil {
		t.Fatal(err)
	}
	if m := c.untilType("auth_ok"); m.Role != mirror.Presenter || m.Share != mirror.ShareAll {
		t.Errorf("told %s", m.raw)
	}
	c.untilType("reset")
	c.until(func(m message) bool { return m.Type == "patch" && strings.Contains(m.raw, `"run.completed"`) })
	if !c.page.holds("the answer") || !c.page.holds("the question") {
		t.Errorf("a presenter sees %+v", c.page.rows)
	}
}

func (p *page) holds(s string) bool {
	for _, r := range p.rows {
		if b, _ := json.Marshal(r); strings.Contains(string(b), s) {
			return true
		}
	}
	return false
}
