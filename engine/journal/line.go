package journal

import (
	"bytes"
	"errors"
	"hash/crc32"
	"sync"

	"agentstudio/engine"
)

// A line is an event's envelope with two more fields at its end: prev, the checksum of the line
// before, and crc, the CRC-32C of this line up to that field. The chain finds lines that were cut,
// changed, moved or put in.
const (
	beginning = `{"eventId":`
	prevField = `,"prev":"`
	crcField  = `","crc":"`
	lineEnd   = `"}`
	hexBytes  = 8
	tailBytes = len(prevField) + hexBytes + len(crcField) + hexBytes + len(lineEnd)
	maxLine   = 8 << 20
)

// castagnoli is made on first use, which spares the start of the program a millisecond.
var castagnoli = sync.OnceValue(func() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) })

var (
	errNotARecord = errors.New("not a record of this journal")
	errChecksum   = errors.New("the checksum is wrong")
	errZeros      = errors.New("zeros in place of a record")
	errTooLong    = errors.New("the line is too long")
)

// appendLine appends the event's line, newline included, and gives its checksum.
func appendLine(dst []byte, e engine.Event, prev uint32) ([]byte, uint32, error) {
	start := len(dst)
	dst, err := e.AppendJSON(dst)
	if err != nil {
		return nil, 0, err
	}
	dst, crc := seal(dst, start, prev)
	if len(dst)-start > maxLine { // a reader would pass it over
		return nil, 0, errTooLong
	}
	return dst, crc, nil
}

// seal makes a line of the envelope that stands at the end of dst from start on.
func seal(dst []byte, start int, prev uint32) ([]byte, uint32) {
	dst = append(dst[:len(dst)-1], prevField...) // in place of the closing brace
	dst = appendHex(dst, prev)
	crc := crc32.Checksum(dst[start:], castagnoli())
	dst = append(dst, crcField...)
	dst = appendHex(dst, crc)
	return append(dst, lineEnd+"\n"...), crc
}

func appendHex(dst []byte, n uint32) []byte {
	const digits = "0123456789abcdef"
	for shift := 28; shift >= 0; shift -= 4 {
		dst = append(dst, digits[n>>shift&15])
	}
	return dst
}

// readHex takes only what appendHex writes: a capital letter is a changed byte.
func readHex(b []byte) (n uint32, ok bool) {
	for _, c := range b {
		switch {
		case c >= '0' && c <= '9':
			n = n<<4 | uint32(c-'0')
		case c >= 'a' && c <= 'f':
			n = n<<4 | uint32(c-'a'+10)
		default:
			return 0, false
		}
	}
	return n, true
}

// readTail takes apart what a line ends with.
func readTail(t []byte) (prev, crc uint32, ok bool) {
	p, c := len(prevField), len(prevField)+hexBytes+len(crcField)
	if string(t[:p]) != prevField || string(t[p+hexBytes:c]) != crcField || string(t[c+hexBytes:]) != lineEnd {
		return 0, 0, false
	}
	prev, ok1 := readHex(t[p : p+hexBytes])
	crc, ok2 := readHex(t[c : c+hexBytes])
	return prev, crc, ok1 && ok2
}

// record is one line whose checksum is right.
type record struct {
	bytes     []byte // the line without its newline; valid until the next one is read
	prev, crc uint32
}

// check takes a line apart and compares its checksum.
func check(line []byte) (record, error) {
	switch {
	case len(line) > 0 && len(bytes.Trim(line, "\x00")) == 0:
		return record{}, errZeros
	case len(line) <= tailBytes || !bytes.HasPrefix(line, []byte(beginning)):
		return record{}, errNotARecord
	}
	prev, crc, ok := readTail(line[len(line)-tailBytes:])
	if !ok {
		return record{}, errNotARecord
	}
	if crc32.Checksum(line[:len(line)-tailBytes+len(prevField)+hexBytes], castagnoli()) != crc {
		return record{}, errChecksum
	}
	return record{line, prev, crc}, nil
}

// running is a place where a record may begin, with the checksum of what has been read of it.
type running struct {
	at, upto int
	crc      uint32
}

// locate finds the first whole record inside a line that is more than one record: a lost newline,
// or a record behind zeros or a torn one. It reads each byte a few times at most, whatever is there.
func locate(line []byte) (begin, end int, ok bool) {
	const most = 4 // of the places before an end, the nearest; a payload may hold such words too
	var open []running
	looked := 0
	for at := 0; ; {
		i := bytes.Index(line[at:], []byte(prevField))
		if i < 0 || len(line)-at-i < tailBytes {
			return 0, 0, false
		}
		t := at + i
		at = t + 1
		_, crc, ok := readTail(line[t : t+tailBytes])
		if !ok {
			continue
		}
		for j := bytes.Index(line[looked:t], []byte(beginning)); j >= 0; j = bytes.Index(line[looked:t], []byte(beginning)) {
			open = append(open, running{at: looked + j, upto: looked + j})
			looked += j + 1
		}
		looked = t
		open = append(open[:0], open[max(0, len(open)-most):]...)
		stop := t + len(prevField) + hexBytes
		for k := range open {
			o := &open[k]
			o.crc = crc32.Update(o.crc, castagnoli(), line[o.upto:stop])
			o.upto = stop
			if o.crc == crc {
				return o.at, t + tailBytes, true
			}
		}
	}
}

// envelope appends the record as it was before it became a line.
func (r record) envelope(dst []byte) []byte {
	return append(append(dst, r.bytes[:len(r.bytes)-tailBytes]...), '}')
}

// decode reads the event of a record (EVENT_MALFORMED).
func (r record) decode() (engine.Event, error) {
	return engine.DecodeEvent(r.envelope(make([]byte, 0, len(r.bytes))))
}

// field gives the plain value of a field of the envelope's fixed head, without decoding it all.
func (r record) field(name string) string {
	head := r.bytes[:min(len(r.bytes), 768)]
	_, rest, ok := bytes.Cut(head, []byte(`"`+name+`":`))
	if !ok {
		return ""
	}
	rest = bytes.TrimPrefix(rest, []byte(`"`))
	if i := bytes.IndexAny(rest, `",}`); i >= 0 {
		return string(rest[:i])
	}
	return ""
}
