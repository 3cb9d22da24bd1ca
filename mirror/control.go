package mirror

import (
	"crypto/subtle"
	"net"
	"slices"
	"strings"
	"time"

	"agentstudio/engine"
)

// State is what the terminal shows of the mirror. It is the caller's.
type State struct {
	// Addresses are where the page is, the best for a phone first.
	Addresses []string
	Share     Share
	Clients   int // connected
	// Class is the code for viewers, "" when nobody may join by it.
	Class string
	// Approver is the code for one approver, "" when none is shown, and until when it is good.
	Approver string
	Until    time.Time
	// Asking is who has used the approver code and shows digits that are to be typed here; nil for nobody.
	Asking  *Asking
	Devices []Device
	// Held is the approval that counts at its time unless StopHeld comes first; there is one at a time.
	Held []Held
	// Insecure tells that approvals over plain http are admitted, which wants a permanent warning.
	Insecure bool
}

// Asking is a device that wants to become an approver.
type Asking struct {
	Name    string
	Address string // "" behind a proxy
	Until   time.Time
}

// Device is somebody who was let in.
type Device struct {
	ID      string
	Name    string
	Role    Role
	Address string // "" behind a proxy
	Via     string // class, approver or file
	Online  bool
	Paired  time.Time
	Seen    time.Time
}

// Held is an approval by a device on a network that others can write to.
type Held struct {
	Device   string // its id
	Name     string
	Approval engine.ApprovalID
	Digest   string
	Until    time.Time
}

// State is all that the terminal shows, as of now. Options.Changed tells when to ask again.
func (m *Mirror) State() State {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := State{Addresses: slices.Clone(m.addresses), Share: m.share, Clients: len(m.feeds), Class: m.pairing.class, Insecure: m.o.Insecure}
	if m.pairing.approver != "" && m.now().Before(m.pairing.expires) {
		s.Approver, s.Until = m.pairing.approver, m.pairing.expires
	}
	if j := m.pairing.request; j != nil {
		s.Asking = &Asking{j.device.name, j.addr, j.expires}
	}
	for _, d := range m.devices {
		s.Devices = append(s.Devices, Device{d.id, d.name, d.role, d.addr, string(d.via), m.connected(d), d.paired, d.seen})
	}
	slices.SortFunc(s.Devices, func(a, b Device) int {
		if c := a.Paired.Compare(b.Paired); c != 0 {
			return c
		}
		return strings.Compare(a.ID, b.ID)
	})
	for _, h := range m.held {
		if h.until.IsZero() {
			continue // its turn has not come
		}
		s.Held = append(s.Held, Held{h.device.id, h.device.name, h.approval, h.digest, h.until})
	}
	return s
}

// addresses are those of proxies first, then of the network, then this machine's own.
func (d door) addresses() (all []string) {
	rank := func(a authority) int {
		switch {
		case a.proxied:
			return 0
		case a.host == "localhost":
			return 3
		case net.ParseIP(a.host).IsLoopback():
			return 2
		}
		return 1
	}
	list := slices.Clone(d.list)
	slices.SortStableFunc(list, func(a, b authority) int { return rank(a) - rank(b) })
	for _, a := range list {
		all = append(all, a.address())
	}
	return all
}

func (a authority) address() string {
	whole := net.JoinHostPort(a.host, a.port)
	if a.port == defaultOf(a.scheme) {
		whole = strings.TrimSuffix(whole, ":"+a.port)
	}
	return a.scheme + "://" + whole
}

// Link is an address with a code in its fragment, for a QR code: fragments are sent to nobody.
func Link(address, code string) string { return address + "/#p=" + code }

// ShowClassCode lets viewers in by a new code, until HideClassCode.
func (m *Mirror) ShowClassCode() string {
	m.mu.Lock()
	m.pairing.class = newCode()
	c := m.pairing.class
	m.mu.Unlock()
	m.o.Changed()
	return c
}

// HideClassCode ends joining by the class code. Who has joined stays.
func (m *Mirror) HideClassCode() {
	m.mu.Lock()
	m.pairing.class = ""
	m.mu.Unlock()
	m.o.Changed()
}

