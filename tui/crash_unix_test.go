//go:build unix

package tui

import (
	"context"
	"fmt"
	"io"
	"iter"
	"os"
	"os/exec"
	"os/signal"
	"reflect"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/term"
	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"agentstudio/engine"
	"agentstudio/engine/words"
)

const childEnv = "AGENTSTUDIO_TUI_TEST_CHILD"

// child is this test's own program as a person starts it: a screen on a real terminal. how says
// what goes wrong.
func child(how string) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGHUP, os.Interrupt)
	defer stop()
	l, asked := story("idle", plainTexts()), 0
	if how == "view" {
		l = story("approval", plainTexts())
	}
	o := Options{Session: faulty{l, how}, Lang: words.English, Theme: "dark", Fault: func(where string, _ any, stack []byte) {
		if path := os.Getenv(childEnv + "_LOG"); path != "" {
			_ = os.WriteFile(path, append([]byte(where+"\n"), stack...), 0o600)
		}
	}}
	switch how {
	case "update":
		o.Applied = func(engine.Seq) { panic("in update") }
	case "view":
		o.Now = func() time.Time {
			if asked++; asked > 3 { // drawing the countdown asks most
				panic("in view")
			}
			return time.Now()
		}
	}
	if _, err := Run(ctx, o, os.Stdin, tea.WithOutput(os.Stdout), tea.WithoutSignalHandler()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 3
	}
	return 0
}

// faulty is a session that panics.
type faulty struct {
	*tape
	how string
}

func (f faulty) Do(ctx context.Context, c engine.Command) (engine.Receipt, error) {
	if f.how == "command" {
		panic("in a command")
	}
	return f.tape.Do(ctx, c)
}

func (f faulty) Follow(ctx context.Context, after engine.Seq) iter.Seq2[[]engine.Event, error] {
	return func(yield func([]engine.Event, error) bool) {
		for batch, err := range f.tape.Follow(ctx, after) {
			if !yield(batch, err) {
				return
			}
			if f.how == "events" {
				panic("in the pump")
			}
		}
	}
}

// window is a real terminal with a child in it.
type window struct {
	t      *testing.T
	master *os.File
	cmd    *exec.Cmd
	was    *term.State
	log    string

	mu   sync.Mutex
	out  strings.Builder
	news chan struct{}
	shut chan struct{} // closed when the terminal's other end is gone
}

func open(t *testing.T, how string) *window {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	master, slave, err := pty.Open()
	if err != nil {
		t.Skip("no pseudo terminal:", err)
	}
	if err := pty.Setsize(master, &pty.Winsize{Cols: 100, Rows: 30}); err != nil {
		t.Fatal(err)
	}
	w := &window{t: t, master: pollable(t, master), log: t.TempDir() + "/fault", news: make(chan struct{}, 1), shut: make(chan struct{})}
	if w.was, err = discipline(w.master); err != nil {
		t.Fatal(err)
	}
	w.cmd = exec.Command(self)
	w.cmd.Env = append(os.Environ(), childEnv+"="+how, childEnv+"_LOG="+w.log, "TERM=xterm-256color", "COLORTERM=truecolor")
	w.cmd.Stdin, w.cmd.Stdout, w.cmd.Stderr = slave, slave, slave
	w.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := w.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = slave.Close()
	go w.listen()
	t.Cleanup(func() {
		_ = w.cmd.Process.Kill()
		_ = w.master.Close()
		<-w.shut
	})
	return w
}

// pollable is the same terminal as a file whose Close ends a Read under way.
func pollable(t *testing.T, f *os.File) *os.File {
	t.Helper()
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.SetNonblock(fd, true); err != nil {
		t.Fatal(err)
	}
	_ = f.Close()
	return os.NewFile(uintptr(fd), f.Name())
}

// discipline is the state of a terminal's line. Not by Fd, after which a file isn't pollable any more.
func discipline(f *os.File) (s *term.State, err error) {
	c, err := f.SyscallConn()
	if err != nil {
		return nil, err
	}
	if e := c.Control(func(fd uintptr) { s, err = term.GetState(fd) }); e != nil {
		return nil, e
	}
	return s, err
}

