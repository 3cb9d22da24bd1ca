package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"agentstudio/engine/safe"
)

// Sizes are of the columns laid out, one less than the terminal has: the last column is an edge.
const (
	wideAt   = 119 // three panes
	middleAt = 95  // the chat and one more
	minWidth = 39
	minRows  = 12
)

// area is where a pane lies: column, row, columns, rows.
type area struct{ x, y, w, h int }

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

func (m *Model) resize(w, h int) {
	m.width, m.height = max(w-1, 0), h
	m.repaint()
}

// repaint drops every picture that is kept.
func (m *Model) repaint() {
	m.skills.dirty, m.timeline.dirty = true, true
	m.composer.dress(m)
	m.chat.relayout()
}

// View implements tea.Model.
func (m *Model) View() tea.View {
	content, cursor := m.draw()
	v := tea.NewView(content)
	v.AltScreen, v.ReportFocus = true, true
	v.MouseMode = tea.MouseModeCellMotion
	v.WindowTitle = "Agent Studio"
	v.Cursor = cursor
	return v
}

func (m *Model) draw() (string, *tea.Cursor) {
	if m.width == 0 || m.height == 0 {
		return "", nil
	}
	if m.width < minWidth || m.height < minRows {
		return m.tooSmall(), nil
	}
	s, c, t := m.areas()
	lines := make([]string, 0, m.height)
	lines = append(lines, m.header(), m.theme.Line.of(safe.Safe(strings.Repeat(m.theme.Horiz, m.width))))
	var cols [][]string
	var cursor *tea.Cursor
	if s.w > 0 && s.x == 0 {
		cols = append(cols, m.skills.render(m, s.w, s.h))
	}
	if c.w > 0 {
		var picture []string
		picture, cursor = m.middle(c)
		cols = append(cols, picture)
	}
	if s.w > 0 && s.x > 0 {
		cols = append(cols, m.skills.render(m, s.w, s.h))
	}
	if t.w > 0 {
		cols = append(cols, m.timeline.render(m, t.w, t.h))
	}
	hair := m.theme.Line.of(safe.Safe(m.theme.Vert))
	for y := range m.height - 3 {
		row := make([]string, len(cols))
		for i, col := range cols {
			row[i] = col[y]
		}
		lines = append(lines, strings.Join(row, hair))
	}
	lines = append(lines, m.footer())
	if m.overlay != nil {
		m.cover(lines)
		cursor = nil
	}
	m.edge(lines)
	return strings.Join(lines, "\n"), cursor
}

// edge closes each line with a no-break space, so that a line never ends in blanks: tools that
// copy a screen drop those, and with them the painted background.
func (m *Model) edge(lines []string) {
	const nbsp = "\u00a0"
	for i := range lines {
		in := m.theme.Text
		if i == 0 || i == len(lines)-1 {
			in = m.theme.Panel.Text
		}
		lines[i] += in.of(nbsp)
	}
}

// middle is the chat with the approval panel and the composer docked below it.
func (m *Model) middle(c area) ([]string, *tea.Cursor) {
	field, cursor := m.composer.render(m, c.w)
	var panel []string
	if m.panel.open(m) {
		panel = append([]string{m.theme.pad(c.w)}, m.panel.render(m, c.w, max(c.h-len(field)-3, 0))...)
	}
	lines := m.chat.render(m, c.w, max(c.h-len(field)-len(panel), 0))
	lines = append(lines, panel...)
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

func (m *Model) tooSmall() string {
	text := safe.Truncate(safe.Text(m.text("ui.tooSmall"), safe.Inline), m.width, "")
	lines := []string{m.theme.fit(m.theme.Text.of(text), m.width)}
	for len(lines) < m.height {
		lines = append(lines, m.theme.pad(m.width))
	}
	m.edge(lines)
	return strings.Join(lines, "\n")
}

// cover draws the overlay over the middle of the screen.
func (m *Model) cover(lines []string) {
	w, h := min(m.width-4, 84), min(m.height-4, 32)
	box := m.overlay.render(m, w-4, h-2)
	x, y := (m.width-w)/2, (m.height-len(box)-2)/2
	t := m.theme
	frame := func(left, middle, right string) string {
		return t.Panel.Accent.of(safe.Safe(left + strings.Repeat(middle, w-2) + right))
	}
	put := func(y int, line string) {
		if y >= 0 && y < len(lines) {
			lines[y] = ansi.Cut(lines[y], 0, x) + "\x1b[m" + line + ansi.Cut(lines[y], x+w, m.width)
		}
	}
	put(y, frame(t.TopLeft, t.Horiz, t.TopRight))
	edge := t.Panel.Accent.of(safe.Safe(t.Vert))
	for i, l := range box {
		put(y+1+i, edge+t.Panel.pad(1)+t.Panel.fit(l, w-4)+t.Panel.pad(1)+edge)
	}
	put(y+1+len(box), frame(t.BottomLeft, t.Horiz, t.BottomRight))
}

func clamp(n, low, high int) int { return max(low, min(n, high)) }
