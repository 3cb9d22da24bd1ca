package engine

import "encoding/json"

// A run and its turns.
type (
	RunStarted struct {
		fact
		Run     RunID  `json:"runId"`
		Budget  Budget `json:"budget"`
		Model   string `json:"modelId"`
		Resumes RunID  `json:"resumes,omitempty"`
	}
	// PromptChanged comes before a turn whose system prompt or tools differ from the last one's.
	PromptChanged struct {
		fact
		System []SystemPart `json:"system"`
		Tools  []Spec       `json:"tools"`
	}
	TurnStarted struct {
		fact
		Turn          int           `json:"turn"`
		ContextTokens int           `json:"contextTokens"`
		Parts         []ContextPart `json:"parts"`
		Messages      int           `json:"messages"`
		ToolCount     int           `json:"toolCount"`
	}
	ModelRetrying struct {
		fact
		Attempt int    `json:"attempt"`
		DelayMS int64  `json:"delayMs"`
		Reason  string `json:"reason"`
		Code    Code   `json:"code"`
		Status  int    `json:"status,omitempty"`
	}
	AssistantStarted struct {
		fact
		Message MessageID `json:"messageId"`
	}
	AssistantDelta struct {
		fact
		Message MessageID `json:"messageId"`
		Delta   string    `json:"delta"`
	}
	ReasoningDelta struct {
		fact
		Message MessageID `json:"messageId"`
		Delta   string    `json:"delta"`
	}
	AssistantCompleted struct {
		fact
		Message     MessageID  `json:"messageId"`
		StopReason  StopReason `json:"stopReason"`
		TextBytes   int        `json:"textBytes"`
		ToolCalls   int        `json:"toolCalls"`
		Interrupted bool       `json:"interrupted,omitempty"`
		// Continuation is the provider's own state; private.
		Continuation json.RawMessage `json:"continuation,omitempty"`
	}
	TurnCompleted struct {
		fact
		Turn       int        `json:"turn"`
		StopReason StopReason `json:"stopReason"`
		Usage      Usage      `json:"usage"`
	}
	CompactionStarted struct {
		fact
		Reason string `json:"reason"` // threshold, overflow or manual
		Before int    `json:"before"`
	}
	CompactionCompleted struct {
		fact
		Summary   string `json:"summary"`
		FirstKept Seq    `json:"firstKept"`
		Before    int    `json:"before"`
		After     int    `json:"after"`
		Usage     Usage  `json:"usage"`
	}
	CompactionFailed struct {
		fact
		Code    Code   `json:"code"`
		Message string `json:"message"`
	}
	GateWaiting struct {
		fact
		Gate  string `json:"gate"` // turn, tool or result
		About Seq    `json:"about"`
	}
	GateReleased struct {
		fact
		By Actor `json:"by"`
	}
	// BudgetWarned comes once for each budget, at 80 %.
	BudgetWarned struct {
		fact
		Which string `json:"which"` // turns, tokens, cost or deadline
		Used  string `json:"used"`
		Limit string `json:"limit"`
	}
	RunCompleted struct {
		fact
		Turns      int   `json:"turns"`
		Usage      Usage `json:"usage"`
		DurationMS int64 `json:"durationMs"`
	}
	RunFailed struct {
		fact
		Code      Code           `json:"code"`
		Message   string         `json:"message"`
		Retryable bool           `json:"retryable"`
		Details   map[string]any `json:"details,omitempty"`
	}
	RunCancelledEvent struct {
		fact
		Reason string `json:"reason"` // user, shutdown or sessionClosed
		By     Actor  `json:"by"`
	}
)

// ContextPart is one slice of what the model is sent, in estimated tokens.
type ContextPart struct {
	Kind   string `json:"kind"` // system, skillIndex, messages, toolResults, tools or images
	Tokens int    `json:"tokens"`
}
