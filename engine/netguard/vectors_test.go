package netguard

import (
	"errors"
	"net/url"
	"slices"
	"strings"
	"testing"

	"agentstudio/engine"
)

// vector is a row of the table: what happens to each address under each policy. A is dialled; the
// letters say which layer is the last that may refuse: U the text, N the name, X the dial.
type vector struct {
	row                 int
	addresses           []string
	closed, home, house string // default, Localhost, Private
	answers             []string
}

// vectors is the published table, rows 1 to 54 but for those with tests of their own: 47 (rebinding),
// 49 (redirects), 50 (environment), 53 (this program), 55 (every request).
func vectors() []vector {
	return []vector{
		{1, []string{"https://api.openai.com/v1"}, "A", "A", "A", []string{"104.18.7.192"}},
		{2, []string{"http://api.openai.com/v1"}, "U", "U", "U", []string{"104.18.7.192"}},
		{3, []string{"http://127.0.0.1:11434/v1"}, "X", "A", "X", nil},
		{4, []string{"http://localhost:11434/v1", "http://LOCALHOST/"}, "X", "A", "X", nil},
		{5, []string{"http://localhost./", "http://foo.localhost/", "https://foo.localhost/"}, "N", "N", "N", []string{"127.0.0.1"}},
		{6, []string{"http://[::1]:8080/", "http://[0:0:0:0:0:0:0:1]/"}, "X", "A", "X", nil},
		{7, []string{"http://127.8.9.10/"}, "X", "A", "X", nil},
		{8, []string{"http://0.0.0.0/", "http://[::]/"}, "X", "X", "X", nil},
		{9, []string{"http://2130706433/", "http://0x7f000001/", "http://017700000001/"}, "U", "U", "U", []string{"127.0.0.1"}},
		{10, []string{"http://0x7f.0.0.1/", "http://0177.0.0.1/", "http://127.1/", "http://127.0.1/", "http://0/", "http://127.0.0.0x1/"}, "U", "U", "U", []string{"127.0.0.1"}},
		{11, []string{"http://0300.0250.0.1/", "http://3232235521/"}, "U", "U", "U", []string{"192.168.0.1"}},
		{12, []string{"http://127.0.0.1./"}, "U", "U", "U", []string{"127.0.0.1"}},
		{13, []string{"http://10.0.0.5/", "http://172.31.255.255/", "http://192.168.1.10:8000/"}, "X", "X", "A", nil},
		{14, []string{"http://172.32.0.1/"}, "U", "U", "U", nil},
		{15, []string{"https://100.64.0.1/"}, "X", "X", "A", nil},
		{16, []string{"http://100.100.100.200/", "https://100.96.0.96/"}, "X", "X", "X", nil},
		{17, []string{"http://169.254.169.254/", "http://169.254.1.1/"}, "X", "X", "X", nil},
		{18, []string{"https://168.63.129.16/"}, "X", "X", "X", nil},
		{19, []string{"https://192.0.0.192/", "https://198.18.0.1/", "https://240.0.0.1/", "https://255.255.255.255/", "https://224.0.0.1/"}, "X", "X", "X", nil},
		{20, []string{"https://192.0.2.1/", "https://203.0.113.9/", "https://[2001:db8::1]/", "https://[3fff::1]/"}, "X", "X", "X", nil},
		{21, []string{"http://[::ffff:127.0.0.1]/", "http://[::ffff:7f00:1]/"}, "X", "A", "X", nil},
		{22, []string{"http://[::ffff:10.0.0.1]/"}, "X", "X", "A", nil},
		{23, []string{"http://[::ffff:169.254.169.254]/"}, "X", "X", "X", nil},
		{24, []string{"http://[::127.0.0.1]/", "http://[::ffff:0:127.0.0.1]/"}, "X", "X", "X", nil},
		{25, []string{"https://[64:ff9b::7f00:1]/", "https://[64:ff9b::a9fe:a9fe]/", "https://[64:ff9b:1::808:808]/", "https://[64:ff9b::a00:1]/"}, "X", "X", "X", nil},
		{26, []string{"https://[64:ff9b::808:808]/"}, "A", "A", "A", nil},
		{27, []string{"https://[2002:7f00:1::]/", "https://[2002:808:808::1]/"}, "X", "X", "X", nil},
		{28, []string{"https://[2001:0:4136:e378:8000:63bf:80ff:fffe]/", "https://[2606:4700::5efe:127.0.0.1]/"}, "X", "X", "X", nil},
		{29, []string{"http://[fe80::1%25eth0]/", "http://[::1%25lo]/"}, "U", "U", "U", nil},
		{30, []string{"http://[fd12:3456::1]/"}, "X", "X", "A", nil},
		{31, []string{"http://[fd00:ec2::254]/", "http://[fd20:ce::254]/"}, "X", "X", "X", nil},
		{32, []string{"https://[fec0::1]/", "https://[5f00::1]/", "https://[100::1]/", "https://[4000::1]/"}, "X", "X", "X", nil},
		{33, []string{"https://[2606:4700::1111]/"}, "A", "A", "A", nil},
		{34, []string{"http://①②⑦.⓪.⓪.①/", "http://１２７.0.0.1/", "http://127。0。0。1/", "http://ｌocalhost/", "http://127.0.0.1\u00ad/"}, "U", "U", "U", nil},
		{35, []string{"http://user:pw@127.0.0.1/", "https://api.openai.com@127.0.0.1/", "https://good.example%2f@127.0.0.1/"}, "U", "U", "U", nil},
		{36, []string{"https://127.0.0.1@good.example/"}, "U", "U", "U", []string{"93.184.216.34"}},
		{37, []string{`http://good.example\@127.0.0.1/`, `http://127.0.0.1\.good.example/`}, "U", "U", "U", nil},
		{38, []string{"http://127.0.0.1%00.good.example/", "http://127.0.0.1%2e/"}, "U", "U", "U", nil},
		{39, []string{"https://good.example#@127.0.0.1/", "https://good.example?@127.0.0.1", "https://good.example/v1?", "https://good.example/#"}, "U", "U", "U", nil},
		{40, []string{"http:127.0.0.1/", "http:///127.0.0.1/", "//127.0.0.1/", " http://127.0.0.1/", "http://127.0.0.1/\t", "http://127.0\n.0.1/", ""}, "U", "U", "U", nil},
		{41, []string{"file:///etc/passwd", "gopher://good.example/", "ftp://good.example/", "unix:///run/x", "ws://good.example/"}, "U", "U", "U", nil},
		{42, []string{"http://127.0.0.1:80:80/", "http://127.0.0.1:0x50/", "http://127.0.0.1:99999/", "http://127.0.0.1:0/"}, "U", "U", "U", nil},
		{43, []string{"http://127.0.0.1:22/", "http://127.0.0.1:6379/", "https://good.example:25/", "https://good.example:7/"}, "U", "U", "U", []string{"93.184.216.34"}},
		{44, []string{"https://127.0.0.1.nip.example/"}, "X", "X", "X", []string{"127.0.0.1"}},
		{45, []string{"https://gpu.good.example/"}, "X", "X", "A", []string{"192.168.1.10"}},
		{45, []string{"http://gpu/", "http://gpu.lan:8000/", "http://gpu.local/"}, "X", "X", "A", []string{"192.168.1.10"}},
		{46, []string{"https://two.good.example/"}, "X", "X", "X", []string{"93.184.216.34", "127.0.0.1"}},
		{48, []string{"https://mapped.good.example/"}, "X", "X", "X", []string{"::ffff:169.254.169.254"}},
		{51, []string{"http://host.docker.internal/", "http://gateway.docker.internal/", "http://host.containers.internal/"}, "N", "N", "A", []string{"192.168.65.2"}},
		{51, []string{"https://host.docker.internal/"}, "N", "N", "X", []string{"93.184.216.34"}},
		{52, []string{"http://metadata.google.internal/", "http://metadata/", "https://metadata.goog/", "https://x.kubernetes.default.svc.cluster.local/", "https://kubernetes.default.svc/"}, "N", "N", "N", []string{"93.184.216.34"}},
		{54, []string{"https://xn--pi-openai-t1g.example/"}, "A", "A", "A", []string{"93.184.216.34"}},
	}
}

