package netguard

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"

	"agentstudio/engine"
)

// ParseProxy reads the address of a proxy for Options.Proxy: http, https, socks5 or socks5h, with a
// host and perhaps a port, name and password, and nothing after it. The proxy may be on this
// computer or in the private network, because a person named it for this purpose; metadata services
// and the like are refused as everywhere. A refusal is an engine.Error, which never repeats the
// address: it may hold a password.
//
// A proxy weakens the guard, which a person must be told: it looks the names of public servers up
// itself, so that only the text of an address is checked and not where the name leads. This computer
// and private networks are still dialled directly.
func ParseProxy(address string) (*url.URL, error) {
	const example = "it looks like http://HOST:PORT"
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Opaque != "" || u.Host == "":
		return nil, refuse(ReasonMalformed, "the proxy cannot be read as an address; "+example)
	case u.Scheme != "http" && u.Scheme != "https" && u.Scheme != "socks5" && u.Scheme != "socks5h":
		return nil, refuse(ReasonScheme, "the proxy must begin with http://, https://, socks5:// or socks5h://; "+example)
	case strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return nil, refuse(ReasonMalformed, "the proxy must end after its host and port; "+example)
	}
	host, port, err := hostPort(u)
	if err != nil {
		return nil, err
	}
	u.Path = ""
	_, err = newTarget(proxyPolicy(), false, host, port)
	return u, err
}

// proxyPolicy is what a proxy may be at.
func proxyPolicy() Policy { return Policy{Localhost: true, Private: true} }

// proxyAnswer refuses what a proxy says to CONNECT unless it opens the way. Its text is not repeated:
// it may be anything.
func proxyAnswer(_ context.Context, _ *url.URL, connect *http.Request, answer *http.Response) error {
	switch {
	case answer.StatusCode == http.StatusOK:
		return nil
	case answer.StatusCode == http.StatusProxyAuthRequired:
		return proxyError("the proxy asks for a name and a password (407); put them into the address of the proxy")
	}
	return proxyError("the proxy does not open the way to %s (status %d); check what it allows, or do without it", connect.Host, answer.StatusCode)
}

// proxyFault tells failures on the way to the proxy from those beyond it. The standard library marks
// them by the operation alone.
func proxyFault(err error) error {
	var op *net.OpError
	if errors.As(err, &op) && (op.Op == "proxyconnect" || op.Op == "socks connect") {
		e := proxyError("the proxy does not answer, or not as a proxy; check its address and whether it runs")
		e.Err = err
		return e
	}
	return err
}

func proxyError(format string, args ...any) *engine.Error {
	return engine.Errorf(engine.ModelUnreachable, format, args...).With("step", string(StepProxy))
}
