package tui

import (
	"context"
	"fmt"
	"iter"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"agentstudio/engine"
	"agentstudio/engine/words"
)

// lobby is a mirror in memory.
type lobby struct {
	mu      sync.Mutex
	state   MirrorState
	changed chan struct{}
	asked   []string // of it, in order
	digits  string   // that are right
}

func (l *lobby) Follow(ctx context.Context) iter.Seq[MirrorState] {
	return func(yield func(MirrorState) bool) {
		for {
			l.mu.Lock()
			s, changed := l.state, make(chan struct{})
			l.changed = changed
			l.mu.Unlock()
			if !yield(s) {
				return
			}
			select {
			case <-changed:
			case <-ctx.Done():
				return
			}
		}
	}
}

// set changes how things are.
func (l *lobby) set(how func(*MirrorState)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	how(&l.state)
	if l.changed != nil {
		close(l.changed)
		l.changed = nil
	}
}

func (l *lobby) note(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked = append(l.asked, fmt.Sprintf(format, args...))
}

func (l *lobby) all() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.asked, ", ")
}

func (l *lobby) Start(context.Context) error {
	l.note("start")
	l.set(func(s *MirrorState) {
		s.On, s.Share, s.Addresses = true, "all", []string{"https://192.168.1.20:8484", "http://127.0.0.1:8484"}
	})
	return nil
}

func (l *lobby) Stop() error {
	l.note("stop")
	l.set(func(s *MirrorState) { *s = MirrorState{} })
	return nil
}

func (l *lobby) Show() error { l.note("show"); return nil }

func (l *lobby) ShowClassCode() error {
	l.note("class")
	l.set(func(s *MirrorState) { s.Class, s.Link = "7KQ2M4XD", "https://192.168.1.20:8484/#p=7KQ2M4XD" })
	return nil
}

func (l *lobby) HideClassCode() error {
	l.note("no class")
	l.set(func(s *MirrorState) { s.Class, s.Link = "", "" })
	return nil
}

func (l *lobby) ShowApproverCode() error {
	l.note("approver")
	l.set(func(s *MirrorState) {
		s.Approver, s.Until, s.Link = "ABCD2345", time.Now().Add(2*time.Minute), "https://192.168.1.20:8484/#p=ABCD2345"
	})
	return nil
}

func (l *lobby) Confirm(digits string) error {
	l.note("digits %s", digits)
	l.set(func(s *MirrorState) { s.Asking = nil })
	if digits != l.digits {
		return engine.Errorf(engine.PairingRefused, "these are not the digits")
	}
	return nil
}

func (l *lobby) Refuse() error {
	l.note("refuse")
	l.set(func(s *MirrorState) { s.Asking = nil })
	return nil
}

func (l *lobby) Revoke(id string) error { l.note("revoke %s", id); return nil }

func (l *lobby) SetRole(id, role string) error {
	l.note("%s is %s", id, role)
	return nil
}

func (l *lobby) SetShare(level string) error {
	l.note("share %s", level)
	l.set(func(s *MirrorState) { s.Share = level })
	return nil
}

func (l *lobby) StopHeld(a engine.ApprovalID) error {
	l.note("stop %s", a)
	l.set(func(s *MirrorState) { s.Held = nil })
	return nil
}

func (l *lobby) into(o *Options) { o.Mirror = l }

func (l *lobby) says(s *screen, want string) {
	s.t.Helper()
	s.until(want, func() bool { return l.all() == want })
}

// asks has somebody ask to be let in as approver.
func asks(name string) func(*MirrorState) {
	return func(s *MirrorState) {
		s.Asking = &MirrorAsking{Name: name, Address: "192.168.1.7", Until: time.Now().Add(time.Minute)}
	}
}

func TestTheMirrorIsSwitchedOnAndOff(t *testing.T) {
	l := &lobby{}
	s := stage(t, setup{options: l.into})
	s.Press("f3")
	s.Shows("Web mirror", "It is off", "Enter switches it on")
	s.Press("enter")
	s.Shows("on · 0 connected", "https://192.168.1.20:8484", "everything on this screen", "Nobody is let in yet")
	s.Type("v")
	s.Shows("without arguments and results")
	s.Type("s")
	s.Shows("Switch the mirror off")
	s.Type("n")
	s.Lacks("Switch the mirror off")
	s.Type("sy")
	s.Shows("It is off")
	l.says(s, "start, share names, stop")
}

func TestCodesAreShownLarge(t *testing.T) {
	l := &lobby{}
	s := stage(t, setup{w: 100, h: 30, options: l.into})
	s.Press("f3")
	s.Press("enter")
	s.Shows("Nobody is let in yet")
	s.Type("c")
	s.Shows("To watch: open this address", "7KQ2 M4XD", "▀", "Esc goes back")
	s.Press("esc")
	s.Shows("viewers' code", "7KQ2 M4XD")
	s.Type("a")
	s.Shows("For one approver", "ABCD 2345")
	s.Resize(60, 14)
	s.Shows("needs a larger window", "ABCD 2345")
	l.says(s, "start, class, approver")
}

