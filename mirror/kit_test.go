package mirror_test

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"go.uber.org/goleak"

	"agentstudio/engine"
	"agentstudio/mirror"
)

// The server lingers half a second on a connection that it closes with a body unread.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("net/http.(*conn).closeWriteAndWait"))
}

// script is a model whose n-th call is answered by the n-th function, the last one again and again.
type script struct {
	turns []turn
	calls atomic.Int32
}

type turn = func(ctx context.Context, yield func(engine.Chunk) bool) error

func (s *script) Info() engine.ModelInfo {
	return engine.ModelInfo{Provider: "scripted", API: "scripted", ID: "fake", ContextWindow: 1 << 20, KeyHint: "••••1234"}
}

func (s *script) Stream(ctx context.Context, _ engine.Request) iter.Seq2[engine.Chunk, error] {
	return func(yield func(engine.Chunk, error) bool) {
		n := min(int(s.calls.Add(1)), len(s.turns)) - 1
		if err := s.turns[n](ctx, func(c engine.Chunk) bool { return yield(c, nil) }); err != nil {
			yield(nil, err)
		}
	}
}

func say(text string) turn {
	return func(_ context.Context, yield func(engine.Chunk) bool) error {
		_ = yield(engine.Text(text)) && yield(engine.Stop{Reason: engine.StopEnd})
		return nil
	}
}

func save(id, args string) turn {
	return func(_ context.Context, yield func(engine.Chunk) bool) error {
		_ = yield(engine.ToolCall{ID: engine.CallID(id), Tool: "save", Args: json.RawMessage(args)}) && yield(engine.Stop{Reason: engine.StopToolUse})
		return nil
	}
}

// saver is a tool that asks.
type saver struct {
	ran     atomic.Int32
	preview string // "# secret preview" where it is ""
	content string // "saved the secret result" where it is ""
}

func (s *saver) Spec() engine.Spec {
	return engine.Spec{Name: "save", Description: "for tests", Parameters: json.RawMessage(`{"type":"object"}`), Policy: engine.Ask, Replay: engine.ReplayNever}
}

func (s *saver) Prepare(context.Context, json.RawMessage) (engine.Plan, error) {
	return engine.Plan{Summary: "save it", Risk: "writesReport", Preview: cmp.Or(s.preview, "# secret preview")}, nil
}

func (s *saver) Run(context.Context, engine.Call) (engine.Result, error) {
	s.ran.Add(1)
	return engine.Result{Content: cmp.Or(s.content, "saved the secret result")}, nil
}

// stage is a session with a mirror, and what a test needs around it.
type stage struct {
	t       testing.TB
	session *engine.Session
	m       *mirror.Mirror
	base    string // http://127.0.0.1:PORT
	tool    *saver
	tokens  map[mirror.Role]string
}

var tester = engine.Actor{Screen: "tui", Name: "test"}

// open makes one with a token for each role. more may change the options.
func open(t testing.TB, more func(*mirror.Options), turns ...turn) *stage {
	t.Helper()
	return openWith(t, func(*engine.Config) {}, more, turns...)
}

// openWith is open with something else about the engine.
func openWith(t testing.TB, change func(*engine.Config), more func(*mirror.Options), turns ...turn) *stage {
	t.Helper()
	s := &stage{t: t, tool: &saver{}, tokens: map[mirror.Role]string{}}
	var n atomic.Int64
	if len(turns) == 0 {
		turns = []turn{say("hello")}
	}
	c := engine.Config{Store: &engine.MemStore{}, Model: &script{turns: turns},
		NewID: func(prefix string) string { return fmt.Sprintf("%s_%d", prefix, n.Add(1)) },
		Tools: func(engine.Env) []engine.Tool { return []engine.Tool{s.tool} }}
	change(&c)
	e := engine.New(c)
	t.Cleanup(func() { _ = e.Close() })
	var err error
	if s.session, err = e.Open(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	o := mirror.Options{Session: s.session, Port: mirror.AnyPort}
	for i, r := range mirror.Roles() {
		token := fmt.Sprintf("%02x", i+1) + strings.Repeat("5a", 31)
		s.tokens[r] = token
		o.Tokens = append(o.Tokens, mirror.Token{Role: r, Name: string(r), Token: token})
	}
	if more != nil {
		more(&o)
	}
	if s.m, err = mirror.New(o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = s.m.Close()
		http.DefaultClient.CloseIdleConnections()
	})
	for _, a := range s.m.State().Addresses {
		if strings.Contains(a, "127.0.0.1") {
			s.base = a
		}
	}
	return s
}

