// Package view is what people see of a session: the fold of its events that both screens draw.
// It is pure: no clock, no I/O, no goroutine, no language, no styling.
package view

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	"agentstudio/engine"
)

// State is a session as people see it. The zero State is a session of which nothing is known. It
// is changed by Apply alone, on one goroutine. It marshals to JSON such that a snapshot with the
// events after it applied equals the whole, byte for byte.
//
// Texts are true: a screen cleans them when it draws them.
type State struct {
	Seq         engine.Seq          `json:"seq"`
	Session     Session             `json:"session"`
	Model       *engine.ModelInfo   `json:"model,omitempty"`
	Status      Status              `json:"status"`
	Skills      []Skill             `json:"skills"`
	Diagnostics []engine.Diagnostic `json:"diagnostics"`
	Tools       []Tool              `json:"tools"`
	Attachments []Attachment        `json:"attachments"`
	Artifacts   []engine.Artifact   `json:"artifacts"`
	Chat        []Message           `json:"chat"`
	Timeline    []Row               `json:"timeline"`
	Approvals   []Approval          `json:"approvals"` // open ones, oldest first

	chat map[string]int // index of Chat by id; made when needed
}

// Session names the session.
type Session struct {
	ID        engine.SessionID `json:"id"`
	Title     string           `json:"title"`
	Workspace string           `json:"workspace"`
	Version   string           `json:"version"`
	Closed    bool             `json:"closed"`
	Damaged   bool             `json:"damaged"` // some events could not be read
}

// Phase is what the session is doing.
type Phase string

// The phases. Failed and cancelled are idle ones that say how the last run ended.
const (
	Idle      Phase = "idle"
	Running   Phase = "running"
	Waiting   Phase = "waiting"
	Failed    Phase = "failed"
	Cancelled Phase = "cancelled"
)

// Status is the session's state in a line, and the gauges of the newest run.
type Status struct {
	Phase     Phase          `json:"phase"`
	Code      engine.Code    `json:"code,omitempty"` // why the last run failed
	Run       engine.RunID   `json:"run,omitempty"`  // the newest
	RunSeq    engine.Seq     `json:"runSeq,omitempty"`
	RunAt     engine.Instant `json:"runAt"`
	Turn      int            `json:"turn"`
	Budget    engine.Budget  `json:"budget"`
	Tokens    int            `json:"tokens"`
	Context   int            `json:"context"` // estimate of the newest model call
	CostUSD   string         `json:"costUsd,omitempty"`
	Estimated bool           `json:"estimated"`
}

// Active tells whether a run is under way.
func (s Status) Active() bool { return s.Phase == Running || s.Phase == Waiting }

// Skill is a skill with what has become of it in this session.
type Skill struct {
	engine.Skill
	Light Light      `json:"light"`
	At    engine.Seq `json:"at,omitempty"` // the event that set the light
}

// Light is a skill's state as the session goes on.
type Light string

// The lights of a skill.
const (
	Available Light = "available"
	Requested Light = "requested"
	Loaded    Light = "loaded"
	Shadowed  Light = "shadowed"
	Broken    Light = "broken"
)

// Attachment is a file that somebody handed to the session.
type Attachment struct {
	engine.Attachment
	By      engine.Actor     `json:"by"`
	Message engine.MessageID `json:"messageId,omitempty"` // that it went with; "" while it waits in the draft
	LeftOut engine.Code      `json:"leftOut,omitempty"`   // why no model is sent it any more
}

// Attachment gives the attachment of an id; false when it has been removed.
func (s *State) Attachment(id string) (Attachment, bool) {
	for _, a := range s.Attachments {
		if a.ID == id {
			return a, true
		}
	}
	return Attachment{}, false
}

// Draft are the attachments that wait for a message, in the order they were added.
func (s *State) Draft() (waiting []Attachment) {
	for _, a := range s.Attachments {
		if a.Message == "" {
			waiting = append(waiting, a)
		}
	}
	return waiting
}

// Tool is a tool with its policy and how often it was asked for.
type Tool struct {
	engine.ToolEntry
	Calls int `json:"calls"`
}

// Message is one entry of the chat: what somebody said, a tool call, a notice, or how a run ended.
type Message struct {
	ID       string            `json:"id"`
	Kind     MessageKind       `json:"kind"`
	Seq      engine.Seq        `json:"seq"`
	At       engine.Instant    `json:"at"`
	Run      engine.RunID      `json:"run,omitempty"`
	State    string            `json:"state"`
	Delivery string            `json:"delivery,omitempty"` // of a person's message: prompt, followUp or steer
	Pieces   []string          `json:"pieces,omitempty"`   // the text; a piece is filled up to 4 KiB before the next begins
	Thinking []string          `json:"thinking,omitempty"`
	By       *engine.Actor     `json:"by,omitempty"`
	Pictures []string          `json:"attachmentIds,omitempty"` // of a person's message; see State.Attachment
	Code     engine.Code       `json:"code,omitempty"`
	Event    string            `json:"event,omitempty"` // of a notice that tells of an event which is no notice: its kind
	Args     map[string]string `json:"args,omitempty"`  // what such a notice names
	Call     *Call             `json:"call,omitempty"`
}

// MessageKind says who or what a Message is.
type MessageKind string

// The kinds of messages.
const (
	FromUser  MessageKind = "user"
	FromAgent MessageKind = "agent"
	OfTool    MessageKind = "tool"
	OfNotice  MessageKind = "notice"
	OfEnd     MessageKind = "end" // a run that failed or was cancelled
)

