// Package netguard decides which addresses a model's server may have. A base URL is text that
// somebody typed, pasted or was sent; without a guard it reaches the router, the cloud's metadata
// service or another program on this computer, with a key in the request.
//
// # Layers
//
// Check reads the text alone, so that a person hears what is wrong while still in the form. Client
// makes the only HTTP client that models are spoken to with; it checks the text of every request
// again, resolves the name itself, judges every answer, dials the literal addresses and judges once
// more when the socket is about to connect. The later layer never trusts the earlier one.
//
// # Policies
//
// The zero Policy is https to public addresses. Localhost adds exactly localhost, 127.0.0.0/8 and
// ::1, Private adds the private ranges, both with http as well. No policy reaches metadata services,
// link-local, multicast or reserved addresses, 0.0.0.0, or ports of other well-known services.
// Plain http by name is for names that nobody can register, as gpu, gpu.lan or gpu.local; a company's
// own public-looking name needs https or its address.
//
// # What it cannot see
//
// A network may translate IPv4 into an IPv6 prefix of its own (NAT64 with a network-specific
// prefix); such an address looks public and is dialled. What a proxy given by Options.Proxy connects
// to is the proxy's decision, see ParseProxy.
//
// Refusals are engine.Error of ADDRESS_REFUSED, with a sentence that says what to do and the Reason
// in details.reason. They never repeat more of an address than its host and port. Everything here
// may be used by many goroutines at once.
//
// The ranges are those of IANA's special-purpose registries, by way of code.dny.dev/ssrf.
package netguard

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"
)

// Policy says what may be reached beyond public servers over https.
type Policy struct {
	Localhost bool // localhost, 127.0.0.0/8 and ::1, with http too: --allow-localhost-models
	Private   bool // the private ranges, with http too: --allow-private-models
}

// Options are what a client needs from outside. The zero Options are those of the real network.
type Options struct {
	// Resolve looks a name up; nil asks this computer's resolver. An answer that is no error and
	// holds nothing means that there is no such name.
	Resolve func(ctx context.Context, host string) ([]netip.Addr, error)
	// Dial connects to a literal ip:port that has been judged; nil is the real network.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Proxy is the proxy that public servers are reached through, from ParseProxy; nil for none.
	// It weakens the guard, see there.
	Proxy *url.URL
	// Roots are the certificate authorities to believe; nil for this computer's.
	Roots *x509.CertPool
	// Own lists where this program itself serves at the moment; it never dials itself. May be nil.
	Own func() []netip.AddrPort
}

// Client makes a client that reaches only what p allows. It takes no proxy from the environment,
// follows no redirect (one is a refusal with the reason redirect), keeps no cookies and unpacks
// nothing. Connecting has 10 s, lookup included, and TLS another 10 s; an answer has no limit, for it
// may be a long stream: its reader sets one. Cancelling a request ends its lookup and its dial.
//
// Each client has connections of its own, so that none that was opened under a wider policy serves a
// narrower one. When the policy changes, make a new one and call CloseIdleConnections on the old.
func Client(p Policy, o Options) *http.Client {
	if o.Resolve == nil {
		o.Resolve = resolve
	}
	g := &guard{
		policy: p,
		plain:  transport(dialer{policy: p, plain: true, options: o}, o.Roots),
		secure: transport(dialer{policy: p, options: o}, o.Roots),
	}
	if o.Proxy != nil {
		// The person named the proxy, so it may be on this computer or in the house.
		g.proxied = transport(dialer{policy: proxyPolicy(), options: o}, o.Roots)
		g.proxied.Proxy = http.ProxyURL(o.Proxy)
		g.proxied.OnProxyConnectResponse = proxyAnswer
	}
	return &http.Client{Transport: g}
}

func resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
}

// transport is made from nothing, not from http.DefaultTransport, whose Proxy reads the environment.
func transport(d dialer, roots *x509.CertPool) *http.Transport {
	return &http.Transport{
		DialContext:            d.connect,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots},
		TLSHandshakeTimeout:    10 * time.Second,
		IdleConnTimeout:        90 * time.Second,
		ExpectContinueTimeout:  time.Second,
		MaxResponseHeaderBytes: 64 << 10,
		DisableCompression:     true, // packing holds the pieces of a stream back
		ForceAttemptHTTP2:      true, // which a DialContext otherwise switches off
		// Without pings a connection that a changed network has killed is used again and again.
		HTTP2: &http.HTTP2Config{SendPingTimeout: 30 * time.Second, PingTimeout: 15 * time.Second},
	}
}

// guard judges every request and passes it to the transport for its kind of connection.
type guard struct {
	policy        Policy
	plain, secure *http.Transport
	proxied       *http.Transport // nil without a proxy
}

// RoundTrip refuses what the policy does not allow, and redirects whatever they lead to: the key
// would travel along. It is done here because a caller may replace a client's CheckRedirect.
func (g *guard) RoundTrip(req *http.Request) (*http.Response, error) {
	t, err := targetOf(req.URL, g.policy)
	if err != nil {
		if req.Body != nil {
			_ = req.Body.Close()
		}
		return nil, err
	}
	way := g.way(t)
	resp, err := way.RoundTrip(req.WithContext(asking(req.Context())))
	if err != nil {
		if way == g.proxied {
			err = proxyFault(err)
		}
		return nil, err
	}
	if err := redirect(t, resp); err != nil {
		_ = resp.Body.Close()
		return nil, err
	}
	return resp, nil
}

// way is the transport for a target. Only what is surely out in the world goes to the proxy: it
// could not reach this computer, and what is in the house is judged by its addresses.
func (g *guard) way(t target) *http.Transport {
	switch {
	case t.plain:
		return g.plain
	case g.proxied != nil && t.outside():
		return g.proxied
	}
	return g.secure
}

// CloseIdleConnections is what http.Client's method of that name calls.
func (g *guard) CloseIdleConnections() {
	for _, t := range []*http.Transport{g.plain, g.secure, g.proxied} {
		if t != nil {
			t.CloseIdleConnections()
		}
	}
}

// redirect is the refusal of an answer that leads elsewhere, nil for any other answer.
func redirect(t target, resp *http.Response) error {
	switch resp.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
	default:
		return nil
	}
	if resp.Header.Get("Location") == "" {
		return nil // it leads nowhere, so the client will not follow it
	}
	// The rest of the address is the server's text and may hold anything, as may a strange host.
	where := "another address"
	if to, err := resp.Location(); err == nil && spelled(strings.ToLower(to.Hostname())) == nil {
		where = strings.ToLower(to.Hostname())
	}
	return refuse(ReasonRedirect, "%s redirects to %s, which is not followed because the key would go along; set the base URL to the address that answers itself", t.host, where)
}
