package engine

import (
	"context"
	"encoding/json"
)

// CallID names one tool call of a session: the provider's id where it sent a unique one, else ours.
type CallID string

// Verdict is what the policy says of a call.
type Verdict string

// The three verdicts, from loose to tight. Configuration may only tighten.
const (
	Allow Verdict = "allow"
	Ask   Verdict = "ask"
	Deny  Verdict = "deny"
)

// Replay says whether a call may be made again after its outcome was lost.
type Replay string

// ReplaySafe calls may run again; ReplayNever calls meet the ledger (see run.go) instead.
const (
	ReplaySafe  Replay = "safe"
	ReplayNever Replay = "never"
)

// Spec describes a tool to the model and to the policy.
type Spec struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"` // JSON Schema of the arguments object
	Policy      Verdict         `json:"policy"`     // what holds unless configuration tightens it
	Replay      Replay          `json:"replay"`
	// Timeout of one Run in seconds; 0 means the engine's default of 30.
	TimeoutSeconds int `json:"-"`
}

// Tool is a function that the model may ask for. Tools never see approvals, the policy or the
// ledger: the loop stands around them. Both methods may run at the same time as another tool's.
type Tool interface {
	// Spec is constant.
	Spec() Spec
	// Prepare checks the arguments (INVALID_ARGUMENTS and the workspace's codes) and says what
	// Run would do. It changes nothing and is called again just before Run.
	Prepare(ctx context.Context, args json.RawMessage) (Plan, error)
	// Run acts. It returns soon after ctx ends; the loop gives up on it 2 s later.
	Run(ctx context.Context, c Call) (Result, error)
}

// Call is one use of a tool. Args is one canonical JSON object (see Canonical).
type Call struct {
	ID   CallID          `json:"id"`
	Tool string          `json:"tool"`
	Args json.RawMessage `json:"args"`
}

// Plan is what a call would do, for people and for the loop.
type Plan struct {
	// Summary is one line, plain English, at most 200 characters.
	Summary string
	// Risk is a key of the words catalogue ("risk." is put before it), "" for none.
	Risk string
	// Preview is exactly what would be written, "" where there is nothing to show.
	Preview string
	// Reads are the canonical locations (display form) that the call would read; the loop turns
	// those that are a skill's SKILL.md into skill.requested and skill.loaded.
	Reads []string
	// Facts bind an approval to the world: they are computed again just before Run, and a
	// difference is CHANGED_SINCE_APPROVAL.
	Facts map[string]string
}

// Result is what a tool gives back.
type Result struct {
	// Content is what the model is given: text, at most 32 KiB after the engine's limit.
	Content string
	// Data is the same for people and programs: one JSON value, at most 64 KiB, or nil.
	Data json.RawMessage
	// LeftOut counts what Content does not hold.
	LeftOut *LeftOut
	// Artifacts are files that the call has made durable.
	Artifacts []Artifact
}

// LeftOut counts what a limit cut away. Zero fields are left out of JSON.
type LeftOut struct {
	Bytes   int `json:"bytes,omitempty"`
	Lines   int `json:"lines,omitempty"`
	Matches int `json:"matches,omitempty"`
	Entries int `json:"entries,omitempty"`
}

// Artifact is a file that the agent produced, already durable on disk. The loop gives it its id.
type Artifact struct {
	ID     string `json:"artifactId"`
	Name   string `json:"name"`
	MIME   string `json:"mime"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"` // hex
}

// ArtifactWriter keeps a produced file: atomically and durably, or not at all (WRITE_FAILED).
// A file of the same name is replaced.
type ArtifactWriter interface {
	WriteArtifact(ctx context.Context, name, mime string, content []byte) (Artifact, error)
}

// Env is what one session's tools may use.
type Env struct {
	Session     SessionID
	Artifacts   ArtifactWriter
	Attachments AttachmentFiles
}
