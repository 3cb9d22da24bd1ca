package tui

import (
	"context"
	"iter"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"agentstudio/engine"
	"agentstudio/engine/safe"
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
	Link      string        // address of the code that was made last of those still good, for a QR code; "" for none
	Asking    *MirrorAsking // who has used the approver code and shows digits; nil for nobody
	Devices   []MirrorDevice
	Held      []MirrorHeld // the approval that counts at its time unless it is stopped; one at a time
	Insecure  bool         // approvals by plain http are admitted
}

// NearOnly tells that every address is one of this computer, so that no phone gets there.
func (s *MirrorState) NearOnly() bool {
	return !slices.ContainsFunc(s.Addresses, func(address string) bool {
		u, err := url.Parse(address)
		if err != nil {
			return true
		}
		ip, err := netip.ParseAddr(u.Hostname())
		return u.Hostname() != "localhost" && !(err == nil && ip.IsLoopback())
	})
}

// MirrorAsking is a device that wants to become an approver.
type MirrorAsking struct {
	Name, Address string
	Until         time.Time
}

// WatchOnly tells that what comes over the network comes by plain http, where devices can only watch.
func (s *MirrorState) WatchOnly() bool {
	return !s.Insecure && !s.NearOnly() && !slices.ContainsFunc(s.Addresses, func(address string) bool { return strings.HasPrefix(address, "https://") })
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
	before := m.mirror.Asking
	m.mirror = s
	if s.Asking != nil && (before == nil || *before != *s.Asking) {
		if l, open := m.top().(*mirrorList); open {
			l.code = false // a code shown large would hide who asks
			l.digits = ""  // typed for somebody else
		} else {
			m.say(m.text("lobby.told", "name", s.Asking.Name, "key", m.names["key.mirror"]))
		}
	}
	return m.tick()
}

// counting tells whether something about the mirror counts down.
func (m *Model) counting() bool {
	return len(m.mirror.Held) > 0 || m.mirror.Asking != nil || m.mirror.Approver != ""
}

// followMirror carries the mirror's state to the screen until ctx ends.
func followMirror(ctx context.Context, port Mirror, p *tea.Program) {
	for s := range port.Follow(ctx) {
		p.Send(mirrorMsg(s))
	}
}

// openMirror shows the mirror.
func (m *Model) openMirror() tea.Cmd {
	m.cover(&mirrorList{})
	return nil
}

// stopHeld keeps the approval that counts soonest from counting; false if there is none.
func (m *Model) stopHeld() (tea.Cmd, bool) {
	if m.o.Mirror == nil || len(m.mirror.Held) == 0 {
		return nil, false
	}
	port, a := m.o.Mirror, m.mirror.Held[0].Approval
	return func() tea.Msg {
		err := port.StopHeld(a)
		return later(func(m *Model) tea.Cmd {
			if err != nil {
				m.say(m.errorText(err))
			}
			return nil
		})
	}, true
}

// under is the line below the header: what of the mirror must be seen at all times, else a rule.
func (m *Model) under() string {
	t, w := m.theme, m.width+1
	rule := func(n int) string { return t.Line.of(safe.Safe(strings.Repeat(t.Horiz, max(n, 0)))) }
	text, in := safe.Safe(""), t.AmberBold
	switch s := m.mirror; {
	case len(s.Held) > 0:
		h := s.Held[0]
		text = m.label("lobby.held", "name", h.Name, "digest", short(h.Digest), "time", m.until(h.Until))
	case s.On && s.Insecure:
		text, in = m.label("lobby.insecure"), t.Pink
	default:
		return rule(w)
	}
	text = t.cut(" "+safe.Safe(t.Broken)+" "+text+" ", w-4)
	return rule(2) + in.of(text) + rule(w-2-safe.Width(text))
}

// until is the time that is left, in minutes and seconds.
func (m *Model) until(at time.Time) string {
	left := max(int((at.Sub(m.o.Now())+time.Second-1)/time.Second), 0)
	return strconv.Itoa(left/60) + ":" + strconv.Itoa(left%60/10) + strconv.Itoa(left%10)
}

// short is the beginning of a digest, as it stands on every screen.
func short(digest string) string { return digest[:min(8, len(digest))] }
