// Package safe is the one sanitiser between data and people's screens.
//
// Everything that did not come out of our own source (what a model, a file, a
// file name, a skill, a remote user or an upstream server says) is data and
// passes [Text] before a terminal or a page shows it. Nothing is obeyed and
// nothing vanishes: what could move a cursor, reorder, hide or flood is shown
// as a mark. Styles are added afterwards, by us.
//
// The package imports nothing of ours and keeps no state: every function may
// be called from any goroutine; a [Stream] belongs to one at a time.
package safe

// Safe is text that may be written to a terminal as it is: valid UTF-8
// without control characters but LF, without escape sequences, without format
// characters outside emoji. Screens take this type, so that the compiler finds
// a raw string. Constants of our own source convert by themselves, two Safe
// joined by + are Safe; converting a variable string by hand is the mistake
// the type is there to make visible.
type Safe string

// Mode says where cleaned text will stand, and so how much of it may be formed
// into something prettier than itself.
type Mode uint8

const (
	// Prose is text of several lines: tabs become four blanks, special blanks
	// one plain blank, emoji sequences stay whole.
	Prose Mode = iota
	// Code is text of several lines in which everything invisible is shown:
	// special blanks and the joiners inside emoji become marks.
	Code
	// Inline is one line: as Prose, but line ends and tabs become marks.
	Inline
	// Approval is what a person decides on: as Code, tabs carry a mark, and no
	// line is cut, however long.
	Approval
)

const (
	// maxMarks is how many combining marks a base may carry; Unicode's stream
	// safe format allows 30, living scripts need fewer than 8.
	maxMarks = 8
	// maxJoins bounds an emoji chain: a longer one hides any number of signs
	// in two cells. The longest known has 4 joiners.
	maxJoins = 7
	// maxLine is the length in bytes at which a line is cut.
	maxLine = 64 << 10
	// lineNote is the room kept inside maxLine for the note of what was cut, so
	// that cleaning a cut line again changes nothing.
	lineNote = 40
)

// Text returns s made safe for the given place. It is total: any bytes will
// do. Text that needs no change is returned as it is, printable ASCII without
// any allocation.
//
//   - CRLF becomes LF; other controls become pictures (␛ ␍ ␀ ␡), C1 controls
//     and bytes that are not UTF-8 become \x9b, \xff
//   - format characters, zero-width ones, fillers, variation selectors, line
//     separators, private and unassigned code points become ⟨U+202E⟩, tag
//     characters ⟨tag:A⟩; joiner and emoji selector stay inside emoji in Prose
//     and Inline
//   - a base keeps 8 combining marks, the rest becomes ⟨+1992⟩; a mark without
//     a base gets ◌
//   - a line ends after 64 KiB with ⟨+123456 B⟩, except in Approval
//
// Cleaning twice is cleaning once. Pieces of a stream must not be cleaned on
// their own, since a sequence may be cut anywhere: use [Stream], or clean the
// joined text.
func Text(s string, mode Mode) Safe {
	if plain(s, mode) {
		return Safe(s)
	}
	c := cleaner{mode: mode}
	c.feed(s, true)
	if string(c.out) == s {
		return Safe(s) // shared, not doubled, while others hold s anyway
	}
	return Safe(c.out)
}

// plain reports whether s is printable ASCII (with LF where lines are allowed)
// of a length that is never cut.
func plain(s string, mode Mode) bool {
	if len(s) > maxLine {
		return false
	}
	for i := 0; i < len(s); i++ {
		if b := s[i]; b-' ' > '~'-' ' && (b != '\n' || mode == Inline) {
			return false
		}
	}
	return true
}

// Stream cleans text that arrives in pieces, each byte once. What is not yet
// decided (half a character, a CR that may belong to a CRLF, a joiner whose
// neighbour is missing, the end of an overlong line) is held back, a few bytes
// at most. All results joined, with that of Close, are exactly Text(whole) for
// any way of cutting. One goroutine at a time.
type Stream struct {
	c    cleaner
	rest string
}

// NewStream returns an empty stream of the given mode.
func NewStream(mode Mode) *Stream { return &Stream{c: cleaner{mode: mode}} }

// Append takes the next piece and returns the cleaned text it completes.
func (s *Stream) Append(piece string) Safe {
	if s.rest != "" {
		piece = s.rest + piece
	}
	used := s.c.feed(piece, false)
	s.rest = piece[used:]
	return s.take()
}

// Close returns what was held back. The stream is empty and usable again.
func (s *Stream) Close() Safe {
	s.c.feed(s.rest, true)
	out := s.take()
	*s = Stream{c: cleaner{mode: s.c.mode}}
	return out
}

func (s *Stream) take() Safe {
	out := Safe(s.c.out)
	s.c.out = s.c.out[:0]
	return out
}
