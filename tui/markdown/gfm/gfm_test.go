package gfm_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// example is a text and what it is read as, as outline writes it.
type example struct{ name, src, want string }

// examples are those of the specification, sections 4.10, 5.3, 6.5 and 6.9.
var examples = []example{
	{"table", "| foo | bar |\n| --- | --- |\n| baz | bim |", "table[none none](head(foo|bar) row(baz|bim))"},
	{"table alignment", "| abc | defghi |\n:-: | -----------:\nbar | baz", "table[center right](head(abc|defghi) row(bar|baz))"},
	{"table pipes", "| f\\|oo  |\n| ------ |\n| b `\\|` az |\n| b **\\|** im |", "table[none](head(f|oo) row(b `|` az) row(b **(|) im))"},
	{"table ends at block", "| abc | def |\n| --- | --- |\n| bar | baz |\n> bar", "table[none none](head(abc|def) row(bar|baz)) quote(p(bar))"},
	{"table ends at blank line", "| abc | def |\n| --- | --- |\n| bar | baz |\nbar\n\nbar", "table[none none](head(abc|def) row(bar|baz) row(bar)) p(bar)"},
	{"table head too wide", "| abc | def |\n| --- |\n| bar |", "p(| abc | def |/| --- |/| bar |)"},
	{"table short and long rows", "| abc | def |\n| --- | --- |\n| bar |\n| bar | baz | boo |", "table[none none](head(abc|def) row(bar) row(bar|baz))"},
	{"table without rows", "| abc | def |\n| --- | --- |", "table[none none](head(abc|def))"},

	{"tasks", "- [ ] foo\n- [x] bar", "list(item([ ]foo) item([x]bar))"},
	{"tasks nested", "- [x] foo\n  - [ ] bar\n  - [x] baz\n- [ ] bim", "list(item([x]foo list(item([ ]bar) item([x]baz))) item([ ]bim))"},

	{"strikethrough", "~~Hi~~ Hello, ~there~ world!", "p(~(Hi) Hello, ~(there) world!)"},
	{"strikethrough over paragraphs", "This ~~has a\n\nnew paragraph~~.", "p(This ~~has a) p(new paragraph~~.)"},
	{"strikethrough of three", "This will ~~~not~~~ strike.", "p(This will ~~~not~~~ strike.)"},

	{"www", "www.commonmark.org", "p(<http://www.commonmark.org>)"},
	{"www path", "Visit www.commonmark.org/help for more information.", "p(Visit <http://www.commonmark.org/help> for more information.)"},
	{"www stop", "Visit www.commonmark.org.\n\nVisit www.commonmark.org/a.b.", "p(Visit <http://www.commonmark.org>.) p(Visit <http://www.commonmark.org/a.b>.)"},
	{"www parentheses", "www.google.com/search?q=Markup+(business)\n\nwww.google.com/search?q=Markup+(business)))\n\n(www.google.com/search?q=Markup+(business))\n\n(www.google.com/search?q=Markup+(business)",
		"p(<http://www.google.com/search?q=Markup+(business)>) p(<http://www.google.com/search?q=Markup+(business)>))) p((<http://www.google.com/search?q=Markup+(business)>)) p((<http://www.google.com/search?q=Markup+(business)>)"},
	{"www parentheses inside", "www.google.com/search?q=(business))+ok", "p(<http://www.google.com/search?q=(business))+ok>)"},
	{"www reference", "www.google.com/search?q=commonmark&hl=en\n\nwww.google.com/search?q=commonmark&hl;", "p(<http://www.google.com/search?q=commonmark&hl=en>) p(<http://www.google.com/search?q=commonmark>&hl;)"},
	{"www less than", "www.commonmark.org/he<lp", "p(<http://www.commonmark.org/he><lp)"},
	{"url", "http://commonmark.org\n\n(Visit https://encrypted.google.com/search?q=Markup+(business))\n\nAnonymous FTP is available at ftp://foo.bar.baz.",
		"p(<http://commonmark.org>) p((Visit <https://encrypted.google.com/search?q=Markup+(business)>)) p(Anonymous FTP is available at <ftp://foo.bar.baz>.)"},
	{"mail", "foo@bar.baz", "p(<mailto:foo@bar.baz>)"},
	{"mail plus", "hello@mail+xyz.example isn't valid, but hello+xyz@mail.example is.", "p(hello@mail+xyz.example isn't valid, but <mailto:hello+xyz@mail.example> is.)"},
	{"mail end", "a.b-c_d@a.b\n\na.b-c_d@a.b.\n\na.b-c_d@a.b-\n\na.b-c_d@a.b_", "p(<mailto:a.b-c_d@a.b>) p(<mailto:a.b-c_d@a.b>.) p(a.b-c_d@a.b-) p(a.b-c_d@a.b_)"},
}

