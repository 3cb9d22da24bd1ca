package scenario

import (
	"iter"
	"unicode"
)

// pieces cuts text into what looks like a model's tokens: a short word with the blank after it, or
// two characters of a script without blanks. Runes are never cut, and marks stay with their letter.
func pieces(s string) iter.Seq[string] {
	const letters, wide = 8, 2
	return func(yield func(string) bool) {
		start, n, blank := 0, 0, false
		for i, r := range s {
			size := 1
			if r >= 0x2e80 {
				size = letters / wide
			}
			space := unicode.IsSpace(r)
			joined := unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf)
			if i > start && !joined && (n+size > letters || blank && !space) {
				if !yield(s[start:i]) {
					return
				}
				start, n = i, 0
			}
			n += size
			blank = space
		}
		if start < len(s) {
			yield(s[start:])
		}
	}
}
