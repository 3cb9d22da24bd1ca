package main

import (
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"agentstudio/engine"
	"agentstudio/engine/words"
)

// Each reason for which the guard refuses an address is told in both languages.
func TestRefusalsAreWorded(t *testing.T) {
	source, err := os.ReadFile("engine/netguard/reason.go")
	if err != nil {
		t.Fatal(err)
	}
	reasons := regexp.MustCompile(`(?m)^\tReason\w+\s+(?:Reason )?\s*= "(\w+)"`).FindAllStringSubmatch(string(source), -1)
	if len(reasons) < 20 {
		t.Fatalf("%d reasons", len(reasons))
	}
	for _, r := range reasons {
		err := engine.Errorf(engine.AddressRefused, "in English").With("reason", r[1])
		if said := sayFault(words.Chinese, err); said == "in English" || said == words.Text(words.Chinese, "code.ADDRESS_REFUSED", nil) {
			t.Errorf("%s is told as %q", r[1], said)
		}
		if said := sayFault(words.English, err); said != "in English" {
			t.Errorf("%s in English is %q", r[1], said)
		}
	}
}

// A refusal in the form is told in the language of the screen, with its code and reason.
func TestFormRefusesInChinese(t *testing.T) {
	c := chooser(t.TempDir(), &ring{}, nil)
	c.lang = words.Chinese
	_, err := c.Use(t.Context(), draft("http://169.254.169.254/v1", planted, false))
	if engine.CodeOf(err) != engine.AddressRefused || engine.MessageOf(err) != words.Text(words.Chinese, "connection.refused.metadata", nil) || engine.DetailsOf(err)["reason"] != "metadata" {
		t.Errorf("%v, %v", err, engine.DetailsOf(err))
	}
}

// With --model-proxy a public server is asked for at the proxy alone, and the run says what that weakens.
func TestModelProxy(t *testing.T) {
	asks := make(chan string, 10)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asks <- r.Method + " " + r.Host
		w.WriteHeader(http.StatusForbidden)
	}))
	defer proxy.Close()
	status, _, said := asked(t, "models", "test", "--base-url", "https://xn--e1awd7f.example/v1", "--model", "m", "--model-proxy", "http://user:secret@"+proxy.Listener.Addr().String())
	if status != exitFailed || !strings.Contains(said, "through the proxy "+proxy.Listener.Addr().String()) || !strings.Contains(said, "xn--e1awd7f.example, a name in other letters") {
		t.Errorf("status %d, %s", status, said)
	}
	if strings.Contains(said, "secret") {
		t.Errorf("the proxy's password is told: %s", said)
	}
	close(asks)
	all := slices.Collect(func(yield func(string) bool) {
		for a := range asks {
			if !yield(a) {
				return
			}
		}
	})
	if want := []string{"CONNECT xn--e1awd7f.example:443"}; !slices.Equal(all, want) {
		t.Errorf("the proxy was asked for %v, want %v", all, want)
	}
}

func TestModelProxyRefused(t *testing.T) {
	for _, at := range []string{"ftp://proxy:21", "127.0.0.1:7890", "http://" + net.IPv4(169, 254, 169, 254).String() + ":80"} {
		status, _, said := asked(t, "models", "test", "--base-url", "https://llm.example/v1", "--model", "m", "--model-proxy", at)
		if status != exitUsage || !strings.Contains(said, "--model-proxy") {
			t.Errorf("%s: status %d, %s", at, status, said)
		}
	}
}
