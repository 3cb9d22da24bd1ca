package tui

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"

	"agentstudio/engine"
)

// mostEdited is up to how many bytes a text from the editor stands in the field as it is.
const mostEdited = 8 << 10

// edit opens the draft in the person's own editor and takes back what was saved there.
func (m *Model) edit() tea.Cmd {
	return m.outside(ownEditor(), m.composer.text(), func(m *Model, text string, err error) tea.Cmd {
		if err != nil {
			m.say(m.text("ui.outsideFailed", "why", engine.MessageOf(err)))
			return nil
		}
		m.composer.blocks = nil
		if text = strings.TrimRight(text, "\r\n"); len(text) > mostEdited {
			text = m.composer.block(text) // the field would take long for each key
		}
		m.composer.set(text)
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
// read, and then tells what the file holds. The file is removed whatever happens, and the program is
// told to end when the studio has to.
func (m *Model) outside(program []string, text string, then func(m *Model, text string, err error) tea.Cmd) tea.Cmd {
	execute, away := m.execute, m.o.Away
	if away == nil {
		away = func(bool) {}
	}
	m.lent.out = true
	ctx := m.ctx
	in, _ := m.in.(*os.File) // not what filters it: that is no terminal to another program
	return func() tea.Msg {
		name, err := private(text)
		if err != nil {
			return later(func(m *Model) tea.Cmd { return m.ended(then(m, "", err)) })
		}
		c := exec.CommandContext(ctx, program[0], append(program[1:len(program):len(program)], name)...)
		c.Env = withoutKeys(os.Environ())
		c.Cancel = func() error { return c.Process.Signal(syscall.SIGTERM) }
		c.WaitDelay = time.Second // then it is killed
		c.Stdin = strings.NewReader("")
		if in != nil {
			c.Stdin = in
		}
		o := &outsider{Cmd: c, name: name}
		run := execute(o, func(err error) tea.Msg {
			away(false)
			return later(func(m *Model) tea.Cmd {
				m.panel.since = m.o.Now() // keys meant for the other program decide nothing
				return m.ended(then(m, unmarked(strings.ReplaceAll(string(o.text), "\r\n", "\n")), err))
			})
		})
		return later(func(*Model) tea.Cmd {
			away(true)
			return run
		})
	}
}

// ended does what was typed while another program had the terminal, after what its end brings.
func (m *Model) ended(cmd tea.Cmd) tea.Cmd {
	typed := m.lent.typed
	m.lent = lent{}
	for _, msg := range typed {
		cmd = tea.Batch(cmd, m.update(msg))
	}
	return cmd
}

// lent keeps what is typed while another program has the terminal: the studio reads keys until it
// begins, and again a moment before its text is there, which would overwrite them.
type lent struct {
	out   bool
	typed []tea.Msg
}

func (l *lent) keeps(msg tea.Msg) bool {
	switch msg.(type) {
	case tea.KeyPressMsg, tea.PasteMsg:
		if l.out {
			l.typed = append(l.typed, msg)
		}
		return l.out
	}
	return false
}

// outsider is a program that has the terminal, with the file that is handed to it.
type outsider struct {
	*exec.Cmd
	name string
	text []byte // what the file held afterwards
}

// Run implements tea.ExecCommand. It leaves no file behind.
func (o *outsider) Run() error {
	err := o.Cmd.Run()
	text, rerr := os.ReadFile(o.name)
	o.text = text
	return errors.Join(err, rerr, os.Remove(o.name))
}

// SetStdin implements tea.ExecCommand: the program has its own already.
func (o *outsider) SetStdin(io.Reader) {}

// SetStdout implements tea.ExecCommand.
func (o *outsider) SetStdout(w io.Writer) { o.Stdout = w }

// SetStderr implements tea.ExecCommand.
func (o *outsider) SetStderr(w io.Writer) { o.Stderr = w }

// withoutKeys is an environment for other programs: whatever is named as a secret stays here.
func withoutKeys(environment []string) []string {
	return slices.DeleteFunc(environment, func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		name = strings.ToUpper(name)
		return strings.HasSuffix(name, "_API_KEY") || strings.HasSuffix(name, "_TOKEN") || strings.HasSuffix(name, "_SECRET")
	})
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
