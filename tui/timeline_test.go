package tui

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"agentstudio/engine"
	"agentstudio/engine/words"
)

// twoRuns is a log of two finished runs: one in which two calls go on at once and one of them asks,
// and one that fails.
func twoRuns() *tape {
	l, x := newTape(), plainTexts()
	l.opening(x)
	turn := l.running(x)
	l.add(turn, engine.AssistantCompleted{Message: "msg_2", StopReason: engine.StopToolUse, ToolCalls: 2})
	one := l.add(turn, engine.ToolRequested{Call: "call_1", Tool: "read", Arguments: json.RawMessage(`{"path":"a.md"}`), Policy: engine.Judgement{Verdict: engine.Allow}})
	two := l.add(turn, engine.ToolRequested{Call: "call_2", Tool: "save_report_draft", Arguments: json.RawMessage(`{}`), Policy: engine.Judgement{Verdict: engine.Ask}})
	l.add(one, engine.ToolStarted{Call: "call_1", Tool: "read"})
	asked := l.add(two, engine.ApprovalRequired{Approval: "apr_1", Call: "call_2", Tool: "save_report_draft", Digest: "7f3a91c2aa", ExpiresAt: engine.Instant{Time: l.at.Add(5 * time.Minute)}})
	l.add(one, engine.SkillRequested{Name: x.skill, Path: "a"})
	l.add(asked, engine.ApprovalResolved{Approval: "apr_1", Status: engine.Approved, By: engine.Actor{Name: "Lena"}})
	l.add(one, engine.ToolCompleted{Call: "call_1", Tool: "read", Content: "text", DurationMS: 2})
	l.add(two, engine.ToolFailed{Call: "call_2", Tool: "save_report_draft", Code: engine.ToolFailedCode, Message: "no"})
	l.add(l.began, engine.RunCompleted{Turns: 1})
	l.run = ""
	said := l.add(0, engine.UserMessage{Message: "msg_8", Text: "again", Delivery: "prompt", By: engine.Actor{Name: "Lena"}})
	l.run = "run_2"
	run := l.add(said, engine.RunStarted{Run: "run_2", Budget: engine.DefaultBudget(), Model: x.model})
	t := l.add(run, engine.TurnStarted{Turn: 1, ContextTokens: 100})
	l.add(t, engine.ToolRequested{Call: "call_3", Tool: "read", Arguments: json.RawMessage(`{"path":"b.md"}`), Policy: engine.Judgement{Verdict: engine.Allow}})
	l.add(run, engine.RunFailed{Code: engine.ModelServer, Message: "no"})
	l.run = ""
	return l
}

func wide() setup { return setup{w: 160, h: 45, lang: words.English, theme: "dark"} }

// rowLine is the line of the screen that shows a row of the timeline with this text.
func rowLine(t *testing.T, m *Model, text string) string {
	t.Helper()
	for _, l := range strings.Split(picture(m), "\n") {
		if parts := strings.Split(l, "│"); strings.Contains(parts[len(parts)-1], text) {
			return parts[len(parts)-1]
		}
	}
	t.Fatalf("no row with %q on\n%s", text, picture(m))
	return ""
}

// captions are the rows that the timeline shows.
func captions(m *Model) (all []string) {
	m.timeline.sync(m)
	for _, i := range m.timeline.sieve.shown {
		r := m.state.Timeline[i]
		text := m.rowText(r)
		if run := m.timeline.sieve.inFolded(r); run != nil {
			text = m.rowText(m.state.Timeline[run.end]) + " " + m.times(run)
		}
		all = append(all, string(text))
	}
	return all
}

// Calls that go on at once have letters of their own, in each of their rows; what belongs to no
// call has none.
func TestTimelineLetters(t *testing.T) {
	m := twoRuns().still(wide())
	m.timeline.sync(m)
	got := map[string]string{}
	for _, r := range m.state.Timeline {
		letter, _ := m.timeline.calls.letter(r)
		got[string(r.Run)+" "+string(m.rowText(r))] = letter
	}
	for row, want := range map[string]string{
		"run_1 read a.md": "a", "run_1 started": "a", "run_1 done · 2 ms": "a", "run_1 ads-analysis requested": "a",
		"run_1 save_report_draft · asks": "b", "run_1 approval required": "b", "run_1 approved · Lena": "b", "run_1 failed · TOOL_FAILED": "b",
		"run_2 read b.md": "a", "run_1 run started": "", "run_1 turn 1 · 2.5k tok": "", "run_1 answer ×29": "", "run_1 run completed · 1 turn": "",
	} {
		if letter, ok := got[row]; !ok || letter != want {
			t.Errorf("%q has the letter %q, there: %t", row, letter, ok)
		}
	}
	if l := rowLine(t, m, "approved · Lena"); !strings.Contains(l, " b ") {
		t.Errorf("the row is %q", l)
	}
	for n, want := range map[int]string{0: "a", 25: "z", 26: "aa", 27: "ab", 51: "az", 52: "ba", 701: "zz", 702: "aaa"} {
		if got := letters(n); got != want {
			t.Errorf("%d is %q", n, got)
		}
	}
}

