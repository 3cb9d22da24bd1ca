package mirror

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"agentstudio/engine"
)

// authority is an address under which the mirror may be called.
type authority struct {
	scheme, host, port string
	proxied            bool // behind a reverse proxy or tunnel, which has the TLS
}

// door is the list of all of them; nothing else opens anything.
type door struct{ list []authority }

func newDoor(o Options, listeners []net.Listener) (door, error) {
	scheme := "http"
	if o.TLS != nil {
		scheme = "https"
	}
	var d door
	for _, l := range listeners {
		a := l.Addr().(*net.TCPAddr)
		port := strconv.Itoa(a.Port)
		d.list = append(d.list, authority{scheme: scheme, host: a.IP.String(), port: port})
		if a.IP.IsLoopback() && !slices.Contains(d.list, authority{scheme: scheme, host: "localhost", port: port}) {
			d.list = append(d.list, authority{scheme: scheme, host: "localhost", port: port})
		}
	}
	for _, origin := range o.Origins {
		a, ok := parseOrigin(origin)
		if !ok || a.scheme != "https" {
			return d, engine.Errorf(engine.ConfigInvalid, "--mirror-origin takes https://NAME[:PORT], not %q", origin)
		}
		a.proxied = true
		d.list = append(d.list, a)
	}
	return d, nil
}

// parseOrigin reads an Origin exactly, without case, with the default port filled in.
func parseOrigin(s string) (authority, bool) {
	u, err := url.Parse(strings.ToLower(s))
	if err != nil || u.Host == "" || u.Path != "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil || u.Opaque != "" {
		return authority{}, false
	}
	port := defaultOf(u.Scheme)
	if u.Port() != "" {
		port = u.Port()
	}
	return authority{scheme: u.Scheme, host: u.Hostname(), port: port}, port != ""
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

// find is the authority that a Host header names.
func (d door) find(host string) (authority, bool) {
	host = strings.ToLower(host)
	for _, a := range d.list {
		whole := net.JoinHostPort(a.host, a.port)
		bare := strings.TrimSuffix(whole, ":"+a.port)
		if host == whole || host == bare && a.port == defaultOf(a.scheme) {
			return a, true
		}
	}
	return authority{}, false
}

// same tells whether an Origin header names exactly that authority.
func (a authority) same(origin string) bool {
	o, ok := parseOrigin(origin)
	return ok && o.scheme == a.scheme && o.host == a.host && o.port == a.port
}

// visit is one request on its way through the door.
type visit struct {
	w      http.ResponseWriter
	r      *http.Request
	id     string
	at     authority
	seat   *seat
	device *device // nil on routes for anybody
	role   Role
	share  Share
}

// route is a way in. The table of them is routes, and TestDoor goes through all.
type route struct {
	method string
	path   string
	need   act
	body   int64 // bytes a request may bring
	serve  func(*Mirror, *visit) error
}

// handler is the whole door: Host, OPTIONS, Origin, Sec-Fetch, then the route with its token, role,
// size and rate. The first that is wrong answers.
func (m *Mirror) handler() http.Handler {
	mux := http.NewServeMux()
	for _, r := range routes() {
		mux.HandleFunc(r.path, func(w http.ResponseWriter, req *http.Request) { m.enter(w, req, r) })
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !m.busy() {
			panic(http.ErrAbortHandler)
		}
		defer m.work.Done()
		at, ok := m.door.find(r.Host)
		if !ok {
			m.refused(r, "host")
			w.WriteHeader(http.StatusMisdirectedRequest)
			return
		}
		headers(w.Header())
		s, _ := r.Context().Value(seatKey{}).(*seat)
		v := &visit{w: w, r: r, id: random(9), at: at, seat: s}
		if at.proxied {
			v.seat = &seat{tls: true}
		}
		if err := v.fromHere(); err != nil {
			m.fail(v, err)
			return
		}
		if path.Clean(r.URL.Path) != r.URL.Path {
			w.WriteHeader(http.StatusNotFound) // the mux would redirect to what was asked for
			return
		}
		mux.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), visitKey{}, v)))
	})
}

type visitKey struct{}

// headers are those of every answer: nothing is framed, cached, sniffed or run that is not ours.
func headers(h http.Header) {
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; "+
		"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'")
	h.Set("X-Frame-Options", "DENY")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=()")
	h.Set("Cache-Control", "no-store")
}

// errMethod is answered with 405 and nothing else.
var errMethod = errors.New("method not allowed")

// fromHere checks what a browser says of where the request comes from.
func (v *visit) fromHere() error {
	r := v.r
	if r.Method == http.MethodOptions {
		return errMethod
	}
	upgrade := strings.Contains(strings.ToLower(r.Header.Get("Upgrade")), "websocket")
	if upgrade || r.Method != http.MethodGet {
		origin := r.Header.Values("Origin")
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

func (v *visit) bearer() string {
	kind, token, _ := strings.Cut(v.r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(kind, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

// enter is the rest of the door, for one route.
func (m *Mirror) enter(w http.ResponseWriter, r *http.Request, way route) {
	v := r.Context().Value(visitKey{}).(*visit)
	v.w, v.r = w, r
	if err := m.pass(v, way); err != nil {
		m.fail(v, err)
	}
}

func (m *Mirror) pass(v *visit, way route) error {
	if v.r.Method != way.method {
		return errMethod
	}
	if way.need != anybody {
		if v.device = m.known(v.bearer(), v.seat, v.address()); v.device == nil {
			return m.wrongToken(v)
		}
		v.role, v.share, _ = m.standing(v.device)
		if !v.role.may(way.need) {
			return refuseRole(v.role)
		}
	}
	if v.r.ContentLength > way.body {
		return tooLarge(way.body)
	}
	v.r.Body = http.MaxBytesReader(v.w, v.r.Body, way.body)
	if v.device != nil && !v.device.frames.AllowN(m.now(), 1) {
		return engine.Errorf(engine.RateLimited, "more than the %d requests a second that a device may make", m.o.Limits.Frames)
	}
	return way.serve(m, v)
}

// wrongToken slows down whoever tries many. A right token is never kept out by that.
func (m *Mirror) wrongToken(v *visit) error {
	if v.bearer() != "" && !m.guess(v) {
		return engine.Errorf(engine.RateLimited, "too many wrong tokens or codes from this address; wait a minute")
	}
	return engine.Errorf(engine.TokenInvalid, "the token is missing, wrong, expired or revoked; pair the device again")
}

func tooLarge(most int64) error {
	return engine.Errorf(engine.RequestTooLarge, "this takes at most %d bytes", most)
}

// address is whom limits by address count: behind a proxy all come from one, so they are off there.
func (v *visit) address() string {
	if v.at.proxied {
		return ""
	}
	host, _, err := net.SplitHostPort(v.r.RemoteAddr)
	if err != nil {
		return v.r.RemoteAddr
	}
	return host
}
