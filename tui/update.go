package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"agentstudio/engine"
	"agentstudio/engine/words"
)

// Init implements tea.Model.
func (m *Model) Init() tea.Cmd {
	var ask tea.Cmd
	if m.o.Theme == "" {
		ask = tea.RequestBackgroundColor
	}
	if m.o.ASCII {
		return ask
	}
	return tea.Batch(ask, tea.Tick(measureAfter, func(time.Time) tea.Msg { return measureMsg{} }))
}

// Update implements tea.Model. It does no I/O: commands go to the engine in a tea.Cmd.
func (m *Model) Update(msg tea.Msg) (next tea.Model, cmd tea.Cmd) {
	next = m // also after a panic, until the program has quit
	defer caught("update", func(f faultMsg) { m.crash(f) })
	if m.crashed == nil {
		cmd = m.update(msg)
	}
	return next, cmd
}

func (m *Model) update(msg tea.Msg) tea.Cmd {
	if m.lent.keeps(msg) {
		return nil
	}
	switch msg := msg.(type) {
	case eventsMsg:
		if msg.of == m.o.Session {
			return m.apply(msg.batch)
		}
	case openedMsg:
		m.opened(msg)
	case unopenedMsg:
		m.unopened(msg.err)
	case faultMsg:
		m.crash(msg)
	case later:
		return msg(m)
	case brokenMsg:
		if msg.of == m.o.Session {
			m.failed = msg.err
		}
	case receiptMsg:
		return m.answered(msg)
	case mirrorMsg:
		return m.mirrored(MirrorState(msg))
	case tickMsg:
		m.ticking = false
		return m.tick()
	case tea.WindowSizeMsg:
		m.resize(msg.Width, msg.Height)
	case tea.BackgroundColorMsg:
		if m.o.Theme == "" {
			m.dress(func(how *manner) { how.dark = msg.IsDark() })
		}
	case measureMsg:
		if m.height > 0 && !m.small() {
			return m.measure()
		}
	case tea.CursorPositionMsg:
		m.measured(msg)
	case tea.ColorProfileMsg:
		m.dress(func(how *manner) { how.plain = msg.Profile <= colorprofile.ANSI })
	case tea.PasteMsg:
		m.lastKey = m.o.Now()
		if t := m.typist(); t != nil && m.top() == nil && !m.panel.asking {
			t.pasted(m, msg.Content)
			return nil
		}
		return m.composer.paste(m, msg.Content)
	case tea.EnvMsg:
		m.env = msg
	case tea.FocusMsg:
		m.away = false
	case tea.BlurMsg:
		m.away = true
	case tea.KeyPressMsg:
		return m.press(msg)
	case tea.MouseWheelMsg:
		if !m.small() {
			m.wheel(msg)
		}
	case tea.MouseClickMsg:
		if !m.small() {
			return m.click(msg)
		}
	}
	return nil
}

// dress changes what the theme goes by.
func (m *Model) dress(how func(*manner)) {
	was := m.theme.manner
	now := was
	if how(&now); now != was {
		m.theme = newTheme(now)
		m.repaint()
	}
}

// apply folds a batch of events and tells each pane what is new.
func (m *Model) apply(batch []engine.Event) tea.Cmd {
	asked := m.panel.id
	for _, e := range batch {
		p, err := m.state.Apply(e)
		if err != nil {
			m.failed = err
			return nil
		}
		m.chat.take(m, p)
		m.skills.take(p)
		m.timeline.take(p)
		m.panel.take(m, p)
		if p.Attachments != nil {
			m.landed(nil)
		}
		m.undelivered(e)
		if engine.Terminal(e.Payload) && m.flash == m.text("ui.cancelling") {
			m.flash = "" // it has ended; other news stays until the next key
		}
	}
	if m.o.Applied != nil {
		m.o.Applied(m.state.Seq)
	}
	if m.panel.id != asked {
		return tea.Batch(m.tick(), m.notify())
	}
	return m.tick()
}

// tick keeps a clock going only while the screen shows something that counts.
func (m *Model) tick() tea.Cmd {
	if m.ticking || len(m.state.Approvals) == 0 && !m.counting() {
		return nil
	}
	m.ticking = true
	wait := time.Second
	if open := m.o.Now().Sub(m.panel.since); open < settle {
		wait = settle - open // the buttons come alive
	}
	return func() tea.Msg { // not tea.Tick, which outlives the program
		t := time.NewTimer(wait)
		defer t.Stop()
		select {
		case now := <-t.C:
			return tickMsg(now)
		case <-m.ctx.Done():
			return nil
		}
	}
}

// answered shows what became of a command.
func (m *Model) answered(r receiptMsg) tea.Cmd {
	switch c := r.command.(type) {
	case engine.Send:
		m.back(r.err, c.Text, c.Attachments)
	case engine.FollowUp:
		m.back(r.err, c.Text, c.Attachments)
	case engine.Steer:
		m.back(r.err, c.Text, c.Attachments)
	case engine.Decide:
		m.panel.answered(m, c, r)
		if engine.CodeOf(r.err) == engine.ApprovalAlreadyResolved || r.receipt.AlreadyResolved {
			return nil // the panel has told who was faster
		}
	}
	if r.err != nil {
		m.say(m.errorText(r.err))
	}
	return nil
}

// back returns a refused message to the composer.
func (m *Model) back(err error, text string, pictures []string) {
	if err != nil {
		m.composer.restore(text)
		m.landed(pictures)
	}
}

// say puts a line of news into the footer until the next key.
func (m *Model) say(text string) { m.flash = text }

// errorText is an error in the language of the screen.
func (m *Model) errorText(err error) string {
	return words.Fault(m.o.Lang, string(engine.CodeOf(err)), engine.MessageOf(err), engine.DetailsOf(err))
}

func codeText(lang words.Lang, code engine.Code, message string) string {
	return words.Fault(lang, string(code), message, nil)
}

func (m *Model) me() engine.Actor { return engine.Actor{Screen: "tui", Name: m.o.Name} }
