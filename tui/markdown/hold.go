package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// hold returns as much of the open text as may be shown, and what to put
// behind it so that emphasis and code that are still open show as such. It
// guesses; the finished block is parsed as it is written.
//
// Held back are: a last line that may be or become a mark (a fence, a rule, a
// heading's underline, a bullet), what may be a table until it is one, table
// rows being written, and at the end links, marks and references half written.
func hold(text string) (shown, closing string) {
	last := strings.LastIndexByte(text, '\n') + 1
	line := text[last:]
	if openFence(text[:last]) {
		if line != "" && strings.Trim(line, " >`~") == "" {
			return text[:last], ""
		}
		return text, ""
	}
	para := paragraph(text[:last])
	if at := holdTable(text, para, last); at >= 0 {
		return text[:at], ""
	}
	if holdLine(line) {
		text, line = text[:last], ""
	}
	if line == "" && (para == last || headingLine(text[lineStart(text, last-1):last])) || tableAt(text[para:last]) >= 0 {
		return text, ""
	}
	leaf := leafStart(text, para)
	for range 8 {
		at, marks := scan(text[leaf:])
		if at < 0 {
			if marks != "" {
				text = strings.TrimRight(text, " \n")
			}
			return text, marks
		}
		text = text[:leaf+at]
	}
	return text, ""
}

// openFence reports whether text, whole lines, ends inside a code block that
// stands in a list or quote.
func openFence(text string) bool {
	var open fence
	for line := range strings.Lines(text) {
		body := unmarked(strings.TrimSuffix(line, "\n"))
		if f, ok := openingFence(body); open.count == 0 && ok {
			open = f
		} else if open.count > 0 && open.closes(body) {
			open = fence{}
		}
	}
	return open.count > 0
}

// unmarked returns line without indent, quote marks and list marks.
func unmarked(line string) string {
	for {
		body := strings.TrimLeft(line, " >")
		if n := bullet(body); n > 0 {
			body = body[n:]
		}
		if body == line {
			return line
		}
		line = body
	}
}

// bullet returns the length of the list mark that line begins with, or 0.
func bullet(line string) int {
	n := 0
	for n < len(line) && n < 9 && line[n] >= '0' && line[n] <= '9' {
		n++
	}
	if n < len(line) && (n == 0 && strings.IndexByte("-+*", line[n]) >= 0 || n > 0 && strings.IndexByte(".)", line[n]) >= 0) {
		if n++; n < len(line) && line[n] == ' ' {
			return n + 1
		}
	}
	return 0
}

// paragraph returns where the lines at the end of text begin that no blank
// line parts.
func paragraph(text string) int {
	at := len(text)
	for at > 0 {
		start := lineStart(text, at-1)
		if strings.Trim(text[start:at], " >\n") == "" {
			break
		}
		at = start
	}
	return at
}

// holdLine reports whether a line that begins like this may still be a mark as
// a whole, or a code block's first line, or a link definition.
func holdLine(line string) bool {
	if line == "" {
		return false
	}
	if strings.Trim(line, " `~*_-=+#|:>") == "" || strings.Trim(strings.TrimRight(line, ".) "), " 0123456789") == "" {
		return true
	}
	body := unmarked(line)
	if strings.HasPrefix(body, "```") || strings.HasPrefix(body, "~~~") {
		_, ok := openingFence(body)
		return ok
	}
	end := strings.Index(body, "]:")
	return body != "" && body[0] == '[' && end > 0 && !strings.Contains(body[:end], "](")
}

// holdTable returns from where on text may be a table or a row not yet whole,
// or -1.
func holdTable(text string, para, last int) int {
	line := text[last:]
	if tableAt(text[para:last]) >= 0 {
		if line == "" {
			return -1
		}
		return last
	}
	if last > para && strings.Trim(line, " |:->") == "" {
		if above := lineStart(text, last-1); strings.Contains(text[above:last], "|") {
			return above
		}
	}
	if strings.Contains(line, "|") {
		return last
	}
	return -1
}

// tableAt returns the place of a table's second line in lines, or -1.
func tableAt(lines string) int {
	at := 0
	for line := range strings.Lines(lines) {
		if at > 0 && strings.ContainsAny(line, "-") && strings.Trim(line, " |:->\n") == "" && strings.Contains(lines[:at], "|") {
			return at
		}
		at += len(line)
	}
	return -1
}

func headingLine(line string) bool {
	return strings.HasPrefix(strings.TrimLeft(line, " >"), "#")
}

// leafStart returns where in text[para:] the last run of sentences begins:
// behind the last list mark or heading.
func leafStart(text string, para int) int {
	leaf, at := para, para
	for line := range strings.Lines(text[para:]) {
		body := unmarked(line)
		if len(body) != len(line) || headingLine(line) {
			leaf = at + len(line) - len(body)
		}
		at += len(line)
		if headingLine(line) && strings.HasSuffix(line, "\n") {
			leaf = at
		}
	}
	return leaf
}

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
		case j+m == len(s) && m != n:
			return -1, j
		case m == n:
			return j + m, -1
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

// closingOf returns the place of the bracket that closes the one at i, or -1.
func closingOf(s string, i int, open, shut byte) int {
	depth := 0
	for ; i < len(s); i++ {
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
