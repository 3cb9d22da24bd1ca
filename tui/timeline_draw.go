package tui

import (
	"fmt"
	"maps"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"agentstudio/engine"
	"agentstudio/engine/safe"
	"agentstudio/engine/view"
	"agentstudio/engine/words"
)

// drawnRow is a row's picture, and what it was made from beside the row's number.
type drawnRow struct {
	last   engine.Seq
	at     bool
	marked bool
	folded int // rows of the run that it stands for
	line   string
}

const maxDrawn = 1000

func (p *timelinePane) repaint() {
	p.dirty, p.drawn, p.below = true, nil, ""
	if p.sieve.text != "" {
		p.sieve.restart() // the captions may be in another language now
	}
}

func (p *timelinePane) render(m *Model, w, h int) []string {
	p.sync(m)
	n := len(p.sieve.shown)
	p.rows = max(h-sideRows-2, 1)
	p.top = clamp(p.top, p.cursor-p.rows+1, p.cursor)
	p.top = clamp(p.top, 0, max(n-p.rows, 0))
	marked, inUse := m.chat.selected(m), m.focus == onTimeline
	if p.dirty || p.w != w || p.h != h || p.marked != marked || p.inUse != inUse {
		p.marked, p.inUse = marked, inUse
		p.layout(m, w, h)
	}
	out := make([]string, 0, h+sideRows)
	out = append(out, m.title(onTimeline, p.right, w))
	return append(out, p.lines...)[:max(h, 0)]
}

// layout draws all below the title.
func (p *timelinePane) layout(m *Model, w, h int) {
	if p.w != w || len(p.drawn) > maxDrawn {
		p.drawn = nil
	}
	p.dirty, p.w, p.h = false, w, h
	t, rows := m.theme, m.state.Timeline
	digits := 3
	if len(rows) > 0 {
		digits = max(digits, len(num(rows[len(rows)-1].Seq)))
	}
	if head := (rowHead{digits, p.calls.wide()}); head != p.head {
		p.head, p.drawn = head, nil
	}
	if is := (barLook{p.sieve.kind, w, p.inUse}); is != p.bar || p.below == "" {
		p.bar, p.below = is, p.kinds(m, w)
	}
	p.lines = append(p.lines[:0], p.below)
	shown := p.sieve.shown
	for i := p.top; i < len(shown) && i < p.top+p.rows; i++ {
		p.lines = append(p.lines, p.line(m, rows[shown[i]], i == p.cursor, w))
	}
	if len(shown) == 0 && len(rows) > 0 {
		p.lines = append(p.lines, t.fit(t.pad(t.Margin)+t.Quiet.of(m.label("ui.noRows")), w))
	}
	for len(p.lines) < h-2 {
		p.lines = append(p.lines, t.pad(w))
	}
	p.lines = append(p.lines[:max(h-2, 0)], p.foot(m, w))
}

// rowHead is how many columns sequence numbers and letters take.
type rowHead struct{ digits, letters int }

// barLook is what the bar of kinds is drawn from, beside the theme and the language.
type barLook struct {
	kind  rowKind
	w     int
	inUse bool
}

// line is the picture of one row, made when it is first seen, changed or reached by the cursor.
func (p *timelinePane) line(m *Model, r view.Row, at bool, w int) string {
	run := p.sieve.inFolded(r)
	is := drawnRow{last: r.Last, at: at, marked: p.marked != "" && subject(r) == p.marked}
	if run != nil {
		is.folded = run.count
	}
	was := p.drawn[r.Seq]
	if is.line = was.line; is == was && was.line != "" {
		return was.line
	}
	if p.drawn == nil {
		p.drawn = map[engine.Seq]drawnRow{}
	}
	is.line = p.draw(m, r, run, is, w)
	p.drawn[r.Seq] = is
	return is.line
}

const (
	maxIndent = 5
	roomy     = 44 // columns from which causes are indented by two
	lettered  = 24 // and from which calls have their letters
)

// draw is one event: sequence, seconds since the run's start, the letter of its call, indent by
// cause, glyph, words.
func (p *timelinePane) draw(m *Model, r view.Row, run *runRows, is drawnRow, w int) string {
	t, seq := m.theme, r.Seq
	letter, call := p.calls.letter(r)
	if run != nil {
		r, letter = m.state.Timeline[run.end], ""
	}
	g, mark := t.ground, safe.Safe(" ")
	if is.at {
		g = t.Select
	}
	switch {
	case is.marked:
		mark = safe.Safe(t.Bar)
	case is.at && t.plain:
		mark = safe.Safe(t.You)
	}
	glyph, in := t.sign(g, r)
	when := ""
	if r.Since >= 0 {
		when = strconv.FormatFloat(float64(r.Since)/1000, 'f', 1, 64)
	}
	deep := indent(r, w)
	wide := p.head.letters
	head := safe.Safe(fmt.Sprintf("%*d %5s ", p.head.digits, seq, when))
	line := g.Accent.of(mark) + g.Quiet.of(head)
	if w >= lettered {
		if letter != "" {
			deep = max(deep, 1) // off the letter
		}
		line += callInk(g, call).of(safe.Safe(letter)) + g.pad(wide-len(letter))
	} else {
		wide = 0
	}
	room := w - 1 - safe.Width(head) - wide - deep - 3
	tail := ""
	if run != nil {
		rows := m.times(run)
		room -= safe.Width(rows) + 1
		tail = g.Quiet.of(rows) + g.pad(1)
	}
	line += g.pad(deep) + in.of(safe.Safe(glyph)) + g.pad(1) + in.of(t.cut(m.rowText(r), room))
	return g.ends(line, tail, w)
}

// callInk is the colour of a call's letter, the same in all its rows.
func callInk(g ground, call int) ink {
	switch call % 3 {
	case 1:
		return g.Violet
	case 2:
		return g.Green
	}
	return g.Accent
}

// indent is how many columns a row stands in by its cause.
func indent(r view.Row, w int) int {
	deep := min(r.Depth, maxIndent)
	switch r.Kind {
	case "run.completed", "run.failed", "run.cancelled":
		deep = max(deep-1, 0) // beside the run's beginning
	}
	if w >= roomy {
		deep *= 2
	}
	return deep
}

// kinds draws the line below the title. The kinds of rows stand at the right of the title, or
// below it; where there is room for neither, only one that is in force.
func (p *timelinePane) kinds(m *Model, w int) string {
	t := m.theme
	chip := func(k rowKind) string {
		name := m.label(kindName(k))
		switch {
		case k != p.sieve.kind:
			return t.Quiet.of(name)
		case t.plain:
			return t.AccentBold.of("[" + name + "]")
		case k == allRows:
			return t.Bold.of(name)
		}
		return t.AccentBold.of(name)
	}
	line := chip(allRows)
	for k := modelRows; k < rowKinds; k++ {
		line += t.pad(1) + chip(k)
	}
	wide := ansi.StringWidth(line)
	title := strings.TrimRight(ansi.Strip(m.title(onTimeline, "", w)), " ")
	p.right = ""
	switch {
	case ansi.StringWidth(title)+1+wide+t.Margin <= w:
		p.right = line + t.pad(t.Margin)
	case wide <= w:
		return t.fit(t.pad(min(t.Margin, w-wide))+line, w)
	case p.sieve.kind != allRows:
		p.right = chip(p.sieve.kind) + t.pad(t.Margin)
	}
	return t.pad(w)
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
	for _, name := range [...]string{"tokens", "before", "after"} {
		if n := args[name]; n != "" {
			args = maps.Clone(args)
			args[name] = thousands(atoi(n))
		}
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