// A class code stays while somebody uses the approver's, which was shown large: who asks is seen then, and
// not a code that has been used.
func TestWhoAsksIsSeenAlthoughACodeIsShownLarge(t *testing.T) {
	l := &lobby{digits: "4071"}
	s := stage(t, setup{w: 100, h: 30, options: l.into})
	s.Press("f3")
	s.Press("enter")
	s.Shows("Nobody is let in yet")
	s.Type("c")
	s.Shows("To watch: open this address")
	s.Press("esc")
	s.Type("a")
	s.Shows("For one approver")
	l.set(func(s *MirrorState) { s.Approver = ""; asks("Ada's phone")(s) })
	s.Shows("Ada's phone at 192.168.1.7 wants to approve", "four digits on their screen")
	s.Type("4071")
	s.Press("enter")
	s.Lacks("wants to approve")
	s.Lacks("For one approver")
	l.says(s, "start, class, approver, digits 4071")
}

func TestAnApproverIsLetInByDigits(t *testing.T) {
	l := &lobby{digits: "4071"}
	s := stage(t, setup{options: l.into})
	s.Shows("Message")
	_ = l.Start(t.Context())
	l.set(asks("Ada's phone"))
	s.Shows("Ada's phone wants to approve; F3 lets in")
	s.Press("f3")
	s.Shows("at 192.168.1.7 wants to approve", "four digits on their screen")
	s.Type("407")
	s.Press("backspace")
	s.Type("71999")
	s.Shows("4071")
	s.Press("enter")
	asking := func(want bool) { // of the screen's goroutine: what is painted may be from before
		s.until("who asks", func() (is bool) {
			s.on(func(m *Model) { is = (m.mirror.Asking != nil) == want && !m.top().(*mirrorList).busy })
			return is
		})
	}
	asking(false)
	l.set(asks("Ada's phone"))
	asking(true)
	s.Type("1234")
	s.Press("enter")
	s.Shows("these are not the digits")
	asking(false)
	l.set(asks("Ada's phone"))
	asking(true)
	s.Type("r")
	asking(false)
	l.says(s, "start, digits 4071, digits 1234, refuse")
}

func TestDevicesChangeRolesAndGo(t *testing.T) {
	l := &lobby{state: MirrorState{On: true, Share: "all", Addresses: []string{"http://127.0.0.1:8484"}, Devices: []MirrorDevice{
		{ID: "dev_1", Name: "Ada", Role: "viewer", Address: "192.168.1.7", Online: true}, {ID: "dev_2", Name: "林", Role: "approver"}}}}
	s := stage(t, setup{options: l.into})
	s.Press("f3")
	s.Shows("viewer", "Ada", "192.168.1.7", "here", "approver", "away")
	s.Press("right")
	l.says(s, "dev_1 is approver")
	s.Press("down")
	s.Press("left")
	l.says(s, "dev_1 is approver, dev_2 is viewer")
	s.Type("x")
	s.Shows("Throw 林 out?")
	s.Type("n")
	s.Lacks("Throw")
	s.Type("x")
	s.Shows("Throw 林 out?")
	s.Type("y")
	l.says(s, "dev_1 is approver, dev_2 is viewer, revoke dev_2")
}

// What must be seen at all times stands below the header, and Esc stops an approval before it counts.
func TestHeldApprovalsAreStopped(t *testing.T) {
	l := &lobby{state: MirrorState{On: true, Share: "all", Insecure: true}}
	s := stage(t, setup{options: l.into})
	s.Shows("approvals over plain http are admitted")
	l.set(func(m *MirrorState) {
		m.Held = []MirrorHeld{{Name: "Ada", Approval: "apr_1", Digest: "3f2a9c10ffff", Until: time.Now().Add(3 * time.Second)}}
	})
	s.Shows("Ada approves 3f2a9c10 over plain http", "Esc stops it")
	s.Press("esc")
	s.Lacks("Ada approves")
	l.says(s, "stop apr_1")
}

