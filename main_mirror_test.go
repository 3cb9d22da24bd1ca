package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentstudio/engine"
	"agentstudio/engine/words"
	"agentstudio/mirror"
)

// Without a terminal the mirror serves whoever has a token of the file, until it is told to end.
func TestMirrorWithoutAScreen(t *testing.T) {
	token := "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
	file := filepath.Join(t.TempDir(), "tokens")
	if err := os.WriteFile(file, []byte("viewer board "+token+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, w := io.Pipe()
	status := make(chan int)
	go func() {
		status <- run(ctx, []string{"mirror", "--no-save", "--json", "--mirror-token-file", file}, stdio{in: strings.NewReader(""), out: w, err: io.Discard})
		_ = w.Close()
	}()
	line, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	var said struct {
		Addresses []string
		SessionID string
	}
	if err := json.Unmarshal([]byte(line), &said); err != nil || len(said.Addresses) == 0 || said.SessionID == "" {
		t.Fatalf("%q: %v", line, err)
	}
	q, _ := http.NewRequestWithContext(t.Context(), "GET", said.Addresses[0]+"/api/health", nil)
	q.Header.Set("Authorization", "Bearer "+token)
	res, err := http.DefaultClient.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	b, _ := io.ReadAll(res.Body)
	_ = res.Body.Close()
	http.DefaultClient.CloseIdleConnections()
	if res.StatusCode != 200 || !strings.Contains(string(b), said.SessionID) {
		t.Errorf("%s %s", res.Status, b)
	}
	cancel()
	if s := <-status; s != exitDone {
		t.Errorf("status %d", s)
	}
}

// The lines at a terminal make a new class code and end it.
func TestMirrorClassLines(t *testing.T) {
	e := engine.New(engine.Config{Store: &engine.MemStore{}, NewID: func(prefix string) string { return prefix + "1" }, Tools: func(engine.Env) []engine.Tool { return nil }})
	defer e.Close() //nolint:errcheck // nothing is kept
	session, err := e.Open(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	m, err := mirror.New(mirror.Options{Session: session, Port: mirror.AnyPort})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close() //nolint:errcheck // likewise
	var out strings.Builder
	h := &hall{mirror: m, out: &out, lang: words.English}
	first := m.ShowClassCode()
	if !h.take([]string{"hide"}) || m.State().Class != "" {
		t.Errorf("hidden: %+v", m.State())
	}
	if !h.take([]string{"class"}) || m.State().Class == "" || m.State().Class == first || !strings.Contains(out.String(), spaced(m.State().Class)) {
		t.Errorf("a new one: %+v, %s", m.State(), out.String())
	}
}

// What cannot be had is said before anything is opened.
func TestMirrorRefusals(t *testing.T) {
	for _, args := range [][]string{
		{}, {"--mirror-token-file", "/nothing/there"}, {"--mirror-tls", "yes"}, {"--mirror-cert", "x"}, {"--mirror-lan-approvals", "please"},
		{"--mirror-clients", "0"}, {"--mirror-port", "-4"},
	} {
		if len(args) > 0 && args[0] != "--mirror-token-file" {
			args = append(args, "--mirror-token-file", "/nothing/there")
		}
		if s := run(t.Context(), append([]string{"mirror", "--no-save"}, args...), stdio{in: strings.NewReader(""), out: io.Discard, err: io.Discard}); s != exitUsage {
			t.Errorf("%v: status %d, want %d", args, s, exitUsage)
		}
	}
}

// Every line that the mirror prints is there in both languages.
func TestMirrorWords(t *testing.T) {
	for _, key := range []string{"address", "class", "hidden", "approver", "insecure", "asks", "joined", "held", "sent", "waits", "extended", "told", "done", "device", "refused", "help"} {
		if !words.Has("mirror." + key) {
			t.Errorf("mirror.%s has no text", key)
		}
	}
}