// do sends a message and gives its run.
func (s *stage) send(text string) engine.RunID {
	s.t.Helper()
	r, err := s.session.Do(s.t.Context(), engine.Send{Text: text, By: tester})
	if err != nil {
		s.t.Fatal(err)
	}
	return r.Run
}

// until follows the session until an event satisfies stop.
func (s *stage) until(stop func(engine.Event) bool) engine.Event {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), time.Minute)
	defer cancel()
	for batch, err := range s.session.Follow(ctx, 0) {
		if err != nil {
			s.t.Fatal(err)
		}
		for _, e := range batch {
			if stop(e) {
				return e
			}
		}
	}
	s.t.Fatal("what was waited for never came")
	return engine.Event{}
}

func (s *stage) untilKind(kind string) engine.Event {
	s.t.Helper()
	return s.until(func(e engine.Event) bool { return e.Kind() == kind })
}

// request makes one over HTTP as a program with a token.
func (s *stage) request(method, path, token, body string) (int, http.Header, string) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.base+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	} else if method != "GET" {
		r.Header.Set("Origin", s.base)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return res.StatusCode, res.Header, string(b)
}

// message is any frame, as far as tests look into it.
type message struct {
	Type       string                      `json:"type"`
	ID         string                      `json:"id"`
	OK         bool                        `json:"ok"`
	Code       engine.Code                 `json:"code"`
	Message    string                      `json:"message"`
	Role       mirror.Role                 `json:"role"`
	Share      mirror.Share                `json:"share"`
	Session    string                      `json:"sessionId"`
	After      uint64                      `json:"after"`
	Sequence   uint64                      `json:"sequence"`
	Hash       string                      `json:"hash"`
	Now        time.Time                   `json:"now"`
	Already    bool                        `json:"alreadyResolved"`
	Viewers    int                         `json:"viewers"`
	People     []any                       `json:"people"`
	Rows       map[string][]map[string]any `json:"rows"`
	Gone       []string                    `json:"gone"`
	Approvals  *[]approval                 `json:"approvals"`
	Status     json.RawMessage             `json:"status"`
	Resolution *struct {
		Status string       `json:"status"`
		By     engine.Actor `json:"by"`
	} `json:"resolution"`
	raw string
}

type approval struct {
	ID     string `json:"id"`
	Digest string `json:"digest"`
	Text   string `json:"text"`
}

// client is a browser's socket, as docs/mirror.md has it.
type client struct {
	t    testing.TB
	conn *websocket.Conn
	page page

	asked string // the question given last
}

// dial opens a socket as the page does: with an Origin, and the token in the first frame.
func (s *stage) dial(token string, after uint64) *client {
	s.t.Helper()
	c := s.dialWith("")
	c.tell(map[string]any{"type": "auth", "token": token, "after": after})
	return c
}

// dialWith opens a page's socket at an address, the mirror's own for "", and says nothing.
func (s *stage) dialWith(addr string) *client {
	s.t.Helper()
	if addr == "" {
		_, addr, _ = strings.Cut(s.base, "://")
	}
	c, err := s.tryDial(addr)
	if err != nil {
		s.t.Fatal(err)
	}
	return c
}

