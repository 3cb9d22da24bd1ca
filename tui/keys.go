package tui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"agentstudio/engine"
	"agentstudio/engine/view"
	"agentstudio/engine/words"
)

// binding is one key as data: footer, help and docs/keys.md are made from these.
type binding struct {
	keys []string // as Bubble Tea spells them
	id   string   // "key." + id is its name in the words catalogue, "help." + id says what it does
	when func(*Model) bool
	do   func(*Model) tea.Cmd
	foot func(*Model) bool // shown in the footer, while it works; nil for never
}

// bindings are the keys of the studio, which win over those of the text field. In the footer they
// stand in this order, as many as there is room for. A Model makes them once.
func bindings() []binding {
	always := func(*Model) bool { return true }
	asked := func(m *Model) bool { return m.panel.open(m) }
	decidable := func(m *Model) bool { return !m.panel.sent && !m.panel.asking }
	active := func(m *Model) bool { return m.state.Status.Active() }
	return []binding{
		{[]string{"enter"}, "send", canSend, (*Model).send, func(m *Model) bool { return m.focus == onChat }},
		{[]string{"enter"}, "queue", canQueue, (*Model).queue, func(m *Model) bool { return m.focus == onChat }},
		{[]string{"ctrl+s"}, "steer", canQueue, (*Model).steer, func(m *Model) bool { return m.focus == onChat }},
		{[]string{"ctrl+r"}, "takeBack", func(m *Model) bool { return m.queued() != "" }, (*Model).takeBack, always},
		{[]string{"ctrl+y"}, "approve", asked, func(m *Model) tea.Cmd { return m.panel.approve(m) }, decidable},
		{[]string{"ctrl+n"}, "deny", asked, func(m *Model) tea.Cmd { return m.panel.deny(m) }, decidable},
		{[]string{"ctrl+t"}, "extend", asked, func(m *Model) tea.Cmd { return m.panel.extend(m) }, decidable},
		{[]string{"ctrl+w"}, "why", asked, func(m *Model) tea.Cmd { m.panel.turn(); return nil }, decidable},
		{[]string{"ctrl+d"}, "demo", func(m *Model) bool { return m.o.Prompt != "" && !active(m) }, (*Model).demo, always},
		{[]string{"tab"}, "pane", always, func(m *Model) tea.Cmd { m.turn(1); return nil }, always},
		{[]string{"shift+tab"}, "paneBack", always, func(m *Model) tea.Cmd { m.turn(-1); return nil }, nil},
		{[]string{"pgup"}, "pageUp", always, func(m *Model) tea.Cmd { m.page(-1); return nil }, nil},
		{[]string{"pgdown"}, "pageDown", always, func(m *Model) tea.Cmd { m.page(1); return nil }, nil},
		{[]string{"ctrl+c"}, "cancel", always, (*Model).cancel, active},
		{[]string{"f1"}, "help", always, func(m *Model) tea.Cmd { m.overlay = &help{}; return nil }, always},
		{[]string{"ctrl+q"}, "quit", always, (*Model).quit, always},
	}
}

// KeyDoc is a row of docs/keys.md.
type KeyDoc struct {
	Keys string
	Name string
	Help string
}

// Keys lists every key with its words, for the documentation.
func Keys(lang words.Lang) (rows []KeyDoc) {
	for _, b := range bindings() {
		rows = append(rows, KeyDoc{keyName(b.keys[0]), words.Text(lang, "key."+b.id, nil), words.Text(lang, "help."+b.id, nil)})
	}
	for _, k := range fieldKeys() {
		rows = append(rows, KeyDoc{k.keys, words.Text(lang, "key."+k.id, nil), words.Text(lang, "help."+k.id, nil)})
	}
	return rows
}

// fieldKeys are those that panes and the text field handle themselves.
func fieldKeys() []struct{ keys, id string } {
	return []struct{ keys, id string }{
		{"↑ ↓", "move"}, {"Home End", "ends"}, {"Alt+Enter Shift+Enter ^J", "newline"}, {"Esc", "escape"},
	}
}

// keyName is how a key is written for people: ^Y, F1, Tab.
func keyName(k string) string {
	switch {
	case len(k) == 6 && k[:5] == "ctrl+":
		return "^" + string(k[5]-32)
	case k == "pgup":
		return "PgUp"
	case k == "pgdown":
		return "PgDn"
	case k == "shift+tab":
		return "Shift+Tab"
	case k == "":
		return ""
	}
	return string(k[0]-32) + k[1:]
}

