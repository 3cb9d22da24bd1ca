package tui

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"go.uber.org/goleak"

	"agentstudio/engine"
	"agentstudio/engine/view"
	"agentstudio/engine/words"
)

func TestMain(m *testing.M) {
	if how := os.Getenv("AGENTSTUDIO_TUI_TEST_CHILD"); how != "" {
		os.Exit(child(how))
	}
	time.Local = time.UTC // the screen shows local times
	// Bubble Tea's reader hands over what a read gave without looking whether anybody still takes
	// it: a reply of the terminal that arrives while a program quits keeps it for ever.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/charmbracelet/ultraviolet.(*TerminalReader).sendEvents"))
}

// asking is a stage on which an approval is open and has settled.
func asking(t *testing.T, set setup) (*screen, *saver) {
	t.Helper()
	tool := &saver{preview: "# Report\n\nROAS 2.33\n", content: "saved"}
	set.cfg = withTools(tool)
	s := stage(t, set, calls("save", `{}`), says("all done"))
	s.Press("ctrl+d")
	s.Press("enter")
	if set.h > 0 && set.h < 20 { // the text is below
		s.Shows("PgDn")
		s.Press("pgdown")
		s.Press("pgdown")
	}
	s.Shows("ROAS 2.33")
	return s, tool
}

func TestTheMainJobByHand(t *testing.T) {
	for _, size := range [][2]int{{160, 45}, {100, 30}, {80, 24}, {60, 20}, {40, 12}} {
		for _, lang := range words.Languages() {
			s, tool := asking(t, setup{w: size[0], h: size[1], lang: lang})
			s.Press("ctrl+y")
			s.Shows("all done", words.Text(lang, "phase.idle", nil))
			if tool.ran.Load() != 1 {
				t.Errorf("%v %s: the tool ran %d times", size, lang, tool.ran.Load())
			}
			events := s.events("run.completed")
			if r := events[len(events)-1]; r.Payload.(engine.RunCompleted).Turns != 2 {
				t.Errorf("%v %s: %+v", size, lang, r)
			}
			for _, e := range events {
				if p, ok := e.Payload.(engine.ApprovalResolved); ok && (p.Status != engine.Approved || p.By.Screen != "tui") {
					t.Errorf("%v %s: resolved as %+v", size, lang, p)
				}
			}
		}
	}
}

func TestTheDemoKeyFillsInAndSendsNothing(t *testing.T) {
	s := stage(t, setup{}, says("hello"))
	s.Press("ctrl+d")
	s.Shows("the demo prompt")
	if d := s.Draft(); d != "the demo prompt" {
		t.Fatalf("the draft is %q", d)
	}
	s.on(func(m *Model) {
		if m.state.Status.Run != "" {
			t.Error("a run has begun")
		}
	})
}

func TestDenyWithAReason(t *testing.T) {
	s, tool := asking(t, setup{w: 160, h: 45})
	s.Press("ctrl+n")
	s.Shows("Reason (optional)")
	s.Type("not ")
	s.Type("\x1b[200~to\nday\x1b[201~")
	s.Shows("not to day")
	s.Press("enter")
	s.Shows("all done")
	var denied engine.ToolDenied
	for _, e := range s.events("run.completed") {
		if p, ok := e.Payload.(engine.ToolDenied); ok {
			denied = p
		}
	}
	if denied.Code != engine.ApprovalDenied || !strings.Contains(denied.Message, "not to day") || tool.ran.Load() != 0 {
		t.Fatalf("denied with %+v, ran %d times", denied, tool.ran.Load())
	}
	if d := s.Draft(); d != "" {
		t.Fatalf("the reason went into the draft: %q", d)
	}
}

func TestEscapeGoesBackFromTheReason(t *testing.T) {
	s, _ := asking(t, setup{})
	s.Press("ctrl+n")
	s.Shows("Reason (optional)")
	s.Press("esc")
	s.Lacks("Reason (optional)")
	s.Shows("^Y approve")
	if n := s.decisions(); n != 0 {
		t.Fatalf("%d decisions", n)
	}
}

func TestMoreTime(t *testing.T) {
	s, _ := asking(t, setup{})
	s.Press("ctrl+t")
	events := s.events("approval.extended")
	p := events[len(events)-1].Payload.(engine.ApprovalExtended)
	asked := time.Time{}
	for _, e := range events {
		if q, ok := e.Payload.(engine.ApprovalRequired); ok {
			asked = q.ExpiresAt.Time
		}
	}
	if got := p.ExpiresAt.Sub(asked); got != extendBy || p.By.Screen != "tui" {
		t.Fatalf("extended by %s by %+v", got, p.By)
	}
}

