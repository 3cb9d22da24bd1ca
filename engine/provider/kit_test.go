package provider

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"go.uber.org/goleak"

	"agentstudio/engine"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const testKey = "sk-test-Planted0123456789abcdef"

// dialect is one wire format as the tests see it.
type dialect struct {
	name      string // as in request.json of a case
	api, path string // what every request's address ends with
	keyHeader string // where the key goes
	make      func(engine.Connection, Options) (engine.Model, error)
	check     func(t testing.TB, req *http.Request, body []byte) // judges a request; what all have in common is judged before
	terminal  func(t testing.TB, body string) int                // where the terminal mark of a stream has come
	hi        string                                             // a whole stream whose text is "hi"
}

// dialects are all that the model can be spoken to in, by name.
func dialects() map[string]dialect {
	all := map[string]dialect{}
	for _, d := range []dialect{chatDialect(), messagesDialect(), responsesDialect()} {
		all[d.name] = d
	}
	return all
}

// connection is one by chat.
func connection(base string) engine.Connection { return chatDialect().connection(base) }

func (d dialect) connection(base string) engine.Connection {
	return engine.Connection{Provider: engine.ProviderOther, API: d.api, BaseURL: base, Model: "acme-chat-1",
		Key: engine.NewSecret(testKey)}
}

// canned answers every request with the same bytes, without a network. Each request is checked.
type canned struct {
	t       testing.TB
	dialect dialect // chat if it is none
	status  int
	header  http.Header
	body    func() io.Reader

	mu   sync.Mutex
	seen [][]byte
}

func (c *canned) speaks() dialect {
	if c.dialect.name == "" {
		return chatDialect()
	}
	return c.dialect
}

func (c *canned) RoundTrip(req *http.Request) (*http.Response, error) {
	sent, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	c.speaks().checkRequest(c.t, req, sent)
	c.mu.Lock()
	c.seen = append(c.seen, sent)
	c.mu.Unlock()
	h := c.header
	if h == nil {
		h = http.Header{"Content-Type": {"text/event-stream; charset=utf-8"}}
	}
	status := c.status
	if status == 0 {
		status = http.StatusOK
	}
	return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(c.body()), Request: req}, nil
}

// serve makes a model whose server always answers with body, by chat.
func serve(t testing.TB, body string) (engine.Model, *canned) { return chatDialect().serve(t, body) }

func (d dialect) serve(t testing.TB, body string) (engine.Model, *canned) {
	c := &canned{t: t, dialect: d, body: func() io.Reader { return strings.NewReader(body) }}
	return c.model(), c
}

func (c *canned) model() engine.Model {
	c.t.Helper()
	d := c.speaks()
	m, err := d.make(d.connection("https://models.example/v1"), Options{Client: &http.Client{Transport: c}})
	if err != nil {
		c.t.Fatal(err)
	}
	return m
}

func slowly(body string) func() io.Reader {
	return func() io.Reader { return iotest.OneByteReader(strings.NewReader(body)) }
}

// checkRequest judges a request more strictly than any server: what all dialects have in common, no
// key but in its header, and then the dialect's own rules.
func (d dialect) checkRequest(t testing.TB, req *http.Request, body []byte) {
	t.Helper()
	if strings.Contains(req.URL.String(), testKey) || bytes.Contains(body, []byte(testKey)) {
		t.Error("the key is in the address or the body")
	}
	for name, values := range req.Header {
		for _, v := range values {
			if strings.Contains(v, testKey) && name != d.keyHeader {
				t.Errorf("the key is in the header %s", name)
			}
		}
	}
	if got := strings.TrimPrefix(req.Header.Get(d.keyHeader), "Bearer "); got != "" && got != testKey {
		t.Errorf("%s: %q", d.keyHeader, got)
	}
	if req.Method != http.MethodPost || !strings.HasSuffix(req.URL.Path, d.path) || req.Header.Get("Content-Type") != "application/json" {
		t.Errorf("%s %s %s", req.Method, req.URL, req.Header.Get("Content-Type"))
	}
	if !json.Valid(body) {
		t.Fatalf("the request is no JSON: %s", body)
	}
	d.check(t, req, body)
}

