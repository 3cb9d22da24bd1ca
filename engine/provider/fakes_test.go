package provider

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// demoPrompt is the message of every run below.
const demoPrompt = "Use the ads-analysis skill to analyse demo-account over the last 7 days, then save a report."

// fakes are the folder with the independent fake (scripts/aimock) and the built program; scripts/test
// names both.
func fakes(t *testing.T) (aimock, program string) {
	t.Helper()
	aimock, program = os.Getenv("AIMOCK"), os.Getenv("AGENTSTUDIO")
	if aimock == "" || program == "" {
		t.Skip("AIMOCK and AGENTSTUDIO name neither the fake nor the program; scripts/test does")
	}
	return aimock, program
}

// bare is an environment without anything that a person has set.
func bare(home string) []string {
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "XDG_CONFIG_HOME=" + home, "XDG_STATE_HOME=" + home, "LANG=en_US.UTF-8"}
}

// startFake starts one instance on a port of its own and gives its address.
func startFake(t *testing.T, aimock, fixtures string, flags ...string) *url.URL {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("testdata", "fakes", fixtures))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	c := exec.CommandContext(ctx, "node", append([]string{filepath.Join(aimock, "node_modules", "@copilotkit", "aimock", "dist", "cli.js"),
		"--port", "0", "--host", "127.0.0.1", "--fixtures", path}, flags...)...)
	c.Env = bare(t.TempDir())
	var said bytes.Buffer
	c.Stderr = &said
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		stop()
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	address := ""
	for address == "" && lines.Scan() {
		_, address, _ = strings.Cut(lines.Text(), "listening on ")
	}
	var reading sync.WaitGroup
	reading.Go(func() {
		for lines.Scan() { // it must not stand still because nobody reads what it says
		}
	})
	t.Cleanup(func() {
		stop()
		reading.Wait()
		_ = c.Wait()
	})
	at, err := url.Parse(address)
	if err != nil || address == "" {
		t.Fatalf("the fake says no address (%v): %s", err, said.String())
	}
	return at
}

// between is a server between the program and the fake, which judges every request.
type between struct {
	*httptest.Server
	mu   sync.Mutex
	sent []string
	gone chan struct{} // gets a value for every request that the program broke off
}

func stand(t *testing.T, d dialect, fake *url.URL) *between {
	b := &between{gone: make(chan struct{}, 16)}
	transport := &http.Transport{}
	proxy := &httputil.ReverseProxy{Transport: transport, FlushInterval: -1,
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(fake) },
		// A connection that the fake breaks off is broken off here too.
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) }}
	b.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		b.mu.Lock()
		b.sent = append(b.sent, string(body))
		b.mu.Unlock()
		d.checkRequest(t, r, body)
		if !strings.Contains(r.Header.Get(d.keyHeader), testKey) {
			t.Errorf("no key in %s", d.keyHeader)
		}
		defer func() {
			if r.Context().Err() != nil {
				b.gone <- struct{}{}
			}
		}()
		r.Body = io.NopCloser(bytes.NewReader(body))
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { b.Close(); transport.CloseIdleConnections() })
	return b
}

func (b *between) requests() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]string(nil), b.sent...)
}

// told is what a run of the program has told.
type told struct {
	status int
	events []toldEvent
	errors string
}

type toldEvent struct {
	Type    string
	Payload struct {
		Delta, Code, Reason string
		Tool                string `json:"toolName"`
		Attempt             int
		Status              any   // of HTTP here, of an approval elsewhere
		DelayMS             int64 `json:"delayMs"`
		Usage               struct {
			Input *int `json:"inputTokens"`
		}
	}
}

// story is the events that tell how a run went, in order, without those whose order or number is
// chance.
func (r told) story() string {
	var out []string
	for _, e := range r.events {
		switch e.Type {
		case "run.started", "turn.started", "model.retrying", "assistant.completed", "turn.completed", "approval.required", "approval.resolved", "artifact.ready", "run.completed":
			out = append(out, e.Type)
		case "tool.requested":
			out = append(out, e.Payload.Tool)
		case "run.failed":
			out = append(out, e.Type, e.Payload.Code)
		case "run.cancelled":
			out = append(out, e.Type, e.Payload.Reason)
		}
	}
	return strings.Join(out, " ")
}

func (r told) said(kind string) (text string) {
	for _, e := range r.events {
		if e.Type == kind {
			text += e.Payload.Delta
		}
	}
	return text
}

func (r told) all(kind string) (out []toldEvent) {
	for _, e := range r.events {
		if e.Type == kind {
			out = append(out, e)
		}
	}
	return out
}

// play runs the program with the demo's message and reads all it tells. heard is called with every
// event, and may interrupt the program.
func play(t *testing.T, program string, d dialect, address string, heard func(e toldEvent, interrupt func())) (r told) {
	t.Helper()
	home := t.TempDir()
	key := filepath.Join(home, "key")
	if err := os.WriteFile(key, []byte(testKey+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	c := exec.CommandContext(ctx, program, "run", "--no-save", "--json", "--approve", "always", "--allow-localhost-models",
		"--api", d.api, "--base-url", address+"/v1", "--model", "gpt-5", "--key-file", key, demoPrompt)
	c.Dir, c.Env = t.TempDir(), bare(home)
	var said bytes.Buffer
	c.Stderr = &said
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 8<<20)
	for lines.Scan() {
		var e toldEvent
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			t.Errorf("%v: %s", err, lines.Bytes())
		}
		if bytes.Contains(lines.Bytes(), []byte(testKey)) {
			t.Errorf("the key is in %s", lines.Bytes())
		}
		r.events = append(r.events, e)
		heard(e, func() { _ = c.Process.Signal(os.Interrupt) })
	}
	_ = c.Wait() // the status says it
	r.status, r.errors = c.ProcessState.ExitCode(), said.String()
	if strings.Contains(r.errors, testKey) {
		t.Errorf("the key is in %s", r.errors)
	}
	return r
}
