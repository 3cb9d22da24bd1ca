package provider

import (
	"bytes"
	"errors"
	"io"

	"agentstudio/engine"
)

const (
	maxEvent  = 8 << 20 // bytes of one event, its field names included
	firstRead = 16 << 10
	mark      = "\xef\xbb\xbf" // UTF-8's byte-order mark
)

// event is one event of a stream. Its bytes are valid until the next call of next.
type event struct {
	name []byte // the last "event:" field; empty is "message"
	data []byte // the "data:" fields, joined by LF
	tail bool   // the stream ended before the blank line that closes an event
}

// decoder reads an event stream as the HTML standard says: lines end with LF, CRLF or CR, a
// byte-order mark is passed over, comments and unknown fields are ignored, an event without data is
// none. It differs in one thing: what stands at the end without a blank line is given too, marked,
// since servers leave that line out. It works on bytes and gives the same however they come in.
// One goroutine at a time. Source: html.spec.whatwg.org, 9.2.6 Interpreting an event stream.
type decoder struct {
	from io.Reader
	err  error // what from ended with

	buf        []byte
	start, end int // unread part of buf
	seen       int // bytes after start known to hold no line end
	begun      bool
	afterCR    bool // an LF that comes next belongs to a CR

	name, data []byte
	hasData    bool
}

func newDecoder(r io.Reader) *decoder { return &decoder{from: r, buf: make([]byte, firstRead)} }

// next gives the next event, io.EOF after the last, the reader's own error where it failed (what was
// begun then is lost), or MODEL_PROTOCOL for an event over 8 MiB, after which nothing can be read.
func (d *decoder) next() (event, error) {
	d.name, d.data, d.hasData = d.name[:0], d.data[:0], false
	for {
		line, err := d.line()
		if err != nil {
			return d.last(line, err)
		}
		if len(line) > 0 {
			d.field(line)
			if len(d.data)+len(d.name) > maxEvent {
				return event{}, d.fail()
			}
			continue
		}
		if d.hasData {
			return event{name: d.name, data: d.data}, nil
		}
		d.name = d.name[:0]
	}
}

// last makes an event of what the stream ended with.
func (d *decoder) last(line []byte, err error) (event, error) {
	if !errors.Is(err, io.EOF) {
		return event{}, err
	}
	if len(line) > 0 {
		d.field(line)
	}
	if !d.hasData {
		return event{}, err
	}
	return event{name: d.name, data: d.data, tail: true}, nil
}

func (d *decoder) fail() error {
	d.err = engine.Errorf(engine.ModelProtocol, "the server sent an event of over %d MiB, which is no answer; check the base URL", maxEvent>>20)
	d.start, d.end, d.seen = 0, 0, 0
	return d.err
}

// field takes one line that is not blank.
func (d *decoder) field(line []byte) {
	key, value, _ := bytes.Cut(line, []byte{':'})
	value = bytes.TrimPrefix(value, []byte{' '})
	switch string(key) {
	case "data":
		if d.hasData {
			d.data = append(d.data, '\n')
		}
		d.hasData = true
		d.data = append(d.data, value...)
	case "event":
		d.name = append(d.name[:0], value...)
	}
}

// line gives the next line without its end, or what is left together with the error that ended it.
func (d *decoder) line() ([]byte, error) {
	for {
		if d.afterCR && d.start < d.end {
			d.afterCR = false
			if d.buf[d.start] == '\n' {
				d.start++
			}
		}
		unread := d.buf[d.start:d.end]
		if !d.begun {
			if d.err == nil && len(unread) < len(mark) && mark[:len(unread)] == string(unread) {
				d.fill()
				continue
			}
			d.begun = true
			if len(unread) >= len(mark) && string(unread[:len(mark)]) == mark {
				d.start += len(mark)
			}
			continue
		}
		if n := lineEnd(unread[d.seen:]); n >= 0 {
			n += d.seen
			d.seen = 0
			d.start += n + 1
			d.afterCR = unread[n] == '\r'
			return unread[:n], nil
		}
		d.seen = len(unread)
		if d.err != nil {
			d.start, d.seen = d.end, 0
			return unread, d.err
		}
		if len(d.data)+len(unread) > maxEvent {
			return nil, d.fail()
		}
		d.fill()
	}
}

func lineEnd(b []byte) int {
	n := bytes.IndexByte(b, '\n')
	if n >= 0 {
		b = b[:n]
	}
	if cr := bytes.IndexByte(b, '\r'); cr >= 0 {
		return cr
	}
	return n
}

// fill reads once more, moving what is unread to the front, in a larger buffer if need be.
func (d *decoder) fill() {
	if d.start > 0 {
		d.end = copy(d.buf, d.buf[d.start:d.end])
		d.start = 0
	}
	if d.end == len(d.buf) {
		larger := make([]byte, 2*len(d.buf))
		copy(larger, d.buf)
		d.buf = larger
	}
	const tries = 100
	for range tries {
		n, err := d.from.Read(d.buf[d.end:])
		d.end += n
		d.err = err
		if n > 0 || err != nil {
			return
		}
	}
	d.err = io.ErrNoProgress
}
