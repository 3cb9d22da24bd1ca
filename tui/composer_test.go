package tui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"pgregory.net/rapid"

	"agentstudio/engine"
	"agentstudio/engine/safe"
)

// sent is what people have said in the session, in order.
func (s *screen) sent() (all []string) {
	s.t.Helper()
	for batch := range s.session.Follow(s.t.Context(), 0) {
		for _, e := range batch {
			if p, ok := e.Payload.(engine.UserMessage); ok {
				all = append(all, p.Text)
			}
		}
		return all
	}
	return nil
}

func TestUpInAnEmptyFieldGivesWhatWasSaid(t *testing.T) {
	s := stage(t, setup{}, says("fine"))
	for i, text := range []string{"first", "second", "second"} {
		s.Type(text)
		s.Press("enter")
		s.await("the answer", func(string) bool {
			var n int
			s.on(func(m *Model) {
				for _, r := range m.state.Timeline {
					if r.Kind == "run.completed" {
						n++
					}
				}
			})
			return n == i+1
		})
	}
	for _, step := range []struct{ key, draft string }{
		{"up", "second"}, {"up", "first"}, {"up", "first"}, {"down", "second"}, {"down", ""}, {"down", ""}, {"up", "second"},
	} {
		s.Press(step.key)
		if d := s.Draft(); d != step.draft {
			t.Fatalf("after %s the draft is %q, want %q", step.key, d, step.draft)
		}
	}
	s.Type("!")
	s.Press("up") // it has been changed: the key is the field's
	if d := s.Draft(); d != "second!" {
		t.Fatalf("the draft is %q", d)
	}
}

func TestALongPasteIsOneBlock(t *testing.T) {
	s := stage(t, setup{}, says("fine"))
	long := strings.Repeat("a line of many\n", 52)
	s.Type("look: ")
	s.Type("\x1b[200~" + long + "\x1b[201~")
	s.Type(" thanks")
	s.Shows("look: (pasted 53 lines, 780 B) thanks")
	s.Press("enter")
	s.events("run.completed")
	if got := s.sent(); !slices.Equal(got, []string{"look: " + long + " thanks"}) {
		t.Fatalf("sent %q", got)
	}
	s.Type("\x1b[200~" + long + "\x1b[201~")
	s.Shows("(pasted 53 lines, 780 B)")
	s.Press("backspace")
	if d := s.Draft(); d != "" {
		t.Fatalf("the draft is %q", d)
	}
}

// A block's letter that comes from outside stands for nothing.
func TestPastedMarksAreNoBlocks(t *testing.T) {
	s := stage(t, setup{}, says("fine"))
	mark := string(firstBlock)
	s.Type("\x1b[200~" + strings.Repeat("secret\n", 9) + "\x1b[201~")
	s.Type("\x1b[200~x" + mark + "y\x1b[201~")
	s.Type(mark)
	s.on(func(m *Model) {
		if n := strings.Count(m.composer.text(), "secret"); n != 9 || !strings.HasSuffix(m.composer.text(), "xy") {
			t.Errorf("%d times, %q", n, m.composer.text())
		}
	})
}

func TestCommandsAreOfferedAndDone(t *testing.T) {
	s := stage(t, setup{}, says("fine"))
	s.Type("/")
	s.Shows("/demo", "Fill in the demo prompt", "/quit")
	s.Lacks("/cancel") // nothing runs
	s.Type("he")
	s.Shows("/help", "Show all keys")
	s.Press("enter")
	s.Shows("Keys")
	if d := s.Draft(); d != "" {
		t.Fatalf("the draft is %q", d)
	}
	s.Press("esc")
	s.Type("/ren")
	s.Press("tab")
	s.Type("A new name")
	s.Press("enter")
	s.events("session.renamed")
	s.on(func(m *Model) {})
	if got := s.sent(); len(got) != 0 {
		t.Fatalf("sent %q", got)
	}
	s.Type("/theme light")
	s.Press("enter")
	s.on(func(m *Model) {
		if m.theme.name != "light" {
			t.Errorf("the theme is %q", m.theme.name)
		}
	})
	s.Type("/lang zh")
	s.Press("enter")
	s.Shows("时间线")
}

