package mirror

import (
	"context"
	"slices"
	"time"

	"agentstudio/engine"
)

// heldFor is how long an approval is shown at the terminal before it counts.
const heldFor = 3 * time.Second

// held is an approval that does not count yet. They stand in a line: only the first is shown at the
// terminal and counts down, so that nothing counts that was not seen there for its whole time.
type held struct {
	device   *device
	approval engine.ApprovalID
	digest   string
	turn     chan struct{} // closed when it is the first
	until    time.Time     // zero until it is shown
	over     chan bool     // of one: true when it counts
	disarm   func() bool   // nil until it is shown
	done     chan struct{} // closed when the engine has answered, or it was stopped
}

// stop keeps it from counting. It may be called more than once, with the Mirror's mu held.
func (h *held) stop() {
	if h.disarm != nil {
		h.disarm()
	}
	h.settle(false)
}

func (h *held) settle(counts bool) {
	select {
	case h.over <- counts:
	default:
	}
}

// decideHeld has an approval wait at the terminal before it counts. What could not count is refused
// at once and never shown; a question that is held already is not held a second time: then the answer
// is what becomes of the first.
func (m *Mirror) decideHeld(ctx context.Context, d *device, id string, c engine.Decide) result {
	if r, settled := m.try(ctx, id, c); settled {
		return r
	}
	stopped := failure(id, engine.Errorf(engine.DecisionStopped, "the approval was stopped before it counted; if the question is still open, look again and press again"))
	h, mine := m.hold(d, c)
	if !mine {
		select {
		case <-h.done:
		case <-m.ctx.Done():
		}
		if r, settled := m.try(ctx, id, c); settled {
			return r
		}
		return stopped
	}
	defer m.release(h)
	select {
	case <-h.turn:
	case <-h.over:
		return stopped
	case <-m.ctx.Done():
		return stopped
	}
	if r, settled := m.try(ctx, id, c); settled { // it may have been decided while another was shown
		return r
	}
	if !m.countdown(h) {
		return stopped
	}
	return m.resolve(ctx, d, id, c)
}

// try asks the engine what a decision would come to; settled when that is not that it would count.
func (m *Mirror) try(ctx context.Context, id string, c engine.Decide) (r result, settled bool) {
	c.Trial = true
	receipt, err := m.current().Do(ctx, c)
	return outcome(id, receipt, err), err != nil || receipt.Resolution != nil
}

// hold puts an approval into the line; not mine when that question is in it already.
func (m *Mirror) hold(d *device, c engine.Decide) (h *held, mine bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, h := range m.held {
		if h.approval == c.Approval {
			return h, false
		}
	}
	h = &held{device: d, approval: c.Approval, digest: c.Digest, turn: make(chan struct{}), over: make(chan bool, 1), done: make(chan struct{})}
	m.held = append(m.held, h)
	if len(m.held) == 1 {
		close(h.turn)
	}
	return h, true
}

// countdown shows an approval at the terminal for three seconds; false when it was stopped there.
func (m *Mirror) countdown(h *held) (counts bool) {
	m.mu.Lock()
	h.until = m.now().Add(heldFor)
	h.disarm = m.o.Clock.AfterFunc(heldFor, func() { h.settle(true) })
	m.mu.Unlock()
	m.o.Changed()
	defer h.disarm()
	select {
	case counts = <-h.over:
	case <-m.ctx.Done():
	}
	return counts
}

// release takes an approval out of the line; the next one has its turn.
func (m *Mirror) release(h *held) {
	m.mu.Lock()
	first := m.held[0] == h
	m.held = slices.DeleteFunc(m.held, func(x *held) bool { return x == h })
	if first && len(m.held) > 0 {
		close(m.held[0].turn)
	}
	close(h.done)
	m.mu.Unlock()
	m.o.Changed()
}
