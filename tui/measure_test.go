package tui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

// Where ambiguous signs take two cells the ASCII twins are used, and what was measured leaves no trace.
func TestWideSignsAreReplaced(t *testing.T) {
	s := stage(t, setup{}, says("x"))
	s.program.Send(measureMsg{})
	s.await("the terminal was never asked", func(string) bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return strings.Contains(s.raw.String(), "●\x1b[6n")
	})
	s.settle()
	s.on(func(m *Model) {
		if m.theme.ascii {
			t.Error("this emulator draws the sign in one cell")
		}
	})
	if on, _ := s.text(); !strings.HasPrefix(on, " Agent Studio   ●") {
		t.Errorf("the first line is %q", strings.SplitN(on, "\n", 2)[0])
	}
	s.program.Send(tea.CursorPositionMsg{X: 2, Y: 0})
	s.Shows("* idle")
	s.Lacks("●")
}
