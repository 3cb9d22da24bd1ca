package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"agentstudio/engine"
	"agentstudio/engine/words"
)

// anyText draws what models, files and people may send.
func anyText() *rapid.Generator[string] {
	piece := rapid.OneOf(
		rapid.String(),
		rapid.SampledFrom([]string{
			"plain words and more of them", "中文字符，标点：全角！", "ภาษาไทยที่ไม่มีช่องว่าง", "e\u0301a\u0308\u0323", strings.Repeat("\u0301", 30), "👩‍👩‍👧‍👦", "🇨🇳🇩🇪", "👍🏽", "☀️", "❤️‍🔥", "1️⃣",
			"\t", "a\tb\t\tc", "שלום עולם", "مرحبا", "\u202eevil\u2066", "\x1b[31mred\x1b[2J", "\x1b]0;x\a", "\r\n", "\rover", "\n\n\n", "\x00\x07\x7f", "\u009b31m", "\xff\xfe", "\u200b\u200d\ufeff",
			"ｆｕｌｌｗｉｄｔｈ", "ﷺ", "𒐫", "\u1100\u1161\u11a8", "\U000e0041", "क्षि", "█▓░", "·—…", "⟨", "\u3000", "\u00ad", "\u2028", "～", "｡ﾟ",
		}),
		rapid.SampledFrom([]string{"# ", "- ", "1. ", "> ", "```go\n", "```\n", "| a | b |\n|---|---|\n", "| 1 | 中 |\n", "**", "`", "[x](https://example.com/", ")", "<b>", "  ", "~~", "***\n", "&#27;[2J", "\\"}),
		rapid.Custom(func(t *rapid.T) string {
			return strings.Repeat(rapid.SampledFrom([]string{"x", "中", "é", "👩‍👩‍👧‍👦", "ab ", "\t"}).Draw(t, "of"), rapid.SampledFrom([]int{3, 3, 80, 80, 1000, 100_000}).Draw(t, "n"))
		}),
	)
	return rapid.Custom(func(t *rapid.T) string {
		n := 1
		if rapid.Bool().Draw(t, "many") {
			n = rapid.IntRange(0, 8).Draw(t, "n")
		}
		var b strings.Builder
		for range n {
			b.WriteString(piece.Draw(t, "piece"))
		}
		return b.String()
	})
}

func anyTexts(t *rapid.T) (x texts) {
	for _, field := range []*string{&x.user, &x.answer, &x.reasoning, &x.tool, &x.argument, &x.result, &x.failure, &x.skill, &x.description, &x.diagnostic,
		&x.artifact, &x.title, &x.actor, &x.preview, &x.model, &x.workspace} {
		*field = anyText().Draw(t, "text")
	}
	return x
}

// checkFits fails if a picture has other rows than the terminal, or one that is wider.
func checkFits(t interface{ Fatalf(string, ...any) }, m *Model, w, h int) {
	v := m.View()
	rows := strings.Split(v.Content, "\n")
	if len(rows) != h {
		t.Fatalf("%d rows on a terminal of %dx%d", len(rows), w, h)
	}
	for i, row := range rows {
		if n := ansi.StringWidth(row); n != w {
			t.Fatalf("row %d is %d cells wide on a terminal of %dx%d: %q", i, n, w, h, row)
		}
	}
	if c := v.Cursor; c != nil && (c.X < 0 || c.Y < 0 || c.X >= w || c.Y >= h) {
		t.Fatalf("the cursor is at %d,%d of %dx%d", c.X, c.Y, w, h)
	}
}

// Whatever stands in the log and whatever the size, the picture is exactly the terminal.
func TestSweepOfEveryLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := anyTexts(t)
		name := rapid.SampledFrom(storyNames()).Draw(t, "story")
		set := setup{w: rapid.IntRange(1, 250).Draw(t, "w"), h: rapid.IntRange(1, 70).Draw(t, "h"),
			lang: rapid.SampledFrom(words.Languages()).Draw(t, "lang"), theme: rapid.SampledFrom([]string{"dark", "light", "projector", ""}).Draw(t, "theme"),
			ascii: rapid.Bool().Draw(t, "ascii")}
		m := story(name, x).still(set)
		checkFits(t, m, set.w, set.h)
		for range rapid.IntRange(1, 5).Draw(t, "steps") {
			disturb(t, m, &set)
			checkFits(t, m, set.w, set.h)
		}
	})
}

// disturb does one of the things that happen to a screen.
func disturb(t *rapid.T, m *Model, set *setup) {
	key := func(code rune, mod tea.KeyMod) { m.Update(tea.KeyPressMsg{Code: code, Mod: mod}) }
	switch rapid.IntRange(0, 9).Draw(t, "what") {
	case 0:
		set.w, set.h = rapid.IntRange(1, 250).Draw(t, "w"), rapid.IntRange(1, 70).Draw(t, "h")
		m.Update(tea.WindowSizeMsg{Width: set.w, Height: set.h})
	case 1:
		key(tea.KeyTab, 0)
	case 2:
		m.Update(tea.PasteMsg{Content: anyText().Draw(t, "pasted")})
	case 3: // a reason
		m.panel.since, m.lastKey = time.Time{}, time.Time{}
		key('n', tea.ModCtrl)
		m.Update(tea.PasteMsg{Content: anyText().Draw(t, "reason")})
	case 4:
		key(tea.KeyF1, 0)
	case 5:
		key(rapid.SampledFrom([]rune{tea.KeyPgUp, tea.KeyPgDown, tea.KeyUp, tea.KeyDown, tea.KeyHome, tea.KeyEnd, tea.KeyEsc}).Draw(t, "key"), 0)
	case 6:
		m.Update(receiptMsg{engine.Send{Text: anyText().Draw(t, "text")}, engine.Receipt{}, engine.Errorf(engine.JournalFailed, "%s", anyText().Draw(t, "why"))})
	case 7:
		m.Update(brokenMsg{m.o.Session, engine.Errorf(engine.JournalFailed, "%s", anyText().Draw(t, "why"))})
	case 8:
		key('w', tea.ModCtrl)
	case 9:
		m.Update(eventsMsg{m.o.Session, []engine.Event{{Seq: m.state.Seq + 1, At: time.Unix(1, 0), Run: "run_1", Payload: engine.AssistantDelta{Message: "msg_2", Delta: anyText().Draw(t, "delta")}}}})
	}
}

// Every size there is, with the demo's own texts.
func TestSweepOfEverySize(t *testing.T) {
	for _, name := range storyNames() {
		m := story(name, plainTexts()).still(setup{w: 80, h: 24, lang: words.English, theme: "dark"})
		for w := 1; w <= 130; w += 3 {
			for _, h := range []int{1, 2, 5, 11, 12, 13, 14, 17, 24, 45} {
				m.Update(tea.WindowSizeMsg{Width: w, Height: h})
				checkFits(failing{t, fmt.Sprintf("%s: ", name)}, m, w, h)
			}
		}
	}
}

type failing struct {
	*testing.T
	about string
}

func (f failing) Fatalf(format string, args ...any) {
	f.T.Helper()
	f.T.Fatalf(f.about+format, args...)
}