func TestVectors(t *testing.T) {
	for _, v := range vectors() {
		for _, address := range v.addresses {
			for policy, want := range map[Policy]string{{}: v.closed, {Localhost: true}: v.home, {Private: true}: v.house} {
				v.check(t, address, policy, want)
			}
			both := v.house
			if v.home == "A" { // the two are independent
				both = "A"
			}
			v.check(t, address, Policy{Localhost: true, Private: true}, both)
		}
	}
}

func (v vector) check(t *testing.T, address string, p Policy, want string) {
	t.Helper()
	f := &fake{answers: map[string][][]string{}}
	if u, err := url.Parse(address); err == nil && v.answers != nil {
		f.answers[strings.ToLower(u.Hostname())] = [][]string{v.answers}
	}
	text := Check(address, p)
	_, err := get(t, Client(p, f.options()), address)
	asked, dialled := f.seen()
	if want == "A" {
		if text != nil || !errors.Is(err, errNobody) || len(dialled) == 0 {
			t.Errorf("row %d %q %+v is not dialled: %v, %v", v.row, address, p, text, err)
		}
		return
	}
	if err == nil || len(dialled) != 0 {
		t.Errorf("row %d %q %+v was dialled at %v", v.row, address, p, dialled)
	}
	if want != "X" && (text == nil || len(asked) != 0) && v.row != 39 { // 39: a request may have a query
		t.Errorf("row %d %q %+v passes by its text; looked up: %v", v.row, address, p, asked)
	}
	for _, refusal := range []error{text, err} {
		if ReasonOf(refusal) != "" {
			wantSentence(t, refusal)
		}
	}
}

