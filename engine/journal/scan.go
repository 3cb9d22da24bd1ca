package journal

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"

	"agentstudio/engine"
)

// Fault is a place of a journal that could not be read, or that nobody needs.
type Fault struct {
	Line   int    `json:"line"` // from 1
	Offset int64  `json:"offset"`
	Reason string `json:"reason"`
}

const (
	maxFaults  = 1000 // kept of each kind: a gigabyte of newlines must not become a gigabyte of faults
	remembered = 256  // records, to tell one that stands there twice from one with other content
	readAhead  = 32 << 10
)

// mark is a place between two records: what comes next, and the checksum of the line before.
type mark struct {
	seq    engine.Seq
	offset int64
	prev   uint32
}

// scanner reads a journal record by record and keeps account of what is wrong with it.
type scanner struct {
	in     *bufio.Reader
	buf    []byte // holds a line that is longer than what in reads ahead
	decode bool   // whether events are decoded; what cannot be decoded is bad then

	offset int64  // of rest
	line   int    // the line that rest is of
	rest   []byte // of the line that is being taken apart, newline included

	at      mark // behind the last record
	newline bool // the last record ends in one
	owner   string
	recent  [remembered]struct {
		seq engine.Seq
		crc uint32
	}

	bad     []Fault // since the last record
	damaged []Fault // events are lost or doubtful, and further records follow
	notes   []Fault // foreign lines and doubled records: nothing is lost by them
}

// newScanner reads what follows from. owner is the session the records are of; "" for that of the
// first one.
func newScanner(r io.Reader, from mark, owner string) *scanner {
	return &scanner{in: bufio.NewReaderSize(r, readAhead), offset: from.offset, at: from, owner: owner, newline: true}
}

// found is a record in its place.
type found struct {
	rec    record
	seq    engine.Seq
	event  engine.Event // if decoded
	offset int64
	end    int64
	line   int
	ended  bool       // by a newline
	gap    engine.Seq // first missing number before it, or 0
	reason string     // of the gap
}

// mark is the place of the record itself.
func (f *found) mark() mark { return mark{f.seq, f.offset, f.rec.prev} }

// next gives the next record that continues the journal; io.EOF at its end.
func (s *scanner) next() (found, error) {
	for {
		f, err := s.record()
		if err != nil {
			return f, err
		}
		if reason := s.read(&f); reason != "" {
			s.bad = note(s.bad, Fault{f.line, f.offset, reason})
			continue
		}
		s.newline = f.ended
		if f.seq < s.at.seq {
			s.again(f)
			s.at.offset = f.end
			continue
		}
		s.settle(&f)
		s.at = mark{f.seq + 1, f.end, f.rec.crc}
		r := &s.recent[f.seq%remembered]
		r.seq, r.crc = f.seq, f.rec.crc
		return f, nil
	}
}

// read takes the record's head, and its event if that is wanted; or says why it is none.
func (s *scanner) read(f *found) string {
	seq, err := strconv.ParseUint(f.rec.field("sequence"), 10, 63)
	owner := f.rec.field("sessionId")
	switch {
	case err != nil || seq == 0 || owner == "":
		return errNotARecord.Error()
	case s.owner != "" && owner != s.owner:
		return "a record of another session"
	}
	f.seq = engine.Seq(seq)
	if s.decode {
		if f.event, err = f.rec.decode(); err != nil {
			return engine.MessageOf(err)
		}
		if f.event.Seq != f.seq || string(f.event.Session) != owner {
			return errNotARecord.Error()
		}
	}
	s.owner = owner
	return ""
}

// again judges a record whose number has been there already.
func (s *scanner) again(f found) {
	r := s.recent[f.seq%remembered]
	at := Fault{f.line, f.offset, fmt.Sprintf("event %d stands here again", f.seq)}
	if r.seq == f.seq && r.crc == f.rec.crc {
		s.notes = note(s.notes, at)
		return
	}
	at.Reason += ", with other content or long after"
	s.damaged = note(s.damaged, at)
}

