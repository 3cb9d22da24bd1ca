package engine

import (
	"context"
	"sync"
	"time"
)

// ApprovalStatus is how an approval ended.
type ApprovalStatus string

// An approval ends in exactly one of these. Expired is not denied.
const (
	Approved  ApprovalStatus = "approved"
	Denied    ApprovalStatus = "denied"
	Expired   ApprovalStatus = "expired"
	Cancelled ApprovalStatus = "cancelled"
)

// broker holds the questions that wait for a person. Deciding, expiring and cancelling all pass
// resolve, which under one lock checks the state, makes the resolution durable and wakes the run.
type broker struct {
	log   *log
	clock Clock

	mu   sync.Mutex
	open map[ApprovalID]*question
}

type question struct {
	id      ApprovalID
	digest  string
	ctx     context.Context // of its run
	run     RunID
	seq     Seq // of its approval.required
	asked   time.Time
	expires time.Time
	stop    func() bool  // the expiry timer
	answer  chan outcome // buffered; one send
}

type outcome struct {
	resolved ApprovalResolved
	err      error
}

func newBroker(l *log, c Clock) *broker {
	return &broker{log: l, clock: c, open: map[ApprovalID]*question{}}
}

// ask announces the question and waits until it is answered, expires, or ctx ends.
func (b *broker) ask(ctx context.Context, run RunID, cause Seq, p ApprovalRequired, expiry time.Duration) (ApprovalResolved, error) {
	q, err := b.announce(ctx, run, cause, p, expiry)
	if err != nil {
		return ApprovalResolved{}, err
	}
	select {
	case a := <-q.answer:
		return a.resolved, a.err
	case <-ctx.Done():
	}
	_, err = b.resolve(q.id, q.digest, Cancelled, cancelActor(ctx), "", 0)
	a := <-q.answer // resolve has sent one, here or for whoever was faster
	if a.err != nil {
		err = a.err
	}
	if CodeOf(err) == ApprovalAlreadyResolved {
		err = nil
	}
	return a.resolved, err
}

func (b *broker) announce(ctx context.Context, run RunID, cause Seq, p ApprovalRequired, expiry time.Duration) (*question, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.clock.Now()
	p.ExpiresAt = Instant{now.Add(expiry)}
	q := &question{id: p.Approval, digest: p.Digest, ctx: ctx, run: run, asked: now, expires: p.ExpiresAt.Time, answer: make(chan outcome, 1)}
	b.arm(q, expiry) // before it is shown, so that whoever sees it sees it with its timer running
	events, err := b.log.append(entry{run, cause, p})
	if err != nil {
		q.stop()
		return nil, err
	}
	q.seq = events[0].Seq
	b.open[q.id] = q // nobody can have decided yet: mu is held
	return q, nil
}

// arm starts the expiry timer. The timer asks again for the time when it fires, since the expiry
// may have been moved meanwhile.
func (b *broker) arm(q *question, after time.Duration) {
	expires := q.expires
	q.stop = b.clock.AfterFunc(after, func() { b.expire(q.id, expires) })
}

func (b *broker) expire(id ApprovalID, expires time.Time) {
	b.mu.Lock()
	q, ok := b.open[id]
	moved := ok && !q.expires.Equal(expires)
	b.mu.Unlock()
	if ok && !moved {
		_, _ = b.resolve(id, q.digest, Expired, expiryActor(), "", expires.UnixNano())
	}
}

// resolve is the one way to end an approval. ifExpires, unless 0, is the expiry the caller acts
// on: an extension in between wins.
func (b *broker) resolve(id ApprovalID, digest string, status ApprovalStatus, by Actor, reason string, ifExpires int64) (Receipt, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	q, r, err := b.pending(id, digest, status)
	if q == nil {
		return r, err
	}
	if ifExpires != 0 && q.expires.UnixNano() != ifExpires {
		return Receipt{}, nil
	}
	return b.finish(q, status, by, reason)
}

// try tells what a decision would come to now: an empty receipt while the question is open.
func (b *broker) try(id ApprovalID, digest string, status ApprovalStatus) (Receipt, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	_, r, err := b.pending(id, digest, status)
	return r, err
}

