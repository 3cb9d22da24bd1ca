package netguard

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"testing"

	"agentstudio/engine"
)

func TestDiagnose(t *testing.T) {
	ours := engine.Errorf(engine.ModelUnreachable, "said so")
	ours.Err = &net.DNSError{Err: "no such host", Name: "x"}
	for _, c := range []struct {
		err  error
		want Step
	}{
		{nil, ""},
		{errors.New("anything"), ""},
		{context.Canceled, ""},
		{&url.Error{Op: "Get", Err: Check("ftp://x", Policy{})}, StepGuard},
		{&net.OpError{Op: "dial", Err: Check("ftp://x", Policy{})}, StepGuard},
		{ours, StepDNS},
		{&net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host"}}, StepDNS},
		{&net.OpError{Op: "dial", Err: errors.New("connection refused")}, StepConnect},
		{proxyFault(&net.OpError{Op: "proxyconnect", Err: errors.New("no route")}), StepProxy},
		{&net.OpError{Op: "read", Err: errors.New("reset")}, ""},
		{fmt.Errorf("wrapped: %w", x509.HostnameError{Certificate: &x509.Certificate{}, Host: "x"}), StepTLS},
		{errors.New("http: server gave HTTP response to HTTPS client"), StepTLS},
		{errors.New("net/http: TLS handshake timeout"), StepTLS},
	} {
		if got := Diagnose(c.err); got != c.want {
			t.Errorf("%v: %q, want %q", c.err, got, c.want)
		}
	}
}

// A name without answers is one that is not there.
func TestDiagnoseLookup(t *testing.T) {
	for _, o := range []Options{
		(&fake{}).options(),
		{Resolve: func(context.Context, string) ([]netip.Addr, error) { return nil, nil }},
	} {
		if _, err := get(t, Client(Policy{}, o), "https://llm.example"); Diagnose(err) != StepDNS {
			t.Error(err)
		}
	}
}
