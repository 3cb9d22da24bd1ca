package engine

import (
	"context"
	"iter"
	"slices"
	"sync"
	"time"
)

const (
	windowEvents = 1000
	windowBytes  = 8 << 20
	replayBatch  = 256
)

// firstOfBatch as a cause stands for the first event of the same append, whose number is not known
// before.
const firstOfBatch Seq = 1 << 63

// entry is an event before it has a number.
type entry struct {
	run     RunID
	cause   Seq
	payload Payload
}

// log is the one timeline of a session: only append mints numbers, and every event passes here.
//
// An event is written to the journal first and shown second. Writing happens under the write
// mutex; syncing outside it, so that appends go on meanwhile. A durable event, and whatever was
// written after it, is shown once its sync is done. Followers take only the show mutex.
type log struct {
	session SessionID
	journal Journal
	clock   Clock
	newID   func(string) string

	write    sync.Mutex
	last     Seq // newest minted
	lastAt   time.Time
	fold     *fold   // of all that was minted
	pending  []Event // written, not yet shown
	unsynced []Seq   // durable ones among them
	broken   error   // the journal's first refusal

	syncing sync.Mutex // one sync at a time; those who wait share it
	synced  Seq        // under syncing

	show   sync.Mutex
	window []Event // the newest shown ones
	size   int     // estimated bytes of window
	shown  Seq
	grown  chan struct{} // made by a waiting follower, closed when something is shown
	closed bool
}

func newLog(id SessionID, j Journal, cfg Config) *log {
	return &log{session: id, journal: j, clock: cfg.Clock, newID: cfg.NewID, fold: newFold()}
}

// restore takes in an event that the journal already holds.
func (l *log) restore(e Event) {
	l.write.Lock()
	defer l.write.Unlock()
	l.last, l.lastAt = e.Seq, e.At
	l.fold.apply(e)
	l.publish([]Event{e})
}

// append numbers the entries, stores them with one write, and shows them. What the journal refuses
// is not shown; what is appended after that is shown from memory alone. The error is JOURNAL_FAILED
// each time.
func (l *log) append(entries ...entry) ([]Event, error) {
	l.write.Lock()
	events := l.mint(entries)
	if l.broken == nil {
		if err := l.journal.Append(events); err != nil {
			l.broken = journalFailed(err)
			l.last = events[0].Seq - 1 // never stored, never shown: the number is free
			err := l.broken
			l.write.Unlock()
			return nil, err
		}
	}
	broken, sync := l.broken, false
	for _, e := range events {
		l.fold.apply(e)
		if broken == nil && durable(e.Payload) {
			l.unsynced = append(l.unsynced, e.Seq)
			sync = true
		}
	}
	l.pending = append(l.pending, events...)
	l.release()
	l.write.Unlock()
	if !sync {
		return events, broken
	}
	return events, l.sync(events[len(events)-1].Seq)
}

// failed is why the journal takes nothing more, or nil.
func (l *log) failed() error {
	l.write.Lock()
	defer l.write.Unlock()
	return l.broken
}

func journalFailed(err error) error {
	return &Error{Code: JournalFailed, Err: err,
		Message: "the journal could not be written (" + MessageOf(err) + "); nothing after this is saved. Free disk space or fix the state directory, then start again"}
}

func (l *log) mint(entries []entry) []Event {
	events := make([]Event, len(entries))
	for i, n := range entries {
		at := l.clock.Stamp().UTC().Truncate(time.Millisecond)
		if at.Before(l.lastAt) {
			at = l.lastAt // a clock set back must not turn the story round
		}
		l.last++
		l.lastAt = at
		if n.cause == firstOfBatch {
			n.cause = events[0].Seq
		}
		events[i] = Event{ID: EventID(l.newID("evt")), Session: l.session, Seq: l.last, At: at,
			Run: n.run, Cause: n.cause, Payload: n.payload}
	}
	return events
}

// settle makes everything so far durable, so that the session is there to be opened again.
func (l *log) settle() error {
	l.write.Lock()
	seq := l.last
	l.write.Unlock()
	return l.sync(seq)
}

// sync makes everything up to seq durable and shows it.
func (l *log) sync(seq Seq) error {
	l.syncing.Lock()
	defer l.syncing.Unlock()
	l.write.Lock()
	upto, broken := l.last, l.broken
	l.write.Unlock()
	if l.synced >= seq || broken != nil {
		return broken
	}
	err := l.journal.Sync()
	l.write.Lock()
	defer l.write.Unlock()
	if err != nil {
		l.broken = journalFailed(err)
		if len(l.unsynced) > 0 {
			l.unwind(l.unsynced[0] - 1)
		}
		return l.broken
	}
	l.synced = upto
	l.unsynced = slices.DeleteFunc(l.unsynced, func(s Seq) bool { return s <= upto })
	l.release()
	return nil
}

// unwind forgets what was minted after last but may not be shown, since it may not be saved.
func (l *log) unwind(last Seq) {
	l.pending, l.unsynced, l.last = nil, nil, last
	l.fold = newFold()
	for e, err := range l.journal.Replay(context.Background(), 0) {
		if err != nil || e.Seq > last {
			return
		}
		l.fold.apply(e)
	}
}

