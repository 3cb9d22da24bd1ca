package tui

import (
	"os"
	"os/exec"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// read opens text in the person's pager, or in the viewer where there is none.
func (m *Model) read(title, text string) tea.Cmd {
	clean := forOthers(text)
	return func() tea.Msg {
		program := pager()
		if _, err := exec.LookPath(program[0]); err != nil {
			return later(func(m *Model) tea.Cmd {
				if _, open := m.top().(*viewer); open {
					m.say(m.text("ui.noPager"))
					return nil
				}
				m.cover(&viewer{title: title, text: text})
				return nil
			})
		}
		return later(func(m *Model) tea.Cmd {
			return m.outside(program, clean, func(m *Model, _ string, err error) tea.Cmd {
				if err != nil {
					m.say(m.text("ui.pagerFailed"))
				}
				return nil
			})
		})
	}
}

// pager is the command line of the person's pager, as other programs find it.
func pager() []string {
	if line := strings.Fields(os.Getenv("PAGER")); len(line) > 0 {
		return line
	}
	return []string{"less"}
}
