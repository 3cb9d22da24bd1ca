package mirror

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"slices"
	"sync"
)

const (
	guestsMost = 256 // connections on which no token was seen yet
	guestsEach = 32  // of them from one address
	knownEach  = 32  // connections of a device that are no guests
)

// guest is a connection, from its accepting until it is closed or a socket.
type guest struct {
	conn   net.Conn
	addr   string
	device *device // whose token was seen on it; nil for nobody's
}

// guests are the connections on which no token was seen yet. When there are too many the oldest is
// closed, not the new one, so that somebody with a token always gets in; and one of the same address first,
// so that nobody closes those of others before having used up their own share.
type guests struct {
	shared bool // all seem to come from one address, that of a proxy

	mu   sync.Mutex
	by   map[net.Conn]*guest // all
	wait []*guest            // nobody's, oldest first
	held map[*device]int
}

// seated is what is known of a connection when it is accepted (http.Server.ConnContext).
func (m *Mirror) seated(ctx context.Context, c net.Conn) context.Context {
	s, plain := &seat{}, c
	if t, ok := c.(*tls.Conn); ok {
		s.tls = true
		plain = t.NetConn() // closing it waits for nobody
	}
	s.loopback = m.o.near(plain.LocalAddr()) && m.o.near(plain.RemoteAddr())
	s.guest = m.guests.enter(c, plain)
	return context.WithValue(ctx, seatKey{}, s)
}

// enter takes a connection in. plain is what is closed when it has to go.
func (l *guests) enter(c, plain net.Conn) *guest {
	g := &guest{conn: plain, addr: hostOf(plain.RemoteAddr().String())}
	l.mu.Lock()
	if l.by == nil {
		l.by, l.held = map[net.Conn]*guest{}, map[*device]int{}
	}
	var gone *guest
	count := 0
	for _, x := range l.wait {
		if x.addr == g.addr {
			count++
		}
	}
	switch {
	case count >= guestsEach && !l.shared:
		gone = l.wait[slices.IndexFunc(l.wait, func(x *guest) bool { return x.addr == g.addr })]
	case len(l.wait) >= guestsMost:
		gone = l.wait[0]
	}
	l.drop(gone)
	l.by[c], l.wait = g, append(l.wait, g)
	l.mu.Unlock()
	if gone != nil {
		_ = gone.conn.Close()
	}
	return g
}

// drop is called with mu held.
func (l *guests) drop(g *guest) {
	l.wait = slices.DeleteFunc(l.wait, func(x *guest) bool { return x == g })
}

// know takes a connection off the guests, since the token of a device was seen on it. One device has
// only so many.
func (l *guests) know(g *guest, d *device) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if g.device != nil || l.held[d] >= knownEach || !slices.Contains(l.wait, g) {
		return
	}
	g.device = d
	l.held[d]++
	l.drop(g)
}

// moved is told where a connection stands (http.Server.ConnState). Sockets have limits of their own.
func (l *guests) moved(c net.Conn, state http.ConnState) {
	if state != http.StateClosed && state != http.StateHijacked {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	g := l.by[c]
	if g == nil {
		return
	}
	delete(l.by, c)
	l.drop(g)
	if g.device != nil {
		if l.held[g.device]--; l.held[g.device] == 0 {
			delete(l.held, g.device)
		}
	}
}

// hostOf is an address without its port.
func hostOf(hostPort string) string {
	host, _, err := net.SplitHostPort(hostPort)
	if err != nil {
		return hostPort
	}
	return host
}