func TestAWrongCommandStaysInTheField(t *testing.T) {
	s := stage(t, setup{}, says("fine"))
	for draft, said := range map[string]string{
		"/nonsense":     "There is no command /nonsense",
		"/theme purple": "/theme takes dark, light or projector",
		"/rename":       "/rename takes a title",
		"/new":          "/new can't be done now",
	} {
		s.on(func(m *Model) { m.composer.set(draft) })
		s.Press("enter")
		s.Shows(said)
		if d := s.Draft(); d != draft {
			t.Errorf("the draft is %q, want %q", d, draft)
		}
	}
	s.on(func(m *Model) { m.composer.set("/etc/hosts holds what?") })
	s.Press("enter")
	s.events("run.completed")
	if got := s.sent(); !slices.Equal(got, []string{"/etc/hosts holds what?"}) {
		t.Fatalf("sent %q", got)
	}
}

func TestPathsAreCompleted(t *testing.T) {
	folders := map[string][]string{".": {"Notes.md", "data/", "draft.txt"}, "data": {"2026 q1.csv", "a\x1b[31m.csv"}}
	cfg := engine.Config{ListFolder: func(_ context.Context, at string) ([]string, error) {
		names, ok := folders[at]
		if !ok {
			return nil, engine.Errorf(engine.RefNotFound, "no folder")
		}
		return names, nil
	}}
	s := stage(t, setup{cfg: cfg}, says("fine"))
	s.Type("read @d")
	s.Shows("@data/", "@draft.txt")
	s.Lacks("@Notes.md")
	s.Press("tab")
	s.Shows("@data/2026 q1.csv", "@data/a")
	s.Press("down")
	s.Press("up")
	s.Press("tab")
	if d := s.Draft(); d != "read @data/2026 q1.csv " {
		t.Fatalf("the draft is %q", d)
	}
	s.Type("and @n")
	s.Shows("@Notes.md")
	s.Press("esc")
	s.Lacks("@Notes.md")
	s.Press("enter")
	s.events("run.completed")
	if got := s.sent(); !slices.Equal(got, []string{"read @data/2026 q1.csv and @n"}) {
		t.Fatalf("sent %q", got)
	}
	s.Type("@nowhere/x")
	s.settle()
	s.on(func(m *Model) {
		if n := len(m.composer.offers.all); n != 0 {
			t.Errorf("%d offers of a folder that isn't there", n)
		}
	})
}

func TestCommandListFindsByWords(t *testing.T) {
	s := stage(t, setup{}, says("fine"))
	s.Press("ctrl+p")
	s.Shows("Commands", "demo prompt", "^D")
	s.Lacks("approve")
	s.Type("fill demo")
	s.Lacks("Show all keys")
	s.Press("enter")
	if d := s.Draft(); d != "the demo prompt" {
		t.Fatalf("the draft is %q", d)
	}
	s.Press("ctrl+p")
	s.Type("zzz")
	s.Shows("nothing has these words")
	s.Press("enter")
	s.Press("esc")
	s.Lacks("Commands")
}

// A question that comes while the list is open is not answered by what is chosen there.
func TestTheListOfCommandsDecidesNothing(t *testing.T) {
	s, tool := asking(t, setup{})
	s.Press("ctrl+p")
	s.Type("approve")
	s.Shows("nothing has these words")
	s.Press("enter")
	s.Press("esc")
	s.on(func(m *Model) { m.composer.set("/approve") })
	s.Press("enter")
	s.Shows("There is no command /approve")
	if s.decisions() != 0 || tool.ran.Load() != 0 {
		t.Fatal("it was decided")
	}
}

func TestOwnEditor(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the editor of this test is a shell script")
	}
	dir := t.TempDir()
	script := filepath.Join(dir, "ed")
	body := fmt.Sprintf("#!/bin/sh\ncat \"$2\" > %[1]s/was; ls -l \"$2\" > %[1]s/mode; echo $2 > %[1]s/name; printf 'edited\\nthere\\n' > \"$2\"\n", dir)
	if err := os.WriteFile(script, []byte(body), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("VISUAL", script+" --wait")
	s := stage(t, setup{}, says("fine"))
	s.Type("begun")
	s.Press("ctrl+o")
	s.await("the text of the editor", func(string) bool { return s.Draft() == "edited\nthere" })
	was, err := os.ReadFile(filepath.Join(dir, "was"))
	mode, merr := os.ReadFile(filepath.Join(dir, "mode"))
	name, nerr := os.ReadFile(filepath.Join(dir, "name"))
	if err := errors.Join(err, merr, nerr); err != nil {
		t.Fatal(err)
	}
	if string(was) != "begun" || !strings.HasPrefix(string(mode), "-rw-------") {
		t.Errorf("the editor found %q with %q", was, mode)
	}
	if _, err := os.Stat(strings.TrimSpace(string(name))); !os.IsNotExist(err) {
		t.Errorf("the file is left: %v", err)
	}
}