// The states of messages.
const (
	Queued    = "queued"
	Streaming = "streaming"
	Complete  = "complete"
	Cut       = "cut"
	Asked     = "requested"
	Awaiting  = "waiting"
	Started   = "running"
	Done      = "completed"
	Refused   = "denied"
	Wrong     = "failed"
	Withdrawn = "withdrawn"
)

// Call is a tool call in the chat.
type Call struct {
	Tool       string                `json:"tool"`
	Policy     engine.Judgement      `json:"policy"`
	Arguments  json.RawMessage       `json:"arguments,omitempty"`
	Raw        string                `json:"raw,omitempty"`
	Content    string                `json:"content,omitempty"` // the first 4 KiB
	Bytes      int                   `json:"bytes,omitempty"`   // of the whole content
	ContentSeq engine.Seq            `json:"contentSeq,omitempty"`
	Data       json.RawMessage       `json:"data,omitempty"` // if at most 16 KiB
	DurationMS int64                 `json:"durationMs"`
	Error      string                `json:"error,omitempty"`
	LeftOut    *engine.LeftOut       `json:"leftOut,omitempty"`
	Repeats    engine.Seq            `json:"repeats,omitempty"`
	Decision   engine.ApprovalStatus `json:"decision,omitempty"`
	DecidedBy  *engine.Actor         `json:"decidedBy,omitempty"`
	DecidedAt  engine.Instant        `json:"decidedAt,omitzero"`
	Digest     string                `json:"digest,omitempty"` // of the arguments that were decided on
	Reason     string                `json:"reason,omitempty"` // of a denial
}

// Approval is an open question.
type Approval struct {
	engine.ApprovalRequired
	Seq    engine.Seq       `json:"seq"`
	At     engine.Instant   `json:"at"`
	Policy engine.Judgement `json:"policy"` // why it is asked
}

// Row is a line of the timeline: an event, or all that belongs to one answer.
type Row struct {
	Seq   engine.Seq        `json:"seq"`
	Last  engine.Seq        `json:"last"` // the newest event of the row
	Kind  string            `json:"kind"` // the event's type; "assistant" and "reasoning" for an answer's
	Cause engine.Seq        `json:"cause,omitempty"`
	Depth int               `json:"depth"`
	At    engine.Instant    `json:"at"`
	Since int64             `json:"sinceMs"` // since the run's start; -1 outside a run
	Run   engine.RunID      `json:"run,omitempty"`
	About string            `json:"about,omitempty"` // the call, approval or message it concerns
	Count int               `json:"count,omitempty"` // deltas
	Tone  Tone              `json:"tone"`
	Args  map[string]string `json:"args,omitempty"` // what the caption names
}

// Tone is what a row means, for colour and glyph; the words say it too.
type Tone string

// The tones.
const (
	Plain   Tone = "plain"
	Quiet   Tone = "quiet"
	Person  Tone = "person"
	Good    Tone = "good"
	Asking  Tone = "asking"
	Bad     Tone = "bad"
	OfSkill Tone = "skill"
)

// Patch is what one event changed: all that a screen has to draw again. Nil and empty fields have
// not changed. Rows with a known id or sequence replace the old ones. A Patch shares nothing that a
// later Apply changes, so it may be kept and read on any goroutine; nobody may change it.
type Patch struct {
	Seq         engine.Seq           `json:"seq"`
	Session     *Session             `json:"session,omitempty"`
	Model       *engine.ModelInfo    `json:"model,omitempty"`
	Status      *Status              `json:"status,omitempty"`
	Skills      []Skill              `json:"skills,omitempty"`
	Diagnostics *[]engine.Diagnostic `json:"diagnostics,omitempty"`
	Tools       []Tool               `json:"tools,omitempty"`
	Attachments *[]Attachment        `json:"attachments,omitempty"`
	Artifacts   *[]engine.Artifact   `json:"artifacts,omitempty"`
	Chat        []Message            `json:"chat,omitempty"`
	Append      *Append              `json:"append,omitempty"`
	Timeline    []Row                `json:"timeline,omitempty"`
	Approvals   *[]Approval          `json:"approvals,omitempty"`
}

// Append adds text to a message that is there.
type Append struct {
	ID       string `json:"id"`
	Text     string `json:"text"`
	Thinking bool   `json:"thinking,omitempty"`
}

// settle takes copies of what p points to in the State, which goes on changing.
func (p *Patch) settle() {
	p.Session = copied(p.Session)
	p.Status = copied(p.Status)
	p.Diagnostics = copied(p.Diagnostics)
	p.Attachments = copied(p.Attachments)
	p.Artifacts = copied(p.Artifacts)
	p.Approvals = copied(p.Approvals)
}

func copied[T any](v *T) *T {
	if v == nil {
		return nil
	}
	c := *v
	return &c
}

// apart is m with its own lists of pieces: the State's last piece grows in its place.
func (m Message) apart() Message {
	m.Pieces, m.Thinking = slices.Clone(m.Pieces), slices.Clone(m.Thinking)
	return m
}

// Hash is a short digest of the state's JSON, to show that two screens hold the same.
func (s *State) Hash() string {
	b, err := json.Marshal(s)
	if err != nil {
		return "" // a State always marshals
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:4])
}

// MarshalJSON writes lists that are empty as such, never as null.
func (s *State) MarshalJSON() ([]byte, error) {
	type plain State
	p := plain(*s)
	p.Skills = list(p.Skills)
	p.Diagnostics = list(p.Diagnostics)
	p.Tools = list(p.Tools)
	p.Attachments = list(p.Attachments)
	p.Artifacts = list(p.Artifacts)
	p.Chat = list(p.Chat)
	p.Timeline = list(p.Timeline)
	p.Approvals = list(p.Approvals)
	return json.Marshal(p)
}

func list[T any](l []T) []T {
	if l == nil {
		return []T{}
	}
	return l
}
