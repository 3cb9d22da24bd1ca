package main

import (
	"cmp"
	"context"
	"iter"
	"sync"

	"agentstudio/engine"
	"agentstudio/mirror"
	"agentstudio/tui"
)

// remote is the web mirror as the studio's screen has it. Its methods may be called from any goroutine.
type remote struct {
	options func() (mirror.Options, error) // read when the mirror is first switched on
	shown   func() *engine.Session         // nil while none is open

	switching sync.Mutex // held while it is switched on or off

	mu      sync.Mutex      // of what follows; nothing is called with it held
	mirror  *mirror.Mirror  // nil while it is off
	serving *engine.Session // that it serves
	code    string          // the newest
	changed chan struct{}   // closed at the next change
	closed  bool            // the studio is closing
	decided mirror.Decided  // at the terminal, which outlives switching off
}

var _ tui.Mirror = (*remote)(nil)

// Follow implements tui.Mirror.
func (r *remote) Follow(ctx context.Context) iter.Seq[tui.MirrorState] {
	return func(yield func(tui.MirrorState) bool) {
		for ctx.Err() == nil {
			r.mu.Lock()
			if r.changed == nil {
				r.changed = make(chan struct{})
			}
			changed := r.changed
			r.mu.Unlock()
			if !yield(r.state()) {
				return
			}
			select {
			case <-changed:
			case <-ctx.Done():
			}
		}
	}
}

// wake tells whoever follows that something has changed.
func (r *remote) wake() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.changed != nil {
		close(r.changed)
		r.changed = nil
	}
}

// on is the mirror while it is on.
func (r *remote) on() (*mirror.Mirror, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.mirror == nil {
		return nil, engine.Errorf(engine.InvalidCommand, "the mirror is off; switch it on first")
	}
	return r.mirror, nil
}

func (r *remote) state() tui.MirrorState {
	m, err := r.on()
	if err != nil {
		return tui.MirrorState{}
	}
	s := m.State()
	out := tui.MirrorState{On: true, Addresses: s.Addresses, Share: string(s.Share), Class: s.Class, Approver: s.Approver, Until: s.Until, Insecure: s.Insecure}
	if s.Asking != nil {
		out.Asking = &tui.MirrorAsking{Name: s.Asking.Name, Address: s.Asking.Address, Until: s.Asking.Until}
	}
	for _, d := range s.Devices {
		out.Devices = append(out.Devices, tui.MirrorDevice{ID: d.ID, Name: d.Name, Role: string(d.Role), Address: d.Address, Online: d.Online, Seen: d.Seen})
	}
	for _, h := range s.Held {
		out.Held = append(out.Held, tui.MirrorHeld{Name: h.Name, Approval: h.Approval, Digest: h.Digest, Until: h.Until})
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	code := r.code
	if code != s.Class && code != s.Approver { // it has been used, or its time is over
		code = cmp.Or(s.Approver, s.Class)
	}
	if code != "" && len(s.Addresses) > 0 {
		out.Link = mirror.Link(s.Addresses[0], code) // the best address for a phone
	}
	return out
}

// Start implements tui.Mirror.
func (r *remote) Start(context.Context) error {
	r.switching.Lock()
	defer r.switching.Unlock()
	session := r.shown()
	r.mu.Lock()
	closed, already := r.closed, r.mirror != nil
	r.mu.Unlock()
	switch {
	case closed:
		return engine.Errorf(engine.SessionClosedCode, "the studio is closing")
	case already:
		return nil
	case session == nil:
		return engine.Errorf(engine.InvalidCommand, "the session is still being opened")
	}
	o, err := r.options()
	if err != nil {
		return err
	}
	o.Session, o.Changed = session, r.wake
	filed(&o, r.served)
	r.mu.Lock()
	o.Decided = r.decided
	r.serving = session
	r.mu.Unlock()
	m, err := mirror.New(o)
	if err != nil {
		return err
	}
	r.mu.Lock()
	r.mirror = m
	r.mu.Unlock()
	r.wake()
	return nil
}

// Stop implements tui.Mirror.
func (r *remote) Stop() error {
	r.switching.Lock()
	defer r.switching.Unlock()
	r.mu.Lock()
	m := r.mirror
	r.mirror, r.code = nil, ""
	r.mu.Unlock()
	defer r.wake()
	if m == nil {
		return nil
	}
	err := m.Close()
	r.mu.Lock()
	r.decided = m.Decided()
	r.mu.Unlock()
	return err
}

// close ends the mirror for good.
func (r *remote) close() {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	_ = r.Stop()
}

// Show implements tui.Mirror.
func (r *remote) Show() error {
	m, err := r.on()
	if err != nil {
		return err
	}
	s := r.shown()
	r.mu.Lock()
	r.serving = s
	r.mu.Unlock()
	m.Show(s)
	return nil
}

// served is the session that the mirror shows, which need not be the one on the screen.
func (r *remote) served() *engine.Session {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.serving
}

// coded remembers the newest code.
func (r *remote) coded(code string) {
	r.mu.Lock()
	r.code = code
	r.mu.Unlock()
	r.wake()
}

// ShowClassCode implements tui.Mirror.
func (r *remote) ShowClassCode() error {
	m, err := r.on()
	if err == nil {
		r.coded(m.ShowClassCode())
	}
	return err
}

// HideClassCode implements tui.Mirror.
func (r *remote) HideClassCode() error {
	m, err := r.on()
	if err == nil {
		m.HideClassCode()
	}
	return err
}

// ShowApproverCode implements tui.Mirror.
func (r *remote) ShowApproverCode() error {
	m, err := r.on()
	if err != nil {
		return err
	}
	code, _, err := m.ShowApproverCode()
	if err == nil {
		r.coded(code)
	}
	return err
}

// Confirm implements tui.Mirror.
func (r *remote) Confirm(digits string) error {
	return r.with(func(m *mirror.Mirror) error { return m.Confirm(digits) })
}

// Refuse implements tui.Mirror.
func (r *remote) Refuse() error {
	return r.with(func(m *mirror.Mirror) error { m.Refuse(); return nil })
}

// Revoke implements tui.Mirror.
func (r *remote) Revoke(device string) error {
	return r.with(func(m *mirror.Mirror) error { return m.Revoke(device) })
}

// SetRole implements tui.Mirror.
func (r *remote) SetRole(device, role string) error {
	return r.with(func(m *mirror.Mirror) error { return m.SetRole(device, mirror.Role(role)) })
}

// SetShare implements tui.Mirror.
func (r *remote) SetShare(level string) error {
	return r.with(func(m *mirror.Mirror) error { return m.SetShare(mirror.Share(level)) })
}

// StopHeld implements tui.Mirror.
func (r *remote) StopHeld(a engine.ApprovalID) error {
	return r.with(func(m *mirror.Mirror) error { m.StopHeld(a); return nil })
}

func (r *remote) with(do func(*mirror.Mirror) error) error {
	m, err := r.on()
	if err != nil {
		return err
	}
	return do(m)
}
