package provider

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"agentstudio/engine"
)

// at makes a model at a server of the test; its connections are closed with it.
func at(t *testing.T, base string, o Options) engine.Model {
	t.Helper()
	if o.Client == nil {
		tr := &http.Transport{}
		t.Cleanup(tr.CloseIdleConnections)
		o.Client = &http.Client{Transport: tr}
	}
	m, err := NewChat(connection(base), o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestFailuresOfTheConnection(t *testing.T) {
	closed := httptest.NewServer(nil)
	closed.Close()
	tls := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	tls.Config.ErrorLog = log.New(io.Discard, "", 0)
	tls.StartTLS()
	defer tls.Close()
	plain := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer plain.Close()
	fails := func(err error) Options {
		return Options{Client: &http.Client{Transport: trip(func(*http.Request) (*http.Response, error) { return nil, err })}}
	}
	guard := engine.Errorf("ADDRESS_REFUSED", "this address is refused")
	for name, c := range map[string]struct {
		base string
		o    Options
		code engine.Code
		says string
	}{
		"refused":      {closed.URL, Options{}, engine.ModelUnreachable, "nothing answers at 127.0.0.1"},
		"certificate":  {tls.URL, Options{}, engine.ModelTLS, "certificate of 127.0.0.1"},
		"not https":    {"https" + strings.TrimPrefix(plain.URL, "http"), Options{}, engine.ModelTLS, "does not speak https"},
		"no such name": {"https://nowhere.example", fails(&net.DNSError{Err: "no such host", Name: "nowhere.example", IsNotFound: true}), engine.ModelUnreachable, "no server has the name nowhere.example"},
		"DNS fails":    {"https://nowhere.example", fails(&net.DNSError{Err: "server misbehaving", Name: "nowhere.example"}), engine.ModelUnreachable, "could not be looked up"},
		"timeout":      {"https://slow.example", fails(&net.OpError{Op: "dial", Err: timeout{}}), engine.ModelUnreachable, "did not answer in time"},
		"reset":        {"https://x.example", fails(errBroken), engine.ModelUnreachable, "failed before an answer"},
		"not HTTP":     {"https://x.example", fails(errors.New(`malformed HTTP response "SSH-2.0"`)), engine.ModelProtocol, "does not speak HTTP"},
		"the guard":    {"https://x.example", fails(&net.OpError{Op: "dial", Err: guard}), "ADDRESS_REFUSED", "this address is refused"},
	} {
		got := ask(t.Context(), t, at(t, c.base, c.o), hello())
		if engine.CodeOf(got.err) != c.code || !strings.Contains(got.err.Error(), c.says) {
			t.Errorf("%s: %v, want %s with %q", name, got.err, c.code, c.says)
		}
		if text := errText(got.err); strings.Contains(text, "chat/completions") {
			t.Errorf("%s shows the address: %s", name, text)
		}
	}
}

type timeout struct{}

func (timeout) Error() string   { return "i/o timeout" }
func (timeout) Timeout() bool   { return true }
func (timeout) Temporary() bool { return true }

// recorder is a server that sends begin, then waits for the end of the request and tells it.
func recorder(t *testing.T, begin string) (base string, ended chan error, requests chan struct{}) {
	t.Helper()
	ended, requests = make(chan error, 9), make(chan struct{}, 9)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests <- struct{}{}
		_, _ = io.Copy(io.Discard, r.Body)
		if begin != "" {
			_, _ = io.WriteString(w, begin)
			w.(http.Flusher).Flush()
		}
		<-r.Context().Done()
		ended <- r.Context().Err()
	}))
	t.Cleanup(s.Close)
	return s.URL, ended, requests
}

