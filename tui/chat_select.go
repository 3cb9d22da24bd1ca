package tui

import (
	"encoding/json"
	"strings"

	tea "charm.land/bubbletea/v2"

	"agentstudio/engine/view"
)

// click chooses what is on the row y below the title, which has the focus by now; the second click
// on the same opens it.
func (p *chatPane) click(m *Model, y int) tea.Cmd {
	n := p.under(p.top + y)
	if n < 0 || y < 0 || y >= p.shown {
		return nil
	}
	again := p.last == n+1
	p.sel, p.last = n+1, n+1 // nothing moves, so that the second click meets the same
	if p.follow = p.follow && p.next(n, 1) < 0; p.follow {
		p.sel = 0
	}
	if again {
		return m.enterMessage()
	}
	return nil
}

// under is the item that a line belongs to, -1 for none.
func (p *chatPane) under(line int) int {
	for n := p.first(line); n < len(p.items); n++ {
		if p.items[n].height > 0 {
			return n
		}
	}
	return -1
}

// key takes the keys of the pane that are no bindings.
func (p *chatPane) key(m *Model, name string) {
	p.last = 0
	if p.w > 0 {
		p.measure(m, p.w)
	}
	switch name {
	case "up":
		p.step(-1)
	case "down":
		p.step(1)
	case "home":
		p.choose(p.next(-1, 1), -1)
		p.move(-p.total)
		p.follow = p.total <= p.shown && p.sel == 0
	case "end":
		p.sel = 0
		p.move(p.total)
	case "esc":
		p.find.end()
	}
}

// chosen is the item that the pane's keys act on, -1 for none.
func (p *chatPane) chosen() int {
	if p.sel > 0 && p.sel <= len(p.items) {
		return p.sel - 1
	}
	return p.next(len(p.items), -1)
}

// next is the nearest item from n on that shows something, -1 for none.
func (p *chatPane) next(n, by int) int {
	for n += by; n >= 0 && n < len(p.items); n += by {
		if !p.items[n].empty() {
			return n
		}
	}
	return -1
}

// selected is the id of the message chosen while the messages have the focus, else "".
func (p *chatPane) selected(m *Model) string {
	if m.focus != onChat {
		return ""
	}
	if n := p.chosen(); n >= 0 {
		return p.items[n].msg.ID
	}
	return ""
}

// concerned is the id of the message that the timeline's cursor is about, "" for none. A question
// is about its call.
func (p *chatPane) concerned(m *Model) string {
	id := m.timeline.concerns(m)
	for _, a := range m.state.Approvals {
		if string(a.Approval) == id {
			return string(a.Call)
		}
	}
	return id
}

// within is how many lines a step goes on in a message that doesn't fit.
const within = 3

// step chooses the item before or after; one that doesn't fit is first scrolled through. When the
// chosen one was scrolled out of view, the first or last one in view is chosen.
func (p *chatPane) step(by int) {
	n := p.chosen()
	if n < 0 {
		return
	}
	top, end := p.span(n)
	bottom := p.top + p.shown
	seen := top < bottom && end > p.top
	switch {
	case !seen && by > 0:
		p.choose(p.under(p.top), by)
	case !seen:
		p.choose(p.under(min(bottom, p.total)-1), by)
	case by > 0 && end > bottom:
		p.move(min(within, end-bottom))
	case by < 0 && top < p.top:
		p.move(-min(within, p.top-top))
	default:
		p.choose(p.next(n, by), by)
	}
}

// choose makes n the chosen item and brings it into view: of one taller than the view the end that
// was come to.
func (p *chatPane) choose(n, by int) {
	if n < 0 || n >= len(p.items) {
		return
	}
	top, end := p.span(n)
	switch {
	case end-top > p.shown && by < 0:
		p.top = end - p.shown
	case end-top > p.shown && by > 0, top < p.top && end-top <= p.shown:
		p.top = top
	case end > p.top+p.shown && end-top <= p.shown:
		p.top = end - p.shown
	}
	p.sel = n + 1
	p.follow = p.next(n, 1) < 0 && p.top >= p.total-p.shown
	if p.follow {
		p.sel = 0
	}
}

// span is the lines [top, end) of an item, its heading counted in.
func (p *chatPane) span(n int) (top, end int) {
	lead := p.lead(n)
	top = p.begin(n)
	return top + lead - p.heading(n), top + lead + max(p.items[n].height, 0)
}

// about is the id of the chosen message, or of what the timeline's cursor is on; or a skill's name.
func (p *chatPane) about(m *Model) string {
	if id := p.selected(m); id != "" {
		return id
	}
	return p.concerned(m)
}

// touched is the tool and the skill that a message, or whatever has this name, has to do with.
func (p *chatPane) touched(id string) (tool, skill string) {
	if i := p.index[id]; i != nil {
		if i.msg.Call == nil {
			return "", ""
		}
		return i.msg.Call.Tool, skillOf(i.msg.Call)
	}
	return "", id
}

// skillOf is the skill that a call reads, "" for none.
func skillOf(c *view.Call) string {
	var args struct{ Path string }
	if json.Unmarshal(c.Arguments, &args) != nil {
		return ""
	}
	at, ok := strings.CutPrefix(args.Path, "skill:")
	if !ok {
		return ""
	}
	name, _, _ := strings.Cut(at, "/")
	return name
}
