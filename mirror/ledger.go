package mirror

import (
	"strconv"
	"sync"
	"time"

	"agentstudio/engine"
)

const (
	ledgerLines = 60 // of refused tries a minute; then how many were left out
	ledgerEvery = time.Minute
)

// ledger is what is written of those that were not let in. Anybody can have a line written without a
// token, so that there are only so many a minute, and one that says how many more there were.
type ledger struct {
	tell  func(string)
	clock engine.Clock

	mu      sync.Mutex
	written int
	left    int
	stop    func() bool // of the timer that begins a new minute; nil while nothing was written
}

// line writes a line, or counts it. Any goroutine.
func (l *ledger) line(s string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stop == nil {
		l.stop = l.clock.AfterFunc(ledgerEvery, l.turn)
	}
	if l.written == ledgerLines {
		l.left++
		return
	}
	l.written++
	l.tell(s)
}

// turn begins a new minute.
func (l *ledger) turn() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.left > 0 {
		l.tell("mirror: " + strconv.Itoa(l.left) + " more refused within a minute, not written here")
	}
	l.written, l.left, l.stop = 0, 0, nil
}

// close says what was left out.
func (l *ledger) close() {
	l.mu.Lock()
	stop := l.stop
	l.mu.Unlock()
	if stop != nil && stop() {
		l.turn()
	}
}
