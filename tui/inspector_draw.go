package tui

import (
	"strconv"
	"strings"
	"time"

	"agentstudio/engine/safe"
	"agentstudio/engine/view"
)

// inspectorRooms is how the inspector's lines were shared out when it was drawn last.
type inspectorRooms struct {
	linksAt, links int // the first line of the links, and how many lines they have
	first          int // the first link in view
	text           int // lines of JSON
}

const airyInspector = 14 // lines from which blank ones part the inspector

func (i *inspector) render(m *Model, w, most int) []string {
	r, found := i.row(m)
	if found {
		i.relate(m, r)
	}
	blank := 0
	if most >= airyInspector {
		blank = 1
	}
	out := []string{i.head(m, r, w), ""}
	if blank > 0 {
		out = append(out, "")
	}
	rest := most - len(out) - blank - 1 // the keys
	links := i.related(m, w, clamp(rest/3, 1, max(rest, 1)))
	i.rooms.linksAt, i.rooms.links = len(out), len(links)
	out = append(out, links...)
	if blank > 0 {
		out = append(out, "")
	}
	i.rooms.text = max(most-len(out)-blank-1, 0)
	out = append(out, i.text(m, w)...)
	out[1] = i.times(m, r, w)
	for len(out) < most-1 {
		out = append(out, "")
	}
	out = append(out[:max(min(len(out), most-1), 0)], m.theme.Panel.Quiet.of(m.label("ui.inspectorKeys")))
	return out[:clamp(most, 0, len(out))]
}

// head is the number, the kind, what it says, and which of how many it is in its row.
func (i *inspector) head(m *Model, r view.Row, w int) string {
	t, g := m.theme, m.theme.Panel
	line := g.AccentBold.of(safe.Safe("#" + num(i.seq)))
	kind := r.Kind
	if i.event != nil {
		kind = i.event.Kind()
	}
	line += g.pad(2) + g.Bold.of(safe.Text(kind, safe.Inline))
	if r.Seq != 0 {
		glyph, in := t.sign(g, r)
		line += g.pad(2) + in.of(safe.Safe(glyph+" ")+m.rowText(r))
	}
	right := ""
	if n := r.Last - r.Seq; n > 0 {
		right = g.Quiet.of(m.label("ui.eventOf", "n", num(i.seq-r.Seq+1), "all", num(n+1)))
	}
	return g.ends(line, right, w)
}

// times is when it happened and how long after its cause, and where in the JSON the view is.
func (i *inspector) times(m *Model, r view.Row, w int) string {
	g, right := m.theme.Panel, ""
	if n := len(i.lines); n > i.rooms.text {
		right = g.Quiet.of(m.label("ui.linesOf", "from", strconv.Itoa(i.top+1), "to", strconv.Itoa(min(i.top+i.rooms.text, n)), "all", strconv.Itoa(n)))
	}
	at := r.At.Time
	if i.event != nil {
		at = i.event.At
	}
	if at.IsZero() {
		return right
	}
	line := g.Quiet.of(safe.Safe(at.Local().Format("15:04:05.000")))
	if i.event != nil && !i.causeAt.IsZero() {
		after := m.lapse(i.event.At.Sub(i.causeAt))
		line += g.pad(3) + g.Quiet.of(m.label("ui.afterCause", "time", after))
	}
	return g.ends(line, right, w)
}

// lapse is a time between two events.
func (m *Model) lapse(d time.Duration) string {
	if d < time.Second {
		return m.text("ui.ms", "ms", strconv.FormatInt(d.Milliseconds(), 10))
	}
	return m.text("ui.seconds", "s", strconv.FormatFloat(d.Seconds(), 'f', 1, 64))
}

// related is the cause and the effects, at most so many lines, the chosen one in view.
func (i *inspector) related(m *Model, w, most int) (out []string) {
	cause, effects := m.label("ui.causedBy"), m.label("ui.effects")
	wide := max(safe.Width(cause), safe.Width(effects)) + 2
	g := m.theme.Panel
	named := func(name safe.Safe) string { return g.fit(g.Quiet.of(name), wide) }
	var all []string
	if i.event != nil && i.event.Cause == 0 {
		all = append(all, named(cause)+g.Quiet.of(m.label("ui.noCause")))
	}
	shift := len(all)
	i.rooms.first = clamp(i.chosen+shift-most+1, 0, max(len(i.links)+shift-most, 0))
	for n, l := range i.links {
		if n+shift >= i.rooms.first+most {
			break
		}
		if n+shift < i.rooms.first {
			all = append(all, "")
			continue
		}
		name := safe.Safe("")
		switch {
		case l.cause:
			name = cause
		case n == 0 || i.links[n-1].cause || n+shift == i.rooms.first:
			name = effects
		}
		all = append(all, named(name)+i.link(m, l, n == i.chosen, w-wide))
	}
	if n := len(i.links); i.event != nil && (n == 0 || i.links[n-1].cause) {
		all = append(all, named(effects)+g.Quiet.of(m.label("ui.noEffects")))
	}
	out = all[min(i.rooms.first, len(all)):min(i.rooms.first+most, len(all))]
	i.rooms.first -= shift
	return out
}

// link is an event that one can go to: its number, and what it says.
func (i *inspector) link(m *Model, l link, chosen bool, w int) string {
	t, g, mark := m.theme, m.theme.Panel, " "
	if chosen {
		g, mark = t.Select, t.You
	}
	line := g.AccentBold.of(safe.Safe(mark)) + g.pad(1) + g.Quiet.of(safe.Safe("#"+num(l.seq))) + g.pad(1)
	if n, ok := rowHolding(m.state.Timeline, l.seq, ""); ok {
		r := m.state.Timeline[n]
		glyph, in := t.sign(g, r)
		line += in.of(safe.Safe(glyph+" ") + m.rowText(r))
	}
	return g.fit(line, w)
}

// text is the part of the JSON in view.
func (i *inspector) text(m *Model, w int) []string {
	g := m.theme.Panel
	switch {
	case i.err != nil:
		return drawn(g.Pink, safe.Wrap(safe.Text(m.errorText(i.err), safe.Inline), w))
	case i.event == nil:
		return nil
	case i.lines == nil || i.w != w:
		i.lines, i.w = folded(safe.Text(i.json, safe.Code), w), w
	}
	i.top = clamp(i.top, 0, max(len(i.lines)-i.rooms.text, 0))
	out := make([]string, 0, i.rooms.text)
	for _, l := range i.lines[i.top:min(i.top+i.rooms.text, len(i.lines))] {
		out = append(out, painted(g, l))
	}
	return out
}

// folded breaks lines of JSON that are too long; what goes on stands further in than where it began.
func folded(text safe.Safe, w int) (out []safe.Safe) {
	for _, l := range strings.Split(string(text), "\n") {
		in := len(l) - len(strings.TrimLeft(l, " "))
		if in+2 > w/2 {
			in = 0
		}
		rest, began := safe.Safe(l[in:]), safe.Safe(l[:in])
		for n, part := range safe.HardWrap(rest, max(w-in-2, 1)) {
			if n == 1 {
				began += "  "
			}
			out = append(out, began+part)
		}
	}
	return out
}

// painted is a line of JSON, its key in a colour of its own.
func painted(g ground, l safe.Safe) string {
	if rest := strings.TrimLeft(string(l), " "); strings.HasPrefix(rest, `"`) {
		if n := strings.Index(rest, `": `); n > 0 {
			n += len(l) - len(rest) + 1
			return g.Accent.of(l[:n]) + g.Text.of(l[n:])
		}
	}
	return g.Text.of(l)
}
