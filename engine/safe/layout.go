package safe

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Placeholder stands for a sign of two cells where there is room for one.
const Placeholder Safe = "▯"

// Width returns how many terminal columns s takes: those of its widest line.
// It is the program's one width rule, that of Bubble Tea's renderer and of
// Lip Gloss: grapheme clusters, East Asian ambiguous signs as one.
func Width(s Safe) int {
	widest := 0
	for rest, more := string(s), true; more; {
		var line string
		line, rest, more = strings.Cut(rest, "\n")
		if w := lineWidth(line); w > widest {
			widest = w
		}
	}
	return widest
}

func lineWidth(s string) int {
	w := 0
	for s != "" {
		n := asciiRun(s)
		if n == 0 {
			var cw int
			n, cw = cluster(s)
			w += cw
		} else {
			w += n
		}
		s = s[n:]
	}
	return w
}

// asciiRun returns the length of the printable ASCII at the head of s, less
// the last one if what follows may combine with it.
func asciiRun(s string) int {
	n := 0
	for n < len(s) && s[n] >= ' ' && s[n] <= '~' {
		n++
	}
	if n > 0 && n < len(s) && s[n] >= utf8.RuneSelf {
		n--
	}
	return n
}

// cluster measures the first grapheme cluster of s, which is not empty.
func cluster(s string) (bytes, cells int) {
	if s[0] < utf8.RuneSelf && (len(s) == 1 || s[1] < utf8.RuneSelf) {
		if s[0] < ' ' || s[0] == 0x7f {
			return 1, 0
		}
		return 1, 1
	}
	g, w := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
	return len(g), w
}

// Truncate returns s, which is one line, cut to at most the given number of
// cells. If something was cut, tail is put at the end where it fits.
func Truncate(s Safe, cells int, tail Safe) Safe {
	if len(s) <= cells && asciiRun(string(s)) == len(s) {
		return s
	}
	room := cells - Width(tail)
	if room < 0 {
		room, tail = cells, ""
	}
	keep, at, w := 0, 0, 0
	for at < len(s) {
		n, cw := cluster(string(s[at:]))
		at += n
		w += cw
		if w <= room {
			keep = at
		}
		if w > cells {
			return s[:keep] + tail
		}
	}
	return s
}

// Wrap breaks s into lines of at most width cells (at least 1). It breaks
// after blanks and between wide signs, but not before closing punctuation nor
// after an opening bracket, and inside a word only if the word is longer than
// a line. No sign is lost or doubled, blanks included: the lines of one
// paragraph joined are the paragraph, and every LF of s parts two lines. The
// one exception is a sign wider than width, which becomes [Placeholder].
//
// The time is linear in the length of s.
func Wrap(s Safe, width int) []Safe {
	if width < 1 {
		width = 1
	}
	lines := make([]Safe, 0, 1+len(s)/width)
	for rest, more := string(s), true; more; {
		var line string
		line, rest, more = strings.Cut(rest, "\n")
		lines = wrapLine(lines, line, width)
	}
	return lines
}

func wrapLine(lines []Safe, s string, width int) []Safe {
	if len(s) <= width && asciiRun(s) == len(s) {
		return append(lines, Safe(s))
	}
	if width == 1 {
		s = fit(s)
	}
	start, w := 0, 0      // the present line and its width up to at
	brk, brkWidth := 0, 0 // the last place to break it, and its width there
	var before rune
	for at := 0; at < len(s); {
		n, cw := cluster(s[at:])
		first, _ := utf8.DecodeRuneInString(s[at:])
		if at > start && mayBreak(before, first) {
			brk, brkWidth = at, w
		}
		for w+cw > width && at > start {
			if brk <= start {
				brk, brkWidth = at, w
			}
			lines = append(lines, Safe(s[start:brk]))
			start, w = brk, w-brkWidth
		}
		at += n
		w += cw
		before, _ = utf8.DecodeLastRuneInString(s[:at])
	}
	return append(lines, Safe(s[start:]))
}

// HardWrap is Wrap for text whose columns matter, like code: lines break at
// width exactly (one short of it where a wide sign doesn't fit), wherever that
// is.
func HardWrap(s Safe, width int) []Safe {
	if width < 1 {
		width = 1
	}
	lines := make([]Safe, 0, 1+len(s)/width)
	for rest, more := string(s), true; more; {
		var line string
		line, rest, more = strings.Cut(rest, "\n")
		lines = hardWrapLine(lines, line, width)
	}
	return lines
}

func hardWrapLine(lines []Safe, s string, width int) []Safe {
	if width == 1 {
		s = fit(s)
	}
	start, w := 0, 0
	for at := 0; at < len(s); {
		n, cw := cluster(s[at:])
		if w+cw > width && at > start {
			lines = append(lines, Safe(s[start:at]))
			start, w = at, 0
		}
		at += n
		w += cw
	}
	return append(lines, Safe(s[start:]))
}

// fit replaces what needs two cells, for lines that have one.
func fit(s string) string {
	var b strings.Builder
	for s != "" {
		n, cw := cluster(s)
		if cw > 1 {
			b.WriteString(string(Placeholder))
		} else {
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String()
}

// mayBreak reports whether a line may end between the signs a and b.
func mayBreak(a, b rune) bool {
	switch {
	case b == ' ':
		return false
	case a == ' ':
		return true
	case a < 0x2e80 && b < 0x2e80:
		return false
	case strings.ContainsRune("，。：；！？、）》」』】〉〕”’…％,.:;!?)]}%", b):
		return false
	}
	return !strings.ContainsRune("（《「『【〈〔“‘￥([{", a)
}
