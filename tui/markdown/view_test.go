package markdown

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "paragraph %d\n\n", i)
	}
	return b.String()
}

func TestWindow(t *testing.T) {
	look := NewLook(Style{})
	d := New()
	d.Append(numbered(100))
	all := d.Lines(40, look)
	if len(all) != 199 || d.Height(40, look) != 199 || d.Blocks() != 100 {
		t.Fatalf("%d lines, height %d, %d blocks", len(all), d.Height(40, look), d.Blocks())
	}
	for _, c := range []struct{ top, rows, from, to int }{{0, 10, 0, 10}, {51, 7, 51, 58}, {190, 45, 190, 199}, {-5, 3, 0, 3}, {500, 10, 199, 199}, {3, 0, 3, 3}} {
		got := strings.Join(d.Window(c.top, c.rows, 40, look), "\n")
		if want := strings.Join(all[c.from:c.to], "\n"); got != want {
			t.Errorf("Window(%d, %d):\n%s", c.top, c.rows, cmp.Diff(want, got))
		}
	}
}

// Only three windows around the view keep their lines.
func TestWindowForgetsWhatIsFar(t *testing.T) {
	look := NewLook(Style{})
	d := New()
	d.Append(numbered(1000))
	d.Window(1000, 20, 40, look)
	warm := 0
	for _, b := range d.done {
		if b.rows != nil {
			warm++
		}
	}
	if warm < 60 || warm > 80 { // 140 lines, two a block
		t.Errorf("%d blocks keep their lines", warm)
	}
	if got := d.Window(0, 1, 40, look); len(got) != 1 || got[0] != "paragraph 0" {
		t.Errorf("%q", got)
	}
}

func TestBlockAccess(t *testing.T) {
	look := NewLook(Style{})
	d := New()
	d.Append("# A\n\ntext\n\n- x\n- y\n\n[r]: /u\n\nlast [r]")
	d.Close()
	var all []string
	for i := range d.Blocks() {
		rows := d.Block(i, 30, look)
		if len(rows) != d.BlockHeight(i, 30, look) {
			t.Errorf("block %d: %d lines, height %d", i, len(rows), d.BlockHeight(i, 30, look))
		}
		all = append(all, rows...)
	}
	if diff := cmp.Diff(d.Lines(30, look), all); diff != "" {
		t.Error(diff)
	}
}

// A definition draws those blocks again that wanted it, and no others.
func TestDefinitionRedrawsItsUsers(t *testing.T) {
	look := NewLook(Style{})
	d := New()
	d.Append("see [r]\n\nother\n\n")
	if got := strings.Join(d.Lines(40, look), "/"); got != "see [r]//other" {
		t.Fatalf("%q", got)
	}
	other := &d.done[0].rows[0]
	d.Append("more\n\n[r]: http://x\n\nend")
	if got := strings.Join(d.Lines(40, look), "/"); got != "see r (http://x)//other//more//end" {
		t.Errorf("%q", got)
	}
	if &d.done[0].rows[0] == other {
		t.Error("the user of the definition was not drawn again")
	}
	kept := &d.done[1].rows[0]
	d.Append("\n\n[q]: http://y\n\nz")
	d.Lines(40, look)
	if &d.done[1].rows[0] != kept {
		t.Error("a block without that label was drawn again")
	}
}

func TestResizeAndLook(t *testing.T) {
	text := testdata(t, "links-html.md")
	a, b := colourful(), NewLook(Style{ASCII: true})
	d := New()
	d.Append(text)
	for _, w := range []int{80, 20, 80, 5} {
		for _, l := range []*Look{a, b} {
			d.Lines(w, l)
		}
	}
	d.Close()
	for _, w := range []int{80, 20} {
		if diff := cmp.Diff(whole(text, w, a), d.Lines(w, a)); diff != "" {
			t.Error(diff)
		}
	}
}

func TestSet(t *testing.T) {
	look := NewLook(Style{})
	d := New()
	d.Set("one\n\ntwo")
	d.Lines(40, look)
	first := d.done[0]
	d.Set("one\n\ntwo three")
	if d.Lines(40, look); d.done[0] != first {
		t.Error("what was drawn is lost")
	}
	d.Close()
	d.Set("new")
	d.Append("er")
	if got := d.Lines(40, look); len(got) != 1 || got[0] != "newer" || d.Source() != "newer" {
		t.Errorf("%q", got)
	}
}

// Code that is being written looks in the end as it did line by line, strings
// and comments over several lines included.
func TestOpenCodeKeepsItsLines(t *testing.T) {
	look := colourful()
	text := "```python\ndef f(a):\n    \"\"\"Doc\n    if still doc\n    \"\"\"\n    return 'x' + 1  # c\n" + strings.Repeat("word ", 30) + "\n```\n\nend"
	d := New()
	var before []string
	for i := range len(text) {
		d.Append(text[i : i+1])
		lines := d.Lines(40, look)
		n := max(0, len(before)-4) // the last line may grow over four
		if diff := cmp.Diff(before[:n], lines[:n], cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("after %q:\n%s", text[:i+1], diff)
		}
		before = lines
	}
	d.Close()
	if diff := cmp.Diff(whole(text, 40, look), d.Lines(40, look)); diff != "" {
		t.Error(diff)
	}
}

