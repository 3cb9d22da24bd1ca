package tui

import (
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"agentstudio/engine"
)

func TestSearchInTheMessages(t *testing.T) {
	s := messages(t, setup{w: 160, h: 45}, talk())
	s.Press("home")
	s.Type("/")
	s.Shows("Esc ends")
	s.Type("REPORT")
	s.Shows("1 of 4", "› ✓ save_report_draft")
	if got := s.chosen(); got != "call_r" {
		t.Errorf("%s is chosen", got)
	}
	s.Press("enter")
	s.Type("n")
	s.Shows("2 of 4")
	s.Type("n")
	s.Type("n")
	s.Shows("4 of 4", "› All done: see the report.")
	s.Press("enter") // round at the end
	s.Shows("1 of 4")
	s.Type("N")
	s.Shows("4 of 4")
	s.Press("esc")
	s.Lacks("Esc ends")
	if d := s.Draft(); d != "" {
		t.Errorf("the draft is %q", d)
	}
	s.Type("/")
	s.Type("\x1b[200~no such\nwords\x1b[201~")
	s.Shows("/no such words", "not found")
	s.Press("backspace")
	s.Shows("/no such word▌")
}

// What a folded card hides is found too, and unfolds.
func TestSearchUnfoldsCards(t *testing.T) {
	s := messages(t, setup{w: 160, h: 45}, talk())
	s.Type("/")
	s.Type("end is here")
	s.Shows("1 of 1", "whose end is here")
	s.on(func(m *Model) {
		if !m.chat.index["call_f"].open {
			t.Error("the card is folded")
		}
	})
}

// New words are searched when the next match is asked for.
func TestSearchSeesWhatIsNew(t *testing.T) {
	l := talk()
	s := messages(t, setup{w: 160, h: 45}, l)
	s.Type("/")
	s.Type("sesame")
	s.Shows("not found")
	s.Press("enter")
	s.program.Send(eventsMsg{l, []engine.Event{{Seq: engine.Seq(len(l.events) + 1), At: l.at, Payload: engine.UserMessage{Message: "msg_9", Text: "open sesame", Delivery: "prompt"}}}})
	s.Type("n")
	s.Shows("1 of 1", "› open sesame")
}

// Whatever is typed into the search decides nothing.
func TestSearchDecidesNothing(t *testing.T) {
	s, tool := asking(t, setup{w: 160, h: 45})
	s.Press("shift+tab")
	s.Type("/")
	s.Shows("Esc ends")
	for _, letter := range strings.Split("yYnNaA do it", "") {
		s.now.advance(time.Second)
		s.Type(letter)
	}
	s.Shows("/yYnNaA do it")
	s.Press("enter")
	if n := s.decisions(); n != 0 || tool.ran.Load() != 0 {
		t.Errorf("%d decisions", n)
	}
}

// board is a clipboard that remembers.
type board struct {
	mu    sync.Mutex
	texts []string
	err   error
}

func (b *board) put(text string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.texts = append(b.texts, text)
	return b.err
}

func (b *board) wait(s *screen, text string) {
	s.t.Helper()
	s.until("it was never copied", func() bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		return slices.Contains(b.texts, text)
	})
}

// until waits for something that isn't seen on the screen.
func (s *screen) until(what string, ok func() bool) {
	s.t.Helper()
	for limit := time.Now().Add(20 * time.Second); !ok(); s.settle() {
		if time.Now().After(limit) {
			s.t.Fatal(what)
		}
	}
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

func TestCopy(t *testing.T) {
	s := messages(t, setup{w: 160, h: 45}, talk())
	var b board
	s.on(func(m *Model) { m.o.Clipboard = b.put })
	s.Type("c")
	s.Shows("copied 76 B")
	source := "All done: see the report.\n\n```go\nfirst := 1\n```\n\nand\n\n```go\nsecond := 2\n```\n"
	b.wait(s, source)
	s.until("the terminal was not asked", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return strings.Contains(s.raw.String(), "\x1b]52;c;"+base64.StdEncoding.EncodeToString([]byte(source)))
	})
	for _, want := range []struct{ says, text string }{
		{"copied code block 2 of 2", "second := 2\n"}, {"copied code block 1 of 2", "first := 1\n"}, {"copied code block 2 of 2", "second := 2\n"},
	} {
		s.Type("C")
		s.Shows(want.says)
		b.wait(s, want.text)
	}
	s.Press("up")
	s.Press("up")
	s.Type("C")
	s.Shows("no code block")
	s.Press("up")
	s.Type("c") // the whole, not only what the State holds
	s.Shows("to this computer's clipboard only")
}

// Too much for a terminal's clipboard goes to the system's alone, and that is said.
func TestCopyTooMuch(t *testing.T) {
	s := messages(t, setup{w: 160, h: 45}, talk())
	var b board
	s.on(func(m *Model) { m.o.Clipboard = b.put })
	big := strings.Repeat("many words\t", 8000)
	put := func() { s.program.Send(later(func(m *Model) tea.Cmd { return m.copy(big) })) }
	put()
	s.Shows("copied 88.0 KB, to this computer's clipboard only")
	b.wait(s, big)
	b.mu.Lock()
	b.err = errors.New("none")
	b.mu.Unlock()
	put()
	s.Shows("not copied: 88.0 KB")
	s.quit()
	if strings.Contains(s.raw.String(), "\x1b]52;") {
		t.Error("the terminal was asked")
	}
}

