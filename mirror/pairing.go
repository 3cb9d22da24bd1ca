package mirror

import (
	"crypto/rand"
	"crypto/subtle"
	"math/big"
	"net/http"
	"strings"
	"time"

	"agentstudio/engine"
)

const (
	codeLife    = 2 * time.Minute
	requestLife = time.Minute
	waitAtMost  = 25 * time.Second // of one call to wait
	codeLength  = 8
	alphabet    = "0123456789ABCDEFGHJKMNPQRSTVWXYZ" // Crockford's base 32: no letter looks like another
)

// pairing is the codes that are shown now, and the one device that asks to become an approver.
type pairing struct {
	class    string // "" when off
	approver string // "" when none is shown
	expires  time.Time
	used     [32]byte // hash of the approver code redeemed last
	usedAt   time.Time
	request  *joining // open
	last     *joining // the newest, open or not
}

// joining is a device that has redeemed an approver code and shows its digits.
type joining struct {
	secret  [32]byte
	digits  string
	device  *device
	seat    *seat
	addr    string
	expires time.Time
	stop    func() bool
	done    chan struct{} // closed when token or err is set
	token   string
	err     error
}

func newCode() string {
	b := make([]byte, codeLength)
	_, _ = rand.Read(b)
	for i := range b {
		b[i] = alphabet[b[i]&31]
	}
	return string(b)
}

func newDigits() string {
	n, err := rand.Int(rand.Reader, big.NewInt(10000))
	if err != nil {
		panic(err) // as rand.Read, it never fails
	}
	s := "000" + n.String()
	return s[len(s)-4:]
}

// spelled is a code as it was meant: what people read out, with O for 0 and I or L for 1.
func spelled(code string) string {
	code = strings.ToUpper(code)
	code = strings.NewReplacer("-", "", " ", "", "O", "0", "I", "1", "L", "1").Replace(code)
	return code[:min(len(code), codeLength+1)]
}

func sameCode(a, b string) bool {
	x, y := sum(a), sum(b)
	return a != "" && b != "" && subtle.ConstantTimeCompare(x[:], y[:]) == 1
}

// pairRequest is what a device says to be let in.
type pairRequest struct {
	Code string `json:"code"`
	Name string `json:"name"`
}

// paired is what a device that was let in is told, once.
type paired struct {
	Token    string `json:"token"`
	DeviceID string `json:"deviceId"`
	Name     string `json:"name"`
	Role     Role   `json:"role"`
	Server   string `json:"server"`
}

// pending is what a device is told that has to wait for the terminal.
type pending struct {
	Request   string         `json:"request"`
	Digits    string         `json:"digits"`
	ExpiresAt engine.Instant `json:"expiresAt"`
	Now       engine.Instant `json:"now"`
}

func (m *Mirror) pair(v *visit) error {
	var q pairRequest
	if err := v.read(&q); err != nil {
		return err
	}
	if !m.guessing(v) {
		return engine.Errorf(engine.RateLimited, "too many wrong codes from this address; wait a minute")
	}
	code := spelled(q.Code)
	m.mu.Lock()
	p, now := &m.pairing, m.now()
	isClass := sameCode(code, p.class)
	isApprover := sameCode(code, p.approver) && now.Before(p.expires)
	used := sum(code)
	wasUsed := now.Sub(p.usedAt) < codeLife && subtle.ConstantTimeCompare(used[:], p.used[:]) == 1
	switch {
	case isClass:
		return m.joinClass(v, q.Name)
	case isApprover:
		return m.redeem(v, q.Name, code)
	}
	m.mu.Unlock()
	if wasUsed {
		return engine.Errorf(engine.PairingUsed, "the code has been used already; ask for a new one")
	}
	if !m.guess(&m.codes, v) {
		return engine.Errorf(engine.RateLimited, "too many wrong codes from this address; wait a minute")
	}
	return engine.Errorf(engine.PairingWrong, "no such code is shown now; read it again, or ask for a new one")
}