// pending is the question that is still to be resolved, else nil and what it has come to. A decision
// that comes too late ends it as it should have ended. Called with mu held.
func (b *broker) pending(id ApprovalID, digest string, status ApprovalStatus) (*question, Receipt, error) {
	q, ok := b.open[id]
	switch {
	case !ok:
		r, err := b.settled(id, status)
		return nil, r, err
	case digest != q.digest:
		return nil, Receipt{}, mismatch(digest, q.digest)
	case status != Approved && status != Denied:
		return q, Receipt{}, nil
	}
	how, who, late := b.late(q)
	if !late {
		return q, Receipt{}, nil
	}
	if _, err := b.finish(q, how, who, ""); err != nil {
		return nil, Receipt{}, err
	}
	r, err := b.settled(id, status)
	return nil, r, err
}

// mismatch says why a decision's digest is not the one that is asked about.
func mismatch(got, want string) error {
	if len(got) < len(want) && got == want[:len(got)] {
		return Errorf(ApprovalMismatch, "the decision names the first %d digits of the digest; it has to name all %d, so that nothing else can have been meant", len(got), len(want))
	}
	return Errorf(ApprovalMismatch, "the decision names digest %.10q, but what is asked about has %q; look again and decide on what is shown now", short(got), short(want))
}

// late tells how a question has ended before a decision that arrives now: with its run, though that
// may not have heard yet that it is cancelled, or at its expiry, even if the timer is slow to say so.
func (b *broker) late(q *question) (ApprovalStatus, Actor, bool) {
	switch {
	case q.ctx.Err() != nil:
		return Cancelled, cancelActor(q.ctx), true
	case !b.clock.Stepped() && !b.clock.Now().Before(q.expires):
		return Expired, expiryActor(), true
	}
	return "", Actor{}, false
}

func (b *broker) finish(q *question, status ApprovalStatus, by Actor, reason string) (Receipt, error) {
	q.stop()
	res := ApprovalResolved{Approval: q.id, Status: status, By: by, Reason: reason,
		WaitedMS: max(b.clock.Now().Sub(q.asked).Milliseconds(), 0)}
	events, err := b.log.append(entry{q.run, q.seq, res})
	delete(b.open, q.id)
	q.answer <- outcome{res, err}
	if err != nil {
		return Receipt{}, err
	}
	return Receipt{Seq: events[0].Seq, Run: q.run, Resolution: &res}, nil
}

// settled answers a decision on an approval that is not open.
func (b *broker) settled(id ApprovalID, status ApprovalStatus) (Receipt, error) {
	var was ApprovalResolved
	var ok bool
	b.log.read(func(f *fold) { was, ok = f.resolved[id] })
	if !ok {
		return Receipt{}, Errorf(ApprovalNotFound, "no open approval has the id %s", id)
	}
	if was.Status == status {
		return Receipt{AlreadyResolved: true, Resolution: &was}, nil
	}
	code := ApprovalAlreadyResolved
	msg := "already decided: " + string(was.Status) + " by " + was.By.Name + " (" + was.By.Screen + ")"
	switch was.Status {
	case Expired:
		code, msg = ApprovalExpired, "the approval expired before this decision arrived; nothing was run"
	case Cancelled:
		code, msg = ApprovalCancelled, "the run was cancelled before this decision arrived; nothing was run"
	}
	return Receipt{Resolution: &was}, Errorf(code, "%s", msg).
		With("status", string(was.Status)).With("by", was.By.Name).With("screen", was.By.Screen)
}

// extend moves an open approval's expiry.
func (b *broker) extend(id ApprovalID, more time.Duration, by Actor) (Receipt, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	q, ok := b.open[id]
	if !ok {
		return b.settled(id, "")
	}
	now := b.clock.Now()
	expires := q.expires.Add(more)
	if latest := now.Add(maxExpiry); expires.After(latest) {
		expires = latest
	}
	events, err := b.log.append(entry{q.run, q.seq, ApprovalExtended{Approval: id, ExpiresAt: Instant{expires}, By: by}})
	if err != nil {
		return Receipt{}, err
	}
	q.stop()
	q.expires = expires
	b.arm(q, expires.Sub(now))
	return Receipt{Seq: events[0].Seq, Run: q.run}, nil
}

func expiryActor() Actor { return Actor{Screen: "policy", Name: "expiry"} }

func short(digest string) string { return digest[:min(8, len(digest))] }