func (s *stage) tryDial(addr string) (*client, error) {
	d := websocket.Dialer{HandshakeTimeout: time.Second, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, NetDialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, addr)
	}}
	conn, _, err := d.DialContext(s.t.Context(), "ws"+strings.TrimPrefix(s.base, "http")+"/ws", http.Header{"Origin": {s.base}})
	if err != nil {
		return nil, err
	}
	s.t.Cleanup(func() { _ = conn.Close() })
	return &client{t: s.t, conn: conn, page: newPage()}, nil
}

func (c *client) tell(v any) {
	c.t.Helper()
	if err := c.conn.WriteJSON(v); err != nil {
		c.t.Fatal(err)
	}
}

// next is the next frame; the page has taken it in.
func (c *client) next() message {
	c.t.Helper()
	m, err := c.read()
	if err != nil {
		c.t.Fatal(err)
	}
	return m
}

func (c *client) read() (message, error) {
	_ = c.conn.SetReadDeadline(time.Now().Add(time.Minute))
	_, b, err := c.conn.ReadMessage()
	if err != nil {
		return message{}, err
	}
	var m message
	if err := json.Unmarshal(b, &m); err != nil {
		return m, fmt.Errorf("%w in %s", err, b)
	}
	m.raw = string(b)
	return m, c.page.take(m)
}

// until reads until a frame satisfies stop.
func (c *client) until(stop func(message) bool) message {
	c.t.Helper()
	for {
		if m := c.next(); stop(m) {
			return m
		}
	}
}

func (c *client) untilType(kind string) message {
	c.t.Helper()
	return c.until(func(m message) bool { return m.Type == kind })
}

// closed reads until the end and gives the code of the close frame.
func (c *client) closed() int {
	c.t.Helper()
	for {
		if _, err := c.read(); err != nil {
			if e, ok := err.(*websocket.CloseError); ok {
				return e.Code
			}
			return -1
		}
	}
}

// handClock is a clock that a test moves by hand.
type handClock struct {
	mu     sync.Mutex
	now    time.Time
	timers map[int]*handTimer
	next   int
}

type handTimer struct {
	at time.Time
	f  func()
}

func newHandClock() *handClock {
	return &handClock{now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), timers: map[int]*handTimer{}}
}

func (c *handClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *handClock) Stamp() time.Time { return c.Now() }
func (c *handClock) Stepped() bool    { return false }

func (c *handClock) AfterFunc(d time.Duration, f func()) func() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	id := c.next
	c.next++
	c.timers[id] = &handTimer{c.now.Add(d), f}
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		_, there := c.timers[id]
		delete(c.timers, id)
		return there
	}
}

// armed waits until n timers wait.
func (c *handClock) armed(t testing.TB, n int) {
	t.Helper()
	eventually(t, func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return len(c.timers) >= n
	})
}

// advance moves the time and calls what is due, in order, on the caller's goroutine.
func (c *handClock) advance(d time.Duration) {
	c.mu.Lock()
	until := c.now.Add(d)
	for {
		due, at := -1, until
		for id, t := range c.timers {
			if !t.at.After(at) {
				due, at = id, t.at
			}
		}
		if due < 0 {
			break
		}
		t := c.timers[due]
		delete(c.timers, due)
		c.now = t.at
		c.mu.Unlock()
		t.f()
		c.mu.Lock()
	}
	c.now = until
	c.mu.Unlock()
}

// eventually waits for a state.
func eventually(t testing.TB, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !is(); {
		if time.Now().After(deadline) {
			t.Fatal("what was waited for never came")
		}
		runtime.Gosched()
	}
}

func closeIdle() { http.DefaultClient.CloseIdleConnections() }

// leaf is the certificate that a mirror of its own would have.
func leaf(t testing.TB, dir string, now time.Time, hosts ...string) *x509.Certificate {
	t.Helper()
	c, err := mirror.SelfSigned(dir, now, hosts...)
	if err != nil {
		t.Fatal(err)
	}
	x, err := x509.ParseCertificate(c.Certificates[0].Certificate[0])
	if err != nil {
		t.Fatal(err)
	}
	return x
}
