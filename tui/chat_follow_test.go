package tui

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"agentstudio/engine"
	"agentstudio/engine/words"
)

// A pane that follows an answer moves in leaps, and always shows its end.
func TestFollowingMovesInLeaps(t *testing.T) {
	l := newTape()
	said := l.add(0, engine.UserMessage{Message: "msg_1", Text: "go", By: engine.Actor{Screen: "tui", Name: "terminal"}})
	l.run = "run_1"
	run := l.add(said, engine.RunStarted{Run: "run_1"})
	turn := l.add(run, engine.TurnStarted{Turn: 1})
	began := l.add(turn, engine.AssistantStarted{Message: "msg_2"})
	m := l.still(setup{w: 120, h: 40, lang: words.English, theme: "dark"})
	var tops []int
	for n := range 120 {
		l.add(began, engine.AssistantDelta{Message: "msg_2", Delta: fmt.Sprintf("- line %d\n", n)})
		m.Update(eventsMsg{m.o.Session, l.events[len(l.events)-1:]})
		text := picture(m)
		if !strings.Contains(text, fmt.Sprintf("line %d", n)) {
			t.Fatalf("line %d is not in view:\n%s", n, text)
		}
		tops = append(tops, m.chat.top)
	}
	moves := len(slices.Compact(slices.Clone(tops))) - 1
	if free := m.chat.shown / leap; moves == 0 || moves > 120/free+1 {
		t.Errorf("%d moves for 120 lines with %d lines free at each leap: %v", moves, free, tops)
	}
	at := m.chat.top
	l.add(began, engine.AssistantCompleted{Message: "msg_2"})
	m.Update(eventsMsg{m.o.Session, l.events[len(l.events)-1:]})
	picture(m)
	if m.chat.top != at {
		t.Errorf("the end of the answer moves the pane from %d to %d", at, m.chat.top)
	}
	m.chat.move(-3)
	picture(m)
	if m.chat.top != at-3 {
		t.Errorf("three lines up from %d is %d", at, m.chat.top)
	}
}
