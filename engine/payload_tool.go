package engine

import "encoding/json"

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
