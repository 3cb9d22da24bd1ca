package mirror

import (
	"context"
	"slices"
	"sync"
	"time"

	"agentstudio/engine"
)

// The codes with which a socket is closed, beside 1009 for a frame that is too large.
const (
	closeSlow       = 1013 // the reader did not take what was sent within the deadline
	closeMalformed  = 4400
	closeToken      = 4401
	closeRevoked    = 4403
	closeSilent     = 4408 // no token within 3 s
	closeSuperseded = 4409 // a newer socket of the same device took its place
	closeStopped    = 4410 // the mirror was switched off
	closeTooMany    = 4429
)

// rest is how long after patches the next go at the earliest: those of meanwhile go in one write. A
// hundred readers of a quick answer would else take a core in system calls.
const rest = 3 * time.Millisecond

// sink is where a feed's frames go: a socket, or a streamed answer. It is used by one goroutine.
type sink interface {
	write(frames []*frame) error // all of them, in order, within the write deadline
	ping() error
	hurry() // any goroutine
}

// feed carries the patches of a device's share level to one connection. Its run is the only one
// that writes; everything else leaves word and rings.
type feed struct {
	m      *Mirror
	device *device
	seat   *seat
	sink   sink
	bell   chan struct{} // of one: something changed around this connection

	mu     sync.Mutex
	queue  []*frame   // replies, in order
	cursor engine.Seq // where the client says it is; taken over when moved
	moved  bool
	hash   string // id of a question for the hash
	asked  bool
	closed int // code to close with; 0 while open
	cancel context.CancelFunc
}

// greeting is auth_ok: who the client is here, and what it is going to get.
type greeting struct {
	Type     string           `json:"type"`
	Role     Role             `json:"role"`
	Share    Share            `json:"share"`
	Session  engine.SessionID `json:"sessionId"`
	Sequence engine.Seq       `json:"sequence"`
	Now      engine.Instant   `json:"now"`
	Device   string           `json:"deviceId"`
	Name     string           `json:"name"`
	Server   string           `json:"server"`
	Uploads  bool             `json:"uploads"`
	ReadOnly engine.Code      `json:"readOnly,omitempty"` // why the session takes no commands
}

// hello is where a client says it stands.
type hello struct {
	after   engine.Seq
	session engine.SessionID // "" if it doesn't say
	share   Share            // likewise
}

// join puts a connection among the others, or says with which code it is to be closed. The device's
// oldest gives way when it has too many.
func (m *Mirror) join(d *device, from *seat, s sink, cancel context.CancelFunc) (f *feed, refused int) {
	f = &feed{m: m, device: d, seat: from, sink: s, bell: make(chan struct{}, 1), cancel: cancel}
	m.mu.Lock()
	var mine []*feed
	for _, other := range m.feeds {
		if other.device == d {
			mine = append(mine, other)
		}
	}
	var gives *feed
	if len(mine) >= m.o.Limits.Sockets {
		gives = mine[0]
		m.feeds = slices.DeleteFunc(m.feeds, func(x *feed) bool { return x == gives })
	}
	switch {
	case m.ended:
		refused = closeStopped
	case d.revoked:
		refused = closeRevoked
	case len(m.feeds) >= m.o.Clients, d.role == Viewer && m.watching() >= m.o.Clients-m.o.reserve():
		refused = closeTooMany
	}
	if refused != 0 {
		m.mu.Unlock()
		return nil, refused
	}
	m.feeds = append(m.feeds, f)
	m.moved()
	m.mu.Unlock()
	if gives != nil {
		gives.end(closeSuperseded)
	}
	m.o.Changed()
	return f, 0
}

// reserve is how many of the places no viewer gets, so that those who decide are never locked out by
// those who watch.
func (o *Options) reserve() int { return min(4, o.Clients/4) }

// watching is how many connections viewers have. It is called with mu held.
func (m *Mirror) watching() (n int) {
	for _, f := range m.feeds {
		if f.device.role == Viewer {
			n++
		}
	}
	return n
}

func (m *Mirror) leave(f *feed) {
	m.mu.Lock()
	m.feeds = slices.DeleteFunc(m.feeds, func(x *feed) bool { return x == f })
	f.device.seen = m.now()
	m.moved()
	m.mu.Unlock()
	m.o.Changed()
}

func (f *feed) ring() {
	select {
	case f.bell <- struct{}{}:
	default:
	}
}

// end has the connection closed with a code. It waits for nobody.
func (f *feed) end(code int) {
	f.mu.Lock()
	if f.closed == 0 {
		f.closed = code
	}
	f.mu.Unlock()
	f.ring()
	f.cancel()
	f.sink.hurry()
}

// closing is the code to close with, 0 while nobody has ended the feed.
func (f *feed) closing() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.closed
}

