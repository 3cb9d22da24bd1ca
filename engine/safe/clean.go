package safe

import (
	"strconv"
	"unicode"
	"unicode/utf8"
)

const (
	zwj      = '\u200d'
	emojiVar = '\ufe0f'
	keycap   = '\u20e3'
)

// cleaner is the sanitiser's state between two runes. Everything it decides
// depends on the bytes before, never on where a piece ended, which is what
// makes a stream equal to the whole.
type cleaner struct {
	mode Mode
	out  []byte

	base  rune // the sign that marks, selectors and joiners would attach to; 0: none
	stage byte // what stands after base: stageBase, stageDressed
	joins int  // joiners kept in the present emoji

	marks      int // combining marks on the present base
	flood      int // of those, how many were left out
	floodBytes int

	line     int    // bytes of output of the present line, held included
	held     []byte // output that fits only if the line ends before maxLine
	heldFrom int    // source bytes that held stands for
	cut      int    // source bytes left out of the present line
}

const (
	stageNone    byte = iota // base is no place for a joiner or selector
	stageBase                // directly after base
	stageDressed             // after base and its selector or skin tone
)

// feed cleans s and returns how many bytes it has dealt with: all of them if
// final, else up to the first rune that what follows may still change.
func (c *cleaner) feed(s string, final bool) int {
	if c.out == nil && s != "" {
		c.out = make([]byte, 0, len(s)+16)
	}
	i := 0
	for i < len(s) {
		n := 0
		if b := s[i]; b < utf8.RuneSelf {
			n = c.ascii(s[i:], b, final)
		} else {
			n = c.wide(s[i:], final)
		}
		if n == 0 {
			return i
		}
		i += n
	}
	if final {
		c.endMarks()
		c.endLine()
	}
	return i
}

// ascii deals with the byte b at the head of s; 0 means wait for more.
func (c *cleaner) ascii(s string, b byte, final bool) int {
	switch {
	case b >= ' ' && b <= '~':
		n := 1
		for n < len(s) && s[n] >= ' ' && s[n] <= '~' {
			n++
		}
		c.run(s[:n])
		return n
	case b == '\n':
		c.newline()
	case b == '\r':
		if len(s) == 1 && !final {
			return 0
		}
		if len(s) > 1 && s[1] == '\n' {
			c.newline()
			return 2
		}
		c.mark("␍", 1)
	case b == '\t':
		c.mark(tabs(c.mode), 1)
	case b == 0x7f:
		c.mark("␡", 1)
	default:
		c.mark(string('\u2400'+rune(b)), 1)
	}
	return 1
}

func tabs(mode Mode) string {
	switch mode {
	case Inline:
		return "␉"
	case Approval:
		return "␉   "
	}
	return "    "
}

// wide deals with the rune beyond ASCII at the head of s; 0 means wait.
func (c *cleaner) wide(s string, final bool) int {
	r, n := utf8.DecodeRuneInString(s)
	switch {
	case r == utf8.RuneError && n == 1:
		if !final && !utf8.FullRuneInString(s) {
			return 0
		}
		c.mark(hexByte(s[0]), 1)
	case r < 0xa0:
		c.mark(hexByte(byte(r)), n)
	case r == zwj || r == emojiVar:
		return c.emojiGlue(s, r, n, final)
	case r >= 0xe0020 && r <= 0xe007e:
		c.mark("⟨tag:"+string(r-0xe0000)+"⟩", n)
	case unicode.Is(unicode.Zs, r):
		if c.mode == Code || c.mode == Approval {
			c.mark(codePoint(r), n)
		} else {
			c.mark(" ", n)
		}
	case hidden(r) || !unicode.IsPrint(r):
		c.mark(codePoint(r), n)
	case unicode.IsMark(r) || skinTone(r):
		c.combine(s[:n], r)
	default:
		c.endMarks()
		c.base, c.stage, c.joins = r, stageBase, 0
		c.emit(s[:n], n)
	}
	return n
}

