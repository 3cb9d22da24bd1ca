package tui

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"agentstudio/engine"
	"agentstudio/engine/words"
)

// Settings are kept from one start to the next. Its methods are called on goroutines of their own.
type Settings interface {
	// Load gives all of them in the order of the form.
	Load(ctx context.Context) ([]Setting, error)
	// Save changes some of them by their keys; "" goes back to the default.
	Save(ctx context.Context, changes map[string]string) error
}

// settings is the form of what is kept. Language and theme are tried out while it is open.
type settings struct {
	fields []*field
	at     int  // a field, or onModel
	linked bool // there is a line that opens the form of the model
	top    int
	rows   int // of fields in view
	was    tryout
	saving bool
	news   string // what became of saving, or of a key
	bad    bool   // the news is that something is wrong
}

// tryout is what the form tries out.
type tryout struct {
	lang  words.Lang
	theme string
	ascii bool
}

// openSettings shows the form, which is filled once the settings have been read.
func (m *Model) openSettings() tea.Cmd {
	s := &settings{was: tryout{m.o.Lang, m.o.Theme, m.o.ASCII}, linked: m.o.Connections != nil}
	if s.linked && m.state.Model == nil {
		s.at = onModel // that is what people come for
	}
	m.cover(s)
	ctx, port := m.ctx, m.o.Settings
	return func() tea.Msg {
		all, err := port.Load(ctx)
		return later(func(m *Model) tea.Cmd {
			if err != nil {
				s.say(m.faultText(err), true)
				return nil
			}
			for _, one := range all {
				s.fields = append(s.fields, &field{Setting: one, now: one.Value})
			}
			return nil
		})
	}
}

func (s *settings) say(news string, bad bool) { s.news, s.bad = news, bad }

func (s *settings) key(m *Model, k tea.KeyPressMsg) tea.Cmd {
	name := k.String()
	if s.saving {
		return nil // for a moment, until it is known what became of it
	}
	s.say("", false)
	switch {
	case name == "esc" || m.opens("settings", name):
		cmd := m.wearLook(s.was)
		m.uncover()
		return cmd
	case len(s.fields) == 0:
	case name == "enter" && s.at == onModel:
		return m.openConnect()
	case name == "enter":
		return s.save(m)
	case name == "up" || name == "shift+tab":
		s.move(-1)
	case name == "down" || name == "tab":
		s.move(1)
	case name == "pgup":
		s.move(-s.rows)
	case name == "pgdown":
		s.move(s.rows)
	case name == "home":
		s.at = 0
	case name == "end":
		s.at = len(s.fields) - 1
	default:
		return s.change(m, name, k.Text)
	}
	return nil
}

// onModel is the cursor on the line of the model, which stands before the first field.
const onModel = -2

// move goes some lines up or down.
func (s *settings) move(by int) {
	at, first := s.at, 0
	if s.linked {
		first = -1
	}
	if at == onModel {
		at = -1
	}
	if s.at = clamp(at+by, first, max(len(s.fields)-1, 0)); s.at < 0 {
		s.at = onModel
	}
}

// change is a key for the field under the cursor.
func (s *settings) change(m *Model, name, text string) tea.Cmd {
	if s.at == onModel {
		return nil
	}
	f := s.fields[s.at]
	if f.Fixed {
		s.say(m.text("setting.fixed", "by", f.Origin), false)
		return nil
	}
	switch {
	case name == "left":
		f.step(-1)
	case name == "right" || name == "space":
		f.step(1)
	case name == "backspace":
		f.back()
	case name == "ctrl+u" && f.Choices == nil:
		f.now = ""
	case text != "":
		f.add(text)
	}
	return s.try(m)
}

func (s *settings) paste(m *Model, text string) {
	if !s.saving && len(s.fields) > 0 {
		_ = s.change(m, "", text) // only fields that are typed take it, and those try nothing out
	}
}

func (s *settings) wheel(_ *Model, by int) {
	s.move(clamp(by, -1, 1))
}

