package tui

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"agentstudio/engine"
	"agentstudio/engine/safe"
	"agentstudio/engine/view"
	"agentstudio/engine/words"
)

// render draws the panel in at most most rows.
func (p *approvalPanel) render(m *Model, w, most int) []string {
	a := m.state.Approvals[0]
	t := m.theme
	g, inner := t.Panel, w-4-t.Margin
	p.wrap(m, a, inner-2)
	_, chat, _ := m.areas()
	body := []string{p.head(m, a, inner), g.Quiet.of(t.cut(safe.Text(p.risk(m, a), safe.Inline), inner))}
	tail := []string{p.foot(m, a, inner)}
	most = min(most, max(10, chat.h*45/100))
	if most >= panelAiry {
		body, tail = append(body, ""), append([]string{""}, tail...)
	}
	p.rows = max(most-len(body)-len(tail), 1)
	if len(p.lines) > p.rows {
		p.rows = max(p.rows-1, 1)
		p.scroll(0)
		tail = append([]string{g.pad(2) + g.Quiet.of(p.more(m))}, tail...)
	}
	p.scroll(0)
	for i := p.top; i < len(p.lines) && i < p.top+p.rows; i++ {
		body = append(body, g.pad(2)+g.Text.of(p.lines[i]))
	}
	body = append(body, tail...)
	out := make([]string, 0, len(body))
	for _, l := range body {
		out = append(out, p.framed(t, l, inner))
	}
	return out[:clamp(most, 0, len(out))]
}

// framed is a line beside the bar. What was framed is kept until the text is laid out anew.
func (p *approvalPanel) framed(t *theme, l string, w int) string {
	out, ok := p.made[l]
	if !ok {
		g := t.Panel
		out = t.pad(1) + g.AmberBold.of(safe.Safe(t.Bar)) + g.pad(1) + g.fit(l, w) + g.pad(1) + t.pad(t.Margin)
		if len(p.made) > maxPadded {
			p.made = nil
		}
		if p.made == nil {
			p.made = map[string]string{}
		}
		p.made[l] = out
	}
	return out
}

// more says how much of the text is out of view.
func (p *approvalPanel) more(m *Model) safe.Safe {
	if left := len(p.lines) - p.top - p.rows; left > 0 {
		return m.label("ui.moreLines", "n", strconv.Itoa(left), "key.pageDown", m.keyOf("pageDown"))
	}
	return m.label("ui.lastLines")
}

// wrap lays out what is shown: exactly what will be written, or why it is asked.
func (p *approvalPanel) wrap(m *Model, a view.Approval, w int) {
	if p.lines != nil && p.w == w {
		return
	}
	p.w, p.made = w, nil
	text := a.Preview
	switch {
	case p.why:
		text = m.text("ui.whyAsked", "rule", m.known(a.Policy.Rule), "source", m.known(a.Policy.Source), "matched", a.Policy.Matched)
	case text == "":
		var b bytes.Buffer
		if json.Indent(&b, a.Arguments, "", "  ") == nil {
			text = b.String()
		}
	}
	p.lines = safe.Wrap(safe.Text(strings.TrimRight(text, "\n"), safe.Approval), max(w, 1))
}

func (p *approvalPanel) risk(m *Model, a view.Approval) string {
	if key := "risk." + a.Risk; a.Risk != "" && words.Has(key) {
		return m.text(key)
	}
	for _, t := range m.state.Tools {
		if t.Name == a.Tool && t.Replay == engine.ReplaySafe {
			return m.text("risk.reads", "what", a.Summary)
		}
	}
	return a.Summary
}

// known is one of the engine's own phrases in the language of the screen; others as they are.
func (m *Model) known(phrase string) string {
	if verdict, tool, ok := strings.Cut(phrase, " "); ok && words.Has("word."+verdict) && !strings.Contains(tool, " ") {
		return m.text("rule."+verdict, "tool", tool)
	}
	if key := "phrase." + phrase; words.Has(key) {
		return m.text(key)
	}
	return phrase
}

