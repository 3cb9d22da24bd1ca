package tui

import (
	"context"
	"io"
	"iter"

	"agentstudio/engine"
)

// Opened is a session that has been opened while the screen was coming up, and what belongs to it.
type Opened struct {
	Session Session
	Prompt  string // see Options.Prompt
	Script  string // see Options.Script
}

// opening stands in for a session that is still being opened: there is nothing in it, and it takes
// no commands. What is typed meanwhile stays in the draft.
type opening struct{}

func (opening) ID() engine.SessionID { return "" }
func (opening) ReadOnly() error      { return nil }

func (opening) Do(context.Context, engine.Command) (engine.Receipt, error) {
	return engine.Receipt{}, engine.Errorf(engine.InvalidCommand, "the session is still being opened")
}

func (opening) Follow(context.Context, engine.Seq) iter.Seq2[[]engine.Event, error] {
	return func(func([]engine.Event, error) bool) {}
}

func (opening) Read(context.Context, engine.Ref) (io.ReadCloser, error) {
	return nil, engine.Errorf(engine.RefNotFound, "the session is still being opened")
}

type (
	openedMsg   Opened
	unopenedMsg struct{ err error }
)

// opened makes the session that was opened the screen's.
func (m *Model) opened(o openedMsg) {
	m.o.Session, m.o.Prompt, m.o.Script = o.Session, o.Prompt, o.Script
	m.repaint()
}

// unopened ends the screen; Run returns why.
func (m *Model) unopened(err error) {
	m.refused = err
	if m.stop != nil {
		m.stop()
	}
}