// Keys are read again before the editor's text is there: they come after it.
func TestKeysTypedWhileTheEditorEnds(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the editor of this test is a shell script")
	}
	script := filepath.Join(t.TempDir(), "ed")
	if err := os.WriteFile(script, []byte("#!/bin/sh\nprintf 'edited' > \"$1\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("VISUAL", script)
	s := stage(t, setup{}, says("fine"))
	begun, ended := make(chan struct{}), make(chan struct{})
	s.on(func(m *Model) {
		m.execute = func(c tea.ExecCommand, done tea.ExecCallback) tea.Cmd {
			return func() tea.Msg {
				close(begun)
				<-ended
				return done(c.Run())
			}
		}
	})
	s.Type("begun")
	s.Press("ctrl+o")
	<-begun
	s.Type(" here")
	s.Type(" and there")
	if d := s.Draft(); d != "begun" {
		t.Errorf("meanwhile the draft is %q", d)
	}
	close(ended)
	s.await("the text of the editor", func(string) bool { return s.Draft() == "edited here and there" })
}

func TestAnEditorThatIsNotThere(t *testing.T) {
	t.Setenv("VISUAL", filepath.Join(t.TempDir(), "missing"))
	s := stage(t, setup{}, says("fine"))
	s.Type("begun")
	s.Press("ctrl+o")
	s.Shows("The other program did not do it")
	if d := s.Draft(); d != "begun" {
		t.Fatalf("the draft is %q", d)
	}
}

func TestWithoutAModelNothingIsSent(t *testing.T) {
	s := stage(t, setup{}, says("fine"))
	s.on(func(m *Model) { m.state.Model = nil })
	s.Shows("No model: /model connects one, F2 is the settings", "no model")
	s.Type("hello")
	s.Press("enter")
	if d := s.Draft(); d != "hello" || len(s.sent()) != 0 {
		t.Fatalf("the draft is %q, sent %q", d, s.sent())
	}
}

// What is asked shows in each pane where it belongs, and nowhere else.
func TestEachPaneShowsItsOwn(t *testing.T) {
	s, _ := asking(t, setup{w: 160, h: 45})
	s.Shows("approval required")
	for _, c := range []struct {
		pane focus
		text string
		want bool
	}{
		{onTimeline, "approval required", true}, {onChat, "approval required", false}, {onSkills, "approval required", false},
		{onChat, "APPROVAL", true}, {onSkills, "TOOLS", true}, {onTimeline, "TOOLS", false},
	} {
		if got := strings.Contains(s.Pane(c.pane), c.text); got != c.want {
			t.Errorf("pane %d shows %q: %v, want %v in\n%s", c.pane, c.text, got, c.want, s.Pane(c.pane))
		}
	}
}

// The draft breaks between words, loses nothing, and the cursor is behind what was typed.
func TestTheDraftBreaksBetweenWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := safe.Text(rapid.StringOf(rapid.SampledFrom([]rune("abc de 账户é👩‍👩‍👧.  "))).Draw(t, "line"), safe.Code)
		width := rapid.IntRange(2, 30).Draw(t, "width")
		rows := fieldRows(line, width)
		var all safe.Safe
		for i, r := range rows {
			all += r
			if safe.Width(r) > width {
				t.Fatalf("row %q is wider than %d", r, width)
			}
			if i+1 < len(rows) && r[len(r)-1] != ' ' && rows[i+1][0] != ' ' && strings.Contains(strings.TrimLeft(string(r), " "), " ") {
				t.Fatalf("a word is broken between %q and %q", r, rows[i+1])
			}
		}
		if all != line {
			t.Fatalf("%q became %q", line, all)
		}
		x, y := place(rows, len(line))
		if y != len(rows)-1 || x != safe.Width(rows[y]) {
			t.Fatalf("the cursor is at %d,%d in %q", x, y, rows)
		}
	})
}
