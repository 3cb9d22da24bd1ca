package tool

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"agentstudio/engine"
	"agentstudio/fixtures"
)

//go:embed metrics.md
var metricsDoc string

// metricsArgs are the arguments of mock_ads_metrics.
type metricsArgs struct {
	AccountID string `json:"accountId" jsonschema:"the account; the only one is demo-account"`
	Days      int    `json:"days" jsonschema:"how many days back from the account's last day, 1 to 30"`
}

// The rules that make an anomaly, and the sample below which it is only worth watching.
const (
	ruleCPAHigh       = "CPA_HIGH"
	ruleCTRLow        = "CTR_LOW"
	ruleNoConversions = "NO_CONVERSIONS"

	minConversions = 30
	minImpressions = 10000
	minUnpaid      = 3 // spend of this many conversions at the target, without one
)

// AdsMetrics is what mock_ads_metrics gives back, to the model and to the screens alike. Decimals
// and counts are strings, exact; rates are rounded half up to six places; null is a figure that
// cannot be computed.
type AdsMetrics struct {
	Teaching  bool          `json:"teaching"` // always true: the data is made up
	Note      string        `json:"note"`
	Account   AdsAccount    `json:"account"`
	Period    AdsPeriod     `json:"period"`
	Totals    AdsFigures    `json:"totals"`
	Campaigns []AdsCampaign `json:"campaigns"`
	Anomalies []AdsAnomaly  `json:"anomalies"` // the costliest campaign first
}

// AdsAccount names the account and what a conversion may cost.
type AdsAccount struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Currency  string `json:"currency"`
	TargetCPA string `json:"targetCpa"`
}

// AdsPeriod is the days counted, both ends included.
type AdsPeriod struct {
	From string `json:"from"`
	To   string `json:"to"`
	Days int    `json:"days"`
}

// AdsFigures are sums and the rates made from those sums.
type AdsFigures struct {
	Spend       string  `json:"spend"`
	Impressions string  `json:"impressions"`
	Clicks      string  `json:"clicks"`
	Conversions string  `json:"conversions"`
	Revenue     string  `json:"revenue"`
	CTR         *string `json:"ctr"`
	CVR         *string `json:"cvr"`
	CPA         *string `json:"cpa"`
	ROAS        *string `json:"roas"`
	CPAToTarget *string `json:"cpaToTarget"` // 1 is on target, 2 is twice as dear
}

// AdsCampaign is one campaign's figures.
type AdsCampaign struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Channel string `json:"channel"`
	AdsFigures
}

// AdsAnomaly is one rule that fired on one campaign.
type AdsAnomaly struct {
	Rule       string    `json:"rule"`
	CampaignID string    `json:"campaignId"`
	Campaign   string    `json:"campaign"`
	Metric     string    `json:"metric"`
	Value      string    `json:"value"`
	Threshold  string    `json:"threshold"` // crossing this is what fired
	Reference  string    `json:"reference"` // what the threshold was made from: target or account figure
	Ratio      string    `json:"ratio"`     // value ÷ reference
	Sample     AdsSample `json:"sample"`
	Text       string    `json:"text"` // the rule in one plain sentence
}

// AdsSample says how much data a finding rests on.
type AdsSample struct {
	Metric  string `json:"metric"`
	Value   string `json:"value"`
	Minimum string `json:"minimum"`
	Enough  bool   `json:"enough"`
}

// metrics is the tool mock_ads_metrics. It reads nothing but the embedded account.
type metrics struct{ args arguments[metricsArgs] }

// NewMetrics makes the tool mock_ads_metrics. Its errors are INVALID_ARGUMENTS and ACCOUNT_UNKNOWN.
func NewMetrics() engine.Tool {
	return metrics{args: argumentsOf[metricsArgs]("mock_ads_metrics", func(f map[string]*jsonschema.Schema) {
		f["accountId"].MinLength = jsonschema.Ptr(1)
		f["days"].Minimum, f["days"].Maximum = jsonschema.Ptr(1.0), jsonschema.Ptr(30.0)
	})}
}

// Spec describes the tool.
func (t metrics) Spec() engine.Spec {
	return reading("mock_ads_metrics", metricsDoc, t.args.parameters())
}

// Prepare checks the arguments. Errors: INVALID_ARGUMENTS, ACCOUNT_UNKNOWN.
func (t metrics) Prepare(_ context.Context, raw json.RawMessage) (engine.Plan, error) {
	args, _, err := t.open(raw)
	if err != nil {
		return engine.Plan{}, err
	}
	return engine.Plan{Summary: summary("%s · %s", args.AccountID, count(args.Days, "day", "days"))}, nil
}

