package netguard

import (
	"context"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"
)

func ok(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }

// roots are the authorities that believe the certificates of the fake network.
func roots(s *httptest.Server) *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(s.Certificate())
	return pool
}

// A name that is public when it is looked up first and this computer's afterwards: each connection
// is made to what was judged for it, and the next lookup is judged anew.
func TestRebinding(t *testing.T) {
	for _, p := range []Policy{{}, {Localhost: true}, {Private: true}, {Localhost: true, Private: true}} {
		f := &fake{answers: map[string][][]string{"evil.example": {{"93.184.216.34"}, {"127.0.0.1"}}}}
		c := Client(p, f.options())
		_, first := get(t, c, "https://evil.example")
		_, second := get(t, c, "https://evil.example")
		if !errors.Is(first, errNobody) || ReasonOf(second) != ReasonLocalhost {
			t.Errorf("%+v: %v, then %v", p, first, second)
		}
		if _, dialled := f.seen(); len(dialled) != 1 || dialled[0] != "93.184.216.34:443" {
			t.Errorf("%+v: dialled %v", p, dialled)
		}
	}
}

// The last judgement sees the socket's own address.
func TestControl(t *testing.T) {
	d := dialer{}
	to, err := newTarget(d.policy, false, "llm.example", 443)
	if err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string]Reason{
		"93.184.216.34:443":     "",
		"[2606:4700::1111]:443": "",
		"127.0.0.1:443":         ReasonLocalhost,
		"[::ffff:10.0.0.1]:443": ReasonPrivate,
		"169.254.169.254:443":   ReasonMetadata,
		"93.184.216.34:22":      ReasonMalformed,
		"nonsense":              ReasonMalformed,
	} {
		wantReason(t, d.control(to)("tcp", address, nil), want)
	}
}

// The real dialer, on this computer only.
func TestRealDialer(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(ok))
	defer s.Close()
	wide := Client(Policy{Localhost: true}, Options{})
	defer wide.CloseIdleConnections()
	if status, err := get(t, wide, s.URL); status != http.StatusOK || err != nil {
		t.Error(status, err)
	}
	_, err := get(t, Client(Policy{}, Options{}), s.URL)
	wantReason(t, err, ReasonLocalhost)

	to, err := newTarget(Policy{Localhost: true}, true, "127.0.0.1", 80)
	if err != nil {
		t.Fatal(err)
	}
	narrow := dialer{} // a policy that changed after the lookup
	to.policy = narrow.policy
	_, err = narrow.dial(t.Context(), to, netip.MustParseAddrPort(s.Listener.Addr().String()))
	if ReasonOf(err) == "" {
		t.Error(err)
	}
}

func TestEnvironmentHasNoEffect(t *testing.T) {
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"} {
		t.Setenv(name, "http://10.9.9.9:3128")
		t.Setenv(strings.ToLower(name), "http://10.9.9.9:3128")
	}
	t.Setenv("NO_PROXY", "")
	for _, p := range []Policy{{}, {Localhost: true}, {Private: true}} {
		f := &fake{answers: map[string][][]string{"llm.example": {{"93.184.216.34"}}, "gpu": {{"192.168.1.2"}}}}
		c := Client(p, f.options())
		for _, address := range []string{"https://llm.example", "http://gpu", "http://169.254.169.254", "http://127.0.0.1"} {
			_, _ = get(t, c, address)
		}
		_, dialled := f.seen()
		for _, to := range dialled {
			if strings.HasPrefix(to, "10.9.9.9") {
				t.Errorf("%+v dialled the proxy", p)
			}
		}
		if len(dialled) == 0 {
			t.Errorf("%+v dialled nothing", p)
		}
	}
}

// A connection that was opened under one policy never serves another.
func TestConnectionsStayWithTheirPolicy(t *testing.T) {
	f := &fake{answers: map[string][][]string{"example.com": {{"93.184.216.34"}}}}
	s := f.serve(t, "93.184.216.34:443", true, ok)
	f.serve(t, "127.0.0.1:80", false, ok)
	o := f.options()
	o.Roots = roots(s)
	wide, narrow := Client(Policy{Localhost: true}, o), Client(Policy{}, o)
	defer wide.CloseIdleConnections()
	defer narrow.CloseIdleConnections()
	for range 2 { // the second is over the first one's connection
		if _, err := get(t, wide, "https://example.com"); err != nil {
			t.Fatal(err)
		}
		if _, err := get(t, wide, "http://127.0.0.1"); err != nil {
			t.Fatal(err)
		}
	}
	if _, dialled := f.seen(); len(dialled) != 2 {
		t.Errorf("dialled %v", dialled)
	}
	if _, err := get(t, narrow, "https://example.com"); err != nil {
		t.Error(err)
	}
	_, err := get(t, narrow, "http://127.0.0.1")
	wantReason(t, err, ReasonLocalhost)
	if _, dialled := f.seen(); len(dialled) != 3 || dialled[2] != "93.184.216.34:443" {
		t.Errorf("dialled %v", dialled)
	}
}

