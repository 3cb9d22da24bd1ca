package mirror

import (
	"context"
	"slices"
	"strings"
	"time"

	"agentstudio/engine"
)

const (
	decisionLife = 15 * time.Second // from the press to its arrival
	clockAhead   = 5 * time.Second  // by how much a press may seem to come from the future
	heldFor      = 3 * time.Second
)

// decide answers an approval, once it was pressed lately by somebody who saw what is asked.
func (m *Mirror) decide(ctx context.Context, d *device, from *seat, o order) result {
	now := m.now()
	switch {
	case o.Approve == nil || o.Approval == "" || o.Digest == "":
		return failure(o.ID, engine.Errorf(engine.RequestMalformed, "a decision has approvalId, digest, approve and pressedAt"))
	case o.PressedAt.IsZero() || now.Sub(o.PressedAt) > decisionLife || o.PressedAt.Sub(now) > clockAhead:
		return failure(o.ID, engine.Errorf(engine.DecisionStale, "the decision was pressed more than %d seconds ago; look again and press again", int(decisionLife.Seconds())))
	case !d.decisions.AllowN(now, 1):
		return failure(o.ID, engine.Errorf(engine.RateLimited, "more than the %d decisions a minute that a device may make", m.o.Limits.Decisions))
	}
	if m.holds(from, o) && !m.hold(d, o) {
		return failure(o.ID, engine.Errorf(engine.DecisionStopped, "somebody at the terminal stopped the approval before it counted"))
	}
	if role, _, revoked := m.standing(d); revoked || !role.may(decide) { // it may have changed while it was held
		return failure(o.ID, refuseRole(role))
	}
	r, err := m.current().Do(ctx, engine.Decide{Approval: o.Approval, Digest: strings.ToLower(o.Digest), Approve: *o.Approve, Reason: o.Reason, By: m.actor(d)})
	return outcome(o.ID, r, err)
}

// holds tells whether a decision waits at the terminal before it counts: to approve over a network
// on which anybody could have made it up. To deny counts at once.
func (m *Mirror) holds(from *seat, o order) bool {
	return o.Type == "decide" && o.Approve != nil && *o.Approve && from.plain()
}

// held is an approval that does not count yet.
type held struct {
	device   *device
	approval engine.ApprovalID
	digest   string
	until    time.Time
	over     chan bool // of one: true when it counts
	disarm   func() bool
}

// stop keeps it from counting. It may be called more than once, with the Mirror's mu held or not.
func (h *held) stop() { h.settle(false) }

func (h *held) settle(counts bool) {
	h.disarm()
	select {
	case h.over <- counts:
	default:
	}
}

// hold shows an approval at the terminal for three seconds; false when it was stopped there.
func (m *Mirror) hold(d *device, o order) bool {
	h := &held{device: d, approval: o.Approval, digest: o.Digest, over: make(chan bool, 1)}
	m.mu.Lock()
	h.until = m.now().Add(heldFor)
	h.disarm = m.o.Clock.AfterFunc(heldFor, func() {
		select {
		case h.over <- true:
		default:
		}
	})
	m.held = append(m.held, h)
	m.mu.Unlock()
	m.o.Changed()
	var counts bool
	select {
	case counts = <-h.over:
	case <-m.ctx.Done():
		h.disarm()
	}
	m.mu.Lock()
	m.held = slices.DeleteFunc(m.held, func(x *held) bool { return x == h })
	m.mu.Unlock()
	m.o.Changed()
	return counts
}
