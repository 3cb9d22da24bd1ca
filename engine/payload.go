package engine

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
)

// Actor is who did something, and from where.
type Actor struct {
	Screen string `json:"screen"` // tui, mirror, cli or policy
	Device string `json:"deviceId,omitempty"`
	Name   string `json:"name"`
}

type fact struct{}

func (fact) payload() {}

// The session's own events.
type (
	// SessionStarted opens every log.
	SessionStarted struct {
		fact
		Title     string `json:"title"`
		Workspace string `json:"workspace"` // display path; "" for the session's own empty folder
		Version   string `json:"version"`
	}
	// SessionResumed follows each reopening for writing.
	SessionResumed struct {
		fact
		Recovered *Recovered `json:"recovered,omitempty"`
	}
	// SessionClosed ends a log until it is reopened.
	SessionClosed struct {
		fact
		Reason string `json:"reason"`
	}
	// SessionRenamed gives the session another title.
	SessionRenamed struct {
		fact
		Title string `json:"title"`
		By    Actor  `json:"by"`
	}
	// CatalogLoaded lists skills and tools; never a skill's body.
	CatalogLoaded struct {
		fact
		Skills      []Skill      `json:"skills"`
		Diagnostics []Diagnostic `json:"diagnostics"`
		Tools       []ToolEntry  `json:"tools"`
	}
	// SettingsChanged holds what changed, the rest left out.
	SettingsChanged struct {
		fact
		Budget         *Budget `json:"budget,omitempty"`
		Policy         []Rule  `json:"policy,omitempty"`
		ApprovalExpiry int     `json:"approvalExpirySeconds,omitempty"`
		By             Actor   `json:"by"`
	}
	// JournalDamage stands for lines that could not be read; made in memory, never written.
	JournalDamage struct {
		fact
		From   Seq    `json:"fromSequence"`
		To     Seq    `json:"toSequence"`
		Reason string `json:"reason"`
	}
	// JournalRepaired is written by a repair in the place of what it dropped.
	JournalRepaired struct {
		fact
		From   Seq    `json:"fromSequence"`
		To     Seq    `json:"toSequence"`
		Reason string `json:"reason"`
	}
	// ModelConfigured names the model in use; never a key.
	ModelConfigured struct {
		fact
		ModelInfo
	}
	// ModelCleared says that no model is configured any more.
	ModelCleared struct{ fact }
	// MirrorDevice tells who was let in or out.
	MirrorDevice struct {
		fact
		Device string `json:"deviceId"`
		Name   string `json:"name"`
		Role   string `json:"role"`
		What   string `json:"what"` // paired, refused, promoted or revoked
		By     Actor  `json:"by"`
	}
	// Notice is what a person should know and no other event says.
	Notice struct {
		fact
		Code    Code   `json:"code"`
		Message string `json:"message"`
		About   Seq    `json:"about,omitempty"`
	}
)

// Recovered is what reopening had to mend.
type Recovered struct {
	TornBytes      int64 `json:"tornBytes,omitempty"`
	InterruptedRun RunID `json:"interruptedRun,omitempty"`
}

// ToolEntry is a row of the catalogue's tools.
type ToolEntry struct {
	Name   string  `json:"name"`
	Policy Verdict `json:"policy"`
	Replay Replay  `json:"replay"`
}

// What people say.
type (
	// UserMessage is durable before it is acknowledged.
	UserMessage struct {
		fact
		Message     MessageID    `json:"messageId"`
		Text        string       `json:"text"`
		Attachments []Attachment `json:"attachments,omitempty"`
		Delivery    string       `json:"delivery"` // prompt, followUp or steer
		By          Actor        `json:"by"`
	}
	// UserDelivered puts a queued message into the transcript.
	UserDelivered struct {
		fact
		Message MessageID `json:"messageId"`
	}
	// UserWithdrawn takes a queued message back.
	UserWithdrawn struct {
		fact
		Message MessageID `json:"messageId"`
		By      Actor     `json:"by"`
		Reason  string    `json:"reason"` // person or runEnded
	}
	AttachmentAdded struct {
		fact
		Attachment
		By Actor `json:"by"`
	}
	AttachmentRemoved struct {
		fact
		ID string `json:"attachmentId"`
		By Actor  `json:"by"`
	}
	AttachmentRejected struct {
		fact
		Name    string `json:"name"`
		Code    Code   `json:"code"`
		Message string `json:"message"`
		By      Actor  `json:"by"`
	}
)

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
		// Continuation names provider state kept beside the journal; private.
		Continuation string `json:"continuation,omitempty"`
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