// emojiGlue keeps a joiner or emoji selector where it holds an emoji together
// and shows it as a mark everywhere else. What it needs from the right is kept
// together with it, so that cutting a line cannot part them.
func (c *cleaner) emojiGlue(s string, r rune, n int, final bool) int {
	pretty := c.mode == Prose || c.mode == Inline
	if r == emojiVar && pretty && c.stage == stageBase && pictograph(c.base) {
		c.stage = stageDressed
		c.emit(s[:n], n)
		return n
	}
	join := r == zwj && c.stage != stageNone && c.joins < maxJoins && pictograph(c.base)
	key := r == emojiVar && c.stage == stageBase && keycapBase(c.base)
	if !pretty || !join && !key {
		c.mark(codePoint(r), n)
		return n
	}
	if !final && !utf8.FullRuneInString(s[n:]) {
		return 0
	}
	next, m := utf8.DecodeRuneInString(s[n:])
	switch {
	case key && next == keycap:
		c.stage = stageNone
		c.marks++
	case join && pictograph(next) && unicode.IsPrint(next):
		c.base, c.stage, c.marks = next, stageBase, 0
		c.joins++
	default:
		c.mark(codePoint(r), n)
		return n
	}
	c.emit(s[:n+m], n+m)
	return n + m
}

// combine keeps a combining mark or skin tone, up to the limit.
func (c *cleaner) combine(s string, r rune) {
	if c.marks >= maxMarks {
		c.flood++
		c.floodBytes += len(s)
		return
	}
	c.marks++
	switch {
	case !skinTone(r):
		if c.base == 0 { // else it would land on whatever we draw to its left
			c.base = '◌'
			c.emit("◌"+s, len(s))
			c.stage = stageNone
			return
		}
		c.stage = stageNone
	case c.stage == stageBase && pictograph(c.base):
		c.stage = stageDressed
	default:
		c.base, c.stage = r, stageNone
	}
	c.emit(s, len(s))
}

// endMarks notes marks that were left out, when their run is over.
func (c *cleaner) endMarks() {
	if c.flood > 0 {
		c.emit("⟨+"+strconv.Itoa(c.flood)+"⟩", c.floodBytes)
	}
	c.marks, c.flood, c.floodBytes = 0, 0, 0
}

// run emits printable ASCII.
func (c *cleaner) run(s string) {
	c.endMarks()
	c.base, c.stage, c.joins = rune(s[len(s)-1]), stageBase, 0
	if c.mode != Approval && c.line+len(s) > maxLine-lineNote {
		for i := range len(s) { // the limit may fall inside
			c.emit(s[i:i+1], 1)
		}
		return
	}
	c.emit(s, len(s))
}

// mark emits our own sign for from bytes of source.
func (c *cleaner) mark(s string, from int) {
	c.endMarks()
	c.base, c.stage, c.joins = '⟩', stageNone, 0
	c.emit(s, from)
}

func (c *cleaner) newline() {
	if c.mode == Inline {
		c.mark("␊", 1)
		return
	}
	c.endMarks()
	c.endLine()
	c.out = append(c.out, '\n')
	c.base, c.stage, c.joins = 0, stageNone, 0
}

// emit adds s, which stands for from bytes of source, to the line. A piece is
// kept or left out as a whole.
func (c *cleaner) emit(s string, from int) {
	if c.mode == Approval {
		c.out = append(c.out, s...)
		return
	}
	c.line += len(s)
	switch {
	case c.cut > 0:
		c.cut += from
	case c.line <= maxLine-lineNote:
		c.out = append(c.out, s...)
	case c.line <= maxLine:
		c.held = append(c.held, s...)
		c.heldFrom += from
	default:
		c.cut = c.heldFrom + from
	}
}

// endLine settles what emit held back or left out.
func (c *cleaner) endLine() {
	if c.cut > 0 {
		c.out = append(c.out, "⟨+"...)
		c.out = strconv.AppendInt(c.out, int64(c.cut), 10)
		c.out = append(c.out, " B⟩"...)
	} else {
		c.out = append(c.out, c.held...)
	}
	c.line, c.held, c.heldFrom, c.cut = 0, c.held[:0], 0, 0
}
