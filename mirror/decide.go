package mirror

import (
	"context"
	"strings"
	"time"

	"agentstudio/engine"
)

const (
	decisionLife = 15 * time.Second // from the press to its arrival
	clockAhead   = 5 * time.Second  // by how much a press may seem to come from the future
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
	c := engine.Decide{Approval: o.Approval, Digest: strings.ToLower(o.Digest), Approve: *o.Approve, Reason: o.Reason, By: m.actor(d)}
	if m.holds(from, o) {
		return m.decideHeld(ctx, d, o.ID, c)
	}
	return m.resolve(ctx, d, o.ID, c)
}

// resolve has a decision count, if its device may still decide.
func (m *Mirror) resolve(ctx context.Context, d *device, id string, c engine.Decide) result {
	if err := m.allowed(d, decide); err != nil {
		return failure(id, err)
	}
	r, err := m.current().Do(ctx, c)
	return outcome(id, r, err)
}

// holds tells whether a decision waits at the terminal before it counts: to approve over a network
// on which anybody could have made it up. To deny counts at once.
func (m *Mirror) holds(from *seat, o order) bool {
	return o.Type == "decide" && o.Approve != nil && *o.Approve && from.plain()
}
