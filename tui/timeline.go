package tui

import (
	"fmt"
	"slices"

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
	lines  []string
}

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

func (p *timelinePane) render(m *Model, w, h int) []string {
	rows := m.state.Timeline
	p.count, p.shown = len(rows), max(h-4, 1)
	if p.follow {
		p.cursor = max(len(rows)-1, 0)
	}
	p.top = clamp(p.top, p.cursor-p.shown+1, p.cursor)
	p.top = clamp(p.top, 0, max(len(rows)-p.shown, 0))
	if !p.dirty && p.w == w && p.h == h {
		return slices.Clone(p.lines)
	}
	p.dirty, p.w, p.h = false, w, h
	t := m.theme
	out := []string{m.title("ui.timeline", m.focus == onTimeline, "", w), t.pad(w)}
	for i := p.top; i < len(rows) && i < p.top+p.shown; i++ {
		out = append(out, p.row(m, rows[i], i == p.cursor, w))
	}
	for len(out) < h-1 {
		out = append(out, t.pad(w))
	}
	foot := m.text("ui.following") + " " + t.Down
	if !p.follow {
		foot = m.text("ui.newBelow", "n", fmt.Sprint(p.fresh)) + " " + t.Down
	}
	p.lines = append(out[:max(h-1, 0)], t.fit(t.pad(1)+t.Quiet.of(safe.Text(foot, safe.Inline)), w))[:h]
	return slices.Clone(p.lines)
}

const maxIndent = 5

// row is one event: sequence, seconds since the run's start, indent by cause, glyph, words.
func (p *timelinePane) row(m *Model, r view.Row, at bool, w int) string {
	t := m.theme
	g := t.ground
	if at {
		g = t.Select
	}
	glyph, in := t.sign(g, r)
	when := ""
	if r.Since >= 0 {
		when = fmt.Sprintf("%.1f", float64(r.Since)/1000)
	}
	caption := safe.Text(captionOf(m.o.Lang, r), safe.Inline)
	head := g.Quiet.of(safe.Safe(fmt.Sprintf("%5d %6s ", r.Seq, when)))
	deep := 2 * min(r.Depth, maxIndent)
	room := w - 13 - deep - 3
	body := g.pad(deep) + in.of(safe.Safe(glyph)) + g.pad(1) + in.of(safe.Truncate(caption, max(room, 1), safe.Safe(t.Ellipsis)))
	return g.fit(head+body, w)
}

// captionOf is what a row says.
func captionOf(lang words.Lang, r view.Row) string {
	args := r.Args
	if r.Count > 0 {
		args = map[string]string{"count": fmt.Sprint(r.Count)}
		for k, v := range r.Args {
			args[k] = v
		}
	}
	if n := args["tokens"]; n != "" {
		args = clone(args)
		args["tokens"] = thousands(atoi(n))
	}
	for _, name := range []string{"status", "verdict", "which", "what"} {
		if v := args[name]; v != "" && words.Has("word."+v) {
			args = clone(args)
			args[name] = words.Text(lang, "word."+v, nil)
		}
	}
	return words.Caption(lang, r.Kind, args)
}

func clone(m map[string]string) map[string]string {
	c := make(map[string]string, len(m))
	for k, v := range m {
		c[k] = v
	}
	return c
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
		return t.Dot, g.Green
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
