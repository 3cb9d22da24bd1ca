package tui

import (
	tea "charm.land/bubbletea/v2"

	"agentstudio/engine/safe"
)

// help lists the keys in force, made from the bindings.
type help struct{ top, rows, count int }

func (h *help) key(m *Model, k tea.KeyPressMsg) tea.Cmd {
	name := k.String()
	if m.opens("help", name) {
		name = "esc"
	}
	switch name {
	case "esc", "q", "enter":
		m.uncover()
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
	return nil
}

func (h *help) render(m *Model, w, most int) []string {
	g := m.theme.Panel
	var rows []string
	keys := keyDocs(m.o.Lang, m.keys)
	wide := 0
	for i := range keys {
		if m.o.ASCII {
			keys[i].Keys, keys[i].Help = spelled(keys[i].Keys), spelled(keys[i].Help)
		}
		wide = max(wide, safe.Width(safe.Text(keys[i].Keys, safe.Inline)))
	}
	wide = min(wide, w/3)
	section := ""
	for _, k := range keys {
		if k.Section != section {
			if section = k.Section; len(rows) > 0 {
				rows = append(rows, "")
			}
			rows = append(rows, g.Quiet.of(safe.Text(section, safe.Inline)))
		}
		names := safe.Wrap(safe.Text(k.Keys, safe.Inline), wide)
		says := safe.Wrap(safe.Text(k.Help, safe.Inline), max(w-wide-2, 1))
		for i := range max(len(names), len(says)) {
			rows = append(rows, g.fit(g.AccentBold.of(at(names, i)), wide)+g.pad(2)+g.Text.of(at(says, i)))
		}
	}
	h.count, h.rows = len(rows), clamp(most-4, 1, len(rows))
	h.top = clamp(h.top, 0, max(h.count-h.rows, 0))
	out := []string{g.Bold.of(m.label("ui.help")), ""}
	out = append(out, rows[h.top:h.top+h.rows]...)
	return append(out, "", g.Quiet.of(m.label("ui.helpKeys")))
}

func at(lines []safe.Safe, i int) safe.Safe {
	if i < len(lines) {
		return lines[i]
	}
	return ""
}
