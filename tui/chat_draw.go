package tui

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"agentstudio/engine/safe"
	"agentstudio/engine/view"
)

// window appends the lines in view to out.
func (p *chatPane) window(m *Model, out []string, w int) []string {
	for n := p.first(p.top); n < len(p.items) && p.begin(n) < p.top+p.shown; n++ {
		at, lead := p.begin(n), p.lead(n)
		from, to := max(p.top-at, 0), min(p.top+p.shown-at, lead+p.items[n].height)
		out = p.part(m, out, n, lead, from, to, w)
	}
	return out
}

// part appends the lines [from, to) of an item, its lead counted in.
func (p *chatPane) part(m *Model, out []string, n, lead, from, to, w int) []string {
	t, i := m.theme, p.items[n]
	mark := i.msg.ID != "" && (i.msg.ID == p.marked[0] || i.msg.ID == p.marked[1])
	for y := from; y < min(to, lead); y++ {
		if y == lead-1 && p.heading(n) == 1 {
			out = append(out, p.line(t, m.speaker(i.msg), w, mark))
		} else {
			out = append(out, p.padded.line(t, "", w))
		}
	}
	from, to = max(from-lead, 0), to-lead
	if to <= from {
		return out
	}
	var body []string
	if i.doc != nil {
		body = i.doc.Window(from, to-from, w-2*t.Margin, t.md)
		if tail := p.tail(m, i); tail != "" && to == i.height {
			for len(body) < to-from-1 {
				body = append(body, "")
			}
			in, shown := t.Amber, safe.Text(tail, safe.Inline)
			if i.msg.State == view.Streaming {
				in = t.Quiet
			}
			body = append(body[:to-from-1], in.of(t.cut(shown, w-2*t.Margin)))
		}
	} else {
		body = i.lines[from:to]
	}
	for y, l := range body {
		if p.find.hits(n, from+y) {
			out = append(out, p.found(t, l, w))
			continue
		}
		out = append(out, p.line(t, l, w, mark))
	}
	return out
}

// line is l between margins; a mark stands in the left one where it is chosen, or what is chosen
// elsewhere concerns it.
func (p *chatPane) line(t *theme, l string, w int, mark bool) string {
	out := p.padded.line(t, l, w)
	if !mark || w < t.Margin {
		return out
	}
	return t.Accent.of(safe.Safe(t.Bar)) + t.pad(t.Margin-1) + strings.TrimPrefix(out, t.pad(t.Margin))
}

// found is the line that holds the present match of a search: on a ground of its own, and with a
// sign where grounds can't be seen.
func (p *chatPane) found(t *theme, l string, w int) string {
	g := t.Select
	clean := safe.Safe(ansi.Strip(l)) // drawn from clean text, and only our own styles taken off
	return g.fit(g.AccentBold.of(safe.Safe(t.You))+g.pad(t.Margin-1)+g.Text.of(clean), w)
}
