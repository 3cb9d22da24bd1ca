package main

import (
	"crypto/rand"
	"io"
	mathrand "math/rand/v2"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"

	"agentstudio/engine"
)

// time makes the clock and the ids that the flags ask for.
func (o *options) time() (engine.Clock, func(string) string, error) {
	var clock engine.Clock = engine.WallClock{}
	if o.clock != "" {
		start, err := time.Parse(time.RFC3339, o.clock)
		if err != nil {
			return nil, nil, engine.Errorf(engine.ConfigInvalid, "--clock takes an RFC 3339 time, as in 2026-01-01T00:00:00Z, not %q", o.clock)
		}
		clock = &steppedClock{now: start.UTC()}
	}
	var chance io.Reader = rand.Reader
	if o.given("seed") {
		var key [32]byte
		for i := range 8 {
			key[i] = byte(o.seed >> (8 * i))
		}
		chance = mathrand.NewChaCha8(key)
	}
	ids := &idMaker{clock: clock, entropy: ulid.Monotonic(chance, 0)}
	return clock, ids.next, nil
}

// chance is what the waits between tries vary by: made from --seed, nil for real chance.
func (o *options) chance() func() float64 {
	if !o.given("seed") {
		return nil
	}
	dice := mathrand.New(mathrand.NewPCG(o.seed, 1))
	var mu sync.Mutex
	return func() float64 {
		mu.Lock()
		defer mu.Unlock()
		return dice.Float64()
	}
}

// idMaker makes ids of a prefix and a ULID: ordered by time, and within a millisecond by count.
type idMaker struct {
	clock engine.Clock

	mu      sync.Mutex
	entropy *ulid.MonotonicEntropy
	last    uint64
}

func (m *idMaker) next(prefix string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.last = max(m.last, ulid.Timestamp(m.clock.Now())) // a clock set back must not turn the order round
	id, err := ulid.New(m.last, m.entropy)
	if err != nil { // the random part of this millisecond is used up
		m.last++
		id = ulid.MustNew(m.last, m.entropy)
	}
	return prefix + "_" + id.String()
}

// steppedClock makes time up: each event comes one millisecond after the one before.
type steppedClock struct {
	mu  sync.Mutex
	now time.Time
}

// Stamp steps and tells the time.
func (c *steppedClock) Stamp() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.now
	c.now = t.Add(time.Millisecond)
	return t
}

// Now tells the time.
func (c *steppedClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Stepped implements engine.Clock.
func (c *steppedClock) Stepped() bool { return true }

// AfterFunc waits in real time: only people are waited for.
func (c *steppedClock) AfterFunc(d time.Duration, f func()) func() bool {
	return time.AfterFunc(d, f).Stop
}
