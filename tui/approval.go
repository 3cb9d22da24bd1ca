package tui

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"agentstudio/engine"
	"agentstudio/engine/safe"
	"agentstudio/engine/view"
	"agentstudio/engine/words"
)

const (
	settle     = 500 * time.Millisecond // no key decides so soon after the panel opened
	afterKey   = 350 * time.Millisecond // nor so soon after the key before
	extendBy   = 5 * time.Minute
	maxReason  = 500
	panelLeast = 5 // rows of the panel on the smallest screen: head, risk, a line of text, how much more, keys
	panelAiry  = 8 // from so many rows on there are blank lines
)

// approvalPanel asks a person. It is docked above the composer and cannot be scrolled away. It
// owns when the question opened, its scroll and the reason being typed; the question itself is
// the State's.
type approvalPanel struct {
	id     engine.ApprovalID
	since  time.Time
	top    int
	rows   int // of text in view
	lines  []safe.Safe
	w      int
	sent   bool // decided here, until the log says resolved
	asking bool // for the reason of a denial
	reason string
	why    bool
}

func (p *approvalPanel) open(m *Model) bool { return len(m.state.Approvals) > 0 }

// take starts anew when another question is the oldest open one.
func (p *approvalPanel) take(m *Model, patch view.Patch) {
	if patch.Approvals == nil {
		return
	}
	var id engine.ApprovalID
	if p.open(m) {
		id = m.state.Approvals[0].Approval
	}
	if id != p.id {
		*p = approvalPanel{id: id, since: m.o.Now()}
	}
}

// guarded tells that a key pressed now may have been meant for something else.
func (p *approvalPanel) guarded(m *Model) bool {
	now := m.o.Now()
	return now.Sub(p.since) < settle || now.Sub(m.lastKey) < afterKey
}

func (p *approvalPanel) ready(m *Model) bool {
	if p.sent {
		return false
	}
	if p.guarded(m) {
		m.say(m.text("ui.wait"))
		return false
	}
	return true
}

func (p *approvalPanel) approve(m *Model) tea.Cmd {
	if !p.ready(m) {
		return nil
	}
	return p.decide(m, true, "")
}

func (p *approvalPanel) deny(m *Model) tea.Cmd {
	if p.ready(m) {
		p.asking = true
	}
	return nil
}

func (p *approvalPanel) decide(m *Model, approve bool, reason string) tea.Cmd {
	a := m.state.Approvals[0]
	p.sent, p.asking = true, false
	return m.do(engine.Decide{Approval: a.Approval, Digest: a.Digest, Approve: approve, Reason: reason, By: m.me()})
}

func (p *approvalPanel) extend(m *Model) tea.Cmd {
	if !p.ready(m) {
		return nil
	}
	return m.do(engine.Extend{Approval: p.id, More: extendBy, By: m.me()})
}

// key takes the keys of the reason: Enter denies with or without text, Esc goes back.
func (p *approvalPanel) key(m *Model, k tea.KeyPressMsg) (tea.Cmd, bool) {
	switch k.String() {
	case "enter":
		return p.decide(m, false, p.reason), true
	case "esc":
		p.asking = false
		return nil, true
	case "backspace":
		if r := []rune(p.reason); len(r) > 0 {
			p.reason = string(r[:len(r)-1])
		}
		return nil, true
	case "ctrl+u":
		p.reason = ""
		return nil, true
	case "ctrl+y", "ctrl+n", "ctrl+d":
		return nil, true // while a reason is typed nothing else is meant
	}
	if k.Text != "" {
		p.add(k.Text)
		return nil, true
	}
	return nil, false
}

// add puts text behind the reason, as much as there is room for.
func (p *approvalPanel) add(text string) {
	have := utf8.RuneCountInString(p.reason)
	for _, r := range text {
		if have++; have > maxReason {
			return
		}
		p.reason += string(r)
	}
}

