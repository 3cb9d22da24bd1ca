package netguard

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Check says whether a base URL may be used under p as far as its text shows: nothing is looked up
// or dialled, so what it lets pass may still be refused when its name is resolved. Blanks around
// the address are refused too; a form trims them first. At most 2048 bytes. A refusal is an
// engine.Error, see the package.
func Check(address string, p Policy) error {
	if err := checkText(address); err != nil {
		return err
	}
	u, err := url.Parse(address)
	if err != nil { // its message would repeat the address, and what is wrong with it is for programmers
		return refuse(ReasonMalformed, "the base URL cannot be read as an address; it looks like https://HOST/v1")
	}
	if u.ForceQuery || u.RawQuery != "" {
		return refuse(ReasonQuery, "the base URL must not hold a ?; leave it and everything after it away")
	}
	_, err = targetOf(u, p)
	return err
}

// checkText is about what is wrong before an address is taken apart, where parsers differ.
func checkText(address string) error {
	const most = 2048
	switch {
	case address == "":
		return refuse(ReasonMalformed, "the base URL is empty; it looks like https://HOST/v1")
	case len(address) > most:
		return refuse(ReasonTooLong, "the base URL has more than %d bytes; check what was pasted", most)
	case strings.ContainsFunc(address, func(r rune) bool { return r <= ' ' || r == 0x7f }):
		return refuse(ReasonMalformed, "the base URL holds a blank, a line break or another invisible character; paste it again without")
	case strings.Contains(address, `\`):
		return refuse(ReasonMalformed, `the base URL holds a backslash, which programs read differently; write / instead`)
	case strings.Contains(address, "#"):
		return refuse(ReasonFragment, "the base URL must not hold a #; leave it and everything after it away")
	case strings.Contains(authority(address), "@"):
		return refuse(ReasonUserinfo, "the base URL must not hold a name or password before an @; the key has its own setting")
	case strings.ContainsFunc(authority(address), func(r rune) bool { return r > 0x7e }):
		return refuse(ReasonNonASCII, "the host is not written in ASCII letters; give its xn-- spelling if that is what you mean")
	}
	return nil
}

// authority is the part between // and the path, by spelling alone.
func authority(address string) string {
	_, rest, found := strings.Cut(address, "//")
	if !found {
		return ""
	}
	if i := strings.IndexAny(rest, "/?"); i >= 0 {
		rest = rest[:i]
	}
	return rest
}

// targetOf is where an address leads, or why it may not be used. It is asked for every request, of
// which a query may be part.
func targetOf(u *url.URL, p Policy) (target, error) {
	switch {
	case u.Scheme == "":
		return target{}, refuse(ReasonScheme, "the base URL has no scheme; it begins with https://")
	case u.Scheme != "https" && u.Scheme != "http":
		return target{}, refuse(ReasonScheme, "models are spoken to over https only, not %s; write https:// at its start", scheme(u))
	case u.Opaque != "" || u.Host == "":
		return target{}, refuse(ReasonHost, "the base URL names no host; it looks like https://HOST/v1")
	case u.User != nil:
		return target{}, refuse(ReasonUserinfo, "the base URL must not hold a name or password before an @; the key has its own setting")
	}
	host, port, err := hostPort(u)
	if err != nil {
		return target{}, err
	}
	return newTarget(p, u.Scheme == "http", host, port)
}

// scheme is short enough to be shown; a parser has seen to its letters.
func scheme(u *url.URL) string {
	if len(u.Scheme) > 20 {
		return "this"
	}
	return u.Scheme
}

// hostPort takes u.Host apart more strictly than its own methods do.
func hostPort(u *url.URL) (host string, port uint16, err error) {
	host = strings.ToLower(u.Hostname())
	bracketed := strings.HasPrefix(u.Host, "[")
	switch {
	case host == "":
		return "", 0, refuse(ReasonHost, "the base URL names no host; it looks like https://HOST/v1")
	case bracketed != strings.Contains(host, ":"):
		return "", 0, refuse(ReasonMalformed, "the host and port cannot be told apart; write HOST:PORT, and an IPv6 address in [brackets]")
	}
	port = map[string]uint16{"http": 80, "https": 443}[u.Scheme]
	if end := u.Host[strings.LastIndexByte(u.Host, ']')+1:]; strings.Contains(end, ":") {
		if port, err = portOf(u.Port()); err != nil {
			return "", 0, err
		}
	}
	return host, port, nil
}

// portOf is a port written in digits, if it is one to speak HTTP to.
func portOf(text string) (uint16, error) {
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil || n == 0 {
		return 0, refuse(ReasonPort, "the port must be a number from 1 to 65535; correct it or leave it away")
	}
	if n <= 23 || slices.Contains(foreignPorts(), uint16(n)) {
		return 0, refuse(ReasonPort, "port %d belongs to another kind of service and is never dialled; let the model server listen on another", n)
	}
	return uint16(n), nil
}

// foreignPorts are those, beyond 23, of services that obey what arrives in an HTTP request, or
// that have more to lose than a model server: mail, names, files, databases, the Docker daemon.
func foreignPorts() []uint16 {
	return []uint16{25, 53, 110, 111, 135, 139, 143, 389, 445, 465, 587, 993, 995, 2375, 3306, 5432, 6379, 9200, 11211, 27017}
}
