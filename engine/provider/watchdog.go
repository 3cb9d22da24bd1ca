package provider

import (
	"sync"
	"time"

	"agentstudio/engine"
)

// watchdog ends an exchange whose server keeps silent. It counts either from its call of within, or
// each wait of a reader on its own: how long the reader's owner takes is not the server's fault.
// Its reader and its timer may use it at the same time.
type watchdog struct {
	clock engine.Clock
	bark  func(error) // called at most once for each limit

	mu    sync.Mutex
	limit time.Duration
	late  error     // what is wrong when the limit has passed
	since time.Time // of the present wait; zero is none
	whole bool      // since stands until the next limit
	stop  func() bool
	ended bool
}

// within sets a limit from now on until the next one.
func (w *watchdog) within(limit time.Duration, late error) { w.set(limit, late, true, w.clock.Now()) }

// each sets a limit for every wait to come.
func (w *watchdog) each(limit time.Duration, late error) { w.set(limit, late, false, time.Time{}) }

func (w *watchdog) set(limit time.Duration, late error, whole bool, since time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stop != nil {
		w.stop()
	}
	w.limit, w.late, w.whole, w.since = limit, late, whole, since
	w.stop = w.clock.AfterFunc(limit, w.look)
}

// waits says that a wait begins; heard, that it is over.
func (w *watchdog) waits() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.whole {
		w.since = w.clock.Now()
	}
}

func (w *watchdog) heard() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.whole {
		w.since = time.Time{}
	}
}

// look is the timer: it barks, or looks again when the limit could next have passed.
func (w *watchdog) look() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended {
		return
	}
	left := w.limit
	if !w.since.IsZero() {
		left -= w.clock.Now().Sub(w.since)
	}
	if left <= 0 {
		w.ended = true
		w.bark(w.late)
		return
	}
	w.stop = w.clock.AfterFunc(left, w.look)
}

func (w *watchdog) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended = true
	if w.stop != nil {
		w.stop()
	}
}
