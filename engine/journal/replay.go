package journal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"sort"

	"agentstudio/engine"
)

// Replay implements engine.Journal. Holes are told by a journal.damaged event made here. Of a
// journal that another process writes, each call yields what is there by then; a half-written last
// line is left for the next call.
func (s *session) Replay(ctx context.Context, after engine.Seq) iter.Seq2[engine.Event, error] {
	return func(yield func(engine.Event, error) bool) {
		s.mu.Lock()
		upto, held, exists := s.end.offset, s.held, s.file != nil || s.only
		s.mu.Unlock()
		last := after
		if exists && (upto > 0 || s.only) {
			var more bool
			if last, more = s.stored(ctx, after, upto, yield); !more {
				return
			}
		}
		for _, e := range held {
			if e.Seq > last && (ctx.Err() != nil || !yield(e, nil)) {
				return
			}
		}
	}
}

// stored yields what the file holds after a number, and gives the last one it holds.
func (s *session) stored(ctx context.Context, after engine.Seq, upto int64, yield func(engine.Event, error) bool) (engine.Seq, bool) {
	failed := func(err error) (engine.Seq, bool) {
		yield(engine.Event{}, &engine.Error{Code: engine.ReadFailed, Message: "the journal could not be read: " + reason(err), Err: err})
		return after, false
	}
	f, err := os.Open(filepath.Join(s.dir, eventsName))
	if err != nil {
		return failed(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return failed(err)
	}
	if s.only {
		upto = info.Size()
		s.recognise(info)
	}
	from, owner := s.before(after)
	sc := newScanner(io.NewSectionReader(f, from.offset, upto-from.offset), from, owner)
	var marks []mark
	for ctx.Err() == nil {
		found, err := sc.next()
		if errors.Is(err, io.EOF) {
			s.learn(sc, marks, info)
			return max(sc.at.seq-1, after), true
		}
		if err != nil {
			return failed(err)
		}
		if found.seq%indexEvery == 1 {
			marks = append(marks, found.mark())
		}
		if found.seq > after && !tell(found, after, yield) {
			return after, false
		}
	}
	return after, false
}

// tell yields a record, and before it what stands for those that are missing.
func tell(f found, after engine.Seq, yield func(engine.Event, error) bool) bool {
	e, err := f.rec.decode()
	if err != nil || e.Seq != f.seq {
		e = engine.Event{Session: engine.SessionID(f.rec.field("sessionId")), Seq: f.seq}
		h := hole(e, max(f.gap, f.seq), f.seq, "a record that cannot be understood")
		if f.gap != 0 {
			h = hole(e, max(f.gap, after+1), f.seq, f.reason)
		}
		return yield(h, nil)
	}
	if f.gap != 0 && !yield(hole(e, max(f.gap, after+1), f.seq-1, f.reason), nil) {
		return false
	}
	return yield(e, nil)
}

// hole stands for the events that are missing at or before e.
func hole(e engine.Event, from, to engine.Seq, why string) engine.Event {
	return engine.Event{ID: engine.EventID(fmt.Sprintf("evt_hole_%d", to)), Session: e.Session, Seq: to, At: e.At,
		Payload: engine.JournalDamage{From: from, To: to, Reason: why}}
}

// before is the best known place at or before the event that follows after.
func (s *session) before(after engine.Seq) (mark, string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.only && s.end.seq <= after+1 {
		return s.end, s.owner
	}
	i := sort.Search(len(s.marks), func(i int) bool { return s.marks[i].seq > after+1 })
	if i == 0 {
		return mark{seq: 1}, s.owner
	}
	return s.marks[i-1], s.owner
}

// recognise forgets what is known of another file: a repair has put a new one in its place.
func (s *session) recognise(now os.FileInfo) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.seen == nil || !os.SameFile(s.seen, now) || now.Size() < s.end.offset {
		s.marks, s.end, s.owner = nil, mark{seq: 1}, ""
	}
	s.seen = now
}

// learn keeps what one reading of a journal has found that is only read, so that the next one
// begins where this one ended.
func (s *session) learn(sc *scanner, marks []mark, of os.FileInfo) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.only || !os.SameFile(s.seen, of) || sc.at.offset <= s.end.offset {
		return
	}
	s.end, s.owner = sc.at, sc.owner
	for _, m := range marks {
		if n := len(s.marks); n == 0 || s.marks[n-1].seq < m.seq {
			s.marks = append(s.marks, m)
		}
	}
}
