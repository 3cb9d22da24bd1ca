package tui

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"agentstudio/engine"
	"agentstudio/engine/view"
	"agentstudio/engine/words"
)

// shelf is a tape whose files can be read.
type shelf struct {
	*tape
	files map[engine.Ref]string
}

func (s *shelf) Read(_ context.Context, ref engine.Ref) (io.ReadCloser, error) {
	text, ok := s.files[ref]
	if !ok {
		return nil, engine.Errorf(engine.RefNotFound, "there is no such file")
	}
	return io.NopCloser(strings.NewReader(text)), nil
}

// withFiles gives the screen's tape files.
func (s *screen) withFiles(files map[engine.Ref]string) {
	l := s.shown.(*tape)
	s.on(func(m *Model) { m.o.Session = &shelf{l, files} })
}

// talk is a tape with calls: a search of many lines, a failure, a report that was saved.
func talk() *tape {
	x := plainTexts()
	l := newTape()
	l.opening(x)
	turn := l.running(x)
	l.add(turn, engine.AssistantCompleted{Message: "msg_2", StopReason: engine.StopToolUse, ToolCalls: 3})
	ask := func(id engine.CallID, tool string, args map[string]any) engine.Seq {
		raw, _ := json.Marshal(args)
		r := l.add(turn, engine.ToolRequested{Call: id, Tool: tool, Arguments: raw, Policy: engine.Judgement{Verdict: engine.Allow, Rule: "allow " + tool, Source: "built in"}})
		return l.add(r, engine.ToolStarted{Call: id, Tool: tool})
	}
	var found strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&found, "file-%04d.txt: a line with needle %d\n", i, i)
	}
	r := ask("call_g", "grep", map[string]any{"pattern": "needle", "context": map[string]int{"before": 2}, "note": "first\nsecond"})
	l.add(r, engine.ToolCompleted{Call: "call_g", Tool: "grep", Content: found.String(), DurationMS: 12})
	r = ask("call_f", "read", map[string]any{"path": "skill:ads-analysis/SKILL.md"})
	l.add(r, engine.ToolFailed{Call: "call_f", Tool: "read", Code: engine.PathNotFound, Message: strings.Repeat("there is no such file, and that is a long story ", 20) + "whose end is here"})
	r = ask("call_r", "save_report_draft", map[string]any{"title": "Account report", "body": "ROAS is **2.33**.\n\n## Campaigns\n\n- one\n- two\n- three\n- four\n\n```sql\nselect 1\n```\n\nThe last words."})
	l.add(r, engine.ToolCompleted{Call: "call_r", Tool: "save_report_draft", Content: "Saved report.md", DurationMS: 3})
	l.add(r, engine.ArtifactReady{Artifact: engine.Artifact{ID: "art_1", Name: "report.md", MIME: "text/markdown; charset=utf-8", Bytes: 2100}})
	t := l.add(l.began, engine.TurnStarted{Turn: 2})
	l.add(t, engine.AssistantStarted{Message: "msg_3"})
	l.add(t, engine.AssistantDelta{Message: "msg_3", Delta: "All done: see the report.\n\n```go\nfirst := 1\n```\n\nand\n\n```go\nsecond := 2\n```\n"})
	l.add(t, engine.AssistantCompleted{Message: "msg_3", StopReason: engine.StopEnd})
	l.add(l.began, engine.RunCompleted{Turns: 2})
	l.run = ""
	return l
}

// messages is a screen with the focus on the messages.
func messages(t *testing.T, set setup, l *tape) *screen {
	t.Helper()
	if set.lang == "" {
		set.lang = words.English
	}
	set.theme = "dark"
	s := play(t, set, l)
	s.on(func(m *Model) { m.o.Clipboard = func(string) error { return nil } })
	s.Press("shift+tab")
	return s
}

func (s *screen) chosen() (id string) {
	s.t.Helper()
	s.on(func(m *Model) { id = m.chat.selected(m) })
	return id
}

func TestMessagesAreChosen(t *testing.T) {
	s := messages(t, setup{w: 160, h: 45}, talk())
	for _, step := range []struct{ key, want string }{
		{"", "msg_3"}, {"down", "msg_3"}, {"up", "call_r"}, {"up", "call_f"}, {"up", "call_g"}, {"up", "msg_2"}, {"home", "msg_1"}, {"up", "msg_1"},
		{"down", "msg_2"}, {"end", "msg_3"},
	} {
		if step.key != "" {
			s.Press(step.key)
		}
		if got := s.chosen(); got != step.want {
			t.Fatalf("after %q %s is chosen, not %s", step.key, got, step.want)
		}
	}
	s.Shows("▌All done")
	s.Press("up")
	s.Shows("▌✓ save_report_draft")
	s.Lacks("▌All done")
	s.Press("tab")
	s.Lacks("▌✓ save_report_draft")
	if got := s.chosen(); got != "" {
		t.Fatalf("%s is chosen without the focus", got)
	}
}

