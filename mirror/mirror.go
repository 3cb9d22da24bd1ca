// Package mirror is the browser screen: it projects a session's log to a page, and takes back what
// a device may do by its role. It holds no truth of its own. The protocol is docs/mirror.md.
package mirror

import (
	"context"
	"crypto/tls"
	"io"
	"io/fs"
	"iter"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"agentstudio/engine"
)

// Session is all that the mirror needs of an engine.
type Session interface {
	ID() engine.SessionID
	Do(ctx context.Context, c engine.Command) (engine.Receipt, error)
	Follow(ctx context.Context, after engine.Seq) iter.Seq2[[]engine.Event, error]
	Read(ctx context.Context, ref engine.Ref) (io.ReadCloser, error)
	ReadOnly() error
}

// Options are what a mirror is made with.
type Options struct {
	// Session is what is shown.
	Session Session
	// Page has index.html, page.css, page.js and favicon.svg; nil serves the API alone.
	Page fs.FS
	// Port to listen on; 0 is 8484, or any free one when that is taken.
	Port int
	// LAN is an address of this machine, as in 192.168.1.20, to listen on beside loopback.
	LAN string
	// Origins are the addresses that reverse proxies or tunnels to the loopback listener have, as in
	// https://NAME[:PORT]. They count as TLS. They can't be had together with LAN.
	Origins []string
	// TLS, if set, is spoken by all listeners; see SelfSigned and LoadTLS.
	TLS *tls.Config
	// Insecure admits approvers on plain http beyond loopback. Each of their approvals is held for 3 s.
	Insecure bool
	// Share is what viewers see at first; "" is all.
	Share Share
	// Clients is how many may be connected at once; 0 is 32. A quarter of them, at most 4, are kept for
	// devices that are no viewers.
	Clients int
	// Tokens let in without pairing; see ReadTokens.
	Tokens []Token
	// Decided is what the mirror before this one gave as its Decided; it goes before Share, and before
	// what the file says of Tokens.
	Decided Decided
	// By is who sits at the terminal, for events; by default the terminal.
	By engine.Actor
	// Intake takes an upload in and gives what became of it and the event that says so; nil refuses all.
	// It may be called from several goroutines.
	Intake func(ctx context.Context, by engine.Actor, name, mime string, content io.Reader) (engine.Attachment, engine.Seq, error)
	// Picture opens the normalised bytes of an image that was taken in (REF_NOT_FOUND; tables never).
	Picture func(ctx context.Context, id string) (mime string, content io.ReadCloser, err error)
	// Clock is time.Now and its timers by default. Sockets have their deadlines by the real time.
	Clock engine.Clock
	// Limits are the defaults where zero.
	Limits Limits
	// Log is told one line for each refused try and each fault, never with a secret in it. Any goroutine.
	Log func(line string)
	// Changed is told that what State gives may have changed. Any goroutine; it must not wait.
	Changed func()

	pace pace
	near func(net.Addr) bool // tells addresses of this machine alone; loopback but in tests
}

// Limits are what a client may do. They are per device where nothing else is said.
type Limits struct {
	Frames    int // a second; default 20
	Snapshots int // whole views a minute; default 6
	Catchups  int // catching up a minute; default 60
	Decisions int // a minute; default 10
	Sockets   int // at once; default 3
	Connects  int // sockets and streams opened a minute, a third of them at once; default 30
	Guesses   int // wrong codes and tokens a minute and address; default 10
}

func (l Limits) withDefaults() Limits {
	def := func(v *int, d int) {
		if *v <= 0 {
			*v = d
		}
	}
	def(&l.Frames, 20)
	def(&l.Snapshots, 6)
	def(&l.Catchups, 60)
	def(&l.Decisions, 10)
	def(&l.Sockets, 3)
	def(&l.Connects, 30)
	def(&l.Guesses, 10)
	return l
}

// Mirror serves one session until Close. All methods may be called from any goroutine.
type Mirror struct {
	o       Options
	door    door
	id      string // of this start; the page keeps its token under it
	ctx     context.Context
	cancel  context.CancelFunc
	work    sync.WaitGroup
	servers []*http.Server

	addresses []string // never changed
	ledger    *ledger

	mu       sync.Mutex
	session  Session
	unfollow context.CancelFunc // ends the folders of session
	folders  map[Share]*folder
	share    Share
	devices  map[[32]byte]*device // by hash of the token
	file     map[[32]byte]fileToken
	feeds    []*feed   // connected, oldest first
	waiting  []*waiter // sockets that have not said their token yet
	pairing  pairing
	codes    guesses // wrong pairing codes
	tokens   guesses // wrong tokens
	uploads  uploads
	guests   guests
	joins    *rate.Limiter
	held     []*held
	unsweep  func() bool // stops the timer that lets go of idle devices
	lobby    lobby
	ended    bool
}

