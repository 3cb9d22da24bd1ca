package mirror

import (
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/gorilla/websocket"

	"agentstudio/engine"
)

// parseOrigin reads an Origin exactly, without case, with the default port filled in: a scheme, a name
// or address, a port, and not a character besides (RFC 6454, 6.2).
func parseOrigin(s string) (authority, bool) {
	s = strings.ToLower(s)
	u, err := url.Parse(s)
	if err != nil || u.Hostname() == "" {
		return authority{}, false
	}
	a := authority{scheme: u.Scheme, host: u.Hostname(), port: u.Port()}
	if a.port == "" {
		a.port = defaultOf(a.scheme)
	}
	if n, err := strconv.ParseUint(a.port, 10, 16); err != nil || n == 0 {
		return authority{}, false
	}
	return a, s == a.address() || s == a.scheme+"://"+net.JoinHostPort(a.host, a.port)
}

func defaultOf(scheme string) string {
	switch scheme {
	case "http":
		return "80"
	case "https":
		return "443"
	}
	return ""
}

// proxyOrigin reads what --mirror-origin names.
func proxyOrigin(s string) (authority, error) {
	a, ok := parseOrigin(s)
	if !ok || a.scheme != "https" || net.ParseIP(a.host) == nil && !hostName(a.host) {
		return a, engine.Errorf(engine.ConfigInvalid, "--mirror-origin takes https://NAME[:PORT], the name as browsers send it (an international one begins with xn--), not %q", s)
	}
	a.proxied = true
	return a, nil
}

// hostName tells whether a browser could send this as the name of a host.
func hostName(s string) bool {
	for label := range strings.SplitSeq(s, ".") {
		if label == "" || strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return false
		}
	}
	return true
}

// same tells whether an Origin header names exactly that authority.
func (a authority) same(origin string) bool {
	o, ok := parseOrigin(origin)
	return ok && o.scheme == a.scheme && o.host == a.host && o.port == a.port
}

// upgrading tells whether a request may become a socket: whatever the library would take for a
// handshake, and a little more.
func upgrading(r *http.Request) bool {
	return r.URL.Path == "/ws" || websocket.IsWebSocketUpgrade(r) ||
		strings.Contains(strings.ToLower(strings.Join(r.Header.Values("Upgrade"), ",")), "websocket")
}

// fromHere checks what a browser says of where the request comes from. A header that is there twice
// could be read in two ways, so it is refused.
func (v *visit) fromHere() error {
	r := v.r
	if r.Method == http.MethodOptions {
		return errMethod
	}
	upgrade := upgrading(r)
	origin := r.Header.Values("Origin")
	for _, name := range []string{"Origin", "Authorization", "Sec-Fetch-Site", "Sec-Fetch-Mode"} {
		if len(r.Header.Values(name)) > 1 {
			return engine.Errorf(engine.OriginRefused, "the header %s is there more than once", name)
		}
	}
	if upgrade || r.Method != http.MethodGet {
		switch {
		case len(origin) == 0 && v.bearer() != "":
		case len(origin) == 1 && v.at.same(origin[0]):
		default:
			return engine.Errorf(engine.OriginRefused, "this was asked by a page that is not served here")
		}
	}
	site, mode := strings.ToLower(r.Header.Get("Sec-Fetch-Site")), strings.ToLower(r.Header.Get("Sec-Fetch-Mode"))
	fine := site == "" || site == "same-origin" || site == "none" && !upgrade && r.Method == http.MethodGet && !strings.HasPrefix(r.URL.Path, "/api/")
	if !fine || upgrade && mode != "" && mode != "websocket" {
		return engine.Errorf(engine.OriginRefused, "the browser says that another site asks for this")
	}
	return nil
}
