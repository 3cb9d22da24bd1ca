package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// recorder is a model server that keeps what it was sent.
type recorder struct {
	*httptest.Server
	mu    sync.Mutex
	heads []http.Header
	sent  [][]byte
}

// record serves with an answer for each request, counted from 0.
func record(t *testing.T, answer func(n int, w http.ResponseWriter, r *http.Request)) *recorder {
	rec := &recorder{}
	rec.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		rec.mu.Lock()
		n := len(rec.sent)
		rec.sent, rec.heads = append(rec.sent, b), append(rec.heads, r.Header.Clone())
		rec.mu.Unlock()
		answer(n, w, r)
	}))
	t.Cleanup(rec.Close)
	return rec
}

func (r *recorder) seen() ([][]byte, []http.Header) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.sent, r.heads
}

// asked runs a command with nobody at the terminal.
func asked(t *testing.T, args ...string) (status int, out, said string) {
	t.Helper()
	var o, e bytes.Buffer
	status = run(t.Context(), args, stdio{in: strings.NewReader(""), out: &o, err: &e, ring: &ring{}})
	return status, o.String(), e.String()
}

// A run speaks to a server on this computer, and works with tool calls.
func TestRunOverHTTP(t *testing.T) {
	server := record(t, func(n int, w http.ResponseWriter, _ *http.Request) {
		if n == 0 {
			chat(w, `{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"mock_ads_metrics","arguments":"{\"accountId\":\"demo-account\",\"days\":7}"}}]}}]}`,
				`{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`)
			return
		}
		chat(w, text("All "), text("is well."), stopped)
	})
	status, out, said := asked(t, "run", "--no-save", "--base-url", server.URL+"/v1", "--model", "m", "--allow-localhost-models", "--approve", "always", "How is it?")
	if status != exitDone || out != "All is well.\n" || !strings.Contains(said, "mock_ads_metrics") {
		t.Errorf("status %d\n%s\n%s", status, out, said)
	}
	sent, heads := server.seen()
	if len(sent) != 2 || heads[0].Get("Authorization") != "" {
		t.Fatalf("%d requests, %v", len(sent), heads)
	}
	var second struct {
		Model    string
		Messages []struct{ Role, Content string }
	}
	if err := json.Unmarshal(sent[1], &second); err != nil || second.Model != "m" {
		t.Fatalf("%v\n%s", err, sent[1])
	}
	if last := second.Messages[len(second.Messages)-1]; last.Role != "tool" || !strings.Contains(last.Content, "demo-account") {
		t.Errorf("%+v", last)
	}
}

// A half-made connection ends run before anything is sent or saved; nothing plays in its place.
func TestRunOfHalfAConnection(t *testing.T) {
	server := record(t, func(int, http.ResponseWriter, *http.Request) {})
	for _, c := range []struct {
		args []string
		want string
		code int
	}{
		{[]string{"--base-url", server.URL, "--allow-localhost-models"}, "MODEL_NOT_CONFIGURED", exitFailed},
		{[]string{"--base-url", server.URL, "--model", "m"}, "ADDRESS_REFUSED", exitFailed},
		{[]string{"--provider", "openai", "--api", "anthropic-messages", "--model", "m"}, "PROVIDER_API_MISMATCH", exitFailed},
		{[]string{"--provider", "opnai", "--model", "m"}, "CONFIG_INVALID", exitUsage},
		{[]string{"--provider", "openai", "--model", "m"}, "a key for https://api.openai.com is missing", exitFailed},
	} {
		state := t.TempDir()
		status, _, said := asked(t, append([]string{"run", "--state", state, "--approve", "never", "hello"}, c.args...)...)
		if status != c.code || !strings.Contains(said, c.want) {
			t.Errorf("%v: status %d, %s", c.args, status, said)
		}
		if files := filesIn(t, state); len(files) != 0 {
			t.Errorf("%v: %v", c.args, files)
		}
	}
	if sent, _ := server.seen(); len(sent) != 0 {
		t.Errorf("%d requests", len(sent))
	}
}

// The studio opens without a model then, says why, and takes no message.
func TestPlainWithoutModel(t *testing.T) {
	t.Setenv("AGENT_PROVIDER", "openai")
	var out bytes.Buffer
	status := run(t.Context(), []string{"--plain", "--no-save"}, stdio{in: strings.NewReader("hello\n"), out: &out, err: io.Discard})
	if status != exitDone || !strings.Contains(out.String(), "--model or AGENT_MODEL") || !strings.Contains(out.String(), "no model is configured") {
		t.Errorf("status %d\n%s", status, out.String())
	}
}

