package safe

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"
)

// Every vector of the table of terminal injections, and what people see.
func TestTextVectors(t *testing.T) {
	marks := strings.Repeat("\u0301", 2000)
	long := strings.Repeat("x", 1<<20)
	for _, c := range []struct {
		name string
		mode Mode
		in   string
		want Safe
	}{
		{"clipboard", Prose, "\x1b]52;c;QQ==\a", "␛]52;c;QQ==␇"},
		{"link", Prose, "\x1b]8;;http://e/\x1b\\x", `␛]8;;http://e/␛\x`},
		{"title", Inline, "\x1b]0;owned\a", "␛]0;owned␇"},
		{"query", Prose, "\x1bP$qm\x1b\\", `␛P$qm␛\`},
		{"paste end", Prose, "\x1b[201~", "␛[201~"},
		{"C1 rune", Prose, "\u009b31m\u0085", `\x9b31m\x85`},
		{"C1 byte", Prose, "\x9b31m\xff\xc3", `\x9b31m\xff\xc3`},
		{"graphics", Prose, "\x1b_Gi=1;AAAA\x1b\\", `␛_Gi=1;AAAA␛\`},
		{"conceal", Prose, "\x1b[8m", "␛[8m"},
		{"overwrite", Prose, "safe\rrm -rf\r\nx\r\r\n", "safe␍rm -rf\nx␍\n"},
		{"noise", Prose, "\b\v\f\x0e\x0f\a\x00\x7f", "␈␋␌␎␏␇␀␡"},
		{"bidi", Prose, "\u202e\u2066\u200e\u061c", "⟨U+202E⟩⟨U+2066⟩⟨U+200E⟩⟨U+061C⟩"},
		{"zero width", Prose, "\u200b\u200c\u2060\ufeff\u00ad\u034f", "⟨U+200B⟩⟨U+200C⟩⟨U+2060⟩⟨U+FEFF⟩⟨U+00AD⟩⟨U+034F⟩"},
		{"fillers", Prose, "\u115f\u1160\u17b4\u180e\u3164\uffa0\u2800", "⟨U+115F⟩⟨U+1160⟩⟨U+17B4⟩⟨U+180E⟩⟨U+3164⟩⟨U+FFA0⟩⟨U+2800⟩"},
		{"tags", Prose, "\U000e0041\U000e0001", "⟨tag:A⟩⟨U+E0001⟩"},
		{"selectors", Prose, "a\ufe0f\ufe00\U000e0100", "a⟨U+FE0F⟩⟨U+FE00⟩⟨U+E0100⟩"},
		{"separators", Inline, "a\u2028b\u2029c\nd\te", "a⟨U+2028⟩b⟨U+2029⟩c␊d␉e"},
		{"unknown", Prose, "\ue000\U000f0000\u0378\xed\xa0\x80", `⟨U+E000⟩⟨U+F0000⟩⟨U+0378⟩\xed\xa0\x80`},
		{"flood", Prose, "a" + marks + "b", Safe("a" + marks[:16] + "⟨+1992⟩b")},
		{"flood at the end", Prose, "a" + marks, Safe("a" + marks[:16] + "⟨+1992⟩")},
		{"mark without base", Prose, "\u0301a\n\u0301", "◌\u0301a\n◌\u0301"},
		{"long line", Prose, long + "\nb", Safe(long[:maxLine-lineNote] + "⟨+983080 B⟩\nb")},
		{"long line, approved whole", Approval, long, Safe(long)},
		{"line just fits", Prose, "é" + long[:maxLine-2], Safe("é" + long[:maxLine-2])},
		{"tabs", Code, "\ta", "    a"},
		{"tabs", Approval, "\ta", "␉   a"},
		{"blanks", Prose, "a\u00a0b\u3000c", "a b c"},
		{"blanks", Code, "a\u00a0b\u3000c", "a⟨U+00A0⟩b⟨U+3000⟩c"},
		{"emoji", Prose, "👩\u200d👩\u200d👧 ❤\ufe0f 1\ufe0f\u20e3 👍🏽", "👩\u200d👩\u200d👧 ❤\ufe0f 1\ufe0f\u20e3 👍🏽"},
		{"emoji", Approval, "👩\u200d👧❤\ufe0f", "👩⟨U+200D⟩👧❤⟨U+FE0F⟩"},
		{"emoji", Code, "👩\u200d👧", "👩⟨U+200D⟩👧"},
		{"joiner outside", Prose, "a\u200db 👩\u200d 👩\u200da \u200d👩", "a⟨U+200D⟩b 👩⟨U+200D⟩ 👩⟨U+200D⟩a ⟨U+200D⟩👩"},
		{"selector twice", Prose, "❤\ufe0f\ufe0f 1\ufe0fx", "❤\ufe0f⟨U+FE0F⟩ 1⟨U+FE0F⟩x"},
		{"readable", Approval, "请确认 Ünï Жук ไทย हिन्दी", "请确认 Ünï Жук ไทย हिन्दी"},
	} {
		if got := Text(c.in, c.mode); got != c.want {
			t.Errorf("%s (mode %d): %.200q, want %.200q", c.name, c.mode, got, c.want)
		}
	}
}

func TestEmojiChainIsBounded(t *testing.T) {
	got := Text(strings.Repeat("👩\u200d", 100)+"👩", Prose)
	first, _, _ := strings.Cut(string(got), "⟨")
	if n := strings.Count(first, "\u200d"); n != maxJoins {
		t.Errorf("%d joiners kept in one sign, want %d", n, maxJoins)
	}
	if w := Width(got); w < 100 {
		t.Errorf("100 signs hide in %d cells", w)
	}
}

func sequences(t testing.TB) []string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", "sequences.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	if err := json.Unmarshal(raw, &all); err != nil {
		t.Fatal(err)
	}
	if len(all) != 23 {
		t.Fatalf("%d sequences, want 23", len(all))
	}
	return all
}

// Case t-escape-injection: the 23 strings, and the ones cut between deltas.
func TestInjectionCase(t *testing.T) {
	for _, s := range sequences(t) {
		for mode := Prose; mode <= Approval; mode++ {
			check(t, s, mode)
			if s != "" && Text(s, mode) == "" {
				t.Errorf("%q vanished", s)
			}
		}
	}
	raw, err := os.ReadFile(filepath.Join("testdata", "split.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var got Safe
	st := NewStream(Prose)
	for line := range strings.Lines(string(raw)) {
		var d struct{ Delta string }
		if err := json.Unmarshal([]byte(line), &d); err != nil {
			t.Fatal(err)
		}
		got += st.Append(d.Delta)
	}
	got += st.Close()
	if want := Safe(`start ␛]52;c;QUNNRQ==␇ mid ␛[2J end \x9b31m tail`); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// check asserts what must hold for any input.
func check(t tester, in string, mode Mode) {
	t.Helper()
	out := Text(in, mode)
	s := string(out)
	if !utf8.ValidString(s) {
		t.Fatalf("%q mode %d: not UTF-8: %q", in, mode, s)
	}
	for i, r := range s {
		switch {
		case r == '\n' && mode != Inline:
		case r < 0x20, r >= 0x7f && r <= 0x9f, r == 0x85, r == 0x2028, r == 0x2029:
			t.Fatalf("%q mode %d: control %U at %d in %q", in, mode, r, i, s)
		case r == zwj || r == emojiVar:
			if mode == Code || mode == Approval || !insideEmoji(s, i) {
				t.Fatalf("%q mode %d: %U at %d in %q", in, mode, r, i, s)
			}
		case unicode.In(r, unicode.Cf, unicode.Co, unicode.Cs), unicode.Is(unicode.Zs, r) && r != ' ':
			t.Fatalf("%q mode %d: %U at %d in %q", in, mode, r, i, s)
		}
	}
	if got := ansi.Strip(s); got != s {
		t.Fatalf("%q mode %d: the terminal would obey: %q -> %q", in, mode, s, got)
	}
	if again := Text(s, mode); again != out {
		t.Fatalf("%q mode %d: not stable: %q -> %q", in, mode, out, again)
	}
	if mode != Approval {
		for line := range strings.SplitSeq(s, "\n") {
			if len(line) > maxLine {
				t.Fatalf("mode %d: a line of %d bytes", mode, len(line))
			}
		}
	}
}

// insideEmoji is the exception said independently of the cleaner: the sign at
// i doesn't begin or (a joiner) end its grapheme cluster, which has a
// pictograph or a keycap.
func insideEmoji(s string, i int) bool {
	at := 0
	for at < len(s) {
		g, _ := ansi.FirstGraphemeCluster(s[at:], ansi.GraphemeWidth)
		if i < at+len(g) {
			joinerLast := strings.HasPrefix(s[i:], "\u200d") && i+3 == at+len(g)
			emoji := strings.ContainsFunc(g, pictograph) || strings.ContainsRune(g, keycap)
			return i > at && !joinerLast && emoji
		}
		at += len(g)
	}
	return false
}

func FuzzText(f *testing.F) {
	for _, s := range sequences(f) {
		f.Add(s, byte(Prose))
	}
	f.Fuzz(func(t *testing.T, s string, m byte) {
		mode := Mode(m % 4)
		check(t, s, mode)
		st, cut := NewStream(mode), len(s)/2
		got := st.Append(s[:cut])
		got += st.Append(s[cut:])
		if got += st.Close(); got != Text(s, mode) {
			t.Fatalf("%q cut at %d: %q, whole %q", s, cut, got, Text(s, mode))
		}
		checkWrap(t, Text(s, mode), 1+len(s)%13)
	})
}

// hostile draws text from what the rules are about.
func hostile() *rapid.Generator[string] {
	piece := rapid.SampledFrom([]string{
		"a", "word ", " ", "\n", "\r", "\r\n", "\t", "\x1b[31m", "\x1b", "\x9b", "\u009b", "\xff", "\xe4\xb8", "中", "，", "（文", "。",
		"é", "e\u0301", "\u0301", "\u0301\u0301\u0301\u0301\u0301", "👩", "👩\u200d👧", "\u200d", "\ufe0f", "❤", "1", "#\ufe0f\u20e3", "\u20e3",
		"🏽", "🇩", "🇪", "\u202e", "\U000e0041", "\u3000", "\u00a0", "ก็", "हिन्दी", "\u115f", "ﬁ", "한", "ᄒ", "ￜ", "\ue000", "⟨", "◌", "-", "/",
	})
	return rapid.Map(rapid.SliceOfN(piece, 0, 40), func(p []string) string { return strings.Join(p, "") })
}

func TestStreamEqualsWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := hostile().Draw(t, "text")
		if rapid.IntRange(0, 9).Draw(t, "long") == 0 {
			s = strings.Repeat("y", maxLine-rapid.IntRange(0, 60).Draw(t, "short of the limit")) + s
		}
		mode := Mode(rapid.IntRange(0, 3).Draw(t, "mode"))
		st := NewStream(mode)
		var got Safe
		for rest := s; rest != ""; {
			n := rapid.IntRange(1, min(7, len(rest))).Draw(t, "cut")
			if len(rest) > 300 {
				n = len(rest) - 300
			}
			got += st.Append(rest[:n])
			rest = rest[n:]
		}
		if got += st.Close(); got != Text(s, mode) {
			t.Fatalf("%.300q, whole %.300q", got, Text(s, mode))
		}
		check(t, s, mode)
	})
}

func TestPlainTextIsNotCopied(t *testing.T) {
	s := strings.Repeat("plain text\n", 100)
	if n := testing.AllocsPerRun(20, func() { _ = Text(s, Prose) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkText(b *testing.B) {
	for _, c := range []struct{ name, text string }{
		{"ascii", strings.Repeat("The quick brown fox.\n", 500)},
		{"chinese", strings.Repeat("请确认这一条规则：广告花费。\n", 250)},
		{"hostile", strings.Repeat("\x1b[31m\u202e👩\u200d👧\xff", 500)},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.text)))
			b.ReportAllocs()
			for b.Loop() {
				Text(c.text, Prose)
			}
		})
	}
}

// tester is what testing.TB and *rapid.T have in common.
type tester interface {
	Helper()
	Fatalf(format string, args ...any)
}
