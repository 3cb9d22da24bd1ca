package tui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

// written is all that the program has sent to the terminal.
func (s *screen) written() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.raw.String()
}

func TestAQuestionRingsOnlyForWhoLooksElsewhere(t *testing.T) {
	for name, c := range map[string]struct {
		away, quiet bool
		want        int
	}{"looking": {false, false, 0}, "elsewhere": {true, false, 1}, "turned off": {true, true, 0}} {
		t.Run(name, func(t *testing.T) {
			tool := &saver{preview: "text"}
			s := stage(t, setup{cfg: withTools(tool)}, calls("save", `{}`), says("done"))
			s.Type("go")
			s.on(func(m *Model) { m.o.Quiet = c.quiet })
			if c.away {
				s.program.Send(tea.BlurMsg{})
			}
			s.program.Send(tea.KeyPressMsg{Code: tea.KeyEnter})
			s.Shows("APPROVAL")
			note := "\a\x1b]9;Agent Studio: save waits for your decision\x1b\\"
			if c.want > 0 {
				// It is a command of its own, which may come after the picture of the question.
				s.await("nobody was notified", func(string) bool { return strings.Contains(s.written(), note) })
			} else {
				s.on(func(m *Model) {
					if m.notify() != nil {
						t.Error("this question rings")
					}
				})
			}
			s.Press("ctrl+n")
			s.Press("enter")
			s.Shows("done")
			if n := strings.Count(s.written(), note); n != c.want {
				t.Errorf("notified %d times, want %d", n, c.want)
			}
		})
	}
}

func TestNotificationsSpeakTheTerminalsWay(t *testing.T) {
	for env, want := range map[string]string{
		"TERM=xterm-256color": "\x1b]9;Agent Studio: a, b\x1b\\",
		"TERM=foot":           "\x1b]777;notify;Agent Studio;a, b\x1b\\",
		"VTE_VERSION=7600":    "\x1b]777;notify;Agent Studio;a, b\x1b\\",
	} {
		if got := notification(tea.EnvMsg{env}, "a; b"); got != want {
			t.Errorf("%s: %q, want %q", env, got, want)
		}
	}
}
