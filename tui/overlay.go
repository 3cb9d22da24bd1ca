package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"agentstudio/engine/safe"
)

// overlay is something drawn over the panes that takes the keys first. It closes itself with
// Model.uncover. One that takes pasted text or the mouse's wheel implements paster or wheeler, one
// that shows something large spacious.
type overlay interface {
	key(m *Model, k tea.KeyPressMsg) tea.Cmd
	// render draws at most h lines of at most w cells, on the panel's ground.
	render(m *Model, w, h int) []string
}

type (
	paster   interface{ paste(m *Model, text string) }
	wheeler  interface{ wheel(m *Model, by int) }
	spacious interface{ spacious() bool }
)

// top is the overlay that takes the keys, nil when none is open.
func (m *Model) top() overlay {
	if len(m.overlays) == 0 {
		return nil
	}
	return m.overlays[len(m.overlays)-1]
}

// cover opens an overlay on top of what is there.
func (m *Model) cover(o overlay) { m.overlays = append(m.overlays, o) }

// uncover closes the overlay on top.
func (m *Model) uncover() { m.overlays = m.overlays[:max(len(m.overlays)-1, 0)] }

// slivers is the width of what would be left of the panes beside an overlay that isn't worth it.
const slivers = 16

// frame is how many cells an overlay takes, its edges counted.
func (m *Model) frame(o overlay) (w, h int) {
	w, h = min(m.width-4, 84), min(m.height-4, 32)
	if s, ok := o.(spacious); ok && s.spacious() {
		w, h = min(m.width-4, 140), m.height-4
	}
	if m.width-w < slivers || m.width < middleAt {
		w, h = m.width, m.height-3
	}
	return w, h
}

// covered puts the overlay on top over the middle of the screen.
func (m *Model) covered(lines []string) {
	top := m.top()
	w, h := m.frame(top)
	box := top.render(m, w-4, h-2)
	for w == m.width && len(box) > 0 && len(box) < h-2 { // no scraps of what is below; its last line stays the last
		box = slices.Insert(box, len(box)-1, "")
	}
	x, y := (m.width-w)/2, max((m.height-len(box)-2)/2, min(2, m.height-len(box)-3))
	m.boxed = area{x + 2, y + 1, w - 4, len(box)}
	t := m.theme
	frame := func(left, middle, right string) string {
		return t.Panel.Accent.of(safe.Safe(left + strings.Repeat(middle, w-2) + right))
	}
	put := func(y int, line string) {
		if y >= 0 && y < len(lines) {
			left, _ := cutAt(lines[y], x)
			_, right := cutAt(lines[y], x+w)
			lines[y] = t.fit(left, x) + line + t.pad(m.width+1-x-w-ansi.StringWidth(right)) + right
		}
	}
	put(y, frame(t.TopLeft, t.Horiz, t.TopRight))
	edge := t.Panel.Accent.of(safe.Safe(t.Vert))
	for i, l := range box {
		put(y+1+i, edge+t.Panel.pad(1)+t.Panel.fit(l, w-4)+t.Panel.pad(1)+edge)
	}
	put(y+1+len(box), m.sill(w))
}

// sill is the overlay's lower edge. While a question is open, which the overlay may hide, it says so.
func (m *Model) sill(w int) string {
	t := m.theme
	left, right, waiting := safe.Safe(t.BottomLeft+t.Horiz), safe.Safe(t.BottomRight), safe.Safe("")
	if m.panel.open(m) {
		said := safe.Text(m.text("ui.underneath", "tool", m.state.Approvals[0].Tool, "time", m.remaining(m.state.Approvals[0])), safe.Inline)
		waiting = t.cut(" "+safe.Safe(t.Wait)+" "+said+" ", max(w-4, 0))
	}
	rest := max(w-safe.Width(left)-safe.Width(waiting)-safe.Width(right), 0)
	return t.Panel.Accent.of(left) + t.Panel.AmberBold.of(waiting) + t.Panel.Accent.of(safe.Safe(strings.Repeat(t.Horiz, rest))+right)
}
