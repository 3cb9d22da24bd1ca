package netguard

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"strings"

	"agentstudio/engine"
)

// Step is a part of reaching a server, as a test of a connection names the one that failed.
type Step string

// The steps, in their order.
const (
	StepGuard   Step = "guard"   // the address may not be used
	StepProxy   Step = "proxy"   // the proxy that was named does not answer, or does not open the way
	StepDNS     Step = "dns"     // the name was not found
	StepConnect Step = "connect" // nothing answered at the address
	StepTLS     Step = "tls"     // no encrypted connection, or not with the one it should be
)

// Diagnose says at which step a request of Client failed, "" if it got beyond them or err is nil. It
// looks through wrapped errors, url.Error and engine.Error included.
func Diagnose(err error) Step {
	var dns *net.DNSError
	var op *net.OpError
	switch {
	case err == nil:
		return ""
	case errors.Is(err, engine.AddressRefused):
		return StepGuard
	case engine.DetailsOf(err)["step"] == string(StepProxy):
		return StepProxy
	case errors.As(err, &dns):
		return StepDNS
	case untrusted(err):
		return StepTLS
	case errors.As(err, &op) && op.Op == "dial":
		return StepConnect
	}
	return ""
}

// untrusted tells whether TLS failed. Some of its errors have no type, only their prefix.
func untrusted(err error) bool {
	var verify *tls.CertificateVerificationError
	var name x509.HostnameError
	var unknown x509.UnknownAuthorityError
	var invalid x509.CertificateInvalidError
	var record tls.RecordHeaderError
	var alert tls.AlertError
	return errors.As(err, &verify) || errors.As(err, &name) || errors.As(err, &unknown) ||
		errors.As(err, &invalid) || errors.As(err, &record) || errors.As(err, &alert) ||
		strings.Contains(err.Error(), "tls: ") || strings.Contains(err.Error(), "TLS handshake timeout") ||
		strings.Contains(err.Error(), "HTTP response to HTTPS client")
}
