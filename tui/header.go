package tui

import (
	"fmt"
	"strconv"

	"agentstudio/engine"
	"agentstudio/engine/safe"
	"agentstudio/engine/view"
)

// header says in one line what the session is doing, on which model, and what it has used.
func (m *Model) header() string {
	g := m.theme.Panel
	glyph, word, in := m.phase()
	left := g.pad(1) + g.Bold.of("Agent Studio") + g.pad(3) + in.of(safe.Safe(glyph)+" "+safe.Text(word, safe.Inline))
	badge := ""
	if model := m.state.Model; model != nil {
		name := safe.Text(model.ID, safe.Inline)
		if m.o.Script != "" {
			name = safe.Text(m.o.Script, safe.Inline)
		}
		badge = g.pad(5) + g.Text.of(name)
		if m.width >= middleAt {
			kinds := safe.Text(m.text("ui.scripted"), safe.Inline)
			if model.Provider != "scripted" {
				kinds = safe.Text(model.Provider, safe.Inline)
			}
			if model.Images {
				kinds = safe.Text(m.text("ui.vision"), safe.Inline) + " " + safe.Safe(m.theme.Sep) + " " + kinds
			}
			badge += g.pad(3) + g.Quiet.of(kinds)
		}
	}
	return g.ends(left+badge, g.Quiet.of(m.gauges())+g.pad(1), m.width)
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
	if m.width < wideAt {
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
	switch {
	case m.quitting:
		return g.fit(g.pad(1)+g.AmberBold.of(safe.Text(m.text("ui.quitAsk"), safe.Inline)), m.width)
	case m.failed != nil:
		return g.fit(g.pad(1)+g.Pink.of(safe.Text(m.errorText(m.failed), safe.Inline)), m.width)
	case m.flash != "":
		return g.fit(g.pad(1)+g.Amber.of(safe.Text(m.flash, safe.Inline)), m.width)
	case m.o.Session.ReadOnly() != nil:
		return g.fit(g.pad(1)+g.Pink.of(safe.Text(m.errorText(m.o.Session.ReadOnly()), safe.Inline)), m.width)
	}
	line, used := g.pad(1), 1
	for _, b := range bindings() {
		if !b.foot || !b.when(m) || b.id == "send" && m.focus != onChat {
			continue
		}
		key, name := safe.Safe(keyName(b.keys[0])), safe.Text(m.text("key."+b.id), safe.Inline)
		n := safe.Width(key) + 1 + safe.Width(name) + 3
		if used+n-2 > m.width {
			break
		}
		line += g.Text.of(key) + g.pad(1) + g.Quiet.of(name) + g.pad(3)
		used += n
	}
	return g.fit(line, m.width)
}
