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

// Fault is a place of a journal that could not be read.
type Fault struct {
	Line   int    `json:"line"` // from 1
	Offset int64  `json:"offset"`
	Reason string `json:"reason"`
}

// scanner reads a journal record by record and keeps account of what is wrong with it.
type scanner struct {
	r      *bufio.Reader
	offset int64 // of the next line
	line   int
	last   engine.Seq
	crc    uint32
	first  bool // no record seen yet: what came before is unknown or nothing

	bad     []Fault // since the last record
	damaged []Fault // followed by further records
	notes   []Fault // foreign lines and doubled records: nothing is lost by them
	good    int64   // end of the last whole record, its newline included if there
	newline bool    // the last record ends in a newline
	queue   []queued
}

type queued struct {
	rec    record
	offset int64
	end    int64
}

// newScanner reads from offset on; fresh tells that the file begins there.
func newScanner(r io.Reader, offset int64, after engine.Seq) *scanner {
	return &scanner{r: bufio.NewReaderSize(r, 256<<10), offset: offset, good: offset, last: after, first: true, newline: true}
}

// found is a record in its place.
type found struct {
	rec    record
	seq    engine.Seq
	offset int64
	gap    engine.Seq // first missing number before it, or 0
	reason string     // of the gap
}

// next gives the next record that continues the journal; io.EOF at its end.
func (s *scanner) next() (found, error) {
	for {
		q, err := s.record()
		if err != nil {
			return found{}, err
		}
		seq, perr := strconv.ParseUint(q.rec.field("sequence"), 10, 63)
		if perr != nil || seq == 0 {
			s.bad = append(s.bad, Fault{s.line, q.offset, errNotARecord.Error()})
			continue
		}
		f := found{rec: q.rec, seq: engine.Seq(seq), offset: q.offset}
		if f.seq <= s.last {
			s.notes = append(s.notes, Fault{s.line, q.offset, fmt.Sprintf("event %d stands here again", f.seq)})
			s.good = q.end
			continue
		}
		s.settle(&f)
		s.last, s.crc, s.first, s.good = f.seq, q.rec.crc, false, q.end
		return f, nil
	}
}

// settle judges what was bad before a good record: lost events, or only a foreign line.
func (s *scanner) settle(f *found) {
	bad := s.bad
	s.bad = nil
	whole := f.seq == s.last+1
	switch {
	case whole && (s.first || f.rec.prev == s.crc):
		s.notes = append(s.notes, bad...)
	case whole:
		bad = append(bad, Fault{s.line, f.offset, "it does not continue the line before"})
		s.damaged = append(s.damaged, bad...)
	default:
		f.gap, f.reason = s.last+1, fmt.Sprintf("events %d to %d are missing", s.last+1, f.seq-1)
		if len(bad) == 0 {
			bad = append(bad, Fault{s.line, f.offset, f.reason})
		}
		f.reason = bad[0].Reason
		s.damaged = append(s.damaged, bad...)
	}
}

// record gives the next line with a right checksum, remembering the bad ones before it.
func (s *scanner) record() (queued, error) {
	for len(s.queue) == 0 {
		line, err := s.read()
		if errors.Is(err, errSkipped) {
			continue
		}
		if err != nil {
			return queued{}, err
		}
		start, end := s.offset, s.offset+int64(len(line))
		body := bytes.TrimSuffix(line, []byte("\n"))
		s.offset = end
		s.line++
		if rec, err := check(body); err == nil {
			s.newline = len(body) < len(line)
			return queued{rec, start, end}, nil
		} else if whole, rest := split(body); len(whole) > 0 {
			s.unpack(whole, rest, start, len(line)-len(body))
		} else {
			s.bad = append(s.bad, Fault{s.line, start, err.Error()})
		}
	}
	q := s.queue[0]
	s.queue = s.queue[1:]
	return q, nil
}

func (s *scanner) unpack(whole [][]byte, rest []byte, start int64, newline int) {
	s.newline = newline > 0 || len(rest) > 0
	for _, w := range whole {
		rec, _ := check(w)
		end := start + int64(len(w))
		s.queue = append(s.queue, queued{rec, start, end})
		start = end
	}
	if len(rest) > 0 {
		s.bad = append(s.bad, Fault{s.line, start, errNotARecord.Error()})
		return
	}
	s.queue[len(s.queue)-1].end += int64(newline)
}

// read gives the next line with its newline, if it has one. A line over the limit is passed over
// without being held in memory.
func (s *scanner) read() ([]byte, error) {
	var line []byte
	for {
		part, err := s.r.ReadSlice('\n')
		if line == nil && err == nil {
			return part, nil
		}
		if len(line)+len(part) > maxLine {
			return nil, s.skip(int64(len(line)+len(part)), err)
		}
		line = append(line, part...)
		switch {
		case err == nil, errors.Is(err, io.EOF) && len(line) > 0:
			return line, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
}

func (s *scanner) skip(n int64, err error) error {
	start := s.offset
	for errors.Is(err, bufio.ErrBufferFull) {
		var part []byte
		part, err = s.r.ReadSlice('\n')
		n += int64(len(part))
	}
	s.offset += n
	s.line++
	s.bad = append(s.bad, Fault{s.line, start, errTooLong.Error()})
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return errSkipped
}

var errSkipped = errors.New("a line was passed over")
