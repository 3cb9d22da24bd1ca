package catalogue

import (
	"math/big"
	"strings"

	"agentstudio/engine"
)

// Price is in US dollars a million tokens, as decimals; "" is unknown.
type Price struct{ In, Out, CacheRead, CacheWrite string }

// Known tells whether a call's cost can be told.
func (p Price) Known() bool { return p.In != "" && p.Out != "" }

// priceOf reads the catalogue's four prices. Its two names for cached tokens mean different things
// with different makers: reading is out_cached, else in_cached where that is below in; writing is
// in_cached where that is above in, else in. Where one of in and out is unknown, all are.
func priceOf(in, out, inCached, outCached string) Price {
	if in == "" || out == "" {
		return Price{}
	}
	p := Price{In: in, Out: out, CacheRead: outCached, CacheWrite: in}
	if inCached == "" {
		return p
	}
	switch below := rat(inCached).Cmp(rat(in)); {
	case below < 0 && outCached == "":
		p.CacheRead = inCached
	case below > 0:
		p.CacheWrite = inCached
	}
	return p
}

// Cost is what a call costs by the list price, in US dollars and exactly; false where price or
// tokens are unknown. Tokens read from a cache whose own price is unknown are counted as any others,
// so that the estimate is rather too high.
func (f Facts) Cost(u engine.Usage) (usd string, ok bool) {
	if !f.Price.Known() || u.InputTokens == nil || u.OutputTokens == nil {
		return "", false
	}
	fresh, read, written := *u.InputTokens, 0, 0
	if u.CachedTokens != nil && f.Price.CacheRead != "" {
		read = min(*u.CachedTokens, fresh)
	}
	fresh -= read
	if u.CacheWriteTokens != nil {
		written = min(*u.CacheWriteTokens, fresh)
	}
	fresh -= written
	sum := new(big.Rat)
	for _, part := range []struct {
		tokens int
		price  string
	}{{fresh, f.Price.In}, {read, f.Price.CacheRead}, {written, f.Price.CacheWrite}, {*u.OutputTokens, f.Price.Out}} {
		if part.tokens < 0 {
			return "", false
		}
		if part.tokens > 0 {
			sum.Add(sum, new(big.Rat).Mul(new(big.Rat).SetInt64(int64(part.tokens)), rat(part.price)))
		}
	}
	sum.Quo(sum, new(big.Rat).SetInt64(1_000_000))
	digits, _ := sum.FloatPrec() // decimals stay decimals: all of them are there
	return sum.FloatString(digits), true
}

// rat reads a decimal of the table, which a test has checked.
func rat(decimal string) *big.Rat {
	r, ok := new(big.Rat).SetString(decimal)
	if !ok || strings.Contains(decimal, "/") {
		return new(big.Rat)
	}
	return r
}

// Priced is m with the price of its calls, so that the engine can tell what a run costs and keep it
// within a budget; m itself where the price is unknown.
func Priced(m engine.Model, f Facts) engine.Model {
	if !f.Price.Known() {
		return m
	}
	return priced{m, f}
}

type priced struct {
	engine.Model
	facts Facts
}

// Cost implements engine.Priced.
func (p priced) Cost(u engine.Usage) (string, bool) { return p.facts.Cost(u) }
