package mirror

import (
	"time"

	"golang.org/x/time/rate"
)

// guesses limits wrong tries: 10 a minute an address, and for codes, which are short, 300 in all. Tokens
// are too long to be found however many try. Each has its own, so that nobody's wrong tokens keep
// others from pairing.
type guesses struct {
	each int
	by   map[string]*rate.Limiter
	rest *rate.Limiter // of all addresses beyond those that are remembered
	all  *rate.Limiter // nil where nothing is limited in all
}

const (
	guessesAll = 30   // times what one address may
	addresses  = 1024 // remembered at once
)

func newGuesses(each int) guesses {
	return guesses{each: each, by: map[string]*rate.Limiter{}, rest: perMinute(each)}
}

// guess counts a wrong code or token; false when there were too many. An address that is over its own takes
// nothing from what all have.
func (m *Mirror) guess(g *guesses, v *visit) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	now, addr := m.now(), v.address()
	if addr != "" && !g.of(addr, now).AllowN(now, 1) {
		return false
	}
	return g.all == nil || g.all.AllowN(now, 1)
}

// guessing tells whether an address may try another code.
func (m *Mirror) guessing(v *visit) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	g := &m.codes
	now, addr := m.now(), v.address()
	return g.all.TokensAt(now) >= 1 && (addr == "" || g.of(addr, now).TokensAt(now) >= 1)
}

// of is an address's limiter. When there are too many, those that have long been quiet are forgotten.
func (g *guesses) of(addr string, now time.Time) *rate.Limiter {
	l := g.by[addr]
	if l == nil {
		if len(g.by) >= addresses {
			for a, other := range g.by {
				if other.TokensAt(now) >= float64(g.each) {
					delete(g.by, a)
				}
			}
		}
		if len(g.by) >= addresses {
			return g.rest
		}
		l = perMinute(g.each)
		g.by[addr] = l
	}
	return l
}
