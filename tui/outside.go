package tui

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"

	tea "charm.land/bubbletea/v2"

	"agentstudio/engine"
)

// edit opens the draft in the person's own editor and takes back what was saved there.
func (m *Model) edit() tea.Cmd {
	return m.outside(ownEditor(), m.composer.text(), func(m *Model, text string, err error) tea.Cmd {
		if err != nil {
			m.say(m.text("ui.outsideFailed", "why", engine.MessageOf(err)))
			return nil
		}
		m.composer.blocks = nil
		m.composer.set(strings.TrimRight(text, "\r\n"))
		return nil
	})
}

// ownEditor is the command line of the person's editor, as other programs find it.
func ownEditor() []string {
	for _, name := range []string{"VISUAL", "EDITOR"} {
		if line := strings.Fields(os.Getenv(name)); len(line) > 0 {
			return line
		}
	}
	if runtime.GOOS == "windows" {
		return []string{"notepad"}
	}
	return []string{"vi"}
}

// outside gives the terminal to another program with the text in a file that only this person may
// read, and then tells what the file holds. The file is removed whatever happens.
func (m *Model) outside(program []string, text string, then func(m *Model, text string, err error) tea.Cmd) tea.Cmd {
	execute, away := m.execute, m.o.Away
	if away == nil {
		away = func(bool) {}
	}
	in, _ := m.in.(*os.File) // not what filters it: that is no terminal to another program
	return func() tea.Msg {
		name, err := private(text)
		if err != nil {
			return later(func(m *Model) tea.Cmd { return then(m, "", err) })
		}
		c := exec.Command(program[0], append(program[1:len(program):len(program)], name)...)
		c.Stdin = strings.NewReader("")
		if in != nil {
			c.Stdin = in
		}
		run := execute(c, func(err error) tea.Msg {
			away(false)
			b, rerr := os.ReadFile(name)
			err = errors.Join(err, rerr, os.Remove(name))
			return later(func(m *Model) tea.Cmd {
				m.panel.since = m.o.Now() // keys meant for the other program decide nothing
				return then(m, unmarked(strings.ReplaceAll(string(b), "\r\n", "\n")), err)
			})
		})
		return later(func(*Model) tea.Cmd {
			away(true)
			return run
		})
	}
}

// private writes text into a new file that nobody else may read.
func private(text string) (name string, err error) {
	f, err := os.CreateTemp("", "agentstudio-*.md")
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return "", errors.Join(err, os.Remove(f.Name()))
	}
	return f.Name(), nil
}
