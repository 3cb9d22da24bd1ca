package safe

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// hidden reports letters, marks and signs that Unicode counts as printable but
// that show nothing or change their neighbour: fillers, blank signs, variation
// selectors, the grapheme joiner. Format characters (Cf) are not printable in
// Go's tables and need no row here.
func hidden(r rune) bool {
	switch {
	case r < 0x34f:
		return false
	case r >= 0xfe00 && r <= 0xfe0f, r >= 0xe0100 && r <= 0xe01ef, r >= 0x180b && r <= 0x180f:
		return true
	}
	switch r {
	case 0x34f, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x2800, 0x3164, 0xffa0, 0x1d159:
		return true
	}
	return false
}

func skinTone(r rune) bool { return r >= 0x1f3fb && r <= 0x1f3ff }

func keycapBase(r rune) bool { return r >= '0' && r <= '9' || r == '#' || r == '*' }

// pictograph reports Unicode's Extended_Pictographic. The width library has
// that table and doesn't export it, but rule GB11 of grapheme segmentation
// asks exactly this question: do two such signs around a joiner stay one?
func pictograph(r rune) bool {
	if r < 0xa9 || r >= 0xe0000 {
		return false
	}
	var b [2*utf8.UTFMax + 3]byte
	s := utf8.AppendRune(b[:0], r)
	n := len(s)
	s = utf8.AppendRune(s, zwj)
	s = append(s, s[:n]...)
	cluster, _ := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
	return len(cluster) == len(s)
}

func codePoint(r rune) string {
	h := strings.ToUpper(strconv.FormatInt(int64(r), 16))
	if len(h) < 4 {
		h = "0000"[len(h):] + h
	}
	return "⟨U+" + h + "⟩"
}

func hexByte(b byte) string {
	const digits = "0123456789abcdef"
	return `\x` + string(digits[b>>4]) + string(digits[b&15])
}