func TestWhyWasIAsked(t *testing.T) {
	s, _ := asking(t, setup{w: 160, h: 45})
	s.Press("ctrl+w")
	s.Shows("ask save", "built in")
}

func TestNobodyThere(t *testing.T) {
	tool := &saver{preview: "x"}
	cfg := withTools(tool)
	cfg.ApprovalExpiry = 50 * time.Millisecond
	s := stage(t, setup{cfg: cfg}, calls("save", `{}`), says("nobody came"))
	s.Press("ctrl+d")
	s.Press("enter")
	s.Shows("nobody came", "APPROVAL_EXPIRED")
	if tool.ran.Load() != 0 {
		t.Fatal("it ran")
	}
}

// Keys that were on their way to the composer when the panel opened decide nothing.
func TestTypedAhead(t *testing.T) {
	var script []struct {
		At    int
		Bytes string
		Event string
	}
	read(t, "a-typed-ahead/keys.json", &script)
	for _, decide := range []string{"", "\x19", "\x0e", "\x19\x19\x19"} { // and the deciding keys themselves, in flight
		tool := &saver{preview: "x"}
		open := make(chan struct{})
		s := stage(t, setup{cfg: withTools(tool)}, waits(open, calls("save", `{}`)), says("done"))
		s.Press("ctrl+d")
		s.Press("enter")
		s.Shows("running")
		began := s.now.get()
		for _, k := range script {
			s.now.advance(began.Add(time.Duration(k.At) * time.Millisecond).Sub(s.now.get()))
			if k.Event != "" {
				close(open)
				s.Shows("APPROVAL")
				continue
			}
			s.Type(k.Bytes + decide)
		}
		if n := s.decisions(); n != 0 || tool.ran.Load() != 0 {
			t.Errorf("with %q: %d decisions, ran %d times", decide, n, tool.ran.Load())
		}
		if d := s.Draft(); d != "please say yes and" {
			t.Errorf("with %q: the draft is %q", decide, d)
		}
	}
}

func TestAPasteNeverDecides(t *testing.T) {
	var script []struct {
		At    int
		Bytes string
		Event string
	}
	read(t, "a-typed-ahead/paste.json", &script)
	s, tool := asking(t, setup{})
	for _, k := range script {
		s.now.advance(2 * time.Second)
		if k.Bytes != "" {
			s.Type(k.Bytes)
		}
		s.Type("\x1b[200~\x19\x0e\ry\n\x1b[201~")
	}
	if n := s.decisions(); n != 0 || tool.ran.Load() != 0 {
		t.Fatalf("%d decisions", n)
	}
}

// A key held down from before the panel opened decides nothing, and the panel appears all the same.
func TestAHeldKeyDecidesNothing(t *testing.T) {
	for _, key := range []string{"y", "\x19", "\x0e", "\r"} {
		tool := &saver{preview: "x"}
		open := make(chan struct{})
		s := stage(t, setup{cfg: withTools(tool)}, waits(open, calls("save", `{}`)), says("done"))
		s.Press("ctrl+d")
		s.Press("enter")
		s.Shows("running")
		for i := range 60 {
			s.now.advance(30 * time.Millisecond)
			if i == 20 {
				close(open)
				s.Shows("APPROVAL")
			}
			s.Type(key)
		}
		if n := s.decisions(); n != 0 || tool.ran.Load() != 0 {
			t.Errorf("%q held: %d decisions", key, n)
		}
	}
}

// A second question has its own waiting time: a fast double key answers at most the first.
func TestASecondQuestionWaitsForItself(t *testing.T) {
	tool := &saver{preview: "x"}
	s := stage(t, setup{cfg: withTools(tool)}, calls("save", `{"n":1}`), calls("save", `{"n":2}`), says("all finished"))
	s.Press("ctrl+d")
	s.Press("enter")
	s.Shows("APPROVAL")
	s.Press("ctrl+y")
	s.await("the second question never came", func(string) bool { return len(s.openApproval()) > 0 && s.decisions() == 1 })
	s.now.advance(400 * time.Millisecond) // long after the last key, soon after the panel opened
	s.Type("\x19")
	if n := s.decisions(); n != 1 {
		t.Fatalf("%d decisions", n)
	}
	s.Press("ctrl+y")
	s.Shows("all finished")
	if tool.ran.Load() != 2 {
		t.Fatalf("ran %d times", tool.ran.Load())
	}
}