// New listens, and serves until Close. It fails with CONFIG_INVALID for options that cannot be had.
func New(o Options) (*Mirror, error) {
	if o.Decided.share != "" {
		o.Share = o.Decided.share
	}
	if o.Share == "" {
		o.Share = ShareAll
	}
	if o.Clients <= 0 {
		o.Clients = 32
	}
	if o.By == (engine.Actor{}) {
		o.By = engine.Actor{Screen: "tui", Name: "terminal"}
	}
	if o.Clock == nil {
		o.Clock = engine.WallClock{}
	}
	if o.Log == nil {
		o.Log = func(string) {}
	}
	if o.Changed == nil {
		o.Changed = func() {}
	}
	if o.near == nil {
		o.near = loopback
	}
	o.Limits, o.pace = o.Limits.withDefaults(), o.pace.withDefaults()
	if !o.Share.valid() {
		return nil, engine.Errorf(engine.ConfigInvalid, "--mirror-share takes none, names or all, not %q", string(o.Share))
	}
	listeners, err := o.listen()
	if err != nil {
		return nil, err
	}
	m := &Mirror{o: o, share: o.Share, id: random(8), folders: map[Share]*folder{}, devices: map[[32]byte]*device{}, codes: newGuesses(o.Limits.Guesses), tokens: newGuesses(o.Limits.Guesses), joins: perMinute(joinsMost)}
	m.codes.all = perMinute(guessesAll * o.Limits.Guesses)
	m.guests.shared = len(o.Origins) > 0
	m.ctx, m.cancel = context.WithCancel(context.Background())
	m.serveSession(o.Session)
	m.admitFile()
	if m.door, err = newDoor(o, listeners); err != nil {
		m.cancel()
		closeAll(listeners)
		return nil, err
	}
	m.ledger = &ledger{tell: o.Log, clock: o.Clock}
	m.addresses = m.door.addresses()
	m.start(listeners)
	m.sweep()
	return m, nil
}

func closeAll(listeners []net.Listener) {
	for _, l := range listeners {
		_ = l.Close()
	}
}

// start serves each listener on a goroutine that Close waits for.
func (m *Mirror) start(listeners []net.Listener) {
	handler := m.handler()
	for _, l := range listeners {
		s := &http.Server{Handler: handler, ReadHeaderTimeout: 5 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10, DisableGeneralOptionsHandler: true,
			ErrorLog: quiet(m.ledger.line), ConnContext: m.seated, ConnState: m.guests.moved, BaseContext: func(net.Listener) context.Context { return m.ctx }}
		s.SetKeepAlivesEnabled(true)
		m.servers = append(m.servers, s)
		m.work.Go(func() { _ = s.Serve(m.wrap(l)) })
	}
}

// Close ends every connection, and waits for all that was started. It may be called again.
func (m *Mirror) Close() error {
	m.mu.Lock()
	m.ended = true
	if m.lobby.timer != nil {
		m.lobby.timer.Stop()
	}
	feeds, waiting := slices.Clone(m.feeds), slices.Clone(m.waiting)
	for _, h := range m.held {
		h.stop()
	}
	m.unsweep()
	m.mu.Unlock()
	for _, f := range feeds {
		f.end(closeStopped)
	}
	for _, w := range waiting {
		m.work.Go(w.stop)
	}
	m.cancel()
	for _, s := range m.servers {
		_ = s.Close()
	}
	m.work.Wait()
	m.ledger.close()
	return nil
}

// busy counts a request that Close waits for; false when the mirror has ended.
func (m *Mirror) busy() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.ended {
		return false
	}
	m.work.Add(1)
	return true
}

// Show serves another session from now on: every screen begins anew with it.
func (m *Mirror) Show(s Session) {
	m.mu.Lock()
	m.unfollow()
	m.mu.Unlock()
	m.serveSession(s)
	m.ring()
}

func (m *Mirror) serveSession(s Session) {
	m.mu.Lock()
	defer m.mu.Unlock()
	ctx, cancel := context.WithCancel(m.ctx)
	m.session, m.unfollow, m.folders = s, cancel, map[Share]*folder{}
	m.startFolder(ctx, ShareAll)
}

// folder is the one of a share level, started when it is first needed: then this waits until it holds
// what the first one does.
func (m *Mirror) folder(share Share) *folder {
	m.mu.Lock()
	f, first := m.folderLocked(share), m.folders[ShareAll]
	m.mu.Unlock()
	if f != first {
		seq, _, _ := first.sequence()
		f.reach(m.ctx, seq)
	}
	return f
}

func (m *Mirror) folderLocked(share Share) *folder {
	if f := m.folders[share]; f != nil {
		return f
	}
	ctx, cancel := context.WithCancel(m.ctx)
	end := m.unfollow
	m.unfollow = func() { end(); cancel() }
	return m.startFolder(ctx, share)
}

// startFolder is called with mu held.
func (m *Mirror) startFolder(ctx context.Context, share Share) *folder {
	s := m.session
	f := newFolder(share, s.ID())
	m.folders[share] = f
	m.work.Go(func() { f.follow(ctx, s) })
	return f
}

// current is the session that is served.
func (m *Mirror) current() Session {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.session
}

// readOnly is why the session that is served takes no commands, "" when it does.
func (m *Mirror) readOnly() engine.Code {
	if err := m.current().ReadOnly(); err != nil {
		return engine.CodeOf(err)
	}
	return ""
}

// ring wakes every connection to look at what has changed around it, and tells the terminal.
func (m *Mirror) ring() {
	m.mu.Lock()
	feeds := slices.Clone(m.feeds)
	m.mu.Unlock()
	for _, f := range feeds {
		f.ring()
	}
	m.o.Changed()
}

func (m *Mirror) now() time.Time { return m.o.Clock.Now() }
