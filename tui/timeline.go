package tui

import (
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"agentstudio/engine"
	"agentstudio/engine/view"
)

// timelinePane shows one row an event. It owns what is wanted of them, its cursor, scroll and
// picture.
type timelinePane struct {
	sieve  sieve
	calls  callLetters
	follow bool
	row    int // of the State's timeline, where the reader is
	cursor int // the same among the rows shown
	top    int
	rows   int                     // in view
	read   int                     // rows of the State when the reader scrolled away
	grown  map[engine.Seq]struct{} // rows that have changed and were not looked at again yet
	typing bool                    // what the captions must hold
	hit    engine.Seq              // the row that was clicked last

	dirty  bool
	w, h   int
	head   rowHead
	marked string // what is selected in the chat
	inUse  bool   // it had the focus when it was drawn
	bar    barLook
	right  string   // at the end of the title: the kinds there are, if they fit
	below  string   // the line below the title
	lines  []string // below the title
	drawn  map[engine.Seq]drawnRow
}

func (p *timelinePane) take(patch view.Patch) {
	for _, r := range patch.Timeline {
		if r.Seq == patch.Seq {
			continue // new ones are found by their place
		}
		if p.grown == nil {
			p.grown = map[engine.Seq]struct{}{}
		}
		p.grown[r.Seq] = struct{}{}
	}
}

// sync brings what is shown up to date with the State.
func (p *timelinePane) sync(m *Model) {
	changed := p.sieve.take(m)
	if changed {
		p.calls.take(m.state.Timeline)
	}
	for seq := range p.grown {
		changed = p.sieve.change(m, seq) || changed
	}
	clear(p.grown)
	if changed {
		p.settle()
	}
}

// settle finds the cursor's place again.
func (p *timelinePane) settle() {
	p.dirty = true
	if n := len(p.sieve.shown); p.follow && n > 0 {
		p.row = p.sieve.shown[n-1]
	}
	p.cursor = p.sieve.near(p.row)
}

// at is the row under the cursor.
func (p *timelinePane) at(m *Model) (view.Row, bool) {
	if p.cursor >= len(p.sieve.shown) {
		return view.Row{}, false
	}
	return m.state.Timeline[p.sieve.shown[p.cursor]], true
}

// fresh counts the rows shown that have come since the reader scrolled away.
func (p *timelinePane) fresh() int {
	at, _ := slices.BinarySearch(p.sieve.shown, p.read)
	return len(p.sieve.shown) - at
}

func (p *timelinePane) move(by int) { p.jump(p.cursor + by) }

// jump puts the cursor on the row shown at a place.
func (p *timelinePane) jump(to int) {
	n := len(p.sieve.shown)
	if n == 0 {
		return
	}
	p.cursor = clamp(to, 0, n-1)
	p.row = p.sieve.shown[p.cursor]
	if follow := p.cursor >= n-1; follow != p.follow {
		p.follow, p.read = follow, p.sieve.seen
	}
	p.hit, p.dirty = 0, true
}

// visit puts the cursor on the row that an event is in, or on the nearest one shown before it.
func (p *timelinePane) visit(m *Model, seq engine.Seq) {
	if i, ok := rowHolding(m.state.Timeline, seq, ""); ok {
		p.sync(m)
		p.jump(p.sieve.near(i))
	}
}

func (p *timelinePane) page(by int) { p.move(by * max(p.rows-1, 1)) }

func (p *timelinePane) key(_ *Model, name string) {
	switch name {
	case "up":
		p.move(-1)
	case "down":
		p.move(1)
	case "home":
		p.jump(0)
	case "end":
		p.jump(len(p.sieve.shown))
	}
}

// click is on the row y below the title; it has given the pane the focus. A second click on the
// same row looks into it.
func (p *timelinePane) click(m *Model, y int) tea.Cmd {
	to := p.top + y
	if y < 0 || y >= p.rows || to >= len(p.sieve.shown) {
		return nil
	}
	seq, hit := m.state.Timeline[p.sieve.shown[to]].Seq, p.hit
	p.jump(to)
	if p.hit = seq; hit == seq {
		return m.inspect(seq)
	}
	return nil
}

// concerns is the id of the call or the message that the row under the cursor is about, or the
// name of a skill, while the pane has the focus. The other panes mark it.
func (p *timelinePane) concerns(m *Model) string {
	if m.focus != onTimeline {
		return ""
	}
	p.sync(m) // the other panes are drawn first
	if r, ok := p.at(m); ok {
		return subject(r)
	}
	return ""
}

// subject is what a row is about, by the name that the other panes know it by.
func subject(r view.Row) string {
	switch r.Kind {
	case "skill.requested", "skill.loaded":
		return r.Args["name"]
	case "notice", "model.retrying", "compaction.completed", "compaction.failed":
		return "notice" + strconv.FormatUint(uint64(r.Seq), 10)
	case "run.failed", "run.cancelled":
		return "end" + string(r.Run)
	}
	return r.About
}
