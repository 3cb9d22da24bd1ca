package gfm

import (
	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Strikethrough reads text between one or two tildes, by section 6.5 of the specification. Three
// and more are text.
func Strikethrough() parser.Option {
	return parser.WithInlineParsers(util.Prioritized(tildes{}, 500)) // like emphasis
}

type tildes struct{}

// Trigger implements parser.InlineParser.
func (tildes) Trigger() []byte { return []byte{'~'} }

// Parse implements parser.InlineParser. Only the first tilde of a run looks how long the run is.
func (tildes) Parse(_ ast.Node, block text.Reader, pc parser.Context) ast.Node {
	before := block.PrecendingCharacter()
	if before == '~' {
		return nil
	}
	line, segment := block.PeekLine()
	run := parser.ScanDelimiter(line, before, 1, tildes{})
	if run == nil || run.OriginalLength > 2 {
		return nil
	}
	run.Segment = segment.WithStop(segment.Start + run.OriginalLength)
	block.Advance(run.OriginalLength)
	pc.PushDelimiter(run)
	return run
}

// IsDelimiter implements parser.DelimiterProcessor.
func (tildes) IsDelimiter(b byte) bool { return b == '~' }

// CanOpenCloser implements parser.DelimiterProcessor.
func (tildes) CanOpenCloser(opener, closer *parser.Delimiter) bool { return opener.Char == closer.Char }

// OnMatch implements parser.DelimiterProcessor.
func (tildes) OnMatch(int) ast.Node { return east.NewStrikethrough() }