// Run computes the figures. Content and Data are the same object.
func (t metrics) Run(ctx context.Context, c engine.Call) (engine.Result, error) {
	if err := ctx.Err(); err != nil {
		return engine.Result{}, err
	}
	args, data, err := t.open(c.Args)
	if err != nil {
		return engine.Result{}, err
	}
	out, err := json.Marshal(computeMetrics(data, args.Days))
	if err != nil {
		return engine.Result{}, fmt.Errorf("mock_ads_metrics: %w", err)
	}
	return engine.Result{Content: string(out), Data: out}, nil
}

func (t metrics) open(raw json.RawMessage) (metricsArgs, adsData, error) {
	args, err := t.args.decode(raw)
	if err != nil {
		return args, adsData{}, err
	}
	data, err := readAdsData(fixtures.AdsAccount())
	if err != nil {
		return args, adsData{}, err
	}
	if args.AccountID != data.ID {
		return args, adsData{}, engine.Errorf(engine.AccountUnknown, "there is no account %q here; use %q", args.AccountID, data.ID).
			With("accounts", []string{data.ID})
	}
	return args, data, nil
}

// computeMetrics sums the account's last days and applies the rules.
func computeMetrics(data adsData, days int) AdsMetrics {
	from, to := data.period(days)
	var total sums
	out := AdsMetrics{
		Teaching: true, Note: data.Note,
		Account:   AdsAccount{ID: data.ID, Name: data.Name, Currency: data.Currency, TargetCPA: data.target.FloatString(2)},
		Period:    AdsPeriod{From: from, To: to, Days: days},
		Campaigns: []AdsCampaign{}, Anomalies: []AdsAnomaly{},
	}
	parts := make([]sums, len(data.Campaigns))
	for i, c := range data.Campaigns {
		for _, r := range data.Rows {
			if r.CampaignID == c.ID && r.Date >= from && r.Date <= to {
				parts[i].add(r)
			}
		}
		total.merge(parts[i])
		out.Campaigns = append(out.Campaigns, AdsCampaign{ID: c.ID, Name: c.Name, Channel: c.Channel, AdsFigures: parts[i].figures(data.target)})
	}
	out.Totals = total.figures(data.target)
	order := make([]int, len(parts))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return parts[b].spend.Cmp(&parts[a].spend) })
	for _, i := range order {
		out.Anomalies = append(out.Anomalies, findAnomalies(data.Campaigns[i], parts[i], total, data.target)...)
	}
	return out
}

// findAnomalies applies the three rules to one campaign.
func findAnomalies(c adsCampaignRow, s, total sums, target *big.Rat) []AdsAnomaly {
	var found []AdsAnomaly
	fired := func(rule, metric string, value, threshold, reference *big.Rat, sample AdsSample, text string) {
		places := 2
		if metric == "ctr" {
			places = 6
		}
		found = append(found, AdsAnomaly{
			Rule: rule, CampaignID: c.ID, Campaign: c.Name, Metric: metric,
			Value: value.FloatString(6), Threshold: threshold.FloatString(places), Reference: reference.FloatString(places),
			Ratio: new(big.Rat).Quo(value, reference).FloatString(6), Sample: sample, Text: text,
		})
	}
	twice := new(big.Rat).Mul(target, big.NewRat(2, 1))
	if cpa := ratio(&s.spend, s.conversions); cpa != nil && cpa.Cmp(twice) >= 0 {
		fired(ruleCPAHigh, "cpa", cpa, twice, target, sample("conversions", s.conversions, minConversions),
			"a conversion costs at least twice the target")
	}
	unpaid := new(big.Rat).Mul(target, big.NewRat(minUnpaid, 1))
	if s.conversions == 0 && s.spend.Cmp(unpaid) >= 0 {
		fired(ruleNoConversions, "spend", &s.spend, unpaid, target, sample("clicks", s.clicks, minConversions),
			"money for three conversions at the target was spent without one")
	}
	account := ratio(big.NewRat(total.clicks, 1), total.impressions)
	if ctr := ratio(big.NewRat(s.clicks, 1), s.impressions); ctr != nil && account != nil && account.Sign() > 0 {
		half := new(big.Rat).Mul(account, big.NewRat(1, 2))
		if ctr.Cmp(half) <= 0 {
			fired(ruleCTRLow, "ctr", ctr, half, account, sample("impressions", s.impressions, minImpressions),
				"the click-through rate is at most half the account's")
		}
	}
	return found
}

func sample(metric string, value, minimum int64) AdsSample {
	return AdsSample{Metric: metric, Value: fmt.Sprint(value), Minimum: fmt.Sprint(minimum), Enough: cmp.Compare(value, minimum) >= 0}
}