// wantSentence holds what every refusal says: what is wrong and, behind a semicolon, what to do, and
// nothing that may be a password.
func wantSentence(t *testing.T, err error) {
	t.Helper()
	said := engine.MessageOf(err)
	if wrong, todo, found := strings.Cut(said, "; "); !found || wrong == "" || todo == "" || strings.Contains(said, "pw") || strings.HasSuffix(said, ".") {
		t.Errorf("%q", said)
	}
}

// Each fault of a text has a reason of its own, for the sentence to fit.
func TestReasons(t *testing.T) {
	for address, want := range map[string]Reason{
		"http://api.openai.com":                        ReasonHTTP,
		"http://8.8.8.8":                               ReasonHTTP,
		"https://a:b@good.example":                     ReasonUserinfo,
		"https://good.example?x=1":                     ReasonQuery,
		"https://good.example#x":                       ReasonFragment,
		"https://gööd.example":                         ReasonNonASCII,
		"https://127.1":                                ReasonNumber,
		"https://[fe80::1%25eth0]":                     ReasonZone,
		"https://good.example:6379":                    ReasonPort,
		"https://good.example:":                        ReasonPort,
		"https://good.example.":                        ReasonHost,
		"https://good..example":                        ReasonHost,
		"https://good!.example":                        ReasonHost,
		"https:///v1":                                  ReasonHost,
		"https://" + strings.Repeat("a", 64):           ReasonHost,
		"https://" + strings.Repeat("a.", 130) + "com": ReasonTooLong,
		"https://x/" + strings.Repeat("a", 2048):       ReasonTooLong,
		"ws://good.example":                            ReasonScheme,
		"good.example":                                 ReasonScheme,
		`https://good.example\v1`:                      ReasonMalformed,
		"https://good.example/ v1":                     ReasonMalformed,
		"https://good.example/\x00":                    ReasonMalformed,
		"http://localhost":                             ReasonLocalhost,
		"https://10.0.0.1":                             ReasonPrivate,
		"https://printer.local":                        ReasonPrivate,
		"https://metadata.goog":                        ReasonMetadata,
		"https://169.254.169.254":                      ReasonMetadata,
		"https://169.254.1.1":                          ReasonLinkLocal,
		"https://224.0.0.1":                            ReasonMulticast,
		"https://0.0.0.0":                              ReasonUnspecified,
		"https://240.0.0.1":                            ReasonReserved,
		"https://198.18.0.1":                           ReasonReserved,
		"https://[2002:808:808::1]":                    ReasonEmbedded,
	} {
		err := Check(address, Policy{})
		wantReason(t, err, want)
		if err == nil || engine.CodeOf(err) != engine.AddressRefused {
			t.Errorf("%q: %v", address, err)
		} else {
			wantSentence(t, err)
		}
	}
}

