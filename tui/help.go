package tui

import (
	tea "charm.land/bubbletea/v2"

	"agentstudio/engine/safe"
)

// help lists the keys in force, made from the bindings.
type help struct{ top, rows, count int }

func (h *help) key(_ *Model, k tea.KeyPressMsg) bool {
	switch k.String() {
	case "esc", "f1", "q", "enter":
		return false
	case "up":
		h.top--
	case "down":
		h.top++
	case "pgup":
		h.top -= h.rows
	case "pgdown":
		h.top += h.rows
	}
	h.top = clamp(h.top, 0, max(h.count-h.rows, 0))
	return true
}

func (h *help) render(m *Model, w, most int) []string {
	g := m.theme.Panel
	var rows []string
	for _, k := range Keys(m.o.Lang) {
		name := g.fit(g.AccentBold.of(safe.Text(k.Keys, safe.Inline)), 26)
		rows = append(rows, g.fit(name+g.Text.of(safe.Text(k.Help, safe.Inline)), w))
	}
	h.count, h.rows = len(rows), clamp(most-4, 1, len(rows))
	h.top = clamp(h.top, 0, max(h.count-h.rows, 0))
	out := []string{g.Bold.of(safe.Text(m.text("ui.help"), safe.Inline)), ""}
	out = append(out, rows[h.top:h.top+h.rows]...)
	return append(out, "", g.Quiet.of(safe.Text(m.text("ui.helpKeys"), safe.Inline)))
}