// reply queues a frame that is no patch. A client that asks more than it reads is ended.
func (f *feed) reply(v any) { f.answer(controlFrame(v)) }

func (f *feed) answer(a *frame) {
	const most = 256
	f.mu.Lock()
	f.queue = append(f.queue, a)
	full := len(f.queue) > most
	f.mu.Unlock()
	if full {
		f.end(closeTooMany)
	}
	f.ring()
}

// again has the feed go on from where the client says it is.
func (f *feed) again(after engine.Seq) {
	f.mu.Lock()
	f.cursor, f.moved = after, true
	f.mu.Unlock()
	f.ring()
}

// question has the hash sent as soon as everything before it was.
func (f *feed) question(id string) {
	f.mu.Lock()
	f.hash, f.asked = id, true
	f.mu.Unlock()
	f.ring()
}

// carrying is what run knows of what the client holds.
type carrying struct {
	folder *folder
	role   Role
	cursor engine.Seq
	lobby  int
}

// stands tells whether a client's role, share and session are still those it was greeted with.
func (m *Mirror) stands(d *device, c *carrying) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return d.role == c.role && m.folders[m.shareOf(d.role)] == c.folder
}

// run sends until ctx ends, the sink fails, or somebody ends the feed.
func (f *feed) run(ctx context.Context, h hello) error {
	pings := time.NewTicker(pingEvery)
	defer pings.Stop()
	c := carrying{lobby: -1}
	rested := time.NewTimer(rest)
	defer rested.Stop()
	if err := f.greet(&c, &h); err != nil {
		return err
	}
	for {
		wait, busy, err := f.step(&c)
		if err != nil {
			return err
		}
		var next <-chan time.Time
		if busy { // a reader that lags for long is pinged all the same
			rested.Reset(rest)
			wait, next = nil, rested.C
		}
		select {
		case <-wait:
		case <-next:
		case <-f.bell:
		case <-pings.C:
			if err := f.sink.ping(); err != nil {
				return err
			}
		case <-ctx.Done():
			return nil
		}
	}
}

// step sends what there is now; busy tells that there may be more already.
func (f *feed) step(c *carrying) (wait <-chan struct{}, busy bool, err error) {
	f.mu.Lock()
	queue, closed := f.queue, f.closed
	f.queue = nil
	if f.moved {
		c.cursor, f.moved = f.cursor, false
	}
	f.mu.Unlock()
	if closed != 0 {
		return nil, false, nil
	}
	if !f.m.stands(f.device, c) {
		if err := f.greet(c, nil); err != nil {
			return nil, false, err
		}
	}
	if len(queue) > 0 {
		if err := f.sink.write(queue); err != nil {
			return nil, false, err
		}
	}
	if err := f.presence(c); err != nil {
		return nil, false, err
	}
	patches, wait, behind := c.folder.since(c.cursor)
	if behind {
		return nil, true, f.catchUp(c)
	}
	if len(patches) > 0 {
		c.cursor = patches[len(patches)-1].seq
		return nil, true, f.sink.write(patches)
	}
	return wait, false, f.answerHash(c)
}

// greet says who the client is, and starts it where it stands if that can be gone on from, else
// from the beginning.
func (f *feed) greet(c *carrying, h *hello) error {
	role, share, _ := f.m.standing(f.device)
	c.role, c.folder = role, f.m.folder(share)
	seq, _, _ := c.folder.sequence()
	only := f.m.readOnly()
	frames := []*frame{controlFrame(greeting{"auth_ok", role, share, c.folder.session, seq, engine.Instant{Time: f.m.now()},
		f.device.id, f.device.name, f.m.id, f.m.o.Intake != nil && only == "", only})}
	fresh := h == nil || h.unfit(c.folder, seq)
	if fresh {
		frames = append(frames, resetFrame())
		c.cursor = 0
	} else {
		c.cursor = h.after
	}
	if err := f.sink.write(frames); err != nil {
		return err
	}
	if c.cursor < seq {
		return f.catchUp(c)
	}
	return nil
}

func (f *feed) answerHash(c *carrying) error {
	f.mu.Lock()
	id, asked := f.hash, f.asked
	f.hash, f.asked = "", false
	f.mu.Unlock()
	if !asked {
		return nil
	}
	sum, at := c.folder.hash()
	if at != c.cursor { // something came in between; after it
		f.question(id)
		return nil
	}
	return f.sink.write([]*frame{controlFrame(struct {
		Type     string     `json:"type"`
		ID       string     `json:"id,omitempty"`
		Sequence engine.Seq `json:"sequence"`
		Hash     string     `json:"hash"`
		Share    Share      `json:"share"`
	}{"hash", id, at, sum.String(), c.folder.share})})
}
