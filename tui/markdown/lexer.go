package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// lexer colours code line by line. Between two lines it remembers only which
// comment or string is open, so a line is read once while a block grows and
// has the same colours in the end.
type lexer struct {
	*syntax
	open string // what ends the comment or string that began on a line above
	attr attr
}

func newLexer(s *syntax) *lexer { return &lexer{syntax: s} }

// syntax is what is worth knowing about a language to colour it.
type syntax struct {
	words    map[string]bool
	fold     bool     // words in any case
	comments []string // each begins a comment to the end of the line
	blocks   []pair   // comments and strings that may span lines
	quotes   string   // each byte begins and ends a string within a line
	raw      string   // those of quotes in which a backslash is a sign like others
	keys     bool     // what stands before a colon is a name: JSON, YAML
	diff     bool     // lines are marked by their first sign
}

// pair is what begins and ends something of several lines.
type pair struct {
	from, to string
	attr     attr
}

// spans returns the looks of line and moves on to the next line.
func (l *lexer) spans(line string) []span {
	if l.syntax == nil {
		return []span{{len(line), 0}}
	}
	if l.diff {
		return []span{{len(line), diffAttr(line)}}
	}
	var out []span
	add := func(end int, a attr) {
		if n := len(out); n > 0 && out[n-1].attr == a {
			out[n-1].end = end
		} else {
			out = append(out, span{end, a})
		}
	}
	for at := 0; at < len(line); {
		end, a := l.token(line, at)
		add(end, a)
		at = end
	}
	return out
}

// token returns the end and look of what stands at at.
func (l *lexer) token(line string, at int) (int, attr) {
	rest := line[at:]
	if l.open != "" {
		return at + l.until(rest, 0), l.attr
	}
	for _, c := range l.comments {
		if strings.HasPrefix(rest, c) && (c != "#" || at == 0 || line[at-1] == ' ') {
			return len(line), aComment
		}
	}
	for _, p := range l.blocks {
		if strings.HasPrefix(rest, p.from) {
			l.open, l.attr = p.to, p.attr
			return at + l.until(rest, len(p.from)), p.attr
		}
	}
	c := rest[0]
	switch {
	case strings.IndexByte(l.quotes, c) >= 0:
		end := at + l.quoted(rest)
		if l.keys && strings.HasPrefix(strings.TrimLeft(line[end:], " "), ":") {
			return end, aKeyword
		}
		return end, aString
	case c >= '0' && c <= '9':
		return at + number(rest), aNumber
	}
	n := word(rest)
	if n == 0 {
		_, n = utf8.DecodeRuneInString(rest)
		return at + n, 0
	}
	return at + n, l.wordAttr(line, at, at+n)
}

// until returns the length of the open comment or string at the head of s,
// whose end isn't looked for in the first skip bytes.
func (l *lexer) until(s string, skip int) int {
	for i := skip; i < len(s); i++ {
		if s[i] == '\\' && l.attr == aString && l.open != "`" {
			i++
			continue
		}
		if strings.HasPrefix(s[i:], l.open) {
			n := i + len(l.open)
			l.open = ""
			return n
		}
	}
	return len(s)
}

// quoted returns the length of the string within a line that s begins with.
func (l *lexer) quoted(s string) int {
	q := s[0]
	escapes := strings.IndexByte(l.raw, q) < 0
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '\\' && escapes:
			i++
		case s[i] == q:
			return i + 1
		}
	}
	return len(s)
}

func (l *lexer) wordAttr(line string, from, to int) attr {
	w := line[from:to]
	if l.fold {
		w = strings.ToLower(w)
	}
	if l.words[w] {
		return aKeyword
	}
	if l.keys && strings.HasPrefix(line[to:], ":") && strings.Trim(line[:from], " -") == "" {
		return aKeyword
	}
	return 0
}

func word(s string) int {
	for i, r := range s {
		if r != '_' && !unicode.IsLetter(r) && (i == 0 || !unicode.IsDigit(r)) {
			return i
		}
	}
	return len(s)
}

func number(s string) int {
	i := 1
	for i < len(s) {
		c := s[i] | 0x20
		sign := (s[i] == '+' || s[i] == '-') && s[i-1]|0x20 == 'e'
		if !(s[i] >= '0' && s[i] <= '9' || c >= 'a' && c <= 'z' || s[i] == '.' || s[i] == '_' || sign) {
			break
		}
		i++
	}
	return i
}

func diffAttr(line string) attr {
	switch {
	case strings.HasPrefix(line, "+"):
		return aString
	case strings.HasPrefix(line, "-"):
		return aKeyword
	case strings.HasPrefix(line, "@@"):
		return aNumber
	}
	return 0
}
