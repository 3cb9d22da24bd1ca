package gfm

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// pipes takes the backslashes from the pipes in a table's code spans, where CommonMark knows no
// escapes: "the | character is escaped inside other inline spans too" (section 4.10).
type pipes struct{}

// Transform implements parser.ASTTransformer.
func (pipes) Transform(doc *ast.Document, reader text.Reader, _ parser.Context) {
	src := reader.Source()
	if !bytes.Contains(src, []byte(`\|`)) {
		return
	}
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Paragraph, *ast.TextBlock, *ast.Heading: // no cells
			return ast.WalkSkipChildren, nil
		case *ast.CodeSpan:
			if entering {
				unescape(n, src)
			}
			return ast.WalkSkipChildren, nil
		}
		return ast.WalkContinue, nil
	})
}

func unescape(span *ast.CodeSpan, src []byte) {
	for c := span.FirstChild(); c != nil; c = c.NextSibling() {
		t, ok := c.(*ast.Text)
		if !ok {
			continue
		}
		for {
			i := bytes.Index(src[t.Segment.Start:t.Segment.Stop], []byte(`\|`))
			if i < 0 {
				break
			}
			span.InsertBefore(span, t, ast.NewRawTextSegment(t.Segment.WithStop(t.Segment.Start+i)))
			t.Segment.Start += i + 1
		}
	}
}
