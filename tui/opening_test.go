package tui

import (
	"context"
	"errors"
	"io"
	"testing"

	tea "charm.land/bubbletea/v2"

	"agentstudio/engine"
	"agentstudio/engine/words"
)

// What cannot be opened ends the screen with its own error.
func TestWhatCannotBeOpenedEndsTheScreen(t *testing.T) {
	keys, in := io.Pipe()
	defer in.Close()
	_, err := Run(t.Context(), Options{Open: func(context.Context) (Opened, error) {
		return Opened{}, engine.Errorf(engine.StateUnusable, "no room")
	}}, keys, tea.WithOutput(io.Discard), tea.WithWindowSize(80, 24), tea.WithoutSignals())
	if !errors.Is(err, engine.StateUnusable) {
		t.Fatalf("ended with %v", err)
	}
}

// What is typed before the session is there stays, and is sent afterwards.
func TestTypingBeginsBeforeTheSessionIsThere(t *testing.T) {
	s := stage(t, setup{}, says("hello"))
	s.on(func(m *Model) {
		m.o.Session = opening{}
		m.state.Model = nil
	})
	s.Type("early")
	s.Press("enter")
	if d := s.Draft(); d != "early" {
		t.Fatalf("the draft is %q", d)
	}
	s.program.Send(openedMsg{opened: Opened{Session: s.session, Prompt: func(words.Lang) string { return "p" }, Script: "late"}})
	s.on(func(m *Model) { m.state.Model = &engine.ModelInfo{Provider: engine.ProviderScripted, ID: "fake"} })
	s.Shows("late")
	s.Press("enter")
	s.events("run.completed")
	if d := s.Draft(); d != "" {
		t.Fatalf("the draft is %q", d)
	}
}
