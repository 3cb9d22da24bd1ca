package tui

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"agentstudio/engine"
	"agentstudio/engine/words"
)

// inspected is the inspector of a tape at an event, with all that it asks for fetched.
func inspected(l *tape, set setup, seq engine.Seq) (*Model, *inspector) {
	m := l.still(set)
	m.focus = onTimeline
	m.View()
	finish(m, m.inspect(seq))
	return m, m.top().(*inspector)
}

// finish does what a command asks for until there is nothing more.
func finish(m *Model, cmd tea.Cmd) {
	for cmd != nil {
		_, cmd = m.Update(cmd())
	}
}

func TestInspector(t *testing.T) {
	l := twoRuns()
	s := play(t, wide(), l)
	s.Press("tab")
	s.Type("5")
	s.Press("up")
	s.Press("enter")
	asked, resolved := seqOf(l, "approval.required"), seqOf(l, "approval.resolved")
	s.Shows(fmt.Sprintf("#%d  approval.required", asked), "approval required", "200 ms after its cause", "caused by", "save_report_draft · asks",
		"effects", fmt.Sprintf("#%d ✓ approved · Lena", resolved), `"digest": "7f3a91c2aa"`, "Backspace back", "c copy")
	s.Press("down")
	s.Press("enter")
	s.Shows("approval.resolved", `"status": "approved"`, "none")
	s.on(func(m *Model) {
		if r, _ := m.timeline.at(m); r.Seq != resolved {
			t.Errorf("the timeline is at %d", r.Seq)
		}
	})
	s.Press("backspace")
	s.Shows("approval.required", `"digest": "7f3a91c2aa"`)
	s.Press("enter") // its cause
	s.Shows("tool.requested", `"toolName": "save_report_draft"`)
	s.Press("esc")
	s.Lacks("tool.requested")
	s.on(func(m *Model) {
		if m.top() != nil {
			t.Error("it is still open")
		}
	})
}

func seqOf(l *tape, kind string) engine.Seq {
	for _, e := range l.events {
		if e.Kind() == kind {
			return e.Seq
		}
	}
	return 0
}

// A row of many events opens at its first one, and the arrows go through them.
func TestInspectorOfManyEvents(t *testing.T) {
	l := twoRuns()
	m, i := inspected(l, wide(), seqOf(l, "assistant.started"))
	last := seqOf(l, "assistant.completed")
	if text := picture(m); !strings.Contains(text, fmt.Sprintf("event 1 of %d", last-i.seq+1)) || !strings.Contains(text, "assistant.started") {
		t.Errorf("\n%s", text)
	}
	finish(m, i.key(m, tea.KeyPressMsg{Code: tea.KeyRight}))
	if text := picture(m); !strings.Contains(text, "reasoning.delta") || !strings.Contains(text, "event 1 of 5") {
		t.Errorf("\n%s", text)
	}
	for i.seq < last {
		finish(m, i.key(m, tea.KeyPressMsg{Code: tea.KeyRight}))
	}
	if text := picture(m); !strings.Contains(text, "assistant.completed") || !strings.Contains(text, "answer ×29") {
		t.Errorf("\n%s", text)
	}
	finish(m, i.key(m, tea.KeyPressMsg{Code: tea.KeyLeft}))
	if text := picture(m); !strings.Contains(text, "assistant.delta") {
		t.Errorf("\n%s", text)
	}
	for range 3 { // the ends of the log
		finish(m, i.step(m, 0))
		finish(m, i.step(m, m.state.Seq+1))
	}
	if i.seq != last-1 {
		t.Errorf("it went to %d", i.seq)
	}
}

// What a row has caused is listed also when it comes while the inspector is open.
func TestInspectorSeesNewEffects(t *testing.T) {
	l := twoRuns()
	all := l.events
	asked := seqOf(l, "approval.required")
	l.events = all[:asked]
	m, i := inspected(l, wide(), asked)
	if text := picture(m); !strings.Contains(text, "none") {
		t.Errorf("\n%s", text)
	}
	m.Update(eventsMsg{m.o.Session, all[asked:]})
	if text := picture(m); !strings.Contains(text, "approved · Lena") || strings.Contains(text, "none") || len(i.links) != 2 {
		t.Errorf("%v\n%s", i.links, text)
	}
}