// Tool calls, skills, approvals, artifacts.
type (
	// ToolRequested is there for each call the model asked for, whatever the policy says.
	ToolRequested struct {
		fact
		Call         CallID          `json:"toolCallId"`
		Tool         string          `json:"toolName"`
		Arguments    json.RawMessage `json:"arguments,omitempty"`
		RawArguments string          `json:"rawArguments,omitempty"` // when what came is not one JSON object
		Policy       Judgement       `json:"policy"`
		Digest       string          `json:"digest,omitempty"`
	}
	ToolDenied struct {
		fact
		Call    CallID `json:"toolCallId"`
		Tool    string `json:"toolName"`
		Code    Code   `json:"code"`
		Message string `json:"message"`
	}
	ToolStarted struct {
		fact
		Call           CallID `json:"toolCallId"`
		Tool           string `json:"toolName"`
		IdempotencyKey string `json:"idempotencyKey,omitempty"`
	}
	ToolCompleted struct {
		fact
		Call       CallID          `json:"toolCallId"`
		Tool       string          `json:"toolName"`
		Content    string          `json:"content"`
		Data       json.RawMessage `json:"data,omitempty"`
		DurationMS int64           `json:"durationMs"`
		LeftOut    *LeftOut        `json:"leftOut,omitempty"`
		Repeats    Seq             `json:"repeats,omitempty"` // the completion whose result this gives again
	}
	ToolFailed struct {
		fact
		Call       CallID `json:"toolCallId"`
		Tool       string `json:"toolName"`
		Code       Code   `json:"code"`
		Message    string `json:"message"`
		DurationMS int64  `json:"durationMs"`
	}
	SkillRequested struct {
		fact
		Name string `json:"name"`
		Path string `json:"path"`
	}
	SkillLoaded struct {
		fact
		Name string `json:"name"`
		Path string `json:"path"`
	}
	ApprovalRequired struct {
		fact
		Approval  ApprovalID      `json:"approvalId"`
		Call      CallID          `json:"toolCallId"`
		Tool      string          `json:"toolName"`
		Arguments json.RawMessage `json:"arguments"`
		Summary   string          `json:"summary"`
		Risk      string          `json:"risk,omitempty"` // key of the words catalogue
		Preview   string          `json:"preview,omitempty"`
		Digest    string          `json:"digest"`
		ExpiresAt Instant         `json:"expiresAt"`
	}
	ApprovalExtended struct {
		fact
		Approval  ApprovalID `json:"approvalId"`
		ExpiresAt Instant    `json:"expiresAt"`
		By        Actor      `json:"by"`
	}
	// ApprovalResolved comes exactly once for each approval.
	ApprovalResolved struct {
		fact
		Approval ApprovalID     `json:"approvalId"`
		Status   ApprovalStatus `json:"status"`
		By       Actor          `json:"by"`
		Reason   string         `json:"reason,omitempty"`
		WaitedMS int64          `json:"waitedMs"`
	}
	ArtifactReady struct {
		fact
		Artifact
	}
)