// joinClass lets a viewer in. It takes over mu.
func (m *Mirror) joinClass(v *visit, name string) error {
	if len(m.devices) >= mostDevices {
		m.mu.Unlock()
		return engine.Errorf(engine.MirrorFull, "as many devices are let in as the mirror keeps; revoke some at the terminal")
	}
	if !m.joins.AllowN(m.now(), 1) {
		m.mu.Unlock()
		return engine.Errorf(engine.RateLimited, "more than %d devices joined within a minute; wait a moment", joinsMost)
	}
	d := m.newDevice(name, Viewer, viaClass)
	token := m.admit(d, v.seat, v.address())
	m.mu.Unlock()
	m.tell(d, "paired", m.actor(d))
	m.ring()
	v.json(http.StatusOK, paired{token, d.id, d.name, Viewer, m.id})
	return nil
}

const (
	mostDevices = 512 // what a class code that got about can fill
	joinsMost   = 120 // a minute, by the class code
)

// redeem uses up the approver code and asks the terminal. It takes over mu.
func (m *Mirror) redeem(v *visit, name, code string) error {
	p := &m.pairing
	switch {
	case v.seat.plain() && !m.o.Insecure:
		m.mu.Unlock()
		return engine.Errorf(engine.MirrorNeedsTLS, "approving over the network needs TLS (--mirror-tls self); on this address devices can only watch")
	case p.request != nil:
		m.mu.Unlock()
		return engine.Errorf(engine.PairingBusy, "another device is being let in; try again in a minute")
	}
	now := m.now()
	p.approver, p.used, p.usedAt = "", sum(code), now
	secret := random(32)
	j := &joining{secret: sum(secret), digits: newDigits(), device: m.newDevice(name, Approver, viaApprover), seat: v.seat, addr: v.address(),
		expires: now.Add(requestLife), done: make(chan struct{})}
	p.request, p.last = j, j
	j.stop = m.o.Clock.AfterFunc(requestLife, func() {
		m.settle(j, engine.Errorf(engine.PairingExpired, "nobody typed the digits in time; ask for a new code"), engine.Actor{Screen: "policy", Name: "expiry"})
	})
	m.mu.Unlock()
	m.o.Changed()
	v.json(http.StatusAccepted, pending{secret, j.digits, engine.Instant{Time: j.expires}, engine.Instant{Time: now}})
	return nil
}

// settle ends a request: with a token if err is nil.
func (m *Mirror) settle(j *joining, err error, by engine.Actor) {
	m.mu.Lock()
	if m.pairing.request != j {
		m.mu.Unlock()
		return
	}
	m.pairing.request = nil
	j.stop()
	if j.err = err; err == nil {
		j.token = m.admit(j.device, j.seat, j.addr)
	}
	close(j.done)
	m.mu.Unlock()
	what := "paired"
	if err != nil {
		what = "refused"
	}
	m.tell(j.device, what, by)
	m.ring()
}

// wait gives a device what became of its request: again, if the answer was lost on the way, for as
// long as a request may live.
func (m *Mirror) wait(v *visit) error {
	var q struct {
		Request string `json:"request"`
	}
	if err := v.read(&q); err != nil {
		return err
	}
	secret := sum(q.Request)
	m.mu.Lock()
	j := m.pairing.last
	if j == nil || subtle.ConstantTimeCompare(secret[:], j.secret[:]) != 1 || m.now().After(j.expires.Add(requestLife)) {
		m.mu.Unlock()
		if !m.guess(&m.tokens, v) {
			return engine.Errorf(engine.RateLimited, "too many wrong tries from this address; wait a minute")
		}
		return engine.Errorf(engine.PairingExpired, "there is no such request any more; ask for a new code")
	}
	m.mu.Unlock()
	timeout := make(chan struct{})
	stop := m.o.Clock.AfterFunc(waitAtMost, func() { close(timeout) })
	defer stop()
	select {
	case <-j.done:
	case <-timeout:
		v.json(http.StatusAccepted, pending{q.Request, j.digits, engine.Instant{Time: j.expires}, engine.Instant{Time: m.now()}})
		return nil
	case <-v.r.Context().Done():
		return nil
	}
	if j.err != nil {
		return j.err
	}
	m.mu.Lock()
	answer := paired{j.token, j.device.id, j.device.name, j.device.role, m.id}
	m.mu.Unlock()
	v.json(http.StatusOK, answer)
	return nil
}
