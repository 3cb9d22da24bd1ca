package tui

import (
	"strconv"
	"strings"

	"agentstudio/engine"
	"agentstudio/engine/safe"
	"agentstudio/engine/view"
)

// skillsPane shows skills, tools and files. It owns its cursor, its scroll and its picture.
type skillsPane struct {
	top   int
	dirty bool
	w     int
	lines []string
	shown int // rows of the newest picture

	cursor int    // the chosen entry
	last   int    // the entry clicked last, counted from 1, until a key is pressed
	rows   []span // of each entry, in the newest picture
	at     marks  // what the picture was made with, beside the State
}

func (p *skillsPane) take(patch view.Patch) {
	p.dirty = p.dirty || patch.Skills != nil || patch.Tools != nil || patch.Artifacts != nil || patch.Attachments != nil
}

func (p *skillsPane) repaint() { p.dirty = true }

func (p *skillsPane) render(m *Model, w, h int) []string {
	p.shown = max(h-sideRows, 0)
	if at := p.marks(m); p.dirty || p.w != w || p.at != at {
		p.dirty, p.w, p.at = false, w, at
		p.lines = p.layout(m, w)
	}
	p.scroll(0)
	right := ""
	if below := len(p.lines) - p.top - p.shown; below > 0 {
		right = m.theme.Quiet.of(m.label("ui.moreBelow", "n", strconv.Itoa(below))) + m.theme.pad(1)
	}
	out := make([]string, 0, h)
	out = append(out, m.title(onSkills, right, w), m.theme.pad(w))
	for i := p.top; i < len(p.lines) && len(out) < h; i++ {
		out = append(out, p.lines[i])
	}
	for len(out) < h {
		out = append(out, m.theme.pad(w))
	}
	return out[:max(h, 0)]
}

func (p *skillsPane) layout(m *Model, w int) (out []string) {
	t := m.theme
	p.rows = p.rows[:0]
	add := func(touched bool, draw func(g ground) []string) {
		lines := p.entryLines(t, touched, draw)
		p.rows = append(p.rows, span{len(out), len(out) + len(lines)})
		out = append(out, lines...)
	}
	for _, s := range m.state.Skills {
		add(s.Name != "" && s.Name == p.at.skill, func(g ground) []string { return m.skillLines(g, s, w) })
		out = append(out, t.pad(w))
	}
	if len(m.state.Diagnostics) > 0 {
		for _, d := range m.state.Diagnostics {
			out = append(out, t.indent(t.Amber, safe.Text(d.Message, safe.Inline), t.Margin+2, w, 2)...)
		}
		out = append(out, t.pad(w))
	}
	out = append(out, m.heading("ui.tools", w), t.pad(w))
	for _, tool := range m.state.Tools {
		add(tool.Name != "" && tool.Name == p.at.tool, func(g ground) []string { return []string{m.toolLine(g, tool, w)} })
	}
	if len(m.state.Artifacts)+len(m.state.Attachments) == 0 {
		return out
	}
	out = append(out, t.pad(w), m.heading("ui.files", w), t.pad(w))
	for _, a := range m.state.Attachments {
		add(false, func(g ground) []string { return []string{m.file(g, g.Accent, a.Name, a.Bytes, w)} })
	}
	for _, a := range m.state.Artifacts {
		add(false, func(g ground) []string { return []string{m.file(g, g.Green, a.Name, a.Bytes, w)} })
	}
	return out
}

// toolLine is a tool: its policy as a sign, and how often it was called.
func (m *Model) toolLine(g ground, tool view.Tool, w int) string {
	t := m.theme
	glyph, in := t.policySign(g, tool.Policy)
	calls := ""
	if tool.Calls > 0 {
		calls = strconv.Itoa(tool.Calls)
	}
	left := g.pad(t.Margin) + in.of(safe.Safe(glyph)) + g.pad(1) + g.Text.of(t.cut(safe.Text(tool.Name, safe.Inline), w-8))
	return g.ends(left, g.Quiet.of(safe.Safe(calls))+g.pad(1), w)
}

