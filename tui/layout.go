package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"agentstudio/engine/safe"
)

// Sizes are of the columns laid out, one less than the terminal has: the last column is an edge.
const (
	wideAt   = 119 // three panes
	middleAt = 95  // the chat and one more
	narrowAt = 59  // below, the program's name gives way
	minWidth = 39
	minRows  = 12
	sideRows = 2 // of a side pane beside its list: title and a blank line
)

// area is where a pane lies: column, row, columns, rows.
type area struct{ x, y, w, h int }

func (a area) has(x, y int) bool { return x >= a.x && x < a.x+a.w && y >= a.y && y < a.y+a.h }

// areas lays the panes out; one of no width isn't shown.
func (m *Model) areas() (skills, chat, timeline area) {
	top, h := 2, m.height-3
	switch {
	case m.width >= wideAt:
		left, right := clamp(m.width*19/100, 24, 32), clamp(m.width*28/100, 34, 52)
		skills = area{0, top, left, h}
		timeline = area{m.width - right, top, right, h}
		chat = area{left + 1, top, m.width - left - right - 2, h}
	case m.width >= middleAt:
		right := clamp(m.width*36/100, 34, 44)
		chat = area{0, top, m.width - right - 1, h}
		side := area{m.width - right, top, right, h}
		if m.side == onSkills {
			skills = side
		} else {
			timeline = side
		}
	default:
		whole := area{0, top, m.width, h}
		switch m.focus {
		case onSkills:
			skills = whole
		case onTimeline:
			timeline = whole
		default:
			chat = whole
		}
	}
	return skills, chat, timeline
}

// at is the pane under a cell.
func (m *Model) at(x, y int) focus {
	s, _, t := m.areas()
	switch {
	case s.w > 0 && x >= s.x && x < s.x+s.w:
		return onSkills
	case t.w > 0 && x >= t.x && x < t.x+t.w:
		return onTimeline
	}
	return onChat
}

// small tells that there is no room for the screen, so that nothing of it can be seen. Before the
// size is known there may be: what is typed then counts.
func (m *Model) small() bool { return m.height > 0 && (m.width < minWidth || m.height < minRows) }

func (m *Model) resize(w, h int) {
	was := m.small()
	if m.width, m.height = max(w-1, 0), h; was && !m.small() && m.panel.open(m) {
		m.panel.since = m.o.Now() // a question is open from when it can be seen
	}
	m.repaint()
}

// repaint drops every picture that is kept, as after a change of size or theme.
func (m *Model) repaint() {
	m.skills.repaint()
	m.timeline.repaint()
	m.composer.dress(m)
	m.chat.relayout()
	m.panel.lines = nil
	m.feet = feet{}
}

// View implements tea.Model. Whatever happens, the modes are the same, so that all are left again.
func (m *Model) View() (v tea.View) {
	v.AltScreen, v.ReportFocus = true, true
	v.MouseMode = tea.MouseModeCellMotion
	v.WindowTitle = "Agent Studio"
	defer caught("view", func(f faultMsg) { m.crash(f) })
	if m.crashed == nil {
		v.Content, v.Cursor = m.draw()
	}
	return v
}

func (m *Model) draw() (string, *tea.Cursor) {
	if m.height == 0 {
		return "", nil // the size isn't known yet
	}
	if m.small() {
		return m.tooSmall(), nil
	}
	cols, cursor := m.columns()
	t := m.theme
	lines := make([]string, 0, m.height)
	lines = append(lines, m.header()+t.edges[1], m.under())
	hair := t.Line.of(safe.Safe(t.Vert))
	for y := range m.height - 3 {
		switch len(cols) {
		case 1:
			lines = append(lines, cols[0][y]+t.edges[0])
		case 2:
			lines = append(lines, cols[0][y]+hair+cols[1][y]+t.edges[0])
		default:
			lines = append(lines, cols[0][y]+hair+cols[1][y]+hair+cols[2][y]+t.edges[0])
		}
	}
	lines = append(lines, m.footer()+t.edges[1])
	if m.top() != nil {
		m.covered(lines)
		cursor = nil
	}
	return strings.Join(lines, "\n"), cursor
}

