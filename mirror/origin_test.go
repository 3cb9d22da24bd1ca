package mirror_test

import (
	"net/http"
	"strings"
	"testing"

	"agentstudio/engine"
	"agentstudio/mirror"
)

// What could be read in two ways is refused, by the server behind the door and before it.
func TestDoubleHeaders(t *testing.T) {
	s := open(t, nil)
	socket := "Connection: Upgrade\nSec-WebSocket-Version: 13\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\n"
	token := "Authorization: Bearer " + s.tokens[mirror.Viewer] + "\n"
	for name, c := range map[string]struct {
		head   string
		status int
		code   engine.Code
	}{
		"two Upgrade headers":             {"GET /ws HTTP/1.1\nHost: HOST\nUpgrade: x\nUpgrade: websocket\nOrigin: http://evil.example.com\n" + socket, 403, engine.OriginRefused},
		"two Upgrade headers, a token":    {"GET /ws HTTP/1.1\nHost: HOST\nUpgrade: x\nUpgrade: websocket\nOrigin: http://evil.example.com\n" + socket + token, 403, engine.OriginRefused},
		"a list":                          {"GET /ws HTTP/1.1\nHost: HOST\nUpgrade: x, WebSocket\nOrigin: http://evil.example.com\n" + socket, 403, engine.OriginRefused},
		"no Upgrade":                      {"GET /ws HTTP/1.1\nHost: HOST\nOrigin: http://evil.example.com\n", 403, engine.OriginRefused},
		"two Origins":                     {"GET /ws HTTP/1.1\nHost: HOST\nUpgrade: websocket\nOrigin: BASE\nOrigin: http://evil.example.com\n" + socket, 403, engine.OriginRefused},
		"two Origins of a program":        {"GET /api/health HTTP/1.1\nHost: HOST\nOrigin: BASE\nOrigin: BASE\n" + token, 403, engine.OriginRefused},
		"two sites":                       {"GET /api/health HTTP/1.1\nHost: HOST\nSec-Fetch-Site: same-origin\nSec-Fetch-Site: cross-site\n" + token, 403, engine.OriginRefused},
		"two modes":                       {"GET /ws HTTP/1.1\nHost: HOST\nUpgrade: websocket\nOrigin: BASE\nSec-Fetch-Mode: websocket\nSec-Fetch-Mode: navigate\n" + socket, 403, engine.OriginRefused},
		"two tokens":                      {"GET /api/health HTTP/1.1\nHost: HOST\n" + token + token, 403, engine.OriginRefused},
		"two Hosts":                       {"GET /api/health HTTP/1.1\nHost: HOST\nHost: evil.example.com\n" + token, 400, ""},
		"a whole address":                 {"GET BASE/api/health HTTP/1.1\nHost: evil.example.com\n" + token, 421, ""},
		"a whole address, another's":      {"GET http://evil.example.com/api/health HTTP/1.1\nHost: HOST\n" + token, 421, ""},
		"OPTIONS of all, another's Host":  {"OPTIONS * HTTP/1.1\nHost: evil.example.com\n", 421, ""},
		"OPTIONS of all":                  {"OPTIONS * HTTP/1.1\nHost: HOST\n", 405, engine.RequestMalformed},
		"OPTIONS of a route":              {"OPTIONS /api/health HTTP/1.1\nHost: HOST\n", 405, engine.RequestMalformed},
		"another method":                  {"PUT /api/health HTTP/1.1\nHost: HOST\n" + token, 405, engine.RequestMalformed},
		"no such route":                   {"GET /api/nothing HTTP/1.1\nHost: HOST\n", 404, engine.RefNotFound},
		"a path that is not clean":        {"GET //api/../health HTTP/1.1\nHost: HOST\n", 404, engine.RefNotFound},
		"a route and more":                {"POST /api/pair/ HTTP/1.1\nHost: HOST\nOrigin: BASE\n", 404, engine.RefNotFound},
		"a proxy's request for elsewhere": {"CONNECT evil.example.com:443 HTTP/1.1\nHost: HOST\n" + token, 421, ""},
	} {
		_, r := s.raw(c.head + "Connection: close\n\n")
		if c.status == 400 { // the server's own answer is text
			if res, err := http.ReadResponse(r, nil); err != nil || res.StatusCode != 400 {
				t.Errorf("%s: %v %v", name, res, err)
			}
			continue
		}
		if status, code := s.answer(r); status != c.status || code != c.code {
			t.Errorf("%s: %d %s, want %d %s", name, status, code, c.status, c.code)
		}
	}
}

