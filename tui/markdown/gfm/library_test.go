package gfm_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"pgregory.net/rapid"

	"agentstudio/tui/markdown/gfm"
)

func ours() parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
		parser.WithInlineParsers(parser.DefaultInlineParsers()...),
		gfm.Tables(), gfm.Strikethrough(), gfm.TaskListItems(), gfm.Autolinks())
}

func library() parser.Parser {
	return goldmark.New(goldmark.WithExtensions(
		extension.Table, extension.Strikethrough, extension.TaskList, extension.Linkify)).Parser()
}

// tree parses src and writes its tree, a node a line.
//
// The two differences to the library are taken out here and in facts. It adds empty cells to a
// row that is shorter than the table is wide: a hundred thousand bytes of pipes and short rows
// make it hundreds of millions, and who draws a row knows how wide the table is. And it gives
// a mail address that begins with www. the scheme http, which is of no use.
func tree(p parser.Parser, src string) string {
	b := []byte(src)
	var out strings.Builder
	root := p.Parse(text.NewReader(b))
	err := ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		if _, cell := n.(*east.TableCell); cell && emptyFromHere(n) {
			return ast.WalkSkipChildren, nil
		}
		depth := 0
		for p := n.Parent(); p != nil; p = p.Parent() {
			depth++
		}
		fmt.Fprintf(&out, "%s%s%s\n", strings.Repeat(" ", depth), n.Kind(), facts(n, b))
		return ast.WalkContinue, nil
	})
	if err != nil {
		panic(err)
	}
	return out.String()
}

func emptyFromHere(n ast.Node) bool {
	for ; n != nil; n = n.NextSibling() {
		if n.HasChildren() {
			return false
		}
	}
	return true
}

// facts are what a node says besides its kind.
func facts(n ast.Node, src []byte) string {
	switch n := n.(type) {
	case *ast.Text:
		return fmt.Sprintf(" %q raw %v soft %v hard %v", n.Segment.Value(src), n.IsRaw(), n.SoftLineBreak(), n.HardLineBreak())
	case *ast.AutoLink:
		if n.AutoLinkType == ast.AutoLinkEmail {
			return fmt.Sprintf(" mail %q", n.Label(src))
		}
		return fmt.Sprintf(" %q to %q", n.Label(src), n.URL(src))
	case *ast.Link:
		return fmt.Sprintf(" to %q title %q", n.Destination, n.Title)
	case *ast.Image:
		return fmt.Sprintf(" to %q title %q", n.Destination, n.Title)
	case *ast.Emphasis:
		return fmt.Sprintf(" %d", n.Level)
	case *east.TaskCheckBox:
		return fmt.Sprintf(" %v", n.IsChecked)
	case *east.Table:
		return fmt.Sprintf(" %v at %d", n.Alignments, n.Pos())
	case *east.TableHeader, *east.TableRow:
		return fmt.Sprintf(" at %d", n.Pos())
	case *east.TableCell:
		return fmt.Sprintf(" %v", n.Alignment)
	case *ast.Paragraph, *ast.TextBlock, *ast.CodeBlock, *ast.FencedCodeBlock, *ast.HTMLBlock:
		return fmt.Sprintf(" %q", n.Lines().Value(src))
	}
	return ""
}

// anyMarkdown draws texts that are nearly what the four parsers read.
func anyMarkdown() *rapid.Generator[string] {
	sign := rapid.SampledFrom(strings.Split("| | | : - - ~ ~~ ~~~ [ ] ( ) [ ] [x] [X] x a B 7 _ * . , ; ! ? @ / # $ & = + % < > ' \" ` `` \\ \\| é 中文 。", " "))
	space := rapid.SampledFrom([]string{" ", " ", "  ", "\t", "\n", "\n", "\n\n", "    ", "\f"})
	start := rapid.SampledFrom([]string{"- ", "* ", "1. ", "> ", "# ", "- [ ] ", "- [x] ", "[a]: /b\n", "```\n", "---\n", "<b>", "| a | b |\n|---|:-:|\n", "|a|\n-:\n", "a\n:-\n"})
	address := rapid.SampledFrom([]string{"www.", "http://", "https://", "ftp://", "http:", "mailto:", "a.b", "a.b/c", "www.a.b/(c", "http://a.b:80/?q=", "&amp;", "x@y.z", "x+1@y-z.com", "@y.z_", ".com", ".COM", "localhost"})
	long := rapid.Custom(func(t *rapid.T) string {
		of := rapid.SampledFrom([]string{"a", ".", "a.", "|", "~", "www.", "(", ")", "-", "@", "x@", ":"}).Draw(t, "of")
		return strings.Repeat(of, rapid.SampledFrom([]int{3, 62, 63, 64, 65, 126, 127, 128, 250, 254, 255, 256, 257, 258}).Draw(t, "n"))
	})
	piece := rapid.OneOf(sign, sign, sign, space, space, start, address, address, rapid.OneOf(sign, sign, sign, sign, long))
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(piece, 0, 40).Draw(t, "pieces"), "")
	})
}

