package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"agentstudio/engine/safe"
)

// notify rings the bell and asks the terminal for a notification when a question opens while the
// person looks elsewhere. Terminals that don't tell where the focus is count as looked at.
func (m *Model) notify() tea.Cmd {
	if !m.away || m.o.Quiet || !m.panel.open(m) {
		return nil
	}
	text := safe.Text(m.text("ui.asks", "tool", m.state.Approvals[0].Tool), safe.Inline)
	return tea.Raw("\a" + notification(m.env, string(safe.Truncate(text, 120, ""))))
}

// notification is the sequence for a text: OSC 777 for the terminals that know only that one (VTE,
// foot, rxvt), else OSC 9 of iTerm2, which the others take.
func notification(env tea.EnvMsg, text string) string {
	text = strings.ReplaceAll(text, ";", ",") // it parts the fields
	term := env.Getenv("TERM")
	if env.Getenv("VTE_VERSION") != "" || strings.HasPrefix(term, "foot") || strings.HasPrefix(term, "rxvt") {
		return "\x1b]777;notify;Agent Studio;" + text + "\x1b\\"
	}
	return "\x1b]9;Agent Studio: " + text + "\x1b\\"
}
