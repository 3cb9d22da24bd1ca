package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"agentstudio/engine/safe"
)

// span is the lines [from, to) of an entry.
type span struct{ from, to int }

// entry is what stands in the pane: which of the State's skills, tools or files.
type entry struct {
	kind entryKind
	n    int
}

type entryKind int

const (
	aSkill entryKind = iota
	aTool
	anAttachment
	anArtifact
)

// marks are what the pane's picture depends on beside its part of the State.
type marks struct {
	cursor      int // the chosen entry, -1 while the pane doesn't have the focus
	about       string
	tool, skill string // those that the choice in another pane has to do with
}

func (p *skillsPane) marks(m *Model) marks {
	at := marks{cursor: -1}
	if m.focus == onSkills {
		p.cursor = clamp(p.cursor, 0, max(entries(m)-1, 0))
		at.cursor = p.cursor
		return at
	}
	at.about = m.chat.about(m)
	if at.about == p.at.about && !p.dirty {
		at.tool, at.skill = p.at.tool, p.at.skill // nothing to look up again
		return at
	}
	at.tool, at.skill = m.chat.touched(at.about)
	return at
}

// skillsKeys are those of the pane while it has the focus.
func skillsKeys() []binding {
	some := func(m *Model) bool { return entries(m) > 0 }
	return []binding{{id: "openEntry", keys: []string{"enter"}, in: inSkills, when: some, do: (*Model).openEntry, foot: always}}
}

// entries is how many there are.
func entries(m *Model) int {
	s := &m.state
	return len(s.Skills) + len(s.Tools) + len(s.Attachments) + len(s.Artifacts)
}

// entry is the chosen one.
func (p *skillsPane) entry(m *Model) (entry, bool) {
	n := p.cursor
	for kind, of := range []int{len(m.state.Skills), len(m.state.Tools), len(m.state.Attachments), len(m.state.Artifacts)} {
		if n < of {
			return entry{entryKind(kind), n}, n >= 0
		}
		n -= of
	}
	return entry{}, false
}

// click chooses the entry on the row y below the title; the second click on the same opens it.
func (p *skillsPane) click(m *Model, y int) tea.Cmd {
	for n, r := range p.rows {
		if line := p.top + y; y < 0 || line < r.from || line >= r.to {
			continue
		}
		again := p.last == n+1
		p.cursor, p.last = n, n+1
		if again {
			return m.openEntry()
		}
		return nil
	}
	return nil
}

func (p *skillsPane) scroll(by int) { p.top = clamp(p.top+by, 0, max(len(p.lines)-p.shown, 0)) }

// move scrolls without choosing.
func (p *skillsPane) move(by int) { p.scroll(by) }
func (p *skillsPane) page(by int) { p.scroll(by * max(p.shown-2, 1)) }

func (p *skillsPane) key(_ *Model, name string) {
	p.last = 0
	switch name {
	case "up":
		p.choose(p.cursor - 1)
	case "down":
		p.choose(p.cursor + 1)
	case "home":
		p.top = 0
		p.choose(0)
	case "end":
		p.choose(len(p.rows) - 1)
		p.scroll(len(p.lines))
	}
}

// choose makes n the chosen entry, and brings it into view.
func (p *skillsPane) choose(n int) {
	if len(p.rows) == 0 {
		return
	}
	p.cursor = clamp(n, 0, len(p.rows)-1)
	r := p.rows[p.cursor]
	if r.to > p.top+p.shown {
		p.top = r.to - p.shown
	}
	p.top = max(min(p.top, r.from), 0)
	if p.cursor == 0 {
		p.top = 0
	}
}

// entryLines draws the next entry: on the ground of what is chosen, with a sign where grounds can't
// be seen, or with a mark where the choice in another pane has to do with it.
func (p *skillsPane) entryLines(t *theme, touched bool, draw func(ground) []string) []string {
	chosen := p.at.cursor == len(p.rows)
	g, mark := t.ground, ""
	switch {
	case chosen:
		g, mark = t.Select, t.Select.AccentBold.of(safe.Safe(t.You))
	case touched:
		mark = t.Accent.of(safe.Safe(t.Bar))
	}
	lines := draw(g)
	if mark == "" || len(lines) == 0 {
		return lines
	}
	if rest, ok := strings.CutPrefix(lines[0], g.pad(t.Margin)); ok {
		lines[0] = mark + g.pad(t.Margin-1) + rest
	}
	return lines
}
