package journal

import (
	"bytes"
	"encoding/hex"
	"errors"
	"hash/crc32"

	"agentstudio/engine"
)

// A line is an event's envelope with two more fields at its end: prev, the checksum of the line
// before, and crc, the CRC-32C of this line up to that field. The chain finds lines that were cut,
// changed, moved or put in.
const (
	prevField = `,"prev":"`
	crcField  = `","crc":"`
	tailBytes = len(prevField) + 8 + len(crcField) + 8 + len(`"}`)
	maxLine   = 8 << 20
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// appendLine appends the event's line, newline included, and gives its checksum.
func appendLine(dst []byte, e engine.Event, prev uint32) ([]byte, uint32, error) {
	start := len(dst)
	dst, err := e.AppendJSON(dst)
	if err != nil {
		return nil, 0, err
	}
	dst = append(dst[:len(dst)-1], prevField...) // in place of the closing brace
	dst = appendHex(dst, prev)
	crc := crc32.Checksum(dst[start:], castagnoli)
	dst = append(dst, crcField...)
	dst = appendHex(dst, crc)
	return append(dst, "\"}\n"...), crc, nil
}

func appendHex(dst []byte, n uint32) []byte {
	return hex.AppendEncode(dst, []byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)})
}

func readHex(b []byte) (uint32, bool) {
	var n [4]byte
	if _, err := hex.Decode(n[:], b); err != nil {
		return 0, false
	}
	return uint32(n[0])<<24 | uint32(n[1])<<16 | uint32(n[2])<<8 | uint32(n[3]), true
}

// record is one line whose checksum is right.
type record struct {
	bytes     []byte // the line without its newline; valid until the next one is read
	prev, crc uint32
}

var (
	errNotARecord = errors.New("not a record of this journal")
	errChecksum   = errors.New("the checksum is wrong")
	errZeros      = errors.New("zeros in place of a record")
	errTooLong    = errors.New("the line is too long")
)

// check takes a line apart and compares its checksum.
func check(line []byte) (record, error) {
	switch {
	case len(line) > 0 && len(bytes.Trim(line, "\x00")) == 0:
		return record{}, errZeros
	case len(line) <= tailBytes || line[0] != '{':
		return record{}, errNotARecord
	}
	t := line[len(line)-tailBytes:]
	p, c := len(prevField), len(prevField)+8+len(crcField)
	if string(t[:p]) != prevField || string(t[p+8:c]) != crcField || string(t[c+8:]) != `"}` {
		return record{}, errNotARecord
	}
	prev, ok1 := readHex(t[p : p+8])
	crc, ok2 := readHex(t[c : c+8])
	if !ok1 || !ok2 {
		return record{}, errNotARecord
	}
	if crc32.Checksum(line[:len(line)-tailBytes+p+8], castagnoli) != crc {
		return record{}, errChecksum
	}
	return record{line, prev, crc}, nil
}

// split takes a line apart that holds several whole records, as happens when a newline got lost.
func split(line []byte) (whole [][]byte, rest []byte) {
	for len(line) > 0 {
		n := boundary(line)
		if n == 0 {
			break
		}
		whole, line = append(whole, line[:n]), line[n:]
	}
	return whole, line
}

// boundary is the length of the whole record that line begins with, or 0.
func boundary(line []byte) int {
	const end, begin = `"}`, `{"eventId":`
	for from := 0; ; {
		i := bytes.Index(line[from:], []byte(end+begin))
		if i < 0 {
			if _, err := check(line); err == nil {
				return len(line)
			}
			return 0
		}
		n := from + i + len(end)
		if _, err := check(line[:n]); err == nil {
			return n
		}
		from = n
	}
}

// decode reads the event of a record.
func (r record) decode() (engine.Event, error) {
	b := append(append([]byte(nil), r.bytes[:len(r.bytes)-tailBytes]...), '}')
	return engine.DecodeEvent(b)
}

// field gives the plain value of a field of the envelope's fixed head, without decoding it all.
func (r record) field(name string) string {
	head := r.bytes[:min(len(r.bytes), 512)]
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
