package mirror

import (
	"context"
	"net"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

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
		a, err := proxyOrigin(origin)
		if err != nil {
			return d, err
		}
		d.list = append(d.list, a)
	}
	return d, nil
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

// visit is one request on its way through the door.
type visit struct {
	w      http.ResponseWriter // with the write deadline
	raw    http.ResponseWriter // as the server made it
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
		mux.HandleFunc(r.path, func(_ http.ResponseWriter, req *http.Request) { m.enter(req, r) })
	}
	mux.HandleFunc("/", func(_ http.ResponseWriter, r *http.Request) {
		m.enter(r, route{method: r.Method, serve: (*Mirror).nowhere})
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !m.busy() {
			panic(http.ErrAbortHandler)
		}
		defer m.work.Done()
		paced := &pacedWriter{w, m.o.pace.write}
		if hasBody(r) { // whoever reads it on has it renewed, or lifted when it has come
			_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(m.o.pace.body))
		}
		at, ok := m.door.find(r.Host)
		if !ok || r.URL.Host != "" {
			m.refused(r, "host")
			paced.WriteHeader(http.StatusMisdirectedRequest)
			return
		}
		headers(w.Header())
		s, _ := r.Context().Value(seatKey{}).(*seat)
		v := &visit{w: paced, raw: w, r: r, id: random(9), at: at, seat: s}
		if at.proxied {
			v.seat = &seat{tls: true, guest: s.guest}
		}
		m.letIn(v, mux)
		paced.renew() // what is left in buffers goes out now
	})
}

// letIn is the door before any route, and then the route.
func (m *Mirror) letIn(v *visit, routes http.Handler) {
	err := v.fromHere()
	if err == nil && path.Clean(v.r.URL.Path) != v.r.URL.Path {
		err = m.nowhere(v) // the router would redirect to what was asked for
	}
	if err != nil {
		m.fail(v, err)
		return
	}
	routes.ServeHTTP(v.w, v.r.WithContext(context.WithValue(v.r.Context(), visitKey{}, v)))
}

// nowhere is every path that is no route's.
func (m *Mirror) nowhere(*visit) error {
	return engine.Errorf(engine.RefNotFound, "there is nothing at this address; docs/mirror.md has the routes")
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

// errMethod is answered with 405.
var errMethod error = engine.Errorf(engine.RequestMalformed, "this address does not take that method")

func (v *visit) bearer() string {
	kind, token, _ := strings.Cut(v.r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(kind, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

// enter is the rest of the door, for one route.
func (m *Mirror) enter(r *http.Request, way route) {
	v := r.Context().Value(visitKey{}).(*visit)
	v.r = r // with the names of its path
	if err := m.pass(v, way); err != nil {
		m.fail(v, err)
	}
}

func (m *Mirror) pass(v *visit, way route) error {
	if v.r.Method != way.method {
		v.w.Header().Set("Allow", way.method)
		return errMethod
	}
	if way.need != anybody {
		if v.device = m.known(v.bearer(), v.seat, v.address()); v.device == nil {
			return m.wrongToken(v)
		}
		m.guests.know(v.seat.guest, v.device)
		v.role, v.share, _ = m.standing(v.device)
		if !v.role.may(way.need) {
			return refuseRole(v.role)
		}
	}
	if v.r.ContentLength > way.body || way.body == noBody && hasBody(v.r) {
		return tooLarge(way.body)
	}
	v.r.Body = http.MaxBytesReader(v.raw, v.r.Body, way.body)
	if v.device != nil && !v.device.frames.AllowN(m.now(), 1) {
		return engine.Errorf(engine.RateLimited, "more than the %d requests a second that a device may make", m.o.Limits.Frames)
	}
	return way.serve(m, v)
}

// wrongToken slows down whoever tries many. A right token is never kept out by that.
func (m *Mirror) wrongToken(v *visit) error {
	if v.bearer() != "" && !m.guess(&m.tokens, v) {
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
	return hostOf(v.r.RemoteAddr)
}
