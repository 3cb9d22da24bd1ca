package tui

import (
	"strconv"

	tea "charm.land/bubbletea/v2"

	"agentstudio/engine/safe"
)

// viewer shows a text over the whole screen: scrolled, searched, copied, opened in a pager. It is
// laid out once for each width, however long it is.
type viewer struct {
	title string
	head  string // what is told before the text, not copied with it
	text  string // as it came
	note  string // what is to be known of it, beside the title
	md    bool   // the text is Markdown
	code  bool   // columns matter: lines break at the width

	page  sheet
	top   int
	shown int
	find  finder
	found []int // places of the matches in the page's text
	dirty bool  // text or words looked for have changed since the matches were looked up
}

func (v *viewer) spacious() bool { return true }

// fill puts in the text, when it has been read.
func (v *viewer) fill(text string) {
	v.text, v.page, v.dirty = text, sheet{}, true
}

func (v *viewer) wheel(_ *Model, by int) { v.scroll(by) }

func (v *viewer) paste(_ *Model, text string) {
	if v.find.typing {
		v.find.add(text)
		v.look()
	}
}

func (v *viewer) scroll(by int) { v.top = clamp(v.top+by, 0, max(v.page.count()-v.shown, 0)) }

func (v *viewer) key(m *Model, k tea.KeyPressMsg) tea.Cmd {
	if v.find.typing {
		changed, used := v.find.key(k)
		if changed {
			v.look()
		}
		if used {
			return nil
		}
	}
	switch name := k.String(); name {
	case "up", "down", "pgup", "pgdown", "space", "home", "end":
		v.walk(name)
	case "/":
		v.find.begin()
	case "n":
		v.turn(1)
	case "N":
		v.turn(-1)
	case "enter":
		if !v.find.on {
			m.uncover()
			return nil
		}
		v.turn(1)
	case "c":
		return m.copy(v.whole())
	case "o":
		return m.read(v.title, v.whole())
	case "esc", "q":
		if v.find.on {
			v.find.end()
			v.found = nil
			return nil
		}
		m.uncover()
	}
	return nil
}

// walk scrolls by a key.
func (v *viewer) walk(name string) {
	switch name {
	case "up":
		v.scroll(-1)
	case "down":
		v.scroll(1)
	case "pgup":
		v.scroll(-max(v.shown-1, 1))
	case "pgdown", "space":
		v.scroll(max(v.shown-1, 1))
	case "home":
		v.top = 0
	case "end":
		v.scroll(v.page.count())
	}
}

// whole is what is copied: the text, or what stands for one.
func (v *viewer) whole() string {
	if v.text == "" {
		return v.head
	}
	return v.text
}

// look finds other words, from what is in view on.
func (v *viewer) look() {
	v.search()
	v.find.at = 0
	for i, at := range v.found {
		if v.page.row(at) >= v.top {
			v.find.at = i
			break
		}
	}
	v.arrive()
}

func (v *viewer) search() {
	v.dirty = false
	v.found = occurrences(v.page.flat(), v.find.query)
	v.find.count = len(v.found)
	v.find.at = clamp(v.find.at, 0, max(len(v.found)-1, 0))
}

func (v *viewer) turn(by int) {
	v.find.turn(by)
	v.arrive()
}

// arrive scrolls to the present match.
func (v *viewer) arrive() {
	if v.find.count == 0 {
		return
	}
	if row := v.page.row(v.found[v.find.at]); row < v.top || row >= v.top+v.shown {
		v.top = 0
		v.scroll(row - v.shown/3)
	}
}

func (v *viewer) render(m *Model, w, most int) []string {
	t, g := m.theme, m.theme.Panel
	airy := 0
	if most >= 12 {
		airy = 1
	}
	anew := v.page.lay(t, v, max(w-3, 1)) || v.dirty
	if anew {
		v.search() // places in a Markdown page are those of its picture
	}
	if v.shown = clamp(most-2-2*airy, 1, max(v.page.count(), 1)); anew && v.find.on {
		v.arrive() // what is looked for may have been typed before there were rows
	}
	v.scroll(0)
	to := min(v.top+v.shown, v.page.count())
	at := m.text("ui.viewAt", "from", strconv.Itoa(min(v.top+1, to)), "to", strconv.Itoa(to), "n", strconv.Itoa(v.page.count()))
	if v.note != "" {
		at = v.note + "  " + t.Sep + "  " + at
	}
	title := t.cut(safe.Text(v.title, safe.Inline), w)
	out := []string{g.ends(g.Bold.of(title), g.Quiet.of(t.cut(safe.Text(at, safe.Inline), max(w-12, 0))), w)}
	for range airy {
		out = append(out, "")
	}
	for y := v.top; y < to; y++ {
		out = append(out, v.line(t, y, w))
	}
	if to == v.top {
		out = append(out, t.pad(w))
	}
	for range airy {
		out = append(out, "")
	}
	foot := g.Quiet.of(t.cut(m.label("ui.viewKeys"), w))
	if v.find.on {
		foot = v.find.line(m, g, w)
	} else if m.flash != "" {
		foot = g.Amber.of(t.cut(safe.Text(m.flash, safe.Inline), w))
	}
	return append(out, foot)[:min(len(out)+1, max(most, 0))]
}

// line is one row of the page on the screen's ground, the one with the present match on its own.
func (v *viewer) line(t *theme, y, w int) string {
	if v.find.on && v.find.count > 0 && v.page.row(v.found[v.find.at]) == y {
		g := t.Select
		before, match, after := v.page.parts(y, v.found[v.find.at], len(v.find.query))
		return g.fit(g.AccentBold.of(safe.Safe(t.You))+g.pad(1)+g.Text.of(before)+g.AccentBold.of(match)+g.Text.of(after), w)
	}
	return t.fit(t.pad(2)+v.page.line(t, y), w)
}