func (w *window) listen() {
	defer close(w.shut)
	buf := make([]byte, 64<<10)
	for {
		n, err := w.master.Read(buf)
		w.mu.Lock()
		w.out.Write(buf[:n])
		w.mu.Unlock()
		select {
		case w.news <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

func (w *window) written() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.out.String()
}

func (w *window) shows(text string) {
	w.t.Helper()
	limit := time.After(20 * time.Second)
	for !strings.Contains(w.written(), text) {
		select {
		case <-w.news:
		case <-w.shut:
			if !strings.Contains(w.written(), text) {
				w.t.Fatalf("it ended without %q: %q", text, w.written())
			}
		case <-limit:
			w.t.Fatalf("never showed %q: %q", text, w.written())
		}
	}
}

func (w *window) keys(s string) {
	w.t.Helper()
	if _, err := io.WriteString(w.master, s); err != nil {
		w.t.Fatal(err)
	}
}

// ends waits for the child's end and looks at what it leaves behind.
func (w *window) ends(status int) {
	w.t.Helper()
	done := make(chan error, 1)
	go func() { done <- w.cmd.Wait() }()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		w.t.Fatal("it does not end")
	}
	if got := w.cmd.ProcessState.ExitCode(); got != status {
		w.t.Errorf("exit status %d, want %d", got, status)
	}
}

// restored checks that modes, cursor and line discipline are as before.
func (w *window) restored() {
	w.t.Helper()
	<-w.shut
	out := w.written()
	for on, off := range map[string]string{"\x1b[?1049h": "\x1b[?1049l", "\x1b[?25l": "\x1b[?25h", "\x1b[?2004h": "\x1b[?2004l", "\x1b[?1004h": "\x1b[?1004l",
		"\x1b[?1002h": "\x1b[?1002l", "\x1b[?1006h": "\x1b[?1006l"} {
		if strings.LastIndex(out, on) > strings.LastIndex(out, off) {
			w.t.Errorf("%q is never taken back by %q", on, off)
		}
	}
	if strings.Contains(out, "goroutine ") || strings.Contains(out, "Caught panic") {
		w.t.Errorf("a stack is on the screen: %q", out)
	}
	now, err := discipline(w.master)
	if err == nil && !reflect.DeepEqual(now, w.was) {
		w.t.Error("the terminal's line discipline is not as before")
	}
}

func TestTheTerminalIsRestored(t *testing.T) {
	for name, end := range map[string]func(w *window){
		"SIGTERM":      func(w *window) { _ = w.cmd.Process.Signal(syscall.SIGTERM) },
		"SIGHUP":       func(w *window) { _ = w.cmd.Process.Signal(syscall.SIGHUP) },
		"SIGINT":       func(w *window) { _ = w.cmd.Process.Signal(os.Interrupt) },
		"Ctrl+Q":       func(w *window) { w.keys("\x11") },
		"Ctrl+C twice": func(w *window) { w.keys("\x03"); w.shows("again quits"); w.keys("\x03") },
	} {
		t.Run(name, func(t *testing.T) {
			w := open(t, "well")
			w.shows("demo-script")
			end(w)
			w.ends(0)
			w.restored()
		})
	}
}

func TestAPanicLeavesTheTerminalWhole(t *testing.T) {
	for _, how := range []string{"update", "view", "events", "command"} {
		t.Run(how, func(t *testing.T) {
			w := open(t, how)
			if how == "command" {
				w.shows("demo-script")
				w.keys("hello\r")
			}
			w.ends(3)
			w.restored()
			if out := w.written(); !strings.Contains(out, "the screen failed") {
				t.Errorf("it does not say what happened: %q", out)
			}
			if log, err := os.ReadFile(w.log); err != nil || !strings.HasPrefix(string(log), "tui: "+how) || !strings.Contains(string(log), "goroutine ") {
				t.Errorf("the fault was told as %q, %v", log, err)
			}
		})
	}
}

// A terminal that goes away ends the program; nobody is left to see its status.
func TestTheTerminalGoesAway(t *testing.T) {
	w := open(t, "well")
	w.shows("demo-script")
	_ = w.master.Close()
	<-w.shut
	w.ends(0)
}

// What the terminal sent and nobody read is dropped on leaving, so that no shell reads it.
func TestUnreadRepliesAreDropped(t *testing.T) {
	master, slave, err := pty.Open()
	if err != nil {
		t.Skip("no pseudo terminal:", err)
	}
	defer master.Close()
	defer slave.Close()
	if _, err := term.MakeRaw(slave.Fd()); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(master, "\x1b[?62;22c\x1b]11;rgb:0/0/0\a"); err != nil {
		t.Fatal(err)
	}
	ready := []unix.PollFd{{Fd: int32(slave.Fd()), Events: unix.POLLIN}}
	if n, err := unix.Poll(ready, 20_000); n != 1 || err != nil {
		t.Fatalf("the reply never came: %d, %v", n, err)
	}
	forget(newInput(slave))
	if n, err := unix.Poll(ready, 0); n != 0 || err != nil {
		t.Errorf("something is left to read: %d, %v", n, err)
	}
}
