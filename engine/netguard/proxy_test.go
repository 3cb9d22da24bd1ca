package netguard

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"agentstudio/engine"
)

func TestParseProxy(t *testing.T) {
	for address, want := range map[string]Reason{
		"http://127.0.0.1:7890":           "",
		"http://user:pw@proxy.lan:3128/":  "",
		"socks5://localhost:1080":         "",
		"socks5h://10.0.0.1":              "",
		"https://proxy.example":           "",
		"127.0.0.1:7890":                  ReasonMalformed,
		"http://":                         ReasonMalformed,
		"http://proxy.example/path":       ReasonMalformed,
		"http://proxy.example?x":          ReasonMalformed,
		"ftp://proxy.example":             ReasonScheme,
		"http://169.254.169.254:80":       ReasonMetadata,
		"http://0.0.0.0:7890":             ReasonUnspecified,
		"http://user:pw@proxy.example:22": ReasonPort,
		"http://127.1:7890":               ReasonNumber,
	} {
		u, err := ParseProxy(address)
		if (err == nil) != (want == "") {
			t.Errorf("%s: %v", address, err)
		}
		wantReason(t, err, want)
		if err != nil {
			wantSentence(t, err)
		} else if strings.Contains(u.Host, "pw") {
			t.Error(u.Host)
		}
	}
}

// Public servers go through the proxy and are not looked up; what is near is dialled directly and
// judged; what is never dialled isn't dialled through a proxy either.
func TestProxy(t *testing.T) {
	proxy, err := ParseProxy("http://127.0.0.1:7890")
	if err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string][]string{
		"https://llm.example":          {"127.0.0.1:7890"},
		"https://8.8.8.8":              {"127.0.0.1:7890"},
		"https://[::ffff:8.8.8.8]":     {"127.0.0.1:7890"},
		"http://gpu.lan:8000":          {"192.168.1.2:8000"},
		"https://gpu.lan":              {"192.168.1.2:443"},
		"https://192.168.1.2":          {"192.168.1.2:443"},
		"http://llm.example":           nil,
		"http://localhost:11434":       nil,
		"https://169.254.169.254":      nil,
		"https://metadata.goog":        nil,
		"https://[64:ff9b::a9fe:a9fe]": nil,
	} {
		f := &fake{answers: map[string][][]string{"gpu.lan": {{"192.168.1.2"}}}}
		o := f.options()
		o.Proxy = proxy
		_, err := get(t, Client(Policy{Private: true}, o), address)
		asked, dialled := f.seen()
		if !slices.Equal(dialled, want) || (want == nil) != (ReasonOf(err) != "") || slices.Contains(asked, "llm.example") {
			t.Errorf("%s: dialled %v, asked %v, %v", address, dialled, asked, err)
		}
	}
}

// The proxy is told the name, and TLS is with the server behind it.
func TestProxyConnect(t *testing.T) {
	f := &fake{}
	told := make(chan string, 1)
	f.serve(t, "127.0.0.1:7890", false, func(w http.ResponseWriter, r *http.Request) {
		told <- r.Method + " " + r.Host
		w.WriteHeader(http.StatusForbidden)
	})
	proxy, err := ParseProxy("http://127.0.0.1:7890")
	if err != nil {
		t.Fatal(err)
	}
	o := f.options()
	o.Proxy = proxy
	if _, err := get(t, Client(Policy{}, o), "https://llm.example/v1"); Diagnose(err) != StepProxy || !strings.Contains(err.Error(), "the way to llm.example:443 (status 403)") {
		t.Error(err)
	}
	if got := <-told; got != "CONNECT llm.example:443" {
		t.Error(got)
	}
}

// What fails at the proxy is not said of the server.
func TestProxyFault(t *testing.T) {
	for address, want := range map[string]string{"http://127.0.0.1:7891": "does not answer", "socks5://127.0.0.1:7891": "does not answer"} {
		proxy, err := ParseProxy(address)
		if err != nil {
			t.Fatal(err)
		}
		f := &fake{}
		o := f.options()
		o.Proxy = proxy
		_, err = get(t, Client(Policy{}, o), "https://llm.example/v1")
		if Diagnose(err) != StepProxy || engine.CodeOf(err) != engine.ModelUnreachable || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %q %v", address, Diagnose(err), err)
		}
	}
}