// Deep nesting, and other inputs that cost parsers dearly, are through in a moment. What is not takes
// hours, which the test's own time limit shows; no clock decides here.
func TestHostileInputsDoNotHang(t *testing.T) {
	look := colourful()
	nested := func(mark string, n int) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(strings.Repeat("  ", i) + mark + "x\n")
		}
		return b.String()
	}
	for _, text := range []string{
		strings.Repeat("> ", 100) + "x", strings.Repeat("> ", 500) + "x", strings.Repeat("> ", 32000), strings.Repeat(">", 60000),
		strings.Repeat("- ", 100) + "x", strings.Repeat("- ", 500) + "x", strings.Repeat("- * ", 15000), strings.Repeat("1. ", 15000) + "x",
		nested("- ", 100), nested("- ", 200), strings.Repeat(strings.Repeat("> ", 150)+"x\n", 100),
		strings.Repeat("[", 20000), strings.Repeat("[a](", 10000), strings.Repeat("*a ", 20000), strings.Repeat("a**b_", 10000), strings.Repeat("![", 10000),
		strings.Repeat("<a ", 10000), strings.Repeat("`", 5000), strings.Repeat("|a", 10000) + "\n" + strings.Repeat("|-", 10000) + "\n",
		strings.Repeat("&", 30000), strings.Repeat("x", 1<<20), strings.Repeat("a\u0301", 30000), strings.Repeat("\\", 30000),
	} {
		d := New()
		d.Append(text)
		d.Window(0, 45, 80, look)
		d.Append(" more\n\nend")
		d.Window(0, 45, 80, look)
		d.Close()
		if lines := d.Window(0, 45, 80, look); len(lines) == 0 {
			t.Errorf("%.12q, %d bytes: nothing is shown", text, len(text))
		}
	}
}

func TestDeepNestingIsPlain(t *testing.T) {
	ok := strings.Repeat("> ", maxDepth) + "**x**"
	if got := plainly(ok, 80); strings.Contains(got, "*") {
		t.Errorf("%d levels: %q", maxDepth, got)
	}
	deep := strings.Repeat("> ", maxDepth+1) + "**x**"
	if got := plainly(deep, 80); got != deep {
		t.Errorf("%d levels: %q", maxDepth+1, got)
	}
}

// answer is about n bytes of what models write.
func answer(n int) string {
	const part = "## Findings %d\n\nThe account spent **¥48,210** in *seven* days; `ROAS` is 2.31 and [the report](https://example.com/r/1) says 过去 7 天整体健康，两个 Campaign 需要处理。\n\n" +
		"- **Prospecting-CN**: CPA is 3.1 times the target, 样本 214 次转化\n- Video-Awareness: CTR 0.21%%, below half of the mean\n  - nested with `code`\n\n" +
		"| campaign | spend | ROAS |\n|---|--:|--:|\n| Brand-Search | 12,000 | 4.12 |\n| Retargeting | 9,300 | 2.87 |\n\n" +
		"```go\nfunc roas(spend, value float64) float64 {\n\tif spend == 0 { // nothing spent\n\t\treturn 0\n\t}\n\treturn value / spend\n}\n```\n\n> Note: numbers are for teaching.\n\n1. Lower the bid.\n2. Pause the video.\n\n"
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, part, i)
	}
	return b.String()[:n]
}

// stream gives text in pieces of size bytes and asks for the last 45 lines
// after each. It returns the number of pieces.
func stream(text string, size int, look *Look) int {
	d := New()
	n := 0
	for ; text != ""; n++ {
		k := min(size, len(text))
		d.Append(text[:k])
		text = text[k:]
		d.Window(d.Height(100, look)-45, 45, 100, look)
	}
	d.Close()
	d.Window(d.Height(100, look)-45, 45, 100, look)
	return n
}

// The cost a delta must not grow with the length: compare the sizes' µs/delta.
func BenchmarkStream(b *testing.B) {
	look := colourful()
	code := "```go\n" + strings.Repeat("func roas(spend, value float64) float64 { // x\n\treturn value / spend\n}\n", 5000)
	list := strings.Repeat("- **Prospecting-CN**: CPA is 3.1 times the `target`\n", 5000)
	prose := strings.Repeat("The account spent **much** in seven days, and one more. ", 5000)
	for _, c := range []struct {
		name string
		text string
		size int
	}{
		{"answer/5KB", answer(5 << 10), 80}, {"answer/50KB", answer(50 << 10), 80}, {"answer/200KB", answer(200 << 10), 80},
		{"answer/20000-deltas", answer(20000 * 5), 5},
		{"code/5KB", code[:5<<10], 80}, {"code/50KB", code[:50<<10], 80},
		{"list/5KB", list[:5<<10], 80}, {"list/50KB", list[:50<<10], 80},
		{"one-paragraph/5KB", prose[:5<<10], 80}, {"one-paragraph/50KB", prose[:50<<10], 80},
	} {
		b.Run(c.name, func(b *testing.B) {
			n := 0
			for b.Loop() {
				n = stream(c.text, c.size, look)
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(n), "µs/delta")
		})
	}
}

func BenchmarkWhole(b *testing.B) {
	look, text := colourful(), answer(50<<10)
	for b.Loop() {
		whole(text, 100, look)
	}
}
