package tool

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strconv"

	"agentstudio/engine"
)

// adsData is the fixture file as written, and what is made of it when read.
type adsData struct {
	Note      string           `json:"note"`
	ID        string           `json:"id"`
	Name      string           `json:"name"`
	Currency  string           `json:"currency"`
	TargetCPA string           `json:"targetCpa"`
	Campaigns []adsCampaignRow `json:"campaigns"`
	Rows      []adsRow         `json:"rows"`

	target *big.Rat
	dates  []string // distinct, ascending
}

type adsCampaignRow struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Channel string `json:"channel"`
}

// adsRow is one campaign's day. Money is a decimal in a string, so that nothing ever passes
// through a float.
type adsRow struct {
	Date        string `json:"date"`
	CampaignID  string `json:"campaignId"`
	Spend       string `json:"spend"`
	Impressions int64  `json:"impressions"`
	Clicks      int64  `json:"clicks"`
	Conversions int64  `json:"conversions"`
	Revenue     string `json:"revenue"`

	spend, revenue *big.Rat
}

func readAdsData(raw []byte) (adsData, error) {
	var d adsData
	if err := json.Unmarshal(raw, &d); err != nil {
		return d, fmt.Errorf("ads account: %w", err)
	}
	var err error
	if d.target, err = money(d.TargetCPA); err != nil {
		return d, err
	}
	if d.target.Sign() <= 0 {
		return d, engine.Errorf(engine.Internal, "the demo account has no target CPA")
	}
	for i := range d.Rows {
		r := &d.Rows[i]
		if r.spend, err = money(r.Spend); err != nil {
			return d, err
		}
		if r.revenue, err = money(r.Revenue); err != nil {
			return d, err
		}
		d.dates = append(d.dates, r.Date)
	}
	slices.Sort(d.dates)
	d.dates = slices.Compact(d.dates)
	if len(d.dates) == 0 {
		return d, engine.Errorf(engine.Internal, "the demo account has no rows")
	}
	return d, nil
}

// period is the last days there are, at most those asked for.
func (d adsData) period(days int) (from, to string) {
	return d.dates[max(0, len(d.dates)-days)], d.dates[len(d.dates)-1]
}

func money(s string) (*big.Rat, error) {
	r, ok := new(big.Rat).SetString(s)
	if !ok || r.Sign() < 0 {
		return nil, engine.Errorf(engine.Internal, "%q in the demo account is not an amount", s)
	}
	return r, nil
}

// sums adds up rows; its zero value is nothing at all.
type sums struct {
	spend, revenue                   big.Rat
	impressions, clicks, conversions int64
}

func (s *sums) add(r adsRow) {
	s.spend.Add(&s.spend, r.spend)
	s.revenue.Add(&s.revenue, r.revenue)
	s.impressions += r.Impressions
	s.clicks += r.Clicks
	s.conversions += r.Conversions
}

func (s *sums) merge(o sums) {
	s.spend.Add(&s.spend, &o.spend)
	s.revenue.Add(&s.revenue, &o.revenue)
	s.impressions += o.impressions
	s.clicks += o.clicks
	s.conversions += o.conversions
}

func (s *sums) figures(target *big.Rat) AdsFigures {
	cpa := ratio(&s.spend, s.conversions)
	f := AdsFigures{
		Spend: s.spend.FloatString(2), Revenue: s.revenue.FloatString(2),
		Impressions: strconv.FormatInt(s.impressions, 10), Clicks: strconv.FormatInt(s.clicks, 10),
		Conversions: strconv.FormatInt(s.conversions, 10),
		CTR:         six(ratio(big.NewRat(s.clicks, 1), s.impressions)),
		CVR:         six(ratio(big.NewRat(s.conversions, 1), s.clicks)),
		CPA:         six(cpa),
	}
	if s.spend.Sign() > 0 {
		f.ROAS = six(new(big.Rat).Quo(&s.revenue, &s.spend))
	}
	if cpa != nil {
		f.CPAToTarget = six(new(big.Rat).Quo(cpa, target))
	}
	return f
}

// ratio is a ÷ b, or nil where there is nothing to divide by.
func ratio(a *big.Rat, b int64) *big.Rat {
	if b == 0 {
		return nil
	}
	return new(big.Rat).Quo(a, big.NewRat(b, 1))
}

// six rounds half up to six places (figures are never negative); nil stays nil.
func six(r *big.Rat) *string {
	if r == nil {
		return nil
	}
	s := r.FloatString(6)
	return &s
}
