package netguard

import (
	"context"
	"net"
	"net/netip"
	"strings"
	"syscall"
	"time"
)

// dialer opens the connections of one transport.
type dialer struct {
	policy  Policy
	plain   bool
	options Options
}

// askerKey is under which a dial finds the context of the request that it was begun for.
// http.Transport detaches the two, so that after a cancel it would go on looking up and dialling.
type askerKey struct{}

// asking gives ctx for a request, with itself for its dials.
func asking(ctx context.Context) context.Context { return context.WithValue(ctx, askerKey{}, ctx) }

// connect is http.Transport's DialContext. A name is looked up once and then never again for this
// connection: what is dialled are the addresses that were judged.
func (d dialer) connect(ctx context.Context, _, address string) (net.Conn, error) {
	const limit = 10 * time.Second
	asker, asked := ctx.Value(askerKey{}).(context.Context)
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if asked {
		defer context.AfterFunc(asker, cancel)()
	}
	host, text, err := net.SplitHostPort(address)
	if err != nil {
		return nil, refuse(ReasonMalformed, "the host and port cannot be told apart; write HOST:PORT, and an IPv6 address in [brackets]")
	}
	port, err := portOf(text)
	if err != nil {
		return nil, err
	}
	t, err := newTarget(d.policy, d.plain, strings.ToLower(host), port)
	if err != nil {
		return nil, err
	}
	addresses, err := d.addresses(ctx, t)
	if err != nil {
		return nil, err
	}
	return d.race(ctx, t, addresses)
}

// addresses are all that a target has, every one of them judged: one bad answer refuses the whole
// name, for an honest server has none.
func (d dialer) addresses(ctx context.Context, t target) ([]netip.AddrPort, error) {
	found, err := d.lookup(ctx, t)
	if err != nil {
		return nil, err
	}
	var all []netip.AddrPort
	for _, a := range found {
		if err := d.judge(t, a); err != nil {
			return nil, err
		}
		all = append(all, netip.AddrPortFrom(a.Unmap(), t.port))
	}
	return all, nil
}

// lookup never asks anyone about localhost: what a name server says of it cannot matter.
func (d dialer) lookup(ctx context.Context, t target) ([]netip.Addr, error) {
	switch {
	case t.literal.IsValid():
		return []netip.Addr{t.literal}, nil
	case t.host == "localhost":
		return []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1}), netip.IPv6Loopback()}, nil
	}
	found, err := d.options.Resolve(ctx, t.host)
	if err == nil && len(found) == 0 {
		err = &net.DNSError{Err: "no such host", Name: t.host, IsNotFound: true}
	}
	return found, err
}

// judge is the target's judgement and that this program does not call itself.
func (d dialer) judge(t target, a netip.Addr) error {
	if err := t.judge(a); err != nil {
		return err
	}
	if d.options.Own == nil {
		return nil
	}
	for _, own := range d.options.Own() {
		everywhere := own.Addr().IsUnspecified() && classOf(a) != public
		if own.Port() == t.port && (everywhere || own.Addr().Unmap() == a.Unmap()) {
			return refuse(ReasonOwn, "port %d at %s is this program itself; give the model server's port", t.port, t.host)
		}
	}
	return nil
}

// race connects to the first address that answers. The next one starts when the one before has
// failed or is slow, so that a broken IPv6 costs a moment and not the whole limit.
func (d dialer) race(ctx context.Context, t target, addresses []netip.AddrPort) (net.Conn, error) {
	const most, patience = 8, 250 * time.Millisecond
	addresses = addresses[:min(most, len(addresses))]
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	won, failed := make(chan net.Conn), make(chan error, len(addresses))
	try := func(to netip.AddrPort) {
		conn, err := d.dial(ctx, t, to)
		if err != nil {
			failed <- err
			return
		}
		select {
		case won <- conn:
		case <-ctx.Done(): // another was faster, or nobody waits any more
			_ = conn.Close()
		}
	}
	var first error
	for started, ended := 0, 0; ended < len(addresses); {
		var slow <-chan time.Time
		if started < len(addresses) {
			go try(addresses[started])
			started++
			slow = time.After(patience)
		}
		select {
		case conn := <-won:
			return conn, nil
		case err := <-failed:
			ended++
			if first == nil {
				first = err
			}
		case <-slow:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return nil, first
}

// dial opens one connection. Control sees what the socket really connects to, whatever came between.
func (d dialer) dial(ctx context.Context, t target, to netip.AddrPort) (net.Conn, error) {
	if d.options.Dial != nil {
		return d.options.Dial(ctx, "tcp", to.String())
	}
	n := net.Dialer{Control: d.control(t)}
	return n.DialContext(ctx, "tcp", to.String())
}

// control is the last judgement, for net.Dialer.Control.
func (d dialer) control(t target) func(network, address string, _ syscall.RawConn) error {
	return func(_, address string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(address)
		if err != nil || to.Port() != t.port {
			return refuse(ReasonMalformed, "the connection to %s would lead to another port; try again", t.host)
		}
		return d.judge(t, to.Addr())
	}
}
