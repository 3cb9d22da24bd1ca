package tui

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

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

// skillsKeys are those of the pane while it has the focus.
func skillsKeys() []binding {
	return nil
}

// click is on the row y below the title; it has given the pane the focus.
func (p *skillsPane) click(_ *Model, _ int) tea.Cmd { return nil }

func (p *skillsPane) take(patch view.Patch) {
	p.dirty = p.dirty || patch.Skills != nil || patch.Tools != nil || patch.Artifacts != nil || patch.Attachments != nil
}

func (p *skillsPane) repaint() { p.dirty = true }

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
	p.shown = max(h-sideRows, 0)
	p.move(0)
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
	for _, s := range m.state.Skills {
		out = append(out, p.skill(m, s, w)...)
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
		glyph, in := t.policySign(t.ground, tool.Policy)
		calls := ""
		if tool.Calls > 0 {
			calls = strconv.Itoa(tool.Calls)
		}
		left := t.pad(t.Margin) + in.of(safe.Safe(glyph)) + t.pad(1) + t.Text.of(t.cut(safe.Text(tool.Name, safe.Inline), w-8))
		out = append(out, t.ends(left, t.Quiet.of(safe.Safe(calls))+t.pad(1), w))
	}
	if len(m.state.Artifacts)+len(m.state.Attachments) == 0 {
		return out
	}
	out = append(out, t.pad(w), m.heading("ui.files", w), t.pad(w))
	for _, a := range m.state.Attachments {
		out = append(out, m.file(t.Text, a.Name, a.Bytes, w))
	}
	for _, a := range m.state.Artifacts {
		out = append(out, m.file(t.Green, a.Name, a.Bytes, w))
	}
	return out
}

// file is one line: what was attached, or in green what the agent made.
func (m *Model) file(in ink, name string, bytes int64, w int) string {
	t := m.theme
	size := safe.Safe(sizeText(bytes))
	sign := t.pad(1)
	if in == t.Green {
		sign = in.of(safe.Safe(t.Yes))
	}
	shown := t.cut(safe.Text(name, safe.Inline), w-safe.Width(size)-t.Margin-4)
	return t.ends(t.pad(t.Margin)+sign+t.pad(1)+t.Text.of(shown), t.Quiet.of(size)+t.pad(1), w)
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
	t := m.theme
	switch s.Light {
	case view.Requested:
		return t.Half, t.Violet, t.Text, m.text("light.requested", "seq", num(s.At))
	case view.Loaded:
		return t.Dot, t.Violet, t.Bold, m.text("light.loaded", "seq", num(s.At), "tokens", thousands(s.Tokens))
	case view.Shadowed:
		return t.No, t.Quiet, t.Quiet, m.text("light.shadowed")
	case view.Broken:
		return t.Broken, t.Amber, t.Quiet, m.text("light.broken")
	}
	return t.Open, t.Quiet, t.Text, m.text("light.available", "tokens", thousands(s.Tokens))
}

func (p *skillsPane) skill(m *Model, s view.Skill, w int) []string {
	t := m.theme
	glyph, in, name, state := m.light(s)
	by := t.Margin + 2
	out := []string{t.fit(t.pad(t.Margin)+in.of(safe.Safe(glyph))+t.pad(1)+name.of(t.cut(safe.Text(s.Name, safe.Inline), w-by-1)), w)}
	if s.Light == view.Broken || s.State == engine.SkillWarned {
		for _, d := range s.Diagnostics {
			text := d.Message
			if d.Line > 0 {
				text = m.text("ui.atLine", "text", d.Message, "line", strconv.Itoa(d.Line))
			}
			out = append(out, t.indent(t.Amber, safe.Text(text, safe.Inline), by, w, 2)...)
			if s.Light == view.Broken {
				return out
			}
		}
	}
	out = append(out, t.indent(t.Quiet, safe.Text(state, safe.Inline), by, w, 1)...)
	if s.Light == view.Shadowed {
		return out
	}
	return append(out, t.indent(t.Quiet, safe.Text(s.Description, safe.Inline), by, w, 2)...)
}

// indent wraps text below itself, at most rows lines, the last one cut with an ellipsis.
func (t *theme) indent(in ink, s safe.Safe, by, w, rows int) (out []string) {
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
		out = append(out, t.fit(t.pad(by)+in.of(l), w))
	}
	return out
}

func num(s engine.Seq) string { return strconv.FormatUint(uint64(s), 10) }
