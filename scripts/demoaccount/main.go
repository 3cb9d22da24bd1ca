// Command demoaccount prints fixtures/ads-account.json: thirty days of a made-up ad account.
// The same program always prints the same bytes, so the figures in it can be checked:
//
//	go run ./scripts/demoaccount > fixtures/ads-account.json
package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"time"
)

// campaign holds a usual day: spend in cents, and the rates that give the rest, each in parts
// per million, so that no float is needed.
type campaign struct {
	id, name, channel          string
	spend, impressions         int64
	ctr, cvr                   int64 // clicks per impression, conversions per click
	value                      int64 // cents of revenue per conversion
	weekday                    [7]int64
	learnSince, learnSpendRate int64 // from this day on, spend is this many per mille (a raised budget)
}

func campaigns() []campaign {
	workdays := [7]int64{780, 1060, 1080, 1070, 1080, 1050, 880} // Sunday first
	leisure := [7]int64{1180, 930, 920, 930, 940, 1000, 1100}
	level := [7]int64{1000, 1000, 1000, 1000, 1000, 1000, 1000}
	return []campaign{
		{"c-101", "Brand-Search", "search", 128600, 8570, 60000, 71600, 14400, workdays, 0, 0},
		{"c-102", "Retargeting", "display", 121400, 25700, 12000, 78700, 14350, leisure, 0, 0},
		{"c-103", "Generic-Search", "search", 107100, 15700, 30000, 39400, 14400, workdays, 0, 0},
		{"c-104", "Shopping-Feed", "shopping", 88600, 28600, 10000, 56000, 14350, leisure, 0, 0},
		{"c-105", "Prospecting-CN", "social", 121000, 37100, 9000, 30000, 15700, level, 14, 1600},
		{"c-106", "Video-Awareness", "video", 50000, 85700, 2100, 36000, 12000, leisure, 0, 0},
	}
}

// noise is a small linear congruential generator: the fixture must not depend on a library's.
type noise struct{ state uint64 }

// perMille gives a factor between 1000-spread and 1000+spread.
func (n *noise) perMille(spread int64) int64 {
	n.state = n.state*6364136223846793005 + 1442695040888963407
	return 1000 - spread + int64((n.state>>33)%uint64(2*spread+1))
}

func main() {
	if err := write(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// write prints the whole account.
func write(to io.Writer) error {
	w := bufio.NewWriter(to)
	fmt.Fprint(w, header)
	list := campaigns()
	for i, c := range list {
		fmt.Fprintf(w, "    {\"id\": %q, \"name\": %q, \"channel\": %q}%s\n", c.id, c.name, c.channel, comma(i, len(list)))
	}
	fmt.Fprint(w, "  ],\n  \"rows\": [\n")
	n := &noise{state: 20261129}
	first := time.Date(2026, time.October, 31, 0, 0, 0, 0, time.UTC)
	const days = 30
	for d := range days {
		date := first.AddDate(0, 0, d)
		for i, c := range list {
			row(w, n, c, date, int64(d), comma(d*len(list)+i, days*len(list)))
		}
	}
	fmt.Fprint(w, "  ]\n}\n")
	return w.Flush()
}

// row prints one campaign's day. What follows from something else is computed from the rounded
// figure above it, as a real export would show it.
func row(w *bufio.Writer, n *noise, c campaign, date time.Time, day int64, end string) {
	week := c.weekday[date.Weekday()]
	spend := c.spend * week / 1000 * n.perMille(60) / 1000
	impressions := c.impressions * week / 1000 * n.perMille(70) / 1000
	if c.learnSpendRate > 0 && day >= c.learnSince {
		// The budget went up and the audience did not: dearer clicks, hardly more of them.
		spend = spend * c.learnSpendRate / 1000
	}
	clicks := impressions * c.ctr / 1000 * n.perMille(50) / 1000000
	conversions := (clicks*c.cvr/1000*n.perMille(90)/1000 + 500) / 1000
	revenue := conversions * c.value * n.perMille(40) / 1000
	fmt.Fprintf(w, "    {\"date\": %q, \"campaignId\": %q, \"spend\": \"%d.%02d\", \"impressions\": %d, \"clicks\": %d, \"conversions\": %d, \"revenue\": \"%d.%02d\"}%s\n",
		date.Format(time.DateOnly), c.id, spend/100, spend%100, impressions, clicks, conversions, revenue/100, revenue%100, end)
}

func comma(i, n int) string {
	if i == n-1 {
		return ""
	}
	return ","
}

const header = `{
  "note": "Made-up figures for teaching. No real account, company or person is behind them.",
  "id": "demo-account",
  "name": "Demo Account",
  "currency": "CNY",
  "targetCpa": "62.00",
  "campaigns": [
`
