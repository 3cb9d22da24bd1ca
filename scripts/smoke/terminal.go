package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

// terminal is a program on a pseudo-terminal, with an emulator that keeps what its screen shows.
type terminal struct {
	cmd *exec.Cmd
	pty *os.File

	mu      sync.Mutex // of screen, all and changed
	screen  *vt.Emulator
	all     strings.Builder // every byte written
	changed chan struct{}   // closed and replaced at each write

	pumps sync.WaitGroup
	ended chan struct{} // closed when the program has ended and all it wrote is on the screen
}

func open(binary, state string, cols, rows int, args ...string) (*terminal, error) {
	return openWith(nil, binary, state, cols, rows, args...)
}

// openWith opens with more variables in the environment.
func openWith(more []string, binary, state string, cols, rows int, args ...string) (*terminal, error) {
	t := &terminal{cmd: exec.Command(binary, args...), screen: vt.NewEmulator(cols, rows), changed: make(chan struct{}), ended: make(chan struct{})}
	t.cmd.Env = append(environment(state), more...)
	f, err := pty.StartWithSize(t.cmd, &pty.Winsize{Rows: uint16(rows), Cols: uint16(cols)})
	if err != nil {
		return nil, err
	}
	t.pty = f
	t.pumps.Go(func() { // the emulator answers the program's questions, as a terminal does
		_, _ = io.Copy(f, t.screen)
	})
	go t.show()
	return t, nil
}

// show puts on the screen what the program writes, until it ends.
func (t *terminal) show() {
	defer close(t.ended)
	buf := make([]byte, 32<<10)
	for {
		n, err := t.pty.Read(buf)
		t.mu.Lock()
		t.all.Write(buf[:n])
		_, _ = t.screen.Write(buf[:n])
		close(t.changed)
		t.changed = make(chan struct{})
		t.mu.Unlock()
		if err != nil {
			return // the last one to hold the terminal has closed it
		}
	}
}

// close ends the program if it still runs, and waits for everything that was started.
func (t *terminal) close() {
	_ = t.cmd.Process.Kill()
	_ = t.cmd.Wait()
	<-t.ended
	_ = t.pty.Close()
	_ = t.screen.Close()
	t.pumps.Wait()
}

// exit waits for the program's end and gives its status.
func (t *terminal) exit() (int, error) {
	select {
	case <-t.ended:
	case <-time.After(patience):
		return 0, fmt.Errorf("the program does not end; the screen shows:\n%s", t.text())
	}
	err := t.cmd.Wait()
	var status *exec.ExitError
	if errors.As(err, &status) {
		err = nil
	}
	return t.cmd.ProcessState.ExitCode(), err
}

// text is what the screen shows.
func (t *terminal) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.screen.String()
}

// until waits for the screen to satisfy ok, at most so long.
func (t *terminal) until(most time.Duration, ok func(screen string) bool) bool {
	late := time.After(most)
	for {
		t.mu.Lock()
		now, changed := t.screen.String(), t.changed
		t.mu.Unlock()
		if ok(now) {
			return true
		}
		select {
		case <-changed:
		case <-t.ended:
			return ok(t.text())
		case <-late:
			return false
		}
	}
}

// written is every byte the program has sent to the terminal.
func (t *terminal) written() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.all.String()
}

// await waits for every one of the words to be on the screen together.
func (t *terminal) await(words ...string) error {
	if t.until(patience, func(s string) bool { return shows(s, words...) }) {
		return nil
	}
	return fmt.Errorf("%q did not appear together; the screen shows:\n%s", words, t.text())
}

func shows(screen string, words ...string) bool {
	for _, w := range words {
		if !strings.Contains(screen, w) {
			return false
		}
	}
	return true
}

// press sends keys as they are.
func (t *terminal) press(keys string) error {
	_, err := io.WriteString(t.pty, keys)
	return err
}

// insist presses a key until the screen satisfies ok: the approval panel takes no key that may
// have been on its way when it opened, so the first press may be refused, as it is for people.
func (t *terminal) insist(key string, ok func(screen string) bool) error {
	for late := time.Now().Add(patience); time.Now().Before(late); {
		if err := t.press(key); err != nil {
			return err
		}
		if t.until(time.Second, ok) {
			return nil
		}
	}
	return fmt.Errorf("pressing %q changes nothing; the screen shows:\n%s", key, t.text())
}
