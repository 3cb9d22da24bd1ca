package mirror_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"agentstudio/engine"
	"agentstudio/engine/view"
	"agentstudio/engine/words"
	"agentstudio/mirror"
)

// The log says of each change of role what it is, not always that the device may decide.
func TestRoleChangesAreTold(t *testing.T) {
	s := open(t, nil)
	_, l := s.pair(s.m.ShowClassCode(), "Ada")
	for _, r := range []mirror.Role{mirror.Presenter, mirror.Approver, mirror.Approver, mirror.Operator, mirror.Approver, mirror.Viewer} {
		if err := s.m.SetRole(l.DeviceID, r); err != nil {
			t.Fatal(err)
		}
	}
	s.wantTold("paired Ada viewer by Ada", "changed Ada presenter by terminal", "promoted Ada approver by terminal",
		"changed Ada operator by terminal", "changed Ada approver by terminal", "changed Ada viewer by terminal")
	var captions []string
	var v view.State
	s.until(func(e engine.Event) bool {
		p, err := v.Apply(e)
		if err != nil {
			t.Fatal(err)
		}
		d, is := e.Payload.(engine.MirrorDevice)
		if is {
			captions = append(captions, words.Caption(words.English, p.Timeline[0].Kind, p.Timeline[0].Args))
		}
		return is && d.Role == "viewer" && d.What == "changed"
	})
	if got := strings.Join(captions, "|"); got != "Ada let in|Ada is a presenter now|Ada may decide now|Ada may also send now|Ada is an approver now|Ada only watches now" {
		t.Errorf("captions: %s", got)
	}
}

// What was decided of the share level and of tokens of the file outlives a mirror; who was paired does not.
func TestDecidedOutlivesAMirror(t *testing.T) {
	var o mirror.Options
	s := open(t, func(given *mirror.Options) { o = *given })
	_, paired := s.pair(s.m.ShowClassCode(), "Ada")
	ids := map[string]string{}
	for _, d := range s.m.State().Devices {
		ids[d.Name] = d.ID
	}
	if err := s.m.SetShare(mirror.ShareNone); err != nil {
		t.Fatal(err)
	}
	if err := s.m.Revoke(ids["operator"]); err != nil {
		t.Fatal(err)
	}
	if err := s.m.SetRole(ids["approver"], mirror.Viewer); err != nil {
		t.Fatal(err)
	}
	if status, _, _ := s.request("POST", "/api/leave", s.tokens[mirror.Presenter], ""); status != 204 {
		t.Fatalf("leaving: %d", status)
	}
	for range 2 { // twice off and on
		if err := s.m.Close(); err != nil {
			t.Fatal(err)
		}
		o.Decided = s.m.Decided()
		var err error
		if s.m, err = mirror.New(o); err != nil {
			t.Fatal(err)
		}
		defer s.m.Close()
		s.base = ""
		for _, a := range s.m.State().Addresses {
			if strings.Contains(a, "127.0.0.1") {
				s.base = a
			}
		}
		if got := s.m.State().Share; got != mirror.ShareNone {
			t.Errorf("the share is %s", got)
		}
		for _, d := range s.m.State().Devices {
			if want := map[string]mirror.Role{"viewer": mirror.Viewer, "approver": mirror.Viewer}[d.Name]; d.Role != want || d.ID != ids[d.Name] {
				t.Errorf("there is %+v", d)
			}
		}
		for token, want := range map[string]int{s.tokens[mirror.Viewer]: 200, s.tokens[mirror.Approver]: 200, s.tokens[mirror.Operator]: 401,
			s.tokens[mirror.Presenter]: 401, paired.Token: 401} {
			if status, _, _ := s.request("GET", "/api/health", token, ""); status != want {
				t.Errorf("a token: %d, want %d", status, want)
			}
		}
	}
}

// However many watch, there is a place for who decides.
func TestViewersLeaveRoom(t *testing.T) {
	s := open(t, func(o *mirror.Options) {
		o.Clients, o.Limits = 16, mirror.Limits{Sockets: 100, Snapshots: 1000, Connects: 1000}
	})
	for i := range 12 {
		if m := s.dial(s.tokens[mirror.Viewer], 1000).untilType("auth_ok"); m.Role != mirror.Viewer {
			t.Fatalf("viewer %d: %s", i, m.raw)
		}
	}
	if code := s.dial(s.tokens[mirror.Viewer], 1000).closed(); code != 4429 {
		t.Errorf("a viewer more: %d", code)
	}
	if status, _, body := s.request("GET", "/api/events", s.tokens[mirror.Viewer], ""); status != 429 {
		t.Errorf("a viewer's stream: %d %s", status, body)
	}
	for _, r := range []mirror.Role{mirror.Approver, mirror.Presenter, mirror.Operator, mirror.Approver} {
		s.dial(s.tokens[r], 1000).untilType("auth_ok")
	}
	if code := s.dial(s.tokens[mirror.Operator], 1000).closed(); code != 4429 {
		t.Errorf("one more than there are places: %d", code)
	}
}

// While somebody asks to be let in, nobody else gets the name that the terminal is shown.
func TestNamesOfWhoAsks(t *testing.T) {
	s := open(t, nil)
	class := s.m.ShowClassCode()
	code, _, err := s.m.ShowApproverCode()
	if err != nil {
		t.Fatal(err)
	}
	if status, _ := s.pair(code, "Ada"); status != 202 {
		t.Fatalf("asking: %d", status)
	}
	for i, name := range []string{"Ada", "ada", "Terminal", "terminal"} {
		if _, l := s.pair(class, name); l.Name == name {
			t.Errorf("%d: a viewer is called %q", i, l.Name)
		}
	}
	s.m.Refuse()
	if _, l := s.pair(class, "Ada"); l.Name != "Ada" {
		t.Errorf("after the request: %q", l.Name)
	}
	seen := map[string]bool{}
	for _, d := range s.m.State().Devices {
		if low := strings.ToLower(d.Name); seen[low] {
			t.Errorf("two devices are called %q", d.Name)
		} else {
			seen[low] = true
		}
	}
}

// Devices that were idle for 12 h are let go: they are listed no more, and make room.
func TestIdleDevicesGo(t *testing.T) {
	clock := newHandClock()
	s := open(t, func(o *mirror.Options) { o.Clock = clock })
	code := s.m.ShowClassCode()
	_, here := s.pair(code, "Here")
	for i := range 5 {
		s.pair(code, fmt.Sprint("Away ", i))
	}
	c := s.dial(here.Token, 0)
	c.untilType("patch")
	listed := func() (names []string) {
		for _, d := range s.m.State().Devices {
			if d.Via == "class" {
				names = append(names, d.Name)
			}
		}
		return names
	}
	clock.advance(12 * time.Hour)
	if got := listed(); len(got) != 6 {
		t.Errorf("after 12 h: %q", got)
	}
	clock.advance(10 * time.Minute)
	if got := listed(); len(got) != 1 || got[0] != "Here" {
		t.Errorf("after more: %q", got)
	}
	if n := strings.Count(strings.Join(s.told(), "\n"), "by expiry"); n != 5 {
		t.Errorf("told are %q", s.told())
	}
}
