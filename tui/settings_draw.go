package tui

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"agentstudio/engine/safe"
)

// drawnField is a line of the form: a field, the model's line, or a heading if field is -1.
type drawnField struct {
	heading string // key of its words; "" with field -1 is a blank line
	field   int
}

// plan is the lines of the form, parted by what they are about.
func (s *settings) plan() (out []drawnField) {
	part := ""
	if s.linked && len(s.fields) > 0 {
		part = "-"
		out = append(out, drawnField{"", onModel})
	}
	for i, f := range s.fields {
		of := "setting.look"
		switch {
		case strings.HasPrefix(f.Key, "policy."):
			of = "setting.policies"
		case strings.HasPrefix(f.Key, "budget.") || f.Key == "approvalExpiry":
			of = "setting.limits"
		}
		if of != part {
			if part != "" {
				out = append(out, drawnField{"", -1})
			}
			out = append(out, drawnField{of, -1})
			part = of
		}
		out = append(out, drawnField{"", i})
	}
	return out
}

func (s *settings) render(m *Model, w, h int) []string {
	g := m.theme.Panel
	plan := s.plan()
	s.rows = clamp(h-5, 1, max(len(plan), 1))
	s.scroll(plan)
	out := []string{g.ends(g.Bold.of(m.label("setting.title")), s.more(m, len(plan)), w), ""}
	switch {
	case len(plan) > 0:
	case s.bad: // all of why there is nothing to change
		for _, l := range safe.Wrap(safe.Safe(m.theme.Broken)+" "+safe.Text(s.news, safe.Inline), max(w, 1)) {
			out = append(out, g.Pink.of(l))
		}
		return append(out[:min(len(out), max(h-2, 1))], "", g.Quiet.of(m.theme.cut(m.label("setting.closes"), w)))
	default:
		out = append(out, g.Quiet.of(m.label("setting.reading")))
	}
	name, value := s.widths(m, w)
	for _, d := range plan[s.top:min(s.top+s.rows, len(plan))] {
		switch {
		case d.field == onModel:
			out = append(out, s.model(m, w))
		case d.field >= 0:
			out = append(out, s.row(m, d.field, w, name, value))
		case d.heading != "":
			out = append(out, g.Quiet.of(m.label(d.heading)))
		default:
			out = append(out, "")
		}
	}
	return append(out, "", s.note(m, w), g.Quiet.of(m.theme.cut(m.label("setting.keys"), w)))
}

// scroll keeps the cursor's line in view, and a heading above it.
func (s *settings) scroll(plan []drawnField) {
	line := 0
	for i, d := range plan {
		if d.field == s.at {
			line = i
		}
	}
	above := line
	if line > 0 && plan[line-1].field == -1 {
		above--
	}
	if s.top > above {
		s.top = above
	}
	s.top = clamp(max(s.top, line-s.rows+1), 0, max(len(plan)-s.rows, 0))
}

// more says that there are fields out of view.
func (s *settings) more(m *Model, lines int) string {
	if below := lines - s.top - s.rows; below > 0 {
		return m.theme.Panel.Quiet.of(m.label("ui.moreBelow", "n", strconv.Itoa(below)))
	}
	return ""
}

// widths are those of the names and of the values.
func (s *settings) widths(m *Model, w int) (name, value int) {
	for _, f := range s.fields {
		name = max(name, safe.Width(safe.Text(f.label(m), safe.Inline)))
	}
	return min(name, w*2/5), clamp(w/4, 6, 20)
}

