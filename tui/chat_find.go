package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// chatFind is a search in the messages. It goes over their source text; where in the picture a
// match stands is looked up for the present one alone.
type chatFind struct {
	finder
	found []match
	stale bool // something was said since
	from  int  // where it began
	item  int  // where the present match is drawn, counted from 1; 0 for nowhere
	row   int
}

// match is the nth place in an item.
type match struct{ item, nth int }

// hits tells whether the present match stands in a line of an item.
func (f *chatFind) hits(item, row int) bool { return f.on && f.item == item+1 && f.row == row }

func (f *chatFind) end() { *f = chatFind{} }

// beginFind opens the line to type in.
func (m *Model) beginFind() tea.Cmd {
	p := &m.chat
	p.find.begin()
	p.find.from = max(p.chosen(), 0)
	return nil
}

// turnFind goes to another match. What was said meanwhile is searched too.
func (m *Model) turnFind(by int) tea.Cmd {
	p := &m.chat
	if p.find.stale {
		p.search(m)
	}
	p.find.turn(by)
	p.arrive(m)
	return nil
}

// typed takes the keys of the line that is typed in.
func (p *chatPane) typed(m *Model, k tea.KeyPressMsg) (tea.Cmd, bool) {
	changed, used := p.find.key(k)
	if changed {
		p.look(m)
	}
	if !p.find.on {
		p.find.end()
	}
	return nil, used
}

func (p *chatPane) pasted(m *Model, text string) {
	p.find.add(text)
	p.look(m)
}

// look finds other words, and goes to the first match from where the search began.
func (p *chatPane) look(m *Model) {
	p.search(m)
	p.find.at = 0
	for k, f := range p.find.found {
		if f.item >= p.find.from {
			p.find.at = k
			break
		}
	}
	p.arrive(m)
}

// search counts the matches.
func (p *chatPane) search(m *Model) {
	f := &p.find
	f.found, f.stale = nil, false
	for n, i := range p.items {
		for k := range occurrences(p.searched(m, i), f.query) {
			f.found = append(f.found, match{n, k})
		}
	}
	f.count = len(f.found)
	f.at = clamp(f.at, 0, max(f.count-1, 0))
}

// searched is what can be found of an item: of a card all that it shows when it is unfolded, row by
// row, so that every match that is counted can be gone to.
func (p *chatPane) searched(m *Model, i *item) string {
	if i.doc != nil || p.w == 0 {
		return m.source(i)
	}
	lines := m.openCard(i.msg, max(p.w-2*m.theme.Margin, 1))
	if lines == nil {
		lines = m.card(i.msg, max(p.w-2*m.theme.Margin, 1))
	}
	return ansi.Strip(strings.Join(lines, "\n"))
}

// arrive chooses the message that holds the present match and scrolls to its line. A folded card that
// doesn't show it is unfolded.
func (p *chatPane) arrive(m *Model) {
	f := &p.find
	f.item = 0
	if f.count == 0 || p.w == 0 {
		return
	}
	at := f.found[f.at]
	i := p.items[at.item]
	p.measure(m, p.w)
	row, ok, exact := p.rowOf(m, i, at.nth)
	if !exact && i.doc == nil && !i.open {
		p.fold(m, at.item)
		row, ok, _ = p.rowOf(m, i, at.nth)
	}
	top, end := p.span(at.item)
	line := end - i.height + row
	p.sel, p.follow = at.item+1, false
	if line < p.top || line >= p.top+p.shown {
		p.top = clamp(line-p.shown/2, 0, max(p.total-p.shown, 0))
	}
	if top >= line-p.shown+1 && top < p.top {
		p.top = top // with its heading
	}
	if ok {
		f.item, f.row = at.item+1, row
	}
}

// rowOf is the line of an item's picture with the nth match, exactly, or with the last there is.
func (p *chatPane) rowOf(m *Model, i *item, nth int) (row int, ok, exact bool) {
	lines := i.lines
	if i.doc != nil {
		lines = i.doc.Lines(max(p.w-2*m.theme.Margin, 1), m.theme.md)
	}
	for y, l := range lines {
		if n := len(occurrences(ansi.Strip(l), p.find.query)); n > 0 {
			row, ok = y, true
			if nth -= n; nth < 0 {
				return row, ok, true
			}
		}
	}
	return row, ok, false
}

// source is the text of a message as it came; of a call, all that is known of it.
func (m *Model) source(i *item) string {
	switch c := i.msg.Call; {
	case i.doc != nil:
		return i.doc.Source()
	case c != nil:
		return strings.Join([]string{c.Tool, argumentText(c), c.Content, c.Error}, "\n")
	}
	return strings.Join(i.msg.Pieces, "")
}
