package tui

import (
	"strconv"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"agentstudio/engine/safe"
	"agentstudio/engine/words"
)

func (l *sessionList) render(m *Model, w, h int) []string {
	t, g := m.theme, m.theme.Panel
	found := l.found()
	l.rows = clamp(h-5, 1, max(len(found), 1))
	l.top = clamp(clamp(l.top, l.at-l.rows+1, max(l.at, 0)), 0, max(len(found)-l.rows, 0))
	head := g.Bold.of(m.label("saved.title")) + g.pad(2) + g.Accent.of(safe.Safe(t.You)) + g.pad(1) +
		g.Text.of(t.cut(safe.Text(l.typed, safe.Inline), max(w-24, 4))) + g.Accent.of(safe.Safe(t.Bar))
	below := ""
	if n := len(found) - l.top - l.rows; n > 0 {
		below = g.Quiet.of(m.label("ui.moreBelow", "n", strconv.Itoa(n)))
	}
	out := []string{g.ends(head, below, w), ""}
	for i := l.top; i < min(l.top+l.rows, len(found)); i++ {
		out = append(out, l.row(m, found[i], i == l.at, w))
	}
	switch {
	case len(found) > 0:
	case !l.read && !l.bad:
		out = append(out, g.Quiet.of(m.label("saved.reading")))
	case l.typed != "":
		out = append(out, g.Quiet.of(m.label("saved.notFound")))
	case l.read:
		out = append(out, g.Quiet.of(m.label("saved.empty")))
	}
	return append(out, "", l.note(m, w), g.Quiet.of(t.cut(m.label("saved.keys"), w)))
}

// row is a session: its state, its title, and how old and long it is, as far as there is room.
func (l *sessionList) row(m *Model, s Saved, here bool, w int) string {
	t := m.theme
	g, mark := t.Panel, safe.Safe(" ")
	if here {
		g, mark = t.Select, safe.Safe(t.Answer)
	}
	glyph, in := t.savedSign(g, s.State)
	state := "saved." + s.State
	if s.ID == m.o.Session.ID() {
		glyph, in, state = t.Dot, g.AccentBold, "saved.shown"
	}
	word := safe.Text(s.State, safe.Inline)
	if words.Has(state) {
		word = m.label(state)
	}
	left := g.AccentBold.of(mark) + g.pad(1) + g.fit(in.of(safe.Safe(glyph+" "))+in.of(word), min(15, w/3)) + g.pad(1)
	right := ""
	if w >= 56 {
		right = g.Quiet.of(m.label("saved.events", "events", strconv.Itoa(s.Events))) + g.pad(2)
	}
	if age := m.ageOf(s.Updated); w >= 36 && age != "" {
		right += g.fit(g.Quiet.of(safe.Text(age, safe.Inline)), 11)
	}
	room := max(w-min(15, w/3)-4-ansi.StringWidth(right), 1)
	return g.ends(left+g.Text.of(t.cut(safe.Text(s.named(), safe.Inline), room)), right, w)
}

// savedSign is the sign of a saved session's state.
func (t *theme) savedSign(g ground, state string) (string, ink) {
	switch state {
	case "ok":
		return t.Yes, g.Green
	case "running":
		return t.Running, g.Accent
	case "interrupted":
		return t.Half, g.Amber
	case "locked":
		return t.Wait, g.Amber
	}
	return t.Broken, g.Pink
}

// note is a question, the title being typed, or what became of the last key.
func (l *sessionList) note(m *Model, w int) string {
	t, g := m.theme, m.theme.Panel
	switch {
	case l.asking.ID != "":
		title := t.cut(safe.Text(l.asking.named(), safe.Inline), max(w/2, 4))
		return g.AmberBold.of(t.cut(m.label("saved.deleteAsk", "title", string(title)), w))
	case l.naming.ID != "":
		name := m.label("saved.newTitle") + " "
		room := max(w-safe.Width(name)-1, 4)
		typed := safe.Text(l.title, safe.Inline)
		if over := safe.Width(typed) - room; over > 0 {
			_, end := cutAt(string(typed), over)
			typed = safe.Text(end, safe.Inline)
		}
		return g.Text.of(name) + g.Bold.of(typed) + g.Accent.of(safe.Safe(t.Bar))
	case l.bad:
		return g.Pink.of(t.cut(safe.Safe(t.Broken)+" "+safe.Text(l.news, safe.Inline), w))
	}
	return g.Amber.of(t.cut(safe.Text(l.news, safe.Inline), w))
}

// named is what a session is called: its title, or its id while it has none.
func (s Saved) named() string {
	if s.Title == "" {
		return string(s.ID)
	}
	return s.Title
}

// click goes to the session on a row, and opens it the second time.
func (l *sessionList) click(m *Model, _, y int) tea.Cmd {
	found := l.found()
	i := l.top + y - 2
	if y < 2 || y-2 >= l.rows || i >= len(found) || l.busy || l.asking.ID != "" || l.naming.ID != "" {
		return nil
	}
	l.say("", false)
	if i == l.at {
		return l.open(m, found[i])
	}
	l.at = i
	return nil
}