// What no text shows is refused when the name is looked up.
func TestReasonsOfAnswers(t *testing.T) {
	both := Policy{Localhost: true, Private: true}
	for _, c := range []struct {
		address string
		policy  Policy
		answer  string
		want    Reason
	}{
		{"https://llm.example", Policy{}, "198.18.3.4", ReasonProxyDNS},
		{"https://llm.example", both, "198.19.255.255", ReasonProxyDNS},
		{"https://llm.example", both, "127.0.0.1", ReasonLocalhost},
		{"https://llm.example", Policy{}, "10.1.1.1", ReasonPrivate},
		{"https://llm.example", both, "fe80::1%eth0", ReasonZone},
		{"https://llm.example", both, "ff02::1", ReasonMulticast},
		{"http://gpu", both, "93.184.216.34", ReasonHTTP},
		{"https://gpu.internal", both, "93.184.216.34", ReasonNotPrivate},
	} {
		f := &fake{answers: map[string][][]string{strings.SplitN(c.address, "//", 2)[1]: {{c.answer}}}}
		_, err := get(t, Client(c.policy, f.options()), c.address)
		wantReason(t, err, c.want)
		if ReasonOf(err) != "" {
			wantSentence(t, err)
		}
		if c.want == ReasonProxyDNS && !strings.Contains(err.Error(), "--model-proxy") {
			t.Error(err)
		}
		if _, dialled := f.seen(); len(dialled) != 0 {
			t.Errorf("%s was dialled at %v", c.address, dialled)
		}
	}
}

func TestForeignName(t *testing.T) {
	for address, want := range map[string]bool{
		"https://xn--pi-openai-t1g.example": true,
		"https://API.XN--80ak6aa92e.com/v1": true,
		"https://api.openai.com":            false,
		"https://":                          false,
		":":                                 false,
	} {
		if got := ForeignName(address); (got != "") != want || want && !strings.Contains(got, "xn--") {
			t.Errorf("%s: %q", address, got)
		}
	}
}

// localhost is never looked up, and an IPv4-mapped address is dialled as the IPv4 one it is.
func TestWhatIsDialled(t *testing.T) {
	for address, want := range map[string][]string{
		"http://localhost:11434":           {"127.0.0.1:11434", "[::1]:11434"},
		"http://[::ffff:127.0.0.1]:11434":  {"127.0.0.1:11434"},
		"https://llm.example/v1/models?x=": {"93.184.216.34:443", "[2606:4700::1111]:443"},
	} {
		f := &fake{answers: map[string][][]string{"llm.example": {{"::ffff:93.184.216.34", "2606:4700::1111"}}}}
		_, err := get(t, Client(Policy{Localhost: true}, f.options()), address)
		asked, dialled := f.seen()
		if !errors.Is(err, errNobody) || !slices.Equal(dialled, want) || len(asked) > 1 {
			t.Errorf("%s: %v, %v, %v", address, err, asked, dialled)
		}
	}
}
