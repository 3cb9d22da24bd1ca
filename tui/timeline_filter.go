package tui

import (
	"strconv"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"agentstudio/engine/safe"
)

const maxWanted = 80 // letters of the text that captions must hold

// timelineKeys are those of the pane while it has the focus.
func timelineKeys() []binding {
	on := func(id, key string, when func(*Model) bool, do func(*Model) tea.Cmd, foot func(*Model) bool) binding {
		return binding{id: id, keys: []string{key}, in: inTimeline, when: when, do: do, foot: foot}
	}
	typing := func(m *Model) bool { return m.timeline.typing }
	reading := func(m *Model) bool { return !m.timeline.typing }
	choose := func(id, key string, k rowKind) binding {
		return on(id, key, reading, func(m *Model) tea.Cmd { return m.want(func(w *wanted) { w.kind = k }) }, nil)
	}
	return []binding{
		on("filterKeep", "enter", typing, func(m *Model) tea.Cmd { m.timeline.edit(false); return nil }, always),
		on("filterDrop", "esc", typing, dropFilter, always),
		on("inspect", "enter", onARow, inspectRow, always),
		on("unfilter", "esc", filtered, func(m *Model) tea.Cmd { return m.want(func(w *wanted) { *w = wanted{} }) }, always),
		on("filter", "/", reading, func(m *Model) tea.Cmd { m.timeline.edit(true); return nil }, always),
		on("errors", "e", reading, func(m *Model) tea.Cmd { return m.want(func(w *wanted) { w.bad = !w.bad }) }, always),
		on("fold", "z", reading, foldRuns, always),
		choose("rowsAll", "1", allRows), choose("rowsModel", "2", modelRows), choose("rowsTools", "3", toolRows),
		choose("rowsSkills", "4", skillRows), choose("rowsApprovals", "5", approvalRows),
	}
}

func onARow(m *Model) bool {
	_, ok := m.timeline.at(m)
	return ok && !m.timeline.typing
}

func inspectRow(m *Model) tea.Cmd {
	r, _ := m.timeline.at(m)
	return m.inspect(r.Seq)
}

// filtered tells that some rows may be held back.
func filtered(m *Model) bool { return m.timeline.sieve.wanted != wanted{} && !m.timeline.typing }

func dropFilter(m *Model) tea.Cmd {
	m.timeline.edit(false)
	return m.want(func(w *wanted) { w.text = "" })
}

// foldRuns makes one row of each finished run, or opens them again.
func foldRuns(m *Model) tea.Cmd {
	p := &m.timeline
	p.again(m, func() { p.sieve.folded = !p.sieve.folded })
	return nil
}

// want changes what is wanted of the timeline.
func (m *Model) want(how func(*wanted)) tea.Cmd {
	w := m.timeline.sieve.wanted
	if how(&w); w != m.timeline.sieve.wanted {
		m.timeline.again(m, func() { m.timeline.sieve.wanted = w })
	}
	return nil
}

// again looks at all rows anew. The cursor stays on its event, or goes to the one before that is
// still shown, and stays where it is on the screen.
func (p *timelinePane) again(m *Model, how func()) {
	down := p.cursor - p.top
	how()
	p.sieve.restart()
	p.sync(m)
	p.settle()
	p.top, p.hit = max(p.cursor-down, 0), 0
}

// type1 opens or closes the line in which the text is typed.
func (p *timelinePane) edit(open bool) { p.typing, p.dirty = open, true }

// typed takes the keys of that line: see typist. What captions must hold is in force at once.
func (p *timelinePane) typed(m *Model, k tea.KeyPressMsg) (tea.Cmd, bool) {
	text := p.sieve.text
	switch name := k.String(); {
	case name == "backspace":
		_, n := utf8.DecodeLastRuneInString(text)
		text = text[:len(text)-n]
	case name == "ctrl+u":
		text = ""
	case k.Text != "" && k.Mod&(tea.ModCtrl|tea.ModAlt) == 0:
		text += k.Text
	default:
		return nil, false
	}
	return p.wantText(m, text), true
}

// pasted takes what is pasted into that line.
func (p *timelinePane) pasted(m *Model, text string) {
	p.wantText(m, p.sieve.text+strings.Join(strings.Fields(text), " "))
}

func (p *timelinePane) wantText(m *Model, text string) tea.Cmd {
	for utf8.RuneCountInString(text) > maxWanted {
		_, n := utf8.DecodeLastRuneInString(text)
		text = text[:len(text)-n]
	}
	return m.want(func(w *wanted) { w.text = text })
}

// foot says how many rows of how many are shown and why, and whether the pane follows; or it is the
// line in which the text is typed.
func (p *timelinePane) foot(m *Model, w int) string {
	t := m.theme
	state := m.label("ui.following")
	switch n := p.fresh(); {
	case !p.follow && n == 0:
		state = m.label("ui.notFollowing")
	case !p.follow:
		state = m.label("ui.newBelow", "n", strconv.Itoa(n))
	}
	right := t.Quiet.of(state + safe.Safe(" "+t.Down))
	few := m.label("ui.rowsOf", "n", strconv.Itoa(len(p.sieve.shown)), "all", strconv.Itoa(len(m.state.Timeline)))
	if p.typing && m.focus == onTimeline {
		return p.field(m, few, w)
	}
	s := p.sieve
	if s.wanted == (wanted{}) && !s.folded {
		return t.fit(t.pad(t.Margin)+right, w)
	}
	line := t.pad(t.Margin) + t.Text.of(few)
	say := func(in ink, text safe.Safe) { line += t.Quiet.of(safe.Safe(" "+t.Sep+" ")) + in.of(text) }
	if s.bad {
		say(t.Accent, m.label("ui.rowsBad"))
	}
	if s.text != "" {
		say(t.Accent, m.label("ui.rowsWith", "text", s.text))
	}
	if s.folds() {
		say(t.Quiet, m.label("ui.rowsFolded"))
	}
	return t.ends(line, right+t.pad(t.Margin), w)
}

// field is the line in which the text is typed, its end in view.
func (p *timelinePane) field(m *Model, few safe.Safe, w int) string {
	t, text := m.theme, safe.Text(p.sieve.text, safe.Inline)
	room := max(w-safe.Width(few)-2*t.Margin-4, 4)
	if over := safe.Width(text) - room; over > 0 {
		_, end := cutAt(string(text), over)
		text = safe.Text(end, safe.Inline)
	}
	line := t.pad(t.Margin) + t.Accent.of("/ ") + t.Text.of(text) + t.Accent.of(safe.Safe(t.Bar))
	return t.ends(line, t.Quiet.of(few)+t.pad(t.Margin), w)
}

// kindName is the words for a kind of rows.
func kindName(k rowKind) string {
	return []string{allRows: "ui.rowsAll", modelRows: "ui.rowsModel", toolRows: "ui.rowsTools", skillRows: "ui.rowsSkills", approvalRows: "ui.rowsApprovals"}[k]
}
