package netguard

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"sync"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// errNobody is what a fake network says where nobody listens.
var errNobody = errors.New("nobody listens")

// fake is a network in memory: names with their answers, and servers by ip:port. It records what
// was looked up and dialled.
type fake struct {
	mu      sync.Mutex
	answers map[string][][]string // by name: the answers of each lookup in turn, the last for good
	servers map[string]*pipes
	asked   []string
	dialled []string
}

func (f *fake) options() Options { return Options{Resolve: f.resolve, Dial: f.dial} }

func (f *fake) resolve(_ context.Context, host string) ([]netip.Addr, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked = append(f.asked, host)
	turns := f.answers[host]
	if len(turns) == 0 {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	if len(turns) > 1 {
		f.answers[host] = turns[1:]
	}
	var all []netip.Addr
	for _, a := range turns[0] {
		all = append(all, netip.MustParseAddr(a))
	}
	return all, nil
}

func (f *fake) dial(ctx context.Context, _, address string) (net.Conn, error) {
	f.mu.Lock()
	f.dialled = append(f.dialled, address)
	s := f.servers[address]
	f.mu.Unlock()
	if s == nil {
		return nil, errNobody
	}
	return s.dial(ctx)
}

// seen is what has been looked up and dialled so far, in order.
func (f *fake) seen() (asked, dialled []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.asked), slices.Clone(f.dialled)
}

// pipes is a listener without a network.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newPipes() *pipes {
	return &pipes{conns: make(chan net.Conn), closed: make(chan struct{})}
}

func (p *pipes) dial(ctx context.Context) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case p.conns <- there:
		return here, nil
	case <-p.closed:
		return nil, errNobody
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }

// serve puts a server at an ip:port of the fake network, with a certificate for example.com if
// secure. Every one has the same certificate authority, which roots gives.
func (f *fake) serve(t *testing.T, address string, secure bool, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	p := newPipes()
	s := &httptest.Server{Listener: p, Config: &http.Server{Handler: h, ErrorLog: log.New(io.Discard, "", 0)}, EnableHTTP2: true}
	if secure {
		s.StartTLS()
	} else {
		s.Start()
	}
	t.Cleanup(s.Close)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.servers == nil {
		f.servers = map[string]*pipes{}
	}
	f.servers[address] = p
	return s
}

// get asks for an address and throws the answer away.
func get(t *testing.T, c *http.Client, address string) (status int, err error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		return 0, err
	}
	resp, err := c.Do(req)
	if err != nil {
		return 0, err
	}
	return resp.StatusCode, resp.Body.Close()
}

func wantReason(t *testing.T, err error, want Reason) {
	t.Helper()
	if got := ReasonOf(err); got != want {
		t.Errorf("the reason is %q, want %q: %v", got, want, err)
	}
}
