package tui

import (
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"agentstudio/engine"
)

// sessionList finds a saved session and opens it, gives it another title or removes it.
type sessionList struct {
	all    []Saved
	read   bool // the list is there
	typed  string
	at     int
	top    int
	rows   int
	asking Saved  // whether to delete this one; of no ID when not asked
	naming Saved  // this one gets the title being typed; of no ID when not
	title  string // being typed
	busy   bool   // something asked for is on its way
	news   string
	bad    bool
}

const maxTitleTyped = 120

// openSessions shows the list, which is filled once it has been read.
func (m *Model) openSessions() tea.Cmd {
	if m.o.Sessions == nil {
		m.say(m.text("saved.none"))
		return nil
	}
	l := &sessionList{}
	m.cover(l)
	return l.reload(m)
}

// reload reads the list again; the cursor stays on its session.
func (l *sessionList) reload(m *Model) tea.Cmd {
	ctx, port := m.ctx, m.o.Sessions
	l.busy = true
	return func() tea.Msg {
		all, err := port.List(ctx)
		return later(func(m *Model) tea.Cmd {
			l.busy = false
			if err != nil {
				l.say(m.errorText(err), true)
				return nil
			}
			var here engine.SessionID
			if found := l.found(); l.at < len(found) {
				here = found[l.at].ID
			}
			l.all, l.read = all, true
			for i, s := range l.found() {
				if s.ID == here {
					l.at = i
				}
			}
			return nil
		})
	}
}

func (l *sessionList) say(news string, bad bool) { l.news, l.bad = news, bad }

// found are the sessions whose titles have every word that was typed.
func (l *sessionList) found() (found []Saved) {
	want := strings.Fields(strings.ToLower(l.typed))
	for _, s := range l.all {
		have := strings.ToLower(s.Title + " " + string(s.ID))
		all := true
		for _, w := range want {
			all = all && strings.Contains(have, w)
		}
		if all {
			found = append(found, s)
		}
	}
	return found
}

func (l *sessionList) key(m *Model, k tea.KeyPressMsg) tea.Cmd {
	name := k.String()
	switch {
	case l.busy && name != "esc":
		return nil
	case l.asking.ID != "":
		return l.answer(m, name)
	case l.naming.ID != "":
		return l.name(m, k)
	}
	l.say("", false)
	found := l.found()
	switch {
	case name == "esc" || m.opens("sessions", name):
		m.uncover()
		return nil
	case name == "insert" || name == "ctrl+a":
		return l.open(m, Saved{})
	case name == "backspace":
		if r := []rune(l.typed); len(r) > 0 {
			l.typed, l.at = string(r[:len(r)-1]), 0
		}
	case name == "ctrl+u":
		l.typed, l.at = "", 0
	case l.move(name):
	case l.at < len(found):
		if cmd, used := l.act(m, name, found[l.at]); used {
			return cmd
		}
		l.add(k)
	default:
		l.add(k)
	}
	l.at = clamp(l.at, 0, max(len(l.found())-1, 0))
	return nil
}

// move is a key that goes to another row.
func (l *sessionList) move(name string) bool {
	switch name {
	case "up":
		l.at--
	case "down":
		l.at++
	case "pgup":
		l.at -= max(l.rows, 1)
	case "pgdown":
		l.at += max(l.rows, 1)
	case "home":
		l.at = 0
	case "end":
		l.at = len(l.all)
	default:
		return false
	}
	return true
}

// act is a key that does something to the session under the cursor.
func (l *sessionList) act(m *Model, name string, s Saved) (tea.Cmd, bool) {
	switch name {
	case "enter":
		return l.open(m, s), true
	case "f2":
		l.naming, l.title = s, s.Title
	case "delete", "ctrl+x":
		if s.ID == m.o.Session.ID() {
			l.say(m.text("saved.shownStays"), true)
		} else {
			l.asking = s
		}
	default:
		return nil, false
	}
	return nil, true
}