// release shows what may be shown: all that comes before the first event still to be synced.
func (l *log) release() {
	n := len(l.pending)
	if len(l.unsynced) > 0 {
		n = slices.IndexFunc(l.pending, func(e Event) bool { return e.Seq >= l.unsynced[0] })
	}
	if n > 0 {
		l.publish(l.pending[:n])
		l.pending = append(l.pending[:0], l.pending[n:]...)
	}
}

func (l *log) publish(events []Event) {
	l.show.Lock()
	defer l.show.Unlock()
	for _, e := range events {
		l.window = append(l.window, e)
		l.size += weight(e.Payload)
	}
	l.shown = l.window[len(l.window)-1].Seq
	cut := 0
	for len(l.window)-cut > 1 && (len(l.window)-cut > 2*windowEvents || l.size > windowBytes) {
		l.size -= weight(l.window[cut].Payload)
		cut++
		if len(l.window)-cut == 2*windowEvents { // trim to the newest 1,000 in one go
			for len(l.window)-cut > windowEvents {
				l.size -= weight(l.window[cut].Payload)
				cut++
			}
		}
	}
	if cut > 0 {
		l.window = append(make([]Event, 0, 2*windowEvents+replayBatch), l.window[cut:]...) // readers may hold the old one
	}
	if l.grown != nil {
		close(l.grown)
		l.grown = nil
	}
}

// weight is roughly what an event holds in memory.
func weight(p Payload) int {
	const base = 256
	switch p := p.(type) {
	case AssistantDelta:
		return base + len(p.Delta)
	case ReasoningDelta:
		return base + len(p.Delta)
	case ToolCompleted:
		return base + len(p.Content) + len(p.Data)
	case ToolRequested:
		return base + len(p.Arguments) + len(p.RawArguments)
	case ApprovalRequired:
		return base + len(p.Arguments) + len(p.Preview)
	case UserMessage:
		return base + len(p.Text)
	case PromptChanged:
		return base + 16<<10
	}
	return base
}

// close lets followers end once they have seen everything.
func (l *log) close() {
	l.show.Lock()
	defer l.show.Unlock()
	l.closed = true
	if l.grown != nil {
		close(l.grown)
		l.grown = nil
	}
}

// follow yields every event after the given one in batches, past and future, until ctx ends or
// the log is closed. A slow reader only lags behind: nothing is dropped and nobody waits for it.
func (l *log) follow(ctx context.Context, after Seq) iter.Seq2[[]Event, error] {
	return func(yield func([]Event, error) bool) {
		for ctx.Err() == nil {
			batch, wait, older := l.since(after)
			switch {
			case older != 0:
				next, more := l.stored(ctx, after, older, yield)
				if !more {
					return
				}
				after = next
			case len(batch) > 0:
				if !yield(batch, nil) {
					return
				}
				after = batch[len(batch)-1].Seq
			case wait == nil:
				return
			default:
				select {
				case <-wait:
				case <-ctx.Done():
				}
			}
		}
	}
}

// since gives what memory holds after a number; or a channel to wait on, nil when the log is
// closed; or, when memory begins later, the first number that it holds.
func (l *log) since(after Seq) (batch []Event, wait chan struct{}, older Seq) {
	l.show.Lock()
	defer l.show.Unlock()
	if after >= l.shown {
		if l.grown == nil && !l.closed {
			l.grown = make(chan struct{})
		}
		return nil, l.grown, 0
	}
	if first := l.window[0].Seq; first > after+1 && !standsFor(l.window[0], after+1) {
		return nil, nil, first
	}
	i, _ := slices.BinarySearchFunc(l.window, after+1, func(e Event, s Seq) int { return int(int64(e.Seq) - int64(s)) })
	return l.window[i:len(l.window):len(l.window)], nil, 0
}

func standsFor(e Event, seq Seq) bool {
	d, ok := e.Payload.(JournalDamage)
	return ok && d.From <= seq
}

// stored yields the events after one number and before another from the journal.
func (l *log) stored(ctx context.Context, after, before Seq, yield func([]Event, error) bool) (Seq, bool) {
	var batch []Event
	for e, err := range l.journal.Replay(ctx, after) {
		if err != nil {
			if ctx.Err() == nil {
				yield(nil, err)
			}
			return after, false
		}
		if e.Seq >= before {
			break
		}
		if batch = append(batch, e); len(batch) == replayBatch {
			after = e.Seq
			if !yield(batch, nil) {
				return after, false
			}
			batch = nil
		}
	}
	if len(batch) > 0 {
		after = batch[len(batch)-1].Seq
		return after, yield(batch, nil)
	}
	if after+1 < before && ctx.Err() == nil {
		yield(nil, Errorf(EventGap, "the journal does not hold events %d to %d", after+1, before-1))
		return after, false
	}
	return after, true
}

// read runs f on the fold of all that was minted; f keeps nothing of it.
func (l *log) read(f func(*fold)) {
	l.write.Lock()
	defer l.write.Unlock()
	f(l.fold)
}
