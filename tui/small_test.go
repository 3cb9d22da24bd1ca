package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"agentstudio/engine"
)

// A question that nobody can see is not decided, and settles anew when it can be seen.
func TestNothingIsDecidedOnATooSmallScreen(t *testing.T) {
	s, tool := asking(t, setup{w: 120, h: 40})
	s.Resize(30, 8)
	s.Shows("Too small")
	s.Press("ctrl+y")
	s.Type("lost")
	s.Resize(120, 40)
	s.Shows("APPROVAL")
	s.on(func(m *Model) {
		if !m.panel.since.Equal(s.now.get()) {
			t.Errorf("the question is open since %s, want %s", m.panel.since, s.now.get())
		}
	})
	s.Type("\x19") // at once
	s.Shows("too soon")
	if n := s.decisions(); n != 0 || tool.ran.Load() != 0 || s.Draft() != "" {
		t.Fatalf("%d decisions, the draft is %q", n, s.Draft())
	}
}

func TestClicksAndFiltersOnATooSmallScreen(t *testing.T) {
	s := stage(t, setup{}, says("hello"))
	s.on(func(m *Model) { m.focus = onTimeline })
	s.Resize(30, 8)
	s.Shows("Too small")
	s.Press("down")
	s.Type("4")
	for y := 1; y < 9; y++ {
		s.Type(fmt.Sprintf("\x1b[<0;5;%dM", y))
	}
	s.Resize(120, 40)
	s.Shows("following")
	s.on(func(m *Model) {
		if m.crashed != nil || m.timeline.top < 0 {
			t.Errorf("crashed with %v, the first row is %d", m.crashed, m.timeline.top)
		}
	})
}

// The terminal's signs are put back after measuring, at every width.
func TestMeasuringLeavesTheHeader(t *testing.T) {
	for _, w := range []int{41, 50, 58, 80} {
		s := stage(t, setup{w: w, h: 16}, says("hello"))
		s.program.Send(measureMsg{})
		s.await("the header is wrong", func(on string) bool {
			first, _, _ := strings.Cut(on, "\n")
			return strings.Contains(first, "idle") && !strings.Contains(first, "Agidle") && strings.Count(first, "●") == 1
		})
	}
}

// A command goes to the session that was shown when it was given.
func TestACommandStaysWithItsSession(t *testing.T) {
	s := stage(t, setup{}, says("hello"))
	var cmd tea.Cmd
	s.on(func(m *Model) {
		cmd = m.do(engine.Rename{Title: "mine", By: m.me()})
		m.o.Session = refusing{m.o.Session}
	})
	if r, ok := cmd().(receiptMsg); !ok || r.err != nil {
		t.Errorf("it went to another one: %+v", r)
	}
}

// Typing with an open question in view is sent; only what was under way when it opened is held back.
func TestEnterAfterAQuestionOpened(t *testing.T) {
	s, _ := asking(t, setup{})
	s.now.advance(2 * time.Second)
	s.Type("fast typed\r")
	s.Shows("queued")
	if d := s.Draft(); d != "" {
		t.Fatalf("the draft is %q", d)
	}
}

func TestEscGoesBackFromWhyItIsAsked(t *testing.T) {
	s, _ := asking(t, setup{w: 160, h: 45})
	s.Press("ctrl+w")
	s.Shows("Asked because of the rule")
	s.Press("esc")
	s.Lacks("Asked because of the rule")
}

// What was said with a block's letter in it stands for nothing when it is recalled.
func TestRecalledMarksAreNoBlocks(t *testing.T) {
	s := stage(t, setup{}, says("hello"))
	if _, err := s.session.Do(t.Context(), engine.Send{Text: "a" + string(firstBlock) + "b", By: engine.Actor{Screen: "mirror", Name: "eve"}}); err != nil {
		t.Fatal(err)
	}
	s.events("run.completed")
	s.Shows("run completed")
	s.Press("up")
	s.Type("\x1b[200~" + strings.Repeat("secret\n", 10) + "\x1b[201~")
	s.on(func(m *Model) {
		if n := strings.Count(m.composer.text(), "secret"); n != 10 {
			t.Errorf("pasted once, there %d times", n)
		}
	})
}

// A long text that comes back is a block: the field would take long for each key.
func TestLongTextsComeBackAsBlocks(t *testing.T) {
	s := stage(t, setup{}, says("hello"))
	long := strings.Repeat("0123456789\n", 20000)
	s.on(func(m *Model) { m.composer.restore(long) })
	s.Shows("(pasted 20001 lines")
	s.on(func(m *Model) {
		if m.composer.text() != long || len(m.composer.value()) > 8 {
			t.Errorf("%d bytes in the field, %d in all", len(m.composer.value()), len(m.composer.text()))
		}
	})
}