// head is tool, place in the queue, and the countdown.
func (p *approvalPanel) head(m *Model, a view.Approval, w int) string {
	t, g := m.theme, m.theme.Panel
	left := g.AmberBold.of(m.label("ui.approval")) + g.pad(2) + g.Bold.of(safe.Text(a.Tool, safe.Inline))
	if n := len(m.state.Approvals); n > 1 {
		left += g.pad(2) + g.Quiet.of(safe.Text(m.text("ui.oneOf", "n", strconv.Itoa(n)), safe.Inline))
	}
	remain := max(a.ExpiresAt.Sub(m.o.Now()), 0)
	whole := max(a.ExpiresAt.Sub(a.At.Time), time.Second)
	bar := clamp(w/4, 6, 20)
	full := clamp(int(float64(bar)*float64(remain)/float64(whole)+0.5), 0, bar)
	right := g.Bold.of(safe.Safe(m.remaining(a)))
	if ansi.StringWidth(left)+bar+8 <= w { // what is asked for counts more than the bar
		right += g.pad(1) + g.Amber.of(safe.Safe(strings.Repeat(t.Track, full))) + g.Line.of(safe.Safe(strings.Repeat(t.Horiz, bar-full)))
	}
	return g.ends(left, right, w)
}

// remaining is how long a question stays open, as 4:07.
func (m *Model) remaining(a view.Approval) string {
	secs := int((max(a.ExpiresAt.Sub(m.o.Now()), 0) + time.Second - 1) / time.Second)
	return fmt.Sprintf("%d:%02d", secs/60, secs%60)
}

// foot is the buttons, the reason being typed, or that the decision is on its way.
func (p *approvalPanel) foot(m *Model, a view.Approval, w int) string {
	t, g := m.theme, m.theme.Panel
	name := func(id string) safe.Safe { return safe.Text(m.keyOf(id)+" "+m.text("key."+id), safe.Inline) }
	button := func(in ink, id string) string {
		if t.plain {
			return in.of("[" + name(id) + "]")
		}
		return in.of(" " + name(id) + " ")
	}
	p.buttons = p.buttons[:0]
	switch {
	case p.sent:
		return g.AmberBold.of(m.label("ui.sent"))
	case p.asking:
		return p.answer(m, w)
	case p.guarded(m) && m.o.Now().Sub(p.since) < settle:
		return button(t.Off, "approve") + g.pad(2) + button(t.Off, "deny") + g.pad(3) + g.Quiet.of(m.label("ui.wait"))
	}
	left := ""
	put := func(gap int, drawn, id string) {
		from := ansi.StringWidth(left) + gap
		left += g.pad(gap) + drawn
		p.buttons = append(p.buttons, buttonAt(id, from, ansi.StringWidth(left)))
	}
	put(0, button(t.Approve, "approve"), "approve")
	put(2, button(t.Deny, "deny"), "deny")
	digest := a.Digest[:min(8, len(a.Digest))]
	right := g.Quiet.of(m.label("ui.digest", "digest", digest))
	if ansi.StringWidth(left)+2+ansi.StringWidth(right) > w {
		right = g.Quiet.of(safe.Text(digest, safe.Inline))
	}
	for _, id := range []string{"extend", "why"} {
		more := g.Quiet.of(name(id))
		if ansi.StringWidth(left)+3+ansi.StringWidth(more)+2+ansi.StringWidth(right) > w {
			break // the footer names these keys too
		}
		put(3, more, id)
	}
	return g.ends(left, right, w)
}

// buttonAt is a button by its columns within the frame, which has three cells on the left.
func buttonAt(id string, from, to int) button { return button{id, from + 3, to + 3} }

// answer is the reason being typed, its end in view.
func (p *approvalPanel) answer(m *Model, w int) string {
	t, g := m.theme, m.theme.Panel
	hint, name := m.label("ui.reasonKeys"), m.label("ui.reason")+" "
	if safe.Width(hint)+safe.Width(name)+8 > w {
		hint = ""
	}
	room := max(w-safe.Width(hint)-safe.Width(name)-3, 4)
	typed := safe.Text(p.reason, safe.Inline)
	if over := safe.Width(typed) - room; over > 0 {
		_, end := cutAt(string(typed), over)
		typed = safe.Text(end, safe.Inline)
	}
	return g.ends(g.Text.of(name)+g.Bold.of(typed)+g.Accent.of(safe.Safe(t.Bar)), g.Quiet.of(hint), w)
}