// columns are the pictures of the panes that are shown, from left to right. Each line of each is
// as wide as its pane. Where lines end in blanks, edges keep them: tools that copy a screen drop
// those, and with them the painted background.
func (m *Model) columns() (cols [][]string, cursor *tea.Cursor) {
	s, c, t := m.areas()
	if s.w > 0 && s.x == 0 && c.w > 0 {
		cols = append(cols, m.skills.render(m, s.w, s.h))
	}
	if c.w > 0 {
		var picture []string
		picture, cursor = m.middle(c)
		cols = append(cols, picture)
	}
	side := func(a area, render func(*Model, int, int) []string) {
		var asked []string
		if c.w == 0 {
			asked = m.docked(a.w, a.h-sideRows) // a question is seen wherever one is
			m.panelAt = area{a.x, a.y + a.h - len(asked), a.w, len(asked)}
		}
		cols = append(cols, append(render(m, a.w, a.h-len(asked)), asked...))
	}
	if s.w > 0 && (s.x > 0 || c.w == 0) {
		side(s, m.skills.render)
	}
	if t.w > 0 {
		side(t, m.timeline.render)
	}
	return cols, cursor
}

// docked is the approval panel with a blank line above, nil if nothing is asked.
func (m *Model) docked(w, most int) []string {
	if !m.panel.open(m) {
		return nil
	}
	return append([]string{m.theme.pad(w)}, m.panel.render(m, w, max(most-1, 0))...)
}

// middle is the chat with the approval panel and the composer docked below it.
func (m *Model) middle(c area) ([]string, *tea.Cursor) {
	spare := 5
	if m.panel.open(m) {
		spare = panelLeast + 3
	}
	field, cursor := m.composer.render(m, c.w, c.h-spare)
	panel := m.docked(c.w, c.h-len(field)-clamp(c.h-12, 0, 2))
	offered := m.composer.offered(m, c.w, c.h-len(field)-len(panel))
	offered = append(offered, m.aboveField(c.w, c.h-len(field)-len(panel)-len(offered))...)
	lines := m.chat.render(m, c.w, max(c.h-len(field)-len(panel)-len(offered), 0))
	m.panelAt = area{c.x, c.y + len(lines), c.w, len(panel)}
	lines = append(lines, panel...)
	lines = append(lines, offered...)
	m.fieldAt = c.y + len(lines)
	if cursor != nil {
		cursor.X += c.x
		cursor.Y += c.y + len(lines)
	}
	lines = append(lines, field...)
	for len(lines) < c.h {
		lines = append(lines, m.theme.pad(c.w))
	}
	return lines[:c.h], cursor
}

// aboveField is what stands right above the text field: the pictures that go with the next message, and
// the question what a paste was meant for.
func (m *Model) aboveField(w, room int) []string {
	asked := m.composer.dropRow(m, w)
	if room <= len(asked) {
		return asked[:max(min(room, len(asked)), 0)]
	}
	return append(m.draftRows(w, clamp(room/5, 1, maxDraftRows)), asked...)
}

// title is a pane's head: small capitals, in the accent when it has the focus. Where panes share a
// place, all of them are named, as tabs.
func (m *Model) title(pane focus, right string, w int) string {
	t := m.theme
	tabs := []focus{pane}
	switch {
	case m.width < middleAt:
		tabs = []focus{onSkills, onChat, onTimeline}
	case m.width < wideAt && pane != onChat:
		tabs = []focus{onSkills, onTimeline}
	}
	line := t.pad(t.Margin)
	on := m.focus
	if on == onComposer {
		on = onChat // the text field is the chat's
	}
	for i, tab := range tabs {
		if i > 0 {
			line += t.pad(3)
		}
		name := m.label([]string{onSkills: "ui.skills", onChat: "ui.chat", onTimeline: "ui.timeline"}[tab])
		switch {
		case tab == on && t.plain:
			line += t.AccentBold.of("[" + name + "]")
		case tab == on:
			line += t.AccentBold.of(name)
		case tab == pane && len(tabs) > 1:
			line += t.Bold.of(name)
		default:
			line += t.Quiet.of(name)
		}
	}
	return t.ends(line, right, w)
}

// heading parts a pane.
func (m *Model) heading(key string, w int) string {
	return m.theme.fit(m.theme.pad(m.theme.Margin)+m.theme.Quiet.of(m.label(key)), w)
}

func (m *Model) tooSmall() string {
	t := m.theme
	lines := make([]string, 0, m.height)
	for _, l := range safe.Wrap(m.label("ui.tooSmall"), max(m.width, 1)) {
		if len(lines) < m.height {
			lines = append(lines, t.fit(t.Text.of(l), m.width)+t.edges[0])
		}
	}
	for len(lines) < m.height {
		lines = append(lines, t.pad(m.width)+t.edges[0])
	}
	return strings.Join(lines, "\n")
}

func clamp(n, low, high int) int { return max(low, min(n, high)) }