// ShowApproverCode makes a code for one approver, good for two minutes and one use; one shown before
// is good no more. PAIRING_BUSY while a device asks.
func (m *Mirror) ShowApproverCode() (code string, until time.Time, err error) {
	m.mu.Lock()
	defer m.o.Changed()
	defer m.mu.Unlock()
	if m.pairing.request != nil {
		return "", time.Time{}, engine.Errorf(engine.PairingBusy, "a device is being let in; type its digits or refuse it first")
	}
	m.pairing.approver, m.pairing.expires = newCode(), m.now().Add(codeLife)
	return m.pairing.approver, m.pairing.expires, nil
}

// Confirm lets the asking device in if these are the digits it shows (PAIRING_REFUSED if not, which
// ends the request; PAIRING_EXPIRED if nobody asks).
func (m *Mirror) Confirm(digits string) error {
	m.mu.Lock()
	j := m.pairing.request
	m.mu.Unlock()
	if j == nil {
		return engine.Errorf(engine.PairingExpired, "no device asks to be let in")
	}
	by := m.o.By
	if subtle.ConstantTimeCompare([]byte(strings.TrimSpace(digits)), []byte(j.digits)) != 1 {
		err := engine.Errorf(engine.PairingRefused, "these are not the digits that the device shows; it has to ask again with a new code")
		m.settle(j, engine.Errorf(engine.PairingRefused, "other digits were typed at the terminal; ask there for a new code and join again"), by)
		return err
	}
	m.settle(j, nil, by)
	return nil
}

// Refuse ends the request of the asking device, if there is one.
func (m *Mirror) Refuse() {
	m.mu.Lock()
	j := m.pairing.request
	m.mu.Unlock()
	if j != nil {
		m.settle(j, engine.Errorf(engine.PairingRefused, "the terminal refused the device"), m.o.By)
	}
}

// Revoke ends a device's token and closes its connections (DEVICE_UNKNOWN).
func (m *Mirror) Revoke(id string) error {
	d := m.byID(id)
	if d == nil {
		return engine.Errorf(engine.DeviceUnknown, "no device has the id %q; the list of devices has them", inline(id))
	}
	m.revoke(d, m.o.By)
	return nil
}

// SetRole gives a device another role (DEVICE_UNKNOWN, INVALID_COMMAND; MIRROR_NEEDS_TLS for one that
// only watches because its connection can be read by others).
func (m *Mirror) SetRole(id string, r Role) error {
	if !r.valid() {
		return engine.Errorf(engine.InvalidCommand, "a role is viewer, approver, presenter or operator, not %q", string(r))
	}
	d := m.byID(id)
	if d == nil {
		return engine.Errorf(engine.DeviceUnknown, "no device has the id %q; the list of devices has them", inline(id))
	}
	m.mu.Lock()
	if r.needsTLS() && !m.o.Insecure && d.scheme == "http" && d.addr != "" && !net.ParseIP(d.addr).IsLoopback() {
		m.mu.Unlock()
		return engine.Errorf(engine.MirrorNeedsTLS, "%s is connected over plain http, on which devices can only watch; start with --mirror-tls self", d.name)
	}
	was := d.role
	d.role = r
	m.noteFile(d)
	m.lobby.version++
	m.mu.Unlock()
	if was == r {
		return nil
	}
	what := "changed"
	if r.may(decide) && !was.may(decide) {
		what = "promoted"
	}
	m.tell(d, what, m.o.By)
	m.ring()
	return nil
}

// SetShare changes what viewers are shown, from now on and of what has been (INVALID_COMMAND).
func (m *Mirror) SetShare(s Share) error {
	if !s.valid() {
		return engine.Errorf(engine.InvalidCommand, "a share is none, names or all, not %q", string(s))
	}
	m.mu.Lock()
	m.share = s
	m.mu.Unlock()
	m.ring()
	return nil
}

// StopHeld keeps a held approval from counting. It tells whether there was one.
func (m *Mirror) StopHeld(a engine.ApprovalID) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	there := false
	for _, h := range m.held {
		if h.approval == a {
			h.stop()
			there = true
		}
	}
	return there
}

func (m *Mirror) byID(id string) *device {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, d := range m.devices {
		if d.id == id {
			return d
		}
	}
	return nil
}
