package netguard

import (
	"net/netip"
	"slices"

	"code.dny.dev/ssrf"
)

// class is what an address is for.
type class int

const (
	reserved class = iota // also what nothing is known about
	public
	loopback
	private
	metadata
	linkLocal
	multicast
	unspecified
	proxyDNS
	embedded
)

// classOf says what an address is for. An IPv4-mapped address is the IPv4 one, and one that NAT64
// translates is as public as the IPv4 address inside; any other that holds an IPv4 address is
// embedded, whatever is inside: no server of the world needs them.
func classOf(a netip.Addr) class {
	a = a.WithZone("").Unmap()
	if ssrf.IPv6NAT64Prefix.Contains(a) {
		if b := a.As16(); classOf(netip.AddrFrom4([4]byte(b[12:]))) != public {
			return embedded
		}
		return public
	}
	switch {
	case slices.Contains(metadataAddresses(), a.String()):
		return metadata
	case a.IsUnspecified():
		return unspecified
	case a.IsLoopback():
		return loopback
	case a.IsLinkLocalUnicast():
		return linkLocal
	case a.IsMulticast():
		return multicast
	case embeds(a):
		return embedded
	case within(a, "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7"):
		return private
	case within(a, "198.18.0.0/15"):
		return proxyDNS
	case ssrf.New().SafeAddr(a) != nil:
		return reserved
	}
	return public
}

func within(a netip.Addr, prefixes ...string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return netip.MustParsePrefix(p).Contains(a) })
}

// embeds tells whether an IPv6 address holds an IPv4 one that a router may take out: compatible,
// translated, local NAT64, 6to4, Teredo, ISATAP.
func embeds(a netip.Addr) bool {
	if !a.Is6() {
		return false
	}
	b := a.As16()
	isatap := (b[8] == 0 || b[8] == 2) && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe
	return isatap || within(a, "::/96", "::ffff:0:0:0/96", "64:ff9b:1::/48", "2002::/16", "2001::/32")
}

// metadataAddresses are those at which clouds answer a machine about itself, keys included. Most are
// link-local or private; 168.63.129.16 looks public.
func metadataAddresses() []string {
	return []string{
		"169.254.169.254",                 // AWS, GCP, Azure, Oracle, DigitalOcean, Hetzner, OpenStack and others
		"169.254.170.2", "169.254.170.23", // AWS containers
		"169.254.0.23", "169.254.10.10", // Tencent
		"169.254.42.42", "fd00:42::42", // Scaleway
		"100.100.100.200",                   // Alibaba
		"100.96.0.96",                       // Volcengine
		"168.63.129.16",                     // Azure's wire server
		"192.0.0.192", "fd00:c1::a9fe:a9fe", // Oracle
		"fd00:ec2::254", "fd00:ec2::23", "fd00:ec2::253", "fd00:ec2::123", // AWS
		"fd20:ce::254",      // GCP
		"fd00:a9fe:a9fe::1", // Linode
		"fe80::a9fe:a9fe",   // OpenStack
	}
}
