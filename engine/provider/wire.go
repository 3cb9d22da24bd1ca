package provider

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"agentstudio/engine"
)

const (
	maxBody      = 256 << 20 // bytes of one answer, unpacked
	maxErrorBody = 64 << 10
)

// errLingered ends the wait for what a server may still send after its answer is complete.
var errLingered = errors.New("nothing more came")

// wire sends requests to one address. It is immutable and may be used from any goroutine.
type wire struct {
	client      *http.Client
	url         string
	host        string // for messages: host and port
	key         engine.Secret
	keyHeader   string            // where the key goes; "" is Authorization, as a bearer's
	always      map[string]string // headers that the dialect wants with every request
	agent       string
	first, idle time.Duration
	clock       engine.Clock
	upstream    upstream
}

// newWire checks the connection's address. A wrong one is MODEL_NOT_CONFIGURED, in words that do
// not repeat what may hold a password.
func newWire(c engine.Connection, o Options, path string) (*wire, error) {
	wrong := func(what string) error {
		return engine.Errorf(engine.ModelNotConfigured, "the base URL %s; it looks like https://HOST/v1", what)
	}
	u, err := url.Parse(strings.TrimSpace(c.BaseURL))
	switch {
	case o.Client == nil:
		return nil, engine.Errorf(engine.Internal, "a model was made without an HTTP client")
	case c.Model == "":
		return nil, engine.Errorf(engine.ModelNotConfigured, "no model is named; set the model id")
	case strings.ContainsFunc(c.Key.Reveal(), func(r rune) bool { return r <= ' ' || r > '~' }):
		return nil, engine.Errorf(engine.ModelNotConfigured, "the API key holds a blank or a character that no key has; paste it again")
	case err != nil || c.BaseURL == "":
		return nil, wrong("is no address")
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.Opaque != "":
		return nil, wrong("must begin with https:// (or http://) and name a host")
	case u.User != nil:
		return nil, wrong("must not hold a name or password; the key has its own setting")
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return nil, wrong("must not hold ? or #")
	}
	host := u.Host
	u.Path, u.RawPath = strings.TrimSuffix(strings.TrimRight(u.Path, "/"), path)+path, ""
	client := *o.Client
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	client.Jar = nil
	w := &wire{client: &client, url: u.String(), host: host, key: c.Key, agent: o.UserAgent,
		first: o.First, idle: o.Idle, clock: o.Clock, upstream: newUpstream(c.Key)}
	w.defaults(u.Hostname())
	return w, nil
}

func (w *wire) defaults(host string) {
	const usual, local = 120 * time.Second, 600 * time.Second
	limit := usual
	if loopback(host) {
		limit = local // a model that must first be loaded from a disk
	}
	if w.first == 0 {
		w.first = limit
	}
	if w.idle == 0 {
		w.idle = limit
	}
	if w.clock == nil {
		w.clock = engine.WallClock{}
	}
	if w.agent == "" {
		w.agent = "agentstudio"
	}
}

// post sends one JSON body and gives the answer whatever its status. The caller closes it.
func (w *wire) post(parent context.Context, body []byte) (*reply, error) {
	ctx, cancel := context.WithCancelCause(parent)
	r := &reply{wire: w, parent: parent, ctx: ctx, cancel: cancel, dog: &watchdog{clock: w.clock, bark: cancel}}
	r.dog.within(w.first, w.tooLate())
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.url, bytes.NewReader(body))
	if err != nil {
		r.close()
		return nil, engine.Errorf(engine.ModelNotConfigured, "the base URL is no address; it looks like https://HOST/v1")
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream")
	req.Header.Set("Accept-Encoding", "identity") // packing holds deltas back
	req.Header.Set("User-Agent", w.agent)
	for name, value := range w.always {
		req.Header.Set(name, value)
	}
	switch {
	case w.key.Empty():
	case w.keyHeader != "":
		req.Header.Set(w.keyHeader, w.key.Reveal())
	default:
		req.Header.Set("Authorization", "Bearer "+w.key.Reveal())
	}
	resp, err := w.client.Do(req)
	if err != nil {
		err = r.failed(err, w.unreachable)
		r.close()
		return nil, err
	}
	r.status, r.header = resp.StatusCode, resp.Header
	r.body = resp.Body
	r.unhook = context.AfterFunc(ctx, func() { _ = resp.Body.Close() })
	return r, nil
}

// reply is one answer of a server. One goroutine reads it.
type reply struct {
	wire   *wire
	parent context.Context
	ctx    context.Context
	cancel context.CancelCauseFunc
	unhook func() bool
	dog    *watchdog

	status int
	header http.Header
	body   io.ReadCloser
	read   int64
}

// close ends the exchange; what is unread is thrown away.
func (r *reply) close() {
	r.dog.end()
	if r.unhook != nil {
		r.unhook()
	}
	if r.body != nil {
		_ = r.body.Close()
	}
	r.cancel(nil)
}

// drain reads what little a server sends after [DONE], so that the connection can be used again.
func (r *reply) drain() {
	const most, wait = 4 << 10, 100 * time.Millisecond
	r.dog.each(wait, errLingered)
	_, _ = io.CopyN(io.Discard, r, most)
}

// Read reads the body under the watchdog.
func (r *reply) Read(p []byte) (int, error) {
	r.dog.waits()
	n, err := r.body.Read(p)
	r.dog.heard()
	if r.read += int64(n); r.read > maxBody {
		return 0, engine.Errorf(engine.ModelProtocol, "the server's answer is over %d MiB; check the base URL", maxBody>>20)
	}
	return n, err
}

// stream is the body, unpacked, from its first byte that is not blank, with that byte (0 if there is
// none).
func (r *reply) stream() (*bufio.Reader, byte, error) {
	var from io.Reader = r
	switch enc := strings.ToLower(strings.TrimSpace(r.header.Get("Content-Encoding"))); enc {
	case "", "identity":
	case "gzip", "x-gzip":
		z, err := gzip.NewReader(r)
		if errors.Is(err, gzip.ErrHeader) {
			return nil, 0, engine.Errorf(engine.ModelProtocol, "the server says that its answer is packed, which it is not; check what stands before the model server")
		}
		if err != nil {
			return nil, 0, r.failed(err, r.wire.cut)
		}
		from = &capped{z, maxBody}
	default:
		return nil, 0, engine.Errorf(engine.ModelProtocol, "the server packs its answer as %q, which was not asked for; check what stands before the model server", r.wire.upstream.said(enc))
	}
	b := bufio.NewReader(from)
	for {
		first, err := b.Peek(1)
		switch {
		case errors.Is(err, io.EOF):
			return b, 0, nil
		case err != nil:
			return nil, 0, r.failed(err, r.wire.cut)
		case strings.IndexByte(" \t\r\n", first[0]) < 0:
			return b, first[0], nil
		}
		_, _ = b.Discard(1)
	}
}

// failed says what an error of the connection means: the end of the caller's context, the watchdog,
// the guard before the connection, or else what other says.
func (r *reply) failed(err error, other func(error) error) error {
	if r.parent.Err() != nil {
		return context.Cause(r.parent)
	}
	if r.ctx.Err() != nil {
		return context.Cause(r.ctx)
	}
	var ours *engine.Error
	if errors.As(err, &ours) {
		return ours
	}
	return other(err)
}

// capped fails when more than left bytes come out of a packed body.
type capped struct {
	from io.Reader
	left int64
}

func (c *capped) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	if c.left -= int64(n); c.left < 0 {
		return 0, engine.Errorf(engine.ModelProtocol, "the server's answer is over %d MiB; check the base URL", maxBody>>20)
	}
	return n, err
}
