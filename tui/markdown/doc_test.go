package markdown

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// colourful tells every part apart.
func colourful() *Look {
	c := func(n string) lipgloss.Style { return lipgloss.NewStyle().Foreground(lipgloss.Color(n)) }
	return NewLook(Style{
		Heading: lipgloss.NewStyle().Bold(true), Strong: lipgloss.NewStyle().Bold(true), Emph: lipgloss.NewStyle().Italic(true),
		Strike: lipgloss.NewStyle().Strikethrough(true), Code: c("1"), Link: lipgloss.NewStyle().Underline(true), Address: c("2"),
		Marker: c("3"), Quote: c("4"), Bar: c("5"), Rule: c("6"), CodeBlock: c("7"), Keyword: c("8"), String: c("9"), Comment: c("10"), Number: c("11"),
	})
}

// whole draws text in one go.
func whole(text string, width int, look *Look) []string {
	d := New()
	d.Set(text)
	d.Close()
	return d.Lines(width, look)
}

// plainly draws text without colours, one line a line.
func plainly(text string, width int) string {
	return strings.Join(whole(text, width, NewLook(Style{})), "\n")
}

func testdata(t testing.TB, name string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestPictures(t *testing.T) {
	for _, c := range []struct {
		name, in string
		width    int
		want     string
	}{
		{"paragraphs", "one two\nthree\n\n\n\nfour", 40, "one two\nthree\n\nfour"},
		{"heading close to its text", "intro\n# Title\n\ntext", 40, "intro\n\nTitle\ntext"},
		{"setext", "Title\n===\ntext", 40, "Title\ntext"},
		{"bullets", "- one\n- two words\n  - three\n\n  more", 10, "• one\n• two\n  words\n  • three\n\n  more"},
		{"numbers go on", "3. a\n9. b\n\n1) c", 40, "3. a\n4. b\n\n1. c"},
		{"tasks", "- [x] done\n- [ ] open", 40, "• [x] done\n• [ ] open"},
		{"quote", "> a\n>\n> - b\n\nc", 40, "▌ a\n▌\n▌ • b\n\nc"},
		{"code", "```go\nif x {\n\ty()\n}\n```", 40, "  if x {\n      y()\n  }"},
		{"long code line", "```\nabcdefghijklmn\n```", 12, "  abcdefghij\n  klmn"},
		{"table", "| a | b |\n|---|--:|\n| 中文 | 1 |\n| x | 222 |", 40, "a    │   b\n─────┼────\n中文 │   1\nx    │ 222"},
		{"wide table", "| a | b |\n|---|---|\n| one two three | x |", 14, "a          │ b\n───────────┼──\none two    │ x\nthree      │"},
		{"no room for a table", "| a | b |\n|---|---|\n| one two | x |\n| two | y |", 9, "a: one\ntwo\nb: x\n\na: two\nb: y"},
		{"rule", "a\n\n---\n\nb", 4, "a\n\n────\n\nb"},
		{"code keeps its marks without colours", "a `b` c", 40, "a `b` c"},
		{"references and escapes", `\*a\* &amp; &copy; &lt;b&gt; &nope; &#x4e2d;`, 60, "*a* & © <b> &nope; 中"},
		{"hidden control", "&#27;[31m &#x202e;x &#8203; &#0;", 60, "␛[31m ⟨U+202E⟩x ⟨U+200B⟩ \ufffd"},
		{"links", "[a](http://x/) [http://x](http://x) <http://y> [x.y](https://x.y/) http://z.com", 90,
			"a (http://x/) http://x http://y x.y http://z.com"},
		{"image", "![alt](http://x/p.png \"T\")", 60, `[alt] (http://x/p.png "T")`},
		{"later definition", "[a][r] and [b]\n\ntext\n\n[r]: http://x\n[B]: <http://y>", 60, "a (http://x) and b (http://y)\n\ntext"},
		{"html", "<div>\n<b>x</b>\n</div>\n\na <i>b</i>", 40, "<div>\n<b>x</b>\n</div>\n\na <i>b</i>"},
		{"tilde fence with backticks", "~~~\n```\n~~~", 40, "  ```"},
		{"loose list", "- a\n\n- b\n- c", 40, "• a\n\n• b\n• c"},
		{"nothing", "", 40, ""},
	} {
		if d := cmp.Diff(c.want, plainly(c.in, c.width)); d != "" {
			t.Errorf("%s:\n%s", c.name, d)
		}
	}
}

// cuts gives text to a document in pieces and looks at it after each.
func cuts(text string, size int, width int, look *Look, after func(*Doc)) []string {
	d := New()
	for text != "" {
		n := min(size, len(text))
		d.Append(text[:n])
		text = text[n:]
		d.Window(d.Height(width, look)-45, 45, width, look)
		if after != nil {
			after(d)
		}
	}
	d.Close()
	return d.Lines(width, look)
}

// Cases t-fence-cut, t-cjk-wrap, t-links-html: any way of cutting gives the
// picture of the whole.
func TestCasesAnyCut(t *testing.T) {
	look := colourful()
	for _, name := range []string{"fence-cut.md", "cjk-wrap.txt", "links-html.md"} {
		text := testdata(t, name)
		for _, width := range []int{1, 2, 3, 20, 37, 38, 39, 40, 41, 80} {
			want := whole(text, width, look)
			for _, size := range []int{1, 2, 3, 7} {
				if d := cmp.Diff(want, cuts(text, size, width, look, nil)); d != "" {
					t.Errorf("%s, width %d, %d bytes a delta:\n%s", name, width, size, d)
				}
			}
		}
	}
}

// deltas reads the pieces a case was sent in.
func deltas(t testing.TB, name string) (all []string) {
	t.Helper()
	for line := range strings.Lines(testdata(t, name)) {
		var d struct{ Delta string }
		if err := json.Unmarshal([]byte(line), &d); err != nil {
			t.Fatal(err)
		}
		all = append(all, d.Delta)
	}
	return all
}

func TestFenceCutCase(t *testing.T) {
	look := NewLook(Style{})
	d := New()
	var done []string // what finished blocks looked like when they were finished
	for _, delta := range deltas(t, "fence-cut.jsonl") {
		d.Append(delta)
		lines := d.Lines(60, look)
		if len(lines) < len(done) {
			t.Fatalf("after %q only %d lines, %d were finished", delta, len(lines), len(done))
		}
		if diff := cmp.Diff(done, lines[:len(done)], cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("after %q finished lines changed:\n%s", delta, diff)
		}
		n, _ := d.measure(60, look)
		done = append([]string{}, lines[:n]...)
	}
	d.Close()
	if diff := cmp.Diff(whole(testdata(t, "fence-cut.md"), 60, look), d.Lines(60, look)); diff != "" {
		t.Error(diff)
	}
	want := []Code{
		{"go", "func main() {\n    fmt.Println(\"``` not a fence\")\n}\n"},
		{"md", "```js\nx\n```\n"},
		{"sh", "ls\n"},
	}
	if diff := cmp.Diff(want, d.CodeBlocks()); diff != "" {
		t.Error(diff)
	}
	if text := strings.Join(d.Lines(60, look), "\n"); !strings.HasSuffix(text, "last ```py\nunfinished = 1") {
		t.Errorf("the last fence isn't one:\n%s", text)
	}
}

func TestLinksCase(t *testing.T) {
	got := plainly(testdata(t, "links-html.md"), 200)
	for _, want := range []string{
		`<img src=x onerror="document.title='owned'">`, "click (javascript:document.title=%22owned%22)", "file (file:///etc/passwd)",
		"https://example.com/good (https://example.com/evil)", "[pic] (https://example.com/track.png)", "`<b>code</b>`",
		`<details open ontoggle="document.title='owned'">x</details>`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
}

// Case t-escape-injection: no control sequence of the text reaches the screen.
func TestInjectionCase(t *testing.T) {
	var all []string
	if err := json.Unmarshal([]byte(testdata(t, "sequences.json")), &all); err != nil {
		t.Fatal(err)
	}
	look := NewLook(Style{})
	for _, s := range all {
		for _, form := range []string{"%", "`%`", "```\n%\n```", "[%](%)", "> - %", "|%|\n|-|\n|%|", "# %", "<b %>"} {
			for _, l := range whole(strings.ReplaceAll(form, "%", s), 70, look) {
				if bad := strings.IndexFunc(l, func(r rune) bool {
					return r < ' ' || r >= 0x7f && r < 0xa0 || r == 0x202e || r == 0x2066 || r == 0xfeff
				}); bad >= 0 {
					t.Errorf("%q in %q: %q", s, form, l)
				}
			}
		}
	}
}

func piece1() *rapid.Generator[string] {
	return rapid.SampledFrom([]string{
		"word ", "longer words here ", "中文，字。", "（括号）", "ไทยกำ", "e\u0301", "👩\u200d👧", "👍🏽", "🇩🇪", "हिन्दी", "\t", "  ", "    ", "\n", "\n", "\n\n", "\n\n",
		"- ", "* ", "1. ", "2) ", "> ", "# ", "## ", "=== \n", "---\n", "***\n", "```", "````", "~~~", "`", "``", "*", "**", "_", "~~", "[", "]", "(", ")", "](http://x.y)",
		"[a]", "[a]: /u\n", "[b]: <v> \"t\"\n", "[b]", "![i](j)", "<b>", "<!--", "-->", "<http://a.b>", "http://a.bc/d ", "&amp;", "&#27;", "&", "\\", "|", "| a | b |\n", "|---|:-:|\n", "| c | d |\n", "a | b\n-|-\n",
		"[x] ", "go\n", "func x() {\n", "\"str\" 12 // c\n", "\x1b[31m", "\u202e", "\r\n", "\r", "\xff", "\n  ", "\n    ", "\n> ", "\n- ", "\n  - ", "!", "<", ":", "-", "=",
	})
}

func randomText() *rapid.Generator[string] {
	return rapid.Map(rapid.SliceOfN(piece1(), 0, 40), func(p []string) string { return strings.Join(p, "") })
}

func TestAnyCutEqualsWhole(t *testing.T) {
	look := colourful()
	rapid.Check(t, func(t *rapid.T) {
		text := randomText().Draw(t, "text")
		width := rapid.IntRange(1, 60).Draw(t, "width")
		size := rapid.SampledFrom([]int{1, 2, 3, 7, 20}).Draw(t, "bytes a delta")
		want := whole(text, width, look)
		if d := cmp.Diff(want, cuts(text, size, width, look, nil)); d != "" {
			t.Fatalf("%q:\n%s", text, d)
		}
	})
}

// A block that is done looks the same ever after, unless a definition of one
// of its labels comes.
func TestFinishedBlocksStay(t *testing.T) {
	look := colourful()
	rapid.Check(t, func(t *rapid.T) {
		text := strings.ReplaceAll(randomText().Draw(t, "text"), "]:", "] ")
		var done []string
		cuts(text, rapid.IntRange(1, 9).Draw(t, "bytes a delta"), 40, look, func(d *Doc) {
			n, _ := d.measure(40, look)
			now := d.collect(0, n, 40, look)
			if len(now) < len(done) {
				t.Fatalf("%q: %d finished lines became %d", text, len(done), len(now))
			}
			if diff := cmp.Diff(done, now[:len(done)], cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("%q:\n%s", text, diff)
			}
			done = now
		})
	})
}

func TestNoLineWiderThanWidth(t *testing.T) {
	look := colourful()
	rapid.Check(t, func(t *rapid.T) {
		text := randomText().Draw(t, "text")
		if rapid.IntRange(0, 19).Draw(t, "long word") == 0 {
			text += strings.Repeat("x", 100<<10)
		}
		width := rapid.IntRange(1, 200).Draw(t, "width")
		d := New()
		half := len(text) / 2
		d.Append(text[:half])
		checkWidth(t, d.Lines(width, look), text, width)
		d.Append(text[half:])
		checkWidth(t, d.Lines(width, look), text, width)
		d.Close()
		checkWidth(t, d.Lines(width, look), text, width)
	})
}

// tester is what testing.TB and *rapid.T have in common.
type tester interface {
	Helper()
	Fatalf(format string, args ...any)
}

func checkWidth(t tester, lines []string, text string, width int) {
	t.Helper()
	for i, l := range lines {
		if w := ansi.StringWidth(l); w > width {
			t.Fatalf("width %d, %.300q: line %d has %d: %q", width, text, i, w, l)
		}
		if strings.ContainsAny(ansi.Strip(l), "\n\r\t\x1b") {
			t.Fatalf("%.300q: control in %q", text, l)
		}
		if l == "" && (i == 0 || i == len(lines)-1) && !strings.Contains(text, "`") && !strings.Contains(text, "~") {
			continue
		}
	}
}

func FuzzDoc(f *testing.F) {
	for _, name := range []string{"fence-cut.md", "cjk-wrap.txt", "links-html.md"} {
		f.Add(testdata(f, name), 3, 20)
	}
	for _, s := range []string{"> > - 1. a\n\n```", "[a]: /u\n'x\n[a]", "a | b\n-|-\n", "- a\n\n  b\n-\n c", "&#27;*\u0301*👩*\u200d*👧", "    x\n\ty"} {
		f.Add(s, 1, 9)
	}
	look := colourful()
	f.Fuzz(func(t *testing.T, text string, size, width int) {
		if len(text) > 4096 {
			return
		}
		size, width = 1+abs(size)%50, 1+abs(width)%200
		got := cuts(text, size, width, look, nil)
		checkWidth(t, got, text, width)
		if d := cmp.Diff(whole(text, width, look), got); d != "" {
			t.Fatalf("%q, %d bytes a delta, width %d:\n%s", text, size, width, d)
		}
	})
}

func abs(n int) int { return max(n, -max(n, -1<<30)) }
