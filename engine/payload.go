package engine

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
		What   string `json:"what"` // paired, refused, promoted (it may decide now), changed (it has another role) or revoked
		By     Actor  `json:"by"`
	}
	// Notice is what a person should know and no other event says.
	Notice struct {
		fact
		Code    Code   `json:"code"`
		Message string `json:"message"`
		About   Seq    `json:"about,omitempty"`
		// Attachments are pictures that are not sent to a model any more (IMAGE_LEFT_OUT, IMAGE_UNREADABLE).
		Attachments []string `json:"attachmentIds,omitempty"`
		Said        string   `json:"said,omitempty"` // the provider's own words
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