// try shows the screen as the form has it.
func (s *settings) try(m *Model) tea.Cmd {
	now := s.was
	for _, f := range s.fields {
		switch {
		case f.now == f.Value || f.Fixed:
		case f.Key == "language":
			now.lang = words.Lang(f.now)
			if f.now == "auto" {
				now.lang = words.Lang(f.Auto)
			}
		case f.Key == "theme":
			now.theme = f.now
			if f.now == "auto" {
				now.theme = ""
			}
		case f.Key == "ascii":
			now.ascii = f.now == "true"
		}
	}
	return m.wearLook(now)
}

// wearLook gives the screen a language and a look. A look that goes by the terminal's background
// asks for that.
func (m *Model) wearLook(l tryout) tea.Cmd {
	if l == (tryout{m.o.Lang, m.o.Theme, m.o.ASCII}) {
		return nil
	}
	var ask tea.Cmd
	if l.theme == "" && m.o.Theme != "" {
		ask = tea.RequestBackgroundColor
	}
	if m.o.Lang != l.lang {
		m.o.Lang = l.lang
		m.repaint()
	}
	m.o.Theme, m.o.ASCII = l.theme, l.ascii
	m.dress(func(how *manner) { how.name, how.ascii = l.theme, l.ascii })
	return ask
}

// faultText is an error with its place in the file, whatever the language: the first of them.
func (m *Model) faultText(err error) string {
	first, _, _ := strings.Cut(engine.MessageOf(err), "\n")
	if text := m.errorText(err); m.o.Lang != words.English && text != engine.MessageOf(err) {
		return text + " (" + first + ")"
	}
	return first
}

// changes is what is to be kept.
func (s *settings) changes() map[string]string {
	out := map[string]string{}
	for _, f := range s.fields {
		if f.now != f.Value && !f.Fixed {
			out[f.Key] = f.saved()
		}
	}
	return out
}

// save keeps what was changed, after the session has taken what it can of it. Nothing is kept as
// long as a field is wrong or a run is active that the change would concern.
func (s *settings) save(m *Model) tea.Cmd {
	for i, f := range s.fields {
		if why := f.wrong(); why != "" {
			s.at = i
			s.say(m.text(why, "most", f.limit()), true)
			return nil
		}
	}
	changes := s.changes()
	if len(changes) == 0 {
		m.uncover()
		return nil
	}
	command, concerned := s.command(m)
	if concerned && m.state.Status.Active() {
		s.say(m.text("setting.busy"), true)
		return nil
	}
	s.saving = true
	ctx, port, session := m.ctx, m.o.Settings, m.o.Session
	concerned = concerned && session.ReadOnly() == nil
	return func() tea.Msg {
		var err error
		if concerned {
			_, err = session.Do(ctx, command)
		}
		if err == nil {
			err = port.Save(ctx, changes)
		}
		return later(func(m *Model) tea.Cmd { s.kept(m, err); return nil })
	}
}

// kept tells what became of saving.
func (s *settings) kept(m *Model, err error) {
	s.saving = false
	if err != nil {
		s.say(m.text("setting.notSaved", "why", m.faultText(err)), true)
		return
	}
	news := "setting.saved"
	for _, f := range s.fields {
		switch {
		case f.now == f.Value || f.Fixed:
		case f.Key == "notifications":
			m.o.Quiet = f.now == "false"
		case f.later():
			news = "setting.later"
		}
	}
	if m.top() == s {
		m.uncover()
	}
	m.say(m.text(news))
}

// later tells that the session may have begun with something stricter, which then stays until the
// next start.
func (f *field) later() bool {
	if f.Key == "budget.maxCostUsd" {
		return f.now == ""
	}
	return strings.HasPrefix(f.Key, "policy.") && strict(f.now) < strict(f.Value)
}

func strict(verdict string) int {
	switch engine.Verdict(verdict) {
	case engine.Allow:
		return 0
	case engine.Ask:
		return 1
	}
	return 2
}
