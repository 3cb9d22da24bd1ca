package tui

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

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
	gauges, wide := m.gauges()
	gap := 5
	if m.width < middleAt {
		gap = 3
	}
	room := m.width - 1 - len("Agent Studio") - 3 - safe.Width(state) - gap - wide - 2
	left := g.pad(1) + g.Bold.of("Agent Studio") + g.pad(3) + in.of(state)
	if m.width < narrowAt {
		left = g.pad(1) + in.of(state)
		room += len("Agent Studio") + 3
	}
	if model := m.state.Model; model != nil && room > 3 {
		name := model.ID
		if m.o.Script != "" && model.Provider == engine.ProviderScripted {
			name = m.o.Script
		}
		shown := m.theme.cut(safe.Text(name, safe.Inline), room)
		left += g.pad(gap) + g.Text.of(shown)
		if kinds := m.kinds(room - safe.Width(shown) - 5); kinds != "" {
			left += g.pad(3) + g.Quiet.of(kinds)
		}
	}
	return g.ends(left, gauges+g.pad(1), m.width)
}

// kinds is what the model can and where it is, as much of that as there is room for.
func (m *Model) kinds(room int) safe.Safe {
	model, sep := m.state.Model, safe.Safe(" "+m.theme.Sep+" ")
	at := safe.Text(model.Provider, safe.Inline)
	host := safe.Text(model.Host, safe.Inline)
	switch {
	case model.Provider == engine.ProviderScripted:
		at, host = m.label("ui.scripted"), ""
	case model.Provider == engine.ProviderOther && host != "":
		at, host = host, ""
	}
	long := at
	if host != "" {
		long += sep + host
	}
	tries := []safe.Safe{long, at}
	if model.Images {
		vision := m.label("ui.vision")
		tries = []safe.Safe{vision + sep + long, vision + sep + at, vision}
	}
	for _, t := range tries {
		if safe.Width(t) <= room {
			return t
		}
	}
	return ""
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

// gauges are what has been used: of the model's window, of the run's turns, tokens, money.
func (m *Model) gauges() (drawn string, wide int) {
	g, s := m.theme.Panel, m.state.Status
	limit := s.Budget.MaxTurns
	if limit == 0 {
		limit = engine.DefaultBudget().MaxTurns
	}
	turns := strconv.Itoa(s.Turn) + "/" + strconv.Itoa(limit)
	context, cells := m.context()
	text := m.text("ui.gauges", "turns", turns, "tokens", thousands(s.Tokens))
	between := "   "
	if m.width < middleAt {
		between = " " + m.theme.Sep + " "
		text = turns + between + thousands(s.Tokens)
	}
	if cost := m.cost(); cost != "" && m.width >= narrowAt {
		text += between + cost
	}
	used := safe.Text(text, safe.Inline)
	if cells > 0 {
		context += g.Quiet.of(safe.Safe(between))
		cells += safe.Width(safe.Safe(between))
	}
	return context + g.Quiet.of(used), cells + safe.Width(used)
}

// gaugeCells is the length of the bar that shows how full the model's window is.
const gaugeCells = 6

// context is the share of the model's window that the newest call takes up, as a bar where there is
// room and as a number; "" if the window is unknown or nothing was sent yet.
func (m *Model) context() (drawn string, wide int) {
	g, t, model, used := m.theme.Panel, m.theme, m.state.Model, m.state.Status.Context
	if model == nil || model.ContextWindow <= 0 || used <= 0 || m.width < narrowAt {
		return "", 0
	}
	share := min(used*100/model.ContextWindow, 999)
	number := safe.Safe(strconv.Itoa(share) + "%")
	in := g.Quiet
	if share >= 80 {
		in = g.Amber
	}
	if m.width < middleAt {
		return in.of(number), safe.Width(number)
	}
	full := clamp((share*gaugeCells+50)/100, 0, gaugeCells)
	name := safe.Safe("")
	if m.width >= wideAt {
		name = m.label("ui.context") + " "
	}
	wide = safe.Width(name) + gaugeCells + 1 + safe.Width(number)
	return g.Quiet.of(name) + g.Accent.of(safe.Safe(strings.Repeat(t.Used, full))) +
		g.Line.of(safe.Safe(strings.Repeat(t.Free, gaugeCells-full))) + in.of(" "+number), wide
}

// cost is what the run has cost in US dollars. It is counted from list prices, so it says that it is
// an estimate; of a script it is nothing, and of a model of unknown price unknown.
func (m *Model) cost() string {
	s, scripted := m.state.Status, m.state.Model != nil && m.state.Model.Provider == engine.ProviderScripted
	usd, ok := new(big.Rat).SetString(s.CostUSD)
	switch {
	case ok && scripted && !s.Estimated:
		return "$" + dollars(usd)
	case ok:
		return m.theme.About + "$" + dollars(usd)
	case scripted || s.Tokens == 0:
		return ""
	}
	return m.text("ui.noCost")
}

// dollars is an amount with as many places as mean something.
func dollars(usd *big.Rat) string {
	if usd.Cmp(big.NewRat(1, 1)) < 0 {
		return usd.FloatString(4)
	}
	return usd.FloatString(2)
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
