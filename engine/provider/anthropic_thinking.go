package provider

import (
	"agentstudio/engine"
)

// How a model of anthropic-messages is told how much to think.
const (
	// ThinkingAdaptive models decide themselves, at a level of effort.
	ThinkingAdaptive = "adaptive"
	// ThinkingBudget models think within a number of tokens.
	ThinkingBudget = "budget"
)

const (
	mostOutput    = 32_000 // tokens of an answer that are asked for at most
	unknownOutput = 8_192
	leastOutput   = 1_024 // asked for even where the estimate says that nothing is left
	leastBudget   = 1_024 // of thinking, as the server wants it
	imageTokens   = 1_600 // of an image of the largest size, as the maker says
)

type (
	thinkingSetting struct {
		Type    string `json:"type"` // adaptive, enabled or disabled
		Budget  int    `json:"budget_tokens,omitempty"`
		Display string `json:"display,omitempty"`
	}
	outputSetting struct {
		Effort string `json:"effort"`
	}
)

// limit sets how long the answer may become and how much of it may be thinking.
// Source: platform.claude.com/docs/en/build-with-claude/adaptive-thinking and /extended-thinking.
func (m *messages) limit(q *messagesRequest) {
	q.MaxTokens = unknownOutput
	if m.most > 0 {
		q.MaxTokens = min(m.most, mostOutput)
	}
	if window := m.info.ContextWindow; window > 0 {
		q.MaxTokens = min(q.MaxTokens, max(window-q.estimate(), leastOutput))
	}
	switch {
	case m.thinking == "":
	case m.thinking == engine.ThinkingOff:
		q.Thinking = &thinkingSetting{Type: "disabled"}
	case m.form == ThinkingAdaptive || m.form == "" && m.own:
		q.Thinking, q.Output = &thinkingSetting{Type: "adaptive"}, &outputSetting{m.thinking}
		if m.own {
			q.Thinking.Display = "summarized" // newer models say nothing of it unless asked
		}
	default:
		// A tool loop whose thinking is lost must go on without any: the server wants it back first.
		if n := budget(m.thinking, q.MaxTokens); n >= leastBudget && !q.loopWithoutThinking() {
			q.Thinking = &thinkingSetting{Type: "enabled", Budget: n}
		}
	}
}

// budget is a level in tokens, with a quarter of the answer left for what is not thinking.
func budget(level string, most int) int {
	n, known := map[string]int{"minimal": leastBudget, "low": 2_048, "medium": 8_192, "high": 16_384, "xhigh": 24_576, "max": mostOutput}[level]
	if !known {
		n = 8_192
	}
	return min(n, most*3/4)
}

// loopWithoutThinking tells a request that goes on from results and whose tool loop did not begin
// with thinking.
func (q *messagesRequest) loopWithoutThinking() bool {
	first := ""
	for n := len(q.Messages) - 1; n > 0 && q.Messages[n].Content[0].Type == blockResult; n -= 2 {
		first = q.Messages[n-1].Content[0].Type
	}
	return first != "" && first != blockThinking && first != blockRedacted
}

// estimate guesses the request's tokens, as engine.EstimateTokens does.
func (q *messagesRequest) estimate() (n int) {
	for _, b := range q.System {
		n += engine.EstimateTokens(b.Text)
	}
	for _, t := range q.Tools {
		n += engine.EstimateTokens(t.Name + t.Description + string(t.InputSchema))
	}
	for _, t := range q.Messages {
		for _, b := range t.Content {
			if b.Source != nil {
				n += imageTokens
			}
			n += engine.EstimateTokens(b.Text+b.Content+b.Name) + engine.EstimateTokens(string(b.Input)+string(b.whole))
		}
	}
	return n
}
