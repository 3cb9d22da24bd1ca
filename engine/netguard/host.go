package netguard

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// spelled is why a host, in lower case, is no name or literal address; nil if it is one. Names that
// end in a number are none: some resolvers read 0x7f000001, 0177.0.0.1 and 127.1 as addresses.
func spelled(host string) error {
	if strings.Contains(host, "%") {
		return refuse(ReasonZone, "the address names a network interface after a %%; only addresses that work without one are dialled")
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return nil
	}
	const longest = 253
	switch last := host[strings.LastIndexByte(host, '.')+1:]; {
	case host == "":
		return refuse(ReasonHost, "the base URL names no host; it looks like https://HOST/v1")
	case len(host) > longest:
		return refuse(ReasonTooLong, "the host has more than %d characters, which no name has; check what was pasted", longest)
	case strings.ContainsFunc(host, func(r rune) bool { return r > 0x7e }):
		return refuse(ReasonNonASCII, "the host is not written in ASCII letters; give its xn-- spelling if that is what you mean")
	case last == "":
		return refuse(ReasonHost, "the host ends in a dot; leave it away")
	case strings.Trim(last, "0123456789") == "" || strings.HasPrefix(last, "0x") && strings.Trim(last[2:], "0123456789abcdef") == "":
		return refuse(ReasonNumber, "the host ends in a number but is no address of four plain numbers, as 192.168.1.10; write it so")
	}
	for label := range strings.SplitSeq(host, ".") {
		if label == "" || len(label) > 63 || strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return refuse(ReasonHost, "the host is not a name: letters, digits and - between dots, at most 63 in a row; check its spelling")
		}
	}
	return nil
}

// under tells whether host is name or lies below it.
func under(host, name string) bool {
	return host == name || strings.HasSuffix(host, "."+name)
}

// metadataName tells whether a cloud, or a cluster, answers about itself by this name.
func metadataName(host string) bool {
	return slices.ContainsFunc([]string{
		"metadata", "metadata.google.internal", "metadata.goog", "metadata.azure.com", "metadata.azure.internal",
		"instance-data", "instance-data.ec2.internal", "metadata.tencentyun.com", "metadata.oraclecloud.com",
		"api.metadata.cloud.ibm.com", "metadata.platformequinix.com", "metadata.packet.net", "rancher-metadata",
		"kubernetes.default",
	}, func(name string) bool { return under(host, name) }) ||
		strings.Contains("."+host, ".kubernetes.default.") || strings.HasPrefix(host, "instance-data.")
}

// nearName tells whether a name is never one of the world: it lies below .internal, as
// that of a container's host does, or .local. Such a name may lead to private addresses and to nothing else.
func nearName(host string) bool {
	return under(host, "internal") || under(host, "local")
}

// houseName tells whether nobody can register the name, so that plain http to it stays in the house.
func houseName(host string) bool {
	return nearName(host) || !strings.Contains(host, ".") || slices.ContainsFunc(
		[]string{"lan", "home.arpa", "home", "corp", "intranet", "private", "localdomain"},
		func(name string) bool { return under(host, name) })
}

// ForeignName is the host of an address that is written in other letters than ASCII's (xn--…), which
// may look like those of a host that a person knows and should be told of; "" for any other host.
func ForeignName(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	host := strings.ToLower(u.Hostname())
	if spelled(host) != nil || !strings.HasPrefix(host, "xn--") && !strings.Contains(host, ".xn--") {
		return ""
	}
	return host
}
