package tui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"agentstudio/engine"
	"agentstudio/engine/view"
)

// modelless tells that there is a message and no model to send it to; the key that would send says so.
func modelless(m *Model) bool {
	return m.state.Model == nil && m.state.Seq > 0 && m.o.Session.ReadOnly() == nil && m.composer.filled() && !m.asked()
}

func canSend(m *Model) bool {
	return modelless(m) || !m.state.Status.Active() && m.asked() || m.state.Model != nil && m.o.Session.ReadOnly() == nil && !m.state.Status.Active() && (m.composer.filled() || m.drafted())
}

// send gives the draft to the engine; it comes back if the engine refuses. A command is done
// instead.
func (m *Model) send() tea.Cmd {
	if name, arg, ok := m.typedCommand(m.composer.text()); ok {
		return m.perform(name, arg)
	}
	if modelless(m) {
		m.say(m.text("ui.hintNoModel"))
		return nil
	}
	if m.held() {
		return nil
	}
	text := m.composer.take()
	m.chat.follow = true
	return m.do(engine.Send{Text: text, Attachments: m.enclosed(), By: m.me()})
}

// asked tells whether the draft is a command, which needs no model.
func (m *Model) asked() bool {
	_, _, ok := m.typedCommand(m.composer.value())
	return ok
}

func canQueue(m *Model) bool {
	return m.state.Status.Active() && m.asked() || m.o.Session.ReadOnly() == nil && m.state.Status.Active() && (m.composer.filled() || m.drafted())
}

// queue lets the draft wait for when the run would stop, steer for the end of the calls under way.
func (m *Model) queue() tea.Cmd {
	if m.interrupted() {
		return nil
	}
	if name, arg, ok := m.typedCommand(m.composer.text()); ok {
		return m.perform(name, arg)
	}
	if m.held() {
		return nil
	}
	return m.do(engine.FollowUp{Text: m.composer.take(), Attachments: m.enclosed(), By: m.me()})
}

func (m *Model) steer() tea.Cmd {
	if m.interrupted() || m.held() {
		return nil
	}
	return m.do(engine.Steer{Text: m.composer.take(), Attachments: m.enclosed(), By: m.me()})
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

// interrupted tells that a question has opened in the middle of what is being typed, so that the key
// that ends it may have been on its way: it is said, and another press counts.
func (m *Model) interrupted() bool {
	now := m.o.Now()
	held := m.panel.open(m) && (now.Sub(m.panel.since) < settle || now.Sub(m.lastKey) < afterKey && m.burst.Before(m.panel.since.Add(settle)))
	if held {
		m.say(m.text("ui.interrupted"))
	}
	return held
}

// prompt is the demo's prompt in the language of the screen, "" where there is none.
func (m *Model) prompt() string {
	if m.o.Prompt == nil {
		return ""
	}
	return m.o.Prompt(m.o.Lang)
}

func (m *Model) demo() tea.Cmd {
	m.focus = onComposer
	m.composer.set(m.prompt())
	return nil
}

func (m *Model) turn(by int) {
	m.focus = (m.focus + panes + focus(by)) % panes
	if m.focus == onSkills || m.focus == onTimeline {
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
	if top := m.top(); top != nil {
		if w, ok := top.(wheeler); ok {
			w.wheel(m, by)
		}
		return
	}
	if m.panelAt.has(msg.X, msg.Y) {
		m.panel.move(by)
		return
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