func (s *screen) openApproval() (id string) {
	s.on(func(m *Model) {
		if len(m.state.Approvals) > 0 {
			id = string(m.state.Approvals[0].Approval)
		}
	})
	return id
}

func TestWhoWasFaster(t *testing.T) {
	s, _ := asking(t, setup{w: 160, h: 45})
	var a engine.Decide
	s.on(func(m *Model) {
		p := m.state.Approvals[0]
		a = engine.Decide{Approval: p.Approval, Digest: p.Digest, By: engine.Actor{Screen: "mirror", Name: "Lena"}}
		m.o.Session = late{m.o.Session, func() { _, _ = s.session.Do(s.t.Context(), a) }}
	})
	s.Press("ctrl+y")
	s.Shows("Already decided: denied by Lena")
}

// late lets somebody else decide just before a decision from here arrives.
type late struct {
	Session
	before func()
}

func (l late) Do(ctx context.Context, c engine.Command) (engine.Receipt, error) {
	if _, ok := c.(engine.Decide); ok {
		l.before()
	}
	return l.Session.Do(ctx, c)
}

func TestCancelAndQuit(t *testing.T) {
	s := stage(t, setup{}, waits(make(chan struct{}), says("never")))
	s.Press("ctrl+d")
	s.Press("enter")
	s.Shows("running")
	s.Type("my next message")
	s.Press("ctrl+q")
	s.Shows("y cancels the run and quits")
	s.Press("esc")
	s.Lacks("y cancels the run")
	s.Press("enter")
	s.Shows("queued")
	s.Press("ctrl+c")
	s.Shows("cancelled")
	s.events("run.cancelled")
	if d := s.Draft(); d != "my next message" {
		t.Fatalf("the draft is %q", d)
	}
	s.now.advance(5 * time.Second)
	s.Press("ctrl+c")
	s.Shows("^C again quits")
	if _, err := s.keys.Write([]byte("\x03")); err != nil {
		t.Fatal(err)
	}
	if err := <-s.done; err != nil {
		t.Fatal(err)
	}
	s.done <- nil
}

// While a run is active Enter queues and Ctrl+S steers; what waits can be taken back.
func TestQueueSteerAndTakeBack(t *testing.T) {
	goOn := make(chan struct{})
	s := stage(t, setup{w: 160, h: 45}, waits(goOn, says("first")), says("second"), says("third"))
	s.Press("ctrl+d")
	s.Press("enter")
	s.Shows("running")
	s.Type("later please")
	s.Press("enter")
	s.Shows("later please", "queued")
	s.Type("sooner please")
	s.Press("ctrl+s")
	s.await("two messages never waited", func(string) bool { return s.waiting() == 2 })
	s.Press("ctrl+r")
	s.await("the draft never came back", func(string) bool { return s.Draft() == "sooner please" })
	close(goOn)
	s.Shows("second")
	var told []string
	for _, e := range s.events("run.completed") {
		switch p := e.Payload.(type) {
		case engine.UserMessage:
			told = append(told, p.Delivery+" "+p.Text)
		case engine.UserDelivered, engine.UserWithdrawn:
			told = append(told, e.Kind())
		}
	}
	want := []string{"prompt the demo prompt", "followUp later please", "steer sooner please", "user.withdrawn", "user.delivered"}
	if strings.Join(told, "|") != strings.Join(want, "|") {
		t.Fatalf("got %v, want %v", told, want)
	}
}

func (s *screen) waiting() (n int) {
	s.on(func(m *Model) {
		for _, c := range m.state.Chat {
			if c.State == view.Queued {
				n++
			}
		}
	})
	return n
}

// A burst of keys that is no bracketed paste costs no more than its length.
func TestABurstOfKeysIsNotQuadratic(t *testing.T) {
	m := New(t.Context(), Options{Lang: words.English})
	m.resize(120, 40)
	work := func(n int) float64 {
		return testing.AllocsPerRun(1, func() {
			m.composer.set("")
			for range n {
				m.press(tea.KeyPressMsg{Code: 'y', Text: "y"})
			}
			m.composer.value()
		})
	}
	small, large := work(500), work(5000)
	if large > 20*small {
		t.Fatalf("ten times the keys cost %.0f allocations against %.0f", large, small)
	}
	if got := len(m.composer.value()); got != 5000 {
		t.Fatalf("%d of 5000 keys are in the draft", got)
	}
}

