package engine

import (
	"io"
	"time"
)

// Command is what a session can be told: one vocabulary for keys, wire and scripts.
//
//sumtype:decl
type Command interface{ command() }

// Send begins a run with a message: a text, pictures of the draft by their ids, or both. Refused with
// nothing sent, and the draft as it was: EMPTY_MESSAGE, MESSAGE_TOO_LARGE, SESSION_BUSY,
// MODEL_DOES_NOT_SUPPORT_IMAGES, IMAGE_TOO_MANY, and REF_NOT_FOUND, NOT_ALLOWED or READ_FAILED for a
// picture that isn't there to be sent.
type Send struct {
	Text        string
	Attachments []string
	By          Actor
}

// FollowUp queues a message for when the run would stop; on an idle session it is a Send. One
// accepted near a run's end is delivered in it; when the run ends otherwise than completed it is
// withdrawn, told by user.withdrawn: never lost without a word.
type FollowUp struct {
	Text        string
	Attachments []string
	By          Actor
}

// Steer queues a message for after the tool calls under way; on an idle session it is a Send.
type Steer struct {
	Text        string
	Attachments []string
	By          Actor
}

// Withdraw takes a queued message back, as long as it has not been delivered (NOT_QUEUED).
type Withdraw struct {
	Message MessageID
	By      Actor
}

// Cancel stops the active run (NOTHING_RUNNING without one).
type Cancel struct {
	By       Actor
	Shutdown bool // the program is told to end; nobody meant the run
}

func (c Cancel) reason() string {
	if c.Shutdown {
		return "shutdown"
	}
	return "user"
}

// Decide answers an approval. Digest is the one that was shown; another one is APPROVAL_MISMATCH.
// The first decision wins: the same one again is accepted with AlreadyResolved, the opposite one
// is APPROVAL_ALREADY_RESOLVED, after expiry or cancelling APPROVAL_EXPIRED or APPROVAL_CANCELLED.
type Decide struct {
	Approval ApprovalID
	Digest   string
	Approve  bool
	Reason   string // at most 500 characters; of a denial, told to the model
	By       Actor
	// Trial decides nothing: the answer is what the decision would come to now. Its Receipt is empty
	// while the approval is open and the digest right.
	Trial bool
}

// Extend moves an open approval's expiry to More than it is now, at most 60 minutes from now.
// Only a person at a screen may: NOT_ALLOWED for others. The mirror lets nobody below operator.
type Extend struct {
	Approval ApprovalID
	More     time.Duration
	By       Actor
}

// Configure changes settings between runs (SESSION_BUSY during one): what is nil or zero stays.
// A connection that cannot be used changes nothing (MODEL_NOT_CONFIGURED and what Config.Models says).
// The rules replace those of an earlier Configure and can only tighten (NOT_ALLOWED).
type Configure struct {
	Connection     *Connection // the model to speak to from now on; see Config.Models
	Budget         *Budget
	Policy         []Rule
	ApprovalExpiry time.Duration // whole seconds, at most 60 minutes
	By             Actor
}

// Compact has the model summarise the older messages now, between runs (SESSION_BUSY). What comes of
// it is told by compaction events; Cancel ends it.
type Compact struct{ By Actor }

// Attach takes a picture into the session's draft, which all of its screens share: it goes with the
// next message that names it. Do returns when it has been read, checked and kept, or refused
// (the IMAGE codes, told by attachment.rejected as well; READ_FAILED, WRITE_FAILED, RUN_CANCELLED when
// ctx ends). Body is read on the caller's goroutine; whoever owns it unblocks it.
type Attach struct {
	Name string // the file's name, a label only
	MIME string // as the sender declares it; "" for not at all
	Body io.Reader
	By   Actor
}

// Detach takes a picture out of the draft and removes its file (REF_NOT_FOUND, NOT_ALLOWED when it has
// been sent).
type Detach struct {
	Attachment string
	By         Actor
}

// Device tells who was let in or out at the mirror, as a mirror.device event. What is paired, refused,
// promoted (it may decide from now on), changed (it has another role) or revoked.
type Device struct {
	ID   string // of the device; at most 64 characters
	Name string // a label: one line, at most 24 characters
	Role string
	What string
	By   Actor
}

// Rename gives the session another title: one line, at most 120 characters.
type Rename struct {
	Title string
	By    Actor
}

func (Send) command()      {}
func (FollowUp) command()  {}
func (Steer) command()     {}
func (Withdraw) command()  {}
func (Cancel) command()    {}
func (Decide) command()    {}
func (Extend) command()    {}
func (Rename) command()    {}
func (Configure) command() {}
func (Compact) command()   {}
func (Attach) command()    {}
func (Detach) command()    {}
func (Device) command()    {}

// Receipt says what became of an accepted command.
type Receipt struct {
	Seq     Seq       // the event it led to
	Run     RunID     // of Send, FollowUp and Steer
	Message MessageID // likewise
	// Attachment is the id of what was attached or detached.
	Attachment string
	// AlreadyResolved: the same decision had been made before, by the one Resolution names.
	AlreadyResolved bool
	Resolution      *ApprovalResolved // of Decide
}

const (
	maxMessage = 256 << 10 // bytes of one user message
	maxReason  = 500       // runes of a denial's reason
	maxTitle   = 120       // runes of a title
	maxDevice  = 24        // runes of a device's name
)
