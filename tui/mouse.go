package tui

import (
	tea "charm.land/bubbletea/v2"
)

// clicker is an overlay that takes clicks: x and y count from its first line and column.
type clicker interface {
	click(m *Model, x, y int) tea.Cmd
}

// click gives the focus to what was clicked, and the click to it. Rows count from below a pane's
// title. A click never decides by itself: see approvalPanel.click.
func (m *Model) click(msg tea.MouseClickMsg) tea.Cmd {
	if msg.Button != tea.MouseLeft {
		return nil
	}
	m.flash = ""
	if top := m.top(); top != nil {
		if c, ok := top.(clicker); ok {
			return c.click(m, msg.X-m.boxed.x, msg.Y-m.boxed.y)
		}
		return nil
	}
	if m.panelAt.has(msg.X, msg.Y) {
		return m.panel.click(m, msg.X-m.panelAt.x, msg.Y-m.panelAt.y)
	}
	s, c, t := m.areas()
	switch m.at(msg.X, msg.Y) {
	case onSkills:
		m.focus = onSkills
		return m.skills.click(m, msg.Y-s.y-sideRows)
	case onTimeline:
		m.focus = onTimeline
		return m.timeline.click(m, msg.Y-t.y-sideRows)
	}
	if msg.Y >= m.fieldAt {
		m.focus = onComposer
		return nil
	}
	m.focus = onChat
	return m.chat.click(m, msg.Y-c.y-sideRows)
}
