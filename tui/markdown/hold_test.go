package markdown

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// An answer as models write them: nothing shown while it is written may be
// taken back. Lines above the last one are already as they will be, and the
// last one only grows.
func TestNothingShownIsTakenBack(t *testing.T) {
	look := colourful()
	for _, text := range []string{
		"# 账户总结\n\n过去 7 天 **ROAS 为 2.31**，整体*健康*；两个 `Campaign` 需要处理：\n\n- **Prospecting-CN**: CPA 是目标的 ~~3~~ 3.1 倍\n- Video: see [the report](https://example.com/a_b) now\n\n",
		"Some ``code with ` tick`` and a*b*c, 2 * 3, snake_case_name, **bold *and em* text** &amp; more &lt;b&gt; \\*not\\*.\n\nnext\n",
		"```go\nfunc main() { // say\n\tfmt.Println(\"``` x\")\n}\n```\n\nText\n\n~~~\na\n\nb\n~~~\n",
		"Setext? No.\n\n1. one\n2. two **x**\n   - deep `y`\n\n> quote **b**\n> more\n\n---\n\n2024 was\n+1 more\n",
		"See [1] and [a](b) and ![img](http://x/y.png \"t\") <https://example.com> a <b>c</b>!\n",
		"- item\n  ```sh\n  ls *.go **x\n  ```\n- next\n",
	} {
		final := whole(text, 200, look)
		plain := strings.Split(ansi.Strip(strings.Join(final, "\n")), "\n")
		d := New()
		for i := range len(text) {
			d.Append(text[i : i+1])
			lines := d.Lines(200, look) // wide, as a word at the edge may still move down
			if len(lines) > len(final) {
				t.Fatalf("after %q: %d lines, the whole has %d:\n%s", text[:i+1], len(lines), len(final), strings.Join(lines, "\n"))
			}
			for j, l := range lines {
				if j < len(lines)-1 && l != final[j] {
					t.Fatalf("after %q: line %d is %q, will be %q", text[:i+1], j, l, final[j])
				}
				if s := ansi.Strip(l); !strings.HasPrefix(plain[j], s) {
					t.Fatalf("after %q: line %d begins %q, will be %q", text[:i+1], j, s, plain[j])
				}
			}
		}
	}
}

func TestTablesComeRowByRow(t *testing.T) {
	look := NewLook(Style{})
	d := New()
	var seen []string
	text := "Intro\n\n| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n\nend"
	for i := range len(text) {
		d.Append(text[i : i+1])
		if now := strings.Join(d.Lines(40, look), "/"); len(seen) == 0 || seen[len(seen)-1] != now {
			seen = append(seen, now)
		}
	}
	want := []string{"I", "In", "Int", "Intr", "Intro", "Intro//a │ b/──┼──", "Intro//a │ b/──┼──/1 │ 2", "Intro//a │ b/──┼──/1 │ 2/3 │ 4"}
	for i, w := range want {
		if i >= len(seen) || seen[i] != w {
			t.Fatalf("%d: %q, want %q", i, seen, w)
		}
	}
}

func TestHold(t *testing.T) {
	for _, c := range []struct{ in, shown, closing string }{
		{"a **b", "a **b", "**"},
		{"a **b *c", "a **b *c", "***"},
		{"a **b ", "a **b", "**"},
		{"a **b*", "a **b", "**"},
		{"a `b *c", "a `b *c", "`"},
		{"a ``b`", "a ``b", "``"},
		{"a *", "a ", ""},
		{"2 * 3", "2 * 3", ""},
		{"x_y", "x_y", ""},
		{"_y", "_y", "_"},
		{"see [text](http://", "see ", ""},
		{"see [text](http://x) y", "see [text](http://x) y", ""},
		{"**[link", "", ""},
		{"a ![i", "a ", ""},
		{"a &am", "a ", ""},
		{"a & b", "a & b", ""},
		{"text\n``", "text\n", ""},
		{"text\n```g", "text\n", ""},
		{"text\n--", "text\n", ""},
		{"text\n1", "text\n", ""},
		{"text\n[a]: http", "text\n", ""},
		{"text\n\n| a |", "text\n\n", ""},
		{"text\n\n| a |\n|--", "text\n\n", ""},
		{"| a |\n|--|\n| x", "| a |\n|--|\n", ""},
		{"- **a**\n- *b", "- **a**\n- *b", "*"},
		{"# a *b", "# a *b", "*"},
		{"- x\n  ```\n  a **b", "- x\n  ```\n  a **b", ""},
		{"- x\n  ```\n  ``", "- x\n  ```\n", ""},
		{"a **b\n\n", "a **b\n\n", ""},
		{"a \\", "a ", ""},
	} {
		shown, closing := hold(c.in)
		if shown != c.shown || closing != c.closing {
			t.Errorf("hold(%q) = %q, %q, want %q, %q", c.in, shown, closing, c.shown, c.closing)
		}
	}
}