// anyTable draws lines of which many are a table's.
func anyTable() *rapid.Generator[string] {
	cell := rapid.SampledFrom([]string{"", " ", "a", " b ", `\|`, "`", "`\\|`", "`a\\|b\\|c` `\\|`", "``\\|", "~x~", "www.a.b", "中", `\`, `\\`, "[x]", "<b>", "*"})
	mark := rapid.SampledFrom([]string{"-", "--", ":-", "-:", ":-:", "===", " - ", " :-- ", "---:", "::", ":", "", "- -"})
	line := rapid.Custom(func(t *rapid.T) string {
		of := cell
		if rapid.IntRange(0, 2).Draw(t, "kind") == 0 {
			of = mark
		}
		edge := rapid.SampledFrom([]string{"", "|", "|", "| ", " |", "   |", "    |"})
		body := strings.Join(rapid.SliceOfN(of, 1, 4).Draw(t, "cells"), "|")
		return edge.Draw(t, "left") + body + edge.Draw(t, "right")
	})
	return rapid.Custom(func(t *rapid.T) string {
		lines := rapid.SliceOfN(line, 1, 6).Draw(t, "lines")
		before := rapid.SampledFrom([]string{"", "", "", "> ", "- ", "  "}).Draw(t, "before")
		between := rapid.SampledFrom([]string{"\n", "\n", "\n" + before}).Draw(t, "between")
		return before + strings.Join(lines, between) + rapid.SampledFrom([]string{"", "\n"}).Draw(t, "end")
	})
}

func compare(t interface{ Fatalf(string, ...any) }, src string) {
	if got, want := tree(ours(), src), tree(library(), src); got != want {
		t.Fatalf("%q\nours:\n%s\nthe library:\n%s", src, got, want)
	}
}

// edges are texts that chance seldom finds.
var edges = []string{
	"|\na\n:-\n- ", "c\n|a|\n|-|\n===", "- [ ]\fa", "- a\n\n  [ ] b",
	"www." + strings.Repeat("a", 256) + ".b", "www." + strings.Repeat("a", 257) + ".b", "http://" + strings.Repeat(".a", 300),
	"www.a.b/a; www.a.b/&a; www.a.b/&; www.a.b/&a;&b;. www.a.b/$c http://a.b/$c ftp://a.b:80/c:/ http://a.b/8c http://a.b,8 http://a.b:c",
	"www..b www.a. www.a.B http://.b www.a.b*c* *www.a.b* _www.a.b_ ~www.a.b~ (www.a.b) [www.a.b](c) [www.a.b] \"www.a.b\"",
	strings.Repeat("a", 64) + "@b.c " + strings.Repeat("a", 65) + "@b.c a@b a@b. a@b.c. a@b.c- a@b.c_ -a@b.c www.@b.C",
}

func TestEdgesLikeTheLibrary(t *testing.T) {
	for _, src := range edges {
		compare(t, src)
	}
}

// Whatever the text, our parsers make the tree of the library they stand in for.
func TestLikeTheLibrary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { compare(t, anyMarkdown().Draw(t, "src")) })
}

func TestTablesLikeTheLibrary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { compare(t, anyTable().Draw(t, "src")) })
}

func FuzzLikeTheLibrary(f *testing.F) {
	for _, e := range slices.Concat(examples, departures) {
		f.Add(e.src)
	}
	for _, src := range edges {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src string) { compare(t, src) })
}
