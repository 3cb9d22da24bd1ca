package tui

import (
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"agentstudio/engine"
	"agentstudio/engine/words"
)

// command is something that can be asked for by name: in the text field after a slash, and in the
// list that Ctrl+P opens. Every key that does something by itself is one as well.
type command struct {
	name string // as typed after the slash
	id   string // "key." + id is its name in words, "help." + id says what it does
	key  string // the key that does the same, for people; "" for none
	arg  string // key of the words for what it takes; "" if it takes nothing
	when func(*Model) bool
	do   func(m *Model, arg string) tea.Cmd
}

// commands are all there are: what works everywhere first, what belongs to a pane last.
func (m *Model) commands() (all []command) {
	var panes []command
	for _, b := range m.keys {
		if plainStep(b.id) {
			continue
		}
		c := command{name: spoken(b.id), id: b.id, key: keyName(b.keys[0]), when: b.when, do: func(m *Model, _ string) tea.Cmd {
			m.enter(b.in)
			return b.do(m)
		}}
		if b.id == "cancel" { // its key does more than its name says
			c.when = func(m *Model) bool { return m.state.Status.Active() }
		}
		if b.in == 0 {
			all = append(all, c)
		} else {
			panes = append(panes, c)
		}
	}
	all = append(all,
		command{name: "new", id: "new", when: func(m *Model) bool { return m.o.Sessions != nil && !m.state.Status.Active() }, do: func(m *Model, _ string) tea.Cmd { return m.reopen("") }},
		command{name: "rename", id: "rename", arg: "arg.title", when: func(m *Model) bool { return m.o.Session.ReadOnly() == nil }, do: (*Model).rename},
		command{name: "attach", id: "attach", arg: "arg.picture", when: canAttach, do: (*Model).attachTyped},
		command{name: "model", id: "model", when: func(m *Model) bool { return m.o.Connections != nil }, do: func(m *Model, _ string) tea.Cmd { return m.openConnect() }},
		command{name: "compact", id: "compact", when: func(m *Model) bool { return m.state.Model != nil && !m.state.Status.Active() }, do: func(m *Model, _ string) tea.Cmd {
			m.say(m.text("event.compaction.started")) // it may take as long as an answer
			return m.do(engine.Compact{By: m.me()})
		}},
		command{name: "theme", id: "theme", arg: "arg.theme", when: always, do: (*Model).wear},
		command{name: "lang", id: "lang", arg: "arg.lang", when: always, do: (*Model).speak},
	)
	return append(all, panes...)
}

// plainStep names the keys that only move about or act on what is typed, which make no sense by
// name, and those that decide: an answer is given on the panel that shows what it is about.
func plainStep(id string) bool {
	switch id {
	case "send", "queue", "steer", "pane", "paneBack", "pageUp", "pageDown", "approve", "deny", "commands":
		return true
	}
	return false
}

// spoken is an id as it is typed: takeBack is take-back.
func spoken(id string) string {
	var b strings.Builder
	for _, r := range id {
		if unicode.IsUpper(r) {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// typedCommand is the command that a draft asks for, and what follows its name. A draft is one if
// it is a single line that begins with a slash and a word; a path has another slash in it.
func (m *Model) typedCommand(draft string) (name, arg string, ok bool) {
	rest, slash := strings.CutPrefix(draft, "/")
	name, arg, _ = strings.Cut(rest, " ")
	if !slash || name == "" || strings.ContainsAny(draft, "\n") || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsLower(r) && r != '-' }) {
		return "", "", false
	}
	return name, strings.TrimSpace(arg), true
}

// perform does a typed command. One that isn't known, can't be done now or misses what it takes
// leaves the draft as it is and says so.
func (m *Model) perform(name, arg string) tea.Cmd {
	for _, c := range m.commands() {
		switch {
		case c.name != name:
			continue
		case !c.when(m):
			m.say(m.text("ui.notNow", "name", "/"+name))
			return nil
		case c.arg != "" && arg == "":
			m.say(m.text("ui.takes", "name", "/"+name, "arg", m.text(c.arg)))
			return nil
		}
		m.composer.set("")
		return c.do(m, arg)
	}
	m.say(m.text("ui.noCommand", "name", "/"+name))
	return nil
}

// wear changes the theme until the end of the program; the settings keep one.
func (m *Model) wear(name string) tea.Cmd {
	switch name {
	case "dark", "light", "projector":
		m.o.Theme = name
		m.dress(func(how *manner) { how.name = name })
	default:
		m.refill("/theme "+name, m.text("ui.takes", "name", "/theme", "arg", m.text("arg.theme")))
	}
	return nil
}

// speak changes the language until the end of the program.
func (m *Model) speak(lang string) tea.Cmd {
	for _, l := range words.Languages() {
		if string(l) == lang {
			m.o.Lang = l
			m.repaint()
			return nil
		}
	}
	m.refill("/lang "+lang, m.text("ui.takes", "name", "/lang", "arg", m.text("arg.lang")))
	return nil
}

func (m *Model) rename(title string) tea.Cmd {
	return m.do(engine.Rename{Title: title, By: m.me()})
}

// refill puts a command that was wrong back into the field, with what is wrong in the footer.
func (m *Model) refill(draft, why string) {
	m.composer.set(draft)
	m.say(why)
}

// enter gives the focus to the first of the places, unless it is in one of them.
func (m *Model) enter(in places) {
	for f := range panes {
		if !in.has(m.focus) && in.has(f) {
			m.focus = f
		}
	}
}

// reopen shows another saved session, a new one for the id "".
func (m *Model) reopen(id engine.SessionID) tea.Cmd {
	ctx, sessions := m.ctx, m.o.Sessions
	return func() tea.Msg {
		opened, err := sessions.Open(ctx, id)
		return openedMsg{opened, err}
	}
}