func TestSweepOfTheMirror(t *testing.T) {
	x := plainTexts()
	for _, lang := range words.Languages() {
		for _, ascii := range []bool{false, true} {
			m := story("idle", x).still(setup{w: 80, h: 24, lang: lang, theme: "projector", ascii: ascii})
			l := &lobby{}
			m.o.Mirror = l
			_ = l.Start(t.Context())
			_ = l.ShowClassCode()
			l.state.Insecure = true
			l.state.Asking = &MirrorAsking{Name: strings.Repeat("长", 24), Address: "192.168.1.7", Until: time.Now()}
			for i := range 12 {
				l.state.Devices = append(l.state.Devices, MirrorDevice{ID: fmt.Sprint(i), Name: strings.Repeat("长", 24), Role: roles()[i%4], Address: "192.168.100.200", Online: i%2 == 0})
			}
			m.mirrored(l.state)
			for _, o := range []overlay{&mirrorList{}, &mirrorList{code: true}, &mirrorList{on: "d11"}, &mirrorAsk{}} {
				m.overlays = []overlay{o}
				for w := 1; w <= 161; w += 8 {
					for _, h := range []int{1, 12, 13, 18, 24, 45} {
						m.Update(tea.WindowSizeMsg{Width: w, Height: h})
						checkFits(failing{t, fmt.Sprintf("%s %v %T %dx%d", lang, ascii, o, w, h)}, m, w, h)
					}
				}
			}
		}
	}
}

// Whether a phone gets there is said beside the addresses, and with the code.
func TestAMirrorOfThisComputer(t *testing.T) {
	for _, c := range []struct {
		addresses []string
		near      bool
		code      string
	}{
		{[]string{"http://127.0.0.1:8484", "http://[::1]:8484", "http://localhost:8484"}, true, "One approver, on this computer: open this address (phones: --mirror-lan)"},
		{[]string{"https://studio.example", "http://127.0.0.1:8484"}, false, "For one approver: open this address, or point the camera here"},
		{[]string{"https://192.168.1.20:8484"}, false, "For one approver: open this address, or point the camera here"},
		{[]string{"http://192.168.1.20:8484"}, false, "by plain http devices can only watch; start with --mirror-tls self"},
	} {
		l := &lobby{state: MirrorState{On: true, Share: "all", Addresses: c.addresses}}
		s := stage(t, setup{options: l.into})
		s.Press("f3")
		s.Shows("Web mirror", c.addresses[0])
		shown, _ := s.text()
		if got := strings.Contains(shown, "only this computer gets there"); got != c.near {
			t.Errorf("%q: near %v", c.addresses, got)
		}
		s.Type("a")
		s.Shows(c.code)
		shown = s.await("the code has no time", regexp.MustCompile(`ABCD 2345  [12]:\d\d`).MatchString)
		if got := strings.Contains(shown, "▀"); got != strings.HasPrefix(c.code, "For one") {
			t.Errorf("%q: a picture that phones read: %v", c.addresses, got)
		}
	}
}

// The cursor stays on its device while others come and go; what was pressed for one that has gone is
// done to nobody.
func TestTheCursorStaysOnItsDevice(t *testing.T) {
	ada, vic, lin := MirrorDevice{ID: "dev_1", Name: "Ada", Role: "viewer"}, MirrorDevice{ID: "dev_2", Name: "Vic", Role: "viewer"}, MirrorDevice{ID: "dev_3", Name: "Lin", Role: "viewer"}
	l := &lobby{state: MirrorState{On: true, Share: "all", Addresses: []string{"http://127.0.0.1:8484"}, Devices: []MirrorDevice{ada, vic, lin}}}
	s := stage(t, setup{options: l.into})
	s.Press("f3")
	s.Shows("Ada", "Vic", "Lin")
	s.Press("down")
	l.set(func(m *MirrorState) { m.Devices = []MirrorDevice{vic, lin} })
	s.Lacks("Ada")
	s.Press("right")
	l.says(s, "dev_2 is approver")
	l.set(func(m *MirrorState) { m.Devices = []MirrorDevice{ada, lin} })
	s.Lacks("Vic")
	s.Press("right")
	s.Type("x")
	s.on(func(m *Model) {
		if sure := m.top().(*mirrorList).sure; sure != "" {
			t.Errorf("%s is to be thrown out, to whom nobody moved", sure)
		}
	})
	s.Press("up")
	s.Press("right")
	l.says(s, "dev_2 is approver, dev_1 is approver")
}

// Digits belong to who asked while they were typed.
func TestDigitsAreForOneWhoAsks(t *testing.T) {
	l := &lobby{digits: "4585"}
	s := stage(t, setup{options: l.into})
	_ = l.Start(t.Context())
	s.Press("f3")
	l.set(asks("Ada"))
	s.Shows("Ada at 192.168.1.7 wants to approve")
	s.Type("12")
	l.set(asks("Vic"))
	s.Shows("Vic at 192.168.1.7 wants to approve")
	s.Type("4585")
	s.Press("enter")
	l.says(s, "start, digits 4585")
}

