package tool

import (
	"context"
	"errors"
	"io"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"
	"unicode/utf8"

	"agentstudio/engine"
)

// maxPattern is the longest pattern of grep, in bytes.
const maxPattern = 1000

// compilePattern makes the expression of a grep. Errors: PATTERN_INVALID, with the position (in
// characters from 1) where one is known, and what to do.
func compilePattern(pattern string, fixed, ignoreCase bool) (*regexp.Regexp, error) {
	switch {
	case pattern == "":
		return nil, engine.Errorf(engine.PatternInvalid, "the pattern is empty and would match every line; give some text")
	case len(pattern) > maxPattern:
		return nil, engine.Errorf(engine.PatternInvalid, "the pattern is longer than %d bytes", maxPattern)
	case strings.ContainsAny(pattern, "\n\r"):
		return nil, engine.Errorf(engine.PatternInvalid, "grep searches line by line; leave the line break out of the pattern")
	}
	if fixed {
		pattern = regexp.QuoteMeta(pattern)
	}
	if _, err := syntax.Parse(pattern, syntax.Perl); err != nil {
		return nil, patternError(pattern, err)
	}
	if ignoreCase {
		pattern = "(?i)" + pattern
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, patternError(pattern, err)
	}
	return re, nil
}

func patternError(pattern string, err error) error {
	e := engine.Errorf(engine.PatternInvalid, "the pattern cannot be used: %v; set fixed to true to search for it as plain text", err)
	var s *syntax.Error
	if !errors.As(err, &s) {
		return e
	}
	what := s.Code.String()
	if hint := unsupported(pattern, s); hint != "" {
		what = hint
	}
	where := ""
	at := positionOf(pattern, s)
	if at > 0 {
		where = " at character " + strconv.Itoa(at)
		e = e.With("position", at)
	}
	e.Message = "the pattern cannot be used: " + what + where + "; correct it, or set fixed to true to search for it as plain text"
	return e
}

// unsupported names what other dialects have and RE2 has not.
func unsupported(pattern string, e *syntax.Error) string {
	for _, look := range []string{"(?=", "(?!", "(?<=", "(?<!"} {
		if strings.Contains(pattern, look) {
			return "look-ahead and look-behind are not supported (RE2)"
		}
	}
	if e.Code == syntax.ErrInvalidEscape && len(e.Expr) == 2 && e.Expr[1] >= '1' && e.Expr[1] <= '9' {
		return "back-references are not supported (RE2)"
	}
	return ""
}

// positionOf finds the fault in the pattern, counted in characters from 1; 0 if unknown.
func positionOf(pattern string, e *syntax.Error) int {
	at := -1
	switch e.Code {
	case syntax.ErrMissingParen, syntax.ErrUnexpectedParen:
		at = oddParen(pattern)
	default:
		if e.Expr != "" {
			at = strings.Index(pattern, e.Expr)
		}
	}
	if at < 0 {
		return 0
	}
	return utf8.RuneCountInString(pattern[:at]) + 1
}

// oddParen is where a parenthesis without its partner stands, or -1.
func oddParen(pattern string) int {
	var open []int
	inClass := false
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\':
			i++
		case inClass:
			inClass = c != ']'
		case c == '[':
			inClass = true
			if strings.HasPrefix(pattern[i+1:], "]") || strings.HasPrefix(pattern[i+1:], "^]") {
				i += 2 // a ] that comes first is a member
			}
		case c == '(':
			open = append(open, i)
		case c == ')' && len(open) == 0:
			return i
		case c == ')':
			open = open[:len(open)-1]
		}
	}
	if len(open) == 0 {
		return -1
	}
	return open[len(open)-1]
}

// longLine is from where on a line is searched in a way that cancelling can stop.
const longLine = 64 << 10

// firstMatch is where re first matches in a line, or nil.
func firstMatch(ctx context.Context, re *regexp.Regexp, line string) []int {
	if len(line) < longLine {
		return re.FindStringIndex(line)
	}
	return re.FindReaderIndex(&stoppable{ctx: ctx, left: line})
}

// stoppable reads a text until its context ends.
type stoppable struct {
	ctx  context.Context
	left string
	n    int
}

// ReadRune gives io.EOF once the context has ended.
func (s *stoppable) ReadRune() (rune, int, error) {
	if s.n++; s.left == "" || (s.n%4096 == 0 && s.ctx.Err() != nil) {
		return 0, 0, io.EOF
	}
	r, size := utf8.DecodeRuneInString(s.left)
	s.left = s.left[size:]
	return r, size, nil
}