// An Origin is a scheme, a name and a port, and nothing else.
func TestOriginsExactly(t *testing.T) {
	s := open(t, nil)
	host := strings.TrimPrefix(s.base, "http://")
	for _, tail := range []string{"?", "#", "/", "/x", "?x", "#x", "\\", " ", ",", ", " + s.base, ":"} {
		k := knock{method: "GET", path: "/ws", host: host, origin: s.base + tail, upgrade: true}
		want := 403
		if tail == " " { // which is no part of a header's value
			want = 101
		}
		if status, _ := k.send(t, s); status != want {
			t.Errorf("Origin %q: %d, want %d", k.origin, status, want)
		}
	}
	for _, origin := range []string{"http://x@" + host, "http://@" + host, "http:" + host, "//" + host, host, "http://" + host + "@evil.example.com", "http://[::ffff:127.0.0.1]:" + s.port()} {
		k := knock{method: "GET", path: "/ws", host: host, origin: origin, upgrade: true}
		if status, _ := k.send(t, s); status != 403 {
			t.Errorf("Origin %q: %d", origin, status)
		}
	}
}

// Addresses that cannot be served exactly as they are named are refused, with what to do.
func TestAddressesExactly(t *testing.T) {
	s := open(t, nil)
	try := func(o mirror.Options) (*mirror.Mirror, error) {
		o.Session, o.Port = s.session, mirror.AnyPort
		return mirror.New(o)
	}
	for _, lan := range []string{"255.255.255.255", "::ffff:0.0.0.0", "0.0.0.0", "::", "::ffff:255.255.255.255", "224.0.0.1", "ff02::1", "::ffff:224.0.0.1", "198.51.100.7", "fe80::1%lo", "host"} {
		m, err := try(mirror.Options{LAN: lan})
		if engine.CodeOf(err) != engine.ConfigInvalid || !strings.Contains(err.Error(), "--mirror-lan") || !strings.Contains(err.Error(), "address of this machine") {
			t.Errorf("--mirror-lan %s: %v", lan, err)
		}
		if m != nil {
			_ = m.Close()
		}
	}
	for _, origin := range []string{"https://:443", "https://", "https://x.example:0", "https://x.example:99999", "https://x.example:", "https://x.example?", "https://x.example#", "https://x.example/",
		"https://*.example", "https://bücher.example", "https://a..b", "https://x@x.example", "ftp://x.example", "x.example"} {
		m, err := try(mirror.Options{Origins: []string{origin}})
		if engine.CodeOf(err) != engine.ConfigInvalid || !strings.Contains(err.Error(), "--mirror-origin takes https://NAME[:PORT]") {
			t.Errorf("--mirror-origin %s: %v", origin, err)
		}
		if m != nil {
			_ = m.Close()
		}
	}
	for _, lan := range []string{"127.0.0.1", "::ffff:127.0.0.1"} {
		m, err := try(mirror.Options{LAN: lan})
		if err != nil {
			t.Errorf("--mirror-lan %s: %v", lan, err)
			continue
		}
		_ = m.Close()
	}
}

// Another loopback address that is named is served, and is as near as the usual one.
func TestAnotherLoopback(t *testing.T) {
	manyLoopbacks(t)
	s := open(t, func(o *mirror.Options) { o.LAN = "127.0.0.2" })
	at := ""
	for _, a := range s.m.State().Addresses {
		if strings.Contains(a, "127.0.0.2") {
			at = a
		}
	}
	if at == "" {
		t.Fatalf("served are %v", s.m.State().Addresses)
	}
	s.base = at
	if status, _, body := s.request("GET", "/api/health", s.tokens[mirror.Approver], ""); status != 200 {
		t.Errorf("%d %s", status, body)
	}
}