// Without colours, and in ASCII, the mark is a sign.
func TestTheChosenMessageWithoutColours(t *testing.T) {
	s := messages(t, setup{w: 120, h: 40, colours: colorprofile.ASCII}, talk())
	s.Shows("▌All done")
	a := messages(t, setup{w: 120, h: 40, ascii: true}, talk())
	a.Shows("|All done")
}

// A message taller than the view is scrolled through before the next one is chosen, and the newest
// one stays chosen while others come.
func TestATallMessageIsScrolledThrough(t *testing.T) {
	l := talk()
	began := l.add(0, engine.AssistantStarted{Message: "msg_9"})
	l.add(began, engine.AssistantDelta{Message: "msg_9", Delta: strings.Repeat("- a line of many\n", 100) + "- the end of it\n"})
	seq := l.add(began, engine.AssistantCompleted{Message: "msg_9"})
	s := messages(t, setup{w: 100, h: 30}, l)
	s.Shows("the end of it")
	var top int
	s.on(func(m *Model) { top = m.chat.top })
	s.Press("up")
	s.on(func(m *Model) {
		if m.chat.top != top-within || m.chat.selected(m) != "msg_9" {
			t.Errorf("from line %d to %d, %s chosen", top, m.chat.top, m.chat.selected(m))
		}
	})
	for range 40 {
		s.Press("up")
	}
	if got := s.chosen(); got == "msg_9" {
		t.Error("the message before is never come to")
	}
	s.Press("end")
	s.program.Send(eventsMsg{l, []engine.Event{{Seq: seq + 1, At: l.at, Payload: engine.UserMessage{Message: "msg_10", Text: "and one more", Delivery: "prompt"}}}})
	s.Shows("and one more")
	if got := s.chosen(); got != "msg_10" {
		t.Errorf("%s is chosen", got)
	}
}

// What was scrolled away from is not jumped back to: the nearest in view is chosen.
func TestTheChoiceFollowsTheView(t *testing.T) {
	l := talk()
	for i := range 40 {
		l.add(0, engine.UserMessage{Message: engine.MessageID(fmt.Sprintf("more_%02d", i)), Text: fmt.Sprintf("message %02d", i), Delivery: "prompt"})
	}
	s := messages(t, setup{w: 100, h: 30}, l)
	s.Press("pgup")
	s.Press("pgup")
	s.Press("up")
	s.on(func(m *Model) {
		n := m.chat.chosen()
		top, end := m.chat.span(n)
		if top < m.chat.top || end > m.chat.top+m.chat.shown || m.chat.follow {
			t.Errorf("lines %d to %d are chosen, %d and %d more in view", top, end, m.chat.top, m.chat.shown)
		}
	})
}

func TestCardsUnfold(t *testing.T) {
	s := messages(t, setup{w: 160, h: 60}, talk())
	s.Press("up")
	s.Press("up")
	s.Lacks("whose end is here")
	s.Press("enter") // the failed one: its error whole
	s.Shows("whose end is here", "path skill:ads-analysis/SKILL.md")
	s.Press("enter")
	s.Lacks("whose end is here")
	s.Press("up")
	s.Press("enter")
	s.Shows("pattern needle", `"before": 2`, "first", "second", "file-0019.txt", "more · o opens the whole")
	s.Lacks("file-0020.txt")
	s.Press("enter")
	s.Lacks(`"before": 2`)
}

// A saved report is shown as it reads: its head on the card, all of it unfolded and in the viewer.
func TestAReportIsPreviewed(t *testing.T) {
	s := messages(t, setup{w: 160, h: 60}, talk())
	s.Shows("Account report", "ROAS is 2.33.", "more lines · o opens the whole")
	s.Lacks("The last words.")
	s.Press("up")
	s.Press("enter")
	s.Shows("The last words.")
	s.Press("enter")
	s.Lacks("The last words.")
	s.Type("o")
	s.Shows("The last words.", "Esc closes")
	s.Press("esc")
	s.Lacks("Esc closes")
}

// The State holds the first 4 KiB of a result; the rest comes from the log.
func TestTheWholeResultIsOpened(t *testing.T) {
	s := messages(t, setup{w: 160, h: 45}, talk())
	for range 3 {
		s.Press("up")
	}
	s.Type("o")
	s.Shows("ARGUMENTS", "pattern: needle", "of 2012 lines")
	s.Press("end")
	s.Shows("file-1999.txt", "2012 of 2012 lines")
}

