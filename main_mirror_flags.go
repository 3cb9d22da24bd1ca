package main

import (
	"crypto/tls"
	"net/url"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"agentstudio/engine"
	"agentstudio/mirror"
)

// mirrorFlags are what the flags say of the mirror.
type mirrorFlags struct {
	port      int
	lan       string
	origins   []string
	tls       string
	cert, key string
	approvals string
	share     string
	clients   int
	tokens    string
}

func (f *mirrorFlags) bind(s *pflag.FlagSet) {
	s.IntVar(&f.port, "mirror-port", 0, "port of the mirror (default 8484 unless taken)")
	s.StringVar(&f.lan, "mirror-lan", "", "address of this machine, as in 192.168.1.20, at which the network may watch")
	s.StringArrayVar(&f.origins, "mirror-origin", nil, "https://NAME[:PORT] of a reverse proxy or tunnel to the mirror; may be given more than once")
	s.StringVar(&f.tls, "mirror-tls", "", "self: speak TLS with a certificate of our own")
	s.StringVar(&f.cert, "mirror-cert", "", "file with the mirror's certificate, in PEM")
	s.StringVar(&f.key, "mirror-key", "", "file with the key of --mirror-cert, in PEM")
	s.StringVar(&f.approvals, "mirror-lan-approvals", "", "insecure: admit approvers without TLS, and hold each approval for 3 s")
	s.StringVar(&f.share, "mirror-share", "all", "how much viewers see: none, names or all")
	s.IntVar(&f.clients, "mirror-clients", 32, "how many may be connected at once")
	s.StringVar(&f.tokens, "mirror-token-file", "", "file of role, name and token a line, for programs")
	for _, name := range []string{"mirror-port"} {
		s.Lookup(name).DefValue = ""
	}
}

// options are the mirror's, but for the session and what is shown around it. root is the state
// directory, "" when nothing is kept.
func (f *mirrorFlags) options(root string) (mirror.Options, error) {
	o := mirror.Options{Port: f.port, LAN: f.lan, Origins: f.origins, Share: mirror.Share(f.share), Clients: f.clients}
	switch {
	case f.approvals != "" && f.approvals != "insecure":
		return o, engine.Errorf(engine.ConfigInvalid, "--mirror-lan-approvals takes insecure and nothing else, not %q", f.approvals)
	case f.clients <= 0 || f.clients > 1000:
		return o, engine.Errorf(engine.ConfigInvalid, "--mirror-clients is from 1 to 1000, not %d", f.clients)
	case f.port < 0 || f.port > 65535:
		return o, engine.Errorf(engine.ConfigInvalid, "--mirror-port is a port from 1 to 65535, not %d", f.port)
	}
	o.Insecure = f.approvals == "insecure"
	var err error
	if o.TLS, err = f.certificate(root); err != nil {
		return o, err
	}
	if f.tokens != "" {
		o.Tokens, err = mirror.ReadTokens(f.tokens)
	}
	return o, err
}

func (f *mirrorFlags) certificate(root string) (*tls.Config, error) {
	switch {
	case f.tls != "" && f.tls != "self":
		return nil, engine.Errorf(engine.ConfigInvalid, "--mirror-tls takes self; files are named by --mirror-cert and --mirror-key")
	case (f.cert == "") != (f.key == "") || f.cert != "" && f.tls != "":
		return nil, engine.Errorf(engine.ConfigInvalid, "TLS is either --mirror-tls self, or --mirror-cert with --mirror-key")
	case f.cert != "":
		return mirror.LoadTLS(f.cert, f.key)
	case f.tls == "":
		return nil, nil
	case root == "":
		return nil, engine.Errorf(engine.ConfigInvalid, "--mirror-tls self keeps its certificate in the state directory; name one with --state")
	}
	var hosts []string
	if f.lan != "" {
		hosts = append(hosts, f.lan)
	}
	for _, origin := range f.origins {
		if u, err := url.Parse(origin); err == nil && u.Hostname() != "" && !slices.Contains(hosts, u.Hostname()) {
			hosts = append(hosts, u.Hostname())
		}
	}
	return mirror.SelfSigned(root, time.Now(), hosts...)
}
