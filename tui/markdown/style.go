package markdown

import (
	"strings"

	"charm.land/lipgloss/v2"
)

// Style is how each part looks. Only text attributes and colours count, not
// padding, borders or sizes. The zero value is plain text.
type Style struct {
	Text    lipgloss.Style // under everything else
	Heading lipgloss.Style
	Strong  lipgloss.Style
	Emph    lipgloss.Style
	Strike  lipgloss.Style
	Code    lipgloss.Style // inside a sentence
	Link    lipgloss.Style // a link's text
	Address lipgloss.Style // its address, in brackets behind it
	Marker  lipgloss.Style // bullets and numbers
	Quote   lipgloss.Style
	Bar     lipgloss.Style // left of a quote
	Rule    lipgloss.Style // lines of tables and between paragraphs

	CodeBlock lipgloss.Style
	Keyword   lipgloss.Style
	String    lipgloss.Style
	Comment   lipgloss.Style
	Number    lipgloss.Style

	ASCII bool // draw bullets, bars and lines with ASCII only
}

// attr is a set of parts that meet in one place: strong text in a quote.
type attr uint32

const (
	aKeyword attr = 1 << iota // from the most particular to the most general:
	aString                   // the first that sets a colour wins
	aComment
	aNumber
	aCode
	aAddress
	aLink
	aStrike
	aEmph
	aStrong
	aMarker
	aBar
	aRule
	aCodeBlock
	aHeading
	aQuote
	attrs
)

// Look is a Style made ready. Pictures are kept by its pointer, so make one a
// theme and keep it. It belongs to one goroutine, that of its documents.
type Look struct {
	parts  []lipgloss.Style
	text   lipgloss.Style
	glyphs glyphs
	made   map[attr]sgr
}

type glyphs struct{ bullet, bar, rule, column, cross string }

type sgr struct{ on, off string }

// NewLook makes s ready.
func NewLook(s Style) *Look {
	l := &Look{
		text: s.Text,
		parts: []lipgloss.Style{
			s.Keyword, s.String, s.Comment, s.Number, s.Code, s.Address, s.Link, s.Strike,
			s.Emph, s.Strong, s.Marker, s.Bar, s.Rule, s.CodeBlock, s.Heading, s.Quote,
		},
		glyphs: glyphs{"•", "▌", "─", "│", "┼"},
		made:   map[attr]sgr{},
	}
	if s.ASCII {
		l.glyphs = glyphs{"*", "|", "-", "|", "+"}
	}
	return l
}

// codes returns what switches the set a on and off.
func (l *Look) codes(a attr) sgr {
	if c, ok := l.made[a]; ok {
		return c
	}
	st := lipgloss.NewStyle()
	for i, p := range l.parts {
		if a&(1<<i) != 0 {
			st = st.Inherit(p)
		}
	}
	var c sgr
	c.on, c.off, _ = strings.Cut(st.Inherit(l.text).Render("x"), "x")
	l.made[a] = c
	return c
}

// gap is n blanks on the text's background. A line ends where its text does: what is right of it
// is painted by whoever lays lines into a pane.
func (l *Look) gap(n int) string { return l.paint(0, strings.Repeat(" ", max(n, 0))) }

// paint returns s in the look of a.
func (l *Look) paint(a attr, s string) string {
	if s == "" {
		return ""
	}
	c := l.codes(a)
	return c.on + s + c.off
}