func (l *sessionList) add(k tea.KeyPressMsg) {
	if k.Text != "" && k.Mod&(tea.ModCtrl|tea.ModAlt) == 0 {
		l.typed, l.at = lastOf(l.typed+k.Text, 80), 0
	}
}

func (l *sessionList) paste(_ *Model, text string) {
	text = strings.Join(strings.Fields(text), " ")
	switch {
	case l.busy || l.asking.ID != "":
	case l.naming.ID != "":
		l.title = firstOf(l.title+text, maxTitleTyped)
	default:
		l.typed, l.at = lastOf(l.typed+text, 80), 0
	}
}

func (l *sessionList) wheel(_ *Model, by int) {
	l.at = clamp(l.at+by, 0, max(len(l.found())-1, 0))
}

// open shows another session; the zero Saved is a new one.
func (l *sessionList) open(m *Model, s Saved) tea.Cmd {
	switch {
	case s.ID != "" && s.ID == m.o.Session.ID():
		m.uncover()
		return nil
	case m.state.Status.Active():
		l.say(m.text("saved.busy"), true)
		return nil
	}
	ctx, port := m.ctx, m.o.Sessions
	l.busy = true
	l.say(m.text("saved.opening"), false)
	return func() tea.Msg {
		opened, err := port.Open(ctx, s.ID)
		return later(func(m *Model) tea.Cmd {
			l.busy = false
			if err != nil {
				l.say(m.errorText(err), true)
				return nil
			}
			m.opened(openedMsg{opened: opened})
			return nil
		})
	}
}

// answer is the key after the question whether to delete.
func (l *sessionList) answer(m *Model, name string) tea.Cmd {
	s := l.asking
	l.asking = Saved{}
	if name != "y" && name != "Y" {
		l.say(m.text("saved.kept"), false)
		return nil
	}
	ctx, port := m.ctx, m.o.Sessions
	return l.change(m, "saved.deleted", func() error { return port.Delete(ctx, s.ID) })
}

// change does something to a session and reads the list again.
func (l *sessionList) change(_ *Model, done string, do func() error) tea.Cmd {
	l.busy = true
	return func() tea.Msg {
		err := do()
		return later(func(m *Model) tea.Cmd {
			l.busy = false
			if err != nil {
				l.say(m.errorText(err), true)
				return nil
			}
			l.say(m.text(done), false)
			return l.reload(m)
		})
	}
}

// name takes the keys of the title being typed.
func (l *sessionList) name(m *Model, k tea.KeyPressMsg) tea.Cmd {
	switch name := k.String(); {
	case name == "esc":
		l.naming = Saved{}
	case name == "enter":
		s, title := l.naming, strings.TrimSpace(l.title)
		l.naming = Saved{}
		if title == "" || title == s.Title {
			return nil
		}
		ctx, port := m.ctx, m.o.Sessions
		return l.change(m, "saved.renamed", func() error { return port.Rename(ctx, s.ID, title) })
	case name == "backspace":
		if r := []rune(l.title); len(r) > 0 {
			l.title = string(r[:len(r)-1])
		}
	case name == "ctrl+u":
		l.title = ""
	case k.Text != "" && k.Mod&(tea.ModCtrl|tea.ModAlt) == 0:
		l.title = firstOf(l.title+k.Text, maxTitleTyped)
	}
	return nil
}

// firstOf is the first n letters of s.
func firstOf(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n])
	}
	return s
}

// ageOf says how long ago something was.
func (m *Model) ageOf(at time.Time) string {
	age := m.o.Now().Sub(at)
	switch {
	case at.IsZero():
		return ""
	case age < time.Minute:
		return m.text("age.now")
	case age < time.Hour:
		return m.text("age.minutes", "n", strconv.Itoa(int(age/time.Minute)))
	case age < 24*time.Hour:
		return m.text("age.hours", "n", strconv.Itoa(int(age/time.Hour)))
	}
	return m.text("age.days", "n", strconv.Itoa(int(age/(24*time.Hour))))
}