func TestARefusedMessageComesBack(t *testing.T) {
	s := stage(t, setup{}, says("hello"))
	s.on(func(m *Model) { m.o.Session = refusing{m.o.Session} })
	s.Type("keep me")
	s.Press("enter")
	s.Shows("there is no room")
	if d := s.Draft(); d != "keep me" {
		t.Fatalf("the draft is %q", d)
	}
}

type refusing struct{ Session }

func (refusing) Do(context.Context, engine.Command) (engine.Receipt, error) {
	return engine.Receipt{}, engine.Errorf(engine.JournalFailed, "there is no room")
}

func TestTerminalRepliesAreNoKeys(t *testing.T) {
	var script []struct {
		Bytes string
		Pause int
	}
	read(t, "t-query-replies/keys.json", &script)
	s, tool := asking(t, setup{})
	for _, k := range script {
		if k.Bytes != "" {
			if _, err := s.keys.Write([]byte(k.Bytes)); err != nil {
				t.Fatal(err)
			}
		}
	}
	s.settle()
	if d := s.Draft(); d != "hello world" {
		t.Fatalf("the draft is %q", d)
	}
	if n := s.decisions(); n != 0 || tool.ran.Load() != 0 {
		t.Fatalf("%d decisions", n)
	}
}

func TestAResizeKeepsEverything(t *testing.T) {
	s, _ := asking(t, setup{w: 160, h: 45})
	s.Type("half a thought")
	for _, size := range [][2]int{{100, 30}, {80, 24}, {60, 20}, {30, 8}, {1, 1}, {160, 45}} {
		s.Resize(size[0], size[1])
	}
	s.Shows("half a thought", "APPROVAL", "ROAS 2.33", "TIMELINE")
	if d := s.Draft(); d != "half a thought" {
		t.Fatalf("the draft is %q", d)
	}
}

func TestTooSmall(t *testing.T) {
	s := stage(t, setup{}, says("x"))
	s.Resize(39, 11)
	s.Shows("needs 40x12")
	s.Resize(40, 12)
	s.Shows("CHAT")
}

func TestHelpComesFromTheBindings(t *testing.T) {
	s := stage(t, setup{}, says("x"))
	s.Press("f1")
	s.Shows("Everywhere", "Fill in the demo prompt", "In the message field")
	s.Press("pgdown")
	s.Shows("While something is to be approved", "Approve exactly what the panel shows")
	s.Press("esc")
	s.Lacks("Approve exactly")
	for _, lang := range words.Languages() {
		for _, k := range Keys(lang) {
			if k.Keys == "" || strings.HasPrefix(k.Name, "key.") || strings.HasPrefix(k.Help, "help.") {
				t.Errorf("%s: %+v lacks its words", lang, k)
			}
		}
	}
}

func TestNewLinesAndPastesStayInTheDraft(t *testing.T) {
	s := stage(t, setup{}, says("x"))
	s.Type("one")
	s.Press("alt+enter")
	s.Type("two\x1b[200~\r\nthree\x1b[201~")
	if d := s.Draft(); d != "one\ntwo\nthree" {
		t.Fatalf("the draft is %q", d)
	}
	s.Press("enter")
	events := s.events("user.message")
	if p := events[len(events)-1].Payload.(engine.UserMessage); p.Text != "one\ntwo\nthree" {
		t.Fatalf("sent %q", p.Text)
	}
}

func read(t *testing.T, name string, into any) {
	t.Helper()
	b, err := os.ReadFile("testdata/cases/" + name)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, into); err != nil {
		t.Fatal(err)
	}
}

func TestMoney(t *testing.T) {
	amount := func(s string) *string { return &s }
	for _, c := range []struct {
		currency string
		v        *string
		want     string
	}{
		{"CNY", amount("48166.944"), "¥48,166.94"}, {"USD", amount("999"), "$999.00"}, {"EUR", amount("1234567.5"), "€1,234,567.50"},
		{"JPY", amount("12"), "JPY 12.00"}, {"", amount("1000"), "1,000.00"}, {"CNY", nil, "–"},
	} {
		if got := money(c.currency, c.v); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
