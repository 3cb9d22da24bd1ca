package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// measureAfter is how long after its start the screen surely stands, so that what is measured on
// it is not written to the screen below.
const measureAfter = 200 * time.Millisecond

type measureMsg struct{}

// measure asks the terminal how wide it draws a sign that some fonts and settings make two cells
// wide: it is put into the first cell, the cursor's place is asked for, and what stood there is put
// back, all in one write. The answer is a cursor report, which the input filter keeps from being F3.
func (m *Model) measure() tea.Cmd {
	first, _ := cutAt(m.header(), 3)
	return tea.Raw("\x1b7\x1b[1;1H" + m.theme.Dot + "\x1b[6n\x1b[1;1H" + m.theme.Panel.fit(first, 3) + "\x1b8")
}

// measured switches to the ASCII twins where the sign took two cells.
func (m *Model) measured(at tea.CursorPositionMsg) {
	if at.Y == 0 && at.X > 1 {
		m.dress(func(how *manner) { how.ascii = true })
	}
}
