package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// mark is an opening run of emphasis.
type mark struct {
	char  byte
	count int
}

// scan reads the sentences s, which may be cut anywhere. It returns from where
// on they can't be shown yet (-1 if they can), and the marks that would close
// what is open.
func scan(s string) (held int, closing string) {
	var stack []mark
	for i := 0; i < len(s); {
		switch c := s[i]; c {
		case '\\':
			if i+1 == len(s) {
				return i, ""
			}
			i += 2
		case '`':
			n := runOf(s, i)
			if i+n == len(s) {
				return i, ""
			}
			next, held := codeSpan(s, i, n)
			if held >= 0 {
				return held, ""
			}
			if next < 0 {
				return -1, strings.Repeat("`", n) + closers(stack)
			}
			i = next
		case '*', '_', '~':
			n := runOf(s, i)
			if i+n == len(s) {
				return i, ""
			}
			stack = emphasis(stack, s, i, n)
			i += n
		case '[':
			next, held := bracket(s, i)
			if held >= 0 {
				return held, ""
			}
			i = next
		case '!', '<', '&':
			if unfinished(s[i:]) {
				return i, ""
			}
			i++
		default:
			i++
		}
	}
	return -1, closers(stack)
}

func runOf(s string, i int) int {
	n := 1
	for i+n < len(s) && s[i+n] == s[i] {
		n++
	}
	return n
}

// codeSpan finds the end of the code that begins with n backticks at i: behind
// it, or -1 if it is open. If its last backticks may be the beginning of the
// end, held is their place, else -1.
func codeSpan(s string, i, n int) (next, held int) {
	for j := i + n; j < len(s); j++ {
		if s[j] != '`' {
			continue
		}
		m := runOf(s, j)
		switch {
		case m == n:
			return j + m, -1
		case strings.Trim(s[j+m:], " \n") == "":
			return -1, j
		}
		j += m - 1
	}
	return -1, -1
}

// emphasis takes the run of n marks at i into account, by CommonMark's rules
// of what may open and close.
func emphasis(stack []mark, s string, i, n int) []mark {
	c := s[i]
	if c == '~' && n > 2 {
		return stack
	}
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	after, _ := utf8.DecodeRuneInString(s[i+n:])
	spaceB, spaceA := i == 0 || unicode.IsSpace(before), unicode.IsSpace(after)
	punctB := i > 0 && (unicode.IsPunct(before) || unicode.IsSymbol(before))
	punctA := unicode.IsPunct(after) || unicode.IsSymbol(after)
	left := !spaceA && (!punctA || spaceB || punctB)
	right := !spaceB && (!punctB || spaceA || punctA)
	opens, ends := left, right
	if c == '_' {
		opens, ends = left && (!right || punctB), right && (!left || punctA)
	}
	for j := len(stack) - 1; ends && n > 0 && j >= 0; j-- {
		if m := &stack[j]; m.char == c {
			used := min(n, m.count)
			n -= used
			m.count -= used
			stack = stack[:j+1]
			if m.count == 0 {
				stack = stack[:j]
			}
		}
	}
	if opens && n > 0 {
		stack = append(stack, mark{c, n})
	}
	return stack
}

func closers(stack []mark) string {
	var b strings.Builder
	for i := len(stack) - 1; i >= 0; i-- {
		b.WriteString(strings.Repeat(string(stack[i].char), stack[i].count))
	}
	return b.String()
}

const (
	maxLabel   = 400  // a bracket open for longer is shown as text meanwhile
	maxAddress = 2000 // likewise a link's address
)

// bracket reads what may be a link at i. It returns where to read on, or held:
// the place of a link that isn't whole.
func bracket(s string, i int) (next, held int) {
	held = i
	if i > 0 && s[i-1] == '!' {
		held = i - 1
	}
	end := closingOf(s, i, '[', ']')
	if end < 0 {
		if len(s)-i > maxLabel || strings.Contains(s[i:], "\n") {
			return i + 1, -1
		}
		return 0, held
	}
	if end+1 == len(s) {
		return 0, held
	}
	open, shut := s[end+1], byte(')')
	if open == '[' {
		shut = ']'
	}
	if open != '(' && open != '[' {
		return i + 1, -1
	}
	stop := closingOf(s, end+1, open, shut)
	if stop < 0 {
		if len(s)-end > maxAddress || strings.Contains(s[end:], "\n") {
			return i + 1, -1
		}
		return 0, held
	}
	return stop + 1, -1
}

// closingOf returns the place of the bracket that closes the one at i, or -1 if
// there is none within reach.
func closingOf(s string, i int, open, shut byte) int {
	depth := 0
	for end := min(len(s), i+maxAddress); i < end; i++ {
		switch s[i] {
		case '\\':
			i++
		case open:
			depth++
		case shut:
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// unfinished reports whether s is the beginning of an image, of a character
// reference or of an address in angle brackets, and all there is yet.
func unfinished(s string) bool {
	if len(s) == 1 {
		return true
	}
	switch s[0] {
	case '&':
		return len(s) < 33 && !strings.ContainsFunc(s[1:], func(r rune) bool {
			return r != '#' && !(r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)))
		})
	case '<':
		return len(s) < maxLabel && !strings.ContainsAny(s, " >\n") && (strings.ContainsAny(s, ":@") || len(s) < 10)
	}
	return false
}
