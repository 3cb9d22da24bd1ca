package mirror_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"agentstudio/mirror"
)

// knock is one request with every header of the door under the test's hand; "" is left out.
type knock struct {
	method, path, host, origin, site, mode, token string
	upgrade                                       bool
	body                                          int
}

// send gives the status. The path's names are filled with something that is not there.
func (k knock) send(t *testing.T, s *stage) (int, string) {
	t.Helper()
	path := strings.NewReplacer("{$}", "", "{id}", "nothing", "{lang}", "en.json").Replace(k.path)
	r, err := http.NewRequestWithContext(t.Context(), k.method, s.base+path, bytes.NewReader(bytes.Repeat([]byte(" "), k.body)))
	if err != nil {
		t.Fatal(err)
	}
	r.Host = k.host
	set := func(name, value string) {
		if value != "" {
			r.Header.Set(name, value)
		}
	}
	set("Origin", k.origin)
	set("Sec-Fetch-Site", k.site)
	set("Sec-Fetch-Mode", k.mode)
	if k.token != "" {
		r.Header.Set("Authorization", "Bearer "+k.token)
	}
	if k.upgrade {
		for _, h := range [][2]string{{"Connection", "Upgrade"}, {"Upgrade", "websocket"}, {"Sec-WebSocket-Version", "13"}, {"Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="}} {
			r.Header.Set(h[0], h[1])
		}
	}
	res, err := http.DefaultTransport.RoundTrip(r) // no redirects followed, no Origin added
	if err != nil {
		t.Fatalf("%+v: %v", k, err)
	}
	defer res.Body.Close()
	if res.StatusCode == http.StatusSwitchingProtocols || strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") || strings.HasPrefix(res.Header.Get("Content-Type"), "application/x-ndjson") {
		return res.StatusCode, ""
	}
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(b)
}

// permitted are the roles that may do what a route needs.
func permitted(need string, r mirror.Role) bool {
	switch need {
	case "follow":
		return true
	case "decide":
		return r == mirror.Approver || r == mirror.Operator
	case "operate":
		return r == mirror.Operator
	}
	return true
}

// The whole table of the door, for every route there is: each refusal comes in its order, a wrong
// Origin opens nothing, and every command of a viewer is refused.
func TestDoor(t *testing.T) {
	s := open(t, func(o *mirror.Options) {
		o.Limits = mirror.Limits{Frames: 10000, Snapshots: 1000, Catchups: 1000, Sockets: 100, Guesses: 1000, Connects: 1000}
		o.Clients = 100
	})
	host := strings.TrimPrefix(s.base, "http://")
	wrong := strings.Repeat("ab", 32)
	for _, route := range mirror.Routes() {
		method, path, need := route[0], route[1], route[2]
		socket := path == "/ws"
		guarded := method != "GET" || socket
		good := knock{method: method, path: path, host: host, token: s.tokens[mirror.Operator], upgrade: socket}
		check := func(what string, k knock, want ...int) {
			t.Helper()
			status, body := k.send(t, s)
			for _, w := range want {
				if status == w {
					if w == 421 && body != "" {
						t.Errorf("%s %s, %s: 421 with the body %q", method, path, what, body)
					}
					return
				}
			}
			t.Errorf("%s %s, %s: %d, want %v (%s)", method, path, what, status, want, body)
		}
		with := func(change func(*knock)) knock { k := good; change(&k); return k }
		for _, h := range []string{"evil.example.com", "evil.example.com:" + s.port(), "127.0.0.1:1", "127.0.0.1", "127.0.0.1." + host, "[::1]", "localhost." + host} {
			check("Host "+h, with(func(k *knock) { k.host = h }), 421)
			check("Host "+h+" and OPTIONS", with(func(k *knock) { k.host, k.method = h, "OPTIONS" }), 421)
		}
		check("OPTIONS", with(func(k *knock) { k.method, k.origin = "OPTIONS", "https://evil.example.com" }), 405)
		check("another method", with(func(k *knock) { k.method = "PATCH" }), 405)
		for _, o := range []string{"null", "https://evil.example.com", "https://" + host, s.base + "0", "http://127.0.0.1", "http://localhost:" + s.port(), "http://127.0.0.1.evil.example.com:" + s.port(), s.base + "/", "file://"} {
			if guarded {
				check("Origin "+o, with(func(k *knock) { k.origin = o }), 403)
				check("Origin "+o+" without a token", with(func(k *knock) { k.origin, k.token = o, "" }), 403)
			}
		}
		if guarded {
			check("neither Origin nor token", with(func(k *knock) { k.token = "" }), 403)
		}
		for _, site := range []string{"cross-site", "same-site", "elsewhere"} {
			check("Sec-Fetch-Site "+site, with(func(k *knock) { k.site, k.origin = site, s.base }), 403)
		}
		if socket {
			check("Sec-Fetch-Mode cors", with(func(k *knock) { k.mode, k.site, k.origin = "cors", "same-origin", s.base }), 403)
			check("a wrong token of a program", with(func(k *knock) { k.token = wrong }), 401)
			check("a page", with(func(k *knock) {
				k.origin, k.token, k.mode, k.site = strings.ToUpper(s.base), "", "websocket", "Same-Origin"
			}), 101)
		}
		if need == "anybody" {
			if !socket {
				check("anybody", with(func(k *knock) { k.token, k.origin, k.site = "", s.base, "same-origin" }), 200, 400, 404)
			}
			continue
		}
		check("no token", with(func(k *knock) { k.token, k.origin = "", s.base }), 401)
		check("a wrong token", with(func(k *knock) { k.token = wrong }), 401)
		for _, r := range mirror.Roles() {
			k := with(func(k *knock) { k.token = s.tokens[r] })
			if !permitted(need, r) {
				check("as "+string(r), k, 403)
				continue
			}
			if path == "/api/leave" {
				continue // the tokens are needed below; TestLeave goes this way
			}
			status, body := k.send(t, s)
			if status == 401 || status == 403 && !strings.Contains(body, "uploads") || status == 405 || status == 421 || status >= 500 {
				t.Errorf("%s %s as %s: %d %s", method, path, r, status, body)
			}
		}
		check("too large", with(func(k *knock) { k.body = 33 << 20 }), 413)
	}
}