// settle judges what was bad before a good record: lost events, or only a foreign line.
func (s *scanner) settle(f *found) {
	bad := s.bad
	s.bad = nil
	here := Fault{f.line, f.offset, "it does not continue the line before"}
	switch {
	case f.seq == s.at.seq && f.rec.prev == s.at.prev:
		s.notes = note(s.notes, bad...)
	case f.seq == s.at.seq:
		s.damaged = note(s.damaged, append(bad, here)...)
	default:
		f.gap = s.at.seq
		if len(bad) == 0 {
			here.Reason = fmt.Sprintf("events %d to %d are missing", f.gap, f.seq-1)
			bad = append(bad, here)
		}
		f.reason = bad[0].Reason
		s.damaged = note(s.damaged, bad...)
	}
}

func note(list []Fault, more ...Fault) []Fault {
	return append(list, more[:min(len(more), maxFaults-len(list))]...)
}

// record gives the next record with a right checksum, remembering the bad places before it.
func (s *scanner) record() (found, error) {
	for {
		fresh := len(s.rest) == 0
		if fresh {
			if err := s.fill(); err != nil {
				return found{}, err
			}
		}
		body := bytes.TrimSuffix(s.rest, []byte("\n"))
		if fresh {
			if rec, err := check(body); err == nil {
				return s.take(rec, len(s.rest)), nil
			}
		}
		begin, end, ok := locate(body)
		if !ok {
			s.spoil(len(s.rest), body)
			continue
		}
		s.spoil(begin, body[:begin])
		rec, _ := check(body[begin:end])
		n := end - begin
		if end == len(body) {
			n = len(s.rest)
		}
		return s.take(rec, n), nil
	}
}

// spoil uses n bytes of the rest up that are no record.
func (s *scanner) spoil(n int, body []byte) {
	if n == 0 {
		return
	}
	why := errNotARecord
	if _, err := check(body); err != nil {
		why = err
	}
	s.bad = note(s.bad, Fault{s.line, s.offset, why.Error()})
	s.skip(n)
}

// take uses n bytes of the rest up as a record.
func (s *scanner) take(rec record, n int) found {
	f := found{rec: rec, line: s.line, offset: s.offset, end: s.offset + int64(n), ended: s.rest[n-1] == '\n'}
	s.skip(n)
	return f
}

func (s *scanner) skip(n int) {
	s.rest = s.rest[n:]
	s.offset += int64(n)
}

// fill reads the next line, with its newline if it has one. A line over the limit is passed over
// without being held in memory.
func (s *scanner) fill() error {
	s.line++
	line, err := s.in.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		s.rest = line
		return whole(line, err)
	}
	s.buf = append(s.buf[:0], line...)
	for errors.Is(err, bufio.ErrBufferFull) {
		line, err = s.in.ReadSlice('\n')
		if len(s.buf)+len(line) > maxLine {
			return s.passOver(int64(len(s.buf)+len(line)), err)
		}
		s.grow(len(line))
		s.buf = append(s.buf, line...)
	}
	s.rest = s.buf
	return whole(s.buf, err)
}

// grow makes room in few steps: reading takes at most twice the limit, old buffers included.
func (s *scanner) grow(n int) {
	if len(s.buf)+n > cap(s.buf) {
		s.buf = append(make([]byte, 0, min(max(4*cap(s.buf), 1<<20), maxLine)), s.buf...)
	}
}

// whole lets a last line without a newline count.
func whole(line []byte, err error) error {
	if errors.Is(err, io.EOF) && len(line) > 0 {
		return nil
	}
	return err
}

func (s *scanner) passOver(n int64, err error) error {
	for errors.Is(err, bufio.ErrBufferFull) {
		var part []byte
		part, err = s.in.ReadSlice('\n')
		n += int64(len(part))
	}
	s.bad = note(s.bad, Fault{s.line, s.offset, errTooLong.Error()})
	s.offset += n
	if errors.Is(err, io.EOF) {
		return nil // told again by the next read
	}
	return err
}
