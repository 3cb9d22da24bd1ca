package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"
	"unicode"

	"agentstudio/engine"
	"agentstudio/engine/netguard"
	"agentstudio/engine/words"
	"agentstudio/tui"
)

// chat writes an answer of Chat Completions in pieces.
func chat(w http.ResponseWriter, pieces ...string) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, p := range pieces {
		fmt.Fprintf(w, "data: %s\n\n", p)
	}
	fmt.Fprint(w, "data: [DONE]\n\n")
}

func text(s string) string {
	return fmt.Sprintf(`{"choices":[{"index":0,"delta":{"content":%q}}]}`, s)
}

const stopped = `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`

func refuses(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// Each step that can fail has a sentence of its own in both languages, and a test tells it.
func TestProbe(t *testing.T) {
	secure := httptest.NewTLSServer(refuses(200, ""))
	defer secure.Close()
	plain := httptest.NewServer(refuses(200, ""))
	defer plain.Close()
	keyless := httptest.NewServer(refuses(401, ""))
	defer keyless.Close()
	said := map[string]bool{}
	for _, c := range []struct {
		step, base string
		serve      http.HandlerFunc
		limit      time.Duration
	}{
		{"", "", func(w http.ResponseWriter, _ *http.Request) { chat(w, text("OK"), stopped) }, maxProbe},
		{"", "", func(w http.ResponseWriter, r *http.Request) { // it is heard at the first word
			_, _ = io.Copy(io.Discard, r.Body)
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, "data: %s\n\n", text("O"))
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}, maxProbe},
		{"auth", "", refuses(401, `{"error":{"message":"no such key"}}`), maxProbe},
		{"model", "", refuses(404, `{"error":{"message":"no such model"}}`), maxProbe},
		{"address", "", refuses(404, "404 page not found"), maxProbe},
		{"address", "", refuses(404, "<html><title>404 Not Found</title><h1>nginx</h1></html>"), maxProbe},
		{"address", "", refuses(405, ""), maxProbe},
		{"model", "", refuses(404, `{"error":{"message":"The model m2 does not exist","code":"model_not_found"}}`), maxProbe},
		{"denied", "", refuses(403, `{"error":{"message":"country not supported"}}`), maxProbe},
		{"request", "", refuses(400, `{"error":{"message":"tools are not supported"}}`), maxProbe},
		{"dropped", "", func(w http.ResponseWriter, _ *http.Request) {
			if c, _, err := w.(http.Hijacker).Hijack(); err == nil {
				_ = c.Close()
			}
		}, maxProbe},
		{"plain", "https://" + plain.Listener.Addr().String() + "/v1", nil, maxProbe},
		{"quota", "", refuses(402, `{"error":{"message":"insufficient balance"}}`), maxProbe},
		{"rate", "", refuses(429, `{"error":{"message":"slow down"}}`), maxProbe},
		{"server", "", refuses(503, `{"error":{"message":"loading"}}`), maxProbe},
		{"format", "", refuses(200, `<html><body>Welcome</body></html>`), maxProbe},
		{"timeout", "", func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body) // else the end of the request isn't noticed
			<-r.Context().Done()
		}, 20 * time.Millisecond},
		{"tls", secure.URL, nil, maxProbe},
		{"dns", "https://nowhere.example:8443/v1", nil, maxProbe},
		{"guard", "http://10.0.0.1/v1", nil, maxProbe},
		{"connect", "http://127.0.0.1:9099/v1", nil, maxProbe},
		{"proxy", "https://proxied.example/v1", nil, maxProbe},
		{"auth", keyless.URL + "/keyless", nil, maxProbe},
	} {
		base := c.base
		if c.serve != nil {
			s := httptest.NewServer(c.serve)
			defer s.Close()
			base = s.URL + "/v1"
		}
		for _, lang := range words.Languages() {
			r := probe(t, base, lang, c.limit)
			if r.Step != c.step || r.OK != (c.step == "") || r.Says == "" || strings.HasPrefix(r.Says, "connection.") || strings.ContainsAny(r.Says, "{}[]") ||
				(lang == words.Chinese) != strings.ContainsFunc(r.Says, func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
				t.Errorf("%q %s: %+v", c.step, lang, r)
			}
			if c.step == "dns" && (!strings.Contains(r.Says, "nowhere.example") || strings.Contains(r.Says, "8443")) {
				t.Errorf("a name has no port: %q", r.Says)
			}
			if c.step != "" && said[r.Says] {
				t.Errorf("%q is said of two steps", r.Says)
			}
			said[r.Says] = true
		}
	}
}

// probe tests a connection on this computer; names are never looked up.
func probe(t *testing.T, base string, lang words.Lang, limit time.Duration) tui.TestReport {
	t.Helper()
	c := chooser("", &ring{}, nil)
	c.lang = lang
	c.net = netguard.Options{
		Resolve: func(_ context.Context, host string) ([]netip.Addr, error) {
			return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
		},
		Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
			if strings.HasSuffix(address, ":9099") {
				return nil, &net.OpError{Op: "dial", Err: errors.New("connection refused")}
			}
			var d net.Dialer
			return d.DialContext(ctx, network, address)
		}}
	if strings.Contains(base, "proxied") {
		c.net.Proxy = &url.URL{Scheme: "http", Host: "127.0.0.1:9099"}
	}
	conn := chosen{Connection: engine.Connection{Provider: engine.ProviderOther, API: engine.APIChat, BaseURL: base, Model: "m"}}
	if !strings.Contains(base, "keyless") {
		conn.Key = engine.NewSecret("k")
	}
	return c.probe(t.Context(), conn, netguard.Policy{Localhost: true}, limit)
}

// A draft that isn't whole is told before anything is sent.
func TestProbeOfHalfADraft(t *testing.T) {
	c := chooser("", &ring{}, nil)
	for step, d := range map[string]tui.ConnectionDraft{
		"model": {Provider: "other", BaseURL: "https://x.example/v1"},
		"auth":  {Provider: "openai", Model: "m"},
		"guard": {BaseURL: "http://localhost:1/v1", Model: "m"},
	} {
		d.API, d.Images = engine.APIChat, "auto"
		if r := c.Test(t.Context(), d); r.OK || r.Step != step || r.Says == "" {
			t.Errorf("%s: %+v", step, r)
		}
	}
}