func (s *stage) port() string { return s.base[strings.LastIndex(s.base, ":")+1:] }

// Ten wrong tokens a minute slow further tries of an address down, and nobody who has a right one.
func TestWrongTokensAreSlowedDown(t *testing.T) {
	s := open(t, nil)
	got := ""
	for range 13 {
		status, _, _ := s.request("GET", "/api/health", strings.Repeat("cd", 32), "")
		got += fmt.Sprintf("%d ", status)
	}
	if want := strings.Repeat("401 ", 10) + strings.Repeat("429 ", 3); got != want {
		t.Errorf("answers %s, want %s", got, want)
	}
	if status, _, body := s.request("GET", "/api/health", s.tokens[mirror.Viewer], ""); status != 200 {
		t.Errorf("a right token: %d %s", status, body)
	}
}

// The table from the field of who may open the socket.
func TestHandshakes(t *testing.T) {
	raw, err := os.ReadFile("testdata/handshakes.json")
	if err != nil {
		t.Fatal(err)
	}
	var table []struct{ Origin, Host, Token, Result string }
	if err := json.Unmarshal(raw, &table); err != nil {
		t.Fatal(err)
	}
	s := open(t, nil)
	for _, c := range table {
		fill := func(x string) string { return strings.ReplaceAll(x, "PORT", s.port()) }
		k := knock{method: "GET", path: "/ws", host: fill(c.Host), origin: fill(c.Origin), upgrade: true}
		tokens := map[string]string{"good": s.tokens[mirror.Approver], "wrong": strings.Repeat("ab", 32), "none": ""}
		if c.Origin == "(none)" {
			k.origin, k.token = "", tokens[c.Token]
		}
		status, _ := k.send(t, s)
		opened := status == 101
		if opened && k.origin != "" && c.Token != "good" { // a page says its token in the first frame
			d := s.dial(tokens[c.Token], 0)
			if code := d.closed(); code != 4401 {
				t.Errorf("%+v: closed with %d, want 4401", c, code)
			}
			opened = false
		}
		accept := strings.HasPrefix(c.Result, "accept") && !strings.Contains(c.Host, "192.168.1.20")
		if opened != accept {
			t.Errorf("%+v: opened %v (%d)", c, opened, status)
		}
	}
}

// Every answer forbids what browsers might do with it.
func TestHeaders(t *testing.T) {
	s := open(t, nil)
	for _, path := range []string{"/", "/api/health", "/api/pair", "/nothing", "/words/zh.json"} {
		_, h, _ := s.request("GET", path, s.tokens[mirror.Viewer], "")
		csp := h.Get("Content-Security-Policy")
		for _, part := range []string{"default-src 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'", "img-src 'self' blob:", "form-action 'none'"} {
			if !strings.Contains(csp, part) {
				t.Errorf("%s: the policy %q lacks %s", path, csp, part)
			}
		}
		for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store", "X-Frame-Options": "DENY"} {
			if h.Get(name) != want {
				t.Errorf("%s: %s is %q", path, name, h.Get(name))
			}
		}
		if len(h.Values("Set-Cookie")) > 0 || h.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s sets cookies or CORS: %v", path, h)
		}
	}
}
