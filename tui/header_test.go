package tui

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"agentstudio/engine"
	"agentstudio/engine/words"
)

// firstLine is the header of a picture.
func firstLine(m *Model) string {
	line, _, _ := strings.Cut(strings.ReplaceAll(picture(m), "\u00a0", " "), "\n")
	return strings.TrimSpace(line)
}

// onModelInfo is a session in a run on a model, after a turn.
func onModelInfo(info engine.ModelInfo, context int, u engine.Usage) *tape {
	l := newTape()
	l.add(0, engine.SessionStarted{Version: "1"})
	l.add(0, engine.ModelConfigured{ModelInfo: info})
	l.run = "run_1"
	run := l.add(0, engine.RunStarted{Run: "run_1", Budget: engine.DefaultBudget()})
	l.add(run, engine.TurnStarted{Turn: 1, ContextTokens: context})
	l.add(run, engine.TurnCompleted{Turn: 1, StopReason: engine.StopToolUse, Usage: u})
	return l
}

// The header says which model it is, what it can, where it is, how full it is and what it has cost;
// the state stays in view at every width.
func TestHeader(t *testing.T) {
	n, cost := 600, "0.001234"
	u := engine.Usage{InputTokens: &n, OutputTokens: &n, CostUSD: &cost}
	sees := engine.ModelInfo{Provider: "openai", ID: "gpt-x", Host: "api.openai.com", Images: true, ContextWindow: 32000}
	blind := engine.ModelInfo{Provider: "other", ID: "qwen-long-name", Host: "gateway.example.com"}
	for _, c := range []struct {
		info        engine.ModelInfo
		u           engine.Usage
		w           int
		has, hasNot []string
	}{
		{sees, u, 160, []string{"running", "gpt-x", "vision · openai · api.openai.com", "context ━━──── 25%", "turn 1/20", "1.2k tok", "≈$0.0012"}, nil},
		{sees, u, 120, []string{"running", "gpt-x", "vision", "━━──── 25%", "turn 1/20", "1.2k tok", "≈$0.0012"}, nil},
		{sees, u, 100, []string{"running", "gpt-x", "━━──── 25%", "turn 1/20", "≈$0.0012"}, []string{"context"}},
		{sees, u, 80, []string{"running", "gpt-x", "25% · 1/20 · 1.2k · ≈$0.0012"}, []string{"━"}},
		{sees, u, 40, []string{"running", "1/20 · 1.2k"}, []string{"$"}},
		{blind, engine.Usage{InputTokens: &n}, 160, []string{"running", "qwen-long-name", "gateway.example.com", "cost –"}, []string{"vision", "%", "other", "─"}},
		{blind, engine.Usage{InputTokens: &n}, 80, []string{"running", "cost –"}, []string{"vision", "%"}},
	} {
		for _, ascii := range []bool{false, true} {
			m := onModelInfo(c.info, 8000, c.u).still(setup{w: c.w, h: 24, lang: words.English, theme: "dark", ascii: ascii})
			got := firstLine(m)
			for _, want := range c.has {
				if ascii {
					want = strings.NewReplacer("━", "=", "─", "-", "≈", "~", "·", "-", "–", "-").Replace(want)
				}
				if !strings.Contains(got, want) {
					t.Errorf("%d columns lack %q: %s", c.w, want, got)
				}
			}
			for _, no := range c.hasNot {
				if strings.Contains(got, no) {
					t.Errorf("%d columns show %q: %s", c.w, no, got)
				}
			}
		}
	}
}

// Nothing pushes the state away.
func TestTheStateStaysInTheHeader(t *testing.T) {
	n, cost := 1234567, "1234.5"
	info := engine.ModelInfo{Provider: strings.Repeat("provider", 9), ID: strings.Repeat("模型", 40), Host: strings.Repeat("host", 30), Images: true, ContextWindow: 1000}
	for _, lang := range words.Languages() {
		m := onModelInfo(info, 999999, engine.Usage{InputTokens: &n, CostUSD: &cost}).still(setup{w: 80, h: 24, lang: lang, theme: "dark"})
		for w := 40; w < 200; w++ {
			m.Update(tea.WindowSizeMsg{Width: w, Height: 24})
			checkFits(failing{t, fmt.Sprint(w)}, m, w, 24)
			if got := firstLine(m); !strings.Contains(got, words.Text(lang, "phase.running", nil)) {
				t.Errorf("%d columns: %s", w, got)
			}
		}
	}
}

// A call that is tried again and messages that were summarised are told in the chat and the timeline.
func TestTroublesOfTheModelAreTold(t *testing.T) {
	for _, c := range []struct {
		lang words.Lang
		want []string
	}{
		{words.English, []string{"! the provider limits the rate; trying again in 2 s (2 of 3)", "try 2/3 in 2 s · MODEL_RATE_LIMITED", "older messages were summarised: from 12.3k to 4.1k tokens", "summarised · 4.1k tok, was 12.3k",
			"older messages could not be summarised", "summarising · nearly full"}},
		{words.Chinese, []string{"! 服务商限制了请求频率；2 秒后重试（第 2 次，共 3 次）", "重试 2/3 · 2 秒后", "较早的消息已归纳：从 12.3k 减至 4.1k 词元", "已归纳 · 4.1k 词元，原 12.3k", "较早的消息未能归纳", "正在归纳 · 即将占满"}},
	} {
		l := onModelInfo(engine.ModelInfo{Provider: "openai", ID: "m", ContextWindow: 32000}, 12300, engine.Usage{})
		l.add(3, engine.ModelRetrying{Attempt: 2, DelayMS: 2000, Code: engine.ModelRateLimited, Reason: "429", Status: 429})
		began := l.add(3, engine.CompactionStarted{Reason: "threshold", Before: 12300})
		l.add(began, engine.CompactionCompleted{Summary: "s", FirstKept: 2, Before: 12300, After: 4100})
		l.add(began, engine.CompactionFailed{Code: engine.ModelServer, Message: "no"})
		m := l.still(setup{w: 200, h: 45, lang: c.lang, theme: "dark"})
		got := squeezed(picture(m))
		for _, want := range c.want {
			if !strings.Contains(got, squeezed(want)) {
				t.Errorf("lacks %q:\n%s", want, got)
			}
		}
		if !strings.Contains(firstLine(m), "12%") {
			t.Errorf("the gauge has not gone down: %s", firstLine(m))
		}
	}
}
