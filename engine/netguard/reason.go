package netguard

import "agentstudio/engine"

// Reason is why an address is refused, as the error's details.reason has it. The values are stable.
type Reason string

// The reasons.
const (
	// What the text shows.
	ReasonMalformed Reason = "malformed" // no address at all, or with characters that none has
	ReasonTooLong   Reason = "too_long"
	ReasonScheme    Reason = "scheme"    // neither https nor http
	ReasonHTTP      Reason = "http"      // http where only https will do
	ReasonUserinfo  Reason = "userinfo"  // a name or password in the address
	ReasonQuery     Reason = "query"     // something after ?
	ReasonFragment  Reason = "fragment"  // something after #
	ReasonHost      Reason = "host"      // no host, or none that a name can be
	ReasonNonASCII  Reason = "non_ascii" // a host in other letters, or one that looks like ASCII
	ReasonNumber    Reason = "number"    // an IPv4 address in a spelling that programs read differently
	ReasonZone      Reason = "zone"      // an IPv6 address with an interface
	ReasonPort      Reason = "port"      // no port, or that of another service

	// What the name or the address means.
	ReasonMetadata    Reason = "metadata"    // a cloud's metadata service
	ReasonLocalhost   Reason = "localhost"   // this computer, which the policy does not allow
	ReasonPrivate     Reason = "private"     // a private network, which the policy does not allow
	ReasonNotPrivate  Reason = "not_private" // a name of the house that leads out of it
	ReasonLinkLocal   Reason = "link_local"
	ReasonMulticast   Reason = "multicast"
	ReasonUnspecified Reason = "unspecified" // 0.0.0.0 and ::
	ReasonReserved    Reason = "reserved"    // IANA keeps it for something else
	ReasonEmbedded    Reason = "embedded"    // an IPv4 address inside an IPv6 one
	ReasonProxyDNS    Reason = "proxy_dns"   // a proxy program has answered the lookup
	ReasonOwn         Reason = "own"         // this program itself
	ReasonRedirect    Reason = "redirect"    // the server sends the request elsewhere
)

// refuse makes the one kind of error that this package has.
func refuse(why Reason, format string, args ...any) error {
	return engine.Errorf(engine.AddressRefused, format, args...).With("reason", string(why))
}

// ReasonOf is why an address was refused, "" for any other error.
func ReasonOf(err error) Reason {
	if engine.CodeOf(err) != engine.AddressRefused {
		return ""
	}
	why, _ := engine.DetailsOf(err)["reason"].(string)
	return Reason(why)
}
