package tui

import (
	"encoding/json"
	"strconv"
	"strings"

	"agentstudio/engine"
	"agentstudio/engine/safe"
	"agentstudio/engine/view"
)

// toolCard is a call in the chat: state, name, target and time in one line; below it what its
// tool has to show, or why it was not run.
func (m *Model) toolCard(msg view.Message, w int) []string {
	t, c := m.theme, msg.Call
	if c == nil {
		return nil
	}
	glyph, in := m.cardSign(msg)
	out := []string{m.cardHead(msg, in.of(safe.Safe(glyph)), w)}
	if c.Error != "" {
		text := m.whyNot(msg) + "  " + string(msg.Code)
		out = append(out, t.indent(t.Pink, safe.Text(text, safe.Inline), 2, w, 3)...)
	}
	switch {
	case msg.State != view.Done:
	case c.Tool == "mock_ads_metrics":
		out = append(out, m.metrics(c.Data, w)...)
	case reportText(c) != "":
		out = append(out, m.report(reportText(c), w, reportRows)...)
	case !strings.HasPrefix(m.target(c), "skill:") && c.Tool != "save_report_draft":
		out = append(out, m.result(c, w)...)
	}
	return out
}

// cardSign is a call's state as a glyph.
func (m *Model) cardSign(msg view.Message) (glyph string, in ink) {
	t := m.theme
	switch msg.State {
	case view.Done:
		return t.Yes, t.Green
	case view.Refused, view.Wrong:
		return t.No, t.Pink
	case view.Awaiting:
		return t.Wait, t.Amber
	case view.Asked:
		return t.Open, t.Quiet
	}
	return t.Running, t.Accent
}

// whyNot says why a call was not run or failed, with the reason of whoever denied it.
func (m *Model) whyNot(msg view.Message) string {
	text := codeText(m.o.Lang, msg.Code, msg.Call.Error)
	if reason := msg.Call.Reason; reason != "" && !strings.Contains(text, reason) {
		text = m.text("ui.withReason", "text", text, "reason", reason)
	}
	return text
}

// cardHead is the card's line: sign, tool, what it is about, and how it went. The last is never
// cut away for what it is about.
func (m *Model) cardHead(msg view.Message, sign string, w int) string {
	t, c := m.theme, msg.Call
	state := safe.Text(m.cardState(msg), safe.Inline)
	name := t.cut(safe.Text(c.Tool, safe.Inline), max(w/2, 8))
	head := sign + t.pad(1) + t.Bold.of(name)
	room := w - safe.Width(name) - safe.Width(state) - 7
	if target := m.target(c); target != "" && room >= 6 {
		head += t.pad(2) + t.Quiet.of(t.cut(safe.Text(target, safe.Inline), room))
	}
	return head + t.pad(3) + t.Quiet.of(state)
}

const resultLines = 3

// result is the first lines of what a tool gave, and how much more there is.
func (m *Model) result(c *view.Call, w int) (out []string) {
	t := m.theme
	rest := c.Content
	for rest != "" && len(out) < resultLines {
		var line string
		line, rest, _ = strings.Cut(rest, "\n")
		shown := safe.Text(line, safe.Code)
		out = append(out, t.fit(t.pad(2)+t.Quiet.of(t.cut(shown, w-3)), w))
		if safe.Width(shown) > w-3 { // the rest of a long line is out of view too
			rest = line[min(len(line), w):] + "\n" + rest
			break
		}
	}
	hidden := c.Bytes - len(c.Content) + len(rest)
	switch n := strings.Count(strings.TrimRight(rest, "\n"), "\n") + 1; {
	case hidden <= 0 || strings.TrimSpace(rest) == "" && c.Bytes == len(c.Content):
	case c.Bytes > len(c.Content):
		out = append(out, t.pad(2)+t.Quiet.of(m.label("ui.moreBytes", "size", sizeText(int64(hidden)))))
	default:
		out = append(out, t.pad(2)+t.Quiet.of(m.label("ui.moreText", "n", strconv.Itoa(n))))
	}
	return out
}

// mostName is how many cells of a decider's name stand in the card's line; the timeline's inspector has it whole.
const mostName = 16

// cardState is the call's state in words, or how long it took.
func (m *Model) cardState(msg view.Message) string {
	c := msg.Call
	switch {
	case msg.State == view.Done && c.Repeats != 0:
		return m.text("ui.repeats", "seq", num(c.Repeats))
	case msg.State == view.Done && c.DecidedBy != nil:
		return m.text("ui.decidedBy", "ms", strconv.FormatInt(c.DurationMS, 10), "status", m.text("word."+string(c.Decision)), "by", m.who(*c.DecidedBy))
	case msg.State == view.Refused && c.Decision == engine.Denied && c.DecidedBy != nil:
		return m.text("ui.refusedBy", "status", m.text("word."+string(c.Decision)), "by", string(m.theme.cut(safe.Text(m.who(*c.DecidedBy), safe.Inline), mostName)))
	case msg.State == view.Done:
		return m.text("ui.ms", "ms", strconv.FormatInt(c.DurationMS, 10))
	}
	return m.text("state." + msg.State)
}