// departures are where the library, and we like it, read something else than the specification
// says. To change one changes what people see.
var departures = []example{
	{"a narrow head is filled up", "| a |\n|---|---|", "table[none none](head(a))"},
	{"a pipe that ends a line is its border, escaped or not", "|a|\n|-|\n|b \\|", "table[none](head(a) row(b \\))"},
	{"a marker needs no blank behind it", "- [x](y)", "list(item([x](y)))"},
	{"a marker may begin a heading", "- # [ ] a", "list(item(#([ ]a)))"},
	{"one tilde closes what two open", "~~a~", "p(~~(a))"},
	{"a domain ends in small letters", "www.A.COM www.a.b2", "p(www.A.COM <http://www.a.b>2)"},
	{"a domain may have an underscore", "www.a_b.c", "p(<http://www.a_b.c>)"},
	{"a path has no sign beyond ASCII", "www.a.b/c。中文", "p(<http://www.a.b/c>。中文)"},
	{"no address begins with mailto: or xmpp:", "mailto:foo@bar.baz xmpp:foo@bar.baz/txt", "p(mailto:foo@bar.baz xmpp:foo@bar.baz/txt)"},
}

func TestSpecification(t *testing.T) {
	for _, e := range slices.Concat(examples, departures) {
		t.Run(e.name, func(t *testing.T) {
			if got := outline(ours().Parse(text.NewReader([]byte(e.src))), []byte(e.src)); got != e.want {
				t.Errorf("%q\n got %s\nwant %s", e.src, got, e.want)
			}
			compare(t, e.src)
		})
	}
}

// outline writes a tree on one line, a break in a text as a slash.
func outline(n ast.Node, src []byte) string {
	switch n := n.(type) {
	case *ast.Text:
		s := string(util.UnescapePunctuations(n.Segment.Value(src)))
		if n.SoftLineBreak() {
			s += "/"
		}
		return s
	case *ast.AutoLink:
		if n.AutoLinkType == ast.AutoLinkEmail {
			return "<mailto:" + string(n.URL(src)) + ">"
		}
		return "<" + string(n.URL(src)) + ">"
	case *ast.CodeSpan:
		return "`" + inside(n, src, "") + "`"
	case *ast.Emphasis:
		return strings.Repeat("*", n.Level) + "(" + inside(n, src, "") + ")"
	case *east.Strikethrough:
		return "~(" + inside(n, src, "") + ")"
	case *east.TaskCheckBox:
		return map[bool]string{true: "[x]", false: "[ ]"}[n.IsChecked]
	case *ast.Paragraph:
		return "p(" + inside(n, src, "") + ")"
	case *ast.Heading:
		return "#(" + inside(n, src, "") + ")"
	case *ast.TextBlock, *east.TableCell:
		return inside(n, src, "")
	case *ast.List:
		return "list(" + inside(n, src, " ") + ")"
	case *ast.ListItem:
		return "item(" + inside(n, src, " ") + ")"
	case *ast.Blockquote:
		return "quote(" + inside(n, src, " ") + ")"
	case *east.Table:
		var columns []string
		for _, a := range n.Alignments {
			columns = append(columns, a.String())
		}
		return "table[" + strings.Join(columns, " ") + "](" + inside(n, src, " ") + ")"
	case *east.TableHeader:
		return "head(" + inside(n, src, "|") + ")"
	case *east.TableRow:
		return "row(" + inside(n, src, "|") + ")"
	case *ast.Document:
		return inside(n, src, " ")
	}
	return n.Kind().String() + "?"
}

func inside(n ast.Node, src []byte, between string) string {
	var parts []string
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		parts = append(parts, outline(c, src))
	}
	return strings.Join(parts, between)
}