// outcome is what came of one call of a model.
type outcome struct {
	text, reasoning string
	calls           []engine.ToolCall
	kept            engine.Continuation
	usage           *engine.Usage
	stop            engine.StopReason
	err             error
	order           []string // kinds of chunks, repeats left out
}

func ask(ctx context.Context, t testing.TB, m engine.Model, r engine.Request) (o outcome) {
	t.Helper()
	for c, err := range m.Stream(ctx, r) {
		if o.err != nil || o.stop != "" {
			t.Errorf("%T %v after the end", c, err)
		}
		if err != nil {
			o.err = err
			continue
		}
		kind := ""
		switch c := c.(type) {
		case engine.Text:
			kind, o.text = "text", o.text+string(c)
		case engine.Reasoning:
			kind, o.reasoning = "reasoning", o.reasoning+string(c)
		case engine.ToolCall:
			kind, o.calls = "call", append(o.calls, c)
		case engine.Usage:
			kind, o.usage = "usage", &c
		case engine.Stop:
			kind, o.stop = "stop", c.Reason
		case engine.Continuation:
			kind, o.kept = "continuation", c
		}
		if n := len(o.order); n == 0 || o.order[n-1] != kind {
			o.order = append(o.order, kind)
		}
	}
	if o.err == nil && o.stop == "" {
		t.Error("the stream ended with neither a stop nor an error")
	}
	if text := errText(o.err); strings.Contains(text, testKey) || strings.Contains(text, testKey[8:20]) {
		t.Errorf("the key is in the error: %s", text)
	}
	return o
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	d, _ := json.Marshal(engine.DetailsOf(err))
	return err.Error() + string(d)
}

func hello() engine.Request {
	return engine.Request{Purpose: engine.PurposeTurn, Turn: 1, Attempt: 1,
		System:   []engine.SystemPart{{Kind: "role", Text: "You help."}, {Kind: "workspace", Text: "Folder: x"}},
		Messages: []engine.Message{{Role: engine.RoleUser, Text: "hello"}},
		Tools: []engine.Spec{{Name: "read", Description: "reads <a> & b", Parameters: json.RawMessage(`{"type":"object"}`)},
			{Name: "ls", Parameters: json.RawMessage(`{"type":"object"}`)}}}
}

func wantCode(t testing.TB, err error, want engine.Code) {
	t.Helper()
	if got := engine.CodeOf(err); got != want {
		t.Errorf("code %s (%v), want %s", got, err, want)
	}
}

// wrote is a chunk of a stream with one choice.
func wrote(delta, finish string) string {
	if finish != "null" {
		finish = `"` + finish + `"`
	}
	return `data: {"choices":[{"index":0,"delta":` + delta + `,"finish_reason":` + finish + "}]}\n\n"
}

// handClock is a clock that a test moves.
type handClock struct {
	mu     sync.Mutex
	now    time.Time
	timers []*handTimer
}

type handTimer struct {
	at   time.Time
	f    func()
	done bool
}

func newHandClock() *handClock {
	return &handClock{now: time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC)}
}

func (c *handClock) Stamp() time.Time { return c.Now() }
func (c *handClock) Stepped() bool    { return false }
func (c *handClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *handClock) AfterFunc(d time.Duration, f func()) func() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &handTimer{at: c.now.Add(d), f: f}
	c.timers = append(c.timers, t)
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		was := !t.done
		t.done = true
		return was
	}
}

// pass moves the time and runs what is due, what that arms included.
func (c *handClock) pass(d time.Duration) {
	c.mu.Lock()
	c.now = c.now.Add(d)
	for {
		var due *handTimer
		for _, t := range c.timers {
			if !t.done && !t.at.After(c.now) {
				due = t
				break
			}
		}
		if due == nil {
			break
		}
		due.done = true
		c.mu.Unlock()
		due.f()
		c.mu.Lock()
	}
	c.mu.Unlock()
}

var errBroken = errors.New("connection reset by peer")
