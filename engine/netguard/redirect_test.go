package netguard

import (
	"net/http"
	"strings"
	"testing"

	"agentstudio/engine"
)

// No redirect is followed, to whichever place and by whoever asks, and only the place's host is told.
func TestRedirects(t *testing.T) {
	for location, named := range map[string]string{
		"http://169.254.169.254/latest?token=x":  "169.254.169.254",
		"https://user:pw@Other.example/v1?key=k": "other.example",
		"/elsewhere":                             "llm.lan",
		"https://bücher.example/":                "another address",
		"//[::1":                                 "another address",
	} {
		for _, status := range []int{301, 302, 303, 307, 308} {
			hungUp := make(chan struct{})
			f := &fake{answers: map[string][][]string{"llm.lan": {{"192.168.1.2"}}}}
			f.serve(t, "192.168.1.2:80", false, func(w http.ResponseWriter, _ *http.Request) {
				w.Header()["Location"] = []string{location}
				w.WriteHeader(status)
				_, _ = w.Write(make([]byte, 1<<20)) // ends when the client hangs up
				close(hungUp)
			})
			c := Client(Policy{Private: true}, f.options())
			c.CheckRedirect = func(*http.Request, []*http.Request) error { return nil } // nobody can switch it on
			_, err := get(t, c, "http://llm.lan/v1")
			wantReason(t, err, ReasonRedirect)
			said := engine.MessageOf(err)
			if !strings.Contains(said, "redirects to "+named+",") || strings.Contains(said, "pw") || strings.Contains(said, "latest") || strings.Contains(said, "key=") {
				t.Errorf("%d to %q says %q", status, location, said)
			}
			if _, dialled := f.seen(); len(dialled) != 1 {
				t.Errorf("dialled %v", dialled)
			}
			<-hungUp
			c.CloseIdleConnections()
		}
	}
}

// A 304 and a redirect that leads nowhere are answers like others.
func TestNoRedirect(t *testing.T) {
	for _, status := range []int{200, 302, 304, 404} {
		f := &fake{}
		f.serve(t, "127.0.0.1:80", false, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
		c := Client(Policy{Localhost: true}, f.options())
		if got, err := get(t, c, "http://127.0.0.1"); got != status || err != nil {
			t.Error(status, got, err)
		}
		c.CloseIdleConnections()
	}
}
