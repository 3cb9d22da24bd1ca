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
	"syscall"

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

// wrap puts TLS over a listener, if there is any.
func (m *Mirror) wrap(l net.Listener) net.Listener {
	if m.o.TLS == nil {
		return l
	}
	c := m.o.TLS.Clone()
	c.NextProtos = []string{"http/1.1"} // sockets need it
	c.MinVersion = max(c.MinVersion, tls.VersionTLS12)
	return tls.NewListener(l, c)
}

// seat is what is known of a connection before anything is said on it.
type seat struct {
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