// What is copied can't do anything elsewhere.
func TestCopiesAreClean(t *testing.T) {
	for text, want := range map[string]string{
		"a\tb\nc":         "a\tb\nc",
		"a\r\nb":          "a\nb",
		"\x1b[31mred\x07": "␛[31mred␇",
		"\x1b[201~rm\x00": "␛[201~rm␀",
		"中文 👩‍👩‍👧‍👦 ok":   "中文 👩‍👩‍👧‍👦 ok",
	} {
		if got := forOthers(text); got != want {
			t.Errorf("%q: %q, not %q", text, got, want)
		}
	}
	long := strings.Repeat("中", 100_000)
	if got := forOthers(long); got != long {
		t.Errorf("a long line of %d bytes has %d", len(long), len(got))
	}
	if got := forOthers(strings.Repeat("\x80", 70_000)); !strings.HasPrefix(got, `\x80`) {
		t.Error("bytes that are no letters")
	}
}

// withPager makes a pager that keeps what it was given, and how.
func withPager(t *testing.T) (kept string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell script")
	}
	dir := t.TempDir()
	kept = filepath.Join(dir, "kept")
	script := "#!/bin/sh\ncp \"$2\" '" + kept + ".new'\nls -l \"$2\" > '" + kept + ".mode'\necho \"$1 $2\" > '" + kept + ".args'\nmv '" + kept + ".new' '" + kept + "'\n"
	at := filepath.Join(dir, "pager")
	if err := os.WriteFile(at, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PAGER", at+" -x;true")
	t.Setenv("TMPDIR", dir)
	return kept
}

func TestThePager(t *testing.T) {
	kept := withPager(t)
	l := talk()
	l.add(0, engine.UserMessage{Message: "msg_9", Text: "look\x1b[2J here", Delivery: "prompt"})
	s := messages(t, setup{w: 160, h: 45}, l)
	s.Type("o")
	s.until("the pager never ran", func() bool { return exists(kept) })
	s.Shows("look␛[2J here")
	text, _ := os.ReadFile(kept)
	mode, _ := os.ReadFile(kept + ".mode")
	args, _ := os.ReadFile(kept + ".args")
	if string(text) != "look␛[2J here" || !strings.HasPrefix(string(mode), "-rw-------") || !strings.HasPrefix(string(args), "-x;true ") {
		t.Errorf("the pager was given %q, %s, %s", text, args, mode)
	}
	name := strings.TrimSpace(strings.TrimPrefix(string(args), "-x;true "))
	s.until("the file is still there", func() bool { return !exists(name) })
}

// Keys that were meant for the pager decide nothing: a question that came meanwhile settles anew.
func TestNoDecisionBehindThePager(t *testing.T) {
	kept := withPager(t)
	s, tool := asking(t, setup{w: 160, h: 45})
	s.Press("shift+tab")
	s.Press("home")
	s.Type("o")
	s.until("the pager never ran", func() bool { return exists(kept) })
	s.until("the question has not settled anew", func() bool {
		var since time.Time
		s.on(func(m *Model) { since = m.panel.since })
		return since.Equal(s.now.get())
	})
	s.Type("\x19") // ^Y, at once
	s.Shows("wait a moment")
	if n := s.decisions(); n != 0 || tool.ran.Load() != 0 {
		t.Errorf("%d decisions", n)
	}
}

// Without a pager the viewer shows the text.
func TestWithoutAPager(t *testing.T) {
	t.Setenv("PAGER", "no-such-program-anywhere")
	s := messages(t, setup{w: 160, h: 45}, talk())
	s.Type("o")
	s.Shows("All done: see the report.", "Esc closes")
	s.Type("o")
	s.Shows("no pager found")
}

func TestPlacesStay(t *testing.T) {
	for _, c := range []struct {
		text, words string
		want        []int
	}{
		{"Report, REPORT", "report", []int{0, 8}}, {"İ a A", "a", []int{3, 5}}, {"aaaa", "aa", []int{0, 2}}, {"x", "", nil}, {"中文 中", "中", []int{0, 7}},
	} {
		if got := occurrences(c.text, c.words); !slices.Equal(got, c.want) {
			t.Errorf("%q in %q: %v", c.words, c.text, got)
		}
	}

}

// A match in the part of a message that is folded away is counted and can be gone to.
func TestMatchesInWhatIsFoldedAreReached(t *testing.T) {
	s := stage(t, setup{w: 120, h: 40}, says("fine"))
	var text strings.Builder
	for n := range 40 {
		word := "hay"
		if n == 4 || n == 30 {
			word = "needle"
		}
		fmt.Fprintf(&text, "row %d %s\n", n, word)
	}
	if _, err := s.session.Do(t.Context(), engine.Send{Text: text.String(), By: engine.Actor{Screen: "tui", Name: "terminal"}}); err != nil {
		t.Fatal(err)
	}
	s.events("run.completed")
	s.Shows("row 4 needle", "+ 25 more lines")
	s.Lacks("row 30 needle")
	s.Press("shift+tab")
	s.Type("/needle")
	s.Shows("of 2")
	s.Press("enter")
	s.Type("n")
	s.Shows("row 30 needle", "2 of 2")
}
