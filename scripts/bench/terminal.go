//go:build !windows

package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

const cols, rows = 200, 50

// terminal is a program in a pseudo terminal with an emulated screen.
type terminal struct {
	cmd *exec.Cmd
	f   *os.File

	mu    sync.Mutex
	em    *vt.Emulator
	bytes int
	last  time.Time     // when the newest output was read, before it was emulated
	grown chan struct{} // closed and replaced when output comes
	ended bool
}

// open starts a program. The terminal is raw from the beginning, so that nothing echoes but the program.
func open(argv []string, typed string) (*terminal, time.Time) {
	t := &terminal{em: vt.NewEmulator(cols, rows), grown: make(chan struct{})}
	ptm, pts, err := pty.Open()
	if err != nil {
		fail(err)
	}
	if _, err := term.MakeRaw(pts.Fd()); err != nil {
		fail(err)
	}
	_ = pty.Setsize(ptm, &pty.Winsize{Rows: rows, Cols: cols})
	t.f = ptm
	t.cmd = exec.Command(argv[0], argv[1:]...)
	t.cmd.Env = append(os.Environ(), "TERM=xterm-256color", "COLORTERM=truecolor", "LANG=C.UTF-8")
	t.cmd.Stdin, t.cmd.Stdout, t.cmd.Stderr = pts, pts, pts
	if _, err := ptm.WriteString(typed); err != nil {
		fail(err)
	}
	began := time.Now()
	if err := t.cmd.Start(); err != nil {
		fail(err)
	}
	_ = pts.Close()
	go func() { _, _ = io.Copy(ptm, t.em) }() // what the terminal answers
	go t.read()
	return t, began
}

func (t *terminal) read() {
	buf := make([]byte, 64<<10)
	for {
		n, err := t.f.Read(buf)
		now := time.Now() // the emulator's own speed must not count
		t.mu.Lock()
		t.last = now
		_, _ = t.em.Write(buf[:n])
		t.bytes += n
		t.ended = err != nil
		close(t.grown)
		t.grown = make(chan struct{})
		t.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// until waits until the screen shows text, and says when.
func (t *terminal) until(text string) time.Time {
	limit := time.After(60 * time.Second)
	for looked := time.Now(); ; looked = time.Now() {
		t.mu.Lock()
		shown, last, grown, ended := strings.Contains(t.em.String(), text), t.last, t.grown, t.ended
		t.mu.Unlock()
		if shown {
			return last
		}
		if ended {
			fail(fmt.Errorf("%s ended before it showed %q", t.cmd.Path, text))
		}
		time.Sleep(2*time.Millisecond - time.Since(looked)) // looking at every write would starve the program
		select {
		case <-grown:
		case <-limit:
			fail(fmt.Errorf("%s never showed %q", t.cmd.Path, text))
		}
	}
}

func (t *terminal) written() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.bytes
}

// cpu is the time all threads of the program have run so far.
func (t *terminal) cpu() time.Duration {
	var sum time.Duration
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", t.cmd.Process.Pid))
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			continue // the thread has ended meanwhile
		}
		ns, _ := strconv.ParseInt(strings.Fields(string(b))[0], 10, 64)
		sum += time.Duration(ns)
	}
	return sum
}

func (t *terminal) close() {
	_ = t.cmd.Process.Kill()
	_ = t.cmd.Wait()
	_ = t.f.Close()
}
