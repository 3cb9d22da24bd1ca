package markdown

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"agentstudio/engine/safe"
)

const (
	// maxDepth is how deep lists and quotes may nest; deeper blocks are shown
	// as they are written.
	maxDepth = 8
	// maxOpeners bounds brackets and emphasis marks in one block, whose cost
	// grows with the square of their number.
	maxOpeners  = 1000
	maxEmphasis = 4000
	// maxColumns bounds a table's width, which nobody could read anyway.
	maxColumns = 500
)

// renderer draws one block.
type renderer struct {
	look  *Look
	width int
	src   []byte
	doc   *Doc
	block *block
}

// definitions is the parser's view of the link definitions: those of the whole
// document so far. It notes labels that nobody has defined.
type definitions struct {
	parser.Context
	doc   *Doc
	block *block
}

// Reference implements parser.Context.
func (c *definitions) Reference(label string) (parser.Reference, bool) {
	if r, ok := c.doc.refs[label]; ok {
		return r, true
	}
	for _, r := range c.block.refs {
		if util.ToLinkReference(r.Label()) == label {
			return r, true
		}
	}
	if r, ok := c.Context.Reference(label); ok {
		return r, true
	}
	c.block.wants(c.doc, label)
	return nil, false
}

// drawBlock returns the lines of b.
func (d *Doc) drawBlock(b *block, width int, look *Look) []string {
	r := &renderer{look: look, width: width, src: []byte(b.src), doc: d, block: b}
	if _, code := openingFence(b.src[:strings.IndexByte(b.src+"\n", '\n')]); !code && overloaded(b.src) {
		return r.plain(b.src)
	}
	pc := &definitions{Context: parser.NewContext(), doc: d, block: b}
	root := d.grammar.full.Parse(text.NewReader(r.src), parser.WithContext(pc))
	if depth(root) > maxDepth {
		return r.plain(b.src)
	}
	return r.children(root, 0, b.number)
}

func overloaded(src string) bool {
	if strings.Count(src, "[") > maxOpeners {
		return true
	}
	n := 0
	for _, c := range []string{"*", "_", "~", "<"} {
		n += strings.Count(src, c)
	}
	if strings.Count(src, "|") > maxColumns {
		for line := range strings.Lines(src) {
			if strings.Count(line, "|") > maxColumns {
				return true
			}
		}
	}
	return n > maxEmphasis
}

// depth counts how many lists and quotes stand in each other below n, without
// recursion, as the answer may be any number.
func depth(root ast.Node) int {
	deepest, level := 0, 0
	n := root
	for {
		if c := n.FirstChild(); c != nil && c.Type() == ast.TypeBlock {
			n = c
			level += nests(n)
			deepest = max(deepest, level)
			continue
		}
		for n != root && n.NextSibling() == nil {
			level -= nests(n)
			n = n.Parent()
		}
		if n == root {
			return deepest
		}
		level -= nests(n)
		n = n.NextSibling()
		level += nests(n)
		deepest = max(deepest, level)
	}
}

func nests(n ast.Node) int {
	switch n.(type) {
	case *ast.List, *ast.Blockquote:
		return 1
	}
	return 0
}

// plain shows src as it is written.
func (r *renderer) plain(src string) []string {
	var f inlines
	f.add(strings.TrimRight(src, "\n "), 0)
	return f.draw(r.look, r.width, safe.Wrap)
}

// children draws the blocks below n, with a blank line between where the
// source has one. number is that of a list's first item, 0 for its own.
func (r *renderer) children(n ast.Node, a attr, number int) []string {
	var rows []string
	var above flow
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		_, heading := c.(*ast.Heading)
		b := block{heading: heading, spaced: blankAbove(string(r.src), lineStart(string(r.src), position(c)))}
		drawn := r.node(c, a, number)
		b.empty = len(drawn) == 0
		if above.place(&b); b.gap {
			rows = append(rows, "")
		}
		rows = append(rows, drawn...)
	}
	return rows
}