// target is what a call is about: its path, account, pattern or title.
func (m *Model) target(c *view.Call) string {
	var args map[string]any
	if json.Unmarshal(c.Arguments, &args) != nil {
		return c.Raw
	}
	var parts []string
	for _, name := range []string{"path", "pattern", "accountId", "days", "title"} {
		switch v := args[name].(type) {
		case string:
			parts = append(parts, v)
		case float64:
			n := strconv.FormatFloat(v, 'f', -1, 64)
			if name == "days" {
				parts = append(parts, m.text("ui.days", "n", n))
			} else {
				parts = append(parts, n+" "+name)
			}
		}
	}
	return strings.Join(parts, " "+m.theme.Sep+" ")
}

// metricsData is what the card needs of the demo account's figures.
type metricsData struct {
	Account struct {
		ID       string `json:"id"`
		Currency string `json:"currency"`
	} `json:"account"`
	Totals    figures `json:"totals"`
	Campaigns []struct {
		Name string `json:"name"`
		figures
	} `json:"campaigns"`
	Anomalies []struct {
		Campaign string `json:"campaign"`
		Metric   string `json:"metric"`
		Ratio    string `json:"ratio"`
		Value    string `json:"value"`
	} `json:"anomalies"`
}

type figures struct {
	Spend *string `json:"spend"`
	ROAS  *string `json:"roas"`
	CPA   *string `json:"cpa"`
	CTR   *string `json:"ctr"`
}

// metrics draws the figures as a line of totals and a bar for each campaign's ROAS.
func (m *Model) metrics(raw json.RawMessage, w int) (out []string) {
	t := m.theme
	var d metricsData
	if json.Unmarshal(raw, &d) != nil || len(d.Campaigns) == 0 {
		return nil
	}
	pair := func(name, v string) string {
		return t.Quiet.of(safe.Text(name, safe.Inline)+" ") + t.Text.of(safe.Text(v, safe.Inline)) + t.pad(3)
	}
	line := t.pad(3) + pair(m.text("ui.spend"), money(d.Account.Currency, d.Totals.Spend)) + pair("ROAS", round2(d.Totals.ROAS)) +
		pair("CPA", money(d.Account.Currency, d.Totals.CPA))
	out = append(out, line+t.Quiet.of(m.label("ui.teaching")))
	name, most := 0, 0.0
	for _, c := range d.Campaigns {
		name, most = max(name, safe.Width(safe.Text(c.Name, safe.Inline))), max(most, number(c.ROAS))
	}
	name = min(name, max(w/3, 6))
	room := clamp(w-name-30, 4, 24)
	for _, c := range d.Campaigns {
		in, note := t.Accent, ""
		for _, a := range d.Anomalies {
			if a.Campaign == c.Name {
				in, note = t.Pink, m.anomaly(a.Metric, a.Value, a.Ratio)
			}
		}
		bar := 0
		if most > 0 {
			bar = max(int(number(c.ROAS)/most*float64(room)+0.5), 1)
		}
		label := t.cut(safe.Text(c.Name, safe.Inline), name)
		out = append(out, t.pad(3)+t.fit(t.Text.of(label), name+1)+t.fit(in.of(safe.Safe(strings.Repeat(t.Full, bar))), room+2)+
			t.Text.of(safe.Text(round2(c.ROAS), safe.Inline))+t.pad(3)+in.of(safe.Text(note, safe.Inline)))
	}
	return out
}

// anomaly says what is wrong with a campaign.
func (m *Model) anomaly(metric, value, ratio string) string {
	if metric == "ctr" {
		return "CTR " + percent(value)
	}
	return m.text("ui.times", "metric", strings.ToUpper(metric), "ratio", round1(ratio))
}

func number(s *string) float64 {
	if s == nil {
		return 0
	}
	f, err := strconv.ParseFloat(*s, 64)
	if err != nil {
		return 0
	}
	return f
}

func round2(s *string) string {
	if s == nil {
		return "–"
	}
	return strconv.FormatFloat(number(s), 'f', 2, 64)
}

// money is an amount as people write it: ¥48,166.94, or the currency's code before it.
func money(currency string, v *string) string {
	text := round2(v)
	whole, cents, ok := strings.Cut(text, ".")
	if !ok {
		return text
	}
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	switch currency {
	case "CNY":
		currency = "¥"
	case "USD":
		currency = "$"
	case "EUR":
		currency = "€"
	case "":
	default:
		currency += " "
	}
	return currency + whole + "." + cents
}

func round1(s string) string { return strconv.FormatFloat(number(&s), 'f', 1, 64) }

func percent(s string) string { return strconv.FormatFloat(number(&s)*100, 'f', 2, 64) + "%" }