// file is one line: in the accent what was attached, in green what the agent made.
func (m *Model) file(g ground, in ink, name string, bytes int64, w int) string {
	t := m.theme
	size := safe.Safe(sizeText(bytes))
	sign := g.pad(1)
	switch in {
	case g.Green:
		sign = in.of(safe.Safe(t.Yes))
	case g.Accent:
		sign = in.of(safe.Safe(t.Picture))
	}
	shown := t.cut(safe.Text(name, safe.Inline), w-safe.Width(size)-t.Margin-4)
	return g.ends(g.pad(t.Margin)+sign+g.pad(1)+g.Text.of(shown), g.Quiet.of(size)+g.pad(1), w)
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

// light is a skill's sign and what it says.
func (m *Model) light(s view.Skill) (glyph string, in, name ink, state string) {
	return m.lightOn(m.theme.ground, s)
}

func (m *Model) lightOn(g ground, s view.Skill) (glyph string, in, name ink, state string) {
	t := m.theme
	switch s.Light {
	case view.Requested:
		return t.Half, g.Violet, g.Text, m.text("light.requested", "seq", num(s.At))
	case view.Loaded:
		return t.Dot, g.Violet, g.Bold, m.text("light.loaded", "seq", num(s.At), "tokens", thousands(s.Tokens))
	case view.Shadowed:
		return t.No, g.Quiet, g.Quiet, m.text("light.shadowed")
	case view.Broken:
		return t.Broken, g.Amber, g.Quiet, m.text("light.broken")
	}
	return t.Open, g.Quiet, g.Text, m.text("light.available", "tokens", thousands(s.Tokens))
}

func (m *Model) skillLines(g ground, s view.Skill, w int) []string {
	t := m.theme
	glyph, in, name, state := m.lightOn(g, s)
	by := t.Margin + 2
	out := []string{g.fit(g.pad(t.Margin)+in.of(safe.Safe(glyph))+g.pad(1)+name.of(t.cut(safe.Text(s.Name, safe.Inline), w-by-1)), w)}
	if s.Light == view.Broken || s.State == engine.SkillWarned {
		for _, d := range s.Diagnostics {
			text := d.Message
			if d.Line > 0 {
				text = m.text("ui.atLine", "text", d.Message, "line", strconv.Itoa(d.Line))
			}
			out = append(out, t.indentOn(g, g.Amber, safe.Text(text, safe.Inline), by, w, 2)...)
			if s.Light == view.Broken {
				return out
			}
		}
	}
	out = append(out, t.indentOn(g, g.Quiet, safe.Text(state, safe.Inline), by, w, 1)...)
	if s.Light == view.Shadowed {
		return out
	}
	return append(out, t.indentOn(g, g.Quiet, safe.Text(s.Description, safe.Inline), by, w, 2)...)
}

// indent wraps text below itself, at most rows lines, the last one cut with an ellipsis.
func (t *theme) indent(in ink, s safe.Safe, by, w, rows int) []string {
	return t.indentOn(t.ground, in, s, by, w, rows)
}

func (t *theme) indentOn(g ground, in ink, s safe.Safe, by, w, rows int) (out []string) {
	room := w - by - 1
	if room < 4 || s == "" {
		return nil
	}
	lines := safe.Wrap(s, room)
	for i, l := range lines[:min(rows, len(lines))] {
		if i == rows-1 && len(lines) > rows {
			end := safe.Safe(t.Ellipsis)
			if l = safe.Safe(strings.TrimRight(string(l), " ")); safe.Width(l) >= room {
				l = safe.Truncate(l, room-safe.Width(end), "")
			}
			l += end
		}
		out = append(out, g.fit(g.pad(by)+in.of(l), w))
	}
	return out
}

func num(s engine.Seq) string { return strconv.FormatUint(uint64(s), 10) }
