package gfm

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// TaskListItems reads the marker that a list item's first block begins with, [ ] or [x], by
// section 5.3 of the specification. The blanks behind the marker belong to it.
func TaskListItems() parser.Option {
	return parser.WithInlineParsers(util.Prioritized(marker{}, 0)) // ahead of links
}

type marker struct{}

// Trigger implements parser.InlineParser.
func (marker) Trigger() []byte { return []byte{'['} }

// Parse implements parser.InlineParser.
func (marker) Parse(parent ast.Node, block text.Reader, _ parser.Context) ast.Node {
	item, ok := parent.Parent().(*ast.ListItem)
	if !ok || item.FirstChild() != parent || parent.HasChildren() {
		return nil
	}
	line, _ := block.PeekLine()
	if len(line) < 3 || line[2] != ']' {
		return nil
	}
	checked := line[1] == 'x' || line[1] == 'X'
	if !checked && !blank(line[1]) {
		return nil
	}
	n := len("[ ]")
	for n < len(line) && blank(line[n]) {
		n++
	}
	block.Advance(n)
	return east.NewTaskCheckBox(checked)
}

func blank(c byte) bool { return strings.IndexByte(" \t\n\f\r", c) >= 0 }