// A run of many calls has letters of two signs, and its rows still fit.
func TestTimelineManyCalls(t *testing.T) {
	l := newTape()
	l.opening(plainTexts())
	turn := l.running(plainTexts())
	for i := range 30 {
		l.add(turn, engine.ToolRequested{Call: engine.CallID(fmt.Sprintf("call_%d", i)), Tool: fmt.Sprintf("tool%d", i)})
	}
	m := l.still(wide())
	checkFits(t, m, 160, 45)
	if row := rowLine(t, m, "tool29"); !strings.Contains(row, " ad ") {
		t.Errorf("%q", row)
	}
	if a, b := rowLine(t, m, "tool29"), rowLine(t, m, "tool3 "); strings.Index(a, "tool") != strings.Index(b, "tool") {
		t.Errorf("the rows are not in line:\n%s\n%s", a, b)
	}
}

// The cursor tells the other panes what its row is about, while the pane has the focus.
func TestTimelineConcerns(t *testing.T) {
	l := twoRuns()
	l.add(0, engine.Notice{Code: "USAGE_UNKNOWN", Message: "no"})
	m := l.still(wide())
	m.timeline.sync(m)
	want := map[string]string{"tool.started": "call_1", "approval.resolved": "call_2", "approval.required": "call_2", "skill.requested": "ads-analysis",
		"assistant": "msg_2", "user.message": "msg_8", "run.failed": "endrun_2", "notice": fmt.Sprintf("notice%d", len(l.events))}
	for n, r := range m.state.Timeline {
		m.timeline.jump(n)
		id, known := want[r.Kind]
		m.focus = onTimeline
		if got := m.timeline.concerns(m); known && got != id && r.About != "msg_1" {
			t.Errorf("%s concerns %q, not %q", r.Kind, got, id)
		}
		m.focus = onComposer
		if got := m.timeline.concerns(m); got != "" {
			t.Errorf("%s concerns %q without the focus", r.Kind, got)
		}
	}
}

// What is selected in the chat is marked in the timeline.
func TestTimelineMarksTheChat(t *testing.T) {
	m := twoRuns().still(wide())
	m.focus = onChat
	m.View()
	for range 20 {
		m.Update(tea.KeyPressMsg{Code: tea.KeyUp})
		m.View()
		id := m.chat.selected(m)
		for _, r := range m.state.Timeline {
			row := rowLine(t, m, fmt.Sprintf("%4d ", r.Seq)[1:])
			if got := strings.Contains(row, m.theme.Bar); got != (id != "" && subject(r) == id) {
				t.Fatalf("%q is selected; the row of %s is %q", id, subject(r), row)
			}
		}
	}
}

// A click takes the row, a second one looks into it.
func TestTimelineClick(t *testing.T) {
	s := play(t, wide(), twoRuns())
	click := func(row int) { s.Type(fmt.Sprintf("\x1b[<0;130;%dM\x1b[<0;130;%dm", row, row)) }
	click(5) // header, line, title, kinds, and the first row
	s.on(func(m *Model) {
		if r, _ := m.timeline.at(m); r.Seq != 1 || m.focus != onTimeline || m.top() != nil {
			t.Errorf("the click went to %d", r.Seq)
		}
	})
	click(6)
	s.on(func(m *Model) {
		if r, _ := m.timeline.at(m); r.Seq != 2 || m.top() != nil {
			t.Errorf("the click went to %d", r.Seq)
		}
	})
	click(6)
	s.Shows("#2", "catalog.loaded")
	s.Press("esc")
	click(4)
	click(40)
	s.on(func(m *Model) {
		if r, _ := m.timeline.at(m); r.Seq != 2 || m.top() != nil {
			t.Errorf("a click beside the rows went to %d", r.Seq)
		}
	})
}

// Few colours and ASCII: what is chosen and what goes on is said by signs.
func TestTimelineWithoutColour(t *testing.T) {
	s := play(t, setup{w: 160, h: 45, lang: words.English, theme: "dark", ascii: true, colours: colorprofile.ASCII}, twoRuns())
	s.Press("tab")
	s.Shows("[all] model tools skills approvals")
	s.Resize(120, 40)
	s.Shows("[all] model tools skills approvals")
	s.Type("3")
	s.Shows("all model [tools] skills approvals", "6 of 22", "> ")
	s.Press("enter")
	s.Shows("tool.requested", "caused by", "effects", "none")
	s.on(func(m *Model) {
		for _, r := range picture(m) {
			if r > 127 {
				t.Errorf("%q on the screen", r)
			}
		}
	})
}

// Whatever is filtered and whatever the size, the picture fits.
func TestSweepOfTimeline(t *testing.T) {
	for _, lang := range words.Languages() {
		m := twoRuns().still(setup{w: 80, h: 24, lang: lang, theme: "projector"})
		m.focus = onTimeline
		for n, what := range []func(){func() {}, func() { m.Update(press('3')) }, func() { m.Update(press('z')) }, func() { m.Update(press('e')) },
			func() {
				m.Update(press('/'))
				m.Update(tea.PasteMsg{Content: strings.Repeat("中文e\u0301\x1b[31m", 30)})
			}} {
			what()
			for w := 1; w <= 170; w += 7 {
				for _, h := range []int{1, 12, 13, 24} {
					m.Update(tea.WindowSizeMsg{Width: w, Height: h})
					checkFits(failing{t, fmt.Sprintf("%s step %d: ", lang, n)}, m, w, h)
				}
			}
		}
	}
}