func TestTheEndOfTheContextEndsTheRequest(t *testing.T) {
	why := errors.New("somebody pressed Esc")
	for name, begin := range map[string]string{"before an answer": "", "in the middle": wrote(`{"content":"hi"}`, "null"), "after the finish reason": wrote(`{"content":"hi"}`, "stop")} {
		base, ended, requests := recorder(t, begin)
		m := at(t, base, Options{})
		ctx, cancel := context.WithCancelCause(t.Context())
		go func() {
			<-requests
			if begin == "" {
				cancel(why)
			}
		}()
		var last error
		for c, err := range m.Stream(ctx, hello()) {
			if last != nil {
				t.Errorf("%s: %v after the error", name, c)
			}
			if c == engine.Text("hi") {
				cancel(why)
			}
			last = err
		}
		if !errors.Is(last, why) {
			t.Errorf("%s: %v", name, last)
		}
		if err := <-ended; err == nil {
			t.Errorf("%s: the server did not see the end", name)
		}
		for _, err := range m.Stream(ctx, hello()) {
			if !errors.Is(err, why) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if len(requests) > 0 {
			t.Errorf("%s: something was sent after the end", name)
		}
	}
}

func TestBreakingOffEndsTheRequest(t *testing.T) {
	base, ended, _ := recorder(t, wrote(`{"content":"hi"}`, "null"))
	for range at(t, base, Options{}).Stream(t.Context(), hello()) {
		break
	}
	<-ended
}

func TestSilentServers(t *testing.T) {
	for name, c := range map[string]struct {
		begin string
		pass  []time.Duration
		code  engine.Code
		says  string
	}{
		"no answer":              {"", []time.Duration{599 * time.Second, 2 * time.Second}, engine.ModelUnreachable, "within 10m0s"},
		"only comments":          {": still loading\n\n", []time.Duration{601 * time.Second}, engine.ModelUnreachable, "still loading, then"},
		"silent in the middle":   {wrote(`{"content":"hi"}`, "null"), []time.Duration{599 * time.Second, 2 * time.Second}, engine.ModelStreamCut, "sent nothing for 10m0s"},
		"silent after the end":   {wrote(`{"content":"hi"}`, "stop"), []time.Duration{6 * time.Second}, "", ""},
		"open after [DONE]":      {wrote(`{"content":"hi"}`, "stop") + "data: [DONE]\n\n", []time.Duration{time.Second}, "", ""},
		"an error, then silence": {"\x00error", []time.Duration{601 * time.Second}, engine.ModelServer, "500"},
	} {
		t.Run(name, func(t *testing.T) {
			clock := newHandClock()
			r, w := io.Pipe()
			waiting := make(chan struct{}, 9)
			status, begin := 200, c.begin
			if strings.HasPrefix(begin, "\x00") {
				status, begin = 500, "e"
			}
			client := &http.Client{Transport: trip(func(req *http.Request) (*http.Response, error) {
				body := &reportingBody{strings.NewReader(begin), r, waiting, false}
				return &http.Response{StatusCode: status, Header: http.Header{}, Body: body, Request: req}, nil
			})}
			m := at(t, "http://localhost:1/v1", Options{Client: client, Clock: clock})
			got := make(chan outcome)
			go func() { got <- ask(t.Context(), t, m, hello()) }()
			<-waiting
			for _, d := range c.pass {
				clock.pass(d)
			}
			o := <-got
			_ = w.Close()
			if engine.CodeOf(o.err) != c.code || !strings.Contains(errText(o.err), c.says) {
				t.Errorf("%+v, want %s", o, c.code)
			}
			if c.code == "" && o.text != "hi" {
				t.Errorf("%+v", o)
			}
		})
	}
}

// reportingBody gives begin and then waits for the pipe, telling so.
type reportingBody struct {
	begin   io.Reader
	pipe    *io.PipeReader
	waiting chan struct{}
	told    bool
}

func (b *reportingBody) Read(p []byte) (int, error) {
	if n, err := b.begin.Read(p); err == nil {
		return n, nil
	}
	if !b.told {
		b.told = true
		b.waiting <- struct{}{}
	}
	return b.pipe.Read(p)
}

func (b *reportingBody) Close() error { return b.pipe.CloseWithError(errors.New("closed")) }

// TestASlowReaderIsNotASilentServer lets more than the limit pass while the caller is busy.
func TestASlowReaderIsNotASilentServer(t *testing.T) {
	clock := newHandClock()
	from := &canned{t: t, body: slowly(wrote(`{"content":"a"}`, "null") + wrote(`{"content":"b"}`, "stop"))}
	m, err := NewChat(connection("https://models.example/v1"), Options{Client: &http.Client{Transport: from}, Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	for c, err := range m.Stream(t.Context(), hello()) {
		if err != nil {
			t.Fatal(err)
		}
		if s, ok := c.(engine.Text); ok {
			text += string(s)
		}
		clock.pass(time.Hour)
	}
	if text != "ab" {
		t.Errorf("text %q", text)
	}
}

func TestLimits(t *testing.T) {
	for base, want := range map[string]time.Duration{"https://x.example": 2 * time.Minute, "http://localhost:1": 10 * time.Minute,
		"http://127.0.0.9": 10 * time.Minute, "http://[::1]:8080": 10 * time.Minute, "http://10.0.0.1": 2 * time.Minute} {
		w := at(t, base, Options{}).(*chat).wire
		if w.first != want || w.idle != want {
			t.Errorf("%s: %s %s", base, w.first, w.idle)
		}
	}
	if w := at(t, "https://x.example", Options{First: 1, Idle: 2}).(*chat).wire; w.first != 1 || w.idle != 2 {
		t.Errorf("%s %s", w.first, w.idle)
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	hits := make(chan string, 9)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hits <- r.URL.Path
		http.Redirect(w, r, "/other-place", http.StatusTemporaryRedirect)
	}))
	defer s.Close()
	got := ask(t.Context(), t, at(t, s.URL, Options{}), hello())
	wantCode(t, got.err, engine.ModelNotFound)
	if len(hits) != 1 || strings.Contains(errText(got.err), "other-place") {
		t.Errorf("%d requests, %v", len(hits), got.err)
	}
}

func TestConnectionsAreUsedAgain(t *testing.T) {
	conns := make(chan net.Conn, 9)
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		for i := range 3 {
			_, _ = fmt.Fprint(w, wrote(fmt.Sprintf(`{"content":"%d"}`, i), "null"))
			w.(http.Flusher).Flush()
		}
		_, _ = io.WriteString(w, wrote(`{}`, "stop")+"data: [DONE]\n\n")
	}))
	s.Config.ConnState = func(c net.Conn, state http.ConnState) {
		if state == http.StateNew {
			conns <- c
		}
	}
	s.Start()
	defer s.Close()
	m := at(t, s.URL, Options{})
	for range 3 {
		if got := ask(t.Context(), t, m, hello()); got.text != "012" || got.err != nil {
			t.Fatalf("%+v", got)
		}
	}
	if len(conns) != 1 {
		t.Errorf("%d connections", len(conns))
	}
}

func TestAModelMayBeUsedByMany(t *testing.T) {
	m, _ := serve(t, wrote(`{"content":"hi"}`, "stop"))
	done := make(chan outcome)
	for range 8 {
		go func() { done <- ask(t.Context(), t, m, hello()) }()
	}
	for range 8 {
		if got := <-done; got.err != nil || got.text != "hi" {
			t.Errorf("%+v", got)
		}
	}
}
