package tui

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"agentstudio/engine/safe"
	"agentstudio/tui/markdown"
)

// maxMarkdown bounds what is drawn as Markdown; a longer text is shown as it is written.
const maxMarkdown = 128 << 10

// sheet is a text laid out in rows: what a viewer shows. Rows of Markdown are drawn, others are
// text.
type sheet struct {
	w     int
	look  *markdown.Look
	doc   *markdown.Doc
	clean safe.Safe // all that isn't drawn by doc
	head  safe.Safe // what is told before the text, with which clean begins
	heads int       // rows of what is told before the text
	rows  []string
	all   string // the rows' text, for searching
	at    []int  // where in it each row begins
}

func (s *sheet) count() int { return len(s.rows) }

// lay brings the rows up to a width, and tells whether they are other ones now.
func (s *sheet) lay(t *theme, v *viewer, w int) bool {
	if s.w == w && s.look == t.md {
		return false
	}
	first := s.w == 0
	s.w, s.look, s.all, s.at = w, t.md, "", nil
	md := v.md && len(v.text) <= maxMarkdown
	if first {
		s.begin(v, md)
	}
	mode := safe.Wrap
	if v.code {
		mode = safe.HardWrap
	}
	s.rows = s.rows[:0]
	if s.clean != "" {
		for _, l := range mode(s.clean, w) {
			s.rows = append(s.rows, string(l))
		}
	}
	s.heads = 0
	if v.head != "" {
		s.heads = len(mode(s.head, w))
	}
	if md {
		if s.heads > 0 {
			s.rows = append(s.rows, "")
		}
		s.rows = append(s.rows, s.doc.Lines(w, t.md)...)
	}
	return true
}

// begin cleans the text.
func (s *sheet) begin(v *viewer, md bool) {
	raw := strings.TrimRight(v.text, "\n")
	if md {
		s.doc = markdown.New()
		s.doc.Set(v.text)
		s.doc.Close()
		raw = ""
	}
	if v.head != "" {
		raw = strings.TrimRight(v.head+"\n\n"+raw, "\n")
	}
	mode := safe.Prose
	if v.code {
		mode = safe.Code
	}
	s.clean, s.head = safe.Text(raw, mode), safe.Text(strings.TrimRight(v.head, "\n"), mode)
}

// line is a row as it is drawn. What is told before the text is quiet, and a rule parts them.
func (s *sheet) line(t *theme, y int) string {
	switch {
	case s.heads > 0 && y < s.heads:
		return t.Quiet.of(safe.Safe(s.rows[y]))
	case s.heads > 0 && y == s.heads:
		return t.Line.of(safe.Safe(strings.Repeat(t.Horiz, s.w)))
	case s.drawn(y):
		return s.rows[y]
	}
	return t.Text.of(safe.Safe(s.rows[y])) // cut from clean text
}

// drawn tells whether a row is Markdown's.
func (s *sheet) drawn(y int) bool { return s.doc != nil && y >= s.heads }

// flat is the text of all rows, to be searched: what was wrapped is together again.
func (s *sheet) flat() string {
	if s.at != nil {
		return s.all
	}
	s.at = make([]int, 0, len(s.rows))
	if s.doc != nil {
		var b strings.Builder
		for _, r := range s.rows {
			s.at = append(s.at, b.Len())
			b.WriteString(ansi.Strip(r) + "\n")
		}
		s.all = b.String()
		return s.all
	}
	s.all = string(s.clean)
	at := 0
	for _, r := range s.rows {
		s.at = append(s.at, at)
		if at += len(r); at < len(s.all) && s.all[at] == '\n' {
			at++
		}
	}
	return s.all
}

// row is the row that holds a place of the flat text.
func (s *sheet) row(place int) int { return max(sort.SearchInts(s.at, place+1)-1, 0) }

// parts cuts a row at a match of n bytes. Where signs grow together over the cut the match is not
// told apart.
func (s *sheet) parts(y, place, n int) (before, match, after safe.Safe) {
	text := s.rows[y]
	if s.drawn(y) {
		text = ansi.Strip(text)
	}
	from := place - s.at[y]
	to := min(from+n, len(text))
	if from < 0 || from > to || !apart(text[from:]) || !apart(text[to:]) {
		return safe.Safe(text), "", ""
	}
	return safe.Safe(text[:from]), safe.Safe(text[from:to]), safe.Safe(text[to:])
}

// apart tells that what follows doesn't grow together with what stands before.
func apart(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return s == "" || r < 0x300 || unicode.Is(unicode.Han, r)
}
