package engine

import (
	"fmt"
	"math/big"
	"strconv"
	"sync"
	"time"
)

// Budget limits one run. Zero fields mean no limit, except in a Config, where they mean the default.
type Budget struct {
	MaxTurns   int    `json:"maxTurns,omitempty"`
	MaxTokens  int    `json:"maxTokens,omitempty"`
	MaxCostUSD string `json:"maxCostUsd,omitempty"` // a decimal
	DeadlineS  int    `json:"deadlineSeconds,omitempty"`
}

// DefaultBudget is 20 turns, 500,000 tokens in and out, 10 minutes without the time people take, no cost limit.
func DefaultBudget() Budget { return Budget{MaxTurns: 20, MaxTokens: 500_000, DeadlineS: 600} }

// Or fills the fields that b leaves open from d.
func (b Budget) Or(d Budget) Budget {
	if b.MaxTurns == 0 {
		b.MaxTurns = d.MaxTurns
	}
	if b.MaxTokens == 0 {
		b.MaxTokens = d.MaxTokens
	}
	if b.MaxCostUSD == "" {
		b.MaxCostUSD = d.MaxCostUSD
	}
	if b.DeadlineS == 0 {
		b.DeadlineS = d.DeadlineS
	}
	return b
}

// spending is what a run has used of its budget. Owned by the run's goroutine.
type spending struct {
	turns             int
	in, out, thinking int
	read, written     int      // of in, from and to the provider's cache
	cost              *big.Rat // nil while no call's cost is known
	estimated         bool
	warned            map[string]bool
}

// add counts one call's usage. Unknown figures are estimated by the caller beforehand.
func (s *spending) add(u Usage) {
	s.in += deref(u.InputTokens)
	s.out += deref(u.OutputTokens)
	s.read += deref(u.CachedTokens)
	s.written += deref(u.CacheWriteTokens)
	s.thinking += deref(u.ReasoningTokens)
	s.estimated = s.estimated || u.Estimated
	if u.CostUSD != nil {
		if r, ok := new(big.Rat).SetString(*u.CostUSD); ok {
			if s.cost == nil {
				s.cost = new(big.Rat)
			}
			s.cost.Add(s.cost, r)
		}
	}
}

// priced is u with its cost, where the price is known and nobody has said the cost.
func (r *run) priced(u Usage) Usage {
	if m, ok := r.cfg.Model.(Priced); ok && u.CostUSD == nil {
		if usd, ok := m.Cost(u); ok {
			u.CostUSD = &usd
		}
	}
	return u
}

// payable refuses a cost budget that nobody could watch over. A scripted model costs nothing.
func (b Budget) payable(m Model) error {
	_, priced := m.(Priced)
	if b.MaxCostUSD == "" || priced || m.Info().Provider == ProviderScripted {
		return nil
	}
	return Errorf(BudgetNeedsPrice, "the price of %s is not known, so a run cannot be kept within $%s; limit turns or tokens instead, or choose a model with a known price", m.Info().ID, b.MaxCostUSD)
}

func (s *spending) usage() Usage {
	u := Usage{InputTokens: &s.in, OutputTokens: &s.out, Estimated: s.estimated}
	if s.read > 0 {
		u.CachedTokens = &s.read
	}
	if s.written > 0 {
		u.CacheWriteTokens = &s.written
	}
	if s.thinking > 0 {
		u.ReasoningTokens = &s.thinking
	}
	if s.cost != nil {
		c := s.cost.FloatString(6)
		u.CostUSD = &c
	}
	return u
}

// gauge is one budget with what is used of it.
type gauge struct {
	which, used, limit string
	share              float64 // used/limit
}

func (s *spending) gauges(b Budget) (g []gauge) {
	if b.MaxTurns > 0 {
		g = append(g, gauge{"turns", strconv.Itoa(s.turns), strconv.Itoa(b.MaxTurns), float64(s.turns) / float64(b.MaxTurns)})
	}
	if b.MaxTokens > 0 {
		used := s.in + s.out
		g = append(g, gauge{"tokens", strconv.Itoa(used), strconv.Itoa(b.MaxTokens), float64(used) / float64(b.MaxTokens)})
	}
	if limit, ok := new(big.Rat).SetString(b.MaxCostUSD); ok && limit.Sign() > 0 && s.cost != nil {
		share, _ := new(big.Rat).Quo(s.cost, limit).Float64()
		g = append(g, gauge{"cost", s.cost.FloatString(4), b.MaxCostUSD, share})
	}
	return g
}

func (g gauge) exceeded() error {
	return Errorf(BudgetExceeded, "the %s budget of this run is used up (%s of %s); raise it with a flag, or send a smaller task", g.which, g.used, g.limit).
		With("which", g.which).With("used", g.used).With("limit", g.limit)
}

// check refuses the next model call when a budget is used up.
func (s *spending) check(b Budget) error {
	for _, g := range s.gauges(b) {
		if g.share >= 1 {
			return g.exceeded()
		}
	}
	return nil
}

// warnings gives each budget that has passed 80 % and was not warned of before.
func (s *spending) warnings(b Budget) (w []BudgetWarned) {
	for _, g := range s.gauges(b) {
		if g.share >= 0.8 && g.share < 1 && !s.warned[g.which] {
			if s.warned == nil {
				s.warned = map[string]bool{}
			}
			s.warned[g.which] = true
			w = append(w, BudgetWarned{Which: g.which, Used: g.used, Limit: g.limit})
		}
	}
	return w
}

func deref(n *int) int {
	if n == nil {
		return 0
	}
	return *n
}

// deadline is a timer that stands still while a person is waited for.
type deadline struct {
	clock Clock
	end   func(error) // cancels the run

	mu    sync.Mutex
	left  time.Duration
	total time.Duration
	since time.Time
	stop  func() bool // nil while it stands still
}

func newDeadline(clock Clock, seconds int, end func(error)) *deadline {
	d := &deadline{clock: clock, end: end, left: time.Duration(seconds) * time.Second}
	d.total = d.left
	return d
}

func (d *deadline) run() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.total == 0 || d.stop != nil {
		return
	}
	d.since = d.clock.Now()
	d.stop = d.clock.AfterFunc(d.left, func() {
		d.end(Errorf(BudgetExceeded, "the run used up its time of %s; raise it with --deadline", d.total).
			With("which", "deadline").With("used", fmt.Sprint(d.total)).With("limit", fmt.Sprint(d.total)))
	})
}

func (d *deadline) pause() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.stop == nil {
		return
	}
	d.stop()
	d.stop = nil
	d.left = max(d.left-d.clock.Now().Sub(d.since), 0)
}

// used is the share of the time that is gone.
func (d *deadline) used() (share float64, gone time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.total == 0 {
		return 0, 0
	}
	left := d.left
	if d.stop != nil {
		left -= d.clock.Now().Sub(d.since)
	}
	return float64(d.total-left) / float64(d.total), d.total - left
}