func (r *renderer) node(n ast.Node, a attr, number int) []string {
	switch n := n.(type) {
	case *ast.Heading:
		return r.sentences(n, a|aHeading)
	case *ast.Paragraph, *ast.TextBlock:
		return r.sentences(n, a)
	case *ast.List:
		return r.list(n, a, number)
	case *ast.Blockquote:
		bar := r.look.paint(aBar, r.look.glyphs.bar)
		return r.within(prefixes{bar, bar, bar, 2}, func() []string {
			return r.children(n, a|aQuote, 0)
		})
	case *ast.FencedCodeBlock:
		return r.codeBlock(n, string(n.Language(r.src)))
	case *ast.CodeBlock:
		return r.codeBlock(n, "")
	case *ast.HTMLBlock:
		return r.html(n, a)
	case *ast.ThematicBreak:
		return []string{r.look.paint(aRule, strings.Repeat(r.look.glyphs.rule, r.width))}
	case *east.Table:
		return r.table(n, a)
	case *ast.LinkReferenceDefinition:
		return nil
	}
	return r.children(n, a, 0)
}

func (r *renderer) sentences(n ast.Node, a attr) []string {
	var f inlines
	r.inline(&f, n, a)
	if len(f.text) == 0 {
		return nil
	}
	return f.draw(r.look, r.width, safe.Wrap)
}

// prefixes are what stands before the lines of something drawn narrower by so many cells: before
// the first, the others, and blank ones. A blank parts them from the text.
type prefixes struct {
	first, other, blank string
	cells               int
}

// within draws something narrower and puts the prefixes before its lines. Where there is no room
// for both, the prefixes go.
func (r *renderer) within(p prefixes, draw func() []string) []string {
	if r.width <= p.cells {
		return draw()
	}
	r.width -= p.cells
	rows := draw()
	r.width += p.cells
	for i, row := range rows {
		before := p.other
		if i == 0 {
			before = p.first
		}
		switch {
		case row != "":
			rows[i] = before + r.look.gap(1) + row
		case i == 0:
			rows[i] = before
		default:
			rows[i] = p.blank
		}
	}
	return rows
}

func (r *renderer) list(n *ast.List, a attr, number int) []string {
	if number == 0 {
		number = n.Start
	}
	var rows []string
	var above flow
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		mark := r.look.glyphs.bullet
		if n.IsOrdered() {
			mark = strconv.Itoa(number) + "."
			number++
		}
		cells := safe.Width(safe.Safe(mark)) + 1
		signs := prefixes{r.look.paint(aMarker|a&aQuote, mark), r.look.gap(cells - 1), "", cells}
		drawn := r.within(signs, func() []string {
			if rows := r.children(item, a, 0); len(rows) > 0 {
				return rows
			}
			return []string{""}
		})
		b := block{spaced: blankAbove(string(r.src), lineStart(string(r.src), position(item)))}
		if above.place(&b); b.gap {
			rows = append(rows, "")
		}
		rows = append(rows, drawn...)
	}
	return rows
}

func (r *renderer) codeBlock(n ast.Node, lang string) []string {
	l := newLexer(language(lang))
	var rows []string
	for i := range n.Lines().Len() {
		seg := n.Lines().At(i)
		rows = append(rows, r.codeLine(l, strings.TrimSuffix(string(seg.Value(r.src)), "\n"))...)
	}
	return rows
}

// html shows HTML as it is written.
func (r *renderer) html(n *ast.HTMLBlock, a attr) []string {
	var f inlines
	for i := range n.Lines().Len() {
		seg := n.Lines().At(i)
		f.add(string(seg.Value(r.src)), a)
	}
	if n.HasClosure() {
		f.add(string(n.ClosureLine.Value(r.src)), a)
	}
	f.text = bytes.TrimRight(f.text, "\n ")
	return f.draw(r.look, r.width, safe.Wrap)
}