// answered shows what the engine said of a decision made here.
func (p *approvalPanel) answered(m *Model, c engine.Decide, r receiptMsg) {
	switch {
	case r.receipt.Resolution != nil && (r.err != nil || r.receipt.AlreadyResolved):
		won := r.receipt.Resolution
		m.say(m.text("ui.wasFirst", "status", m.text("word."+string(won.Status)), "by", m.who(won.By)))
	case r.err != nil && c.Approval == p.id:
		p.sent = false
	}
}

func (p *approvalPanel) scroll(by int) {
	p.top = clamp(p.top+by*max(p.rows-1, 1), 0, max(len(p.lines)-p.rows, 0))
}

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
		out = append(out, t.pad(1)+g.AmberBold.of(safe.Safe(t.Bar))+g.pad(1)+g.fit(l, inner)+g.pad(1)+t.pad(t.Margin))
	}
	return out[:clamp(most, 0, len(out))]
}

// more says how much of the text is out of view.
func (p *approvalPanel) more(m *Model) safe.Safe {
	if left := len(p.lines) - p.top - p.rows; left > 0 {
		return m.label("ui.moreLines", "n", strconv.Itoa(left))
	}
	return m.label("ui.lastLines")
}

// wrap lays out what is shown: exactly what will be written, or why it is asked.
func (p *approvalPanel) wrap(m *Model, a view.Approval, w int) {
	if p.lines != nil && p.w == w {
		return
	}
	p.w = w
	text := a.Preview
	if text == "" {
		var b bytes.Buffer
		if json.Indent(&b, a.Arguments, "", "  ") == nil {
			text = b.String()
		}
	}
	p.lines = safe.Wrap(safe.Text(strings.TrimRight(text, "\n"), safe.Approval), max(w, 1))
}

func (p *approvalPanel) risk(m *Model, a view.Approval) string {
	if p.why {
		return m.text("ui.whyAsked", "rule", m.known(a.Policy.Rule), "source", m.known(a.Policy.Source), "matched", a.Policy.Matched)
	}
	if key := "risk." + a.Risk; a.Risk != "" && words.Has(key) {
		return m.text(key)
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
	secs := int((remain + time.Second - 1) / time.Second)
	right := g.Bold.of(safe.Safe(fmt.Sprintf("%d:%02d", secs/60, secs%60)))
	if ansi.StringWidth(left)+bar+8 <= w { // what is asked for counts more than the bar
		right += g.pad(1) + g.Amber.of(safe.Safe(strings.Repeat(t.Track, full))) + g.Line.of(safe.Safe(strings.Repeat(t.Horiz, bar-full)))
	}
	return g.ends(left, right, w)
}

// foot is the buttons, the reason being typed, or that the decision is on its way.
func (p *approvalPanel) foot(m *Model, a view.Approval, w int) string {
	t, g := m.theme, m.theme.Panel
	button := func(in ink, id, key string) string {
		name := safe.Text(key+" "+m.text("key."+id), safe.Inline)
		if t.plain {
			return in.of("[" + name + "]")
		}
		return in.of(" " + name + " ")
	}
	switch {
	case p.sent:
		return g.AmberBold.of(m.label("ui.sent"))
	case p.asking:
		return p.answer(m, w)
	case p.guarded(m) && m.o.Now().Sub(p.since) < settle:
		return button(t.Off, "approve", "^Y") + g.pad(2) + button(t.Off, "deny", "^N") + g.pad(3) + g.Quiet.of(m.label("ui.wait"))
	}
	left := button(t.Approve, "approve", "^Y") + g.pad(2) + button(t.Deny, "deny", "^N")
	digest := a.Digest[:min(8, len(a.Digest))]
	right := g.Quiet.of(m.label("ui.digest", "digest", digest))
	if ansi.StringWidth(left)+2+ansi.StringWidth(right) > w {
		right = g.Quiet.of(safe.Text(digest, safe.Inline))
	}
	for _, id := range []string{"extend", "why"} {
		key := map[string]string{"extend": "^T", "why": "^W"}[id]
		more := left + g.pad(3) + g.Quiet.of(safe.Text(key+" "+m.text("key."+id), safe.Inline))
		if ansi.StringWidth(more)+2+ansi.StringWidth(right) > w {
			break // the footer names these keys too
		}
		left = more
	}
	return g.ends(left, right, w)
}

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