// press handles one key: the open question about quitting, then overlays, the reason of a denial,
// the studio's keys, and at last the pane that has the focus.
func (m *Model) press(k tea.KeyPressMsg) tea.Cmd {
	now := m.o.Now()
	defer func() { m.lastKey = now }()
	name := k.String()
	m.flash = ""
	if m.quitting {
		return m.answerQuit(name)
	}
	if m.overlay != nil && name != "ctrl+c" && name != "ctrl+q" {
		if !m.overlay.key(m, k) {
			m.overlay = nil
		}
		return nil
	}
	if m.panel.asking && m.panel.open(m) {
		if cmd, used := m.panel.key(m, k); used {
			return cmd
		}
	}
	for _, b := range m.keys {
		for _, key := range b.keys {
			if key == name && b.when(m) && (key != "enter" || m.focus == onChat) {
				return b.do(m)
			}
		}
	}
	switch m.focus {
	case onSkills:
		m.skills.key(m, name)
	case onTimeline:
		m.timeline.key(m, name)
	case onChat:
		return m.composer.key(m, k)
	}
	return nil
}

func canSend(m *Model) bool {
	return m.state.Model != nil && m.o.Session.ReadOnly() == nil && !m.state.Status.Active() && m.composer.filled()
}

// send gives the draft to the engine; it comes back if the engine refuses.
func (m *Model) send() tea.Cmd {
	text := m.composer.take()
	m.chat.follow = true
	return m.do(engine.Send{Text: text, By: m.me()})
}

func canQueue(m *Model) bool {
	return m.o.Session.ReadOnly() == nil && m.state.Status.Active() && m.composer.filled()
}

// queue lets the draft wait for when the run would stop, steer for the end of the calls under way.
func (m *Model) queue() tea.Cmd {
	if m.guarded() {
		return nil
	}
	return m.do(engine.FollowUp{Text: m.composer.take(), By: m.me()})
}

func (m *Model) steer() tea.Cmd {
	if m.guarded() {
		return nil
	}
	return m.do(engine.Steer{Text: m.composer.take(), By: m.me()})
}

// queued is the newest message of this screen that still waits.
func (m *Model) queued() engine.MessageID {
	for i := len(m.state.Chat) - 1; i >= 0; i-- {
		if c := m.state.Chat[i]; c.State == view.Queued && c.By != nil && *c.By == m.me() {
			return engine.MessageID(c.ID)
		}
	}
	return ""
}

func (m *Model) takeBack() tea.Cmd {
	return m.do(engine.Withdraw{Message: m.queued(), By: m.me()})
}

// undelivered puts a message of this screen back into the composer when it was withdrawn, by
// whomever. What was withdrawn before the screen opened stays in the past.
func (m *Model) undelivered(e engine.Event) {
	p, ok := e.Payload.(engine.UserWithdrawn)
	if !ok || e.At.Before(m.since) {
		return
	}
	for _, c := range m.state.Chat {
		if c.ID == string(p.Message) && c.By != nil && *c.By == m.me() {
			m.composer.restore(strings.Join(c.Pieces, ""))
		}
	}
}

// guarded tells that a question has just opened or a key just been typed, so that a key may have
// been meant for something else.
func (m *Model) guarded() bool {
	return m.panel.open(m) && m.panel.guarded(m)
}

func (m *Model) demo() tea.Cmd {
	m.focus = onChat
	m.composer.set(m.o.Prompt)
	return nil
}

func (m *Model) turn(by int) {
	m.focus = (m.focus + panes + focus(by)) % panes
	if m.focus != onChat {
		m.side = m.focus
	}
}

func (m *Model) page(by int) {
	switch {
	case m.panel.open(m):
		m.panel.scroll(by)
	case m.focus == onTimeline:
		m.timeline.page(by)
	case m.focus == onSkills:
		m.skills.page(by)
	default:
		m.chat.page(by)
	}
}

func (m *Model) wheel(msg tea.MouseWheelMsg) {
	by := 3
	if msg.Button == tea.MouseWheelUp {
		by = -3
	}
	switch m.at(msg.X, msg.Y) {
	case onTimeline:
		m.timeline.move(by)
	case onSkills:
		m.skills.move(by)
	default:
		m.chat.move(by)
	}
}

const twice = 2 * time.Second

// cancel stops the run; a second time within two seconds it quits.
func (m *Model) cancel() tea.Cmd {
	now := m.o.Now()
	again := now.Sub(m.cancelled) < twice
	m.cancelled = now
	if again {
		return tea.Quit
	}
	if m.state.Status.Active() {
		m.say(m.text("ui.cancelling"))
		return m.do(engine.Cancel{By: m.me()})
	}
	m.say(m.text("ui.againQuits"))
	return nil
}

// quit leaves, after asking if a run is active.
func (m *Model) quit() tea.Cmd {
	if !m.state.Status.Active() {
		return tea.Quit
	}
	m.quitting = true
	return nil
}

func (m *Model) answerQuit(key string) tea.Cmd {
	switch key {
	case "y", "Y", "ctrl+q", "ctrl+c":
		return tea.Quit
	}
	m.quitting = false
	return nil
}
