package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"agentstudio/engine/safe"
)

// commandList finds a command by its words and does it: every command with its key.
type commandList struct {
	typed string
	at    int
	rows  int
}

func (l *commandList) key(m *Model, k tea.KeyPressMsg) tea.Cmd {
	found := l.found(m)
	switch name := k.String(); name {
	case "esc", "ctrl+p":
		m.uncover()
		return nil
	case "up":
		l.at--
	case "down":
		l.at++
	case "pgup":
		l.at -= max(l.rows, 1)
	case "pgdown":
		l.at += max(l.rows, 1)
	case "backspace":
		if r := []rune(l.typed); len(r) > 0 {
			l.typed, l.at = string(r[:len(r)-1]), 0
		}
	case "enter":
		if l.at < len(found) {
			return l.run(m, found[l.at])
		}
	default:
		if k.Text != "" && k.Mod&(tea.ModCtrl|tea.ModAlt) == 0 {
			l.paste(m, k.Text)
		}
	}
	l.at = clamp(l.at, 0, max(len(l.found(m))-1, 0))
	return nil
}

// run does a command, or begins it in the text field if it takes something more.
func (l *commandList) run(m *Model, c command) tea.Cmd {
	m.uncover()
	if c.arg == "" {
		return c.do(m, "")
	}
	m.focus = onComposer
	if m.composer.filled() {
		m.say(m.text("ui.takes", "name", "/"+c.name, "arg", m.text(c.arg)))
		return nil
	}
	m.composer.set("/" + c.name + " ")
	return nil
}

func (l *commandList) paste(_ *Model, text string) {
	l.typed, l.at = lastOf(l.typed+strings.Join(strings.Fields(text), " "), 80), 0
	if text == " " {
		l.typed += " "
	}
}

func (l *commandList) wheel(m *Model, by int) {
	l.at = clamp(l.at+by, 0, max(len(l.found(m))-1, 0))
}

// found are the commands that can be done now and have every word that was typed.
func (l *commandList) found(m *Model) (found []command) {
	for _, c := range m.commands() {
		text := strings.ToLower(c.name + " " + m.text("key."+c.id) + " " + m.text("help."+c.id) + " " + c.key)
		all := c.when(m)
		for _, w := range strings.Fields(strings.ToLower(l.typed)) {
			all = all && strings.Contains(text, w)
		}
		if all {
			found = append(found, c)
		}
	}
	return found
}

func (l *commandList) render(m *Model, w, h int) []string {
	t, g := m.theme, m.theme.Panel
	found := l.found(m)
	l.rows = clamp(h-4, 1, max(len(found), 1))
	top := clamp(l.at-l.rows+1, 0, max(len(found)-l.rows, 0))
	out := []string{g.Bold.of(m.label("ui.commands")) + g.pad(2) + g.Accent.of(safe.Safe(t.You)) + g.pad(1) +
		g.Text.of(t.cut(safe.Text(l.typed, safe.Inline), max(w-24, 4))) + g.Accent.of(safe.Safe(t.Bar)), ""}
	wide := 0
	for _, c := range found {
		wide = max(wide, safe.Width(m.label("key."+c.id)))
	}
	for i := top; i < min(top+l.rows, len(found)); i++ {
		c, on, mark := found[i], g, safe.Safe(" ")
		if i == l.at {
			on, mark = t.Select, safe.Safe(t.You)
		}
		key := safe.Text(m.sayable(c.key), safe.Inline)
		left := on.Accent.of(mark) + on.pad(1) + on.fit(on.Text.of(m.label("key."+c.id)), wide) + on.pad(2) +
			on.Quiet.of(t.cut(safe.Text(m.sayable(m.text("help."+c.id)), safe.Inline), max(w-wide-safe.Width(key)-6, 0)))
		out = append(out, on.ends(left, on.Accent.of(key)+on.pad(1), w))
	}
	if len(found) == 0 {
		out = append(out, g.Quiet.of(m.label("ui.nothingFound")))
	}
	return append(out, "", g.Quiet.of(m.label("ui.commandKeys")))
}

// click chooses the command on a row, and does it the second time.
func (l *commandList) click(m *Model, _, y int) tea.Cmd {
	found := l.found(m)
	top := clamp(l.at-l.rows+1, 0, max(len(found)-l.rows, 0))
	i := top + y - 2
	switch {
	case i < 0 || i >= len(found) || y-2 >= l.rows:
		return nil
	case i == l.at:
		return l.run(m, found[i])
	}
	l.at = i
	return nil
}
