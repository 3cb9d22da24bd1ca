package tui

import (
	"fmt"
	"strconv"

	"agentstudio/engine"
	"agentstudio/engine/safe"
	"agentstudio/engine/view"
)

// header says in one line what the session is doing, on which model, and what it has used. The
// phase stays whole; the model's name gives way.
func (m *Model) header() string {
	g := m.theme.Panel
	glyph, word, in := m.phase()
	state := safe.Safe(glyph) + " " + safe.Text(word, safe.Inline)
	gauges := m.gauges()
	gap := 5
	if m.width < middleAt {
		gap = 3
	}
	room := m.width - 1 - len("Agent Studio") - 3 - safe.Width(state) - gap - safe.Width(gauges) - 2
	left := g.pad(1) + g.Bold.of("Agent Studio") + g.pad(3) + in.of(state)
	if m.width < narrowAt {
		left = g.pad(1) + in.of(state)
		room += len("Agent Studio") + 3
	}
	if model := m.state.Model; model != nil && room > 3 {
		name := model.ID
		if m.o.Script != "" {
			name = m.o.Script
		}
		shown := m.theme.cut(safe.Text(name, safe.Inline), room)
		left += g.pad(gap) + g.Text.of(shown)
		kinds := m.kinds()
		if room -= safe.Width(shown) + 3; m.width >= middleAt && safe.Width(kinds) <= room {
			left += g.pad(3) + g.Quiet.of(kinds)
		}
	}
	return g.ends(left, g.Quiet.of(gauges)+g.pad(1), m.width)
}

// kinds is what the model is and can.
func (m *Model) kinds() safe.Safe {
	kinds := m.label("ui.scripted")
	if p := m.state.Model.Provider; p != "scripted" {
		kinds = safe.Text(p, safe.Inline)
	}
	if m.state.Model.Images {
		kinds = m.label("ui.vision") + safe.Safe(" "+m.theme.Sep+" ") + kinds
	}
	return kinds
}

// phase is the state as glyph, word and colour.
func (m *Model) phase() (glyph, word string, in ink) {
	t, g := m.theme, m.theme.Panel
	switch s := m.state.Status; {
	case m.failed != nil || m.o.Session.ReadOnly() != nil:
		return t.Broken, m.text("phase.readOnly"), g.Pink
	case m.state.Model == nil && m.state.Seq > 0:
		return t.Broken, m.text("phase.noModel"), g.Pink
	case s.Active() && m.o.Now().Sub(m.cancelled) < twice:
		return t.Running, m.text("phase.cancelling"), g.Amber
	case s.Phase == view.Running:
		return t.Running, m.text("phase.running"), g.Accent
	case s.Phase == view.Waiting:
		return t.Wait, m.text("phase.waiting"), g.AmberBold
	case s.Phase == view.Failed:
		return t.No, m.text("phase.failed"), g.Pink
	case s.Phase == view.Cancelled:
		return t.No, m.text("phase.cancelled"), g.Pink
	}
	return t.Dot, m.text("phase.idle"), g.Green
}

func (m *Model) gauges() safe.Safe {
	s := m.state.Status
	limit := s.Budget.MaxTurns
	if limit == 0 {
		limit = engine.DefaultBudget().MaxTurns
	}
	turns := strconv.Itoa(s.Turn) + "/" + strconv.Itoa(limit)
	if m.width < middleAt {
		return safe.Text(turns+" "+m.theme.Sep+" "+thousands(s.Tokens), safe.Inline)
	}
	cost := ""
	if s.CostUSD != "" {
		cost = "   $" + s.CostUSD
	}
	return safe.Text(m.text("ui.gauges", "turns", turns, "tokens", thousands(s.Tokens))+cost, safe.Inline)
}

// thousands is a count as people read it: 950, 6.2k, 1.3M.
func thousands(n int) string {
	switch {
	case n < 1000:
		return strconv.Itoa(n)
	case n < 1_000_000:
		return fmt.Sprintf("%.1fk", float64(n)/1000)
	}
	return fmt.Sprintf("%.1fM", float64(n)/1_000_000)
}

// footer is the keys that work now, or the newest line of news.
func (m *Model) footer() string {
	g := m.theme.Panel
	news := func(in ink, text string) string {
		return g.fit(g.pad(1)+in.of(m.theme.cut(safe.Text(text, safe.Inline), m.width-2)), m.width)
	}
	switch {
	case m.quitting:
		return news(g.AmberBold, m.text("ui.quitAsk"))
	case m.failed != nil:
		return news(g.Pink, m.errorText(m.failed))
	case m.flash != "":
		return news(g.Amber, m.flash)
	case m.o.Session.ReadOnly() != nil:
		return news(g.Pink, m.errorText(m.o.Session.ReadOnly()))
	}
	var shown keySet
	for i, b := range m.keys {
		taken := m.top() != nil && b.id != "cancel" && b.id != "quit" // all others are the overlay's
		shown[i] = b.foot != nil && b.foot(m) && b.live(m) && !taken
	}
	if shown != m.feet.shown || m.feet.line == "" {
		m.feet = feet{shown, m.keyLine(shown)}
	}
	return m.feet.line
}

// keySet tells for each binding, by its place, whether it is meant. There are fewer than it holds.
type keySet [96]bool

// feet is the footer as it was drawn, and for which keys.
type feet struct {
	shown keySet
	line  string
}

// keyLine names as many of the keys as there is room for.
func (m *Model) keyLine(shown keySet) string {
	g := m.theme.Panel
	line, used := g.pad(1), 1
	for i, b := range m.keys {
		if !shown[i] {
			continue
		}
		key, name := safe.Safe(keyName(b.keys[0])), m.label("key."+b.id)
		n := safe.Width(key) + 1 + safe.Width(name) + 3
		if used+n-2 > m.width {
			break
		}
		line += g.Text.of(key) + g.pad(1) + g.Quiet.of(name) + g.pad(3)
		used += n
	}
	return g.fit(line, m.width)
}
