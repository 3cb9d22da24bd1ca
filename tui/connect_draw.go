package tui

import (
	"cmp"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"agentstudio/engine"
	"agentstudio/engine/safe"
)

// connectLine is a line of the form: a field, or a model found, below its field.
type connectLine struct{ field, known int }

// mostFound is how many of the models found are shown at once.
const mostFound = 6

func (c *connect) plan() (out []connectLine) {
	for i, f := range c.fields() {
		out = append(out, connectLine{i, -1})
		if f != "model" || c.on() != f {
			continue
		}
		n := len(c.found())
		from := clamp(c.pick-mostFound+1, 0, max(n-mostFound, 0))
		for k := from; k < min(from+mostFound, n); k++ {
			out = append(out, connectLine{i, k})
		}
	}
	return out
}

func (c *connect) render(m *Model, w, h int) []string {
	g, t := m.theme.Panel, m.theme
	notes := c.notes(m, w)
	for len(notes) < 2 {
		notes = append(notes, "")
	}
	c.rows = max(h-4-len(notes), 1)
	out := []string{g.Bold.of(t.cut(m.label("connect.title"), w)), ""}
	if c.ready {
		plan := c.plan()
		c.scroll(plan)
		name, value := c.widths(m, w)
		for _, l := range plan[c.top:min(c.top+c.rows, len(plan))] {
			if l.known >= 0 {
				out = append(out, c.model(m, l.known, w, name))
			} else {
				out = append(out, c.row(m, l.field, w, name, value))
			}
		}
	}
	out = append(append(out, ""), notes...)
	return append(out, g.Quiet.of(t.cut(m.label("connect.keys"), w)))
}

// scroll keeps the cursor in view, with the models found below it.
func (c *connect) scroll(plan []connectLine) {
	first, last := 0, 0
	for i, l := range plan {
		if l.field == c.at && l.known <= max(c.pick, -1) {
			first = i
		}
		if l.field == c.at {
			last = i
		}
	}
	c.top = max(c.top, last-c.rows+1)
	c.top = clamp(min(c.top, first), 0, max(len(plan)-c.rows, 0))
}

// widths are those of the names and of the values.
func (c *connect) widths(m *Model, w int) (name, value int) {
	for _, f := range c.fields() {
		name = max(name, safe.Width(m.label("connect."+f)))
	}
	name = min(name, w*2/5)
	return name, max(min(w-name-6-18, 48), min(w-name-6, 16), 1)
}

// row is a field: its name, its value, and where that comes from.
func (c *connect) row(m *Model, i, w, name, value int) string {
	t, g, mark := m.theme, m.theme.Panel, safe.Safe(" ")
	if i == c.at && c.pick < 0 {
		g, mark = t.Select, safe.Safe(t.Answer)
	}
	field := c.fields()[i]
	left := g.AccentBold.of(mark) + g.pad(1) + g.fit(g.Text.of(t.cut(m.label("connect."+field), name)), name) + g.pad(2) +
		g.fit(c.value(m, g, field, i == c.at && c.pick < 0, value), value) + g.pad(2)
	right := c.origin(m, field)
	if n := len(c.found()); field == "model" && i == c.at && len(c.known) > 0 {
		right = m.text("connect.known", "n", strconv.Itoa(n))
	}
	return g.fit(left+g.Quiet.of(t.cut(safe.Text(right, safe.Inline), w-name-value-6)), w)
}

// value is what stands in a field; under the cursor with the signs of what can be done there.
func (c *connect) value(m *Model, g ground, field string, here bool, w int) string {
	t := m.theme
	if field == "key" {
		return c.masked(m, g, here, w)
	}
	if now, _ := c.typed(field); now != nil {
		shown := safe.Text(*now, safe.Inline)
		switch {
		case here:
			return g.Text.of(tail(t, shown, w-1)) + g.Accent.of(safe.Safe(t.Bar))
		case *now == "" && field == "contextWindow":
			return g.Quiet.of(t.cut(m.label("choice.auto"), w))
		}
		return g.Text.of(t.cut(shown, w))
	}
	text := c.choice(m, field)
	if here && !(field == "remember" && c.form.Keeper == "") {
		return g.Accent.of("< ") + g.Text.of(t.cut(text, max(w-4, 1))) + g.Accent.of(" >")
	}
	return g.Text.of(t.cut(text, w))
}

// choice is what is chosen in a field, in words where it is ours.
func (c *connect) choice(m *Model, field string) safe.Safe {
	if field == "preset" {
		switch all := c.presets(); {
		case c.preset < 0:
			return m.label("connect.choose")
		case all[c.preset].Name == "":
			return m.label("connect.other")
		default:
			return safe.Text(all[c.preset].Name, safe.Inline)
		}
	}
	if now, _ := c.chosen(field); now != nil {
		if field == "images" || field == "thinking" && *now == "" {
			return m.label("choice." + cmp.Or(*now, "auto"))
		}
		return safe.Text(*now, safe.Inline)
	}
	if on := c.switched(field); on == nil || !*on {
		return m.label("choice.false")
	}
	return m.label("choice.true")
}

