package tui

import (
	"fmt"
	"maps"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"agentstudio/engine"
	"agentstudio/engine/safe"
	"agentstudio/engine/view"
	"agentstudio/engine/words"
)

// timelinePane shows one row an event. It owns its cursor, scroll and picture.
type timelinePane struct {
	follow bool
	cursor int // row of the State's timeline
	top    int
	shown  int
	count  int
	fresh  int // rows since the reader scrolled away
	dirty  bool
	w, h   int
	digits int      // of the newest sequence number
	lines  []string // below the title
	drawn  map[engine.Seq]drawnRow
}

// timelineKeys are those of the pane while it has the focus.
func timelineKeys() []binding {
	return nil
}

// click is on the row y below the title; it has given the pane the focus.
func (p *timelinePane) click(_ *Model, _ int) tea.Cmd { return nil }

func (p *timelinePane) take(patch view.Patch) {
	if len(patch.Timeline) == 0 {
		return
	}
	p.dirty = true
	if !p.follow {
		for _, r := range patch.Timeline {
			if r.Seq == patch.Seq {
				p.fresh++
			}
		}
	}
}

func (p *timelinePane) move(by int) {
	p.cursor = clamp(p.cursor+by, 0, max(p.count-1, 0))
	p.follow = p.cursor >= p.count-1
	if p.follow {
		p.fresh = 0
	}
	p.dirty = true
}

func (p *timelinePane) page(by int) { p.move(by * max(p.shown-1, 1)) }

func (p *timelinePane) key(_ *Model, name string) {
	switch name {
	case "up":
		p.move(-1)
	case "down":
		p.move(1)
	case "home":
		p.move(-p.count)
	case "end":
		p.move(p.count)
	}
}

// drawnRow is a row's picture, and what it was made from beside the row's number.
type drawnRow struct {
	last engine.Seq
	at   bool
	line string
}

const maxDrawn = 1000

func (p *timelinePane) repaint() { p.dirty, p.drawn = true, nil }

func (p *timelinePane) render(m *Model, w, h int) []string {
	rows := m.state.Timeline
	p.count, p.shown = len(rows), max(h-sideRows-2, 1)
	if p.follow {
		p.cursor = max(len(rows)-1, 0)
	}
	p.top = clamp(p.top, p.cursor-p.shown+1, p.cursor)
	p.top = clamp(p.top, 0, max(len(rows)-p.shown, 0))
	t := m.theme
	out := make([]string, 0, h)
	out = append(out, m.title(onTimeline, "", w), t.pad(w))
	if p.dirty || p.w != w || p.h != h {
		p.layout(m, rows, w, h)
	}
	return append(out, p.lines...)[:max(h, 0)]
}

// layout draws all below the title.
func (p *timelinePane) layout(m *Model, rows []view.Row, w, h int) {
	if p.w != w || len(p.drawn) > maxDrawn {
		p.drawn = nil
	}
	p.dirty, p.w, p.h = false, w, h
	t := m.theme
	digits := 3
	if len(rows) > 0 {
		digits = max(digits, len(num(rows[len(rows)-1].Seq)))
	}
	if digits != p.digits {
		p.digits, p.drawn = digits, nil
	}
	p.lines = p.lines[:0]
	for i := p.top; i < len(rows) && i < p.top+p.shown; i++ {
		p.lines = append(p.lines, p.row(m, rows[i], i == p.cursor, w))
	}
	for len(p.lines) < h-sideRows-1 {
		p.lines = append(p.lines, t.pad(w))
	}
	foot := m.label("ui.following")
	if !p.follow {
		foot = m.label("ui.newBelow", "n", strconv.Itoa(p.fresh))
	}
	p.lines = append(p.lines[:max(h-sideRows-1, 0)], t.fit(t.pad(t.Margin)+t.Quiet.of(foot+safe.Safe(" "+t.Down)), w))
}

// row is the picture of one event, made when it is first seen, changed or reached by the cursor.
func (p *timelinePane) row(m *Model, r view.Row, at bool, w int) string {
	if d, ok := p.drawn[r.Seq]; ok && d.last == r.Last && d.at == at {
		return d.line
	}
	if p.drawn == nil {
		p.drawn = map[engine.Seq]drawnRow{}
	}
	line := p.draw(m, r, at, w)
	p.drawn[r.Seq] = drawnRow{r.Last, at, line}
	return line
}

const (
	maxIndent = 5
	roomy     = 44 // columns from which causes are indented by two
)

// draw is one event: sequence, seconds since the run's start, indent by cause, glyph, words.
func (p *timelinePane) draw(m *Model, r view.Row, at bool, w int) string {
	t := m.theme
	g, mark := t.ground, safe.Safe(" ")
	if at {
		g = t.Select
		if t.plain {
			mark = safe.Safe(t.You)
		}
	}
	glyph, in := t.sign(g, r)
	when := ""
	if r.Since >= 0 {
		when = strconv.FormatFloat(float64(r.Since)/1000, 'f', 1, 64)
	}
	caption := captionOf(m.o.Lang, r)
	if m.o.ASCII {
		caption = spelled(caption)
	}
	head := mark + safe.Safe(fmt.Sprintf("%*d %5s ", p.digits, r.Seq, when))
	deep := min(r.Depth, maxIndent)
	switch r.Kind {
	case "run.completed", "run.failed", "run.cancelled":
		deep = max(deep-1, 0) // beside the run's beginning
	}
	if w >= roomy {
		deep *= 2
	}
	room := w - safe.Width(head) - deep - 3
	line := g.Quiet.of(head) + g.pad(deep) + in.of(safe.Safe(glyph)) + g.pad(1) + in.of(t.cut(safe.Text(caption, safe.Inline), room))
	return g.fit(line, w)
}

// captionOf is what a row says.
func captionOf(lang words.Lang, r view.Row) string {
	args := r.Args
	if r.Count > 0 {
		args = map[string]string{"count": strconv.Itoa(r.Count)}
		for k, v := range r.Args {
			args[k] = v
		}
	}
	if n := args["tokens"]; n != "" {
		args = maps.Clone(args)
		args["tokens"] = thousands(atoi(n))
	}
	return words.Caption(lang, r.Kind, args)
}

func atoi(s string) (n int) {
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return n
		}
		n = n*10 + int(c-'0')
	}
	return n
}

// sign is the glyph and the colour of a row; the words say the same.
func (t *theme) sign(g ground, r view.Row) (string, ink) {
	in := map[view.Tone]ink{view.Plain: g.Text, view.Quiet: g.Quiet, view.Person: g.Accent, view.Good: g.Green,
		view.Asking: g.Amber, view.Bad: g.Pink, view.OfSkill: g.Violet}[r.Tone]
	switch r.Kind {
	case "user.message", "user.delivered":
		return t.You, in
	case "assistant", "reasoning":
		return t.Answer, in
	case "turn.started":
		return t.Up, in
	case "tool.requested":
		return t.Tool, in
	case "tool.started":
		return t.Running, in
	case "skill.requested":
		return t.Half, in
	case "skill.loaded":
		return t.Dot, in
	case "approval.required":
		return t.Wait, g.AmberBold
	case "run.completed":
		return t.Dot, g.GreenBold
	case "run.started", "session.started", "session.resumed", "catalog.loaded", "model.configured":
		return t.Session, in
	}
	switch r.Tone {
	case view.Good:
		return t.Yes, in
	case view.Bad:
		return t.No, in
	case view.Asking:
		return t.Broken, in
	}
	return t.Sep, in
}