// Long JSON scrolls by pages and by the wheel, to its end and no further; no letter is lost.
func TestInspectorScrolls(t *testing.T) {
	l := newTape()
	l.opening(plainTexts())
	long := strings.Repeat("0123456789中文", 600)
	seq := l.add(0, engine.Notice{Code: "USAGE_UNKNOWN", Message: long})
	m, i := inspected(l, setup{w: 100, h: 30, lang: words.English, theme: "dark"}, seq)
	if text := picture(m); !strings.Contains(text, "1–") || !strings.Contains(text, `"eventId"`) {
		t.Errorf("\n%s", text)
	}
	joined := ""
	for _, line := range i.lines {
		joined += strings.TrimSpace(string(line))
	}
	if !strings.Contains(joined, long) {
		t.Error("the text isn't whole")
	}
	for range 30 {
		m.Update(tea.KeyPressMsg{Code: tea.KeyPgDown})
		checkFits(t, m, 100, 30)
	}
	end := i.top
	m.Update(tea.MouseWheelMsg{Button: tea.MouseWheelDown})
	m.View()
	if i.top != end || end != len(i.lines)-i.rooms.text {
		t.Errorf("it scrolled from %d to %d of %d", end, i.top, len(i.lines))
	}
	m.Update(tea.KeyPressMsg{Code: tea.KeyHome})
	if m.View(); i.top != 0 {
		t.Errorf("it is at %d", i.top)
	}
}

// c puts the JSON, whole, on the clipboard.
func TestInspectorCopies(t *testing.T) {
	l := twoRuns()
	m, i := inspected(l, wide(), 1)
	if cmd := i.key(m, press('c')); cmd == nil || !strings.HasPrefix(i.json, "{\n  \"eventId\": \"evt_1\"") {
		t.Errorf("nothing to copy: %q", i.json)
	}
	if m.flash == "" {
		t.Error("it doesn't say so")
	}
}

// A click on a cause or an effect goes there.
func TestInspectorClick(t *testing.T) {
	l := twoRuns()
	m, i := inspected(l, wide(), seqOf(l, "approval.required"))
	m.View()
	finish(m, i.click(m, 3, i.rooms.linksAt+1))
	if i.seq != seqOf(l, "approval.resolved") {
		t.Errorf("it went to %d", i.seq)
	}
	m.View()
	for _, y := range []int{-5, 0, i.rooms.linksAt + i.rooms.links, 1000} {
		finish(m, i.click(m, 3, y))
	}
	if i.seq != seqOf(l, "approval.resolved") {
		t.Errorf("a click beside the links went to %d", i.seq)
	}
}

// An event that the log has lost is said to be missing.
func TestInspectorOfAMissingEvent(t *testing.T) {
	l := newTape()
	l.opening(plainTexts())
	l.add(0, engine.JournalDamage{From: 4, To: 6, Reason: "torn"})
	l.events[3].Seq = 6
	for range 5 {
		l.add(0, engine.Notice{Code: "USAGE_UNKNOWN", Message: "no"})
		l.events[len(l.events)-1].Seq += 2
	}
	m, i := inspected(l, wide(), 3)
	finish(m, i.step(m, 4))
	if text := picture(m); i.event != nil || !strings.Contains(text, "the event 4 is not in the log any more") {
		t.Errorf("\n%s", text)
	}
}

// Hostile texts do nothing in the inspector either, and every size fits.
func TestSweepOfInspector(t *testing.T) {
	for n, v := range vectors(t) {
		l := story("denied", hostile(v))
		for _, seq := range []engine.Seq{2, 4, seqOf(l, "tool.requested"), seqOf(l, "approval.required"), seqOf(l, "tool.denied")} {
			m, _ := inspected(l, setup{w: 120, h: 40, lang: words.English, theme: "dark"}, seq)
			checkContent(t, fmt.Sprintf("%q at %d", v, seq), m)
			if n%10 > 0 {
				continue
			}
			for w := 1; w <= 160; w += 13 {
				for _, h := range []int{1, 12, 13, 17, 24, 45} {
					m.Update(tea.WindowSizeMsg{Width: w, Height: h})
					checkFits(t, m, w, h)
				}
			}
		}
	}
}
