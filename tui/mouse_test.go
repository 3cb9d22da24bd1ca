package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// Click presses the left button on the first cell of a text that the screen shows.
func (s *screen) Click(text string) {
	s.t.Helper()
	s.now.advance(time.Second)
	s.Shows(text)
	s.mu.Lock()
	var x, y int
	found := false
	for row := range s.em.Height() {
		line := ""
		var at []int // the column of each byte
		for col := 0; col < s.em.Width(); col++ {
			if c := s.em.CellAt(col, row); c != nil && c.Content != "" {
				shown := strings.ReplaceAll(c.Content, "\u00a0", " ")
				for range len(shown) {
					at = append(at, col)
				}
				line += shown
			}
		}
		if i := strings.Index(line, text); i >= 0 && !found && i < len(at) {
			x, y, found = at[i], row, true
		}
	}
	s.mu.Unlock()
	if !found {
		s.t.Fatalf("%q is not on one line", text)
	}
	s.Type(fmt.Sprintf("\x1b[<0;%d;%dM\x1b[<0;%d;%dm", x+1, y+1, x+1, y+1))
}

func TestClicksGiveTheFocus(t *testing.T) {
	s := stage(t, setup{w: 160, h: 45}, says("fine"))
	for _, c := range []struct {
		text string
		want focus
	}{{"session started", onTimeline}, {"TOOLS", onSkills}, {"Message", onComposer}, {"CHAT", onChat}} {
		s.Click(c.text)
		s.on(func(m *Model) {
			if m.focus != c.want {
				t.Errorf("a click on %q gives %d the focus, want %d", c.text, m.focus, c.want)
			}
		})
	}
	s.Type("x") // no pane knows it
	if d := s.Draft(); d != "x" {
		t.Errorf("the draft is %q", d)
	}
}

// alive is a screen whose question takes answers: its buttons have been drawn.
func alive(t *testing.T) (*screen, *saver) {
	t.Helper()
	s, tool := asking(t, setup{w: 160, h: 45})
	s.now.advance(time.Second)
	s.Shows("digest")
	return s, tool
}

func TestApprovingByMouseTakesTwoPresses(t *testing.T) {
	s, tool := alive(t)
	s.Click("approve")
	s.Shows("press once more to approve")
	if s.decisions() != 0 {
		t.Fatal("one press decided")
	}
	s.on(func(m *Model) { m.panel.armedAt = m.panel.armedAt.Add(-armedFor) })
	s.Click("approve") // too late: it is the first one again
	if s.decisions() != 0 {
		t.Fatal("two presses far apart decided")
	}
	s.Click("why asked")
	s.Shows("Asked because of the rule")
	s.Click("approve")
	s.events("run.completed")
	if n := tool.ran.Load(); n != 1 {
		t.Fatalf("the tool ran %d times", n)
	}
}

// The second half of a double click comes too soon to be a decision.
func TestADoubleClickDecidesNothing(t *testing.T) {
	s, tool := alive(t)
	s.Click("approve")
	var again string
	s.on(func(m *Model) {
		b := m.panel.buttons[0]
		again = fmt.Sprintf("\x1b[<0;%d;%dM", m.panelAt.x+b.from+2, m.panelAt.y+m.panelAt.h)
	})
	s.Type(again)
	s.Shows("wait a moment")
	if s.decisions() != 0 || tool.ran.Load() != 0 {
		t.Fatal("a double click decided")
	}
}

func TestDenyingByMouseAsksForAReason(t *testing.T) {
	s, tool := alive(t)
	s.Click("deny")
	s.Shows("Reason")
	s.Type("not now")
	s.Press("enter")
	s.events("run.completed")
	if tool.ran.Load() != 0 {
		t.Fatal("the tool ran")
	}
}
