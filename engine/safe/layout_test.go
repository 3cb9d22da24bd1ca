package safe

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// checkWrap asserts Wrap's contract for any text.
func checkWrap(t tester, s Safe, width int) {
	t.Helper()
	checkLines(t, s, width, Wrap(s, width))
	checkLines(t, s, width, HardWrap(s, width))
}

func checkLines(t tester, s Safe, width int, lines []Safe) {
	t.Helper()
	var joined strings.Builder
	for _, l := range lines {
		if w := lipgloss.Width(string(l)); w > width {
			t.Fatalf("width %d: line %q of %q has %d", width, l, s, w)
		}
		if strings.Contains(string(l), "\n") {
			t.Fatalf("line %q holds a line end", l)
		}
		joined.WriteString(string(l))
	}
	want := ""
	for line := range strings.SplitSeq(string(s), "\n") { // a sign may join the one before, but not over a line end
		if width == 1 {
			line = fit(line)
		}
		want += line
	}
	if joined.String() != want {
		t.Fatalf("width %d: joined %q, want %q", width, joined.String(), want)
	}
}

func TestWrapHoldsForAnyText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Text(hostile().Draw(t, "text"), Mode(rapid.IntRange(0, 3).Draw(t, "mode")))
		width := rapid.IntRange(1, 24).Draw(t, "width")
		checkWrap(t, s, width)
		if Width(s) != lipgloss.Width(string(s)) {
			t.Fatalf("Width(%q) = %d, Lip Gloss says %d", s, Width(s), lipgloss.Width(string(s)))
		}
		one := Safe(strings.ReplaceAll(string(s), "\n", "␊"))
		got := Truncate(one, width, "…")
		if Width(got) > width {
			t.Fatalf("Truncate(%q, %d) = %q, %d cells", one, width, got, Width(got))
		}
		if head, cut := strings.CutSuffix(string(got), "…"); got != one && (!cut || !strings.HasPrefix(string(one), head)) {
			t.Fatalf("Truncate(%q, %d) = %q", one, width, got)
		}
	})
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		in    Safe
		width int
		want  []Safe
	}{
		{"", 5, []Safe{""}},
		{"a\n\nb\n", 5, []Safe{"a", "", "b", ""}},
		{"one two three", 8, []Safe{"one two ", "three"}},
		{"  keep indent here", 9, []Safe{"  keep ", "indent ", "here"}},
		{"abcdefghij", 4, []Safe{"abcd", "efgh", "ij"}},
		{"你好吗朋友", 5, []Safe{"你好", "吗朋", "友"}},
		{"你好，世界", 4, []Safe{"你", "好，", "世界"}},
		{"你（好）", 4, []Safe{"你", "（好", "）"}},
		{"，，，", 2, []Safe{"，", "，", "，"}},
		{"中a文", 1, []Safe{"▯", "a", "▯"}},
		{"中a", 0, []Safe{"▯", "a"}},
		{"e\u0301e\u0301e\u0301", 2, []Safe{"e\u0301e\u0301", "e\u0301"}},
	} {
		if d := cmp.Diff(c.want, Wrap(c.in, c.width)); d != "" {
			t.Errorf("Wrap(%q, %d):\n%s", c.in, c.width, d)
		}
	}
}

func TestHardWrap(t *testing.T) {
	for _, c := range []struct {
		in    Safe
		width int
		want  []Safe
	}{
		{"ab cd ef", 4, []Safe{"ab c", "d ef"}},
		{"a中b中", 2, []Safe{"a", "中", "b", "中"}},
		{"\nab\n", 1, []Safe{"", "a", "b", ""}},
	} {
		if d := cmp.Diff(c.want, HardWrap(c.in, c.width)); d != "" {
			t.Errorf("HardWrap(%q, %d):\n%s", c.in, c.width, d)
		}
	}
}

func TestTruncate(t *testing.T) {
	for _, c := range []struct {
		in    Safe
		cells int
		tail  Safe
		want  Safe
	}{
		{"hello", 5, "…", "hello"},
		{"hello", 4, "…", "hel…"},
		{"你好吗", 5, "…", "你好…"},
		{"你好吗", 4, "…", "你…"},
		{"你好", 4, "…", "你好"},
		{"hello", 2, "...", "he"},
		{"hello", 0, "…", ""},
		{"", 0, "…", ""},
	} {
		if got := Truncate(c.in, c.cells, c.tail); got != c.want {
			t.Errorf("Truncate(%q, %d, %q) = %q, want %q", c.in, c.cells, c.tail, got, c.want)
		}
	}
}

// Case t-cjk-wrap.
func TestChineseCase(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join("testdata", "cjk.txt"))
	if err != nil {
		t.Fatal(err)
	}
	s := Text(string(raw), Prose)
	for _, width := range []int{1, 2, 3, 37, 38, 39, 40, 41} {
		checkWrap(t, s, width)
		for _, l := range Wrap(s, width) {
			if width > 3 && l != "" && strings.ContainsAny(string(l)[:min(3, len(l))], "，。：；！？）") {
				t.Errorf("width %d: line begins with closing punctuation: %q", width, l)
			}
		}
	}
}

func TestWrapIsLinear(t *testing.T) {
	s := Safe(strings.Repeat("x", 1<<20))
	if got := len(Wrap(s, 80)); got != (1<<20+79)/80 {
		t.Errorf("%d lines", got)
	}
	if got := len(Wrap(Safe(strings.Repeat("中", 100_000)), 3)); got != 100_000 {
		t.Errorf("%d lines", got)
	}
}

func BenchmarkWrap(b *testing.B) {
	for _, c := range []struct {
		name string
		text Safe
	}{
		{"english", Safe(strings.Repeat("The quick brown fox jumps. ", 400))},
		{"chinese", Safe(strings.Repeat("请确认这一条规则：广告花费。", 250))},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.text)))
			for b.Loop() {
				Wrap(c.text, 76)
			}
		})
	}
}
