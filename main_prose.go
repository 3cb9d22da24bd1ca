package main

import (
	"unicode"
	"unicode/utf8"

	"agentstudio/engine/safe"
)

// prose cleans streamed text for standard output. A screen may cut a line of 64 KiB, as the
// sanitiser does; whoever redirects a command's output wants all of it. So a long line is cleaned
// in parts, each a stream of its own, parted where no sign is attached to the one before.
type prose struct {
	stream *safe.Stream
	line   int  // bytes of cleaned output since the last line end
	last   rune // the rune fed last
}

const (
	// prosePart is the length at which a line may be parted; even if each byte that is fed at once
	// became the longest mark, the line would stay below the sanitiser's limit.
	prosePart = 16 << 10
	proseFeed = 4 << 10
)

func (p *prose) append(text string) safe.Safe {
	if p.stream == nil {
		p.stream = safe.NewStream(safe.Prose)
	}
	var out safe.Safe
	from := 0
	for i, r := range text {
		if i-from >= proseFeed || p.line > prosePart && p.parts(r) {
			out += p.take(p.stream.Append(text[from:i]))
			from = i
		}
		if p.line > prosePart && p.parts(r) {
			out += p.stream.Close()
			p.line = 0
		}
		p.last = r
	}
	return out + p.take(p.stream.Append(text[from:]))
}

// close gives what was held back.
func (p *prose) close() safe.Safe {
	if p.stream == nil {
		return ""
	}
	end := p.stream.Close()
	*p = prose{}
	return end
}

// take counts what has been written of the present line.
func (p *prose) take(s safe.Safe) safe.Safe {
	for i := len(s) - 1; i >= 0; i-- {
		if s[i] == '\n' {
			p.line = len(s) - 1 - i
			return s
		}
	}
	p.line += len(s)
	return s
}

// parts tells whether a line may be parted before r: neither in a sequence of signs that belong
// together, nor in the middle of a character or a line end.
func (p *prose) parts(r rune) bool {
	const joiner, firstTone, lastTone = 0x200d, 0x1f3fb, 0x1f3ff
	return r != utf8.RuneError && p.last != utf8.RuneError && p.last != joiner && p.last != '\r' &&
		unicode.IsPrint(r) && !unicode.IsMark(r) && (r < firstTone || r > lastTone)
}
