package mirror

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"agentstudio/engine"
)

const (
	idleExpiry = 12 * time.Hour
	sweepEvery = 10 * time.Minute
	nameLength = 24 // runes
)

// via is how a device was let in.
type via string

const (
	viaClass    via = "class"
	viaApprover via = "approver"
	viaFile     via = "file"
)

// device is somebody who was let in. Its fields are the Mirror's, under its mutex, but for the
// limiters and answers, which have their own.
type device struct {
	id      string
	name    string
	role    Role
	via     via
	addr    string
	scheme  string // http or https; "" until a token of the file is first used
	paired  time.Time
	seen    time.Time
	revoked bool

	snapshots *rate.Limiter
	catchups  *rate.Limiter
	decisions *rate.Limiter
	frames    *rate.Limiter
	connects  *rate.Limiter
	answers   answers
	uploads   atomic.Int32 // under way
}

// sum is how a token or code is kept.
func sum(secret string) [32]byte { return sha256.Sum256([]byte(secret)) }

// random is n random bytes in base64url.
func random(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // it never fails; the program ends if the system has no randomness
	return base64.RawURLEncoding.EncodeToString(b)
}

// perMinute is a limiter of so many a minute, all of which may come at once.
func perMinute(n int) *rate.Limiter { return rate.NewLimiter(rate.Limit(float64(n)/60), n) }

// newDevice is called before the mirror serves, or with mu held.
func (m *Mirror) newDevice(name string, role Role, how via) *device {
	l := m.o.Limits
	now := m.now()
	return &device{id: "dev_" + random(9), name: m.unique(name), role: role, via: how, paired: now, seen: now,
		snapshots: perMinute(l.Snapshots), catchups: perMinute(l.Catchups), decisions: perMinute(l.Decisions),
		frames:   rate.NewLimiter(rate.Limit(l.Frames), 2*l.Frames),
		connects: rate.NewLimiter(rate.Limit(float64(l.Connects)/60), max(l.Connects/3, 1))}
}

// unique is a device's name cleaned and unlike all others, whatever the case, that of the device which
// asks to be let in included.
func (m *Mirror) unique(name string) string {
	name = engine.Label(inline(name), nameLength)
	if name == "" {
		name = "device"
	}
	taken := func(s string) bool {
		for _, d := range m.devices {
			if strings.EqualFold(d.name, s) && !d.revoked {
				return true
			}
		}
		asks := m.pairing.request != nil && strings.EqualFold(m.pairing.request.device.name, s)
		return asks || strings.EqualFold(s, m.o.By.Name)
	}
	for n, base := 2, name; taken(name); n++ {
		end := " " + strconv.Itoa(n)
		name = engine.Label(base, nameLength-len(end)) + end
	}
	return name
}

// admit lets a device in and gives its token, which is not kept.
func (m *Mirror) admit(d *device, from *seat, addr string) (token string) {
	token = random(32)
	d.name = m.unique(d.name)
	d.addr, d.scheme = addr, from.scheme()
	m.devices[sum(token)] = d
	return token
}

// scheme is what the browser calls the connection.
func (s *seat) scheme() string {
	if s.tls {
		return "https"
	}
	return "http"
}

// plain tells whether others on the network can read and change what is sent.
func (s *seat) plain() bool { return !s.tls && !s.loopback }

// known finds the device of a token seen on a connection, and marks it as seen. A token belongs to
// the scheme it was paired on; one that could do more than watch, once it was seen by the whole
// network, is nobody's any more.
func (m *Mirror) known(token string, from *seat, addr string) *device {
	if token == "" {
		return nil
	}
	m.mu.Lock()
	d := m.devices[sum(token)] // by hash: finding it takes no time that depends on the token
	now := m.now()
	switch {
	case d == nil || d.revoked:
		m.mu.Unlock()
		return nil
	case d.role.needsTLS() && from.plain() && !m.o.Insecure:
		m.mu.Unlock()
		m.revoke(d, engine.Actor{Screen: "policy", Name: "mirror"})
		return nil
	case d.scheme != "" && d.scheme != from.scheme():
		m.mu.Unlock()
		return nil
	case m.idle(d, now):
		m.mu.Unlock()
		m.revoke(d, engine.Actor{Screen: "policy", Name: "expiry"})
		return nil
	}
	d.seen, d.addr, d.scheme = now, addr, from.scheme()
	m.mu.Unlock()
	return d
}

// idle tells whether a device has not been used for so long that its token is good no more. It is
// called with mu held.
func (m *Mirror) idle(d *device, now time.Time) bool {
	return d.via != viaFile && now.Sub(d.seen) > idleExpiry && !m.connected(d)
}

// sweep lets go of devices that have long been idle, now and every so often until the mirror ends.
func (m *Mirror) sweep() {
	if !m.busy() {
		return
	}
	defer m.work.Done()
	m.mu.Lock()
	var gone []*device
	for _, d := range m.devices {
		if m.idle(d, m.now()) {
			gone = append(gone, d)
		}
	}
	if !m.ended {
		m.unsweep = m.o.Clock.AfterFunc(sweepEvery, m.sweep)
	}
	m.mu.Unlock()
	for _, d := range gone {
		m.revoke(d, engine.Actor{Screen: "policy", Name: "expiry"})
	}
}

// connected is called with mu held.
func (m *Mirror) connected(d *device) bool {
	return slices.ContainsFunc(m.feeds, func(f *feed) bool { return f.device == d })
}

// revoke ends a device's token and its connections.
func (m *Mirror) revoke(d *device, by engine.Actor) {
	m.mu.Lock()
	if d.revoked {
		m.mu.Unlock()
		return
	}
	d.revoked = true
	m.noteFile(d)
	for key, other := range m.devices {
		if other == d {
			delete(m.devices, key)
		}
	}
	var open []*feed
	for _, f := range m.feeds {
		if f.device == d {
			open = append(open, f)
		}
	}
	for _, h := range m.held {
		if h.device == d {
			h.stop()
		}
	}
	m.mu.Unlock()
	for _, f := range open {
		f.end(closeRevoked)
	}
	m.tell(d, "revoked", by)
	m.ring()
}

// tell writes into the log who was let in or out. A session that takes no commands is told nothing.
func (m *Mirror) tell(d *device, what string, by engine.Actor) {
	_, err := m.current().Do(context.WithoutCancel(m.ctx), engine.Device{ID: d.id, Name: d.name, Role: string(d.role), What: what, By: by})
	if c := engine.CodeOf(err); err != nil && c != engine.SessionReadOnly && c != engine.SessionClosedCode {
		m.o.Log("mirror: device not noted: " + string(c))
	}
}

// actor is the device in events.
func (m *Mirror) actor(d *device) engine.Actor {
	return engine.Actor{Screen: "mirror", Device: d.id, Name: d.name}
}

// allowed refuses what a device may not do now: NOT_ALLOWED, or TOKEN_INVALID once it was let out. The
// door has looked before, but a body may be long in coming, and a decision long held.
func (m *Mirror) allowed(d *device, need act) error {
	role, _, revoked := m.standing(d)
	switch {
	case revoked:
		return engine.Errorf(engine.TokenInvalid, "the device was let out meanwhile; pair it again")
	case !role.may(need):
		return refuseRole(role)
	}
	return nil
}

// standing is what a device may do and see now.
func (m *Mirror) standing(d *device) (role Role, share Share, revoked bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return d.role, m.shareOf(d.role), d.revoked
}

// shareOf is called with mu held.
func (m *Mirror) shareOf(r Role) Share {
	if r == Viewer {
		return m.share
	}
	return ShareAll
}
