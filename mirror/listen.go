package mirror

import (
	"cmp"
	"crypto/tls"
	"errors"
	"log"
	"net"
	"net/netip"
	"slices"
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
		lan, err := lanHost(o.LAN)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(hosts, lan) {
			hosts = append(hosts, lan)
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

// lanHost reads what --mirror-lan names, which is exactly one address of this machine.
func lanHost(s string) (string, error) {
	a, err := netip.ParseAddr(s)
	if err != nil || a.Zone() != "" {
		return "", engine.Errorf(engine.ConfigInvalid, "--mirror-lan takes an address of this machine, as in 192.168.1.20, not %q", s)
	}
	a = a.Unmap()
	if a.IsUnspecified() || a.IsMulticast() {
		return "", engine.Errorf(engine.ConfigInvalid, "--mirror-lan takes one address of this machine, not %s; name the network that may watch", s)
	}
	if a.IsLoopback() {
		return a.String(), nil
	}
	own, err := net.InterfaceAddrs()
	if err != nil {
		return a.String(), nil // the system will say whether it can be had
	}
	var have []string
	for _, o := range own {
		p, err := netip.ParsePrefix(o.String())
		if err != nil {
			continue
		}
		if p.Addr() == a {
			return a.String(), nil
		}
		if p.Addr().IsGlobalUnicast() {
			have = append(have, p.Addr().String())
		}
	}
	return "", engine.Errorf(engine.ConfigInvalid, "%s of --mirror-lan is no address of this machine; it has %s", s, cmp.Or(strings.Join(have, ", "), "none but its own"))
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
	guest    *guest
}

type seatKey struct{}

func loopback(a net.Addr) bool {
	t, ok := a.(*net.TCPAddr)
	return ok && t.IP.IsLoopback()
}

// quiet is where the HTTP server's own complaints go: to the log, a line each.
func quiet(tell func(string)) *log.Logger { return log.New(lines(tell), "", 0) }

type lines func(string)

// complaint is how many runes of one are kept: a fault's stack is long, and what a client sent may be.
const complaint = 4000

func (l lines) Write(b []byte) (int, error) {
	l(engine.Label(inline(strings.TrimSpace(string(b))), complaint))
	return len(b), nil
}