// masked is the key's field: a sign for each letter, never one of them.
func (c *connect) masked(m *Model, g ground, here bool, w int) string {
	t := m.theme
	shown := g.Quiet.of(t.cut(m.label("connect.noKey"), w-1))
	if n := len([]rune(c.draft.Key.Reveal())); n > 0 {
		shown = g.Text.of(safe.Safe(strings.Repeat(t.Hidden, clamp(w-1, 0, n))))
	} else if c.form.KeyHint != "" && c.sameOrigin() {
		shown = g.Quiet.of(t.cut(c.hint(m), w-1))
	}
	if here {
		shown += g.Accent.of(safe.Safe(t.Bar))
	}
	return shown
}

// hint is how people recognise the key in force.
func (c *connect) hint(m *Model) safe.Safe {
	return safe.Text(strings.ReplaceAll(c.form.KeyHint, "•", m.theme.Hidden), safe.Inline)
}

// tail is the end of a text that is being typed, as much as fits.
func tail(t *theme, s safe.Safe, w int) safe.Safe {
	if safe.Width(s) <= w {
		return s
	}
	r := []rune(string(s))
	for len(r) > 0 && safe.Width(safe.Safe(string(r))) >= w {
		r = r[1:]
	}
	return safe.Safe(t.Ellipsis) + safe.Text(string(r), safe.Inline)
}

// model is a model found: its name, its window, what it can and what it costs.
func (c *connect) model(m *Model, i, w, name int) string {
	t, g, mark, k := m.theme, m.theme.Panel, safe.Safe(" "), c.found()[i]
	if i == c.pick {
		g, mark = t.Select, safe.Safe(t.You)
	}
	var facts []string
	if k.ContextWindow > 0 {
		facts = append(facts, thousands(k.ContextWindow))
	}
	if k.Images {
		facts = append(facts, m.text("ui.vision"))
	}
	if k.Price != "" {
		facts = append(facts, k.Price)
	}
	about := t.cut(safe.Text(strings.Join(facts, " "+t.Sep+" "), safe.Inline), max(w/3, 0))
	left := g.pad(name+2) + g.AccentBold.of(mark) + g.pad(1) + g.Text.of(t.cut(safe.Text(k.ID, safe.Inline), max(w-name-6-safe.Width(about), 1)))
	return g.ends(left, g.Quiet.of(about)+g.pad(1), w)
}

// notes are what is under way, else the newest news, else what the field is about.
func (c *connect) notes(m *Model, w int) []string {
	const most = 4
	t, g := m.theme, m.theme.Panel
	in, text := g.Quiet, safe.Safe("")
	switch {
	case c.sure:
		in, text = g.AmberBold, m.label("connect.sure")
	case c.doing != "":
		in, text = g.Amber, m.label(c.doing)
	case c.news != "" && c.kind == badNews:
		in, text = g.Pink, safe.Safe(t.Broken)+" "+safe.Text(c.news, safe.Inline)
	case c.news != "" && c.kind == goodNews:
		in, text = g.Green, safe.Safe(t.Yes)+" "+safe.Text(c.news, safe.Inline)
	case c.news != "":
		in, text = g.Amber, safe.Text(c.news, safe.Inline)
	case c.ready:
		text = c.about(m)
	}
	lines := safe.Wrap(text, max(w, 1))
	return drawn(in, lines[:min(len(lines), most)])
}

// about says what the field under the cursor is, of the key whose it is.
func (c *connect) about(m *Model) safe.Safe {
	switch field := c.on(); field {
	case "key":
		owner, here := c.form.Draft.BaseURL, c.draft.BaseURL
		if o := engine.OriginOf(owner); o != "" {
			owner = o
		} else {
			owner = c.form.Draft.Provider
		}
		if o := engine.OriginOf(here); o != "" {
			here = o
		} else {
			here = c.draft.Provider
		}
		switch {
		case !c.draft.Key.Empty():
			return m.label("connect.about.keyTyped", "origin", here)
		case c.form.KeyHint == "":
			return m.label("connect.about.key")
		case c.sameOrigin():
			return m.label("connect.about.keyKept", "hint", string(c.hint(m)), "origin", owner)
		}
		return m.label("connect.about.keyOther", "hint", string(c.hint(m)), "origin", owner, "here", here)
	case "remember":
		if k := c.form.Keeper; k == "keyring" || k == "file" {
			return m.label("connect.about.remember." + k)
		}
		return m.label("connect.about.remember")
	default:
		return m.label("connect.about." + field)
	}
}

// click goes to the field on a row, or takes the model there; one more on the same field goes to its
// next choice.
func (c *connect) click(m *Model, _, y int) tea.Cmd {
	if !c.ready || c.doing != "" || c.sure || y < 2 || y-2 >= c.rows {
		return nil
	}
	plan := c.plan()
	i := c.top + y - 2
	if i >= len(plan) {
		return nil
	}
	c.say(plainNews, "")
	switch l := plan[i]; {
	case l.known >= 0:
		c.pick = l.known
		return c.enter(m)
	case l.field == c.at:
		return c.change(m, "right", "")
	default:
		c.at, c.pick = l.field, -1
	}
	return c.look(m)
}
