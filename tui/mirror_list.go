package tui

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
)

// mirrorList switches the mirror on and off, shows codes, lets devices in and lists them.
type mirrorList struct {
	at, top int
	on      string // id of the device under the cursor, which stays on it when others come and go
	lost    bool   // that device is gone, and the cursor is nowhere until it is moved
	rows    int    // of the list in view
	digits  string // typed for who asks
	sure    string // id of the device to be thrown out, while asked
	code    bool   // the newest code is shown large
	busy    bool
	news    string
	bad     bool
}

func (l *mirrorList) spacious() bool { return l.code }

func (l *mirrorList) say(news string, bad bool) { l.news, l.bad = news, bad }

// ask does something on the port, and tells what was wrong with it.
func (l *mirrorList) ask(do func() error, then func(*Model)) tea.Cmd {
	l.busy = true
	return func() tea.Msg {
		err := do()
		return later(func(m *Model) tea.Cmd {
			l.busy = false
			if err != nil {
				l.say(m.errorText(err), true)
				return nil
			}
			if then != nil {
				then(m)
			}
			return nil
		})
	}
}

func (l *mirrorList) key(m *Model, k tea.KeyPressMsg) tea.Cmd {
	name, port := k.String(), m.o.Mirror
	switch {
	case name == "esc" && l.code:
		l.code = false
		return nil
	case name == "esc" && l.sure != "":
		l.sure = ""
		return nil
	case name == "esc" || m.opens("mirror", name):
		m.uncover()
		return nil
	case l.busy:
		return nil
	case l.sure != "":
		return l.answer(m, name)
	}
	l.say("", false)
	switch {
	case !m.mirror.On:
		if name == "enter" || name == "s" {
			ctx := m.ctx
			return l.ask(func() error { return port.Start(ctx) }, nil)
		}
		return nil
	case m.mirror.Asking != nil && l.typed(name):
		return nil
	case m.mirror.Asking != nil && name == "enter" && l.digits != "":
		digits := l.digits
		l.digits = ""
		return l.ask(func() error { return port.Confirm(digits) }, nil)
	}
	return l.act(m, name)
}

// typed takes the digits that a device shows.
func (l *mirrorList) typed(name string) bool {
	switch {
	case len(name) == 1 && name >= "0" && name <= "9":
		if len(l.digits) < 4 {
			l.digits += name
		}
	case name == "backspace":
		l.digits = l.digits[:max(len(l.digits)-1, 0)]
	default:
		return false
	}
	return true
}

// act is a key for the mirror, or for the device under the cursor.
func (l *mirrorList) act(m *Model, name string) tea.Cmd {
	port, s := m.o.Mirror, m.mirror
	switch name {
	case "s":
		l.sure = stopAll
	case "c":
		if s.Class != "" {
			return l.ask(port.HideClassCode, nil)
		}
		return l.ask(port.ShowClassCode, func(*Model) { l.code = true })
	case "a":
		return l.ask(port.ShowApproverCode, func(*Model) { l.code = true })
	case "q":
		l.code = s.Link != "" && !l.code
	case "r":
		if s.Asking != nil {
			return l.ask(port.Refuse, nil)
		}
	case "v":
		levels := shareLevels()
		next := levels[(slices.Index(levels, s.Share)+1)%len(levels)]
		return l.ask(func() error { return port.SetShare(next) }, nil)
	case "up", "down":
		l.wheel(m, map[string]int{"up": -1, "down": 1}[name])
	case "left", "right":
		return l.role(m, map[string]int{"left": -1, "right": 1}[name])
	case "x", "delete":
		if l.follow(m); l.on != "" {
			l.sure = l.on
		}
	}
	return nil
}

// follow keeps the cursor on its device. What is pressed for one that has gone is not done to another.
func (l *mirrorList) follow(m *Model) {
	all := m.mirror.Devices
	switch i := slices.IndexFunc(all, func(d MirrorDevice) bool { return d.ID == l.on }); {
	case i >= 0:
		l.at = i
	case l.on != "":
		l.on, l.lost = "", true
	case !l.lost && len(all) > 0:
		l.at, l.on = 0, all[0].ID
	}
	l.at = clamp(l.at, 0, max(len(all)-1, 0))
}

// stopAll is what sure holds while it is asked whether to switch the mirror off. No device has it.
const stopAll = "*"

func shareLevels() []string { return []string{"all", "names", "none"} }

func roles() []string { return []string{"viewer", "approver", "presenter", "operator"} }

// role gives the device under the cursor the next role.
func (l *mirrorList) role(m *Model, by int) tea.Cmd {
	if l.follow(m); l.on == "" {
		return nil
	}
	if l.rows == 0 {
		l.say(m.text("lobby.small"), true)
		return nil
	}
	d, all, port := m.mirror.Devices[l.at], roles(), m.o.Mirror
	next := all[(max(slices.Index(all, d.Role), 0)+by+len(all))%len(all)]
	return l.ask(func() error { return port.SetRole(d.ID, next) }, nil)
}

// answer is the key after a question.
func (l *mirrorList) answer(m *Model, name string) tea.Cmd {
	what, port := l.sure, m.o.Mirror
	l.sure = ""
	switch {
	case name != "y" && name != "Y":
		return nil
	case what == stopAll:
		return l.ask(port.Stop, nil)
	}
	return l.ask(func() error { return port.Revoke(what) }, nil)
}

func (l *mirrorList) wheel(m *Model, by int) {
	l.follow(m)
	all := m.mirror.Devices
	if len(all) == 0 {
		return
	}
	if l.lost {
		by = 0 // it is where the one that has gone was
	}
	l.at = clamp(l.at+by, 0, len(all)-1)
	l.on, l.lost = all[l.at].ID, false
}

// paste takes digits that were copied.
func (l *mirrorList) paste(m *Model, text string) {
	if m.mirror.Asking != nil && !l.busy {
		for _, r := range strings.TrimSpace(text) {
			l.typed(string(r))
		}
	}
}

// mirrorAsk asks whether the devices may follow to another session. It appears by itself, so that keys
// pressed before it could be read are not for it.
type mirrorAsk struct{ since time.Time }

func (a *mirrorAsk) key(m *Model, k tea.KeyPressMsg) tea.Cmd {
	now, name := m.o.Now(), k.String()
	if now.Sub(a.since) < settle || now.Sub(m.lastKey) < afterKey {
		if k.Text != "" {
			return m.composer.key(m, k)
		}
		return nil
	}
	switch name {
	case "y", "Y":
		m.uncover()
	case "n", "N", "esc", "enter":
		m.uncover()
		return nil
	default:
		return nil
	}
	port := m.o.Mirror
	return func() tea.Msg {
		err := port.Show()
		return later(func(m *Model) tea.Cmd {
			if err != nil {
				m.say(m.errorText(err))
			} else {
				m.say(m.text("lobby.moved"))
			}
			return nil
		})
	}
}
