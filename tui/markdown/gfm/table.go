// Package gfm reads what GitHub Flavored Markdown adds to CommonMark and answers of models use:
// tables, strikethrough, task list items and extended autolinks. Its options give a goldmark
// parser these four; they make the nodes of goldmark's extension/ast.
//
// Where its neighbour goldmark/extension reads something else than the specification
// (https://github.github.com/gfm/), these parsers read it like the neighbour, of which they took
// the place: the differences stand in the tests. The time these parsers take is linear in the
// text; goldmark's own matching of delimiters, by which a strikethrough ends, is not always.
//
// A parser made with these options keeps nothing between texts.
package gfm

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Tables makes the last lines of a paragraph a table, by section 4.10 of the specification. A
// row has as many cells as its line has, at most as many as there are columns: cells that the
// specification adds at the end of a short row are left out, as they could be many more than the
// text has bytes.
func Tables() parser.Option {
	return options{
		parser.WithParagraphTransformers(util.Prioritized(tables{}, 200)), // behind link definitions
		parser.WithASTTransformers(util.Prioritized(pipes{}, 0)),
	}
}

type options []parser.Option

// SetParserOption implements parser.Option.
func (o options) SetParserOption(c *parser.Config) {
	for _, option := range o {
		option.SetParserOption(c)
	}
}

type tables struct{}

// Transform implements parser.ParagraphTransformer. The first delimiter row decides: with more
// cells above it than it has, there is no table.
func (tables) Transform(paragraph *ast.Paragraph, reader text.Reader, _ parser.Context) {
	src, lines := reader.Source(), paragraph.Lines()
	for i := 1; i < lines.Len(); i++ {
		columns := delimiterRow(lines.At(i), src)
		if columns == nil {
			continue
		}
		if len(cells(lines.At(i-1), src, len(columns)+1)) > len(columns) {
			return
		}
		table := east.NewTable()
		table.Alignments = columns
		table.SetPos(paragraph.Pos())
		table.AppendChild(table, east.NewTableHeader(row(lines.At(i-1), src, columns)))
		for j := i + 1; j < lines.Len(); j++ {
			table.AppendChild(table, row(lines.At(j), src, columns))
		}
		place(table, paragraph, i-1)
		return
	}
}

// place puts table behind paragraph, which keeps its first n lines, and goes if it has none.
func place(table ast.Node, paragraph *ast.Paragraph, n int) {
	parent, lines := paragraph.Parent(), paragraph.Lines()
	parent.InsertAfter(parent, paragraph, table)
	lines.SetSliced(0, n)
	if n == 0 {
		parent.RemoveChild(parent, paragraph)
		return
	}
	last := lines.At(n - 1)
	last.Stop-- // its line end, which would stay in a heading made of it
	lines.Set(n-1, last)
}

// delimiterRow returns the alignment of each column if line is a delimiter row, else nil.
func delimiterRow(line text.Segment, src []byte) (columns []east.Alignment) {
	rest := line.Value(src)
	if indent, _ := util.IndentWidth(rest, 0); indent > 3 || len(bytes.Trim(rest, "-")) == 0 {
		return nil // nothing but dashes and no line end: the neighbour leaves them to the paragraph
	}
	rest = trim(rest)
	rest = bytes.TrimSuffix(bytes.TrimPrefix(rest, []byte{'|'}), []byte{'|'})
	for more := len(rest) > 0; more; {
		var cell []byte
		cell, rest, more = bytes.Cut(rest, []byte{'|'})
		column, ok := alignment(trim(cell))
		if !ok {
			return nil
		}
		columns = append(columns, column)
	}
	return columns
}

// alignment reads a delimiter row's cell: dashes, and a colon at the side the column leans to.
func alignment(cell []byte) (east.Alignment, bool) {
	rest, left := bytes.CutPrefix(cell, []byte{':'})
	rest, right := bytes.CutSuffix(rest, []byte{':'})
	ok := len(rest) > 0 && len(bytes.Trim(rest, "-")) == 0
	switch {
	case left && right:
		return east.AlignCenter, ok
	case left:
		return east.AlignLeft, ok
	case right:
		return east.AlignRight, ok
	}
	return east.AlignNone, ok
}

func trim(b []byte) []byte { return bytes.Trim(b, " \t\r\n") }

func row(line text.Segment, src []byte, columns []east.Alignment) *east.TableRow {
	row := east.NewTableRow(columns)
	row.SetPos(line.Start)
	for i, content := range cells(line, src, len(columns)) {
		cell := east.NewTableCell()
		cell.Alignment = columns[i]
		cell.SetPos(content.Start)
		cell.Lines().Append(content)
		row.AppendChild(row, cell)
	}
	return row
}

// cells returns the contents of a row's first cells, at most limit. A pipe behind a backslash is
// content, unless it ends the line.
func cells(line text.Segment, src []byte, limit int) (contents []text.Segment) {
	line = line.TrimLeftSpace(src)
	line = line.TrimRightSpace(src)
	at, end := line.Start, line.Stop
	if at < end && src[at] == '|' {
		at++
	}
	if at < end && src[end-1] == '|' {
		end--
	}
	for at < end && len(contents) < limit {
		stop := at
		for stop < end && (src[stop] != '|' || src[stop-1] == '\\') {
			stop++
		}
		content := text.NewSegment(at, stop)
		content = content.TrimLeftSpace(src)
		contents = append(contents, content.TrimRightSpace(src))
		at = stop + 1
	}
	return contents
}
