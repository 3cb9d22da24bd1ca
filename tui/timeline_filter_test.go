package tui

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"pgregory.net/rapid"

	"agentstudio/engine"
	"agentstudio/engine/view"
	"agentstudio/engine/words"
)

func TestTimelineKinds(t *testing.T) {
	s := play(t, wide(), twoRuns())
	s.Shows("all model tools skills approvals")
	s.Press("shift+tab") // messages
	s.Press("shift+tab") // skills
	s.Press("shift+tab") // timeline
	s.Shows("/ filter", "e errors", "z fold", "Enter inspect")
	for _, c := range []struct {
		key  string
		want []string
	}{
		{"5", []string{"approval required", "approved · Lena"}},
		{"4", []string{"4 skills, 1 broken · 3 tools", "ads-analysis requested"}},
		{"3", []string{"read a.md", "save_report_draft · asks", "started", "done · 2 ms", "failed · TOOL_FAILED", "read b.md"}},
		{"2", []string{"model demo-script", "turn 1 · 2.5k tok", "answer ×29", "reasoning ×5", "turn 1 · 100 tok"}},
	} {
		s.Type(c.key)
		s.Shows(fmt.Sprintf("%d of 22", len(c.want)), "Esc show all")
		s.on(func(m *Model) {
			if got := captions(m); !slices.Equal(got, c.want) {
				t.Errorf("key %s shows %q", c.key, got)
			}
		})
	}
	s.Type("1")
	s.Lacks("of 22")
	s.Type("e")
	s.Shows("2 of 22", "errors")
	s.on(func(m *Model) {
		if got := captions(m); !slices.Equal(got, []string{"failed · TOOL_FAILED", "run failed · MODEL_SERVER"}) {
			t.Errorf("e shows %q", got)
		}
	})
	s.Type("5")
	s.Shows("0 of 22", "No row is like that")
	s.Press("esc")
	s.Lacks("of 22")
	if d := s.Draft(); d != "" {
		t.Errorf("the keys reached the draft: %q", d)
	}
}

// The cursor stays on its event through filters, and at its place on the screen.
func TestTimelineCursorStays(t *testing.T) {
	m := twoRuns().still(wide())
	m.focus = onTimeline
	m.View()
	m.timeline.jump(9)
	m.View()
	at, _ := m.timeline.at(m)
	if at.Kind != "tool.requested" {
		t.Fatalf("the cursor is on %s", at.Kind)
	}
	for _, c := range []struct{ key, kind string }{{"3", "tool.requested"}, {"5", "approval.required"}, {"1", "tool.requested"}, {"2", "reasoning"}, {"1", "tool.requested"}} {
		m.Update(press(rune(c.key[0])))
		m.View()
		if now, _ := m.timeline.at(m); now.Kind != c.kind {
			t.Errorf("after %s the cursor is on %d %s", c.key, now.Seq, now.Kind)
		}
		if m.timeline.follow {
			t.Errorf("after %s it follows", c.key)
		}
	}
	if now, _ := m.timeline.at(m); now.Seq != at.Seq {
		t.Errorf("the cursor is on %d, not %d", now.Seq, at.Seq)
	}
}

// What is typed filters at once, never decides, and never reaches the draft.
func TestTimelineTextFilter(t *testing.T) {
	x := plainTexts()
	for _, pending := range []bool{false, true} {
		l := twoRuns()
		if pending {
			l = story("approval", x)
		}
		s := play(t, wide(), l)
		s.Press("tab")
		s.Type("/")
		s.Shows("Enter keep", "Esc clear")
		s.Type("SAVE")
		s.Shows("/ SAVE", "save_report_draft")
		s.on(func(m *Model) {
			for _, c := range captions(m) {
				if !strings.Contains(c, "save") {
					t.Errorf("%q is shown", c)
				}
			}
		})
		s.Press("backspace")
		s.Shows("/ SAV")
		s.Type("\x15ynyndze15/")
		s.Shows("/ ynyndze15/", "No row is like that")
		s.Type("\x15\x1b[200~Lo\x1b[31maded\x1b[201~")
		s.Type("\x15read")
		s.Press("enter")
		s.Shows("“read”", "Esc show all")
		s.Press("esc")
		s.Lacks("“read”")
		s.Type("/")
		s.Type("zz")
		s.Shows("No row is like that")
		s.Press("esc")
		s.Lacks("No row is like that")
		if d := s.Draft(); d != "" {
			t.Errorf("the draft holds %q", d)
		}
		s.on(func(m *Model) {
			if m.panel.open(m) != pending || m.panel.sent || m.panel.asking {
				t.Error("a letter has touched the question")
			}
		})
	}
}

