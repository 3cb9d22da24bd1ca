package tool

import (
	"encoding/json"
	"errors"
	"math/big"
	"testing"

	"agentstudio/engine"
)

func runMetrics(t *testing.T, args string) (AdsMetrics, engine.Result, error) {
	t.Helper()
	res, err := NewMetrics().Run(t.Context(), engine.Call{Tool: "mock_ads_metrics", Args: json.RawMessage(args)})
	var m AdsMetrics
	if err == nil {
		if err := json.Unmarshal(res.Data, &m); err != nil {
			t.Fatal(err)
		}
	}
	return m, res, err
}

// The figures were added up once by another program; see scripts/demoaccount for the data.
func TestMetricsSevenDays(t *testing.T) {
	m, res, err := runMetrics(t, `{"accountId":"demo-account","days":7}`)
	if err != nil {
		t.Fatal(err)
	}
	if res.Content != string(res.Data) {
		t.Error("the model and the screens were given different figures")
	}
	if !m.Teaching || m.Note == "" {
		t.Error("the data is not labelled as teaching data")
	}
	if m.Period != (AdsPeriod{From: "2026-11-23", To: "2026-11-29", Days: 7}) {
		t.Errorf("period %+v", m.Period)
	}
	got := []string{m.Account.TargetCPA, m.Totals.Spend, m.Totals.Impressions, m.Totals.Clicks, m.Totals.Conversions, m.Totals.Revenue,
		*m.Totals.CTR, *m.Totals.CPA, *m.Totals.ROAS}
	want := []string{"62.00", "48166.94", "1410056", "14805", "786", "112343.26", "0.010500", "61.281094", "2.332373"}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("figure %d is %s, want %s", i, got[i], want[i])
		}
	}
	if len(m.Campaigns) != 6 || m.Campaigns[4].Name != "Prospecting-CN" || *m.Campaigns[4].CPA != "196.448143" || *m.Campaigns[4].CPAToTarget != "3.168518" {
		t.Errorf("campaigns %+v", m.Campaigns)
	}
}

func TestMetricsAnomalies(t *testing.T) {
	m, _, err := runMetrics(t, `{"accountId":"demo-account","days":7}`)
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Anomalies) != 2 {
		t.Fatalf("anomalies %+v", m.Anomalies)
	}
	cpa, ctr := m.Anomalies[0], m.Anomalies[1]
	if cpa.Rule != ruleCPAHigh || cpa.Campaign != "Prospecting-CN" || cpa.Threshold != "124.00" || cpa.Reference != "62.00" || cpa.Value != "196.448143" ||
		cpa.Sample != (AdsSample{Metric: "conversions", Value: "70", Minimum: "30", Enough: true}) {
		t.Errorf("first anomaly %+v", cpa)
	}
	if ctr.Rule != ruleCTRLow || ctr.Campaign != "Video-Awareness" || ctr.Value != "0.002123" || ctr.Reference != "0.010500" || !ctr.Sample.Enough {
		t.Errorf("second anomaly %+v", ctr)
	}
	one, _, err := runMetrics(t, `{"accountId":"demo-account","days":1}`)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range one.Anomalies {
		if a.Rule == ruleCPAHigh && a.Sample.Enough {
			t.Errorf("one day's %s conversions are said to be enough", a.Sample.Value)
		}
	}
}

func TestMetricsEveryPeriodAddsUp(t *testing.T) {
	for days := 1; days <= 30; days++ {
		args, _ := json.Marshal(map[string]any{"accountId": "demo-account", "days": days})
		m, _, err := runMetrics(t, string(args))
		if err != nil {
			t.Fatal(err)
		}
		sum := new(big.Rat)
		for _, c := range m.Campaigns {
			part, _ := new(big.Rat).SetString(c.Spend)
			sum.Add(sum, part)
		}
		if sum.FloatString(2) != m.Totals.Spend {
			t.Errorf("%d days: campaigns spend %s, totals say %s", days, sum.FloatString(2), m.Totals.Spend)
		}
	}
}

func TestMetricsRefuses(t *testing.T) {
	for args, code := range map[string]engine.Code{
		`{"accountId":"demo-account","days":0}`:          engine.InvalidArguments,
		`{"accountId":"demo-account","days":31}`:         engine.InvalidArguments,
		`{"accountId":"demo-account","days":7.5}`:        engine.InvalidArguments,
		`{"accountId":"demo-account","days":"7"}`:        engine.InvalidArguments,
		`{"accountId":"demo-account","days":7,"more":1}`: engine.InvalidArguments,
		`{"days":7}`:                     engine.InvalidArguments,
		`{"accountId":"other","days":7}`: engine.AccountUnknown,
		`[]`:                             engine.InvalidArguments,
		`{"accountId":"demo-account","days":7} {"a": 1}`: engine.InvalidArguments,
	} {
		_, err := NewMetrics().Prepare(t.Context(), json.RawMessage(args))
		if !errors.Is(err, code) {
			t.Errorf("%s: %v, want %s", args, err, code)
		}
	}
}

func TestMetricsDividesByNothing(t *testing.T) {
	var s sums
	f := s.figures(big.NewRat(62, 1))
	if f.CTR != nil || f.CVR != nil || f.CPA != nil || f.ROAS != nil || f.CPAToTarget != nil {
		t.Errorf("figures of nothing are %+v", f)
	}
	s.spend.SetInt64(200)
	s.clicks = 40
	found := findAnomalies(adsCampaignRow{Name: "x"}, s, s, big.NewRat(62, 1))
	if len(found) != 1 || found[0].Rule != ruleNoConversions || found[0].Threshold != "186.00" {
		t.Errorf("anomalies %+v", found)
	}
}
