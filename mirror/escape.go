package mirror

import (
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// escaped writes the characters of JSON from a place on that show nothing or change what is around them
// (controls, directions, fillers, selectors, line separators) as \u escapes. The value stays the same to
// the byte for whoever decodes it, and a terminal that prints it as it comes shows what is there. It
// allocates only where there is one.
func escaped(b []byte, from int) []byte {
	for i := from; i < len(b); {
		if b[i] < del {
			i++
			continue
		}
		r, n := utf8.DecodeRune(b[i:])
		if seen(r) {
			i += n
			continue
		}
		out := append([]byte(nil), b[i:]...)
		b = b[:i]
		for len(out) > 0 {
			r, n := utf8.DecodeRune(out)
			switch {
			case r < del || seen(r):
				b = append(b, out[:n]...)
			case r > 0xffff:
				high, low := utf16.EncodeRune(r)
				b = appendEscape(appendEscape(b, high), low)
			default:
				b = appendEscape(b, r)
			}
			out = out[n:]
		}
		return b
	}
	return b
}

const del = 0x7f

func appendEscape(b []byte, r rune) []byte {
	const hex = "0123456789abcdef"
	return append(b, '\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
}

// seen tells whether a character shows as what it is, wherever it stands.
func seen(r rune) bool {
	const blankBraille, nullNote = 0x2800, 0x1d159
	return unicode.IsPrint(r) && !unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) && r != blankBraille && r != nullNote
}
