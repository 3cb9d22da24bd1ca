package mirror

import (
	"context"
	"crypto/tls"
	"errors"
	"log"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"agentstudio/engine"
)

const defaultPort = 8484

// AnyPort as Options.Port is whichever port is free.
const AnyPort = -1

// listen opens 127.0.0.1 and ::1, and the address on the network if one is asked for, on one port.
func (o Options) listen() ([]net.Listener, error) {
	if o.LAN != "" && len(o.Origins) > 0 {
		return nil, engine.Errorf(engine.ConfigInvalid, "--mirror-origin is for a proxy to this machine's own address; it cannot be had together with --mirror-lan")
	}
	hosts := []string{"127.0.0.1", "::1"}
	if o.LAN != "" {
		a, err := netip.ParseAddr(o.LAN)
		switch {
		case err != nil || a.Zone() != "":
			return nil, engine.Errorf(engine.ConfigInvalid, "--mirror-lan takes an address of this machine, as in 192.168.1.20, not %q", o.LAN)
		case a.IsUnspecified() || a.IsMulticast():
			return nil, engine.Errorf(engine.ConfigInvalid, "--mirror-lan takes one address of this machine, not %s; name the network that may watch", o.LAN)
		case !a.IsLoopback():
			hosts = append(hosts, a.String())
		}
	}
	port := o.Port
	if port == 0 {
		port = defaultPort
	}
	l, err := listenAll(hosts, max(port, 0))
	if o.Port <= 0 && errors.Is(err, syscall.EADDRINUSE) {
		for range 8 { // a free one of the first address may be taken on the next
			if l, err = listenAll(hosts, 0); err == nil {
				break
			}
		}
	}
	if err != nil {
		return nil, &engine.Error{Code: engine.ConfigInvalid, Err: err,
			Message: "the mirror cannot listen on port " + strconv.Itoa(port) + " of " + strings.Join(hosts, ", ") + "; choose another with --mirror-port, or check --mirror-lan"}
	}
	return l, nil
}

func listenAll(hosts []string, port int) (all []net.Listener, err error) {
	for _, h := range hosts {
		l, err := net.Listen("tcp", net.JoinHostPort(h, strconv.Itoa(port)))
		if err != nil {
			if h == "::1" && !errors.Is(err, syscall.EADDRINUSE) {
				continue // a machine without IPv6
			}
			closeAll(all)
			return nil, err
		}
		port = l.Addr().(*net.TCPAddr).Port
		all = append(all, l)
	}
	return all, nil
}

// wrap puts TLS, if there is any, over connections whose writes can be gathered.
func (m *Mirror) wrap(l net.Listener) net.Listener {
	corked := corkListener{l}
	if m.o.TLS == nil {
		return corked
	}
	c := m.o.TLS.Clone()
	c.NextProtos = []string{"http/1.1"} // sockets need it
	c.MinVersion = max(c.MinVersion, tls.VersionTLS12)
	return tls.NewListener(corked, c)
}

type corkListener struct{ net.Listener }

func (l corkListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &cork{Conn: c}, nil
}

// cork is a connection whose writes can be gathered: several frames that are due at once go out with
// one call to the system. Gathering belongs to the one goroutine that writes.
type cork struct {
	net.Conn
	mu     sync.Mutex
	gather bool
	buf    []byte
	rest   []byte // what a failed release left over
}

func (c *cork) Write(b []byte) (int, error) {
	c.mu.Lock()
	if !c.gather {
		c.mu.Unlock()
		return c.Conn.Write(b)
	}
	c.buf = append(c.buf, b...)
	c.mu.Unlock()
	return len(b), nil
}

// hold begins to gather.
func (c *cork) hold() {
	c.mu.Lock()
	c.gather = true
	c.mu.Unlock()
}

// release sends what was gathered.
func (c *cork) release() error {
	c.mu.Lock()
	buf := c.buf
	c.gather, c.buf = false, nil
	c.mu.Unlock()
	if len(buf) == 0 {
		return nil
	}
	n, err := c.Conn.Write(buf)
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case err != nil:
		c.rest = buf[n:]
	case cap(buf) <= 64<<10:
		c.buf = buf[:0]
	}
	return err
}

// finish tries for a moment more to send what a deadline cut, so that a last frame can follow.
func (c *cork) finish() error {
	c.mu.Lock()
	rest := c.rest
	c.rest = nil
	c.mu.Unlock()
	_ = c.SetWriteDeadline(time.Now().Add(writeHurried))
	_, err := c.Conn.Write(rest)
	return err
}

// seat is what is known of a connection before anything is said on it.
type seat struct {
	cork     *cork
	tls      bool
	loopback bool // both ends are this machine
}

type seatKey struct{}

func (m *Mirror) seated(ctx context.Context, c net.Conn) context.Context {
	s := &seat{}
	if t, ok := c.(*tls.Conn); ok {
		s.tls = true
		c = t.NetConn()
	}
	s.cork, _ = c.(*cork)
	s.loopback = m.o.near(c.LocalAddr()) && m.o.near(c.RemoteAddr())
	return context.WithValue(ctx, seatKey{}, s)
}

func loopback(a net.Addr) bool {
	t, ok := a.(*net.TCPAddr)
	return ok && t.IP.IsLoopback()
}

// quiet is where the HTTP server's own complaints go: to the log, a line each.
func quiet(tell func(string)) *log.Logger { return log.New(lines(tell), "", 0) }

type lines func(string)

func (l lines) Write(b []byte) (int, error) {
	l(inline(strings.TrimSpace(string(b))))
	return len(b), nil
}