// models test has the status of what it found.
func TestModelsTest(t *testing.T) {
	server := record(t, func(_ int, w http.ResponseWriter, _ *http.Request) { chat(w, text("OK"), stopped) })
	flags := []string{"models", "test", "--json", "--base-url", server.URL + "/v1", "--allow-localhost-models"}
	if status, out, said := asked(t, append(flags, "--model", "m")...); status != exitDone || !strings.Contains(out, `"ok": true`) {
		t.Errorf("status %d\n%s%s", status, out, said)
	}
	if status, out, said := asked(t, flags...); status != exitFailed || !strings.Contains(out, `"step": "model"`) {
		t.Errorf("status %d\n%s%s", status, out, said)
	}
	if status, out, _ := asked(t, "models", "test"); status != exitDone || !strings.Contains(out, "scripted") {
		t.Errorf("status %d\n%s", status, out)
	}
}

// What ends a run is told in the language that was asked for, with what was said beside it.
func TestRunEndsInChinese(t *testing.T) {
	server := record(t, func(_ int, w http.ResponseWriter, r *http.Request) {
		refuses(401, `{"error":{"message":"no such key"}}`)(w, r)
	})
	status, _, said := asked(t, "run", "--lang", "zh", "--approve", "never", "--no-save", "--base-url", server.URL+"/v1", "--model", "m", "--allow-localhost-models", "hello")
	if status != exitFailed || !strings.Contains(said, "agentstudio: MODEL_AUTH: 服务商拒绝此密钥") || !strings.Contains(said, "no such key") {
		t.Errorf("status %d, %s", status, said)
	}
}

// What keeps a run from beginning is told in the language that was asked for too, with its facts.
func TestRefusalsBeforeARunAreInChinese(t *testing.T) {
	dir := t.TempDir()
	empty, heic, large := filepath.Join(dir, "empty.png"), filepath.Join(dir, "photo.heic"), filepath.Join(dir, "large.png")
	for name, size := range map[string]int64{empty: 0, large: 6 << 20} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(name, size); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(heic, []byte("\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		status int
		args   []string
		says   []string
	}{
		{exitFailed, []string{"--attach", empty}, []string{"IMAGE_EMPTY: 文件为空，请另选", "(", "empty"}},
		{exitFailed, []string{"--attach", heic}, []string{"IMAGE_UNSUPPORTED: 不支持此类文件（HEIC），请另存或共享为 JPEG"}},
		{exitFailed, []string{"--attach", large}, []string{"IMAGE_TOO_LARGE: ", "文件大于 5 MiB，请缩小或另存为 JPEG"}},
		{exitUsage, []string{"--max-turns", "0"}, []string{"CONFIG_INVALID: ", "(budgets are whole"}},
	} {
		status, _, said := asked(t, append([]string{"run", "--lang", "zh", "--approve", "never", "--no-save", "hello"}, c.args...)...)
		for _, want := range c.says {
			if status != c.status || !strings.Contains(said, want) {
				t.Errorf("%q: status %d, %s", c.args, status, said)
			}
		}
	}
}

// Whose models are listed is said where nobody named a provider.
func TestListWithoutAConnection(t *testing.T) {
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"models", "list"}, "no connection is set, so these are OpenAI's; --provider names another\n"},
		{[]string{"models", "list", "--provider", "anthropic"}, ""},
	} {
		if status, out, said := asked(t, c.args...); status != exitDone || said != c.says || out == "" {
			t.Errorf("%q: status %d, %d bytes, said %q", c.args, status, len(out), said)
		}
	}
}

// An address without a scheme is called that, whatever else is missing.
func TestAddressWithoutScheme(t *testing.T) {
	for address, says := range map[string]string{"llm.example/v1": "has no scheme", "127.0.0.1:1/v1": "cannot be read as an address", "localhost:1/v1": "write https://"} {
		if status, _, said := asked(t, "models", "test", "--base-url", address, "--model", "m"); status != exitFailed || !strings.Contains(said, says) {
			t.Errorf("%s: status %d, %s", address, status, said)
		}
	}
}
