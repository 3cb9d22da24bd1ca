package engine

import (
	"context"
	"io"
	"math/rand/v2"
	"time"
)

// Clock is the engine's only source of time.
type Clock interface {
	// Stamp is the time of the next event. It is called once for each.
	Stamp() time.Time
	// Now is the time for everything else.
	Now() time.Time
	// AfterFunc calls f on its own goroutine after d, unless the returned stop comes first.
	AfterFunc(d time.Duration, f func()) (stop func() bool)
	// Stepped tells that time is made up: then nothing may depend on how long things take, so
	// deltas are gathered by size and calls run one after another.
	Stepped() bool
}

// WallClock is the real time.
type WallClock struct{}

// Stamp implements Clock.
func (WallClock) Stamp() time.Time { return time.Now() }

// Now implements Clock.
func (WallClock) Now() time.Time { return time.Now() }

// Stepped implements Clock.
func (WallClock) Stepped() bool { return false }

// AfterFunc implements Clock.
func (WallClock) AfterFunc(d time.Duration, f func()) func() bool { return time.AfterFunc(d, f).Stop }

// Config is all that an Engine is handed. Nil functions and zero limits have the defaults named.
type Config struct {
	Model Model // nil until one is configured
	// Models makes the model of a connection that somebody chooses while the session is open; nil where
	// none can be chosen.
	Models  func(Connection) (Model, error)
	Key     Secret // of Model, so that it never reaches the log, whoever says it
	Tools   func(Env) []Tool
	Policy  Policy
	Catalog Catalog
	System  []SystemPart // put before the skill index
	// ReadSkill opens a file of a skill by its location, for people.
	ReadSkill func(ctx context.Context, location string) (io.ReadCloser, error)
	// ListFolder gives the names in a folder of the workspace by its location, for people who type a
	// path: sorted, folders with a slash behind, as many as a person can look at.
	ListFolder func(ctx context.Context, location string) ([]string, error)
	// Intake takes in and keeps the pictures of a session; nil, or a nil Intake, where none are taken.
	Intake func(Env) Intake
	Store  Store
	Budget Budget // DefaultBudget for what is open
	// ApprovalExpiry is how long an approval waits: default 5 min, at most 60.
	ApprovalExpiry time.Duration
	Clock          Clock                      // default WallClock
	Chance         func() float64             // from 0 to 1, for the waits between tries; by default at random
	NewID          func(prefix string) string // prefix and time-ordered random part, as in evt_01J…
	Workspace      string                     // display path
	Version        string
	// Fault is told of panics and faults that events must not show; default: nobody.
	Fault func(where string, err any, stack []byte)
}

const (
	defaultExpiry = 5 * time.Minute
	maxExpiry     = 60 * time.Minute
)

func (c Config) withDefaults() Config {
	if c.Chance == nil {
		c.Chance = rand.Float64
	}
	if c.Clock == nil {
		c.Clock = WallClock{}
	}
	if c.Tools == nil {
		c.Tools = func(Env) []Tool { return nil }
	}
	if c.Fault == nil {
		c.Fault = func(string, any, []byte) {}
	}
	if c.ApprovalExpiry <= 0 {
		c.ApprovalExpiry = defaultExpiry
	}
	c.ApprovalExpiry = min(c.ApprovalExpiry, maxExpiry)
	c.Budget = c.Budget.Or(DefaultBudget())
	return c
}
