package netguard

import "net/netip"

// target is where a connection is meant to lead. It judges the addresses that its host turns out
// to have. It is a value.
type target struct {
	policy  Policy
	plain   bool       // http, which stays on this computer and in the house
	host    string     // lower case, well spelled
	literal netip.Addr // the host itself if it is an address, else the zero Addr
	port    uint16
}

// newTarget is a host, in lower case, that may be used as far as its text shows.
func newTarget(p Policy, plain bool, host string, port uint16) (target, error) {
	t := target{policy: p, plain: plain, host: host, port: port}
	if err := spelled(host); err != nil {
		return target{}, err
	}
	if a, err := netip.ParseAddr(host); err == nil {
		t.literal = a
		return t, t.judge(a)
	}
	return t, t.judgeName()
}

// judgeName is about what a name alone shows.
func (t target) judgeName() error {
	switch {
	case metadataName(t.host):
		return refuse(ReasonMetadata, "%s is the name of a cloud's or cluster's own service, which is never dialled; give the model server's name", t.host)
	case t.host == "localhost" && !t.policy.Localhost:
		return t.localhost()
	case t.host == "localhost":
		return nil
	case under(t.host, "localhost"):
		return refuse(ReasonLocalhost, "names below localhost are never dialled; write localhost itself, or 127.0.0.1")
	case nearName(t.host) && !t.policy.Private:
		return refuse(ReasonPrivate, "%s is a name of a private network; if the model server there is yours, start with --allow-private-models", t.host)
	case t.plain && !(t.policy.Private && houseName(t.host)):
		return t.needsHTTPS()
	}
	return nil
}

// outside tells whether the target is surely out in the world.
func (t target) outside() bool {
	if t.literal.IsValid() {
		return classOf(t.literal) == public
	}
	return t.host != "localhost" && !houseName(t.host)
}

// judge is the decision about one address, made for a literal in the text, for each answer of a
// lookup, and again when a socket is about to connect.
func (t target) judge(a netip.Addr) error {
	if a.Zone() != "" {
		return refuse(ReasonZone, "%s belongs to one network interface; only addresses that work without one are dialled", t.leads(a.WithZone("")))
	}
	a = a.Unmap()
	switch c := classOf(a); c {
	case public:
		return t.judgePublic(a)
	case loopback:
		return t.judgeLoopback(a)
	case private:
		if !t.policy.Private || t.host == "localhost" {
			return refuse(ReasonPrivate, "%s is in a private network; if the model server there is yours, start with --allow-private-models", t.leads(a))
		}
		return nil
	case proxyDNS:
		if !t.literal.IsValid() {
			return refuse(ReasonProxyDNS, "%s is one that proxy programs make up when they answer lookups; name the proxy itself with --model-proxy URL, or let it leave this name alone", t.leads(a))
		}
		return t.never(a, reserved)
	default:
		return t.never(a, c)
	}
}

func (t target) judgePublic(a netip.Addr) error {
	switch {
	case !t.literal.IsValid() && (nearName(t.host) || t.host == "localhost"):
		return refuse(ReasonNotPrivate, "%s is out in the world although the name is one of a private network; check this computer's name servers", t.leads(a))
	case t.plain:
		return t.needsHTTPS()
	}
	return nil
}

// judgeLoopback keeps this computer to those who write it: any name on the net can be made to lead
// here, also after it was first looked up.
func (t target) judgeLoopback(a netip.Addr) error {
	switch {
	case !t.policy.Localhost:
		return t.localhost()
	case t.host != "localhost" && !t.literal.IsValid():
		return refuse(ReasonLocalhost, "%s is this computer; if that is what you mean, write localhost or 127.0.0.1 instead of the name", t.leads(a))
	}
	return nil
}

func (t target) localhost() error {
	return refuse(ReasonLocalhost, "%s is this computer; if the model server here is yours, start with --allow-localhost-models or switch it on in the form (/model)", t.host)
}

func (t target) needsHTTPS() error {
	return refuse(ReasonHTTP, "%s may be reached over https only; write https://, or the literal address if it is on this computer or in your private network and that is allowed", t.host)
}

// never is the refusal of what no policy allows.
func (t target) never(a netip.Addr, c class) error {
	why, what := ReasonReserved, "is reserved for other uses"
	switch c {
	case metadata:
		why, what = ReasonMetadata, "belongs to a cloud's metadata service"
	case linkLocal:
		why, what = ReasonLinkLocal, "is link-local"
	case multicast:
		why, what = ReasonMulticast, "is a multicast address"
	case unspecified:
		why, what = ReasonUnspecified, "is no server's address"
	case embedded:
		why, what = ReasonEmbedded, "hides an IPv4 address in an IPv6 one"
	}
	return refuse(why, "%s %s and is never dialled; give the model server's own address", t.leads(a), what)
}

// leads begins a sentence about an address of the target.
func (t target) leads(a netip.Addr) string {
	if t.literal.IsValid() {
		return a.String()
	}
	return t.host + " leads to " + a.String() + ", which"
}
