package tui

import (
	"bytes"
	"fmt"
	"io"
	"sync"
	"time"
	"unicode/utf8"
)

const (
	// replyWithin is how long after its beginning an unfinished sequence still
	// swallows what follows.
	replyWithin = 250 * time.Millisecond
	// escWithin is how long Bubble Tea surely still waits after a lone ESC
	// (its own limit is 50 ms, counted a little later).
	escWithin = 40 * time.Millisecond
	// handful is more than a hand can type into one read.
	handful = 16
	// maxReply bounds a reply worth handing on; longer ones are swallowed.
	maxReply = 1024
)

const (
	pasteStart = "\x1b[200~"
	pasteEnd   = "\x1b[201~"
)

// newInput returns what to read keys from instead of f: f itself less the
// pieces of terminal replies that would arrive as typed letters. Replies are
// handed to Bubble Tea only whole, however they were cut; one that isn't
// finished within 250 ms is dropped, and with it the keys Alt+[ ] _ ^ and
// Alt+Shift+P X of terminals that write them as a sequence's beginning. A
// cursor report of the first row, which Bubble Tea would also take for F3, is
// rewritten into the form that can't be (so Shift+F3 of old terminals is
// lost). Inside a bracketed paste nothing is a sequence.
//
// If f is a file, so is the result, and raw mode, cancelling and suspending
// work as on f: one Read is at most one Read of f, no goroutine, no timer. On
// Windows Bubble Tea reads the console's records past any reader, so there the
// filter has no effect. Read belongs to one goroutine at a time.
//
// Use it as tea.WithInput(newInput(os.Stdin)).
func newInput(f io.Reader) io.Reader {
	in := &input{src: f, replyFilter: replyFilter{now: time.Now}}
	if t, ok := f.(terminalFile); ok {
		return &fileInput{terminalFile: t, input: in}
	}
	return in
}

// terminalFile is what Bubble Tea and its cancelable reader ask of a terminal.
type terminalFile interface {
	io.ReadWriteCloser
	Fd() uintptr
	Name() string
}

type fileInput struct {
	terminalFile
	input *input
}

func (f *fileInput) Read(p []byte) (int, error) { return f.input.Read(p) }

// input applies a replyFilter to each read.
type input struct {
	replyFilter
	src io.Reader
	// Bubble Tea begins to read again after another program had the terminal, and does not wait
	// for its reader from before.
	mu    sync.Mutex // of all but src
	ready []byte     // output that did not fit into a small p
}

// Read returns 0, nil when all that came was swallowed: reading on would block
// where the caller believes there is something to read.
func (in *input) Read(p []byte) (int, error) {
	if n := in.rest(p); n > 0 {
		return n, nil
	}
	// Output can be four times the input and one held reply; what doesn't fit
	// into p would lie until the next key.
	room := max(1, (len(p)-maxReply)/4)
	buf := make([]byte, min(room, len(p)))
	n, err := in.src.Read(buf)
	in.mu.Lock()
	defer in.mu.Unlock()
	out := in.feed(nil, buf[:n])
	n = copy(p, out)
	in.ready = out[n:]
	if n > 0 && len(in.ready) > 0 {
		return n, nil
	}
	return n, err
}

// rest gives what did not fit before.
func (in *input) rest(p []byte) int {
	in.mu.Lock()
	defer in.mu.Unlock()
	n := copy(p, in.ready)
	in.ready = in.ready[n:]
	return n
}

type inputState byte

const (
	atKeys  inputState = iota
	atEsc              // after ESC
	inCSI              // after ESC [
	inText             // in OSC, DCS, APC, PM or SOS
	textEsc            // there, after ESC
	inPaste
)

// replyFilter finds the sequences in what a terminal sends. It knows their
// grammar, not their meaning.
type replyFilter struct {
	now   func() time.Time
	state inputState
	held  []byte    // the unfinished sequence from its ESC on; in a paste what may be its end
	sent  bool      // its ESC has gone out already, since it may be the Esc key
	bad   bool      // it is nothing to hand on
	start time.Time // when its first byte came
	last  time.Time // when its latest byte came
}

// feed takes what one read returned and appends to out what may pass.
func (f *replyFilter) feed(out, in []byte) []byte {
	now := f.now()
	if !f.continues(now, in) {
		f.reset(atKeys)
	}
	f.last = now
	for len(in) > 0 {
		if f.state == inPaste {
			out, in = f.paste(out, in)
			continue
		}
		var again bool
		if out, again = f.step(out, in[0], now); !again {
			in = in[1:]
		}
	}
	if f.state == atEsc && !f.sent {
		out = append(out, '\x1b')
		f.sent = true
	}
	return out
}