// row is a field: its name, its value, and what is wrong with that or where it comes from.
func (s *settings) row(m *Model, i, w, name, value int) string {
	t, f := m.theme, s.fields[i]
	g, mark := t.Panel, safe.Safe(" ")
	if i == s.at {
		g, mark = t.Select, safe.Safe(t.Answer)
	}
	left := g.AccentBold.of(mark) + g.pad(1) + g.fit(g.Text.of(t.cut(safe.Text(f.label(m), safe.Inline), name)), name) + g.pad(2) + g.fit(s.value(m, g, f, i == s.at, value), value) + g.pad(2)
	room := w - 4 - name - value - 2
	if why := f.wrong(); why != "" {
		return g.fit(left+g.Pink.of(t.cut(safe.Safe(t.Broken)+" "+m.label(why, "most", f.limit()), room)), w)
	}
	return g.fit(left+g.Quiet.of(t.cut(safe.Text(f.from(m), safe.Inline), room)), w)
}

// model is the line that opens the form of the model.
func (s *settings) model(m *Model, w int) string {
	g, mark := m.theme.Panel, safe.Safe(" ")
	if s.at == onModel {
		g, mark = m.theme.Select, safe.Safe(m.theme.Answer)
	}
	name := m.text("phase.noModel")
	if in := m.state.Model; in != nil {
		name = in.ID + " (" + in.Provider + ")"
	}
	left := g.AccentBold.of(mark) + g.pad(1) + g.Text.of(safe.Text(m.text("connect.line", "name", name), safe.Inline))
	return g.ends(left, g.Accent.of(m.label("connect.changes"))+g.pad(1), w)
}

// from says where a value comes from.
func (f *field) from(m *Model) string {
	switch {
	case f.Fixed:
		return m.text("setting.byFlag", "flag", f.Origin)
	case f.now != f.Value:
		return m.text("setting.changed", "was", f.shown(m, f.Value))
	case f.Origin == "":
		return m.text("setting.default")
	}
	return f.Origin
}

// value is what stands in a field; under the cursor with the signs of what can be done there.
func (s *settings) value(m *Model, g ground, f *field, here bool, w int) string {
	t := m.theme
	text := t.cut(safe.Text(f.shown(m, f.now), safe.Inline), max(w-4, 2))
	in := g.Text
	if f.now != f.Value {
		in = g.Bold
	}
	switch {
	case f.Choices == nil && here && !f.Fixed:
		return in.of(t.cut(safe.Text(f.now, safe.Inline), max(w-1, 1))) + g.Accent.of(safe.Safe(t.Bar))
	case f.Choices != nil && here && !f.Fixed:
		return g.Accent.of("< ") + in.of(text) + g.Accent.of(" >")
	}
	return in.of(text)
}

// note is what became of the last key, or what the field under the cursor is about.
func (s *settings) note(m *Model, w int) string {
	t, g := m.theme, m.theme.Panel
	switch {
	case s.saving:
		return g.Amber.of(t.cut(m.label("setting.saving"), w))
	case s.bad:
		return g.Pink.of(t.cut(safe.Safe(t.Broken)+" "+safe.Text(s.news, safe.Inline), w))
	case s.news != "":
		return g.Amber.of(t.cut(safe.Text(s.news, safe.Inline), w))
	case len(s.fields) == 0:
		return ""
	case s.at == onModel:
		return g.Quiet.of(t.cut(m.label("connect.about"), w))
	}
	f := s.fields[s.at]
	if why := f.wrong(); why != "" {
		return g.Pink.of(t.cut(safe.Safe(t.Broken)+" "+m.label(why, "most", f.limit()), w))
	}
	key := "setting.about." + f.Key
	if strings.HasPrefix(f.Key, "policy.") {
		key = "setting.about.policy"
	}
	return g.Quiet.of(t.cut(m.label(key), w))
}

// click goes to the field on a row; one more on the same row goes to its next choice.
func (s *settings) click(m *Model, _, y int) tea.Cmd {
	plan := s.plan()
	i := s.top + y - 2
	if y < 2 || y-2 >= s.rows || i >= len(plan) || plan[i].field == -1 || s.saving {
		return nil
	}
	s.say("", false)
	if s.at == onModel && plan[i].field == onModel {
		return m.openConnect()
	}
	if s.at == plan[i].field {
		return s.change(m, "right", "")
	}
	s.at = plan[i].field
	return nil
}
