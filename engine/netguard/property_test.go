package netguard

import (
	"encoding/binary"
	"errors"
	"net"
	"net/netip"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// special are the ranges that are not the world's, written down once more and not by way of the
// library that the guard uses.
func special() []string {
	return []string{
		"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "168.63.129.16/32", "169.254.0.0/16", "172.16.0.0/12",
		"192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16",
		"192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
		"::/3", "2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20", "4000::/2", "8000::/1",
	}
}

// may is the policy's promise about one address of a host, said more simply than the guard does.
func may(p Policy, plain bool, host string, a netip.Addr) bool {
	in := func(prefixes ...string) bool {
		return slices.ContainsFunc(prefixes, func(s string) bool { return netip.MustParsePrefix(s).Contains(a) })
	}
	a = a.Unmap()
	_, err := netip.ParseAddr(host)
	literal, world := err == nil, !in(special()...)
	if b := a.As16(); in("64:ff9b::/96") {
		inner := netip.AddrFrom4([4]byte(b[12:]))
		world = !slices.ContainsFunc(special(), func(s string) bool { return netip.MustParsePrefix(s).Contains(inner) })
	} else if a.Is6() && (binary.BigEndian.Uint32(b[8:])&^0x02000000) == 0x5efe {
		return false
	}
	switch {
	case in("100.100.100.200/32", "100.96.0.96/32", "fd00:ec2::254/128", "fd00:ec2::23/128", "fd00:ec2::253/128", "fd00:ec2::123/128",
		"fd20:ce::254/128", "fd00:c1::a9fe:a9fe/128", "fd00:42::42/128", "fd00:a9fe:a9fe::1/128"):
		return false
	case in("127.0.0.0/8", "::1/128"):
		return p.Localhost && (literal || host == "localhost")
	case in("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7"):
		return p.Private && host != "localhost"
	}
	return world && !plain && host != "localhost" && host != "gpu.local"
}

// anyAddress draws from everywhere, and more often from where it matters, in every disguise.
func anyAddress() *rapid.Generator[netip.Addr] {
	four := rapid.Custom(func(t *rapid.T) netip.Addr {
		var b [4]byte
		binary.BigEndian.PutUint32(b[:], rapid.Uint32().Draw(t, "four"))
		if rapid.Bool().Draw(t, "edge") {
			prefix := netip.MustParsePrefix(rapid.SampledFrom(special()[:19]).Draw(t, "range"))
			first := prefix.Addr().As4()
			n := binary.BigEndian.Uint32(first[:]) + uint32(rapid.SampledFrom([]int64{-1, 0, 1, 1<<(32-prefix.Bits()) - 1, 1 << (32 - prefix.Bits())}).Draw(t, "step"))
			binary.BigEndian.PutUint32(b[:], n)
		}
		return netip.AddrFrom4(b)
	})
	six := rapid.Custom(func(t *rapid.T) netip.Addr {
		b := [16]byte(rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "six"))
		front := rapid.SampledFrom([]string{"", "::", "::ffff:0:0", "::ffff:0:0:0", "64:ff9b::", "64:ff9b:1::", "fd00::5efe:0:0", "2001::", "2002::",
			"2001:db8::", "2606:4700::5efe:0:0", "2606:4700::200:5efe:0:0", "3fff::", "fc00::", "fe80::", "fec0::", "ff02::", "100::", "fd00:ec2::", "2606:4700::"}).Draw(t, "front")
		if front != "" {
			b = netip.MustParseAddr(front).As16()
			inner := four.Draw(t, "inner").As4()
			copy(b[12:], inner[:])
		}
		return netip.AddrFrom16(b)
	})
	known := rapid.SampledFrom(metadataAddresses())
	return rapid.OneOf(four, six, rapid.Map(known, netip.MustParseAddr))
}

// For any host, any answers and any policy: what is dialled the policy allows, and if one answer is
// bad nothing is dialled at all.
func TestWhateverIsDialledIsAllowed(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := Policy{Localhost: rapid.Bool().Draw(rt, "localhost"), Private: rapid.Bool().Draw(rt, "private")}
		plain := rapid.Bool().Draw(rt, "plain")
		answers := rapid.SliceOfN(anyAddress(), 1, 3).Draw(rt, "answers")
		host := rapid.SampledFrom([]string{"", "llm.example", "gpu.local", "gpu", "localhost"}).Draw(rt, "host")
		f := &fake{answers: map[string][][]string{}}
		switch host {
		case "":
			host, answers = answers[0].String(), answers[:1]
		case "localhost":
			answers = []netip.Addr{netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("::1")}
		}
		var said []string
		for _, a := range answers {
			said = append(said, a.String())
		}
		f.answers[host] = [][]string{said}
		scheme := "https://"
		if plain {
			scheme = "http://"
		}
		_, err := get(t, Client(p, f.options()), scheme+net.JoinHostPort(host, "8080"))
		_, dialled := f.seen()
		good := true
		for _, a := range answers {
			good = good && may(p, plain, host, a)
		}
		// A name of the world or the house may be refused by its text before anything is looked up.
		byName := plain && (host == "llm.example" || !p.Private && (host == "gpu" || host == "gpu.local")) || host == "gpu.local" && !p.Private
		good = good && !byName
		switch {
		case good != (len(dialled) > 0):
			rt.Fatalf("%+v plain %v %s %v: dialled %v, %v", p, plain, host, answers, dialled, err)
		case good && !errors.Is(err, errNobody), !good && ReasonOf(err) == "":
			rt.Fatalf("%+v plain %v %s %v: %v", p, plain, host, answers, err)
		}
		for _, to := range dialled {
			if a := netip.MustParseAddrPort(to); !may(p, plain, host, a.Addr()) || a.Port() != 8080 {
				rt.Fatalf("%+v plain %v %s: dialled %s", p, plain, host, to)
			}
		}
	})
}

// No text makes Check fail in another way than by a refusal, or say more than it should.
func TestAnyText(t *testing.T) {
	piece := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"http", "https", ":", "//", "/", "[", "]", "@", "%", ".", "127.0.0.1", "::1", "localhost", "0x7f", "xn--", "8080", "pw"}))
	rapid.Check(t, func(rt *rapid.T) {
		text := ""
		for _, p := range rapid.SliceOfN(piece, 0, 10).Draw(rt, "pieces") {
			text += p
		}
		p := Policy{Localhost: rapid.Bool().Draw(rt, "localhost"), Private: rapid.Bool().Draw(rt, "private")}
		if err := Check(text, p); err != nil && ReasonOf(err) == "" {
			rt.Fatalf("%q: %v", text, err)
		}
		_, _ = ForeignName(text), Diagnose(nil)
	})
}