// The question whether the devices follow comes by itself: keys on their way to the message don't answer it.
func TestFollowingIsNotAnsweredByAKeyUnderWay(t *testing.T) {
	l := &lobby{state: MirrorState{On: true, Share: "all", Addresses: []string{"http://127.0.0.1:8484"}}}
	s := stage(t, setup{options: l.into})
	ask := func() { s.on(func(m *Model) { m.cover(&mirrorAsk{since: m.o.Now()}) }) }
	ask()
	s.Shows("Show them this one instead?")
	s.Type("yes and no\r")
	s.Shows("Show them this one instead?")
	s.on(func(m *Model) {
		if d := m.composer.text(); d != "yes and no" {
			t.Errorf("the draft is %q", d)
		}
	})
	s.Press("x")
	s.Shows("Show them this one instead?")
	s.Press("esc")
	s.Lacks("Show them this one instead?")
	l.says(s, "")
	ask()
	s.now.advance(time.Second)
	s.Type("y")
	s.Shows("The mirror shows this session now")
	l.says(s, "show")
}

// Esc stops an approval that is about to count also while something else is open.
func TestHeldApprovalsAreStoppedOverAnything(t *testing.T) {
	l := &lobby{state: MirrorState{On: true, Share: "all", Insecure: true}}
	s := stage(t, setup{options: l.into})
	s.Press("f3")
	s.Shows("Web mirror")
	l.set(func(m *MirrorState) {
		m.Held = []MirrorHeld{{Name: "Ada", Approval: "apr_1", Digest: "3f2a9c10ffff", Until: time.Now().Add(3 * time.Second)}}
	})
	s.Shows("Ada approves 3f2a9c10 over plain http")
	s.Press("esc")
	s.Lacks("Ada approves")
	s.Shows("Web mirror")
	l.says(s, "stop apr_1")
}

// On the smallest screen the device that keys act on is there, a code's address is whole, and so is the
// field for the digits; a code whose time is over has no picture.
func TestTheMirrorOnTheSmallestScreen(t *testing.T) {
	for _, lang := range words.Languages() {
		for _, size := range [][2]int{{40, 12}, {60, 14}, {80, 12}, {40, 16}} {
			m := story("idle", plainTexts()).still(setup{w: size[0], h: size[1], lang: lang})
			l := &lobby{}
			m.o.Mirror = l
			_ = l.Start(t.Context())
			l.state.Devices = []MirrorDevice{{ID: "dev_1", Name: "Ada", Role: "viewer"}, {ID: "dev_2", Name: "Lin", Role: "viewer"}}
			m.mirrored(l.state)
			list := &mirrorList{}
			m.overlays = []overlay{list}
			shows := func(about string, want ...string) {
				t.Helper()
				shown := ansi.Strip(m.View().Content)
				for _, text := range want {
					if !strings.Contains(shown, text) {
						t.Errorf("%s %v, %s: no %q in\n%s", lang, size, about, text, shown)
					}
				}
			}
			shows("devices", "Ada")
			l.state.Asking = &MirrorAsking{Name: "Eve", Address: "192.168.1.7", Until: m.o.Now().Add(time.Minute)}
			m.mirrored(l.state)
			list.digits = "4071"
			shows("digits", "Eve", "4071")
			l.state.Asking = nil
			_ = l.ShowApproverCode()
			m.mirrored(l.state)
			list.code = true
			shows("code", "https://192.168.1.20:8484", "ABCD 2345")
			m.mirror.Until = m.o.Now()
			if shown := ansi.Strip(m.View().Content); strings.Contains(shown, "▀") || strings.Contains(shown, "ABCD") {
				t.Errorf("a dead code is shown:\n%s", shown)
			}
		}
	}
}

// However small the screen, who asks, the field for the digits and all keys are there.
func TestTheMirrorsKeysAreSeen(t *testing.T) {
	x := plainTexts()
	for _, lang := range words.Languages() {
		for _, ascii := range []bool{false, true} {
			for _, size := range [][2]int{{60, 14}, {80, 24}, {100, 30}} {
				for _, asks := range []bool{false, true} {
					m := story("idle", x).still(setup{w: size[0], h: size[1], lang: lang, ascii: ascii})
					l := &lobby{}
					m.o.Mirror = l
					_ = l.Start(t.Context())
					want := []string{"Esc"}
					if asks {
						l.state.Asking = &MirrorAsking{Name: "Ada", Address: "192.168.1.7", Until: time.Now()}
						want = []string{"Ada", string(m.label("lobby.digits")), "Enter", "Esc"}
					}
					for i := range 12 {
						l.state.Devices = append(l.state.Devices, MirrorDevice{ID: fmt.Sprint(i), Name: "device", Role: roles()[i%4]})
					}
					m.mirrored(l.state)
					m.overlays = []overlay{&mirrorList{}}
					shown := ansi.Strip(m.View().Content)
					for _, text := range want {
						if !strings.Contains(shown, text) {
							t.Errorf("%s ascii %v %v asks %v: no %q in\n%s", lang, ascii, size, asks, text, shown)
						}
					}
				}
			}
		}
	}
}
