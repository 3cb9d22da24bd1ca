package tui

import (
	"context"
	"iter"
	"time"

	tea "charm.land/bubbletea/v2"

	"agentstudio/engine"
)

// Mirror is the web mirror as the terminal has it. Its methods are called on goroutines of their own,
// with nothing of the screen held.
type Mirror interface {
	// Follow gives how things are now, and again after each change, until ctx ends. Changes in between
	// may be left out.
	Follow(ctx context.Context) iter.Seq[MirrorState]
	// Start switches the mirror on for the session that is shown.
	Start(ctx context.Context) error
	// Stop ends every connection; who was let in has to be let in again.
	Stop() error
	// Show serves the session that the terminal shows now, in the place of the one before.
	Show() error
	// ShowClassCode lets viewers in by a new code until HideClassCode; who is in stays.
	ShowClassCode() error
	HideClassCode() error
	// ShowApproverCode makes a code for one approver, good for one use and a short time.
	ShowApproverCode() error
	// Confirm lets in who asks, if these are the digits that their device shows; a wrong try ends the request.
	Confirm(digits string) error
	// Refuse ends the request of who asks.
	Refuse() error
	// Revoke ends what a device was given, and closes its connections.
	Revoke(device string) error
	// SetRole gives a device another role: viewer, approver, presenter or operator.
	SetRole(device, role string) error
	// SetShare says what viewers see: none, names or all.
	SetShare(level string) error
	// StopHeld keeps a held approval from counting; there may be none any more.
	StopHeld(a engine.ApprovalID) error
}

// MirrorState is what there is to see of the mirror.
type MirrorState struct {
	On        bool
	Addresses []string // of the page, the best for a phone first
	Share     string   // none, names, all
	Class     string   // code for viewers, "" for none
	Approver  string   // code for one approver, "" for none
	Until     time.Time
	Link      string        // address of the code that was made last, for a QR code; "" for none
	Asking    *MirrorAsking // who has used the approver code and shows digits; nil for nobody
	Devices   []MirrorDevice
	Held      []MirrorHeld // approvals that count at their time unless they are stopped
	Insecure  bool         // approvals by plain http are admitted
}

// MirrorAsking is a device that wants to become an approver.
type MirrorAsking struct {
	Name, Address string
	Until         time.Time
}

// MirrorDevice is somebody who was let in.
type MirrorDevice struct {
	ID, Name, Role, Address string
	Online                  bool
	Seen                    time.Time
}

// MirrorHeld is an approval by a device on a network that others can write to.
type MirrorHeld struct {
	Name     string
	Approval engine.ApprovalID
	Digest   string
	Until    time.Time
}

// online is how many devices are connected.
func (s MirrorState) online() (n int) {
	for _, d := range s.Devices {
		if d.Online {
			n++
		}
	}
	return n
}

// mirrored takes news of the mirror. Who asks to be let in is told of wherever the person is.
func (m *Model) mirrored(s MirrorState) tea.Cmd {
	asked := m.mirror.Asking != nil
	m.mirror = s
	if s.Asking != nil && !asked {
		if _, open := m.top().(*mirrorList); !open {
			m.say(m.text("mirror.asks", "name", s.Asking.Name, "mirror", m.names["mirror"]))
		}
		return m.call()
	}
	return m.tick()
}

// held is the approval that will count soonest, nil for none.
func (m *Model) held() *MirrorHeld {
	if len(m.mirror.Held) == 0 {
		return nil
	}
	return &m.mirror.Held[0]
}

// openMirror shows the mirror.
func (m *Model) openMirror() tea.Cmd {
	m.cover(&mirrorList{})
	return nil
}