// kinds is the wire name of every payload, in the order of the documentation.
func kinds() []kindRow {
	return []kindRow{
		kind[SessionStarted]("session.started"), kind[SessionResumed]("session.resumed"),
		kind[SessionClosed]("session.closed"), kind[SessionRenamed]("session.renamed"),
		kind[CatalogLoaded]("catalog.loaded"), kind[SettingsChanged]("settings.changed"),
		kind[JournalDamage]("journal.damaged"), kind[JournalRepaired]("journal.repaired"),
		kind[ModelConfigured]("model.configured"), kind[ModelCleared]("model.cleared"),
		kind[UserMessage]("user.message"), kind[UserDelivered]("user.delivered"), kind[UserWithdrawn]("user.withdrawn"),
		kind[RunStarted]("run.started"), kind[PromptChanged]("prompt.changed"),
		kind[TurnStarted]("turn.started"), kind[ModelRetrying]("model.retrying"),
		kind[AssistantStarted]("assistant.started"), kind[AssistantDelta]("assistant.delta"),
		kind[ReasoningDelta]("reasoning.delta"), kind[AssistantCompleted]("assistant.completed"),
		kind[TurnCompleted]("turn.completed"),
		kind[ToolRequested]("tool.requested"), kind[ToolDenied]("tool.denied"), kind[ToolStarted]("tool.started"),
		kind[ToolCompleted]("tool.completed"), kind[ToolFailed]("tool.failed"),
		kind[SkillRequested]("skill.requested"), kind[SkillLoaded]("skill.loaded"),
		kind[ApprovalRequired]("approval.required"), kind[ApprovalExtended]("approval.extended"),
		kind[ApprovalResolved]("approval.resolved"),
		kind[AttachmentAdded]("attachment.added"), kind[AttachmentRemoved]("attachment.removed"),
		kind[AttachmentRejected]("attachment.rejected"),
		kind[ArtifactReady]("artifact.ready"), kind[GateWaiting]("gate.waiting"), kind[GateReleased]("gate.released"),
		kind[MirrorDevice]("mirror.device"),
		kind[CompactionStarted]("compaction.started"), kind[CompactionCompleted]("compaction.completed"),
		kind[CompactionFailed]("compaction.failed"),
		kind[Notice]("notice"), kind[BudgetWarned]("budget.warned"),
		kind[RunCompleted]("run.completed"), kind[RunFailed]("run.failed"), kind[RunCancelledEvent]("run.cancelled"),
	}
}

type kindRow struct {
	name string
	typ  reflect.Type
	read func(json.RawMessage) (Payload, error)
}

func kind[T Payload](name string) kindRow {
	return kindRow{name, reflect.TypeFor[T](), func(raw json.RawMessage) (Payload, error) {
		var p T
		err := json.Unmarshal(raw, &p)
		return p, err
	}}
}

// readers and names are the kinds table by name and by type; never changed.
var (
	readers = func() map[string]func(json.RawMessage) (Payload, error) {
		m := map[string]func(json.RawMessage) (Payload, error){}
		for _, k := range kinds() {
			m[k.name] = k.read
		}
		return m
	}()
	names = func() map[reflect.Type]string {
		m := map[reflect.Type]string{}
		for _, k := range kinds() {
			m[k.typ] = k.name
		}
		return m
	}()
)

// KindOf is the wire name of a payload.
func KindOf(p Payload) string {
	switch p := p.(type) {
	case AssistantDelta:
		return "assistant.delta"
	case Unknown:
		return p.Type
	}
	return names[reflect.TypeOf(p)]
}

// Kinds lists every wire name there is, sorted.
func Kinds() []string { return slices.Sorted(maps.Keys(readers)) }

// Terminal tells whether p ends a run.
func Terminal(p Payload) bool {
	switch p.(type) {
	case RunCompleted, RunFailed, RunCancelledEvent:
		return true
	}
	return false
}

// durable tells whether p must survive a power loss before it is shown.
func durable(p Payload) bool {
	switch p := p.(type) {
	case UserMessage, AttachmentAdded, ApprovalRequired, ApprovalResolved, ToolStarted, ArtifactReady,
		RunCompleted, RunFailed, RunCancelledEvent, SessionResumed, JournalRepaired:
		return true
	case ToolCompleted:
		return p.Repeats == 0
	case ToolFailed:
		return true
	}
	return false
}