func TestAMessageIsOpened(t *testing.T) {
	s := messages(t, setup{w: 160, h: 45}, talk())
	s.Press("enter")
	s.Shows("Agent · ", "1–", "Esc closes")
	s.Press("esc")
	s.Press("home")
	s.Press("enter")
	s.Shows("Lena · 10:02")
	s.Press("enter")
	s.Lacks("Esc closes")
}

// A click chooses a message, the second one on the same unfolds it.
func TestClicksOnMessages(t *testing.T) {
	s := play(t, setup{w: 160, h: 60, lang: words.English, theme: "dark"}, talk())
	s.Shows("All done")
	var x, y int
	s.on(func(m *Model) {
		_, c, _ := m.areas()
		m.chat.measure(m, m.chat.w)
		top, _ := m.chat.span(m.chat.index["call_g"].place(m))
		x, y = c.x+5, c.y+sideRows+top-m.chat.top
	})
	click := func() { s.program.Send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft}) }
	click()
	s.Shows("▌✓ grep")
	s.on(func(m *Model) {
		if m.chat.selected(m) != "call_g" || m.chat.index["call_g"].open {
			t.Errorf("%s is chosen", m.chat.selected(m))
		}
	})
	click()
	s.Shows(`"before": 2`)
	click()
	s.Lacks(`"before": 2`)
}

// place is where an item stands.
func (i *item) place(m *Model) int {
	for n, k := range m.chat.items {
		if k == i {
			return n
		}
	}
	return -1
}

// What the cursor of the timeline is on is marked in the messages and among the skills; a chosen
// call marks its tool.
func TestWhatIsConcernedIsMarked(t *testing.T) {
	s := play(t, setup{w: 160, h: 60, lang: words.English, theme: "dark"}, talk())
	s.Press("tab") // the timeline
	s.Press("up")
	for range 60 { // to a row of the call
		var on string
		s.on(func(m *Model) { on = m.timeline.concerns(m) })
		if on == "call_f" {
			break
		}
		s.Press("up")
	}
	s.Shows("▌✗ read", "▌◦ ads-analysis")
	s.on(func(m *Model) {
		if m.skills.at.tool != "read" || m.skills.at.skill != "ads-analysis" {
			t.Errorf("marked %+v", m.skills.at)
		}
	})
	s.Press("shift+tab") // the text field
	s.Lacks("▌✗ read")
	s.Lacks("▌◦ ads-analysis")
}

// The keys of the messages are no letters of the draft, and all other letters are.
func TestLettersInTheMessages(t *testing.T) {
	s := messages(t, setup{w: 160, h: 45}, talk())
	s.Type("c")
	s.Shows("copied")
	if d := s.Draft(); d != "" {
		t.Fatalf("the draft is %q", d)
	}
	s.Type("n") // nothing is searched
	if d := s.Draft(); d != "n" {
		t.Fatalf("the draft is %q", d)
	}
}

// Hostile texts and the smallest panes: no line is wider than the pane, whatever is open.
func TestSweepOfOpenThings(t *testing.T) {
	for _, v := range []string{"\x1b]0;x\a\x1b[2J", "中文字符\t，标点", strings.Repeat("x", 5000), "\u202eevil\u2066", "e" + strings.Repeat("\u0301", 200), "👩‍👩‍👧‍👦\r\n", ""} {
		for _, size := range [][2]int{{160, 45}, {80, 24}, {60, 20}, {40, 12}, {20, 5}, {1, 1}} {
			for _, ascii := range []bool{false, true} {
				m := story("failed", all(v)).still(setup{w: size[0], h: size[1], lang: words.Chinese, theme: "dark", ascii: ascii})
				checks := func(about string) {
					t.Helper()
					checkFits(failing{t, fmt.Sprintf("%q %v %s: ", v, size, about)}, m, size[0], size[1])
					checkContent(t, fmt.Sprintf("%q %v %s", v, size, about), m)
				}
				m.focus = onChat
				checks("chosen")
				for n := range m.chat.items {
					m.chat.sel = n + 1
					m.enterMessage()
					checks("open")
					m.overlays = nil
				}
				m.beginFind()
				m.chat.pasted(m, v+"文")
				checks("search")
				c := view.Call{Tool: v, Arguments: json.RawMessage(`{"` + "a" + `":[1,{"b":2}]}`), Content: v, Bytes: len(v) + 9, Error: v}
				m.cover(&viewer{title: v, head: argumentText(&c), text: v, note: v, md: true})
				m.top().(*viewer).find.begin()
				m.top().(*viewer).paste(m, "e")
				checks("viewer")
				for _, l := range m.openCard(view.Message{Kind: view.OfTool, State: view.Done, Call: &c}, max(size[0]/2, 1)) {
					if strings.ContainsAny(stripped(l), "\x1b\a\r\n") {
						t.Errorf("%q: a card's line is %q", v, l)
					}
				}
			}
		}
	}
}