// A question that opens while the filter is typed is not decided by its letters.
func TestTimelineFilterWhileAsked(t *testing.T) {
	ready := make(chan struct{})
	s := stage(t, setup{w: 160, h: 45, cfg: withTools(&saver{preview: "the text"})}, waits(ready, calls("save", `{}`)), says("done"))
	s.Type("go\r")
	s.Shows("running")
	s.Press("tab")
	s.Type("/")
	s.Type("y")
	close(ready)
	s.Shows("APPROVAL")
	s.now.advance(2 * time.Second)
	s.Type("ynynyn")
	s.Shows("/ yynynyn")
	if n := s.decisions(); n != 0 {
		t.Errorf("%d decisions", n)
	}
	s.Press("ctrl+y")
	s.Shows("done")
	if d := s.Draft(); d != "" {
		t.Errorf("the draft holds %q", d)
	}
}

func TestTimelineFold(t *testing.T) {
	s := play(t, wide(), twoRuns())
	s.Press("tab")
	s.Type("z")
	s.Shows("run completed · 1 turn ×13", "run failed · MODEL_SERV… ×4", "7 of 22", "runs folded")
	s.Lacks("turn 1 done")
	s.on(func(m *Model) {
		want := []string{"session started", "4 skills, 1 broken · 3 tools", "model demo-script", "you: Use the ads-analysis skill to look at demo-account over the last 7 days.",
			"run completed · 1 turn ×13", "you: again", "run failed · MODEL_SERVER ×4"}
		if got := captions(m); !slices.Equal(got, want) {
			t.Errorf("%q", got)
		}
	})
	s.Type("e") // a folded run that failed is an error
	s.Shows("1 of 22")
	s.Type("e")
	s.Type("z")
	s.Lacks("runs folded")
	s.Shows("read b.md")
}

// A run that ends while runs are folded becomes one row.
func TestTimelineFoldsAtTheEnd(t *testing.T) {
	l := twoRuns()
	all := l.events
	l.events = all[:len(all)-1]
	m := l.still(wide())
	m.focus = onTimeline
	m.Update(press('z'))
	if got := captions(m); len(got) != 9 {
		t.Errorf("an open run is folded: %q", got)
	}
	m.Update(eventsMsg{m.o.Session, all[len(all)-1:]})
	if got := captions(m); len(got) != 7 || got[6] != "run failed · MODEL_SERVER ×4" {
		t.Errorf("the ended run: %q", got)
	}
}

// New rows that are held back are not counted as new below.
func TestTimelineNews(t *testing.T) {
	l := twoRuns()
	m := l.still(wide())
	m.focus = onTimeline
	m.Update(press('5'))
	m.View()
	m.Update(tea.KeyPressMsg{Code: tea.KeyUp})
	if m.timeline.follow {
		t.Fatal("it follows")
	}
	seq := m.state.Seq
	for range 3 {
		seq++
		m.Update(eventsMsg{m.o.Session, []engine.Event{{Seq: seq, At: l.at, Payload: engine.Notice{Code: "USAGE_UNKNOWN"}}}})
	}
	m.Update(eventsMsg{m.o.Session, []engine.Event{{Seq: seq + 1, At: l.at, Payload: engine.ApprovalExtended{Approval: "apr_1"}}}})
	if text := picture(m); !strings.Contains(text, "1 new") || !strings.Contains(text, "3 of 26") {
		t.Errorf("\n%s", text)
	}
	m.Update(tea.KeyPressMsg{Code: tea.KeyEnd})
	if text := picture(m); !m.timeline.follow || !strings.Contains(text, "following") {
		t.Errorf("\n%s", text)
	}
}

