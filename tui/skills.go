package tui

import (
	"strconv"

	"agentstudio/engine"
	"agentstudio/engine/safe"
	"agentstudio/engine/view"
)

// skillsPane shows skills, tools and files. It owns its scroll and its picture.
type skillsPane struct {
	top   int
	dirty bool
	w     int
	lines []string
	shown int // rows of the newest picture
}

func (p *skillsPane) take(patch view.Patch) {
	p.dirty = p.dirty || patch.Skills != nil || patch.Tools != nil || patch.Artifacts != nil || patch.Attachments != nil
}

func (p *skillsPane) move(by int) { p.top = clamp(p.top+by, 0, max(len(p.lines)-p.shown, 0)) }
func (p *skillsPane) page(by int) { p.move(by * max(p.shown-2, 1)) }

func (p *skillsPane) key(_ *Model, name string) {
	switch name {
	case "up":
		p.move(-1)
	case "down":
		p.move(1)
	case "home":
		p.top = 0
	case "end":
		p.move(len(p.lines))
	}
}

func (p *skillsPane) render(m *Model, w, h int) []string {
	if p.dirty || p.w != w {
		p.dirty, p.w = false, w
		p.lines = p.layout(m, w)
	}
	p.shown = h - 2
	p.move(0)
	out := []string{m.title("ui.skills", m.focus == onSkills, "", w), m.theme.pad(w)}
	for i := p.top; i < len(p.lines) && len(out) < h; i++ {
		out = append(out, p.lines[i])
	}
	for len(out) < h {
		out = append(out, m.theme.pad(w))
	}
	return out[:h]
}

// title is a pane's head: small capitals, in the accent when it has the focus.
func (m *Model) title(key string, focused bool, right string, w int) string {
	in := m.theme.Quiet
	if focused {
		in = m.theme.AccentBold
	}
	return m.theme.ends(m.theme.pad(1)+in.of(safe.Text(m.text(key), safe.Inline)), right, w)
}

func (p *skillsPane) layout(m *Model, w int) (out []string) {
	t := m.theme
	for _, s := range m.state.Skills {
		out = append(out, p.skill(m, s, w)...)
		out = append(out, t.pad(w))
	}
	for _, d := range m.state.Diagnostics {
		out = append(out, indent(t.ground, t.Amber, safe.Text(d.Message, safe.Inline), 3, w, 2)...)
	}
	out = append(out, m.title("ui.tools", false, "", w), t.pad(w))
	for _, tool := range m.state.Tools {
		glyph, in := t.policySign(t.ground, tool.Policy)
		calls := ""
		if tool.Calls > 0 {
			calls = strconv.Itoa(tool.Calls)
		}
		left := t.pad(1) + in.of(safe.Safe(glyph)) + t.pad(1) + t.Text.of(safe.Truncate(safe.Text(tool.Name, safe.Inline), w-8, safe.Safe(t.Ellipsis)))
		out = append(out, t.ends(left, t.Quiet.of(safe.Safe(calls))+t.pad(1), w))
	}
	if len(m.state.Artifacts)+len(m.state.Attachments) == 0 {
		return out
	}
	out = append(out, t.pad(w), m.title("ui.files", false, "", w), t.pad(w))
	for _, a := range m.state.Attachments {
		out = append(out, m.file(a.Name, a.Bytes, w))
	}
	for _, a := range m.state.Artifacts {
		out = append(out, m.file(a.Name, a.Bytes, w))
	}
	return out
}

func (m *Model) file(name string, bytes int64, w int) string {
	t := m.theme
	size := t.Quiet.of(safe.Safe(sizeText(bytes)))
	return t.ends(t.pad(3)+t.Text.of(safe.Text(name, safe.Inline)), size+t.pad(1), w)
}

func sizeText(n int64) string {
	switch {
	case n < 1000:
		return strconv.FormatInt(n, 10) + " B"
	case n < 1_000_000:
		return strconv.FormatFloat(float64(n)/1000, 'f', 1, 64) + " KB"
	}
	return strconv.FormatFloat(float64(n)/1_000_000, 'f', 1, 64) + " MB"
}

// policySign is the sign of a policy on a ground.
func (t *theme) policySign(g ground, v engine.Verdict) (string, ink) {
	switch v {
	case engine.Allow:
		return t.Yes, g.Green
	case engine.Ask:
		return t.Ask, g.Amber
	}
	return t.No, g.Pink
}

func (p *skillsPane) skill(m *Model, s view.Skill, w int) []string {
	t := m.theme
	glyph, in, name, state := t.Open, t.Quiet, t.Text, m.text("light.available", "tokens", thousands(s.Tokens))
	switch s.Light {
	case view.Requested:
		glyph, in, state = t.Half, t.Violet, m.text("light.requested", "seq", num(s.At))
	case view.Loaded:
		glyph, in, name, state = t.Dot, t.Violet, t.Bold, m.text("light.loaded", "seq", num(s.At), "tokens", thousands(s.Tokens))
	case view.Shadowed:
		state = m.text("light.shadowed", "source", s.Source)
	case view.Broken:
		glyph, in, name, state = t.Broken, t.Amber, t.Quiet, m.text("light.broken")
	}
	out := []string{t.fit(t.pad(1)+in.of(safe.Safe(glyph))+t.pad(1)+name.of(safe.Truncate(safe.Text(s.Name, safe.Inline), w-4, safe.Safe(t.Ellipsis))), w)}
	if s.Light == view.Broken || s.State == engine.SkillWarned && len(s.Diagnostics) > 0 {
		for _, d := range s.Diagnostics {
			text := d.Message
			if d.Line > 0 {
				text = m.text("ui.atLine", "text", d.Message, "line", strconv.Itoa(d.Line))
			}
			out = append(out, indent(t.ground, t.Amber, safe.Text(text, safe.Inline), 3, w, 2)...)
			if s.Light == view.Broken {
				return out
			}
		}
	}
	out = append(out, indent(t.ground, t.Quiet, safe.Text(state, safe.Inline), 3, w, 1)...)
	return append(out, indent(t.ground, t.Quiet, safe.Text(s.Description, safe.Inline), 3, w, 2)...)
}

// indent wraps text below itself, at most rows lines, the last one cut with an ellipsis.
func indent(g ground, in ink, s safe.Safe, by, w, rows int) (out []string) {
	if w-by-1 < 4 {
		return nil
	}
	lines := safe.Wrap(s, w-by-1)
	for i, l := range lines {
		if i == rows-1 && len(lines) > rows {
			l = safe.Truncate(l+"…", w-by-1, "…")
			if safe.Width(l) < w-by-1 && lines[i] == l {
				l += "…"
			}
			return append(out, g.fit(g.pad(by)+in.of(l), w))
		}
		out = append(out, g.fit(g.pad(by)+in.of(l), w))
	}
	return out
}

func num(s engine.Seq) string { return strconv.FormatUint(uint64(s), 10) }
