package markdown

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"agentstudio/tui/markdown/gfm"
)

// grammar holds the two parsers: the full one, and one that finds blocks only.
type grammar struct {
	full   parser.Parser
	blocks parser.Parser
}

func newGrammar() *grammar {
	blocks := []parser.Option{
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
		gfm.Tables(),
	}
	inlines := []parser.Option{
		parser.WithInlineParsers(parser.DefaultInlineParsers()...),
		gfm.Strikethrough(), gfm.TaskListItems(), gfm.Autolinks(),
	}
	return &grammar{
		full:   parser.NewParser(append(blocks, inlines...)...),
		blocks: parser.NewParser(blocks...),
	}
}

// piece is a top-level block, or one item of a top-level list: what can be
// drawn without its neighbours.
type piece struct {
	start   int  // of its first line in the source
	first   bool // belongs to the first block of the source
	item    int  // position in its list from 0, -1 for other blocks
	number  int  // of an ordered item, else 0
	heading bool
	empty   bool // a link definition: nothing to see
	spaced  bool // a blank line stands above it
	ends    bool // a blank line ends it: a paragraph and its like
}

// split cuts src into pieces and returns the link definitions in it. Where a
// piece begins is settled by the lines up to there: what comes after the
// beginning of a piece changes nothing in the pieces above. That holds for
// blocks of CommonMark; what the parser makes of the lines of one paragraph (a
// definition, text and a table) may all turn into something else as long as
// the paragraph goes on, so it stays together.
func (g *grammar) split(src string) ([]piece, []parser.Reference) {
	pc := parser.NewContext()
	b := []byte(src)
	root := g.blocks.Parse(text.NewReader(b), parser.WithContext(pc))
	var all []piece
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		_, isDef := n.(*ast.LinkReferenceDefinition)
		p := piece{start: lineStart(src, max(0, n.Pos())), item: -1, empty: isDef}
		p.first = n == root.FirstChild()
		p.ends = endsAtBlank(n)
		p.spaced = blankAbove(src, p.start)
		_, p.heading = n.(*ast.Heading)
		if len(all) > 0 && together(n, p, all[len(all)-1]) {
			last := &all[len(all)-1]
			last.ends = p.ends
			if last.empty {
				last.empty, last.heading = p.empty, p.heading
			}
			continue
		}
		if list, ok := n.(*ast.List); ok {
			all = appendItems(all, src, list, p.first)
		} else {
			all = append(all, p)
		}
	}
	return all, pc.References()
}

// together reports whether n, which would be p, comes from the same paragraph
// as the piece before it. A table claims its paragraph's beginning; a
// definition can be followed by text without a blank line.
func together(n ast.Node, p, last piece) bool {
	if p.start <= last.start || n.Pos() < 0 {
		return true
	}
	before, ok := n.PreviousSibling().(*ast.LinkReferenceDefinition)
	return ok && before != nil && !p.spaced
}

func endsAtBlank(n ast.Node) bool {
	switch n.(type) {
	case *ast.Paragraph, *ast.Heading, *ast.ThematicBreak, *ast.LinkReferenceDefinition, *east.Table:
		return true
	}
	return false
}

func appendItems(all []piece, src string, list *ast.List, first bool) []piece {
	i := 0
	for n := list.FirstChild(); n != nil; n = n.NextSibling() {
		p := piece{start: lineStart(src, max(0, n.Pos())), first: first, item: i}
		p.spaced = blankAbove(src, p.start)
		if list.IsOrdered() {
			p.number = list.Start + i
		}
		all = append(all, p)
		i++
	}
	return all
}

// position returns where n begins. A table made of a paragraph's last lines
// claims the paragraph's beginning, its header row knows better.
func position(n ast.Node) int {
	if _, ok := n.(*east.Table); ok && n.FirstChild() != nil {
		return max(0, n.FirstChild().Pos())
	}
	return max(0, n.Pos())
}

func lineStart(src string, at int) int { return strings.LastIndexByte(src[:at], '\n') + 1 }

// blankAbove reports whether the line above the one that begins at start shows
// nothing: a blank one, or one with quote marks only.
func blankAbove(src string, start int) bool {
	if start == 0 {
		return false
	}
	above := src[lineStart(src, start-1) : start-1]
	return strings.Trim(above, " >") == ""
}

// fence is an opening code fence.
type fence struct {
	mark   byte
	count  int
	indent int
	info   string
}

// openingFence parses line as the beginning of a code block that stands in no
// list or quote.
func openingFence(line string) (fence, bool) {
	body := strings.TrimLeft(line, " ")
	f := fence{indent: len(line) - len(body)}
	if f.indent > 3 || body == "" || body[0] != '`' && body[0] != '~' {
		return f, false
	}
	f.mark = body[0]
	rest := strings.TrimLeft(body, string(f.mark))
	f.count = len(body) - len(rest)
	f.info = strings.TrimSpace(rest)
	return f, f.count >= 3 && (f.mark == '~' || !strings.Contains(rest, "`"))
}

// closes reports whether line ends the block that f opened.
func (f fence) closes(line string) bool {
	body := strings.TrimLeft(line, " ")
	if len(line)-len(body) > 3 {
		return false
	}
	rest := strings.TrimLeft(body, string(f.mark))
	return len(body)-len(rest) >= f.count && strings.Trim(rest, " ") == ""
}

// content returns a line of the block without the indent of its fence.
func (f fence) content(line string) string {
	n := 0
	for n < f.indent && n < len(line) && line[n] == ' ' {
		n++
	}
	return line[n:]
}