// Looking at the events one by one shows the same rows as looking at all of them at once.
func TestTimelineFiltersAsAnew(t *testing.T) {
	kinds := []func(*tape, engine.Seq, int){
		func(l *tape, c engine.Seq, n int) { l.add(c, engine.Notice{Code: "USAGE_UNKNOWN", Message: "x"}) },
		func(l *tape, c engine.Seq, n int) {
			l.run = engine.RunID(fmt.Sprintf("run_%d", n%3))
			l.add(c, engine.RunStarted{Run: l.run})
		},
		func(l *tape, c engine.Seq, n int) { l.add(c, engine.RunCompleted{Turns: n}) },
		func(l *tape, c engine.Seq, n int) { l.add(c, engine.RunFailed{Code: engine.ModelServer}) },
		func(l *tape, c engine.Seq, n int) { l.run = "" },
		func(l *tape, c engine.Seq, n int) { l.add(c, engine.TurnStarted{Turn: n}) },
		func(l *tape, c engine.Seq, n int) { l.add(c, engine.AssistantStarted{Message: msgOf(n)}) },
		func(l *tape, c engine.Seq, n int) { l.add(c, engine.AssistantDelta{Message: msgOf(n), Delta: "d"}) },
		func(l *tape, c engine.Seq, n int) { l.add(c, engine.ReasoningDelta{Message: msgOf(n), Delta: "d"}) },
		func(l *tape, c engine.Seq, n int) {
			l.add(c, engine.AssistantCompleted{Message: msgOf(n), Interrupted: n%2 == 0})
		},
		func(l *tape, c engine.Seq, n int) { l.add(c, engine.ToolRequested{Call: "c", Tool: "read"}) },
		func(l *tape, c engine.Seq, n int) {
			l.add(c, engine.ToolFailed{Call: "c", Code: engine.ToolFailedCode})
		},
		func(l *tape, c engine.Seq, n int) { l.add(c, engine.ApprovalResolved{Status: engine.Denied}) },
		func(l *tape, c engine.Seq, n int) { l.add(c, engine.SkillLoaded{Name: "s"}) },
	}
	rapid.Check(t, func(t *rapid.T) {
		l := newTape()
		for range rapid.IntRange(0, 60).Draw(t, "events") {
			rapid.SampledFrom(kinds).Draw(t, "kind")(l, engine.Seq(rapid.IntRange(0, len(l.events)).Draw(t, "cause")), rapid.IntRange(0, 5).Draw(t, "n"))
		}
		m := New(t.Context(), Options{Session: l, Lang: words.English, Theme: "dark"})
		p := &m.timeline
		for rest := l.events; len(rest) > 0 || rapid.Bool().Draw(t, "more"); {
			n := rapid.IntRange(0, min(len(rest), 5)).Draw(t, "batch")
			m.apply(rest[:n])
			rest = rest[n:]
			switch rapid.IntRange(0, 9).Draw(t, "then") {
			case 0:
				foldRuns(m)
			case 1:
				m.want(func(w *wanted) { w.kind = rowKind(rapid.IntRange(0, int(rowKinds)-1).Draw(t, "kind")) })
			case 2:
				m.want(func(w *wanted) { w.bad = !w.bad })
			case 3:
				m.want(func(w *wanted) {
					w.text = rapid.SampledFrom([]string{"", "1", "×2", "RUN", "answer", "×", "zz"}).Draw(t, "text")
				})
			case 4:
				p.move(rapid.IntRange(-9, 9).Draw(t, "by"))
			}
			p.sync(m)
			anew := sieve{wanted: p.sieve.wanted, folded: p.sieve.folded}
			anew.take(m)
			if !slices.Equal(p.sieve.shown, anew.shown) {
				t.Fatalf("shown %v, anew %v of %v", p.sieve.shown, anew.shown, m.state.Timeline)
			}
			if n := len(p.sieve.shown); p.cursor < 0 || n > 0 && p.cursor >= n || p.follow && n > 0 && p.cursor != n-1 {
				t.Fatalf("the cursor is at %d of %d, following: %t", p.cursor, n, p.follow)
			}
		}
	})
}

func msgOf(n int) engine.MessageID { return engine.MessageID(fmt.Sprintf("m%d", n%2)) }

// rowsOf is a log with so many rows.
func rowsOf(n int) *tape {
	l := newTape()
	l.opening(plainTexts())
	turn := l.running(plainTexts())
	for i := 0; len(l.events) < n; i++ {
		call := l.add(turn, engine.ToolRequested{Call: engine.CallID(fmt.Sprintf("call_%d", i)), Tool: "read", Arguments: json.RawMessage(`{"path":"a.md"}`)})
		l.add(call, engine.ToolCompleted{Call: engine.CallID(fmt.Sprintf("call_%d", i)), Tool: "read", DurationMS: 2})
	}
	return l
}

// One event more looks at one row, however many there are.
func TestTimelineLooksAtNewRowsOnly(t *testing.T) {
	cost := func(n int) float64 {
		m := rowsOf(n).still(wide())
		m.want(func(w *wanted) { w.text = "done" })
		m.View()
		seq := m.state.Seq
		return testing.AllocsPerRun(200, func() {
			seq++
			m.state.Seq = seq
			m.state.Timeline = append(m.state.Timeline, view.Row{Seq: seq, Last: seq, Kind: "notice", Tone: view.Quiet})
			m.timeline.sync(m)
		})
	}
	if few, many := cost(100), cost(10_000); many > few+2 {
		t.Errorf("an event costs %.0f allocations after 100 rows, %.0f after 10,000", few, many)
	}
}