// The certificate is compared with the name in the address, not with what was dialled.
func TestTLS(t *testing.T) {
	f := &fake{answers: map[string][][]string{"example.com": {{"93.184.216.34"}}, "other.test": {{"93.184.216.34"}}}}
	s := f.serve(t, "93.184.216.34:443", true, func(w http.ResponseWriter, r *http.Request) { w.Header().Set("Proto", r.Proto) })
	o := f.options()
	o.Roots = roots(s)
	c := Client(Policy{}, o)
	defer c.CloseIdleConnections()
	resp, err := c.Get("https://example.com/v1")
	if err != nil {
		t.Fatal(err)
	}
	if got := resp.Header.Get("Proto"); got != "HTTP/2.0" {
		t.Errorf("spoken was %s", got)
	}
	_ = resp.Body.Close()
	if _, err := get(t, c, "https://other.test"); Diagnose(err) != StepTLS {
		t.Errorf("another name's certificate is taken: %v", err)
	}
	o.Roots = nil
	if _, err := get(t, Client(Policy{}, o), "https://example.com"); Diagnose(err) != StepTLS {
		t.Errorf("an unknown authority is believed: %v", err)
	}
}

func TestHeaderLimit(t *testing.T) {
	f := &fake{}
	f.serve(t, "127.0.0.1:80", false, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Big", strings.Repeat("x", 100<<10))
	})
	c := Client(Policy{Localhost: true}, f.options())
	defer c.CloseIdleConnections()
	if _, err := get(t, c, "http://127.0.0.1"); err == nil {
		t.Error("a header of 100 KiB is taken")
	}
}

// Cancelling ends a lookup and a dial, not only the waiting for them.
func TestCancel(t *testing.T) {
	begun, ended := make(chan struct{}), make(chan struct{})
	hang := func(ctx context.Context) error {
		close(begun)
		<-ctx.Done()
		close(ended)
		return ctx.Err()
	}
	for _, o := range []Options{
		{Resolve: func(ctx context.Context, _ string) ([]netip.Addr, error) { return nil, hang(ctx) }},
		{
			Resolve: func(context.Context, string) ([]netip.Addr, error) {
				return []netip.Addr{netip.MustParseAddr("93.184.216.34")}, nil
			},
			Dial: func(ctx context.Context, _, _ string) (net.Conn, error) { return nil, hang(ctx) },
		},
	} {
		begun, ended = make(chan struct{}), make(chan struct{})
		ctx, cancel := context.WithCancel(t.Context())
		go func() { <-begun; cancel() }()
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://llm.example", nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Client(Policy{}, o).Do(req); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		select {
		case <-ended:
		case <-time.After(5 * time.Second): // half of what it would last by itself
			t.Error("it goes on")
		}
	}
}

// This program is not its own model server, under whichever address it serves.
func TestOwn(t *testing.T) {
	for own, refused := range map[string]bool{"127.0.0.1:8787": true, "0.0.0.0:8787": true, "127.0.0.1:8788": false, "127.0.0.2:8787": false} {
		f := &fake{}
		o := f.options()
		o.Own = func() []netip.AddrPort { return []netip.AddrPort{netip.MustParseAddrPort(own)} }
		_, err := get(t, Client(Policy{Localhost: true}, o), "http://127.0.0.1:8787")
		if (ReasonOf(err) == ReasonOwn) != refused {
			t.Errorf("%s: %v", own, err)
		}
	}
}

// body tells whether it was closed, as a RoundTripper must see to.
type body struct {
	*strings.Reader
	closed bool
}

func (b *body) Close() error { b.closed = true; return nil }

// The text is judged for every request, so an address that changed after Check is none the better.
func TestEveryRequest(t *testing.T) {
	f := &fake{}
	c := Client(Policy{Localhost: true}, f.options())
	if err := Check("http://127.0.0.1:11434", Policy{Localhost: true}); err != nil {
		t.Fatal(err)
	}
	b := &body{Reader: strings.NewReader("{}")}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1:6379", b)
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Do(req)
	wantReason(t, err, ReasonPort)
	if !b.closed {
		t.Error("the body was left open")
	}
}