// continues reports whether in may belong to the sequence begun before.
func (f *replyFilter) continues(now time.Time, in []byte) bool {
	age := now.Sub(f.start)
	switch f.state {
	case atKeys, inPaste:
		return true
	case atEsc: // Esc and something else, or one sequence cut after its ESC?
		return age < escWithin || age < replyWithin && len(in) > 2 && bytes.IndexByte([]byte("[]P_^X"), in[0]) >= 0
	}
	return age < replyWithin || len(in) >= handful && now.Sub(f.last) < replyWithin
}

func (f *replyFilter) reset(s inputState) {
	f.state, f.held, f.sent, f.bad = s, f.held[:0], false, false
}

// step takes the byte c outside of a paste. If again, c wants another look in
// the new state.
func (f *replyFilter) step(out []byte, c byte, now time.Time) (_ []byte, again bool) {
	switch f.state {
	case atKeys:
		if c != '\x1b' {
			return append(out, c), false
		}
		f.begin(now)
	case atEsc:
		return f.afterEsc(out, c, now), false
	case inCSI:
		switch {
		case c >= 0x40 && c <= 0x7e:
			f.hold(c)
			return f.finish(out, now), false
		case c >= 0x20 && c < 0x40:
			f.hold(c)
		default:
			f.reset(atKeys)
			return out, true
		}
	case inText:
		switch c {
		case '\a':
			f.hold(c)
			return f.finish(out, now), false
		case '\x1b':
			f.state = textEsc
		case 0x18, 0x1a:
			f.reset(atKeys)
		default:
			f.bad = f.bad || c < ' ' || c > '~'
			f.hold(c)
		}
	case textEsc:
		if c == '\\' {
			f.hold('\x1b')
			f.hold(c)
			return f.finish(out, now), false
		}
		f.begin(now)
		return out, true
	}
	return out, false
}

func (f *replyFilter) begin(now time.Time) {
	f.reset(atEsc)
	f.held = append(f.held, '\x1b')
	f.start = now
}

func (f *replyFilter) hold(c byte) {
	if len(f.held) >= maxReply {
		f.bad = true
		return
	}
	f.held = append(f.held, c)
}

func (f *replyFilter) afterEsc(out []byte, c byte, now time.Time) []byte {
	switch c {
	case '[':
		f.state = inCSI
	case ']', 'P', '_', '^', 'X':
		f.state = inText
	default:
		if !f.sent {
			out = append(out, '\x1b')
		}
		if c == '\x1b' {
			f.begin(now)
			return out
		}
		f.reset(atKeys)
		return append(out, c)
	}
	f.hold(c)
	return out
}

// finish hands on the whole sequence in held, without its ESC if that went
// ahead and Bubble Tea still waits for the rest.
func (f *replyFilter) finish(out []byte, now time.Time) []byte {
	seq := unambiguous(f.held)
	if f.sent && now.Sub(f.start) < escWithin {
		seq = seq[1:]
	}
	if !f.bad {
		out = append(out, seq...)
	}
	if string(f.held) == pasteStart {
		f.reset(inPaste)
	} else {
		f.reset(atKeys)
	}
	return out
}

// unambiguous turns the cursor report ESC [ 1 ; n R, which may also mean a
// modified F3, into ESC [ ? 1 ; n R, which says the same and nothing else.
func unambiguous(seq []byte) []byte {
	if bytes.HasPrefix(seq, []byte("\x1b[1;")) && seq[len(seq)-1] == 'R' {
		return append([]byte("\x1b[?"), seq[2:]...)
	}
	return seq
}

// paste passes pasted text up to its end. Escapes and bytes that are no UTF-8
// become visible signs: Bubble Tea would take them for sequences and could
// miss the end. An end with another end after it in the same read is text,
// else what stands between them would be typed.
func (f *replyFilter) paste(out, in []byte) (_, rest []byte) {
	if len(f.held) > 0 {
		in = append(bytes.Clone(f.held), in...)
		f.held = f.held[:0]
	}
	for len(in) > 0 {
		c, n := in[0], 1
		switch {
		case c == '\x1b':
			if bytes.HasPrefix(in, []byte(pasteEnd)) && !bytes.Contains(in[len(pasteEnd):], []byte(pasteEnd)) {
				f.reset(atKeys)
				return append(out, pasteEnd...), in[len(pasteEnd):]
			}
			if bytes.HasPrefix([]byte(pasteEnd), in) {
				f.held = append(f.held, in...)
				return out, nil
			}
			out = append(out, "␛"...)
		case c < utf8.RuneSelf:
			out = append(out, c)
		case !utf8.FullRune(in):
			f.held = append(f.held, in...)
			return out, nil
		default:
			if _, n = utf8.DecodeRune(in); n == 1 {
				out = fmt.Appendf(out, `\x%02x`, c)
			} else {
				out = append(out, in[:n]...)
			}
		}
		in = in[n:]
	}
	return out, nil
}
