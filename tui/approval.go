package tui

import (
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"agentstudio/engine"
	"agentstudio/engine/safe"
	"agentstudio/engine/view"
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
	made   map[string]string // lines beside the bar, by what is in them
	w      int
	sent   bool // decided here, until the log says resolved
	asking bool // for the reason of a denial
	reason string
	why    bool

	buttons []button // as they were drawn last
	armed   string   // the button that a second press on does
	armedAt time.Time
}

// button is a word of the panel's last line that can be clicked: columns from, to.
type button struct {
	id       string
	from, to int
}

// armedFor is how long after its first press a button waits for the second.
const armedFor = 5 * time.Second

// panelKeys decide, wherever the focus is.
func panelKeys() []binding {
	asked := func(m *Model) bool { return m.panel.open(m) }
	decidable := func(m *Model) bool { return !m.panel.sent && !m.panel.asking }
	return []binding{
		{id: "approve", keys: []string{"ctrl+y"}, when: asked, do: func(m *Model) tea.Cmd { return m.panel.approve(m) }, foot: decidable},
		{id: "deny", keys: []string{"ctrl+n"}, when: asked, do: func(m *Model) tea.Cmd { return m.panel.deny(m) }, foot: decidable},
		{id: "extend", keys: []string{"ctrl+t"}, when: asked, do: func(m *Model) tea.Cmd { return m.panel.extend(m) }, foot: decidable},
		{id: "why", keys: []string{"ctrl+w"}, when: asked, do: func(m *Model) tea.Cmd { m.panel.turn(); return nil }, foot: decidable},
	}
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
		m.say(m.text("ui.tooSoon"))
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
	name := k.String()
	for _, id := range []string{"approve", "deny", "demo"} {
		if m.opens(id, name) {
			return nil, true // while a reason is typed nothing else is meant
		}
	}
	switch name {
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

// click is on the panel, x and y counted from its first cell. Approving takes two presses on the
// same button, the second as long after the first as after any key; denying asks for the reason
// first, which takes Enter.
func (p *approvalPanel) click(m *Model, x, y int) tea.Cmd {
	id := ""
	for _, b := range p.buttons {
		if y == m.panelAt.h-1 && x >= b.from && x < b.to {
			id = b.id
		}
	}
	now := m.o.Now()
	again := id == p.armed && now.Sub(p.armedAt) < armedFor
	switch {
	case p.asking || id == "":
		return nil
	case id == "why":
		p.turn()
		return nil
	case id == "deny":
		return p.deny(m)
	case id == "extend":
		return p.extend(m)
	case !p.ready(m):
		return nil
	case again:
		return p.approve(m)
	}
	p.armed, p.armedAt, m.lastKey = id, now, now
	m.say(m.text("ui.pressAgain", "what", m.text("key."+id)))
	return nil
}

// scroll goes by so many pages, move by so many lines.
func (p *approvalPanel) scroll(by int) { p.move(by * max(p.rows-1, 1)) }

func (p *approvalPanel) move(by int) { p.top = clamp(p.top+by, 0, max(len(p.lines)-p.rows, 0)) }

// turn shows why it is asked in place of what is asked, and back.
func (p *approvalPanel) turn() {
	p.why, p.top, p.lines = !p.why, 0, nil
}
