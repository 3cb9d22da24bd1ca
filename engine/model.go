package engine

import (
	"context"
	"encoding/json"
	"iter"
)

// ModelInfo is what is known of a model. Zero ContextWindow means unknown.
type ModelInfo struct {
	Provider      string `json:"provider"`
	API           string `json:"api"`
	ID            string `json:"modelId"`
	Host          string `json:"baseUrlHost,omitempty"`
	Images        bool   `json:"supportsImages"`
	ContextWindow int    `json:"contextWindow,omitempty"`
	KeyHint       string `json:"keyHint,omitempty"`
}

// Model is the port to a language model.
type Model interface {
	// Info is constant.
	Info() ModelInfo
	// Stream makes one model call on the caller's goroutine. It yields chunks in order and at most
	// one error, last. It stops soon after ctx ends or the caller breaks off. A stream that ends
	// without a Stop chunk and without an error was cut.
	Stream(ctx context.Context, r Request) iter.Seq2[Chunk, error]
}

// Priced is a Model whose calls have a known price.
type Priced interface {
	Model
	// Cost is what a call of this usage costs by the list price, in US dollars as a decimal; false
	// where the usage doesn't say enough.
	Cost(u Usage) (usd string, ok bool)
}

// Purpose says what a request is for.
type Purpose string

// A turn is a step of the loop; a summary is compaction's call and offers no tools.
const (
	PurposeTurn    Purpose = "turn"
	PurposeSummary Purpose = "summary"
)

// Request is one model call. Messages are the fold of the log and must not be changed.
type Request struct {
	Session  SessionID // so that a provider finds what it keeps of the session's earlier requests
	Purpose  Purpose
	Turn     int // within the run, from 1
	Attempt  int // of this turn, from 1
	System   []SystemPart
	Messages []Message
	Tools    []Spec
	// Open reads the pictures that the messages hold; nil where none can be. One that cannot be read is
	// named to the model in words.
	Open Opener `json:"-"`
}

// SystemPart is a piece of the system prompt with its origin, so that the x-ray can name it.
type SystemPart struct {
	Kind   string `json:"kind"`   // role, clarification, material, skillIndex, workspace
	Origin string `json:"origin"` // who wrote it: agentstudio, or a file's display path
	Text   string `json:"text"`
}

// Role is who speaks in a Message.
type Role string

// RoleTool messages are the result of exactly one call.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
)

// Message is one entry of the transcript, in no provider's dialect.
type Message struct {
	Role        Role
	Text        string
	Calls       []Call       // assistant: what it asked for, in order
	Reply       CallID       // tool: which call this answers
	Tool        string       // tool: that call's tool
	Failed      bool         // tool: the call was denied or failed
	Code        Code         // tool: why, when Failed
	Attachments []Attachment // user
	// Continuation (assistant) is the provider's own state of this answer; see Continuation.
	Continuation Continuation
	Seq          Seq // the event this comes from
}

// Chunk is a piece of a streamed answer: Text, Reasoning, ToolCall, Usage, Stop, Continuation or
// Repeated. All but Usage and Repeated begin the answer.
//
//sumtype:decl
type Chunk interface{ chunk() }

// Text is readable answer text.
type Text string

// Reasoning is readable reasoning, never part of the answer.
type Reasoning string

// ToolCall is one finished call of the model. Args is what the model sent, unchecked; Cut marks a
// call that the output limit cut and that must never run.
type ToolCall struct {
	ID   CallID
	Tool string
	Args json.RawMessage
	Cut  bool
}

// Usage is what a call cost. Nil means unknown, which is not 0. Figures of a later chunk replace
// those of an earlier one. InputTokens includes cached ones: CachedTokens were read from the provider's
// cache, CacheWriteTokens written to it. CostUSD is an estimate by list prices,
// never a bill; Estimated says that the tokens are estimates too.
type Usage struct {
	InputTokens      *int    `json:"inputTokens,omitempty"`
	OutputTokens     *int    `json:"outputTokens,omitempty"`
	CachedTokens     *int    `json:"cachedTokens,omitempty"`
	CacheWriteTokens *int    `json:"cacheWriteTokens,omitempty"`
	ReasoningTokens  *int    `json:"reasoningTokens,omitempty"`
	CostUSD          *string `json:"costUsd,omitempty"`
	Estimated        bool    `json:"estimated,omitempty"`
}

// StopReason is why an answer ended.
type StopReason string

// The stop reasons. A provider's other words are errors that name them.
const (
	StopEnd           StopReason = "stop"
	StopToolUse       StopReason = "toolUse"
	StopLength        StopReason = "length"
	StopContentFilter StopReason = "contentFilter"
	StopRefusal       StopReason = "refusal"
	StopError         StopReason = "error"
	StopInterrupted   StopReason = "interrupted"
	StopCancelled     StopReason = "cancelled"
)

// Stop is the terminal mark of a stream.
type Stop struct{ Reason StopReason }

// Continuation is the provider's own state of an answer, which must go back unchanged with later
// calls: one JSON value of at most 1 MiB, at most one in an answer. It is kept in the log, shown to
// nobody, and dropped whole where it is larger, holds a key, or belongs to a cut answer.
type Continuation []byte

// Repeated says that the call is made once more within one Stream, and why: every request is told of.
type Repeated string

func (Text) chunk()         {}
func (Reasoning) chunk()    {}
func (ToolCall) chunk()     {}
func (Usage) chunk()        {}
func (Stop) chunk()         {}
func (Continuation) chunk() {}
func (Repeated) chunk()     {}

// EstimateTokens guesses the tokens of s: bytes/3, since the usual bytes/4 is a third too low for
// JSON and code. It is an estimate for gauges and budgets, never a bill.
func EstimateTokens(s string) int { return (len(s) + 2) / 3 }
