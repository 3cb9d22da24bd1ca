package tui

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"agentstudio/engine"
	"agentstudio/engine/words"
)

// A result of a megabyte, in one line or in 50,000, while the model streams: keys are answered, and
// the card says how much is out of view.
func TestHugeResults(t *testing.T) {
	var many strings.Builder
	for i := range 50_000 {
		fmt.Fprintf(&many, "line %05d\n", i)
	}
	for name, content := range map[string]string{"line": strings.Repeat("x", 1_000_000), "lines": many.String()} {
		l := newTape()
		l.opening(plainTexts())
		turn := l.running(plainTexts())
		call := l.add(turn, engine.ToolRequested{Call: "call_1", Tool: "grep", Arguments: json.RawMessage(`{"pattern":"x"}`)})
		l.add(call, engine.ToolCompleted{Call: "call_1", Tool: "grep", Content: content, DurationMS: 5})
		l.add(turn, engine.AssistantStarted{Message: "msg_9"})
		for range 200 {
			l.add(turn, engine.AssistantDelta{Message: "msg_9", Delta: "words "})
		}
		m := l.still(setup{w: 160, h: 45, lang: words.English, theme: "dark"})
		m.View()
		if took := allocated(50, func(i int) {
			m.Update(press(rune('a' + i%26)))
			m.View()
		}); took > 512<<10 {
			t.Errorf("%s: a key takes %d bytes", name, took)
		}
		text := picture(m)
		if name == "line" && !strings.Contains(text, "+ 999.9 KB more") || name == "lines" && !strings.Contains(text, "+ 550.0 KB more") {
			t.Errorf("%s: it does not say how much is hidden:\n%s", name, text)
		}
		s := play(t, setup{w: 160, h: 45, lang: words.English, theme: "dark"}, l)
		s.Press("ctrl+c")
		s.Shows("Cancelling")
	}
}

// The chat on the whole screen at the widths of the case: no sign doubled, none lost, and the wide
// ones end a column short where they don't fit.
func TestWideSignsAtTheEdge(t *testing.T) {
	raw, err := os.ReadFile("markdown/testdata/cjk-wrap.txt")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.TrimSpace(string(raw))
	for w := 40; w <= 46; w++ {
		for _, who := range []string{"user", "agent"} {
			x := plainTexts()
			x.user, x.answer = text, ""
			if who == "agent" {
				x.user, x.answer = "?", text
			}
			m := story("running", x).still(setup{w: w, h: 45, lang: words.Chinese, theme: "dark"})
			got := squeezed(strings.ReplaceAll(picture(m), "\n", ""))
			if !strings.Contains(got, squeezed(text)) {
				t.Errorf("%s at %d: the text is not whole:\n%s", who, w, picture(m))
			}
		}
	}
}

// However an answer with fences is cut, the screen ends with the same picture, and what is above
// the open block does not move while it streams.
func TestCutFencesOnTheScreen(t *testing.T) {
	raw, err := os.ReadFile("markdown/testdata/fence-cut.md")
	if err != nil {
		t.Fatal(err)
	}
	end := ""
	for _, n := range []int{1, 2, 3, 7, 1000} {
		l := newTape()
		l.opening(plainTexts())
		x := plainTexts()
		x.answer = ""
		a := l.running(x)
		for _, piece := range allCuts(string(raw), n) {
			l.add(a, engine.AssistantDelta{Message: "msg_2", Delta: piece})
		}
		l.add(a, engine.AssistantCompleted{Message: "msg_2", StopReason: engine.StopEnd})
		m := l.still(setup{w: 80, h: 60, lang: words.English, theme: "dark"})
		shown := picture(m)
		if end == "" {
			end = shown
		}
		if shown != end {
			t.Errorf("cut by %d:\n%s\nby 1:\n%s", n, shown, end)
		}
	}
	for _, want := range []string{"``` not a fence", "last ```py", "unfinished = 1"} {
		if !strings.Contains(end, want) {
			t.Errorf("%q is missing:\n%s", want, end)
		}
	}
}

func allCuts(s string, n int) (pieces []string) {
	for len(s) > n {
		pieces, s = append(pieces, s[:n]), s[n:]
	}
	return append(pieces, s)
}
