package provider

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"syscall"

	"agentstudio/engine"
)

// loopback tells whether a host is this computer.
func loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && ip.Unmap().IsLoopback()
}

// unreachable says why no answer came at all. The address is not repeated but for its host, and the
// cause is kept without the request it belongs to.
func (w *wire) unreachable(err error) error {
	var outer *url.Error
	if errors.As(err, &outer) {
		err = outer.Err
	}
	host := w.upstream.said(w.host)
	var dns *net.DNSError
	var e *engine.Error
	switch {
	case errors.As(err, &dns) && dns.IsNotFound:
		e = engine.Errorf(engine.ModelUnreachable, "no server has the name %s; check the base URL and this computer's network", host)
	case errors.As(err, &dns):
		e = engine.Errorf(engine.ModelUnreachable, "the name %s could not be looked up; check this computer's network, then try again", host)
	case strings.Contains(err.Error(), "HTTP response to HTTPS client"):
		e = engine.Errorf(engine.ModelTLS, "%s does not speak https; check the base URL's scheme and port", host)
	case certificate(err):
		e = engine.Errorf(engine.ModelTLS, "the certificate of %s is not accepted (%s); check the base URL, the date of this computer, and whether a proxy stands between", host, w.upstream.said(err.Error()))
	case encryption(err):
		e = engine.Errorf(engine.ModelTLS, "no encrypted connection to %s came about; check the base URL's scheme and port", host)
	case errors.Is(err, syscall.ECONNREFUSED) || strings.Contains(err.Error(), "refused"):
		e = engine.Errorf(engine.ModelUnreachable, "nothing answers at %s; start the model server or check the base URL", host)
	case timedOut(err):
		e = engine.Errorf(engine.ModelUnreachable, "%s did not answer in time; check the base URL and the network, then try again", host)
	case strings.Contains(err.Error(), "malformed HTTP"):
		e = engine.Errorf(engine.ModelProtocol, "what answers at %s does not speak HTTP; check the base URL's port", host)
	default:
		e = engine.Errorf(engine.ModelUnreachable, "the connection to %s failed before an answer came; try again", host)
	}
	e.Err = err
	return e
}

func certificate(err error) bool {
	var verify *tls.CertificateVerificationError
	var unknown x509.UnknownAuthorityError
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	return errors.As(err, &verify) || errors.As(err, &unknown) || errors.As(err, &name) || errors.As(err, &invalid)
}

func encryption(err error) bool {
	var record tls.RecordHeaderError
	var alert tls.AlertError
	return errors.As(err, &record) || errors.As(err, &alert) || strings.Contains(err.Error(), "tls: ")
}

func timedOut(err error) bool {
	var n net.Error
	return errors.As(err, &n) && n.Timeout()
}

// cut says that an answer that had begun did not come to its end.
func (w *wire) cut(err error) error {
	e := engine.Errorf(engine.ModelStreamCut, "the answer ended early: the connection closed before its end; send the message again")
	e.Err = err
	return e
}

// tooLate says that no answer began within the limit.
func (w *wire) tooLate() error {
	e := engine.Errorf(engine.ModelUnreachable, "%s began no answer within %s; see whether the model is still loading, then try again", w.upstream.said(w.host), w.first)
	return e.With("limitSeconds", w.first.Seconds())
}

// silent says that an answer stopped in its middle.
func (w *wire) silent() error {
	e := engine.Errorf(engine.ModelStreamCut, "the answer ended early: the server sent nothing for %s; send the message again", w.idle)
	return e.With("limitSeconds", w.idle.Seconds())
}
