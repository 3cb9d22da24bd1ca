package tui

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// cutAt parts a drawn line at a cell: left keeps what ends there, right what begins there or
// behind, in the style it had. A wide sign across the cut is in neither, so both may be short.
// (The library's own Truncate and Cut count some signs, like keycaps, otherwise than its
// StringWidth does.)
func cutAt(line string, cell int) (left, right string) {
	at, style := 0, ""
	for i := 0; i < len(line); {
		if line[i] == '\x1b' {
			n := strings.IndexByte(line[i:], 'm') + 1
			if n == 0 {
				return line[:i], "" // there are no other sequences in our lines
			}
			if style += line[i : i+n]; line[i:i+n] == "\x1b[m" {
				style = ""
			}
			i += n
			continue
		}
		n, w := sign(line[i:])
		if at+w > cell {
			left = line[:i] + "\x1b[m"
			if at < cell { // half of it is left of the cut
				i += n
			}
			return left, style + line[i:]
		}
		at += w
		i += n
	}
	return line, ""
}

// sign is the length and the width of the first sign of s.
func sign(s string) (n, w int) {
	if s[0] >= ' ' && s[0] < 0x7f && (len(s) == 1 || s[1] < utf8.RuneSelf) {
		return 1, 1
	}
	end := strings.IndexByte(s, '\x1b')
	if end <= 0 {
		end = len(s)
	}
	g, w := ansi.FirstGraphemeCluster(s[:end], ansi.GraphemeWidth)
	return max(len(g), 1), w
}
