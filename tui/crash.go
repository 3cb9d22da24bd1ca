package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"syscall"

	tea "charm.land/bubbletea/v2"

	"agentstudio/engine"
)

// faultMsg is a panic off the screen's goroutine, on its way there.
type faultMsg struct {
	where string
	what  any
	stack []byte
}

// Bubble Tea would restore the terminal after a panic too, but print the stack over it. So panics
// end here: the screen leaves as on any other day, Run returns INTERNAL, and what happened goes to
// Options.Fault.
func (m *Model) crash(f faultMsg) {
	if m.crashed == nil {
		m.crashed = &engine.Error{Op: "screen", Code: engine.Internal, Message: "the screen failed; the log file has the details", Err: fmt.Errorf("%s: %v", f.where, f.what)}
		if m.o.Fault != nil {
			m.o.Fault("tui: "+f.where, f.what, f.stack)
		}
	}
	if m.stop != nil {
		m.stop()
	}
}

// caught gives a panic's value to f. It is deferred.
func caught(where string, f func(faultMsg)) {
	if r := recover(); r != nil {
		f(faultMsg{where, r, debug.Stack()})
	}
}

// do gives a command to the engine, off the screen's goroutine.
func (m *Model) do(c engine.Command) tea.Cmd {
	ctx, s := m.ctx, m.o.Session // the one that is shown now, whatever is when this runs
	return func() (msg tea.Msg) {
		defer caught("command", func(f faultMsg) { msg = f })
		r, err := s.Do(ctx, c)
		return receiptMsg{c, r, err}
	}
}

// ending is what a program's end means for the caller: nil if somebody wanted it, be it a key, a
// signal or the terminal's going away, else an engine-coded error.
func (m *Model) ending(err error) error {
	switch {
	case m.crashed != nil:
		return m.crashed
	case m.refused != nil:
		return m.refused
	case err == nil, errors.Is(err, context.Canceled), errors.Is(err, syscall.EIO), errors.Is(err, io.EOF), errors.Is(err, os.ErrClosed):
		return nil
	}
	return &engine.Error{Op: "screen", Code: engine.Internal, Message: "the terminal cannot be used: " + err.Error(), Err: err}
}

// forget drops what a terminal has sent and nobody has read: replies and mouse reports in flight
// would be typed into the shell.
func forget(in io.Reader) {
	if f, ok := in.(terminalFile); ok {
		flushInput(f.Fd())
	}
}
