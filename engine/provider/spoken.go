package provider

import "strings"

// maxSpoken is how much of a text is held to go back or to be compared, in bytes: what is longer is
// no part of a continuation, whose size the engine bounds, and only its length is known.
const maxSpoken = 1 << 20

// spoken is a text that is handed on piece by piece.
type spoken struct {
	n    int // bytes so far
	text strings.Builder
}

func (s *spoken) add(piece string) {
	s.n += len(piece)
	if s.n > maxSpoken {
		s.text.Reset()
		return
	}
	s.text.WriteString(piece)
}

// long tells that the text itself is not held any more.
func (s *spoken) long() bool { return s.n > maxSpoken }

// rest is what a whole text has beyond what has been handed on; false if it begins otherwise.
func (s *spoken) rest(whole string) (string, bool) {
	if len(whole) < s.n || !s.long() && whole[:s.n] != s.text.String() {
		return "", false
	}
	return whole[s.n:], true
}
