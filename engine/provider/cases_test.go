package provider

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"agentstudio/engine"
)

// expected is one entry of a case's expect.json.
type expected struct {
	Text      string
	Reasoning string
	Calls     []struct {
		ID, Name  string
		Arguments any
	} `json:"tool_calls"`
	Usage *struct {
		Input, Output int
		Cached        *int `json:"cached_input"`
	}
	Finish string
	Error  *struct {
		Contains  string `json:"message_contains"`
		Code      string
		Retryable bool
	}
	MayRun []string `json:"tools_that_may_run"`
}

type aCase struct {
	name    string // folder and file
	dialect dialect
	body    string
	kind    string // content type
	want    expected
}

func cases(t testing.TB) (all []aCase) {
	t.Helper()
	files, err := filepath.Glob("testdata/cases/*/expect.json")
	if err != nil || len(files) < 15 {
		t.Fatalf("%d cases, %v", len(files), err)
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var want map[string]expected
		if err := json.Unmarshal(b, &want); err != nil {
			t.Fatal(err)
		}
		d := dialectOf(t, filepath.Dir(f))
		for name, w := range want {
			body, err := os.ReadFile(filepath.Join(filepath.Dir(f), name))
			if err != nil {
				t.Fatal(err)
			}
			kind := map[string]string{".sse": "text/event-stream; charset=utf-8", ".json": "application/json", ".html": "text/html"}[filepath.Ext(name)]
			all = append(all, aCase{filepath.Base(filepath.Dir(f)) + "/" + name, d, string(body), kind, w})
		}
	}
	return all
}

// dialectOf is the dialect that a case's request.json names.
func dialectOf(t testing.TB, folder string) dialect {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(folder, "request.json"))
	if err != nil {
		t.Fatal(err)
	}
	var r struct{ Dialect string }
	if err := json.Unmarshal(b, &r); err != nil {
		t.Fatal(err)
	}
	d, known := dialects()[r.Dialect]
	if !known {
		t.Fatalf("%s is in the dialect %q", folder, r.Dialect)
	}
	return d
}

// retryable repeats which codes the loop tries again for.
func retryable(c engine.Code) bool {
	switch c {
	case engine.ModelUnreachable, engine.ModelRateLimited, engine.ModelOverloaded, engine.ModelServer, engine.ModelStreamCut:
		return true
	}
	return false
}

func (c aCase) check(t *testing.T, got outcome) {
	t.Helper()
	w := c.want
	if got.text != w.Text || got.reasoning != w.Reasoning {
		t.Errorf("text %q and reasoning %q, want %q and %q", got.text, got.reasoning, w.Text, w.Reasoning)
	}
	var may []string
	ids := map[string]bool{}
	n := 0
	for _, call := range got.calls {
		if call.Cut {
			continue // never runs
		}
		if n >= len(w.Calls) {
			t.Errorf("one call too many: %+v", call)
			continue
		}
		want := w.Calls[n]
		n++
		if string(call.ID) != want.ID && want.ID != "<made up>" || call.ID == "" || ids[string(call.ID)] || call.Tool != want.Name {
			t.Errorf("call %+v, want %+v", call, want)
		}
		ids[string(call.ID)] = true
		canonical, err := engine.Canonical(call.Args)
		if (err != nil) != (want.Arguments == nil) {
			t.Errorf("arguments %s: %v, want %v", call.Args, err, want.Arguments)
			continue
		}
		var args any
		if err == nil {
			may = append(may, call.Tool)
			_ = json.Unmarshal(canonical, &args)
		}
		if !reflect.DeepEqual(args, want.Arguments) {
			t.Errorf("arguments %v, want %v", args, want.Arguments)
		}
	}
	if n != len(w.Calls) || len(may) != len(w.MayRun) || len(may) > 0 && !reflect.DeepEqual(may, w.MayRun) {
		t.Errorf("calls %+v, may run %v, want %+v and %v", got.calls, may, w.Calls, w.MayRun)
	}
	c.checkEnd(t, got)
}

func (c aCase) checkEnd(t *testing.T, got outcome) {
	t.Helper()
	w := c.want
	switch {
	case w.Usage == nil:
		if got.usage != nil {
			t.Errorf("usage %+v, want none", *got.usage)
		}
	case got.usage == nil || got.usage.InputTokens == nil || *got.usage.InputTokens != w.Usage.Input || *got.usage.OutputTokens != w.Usage.Output:
		t.Errorf("usage %+v, want %+v", got.usage, w.Usage)
	case (got.usage.CachedTokens == nil) != (w.Usage.Cached == nil) || w.Usage.Cached != nil && *got.usage.CachedTokens != *w.Usage.Cached:
		t.Errorf("cached %v, want %v", got.usage.CachedTokens, w.Usage.Cached)
	}
	stop := map[string]engine.StopReason{"stop": engine.StopEnd, "tool_calls": engine.StopToolUse, "length": engine.StopLength}[w.Finish]
	if got.stop != stop {
		t.Errorf("stop %q, want %q", got.stop, stop)
	}
	if (got.err != nil) != (w.Error != nil) {
		t.Fatalf("error %v, want %+v", got.err, w.Error)
	}
	if w.Error == nil {
		return
	}
	if !strings.Contains(got.err.Error(), w.Error.Contains) || retryable(engine.CodeOf(got.err)) != w.Error.Retryable {
		t.Errorf("error %v, want %+v", got.err, *w.Error)
	}
	if code, _ := engine.DetailsOf(got.err)["providerCode"].(string); w.Error.Code != "" && code != w.Error.Code {
		t.Errorf("provider code %q, want %q", code, w.Error.Code)
	}
	if cut := engine.CodeOf(got.err) == engine.ModelStreamCut; cut != (w.Finish == "interrupted") {
		t.Errorf("code %s, want %s", engine.CodeOf(got.err), w.Finish)
	}
}

func TestCases(t *testing.T) {
	for _, c := range cases(t) {
		t.Run(c.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				sent, _ := io.ReadAll(r.Body)
				c.dialect.checkRequest(t, r, sent)
				w.Header().Set("Content-Type", c.kind)
				_, _ = io.WriteString(w, c.body)
			}))
			defer server.Close()
			m, err := c.dialect.make(c.dialect.connection(server.URL+"/v1"), Options{Client: server.Client()})
			if err != nil {
				t.Fatal(err)
			}
			c.check(t, ask(t.Context(), t, m, hello()))
		})
	}
}

// TestCasesInPieces reads each case in pieces of several sizes; the result is the same.
func TestCasesInPieces(t *testing.T) {
	for _, c := range cases(t) {
		for _, step := range []int{1, 2, 3, 5, 7, 4096} {
			from := &canned{t: t, dialect: c.dialect, header: http.Header{"Content-Type": {c.kind}}, body: func() io.Reader { return &stepReader{[]byte(c.body), step} }}
			t.Run(c.name, func(t *testing.T) { c.check(t, ask(t.Context(), t, from.model(), hello())) })
		}
	}
}

// TestAnyCutIsACut cuts each stream at every byte before its terminal mark: that is never a success
// and never gives a call.
func TestAnyCutIsACut(t *testing.T) {
	for _, c := range cases(t) {
		if c.want.Error != nil || !strings.HasSuffix(c.name, ".sse") && !strings.HasSuffix(c.name, "body2.json") {
			continue
		}
		end := c.dialect.terminal(t, c.body)
		m, from := c.dialect.serve(t, "")
		for n := range end {
			ends := []io.Reader{strings.NewReader("")}
			if n%5 == 0 { // the same from a broken connection, not everywhere for the sake of time
				ends = append(ends, iotest.ErrReader(errBroken))
			}
			for _, tail := range ends {
				from.body = func() io.Reader { return io.MultiReader(strings.NewReader(c.body[:n]), tail) }
				got := ask(t.Context(), t, m, hello())
				if engine.CodeOf(got.err) != engine.ModelStreamCut || len(got.calls) > 0 || got.stop != "" {
					t.Fatalf("%s cut at %d of %d (…%q): %+v", c.name, n, end, c.body[max(0, n-30):n], got)
				}
				if !strings.HasPrefix(c.want.Text, got.text) || !strings.HasPrefix(c.want.Reasoning, got.reasoning) {
					if !strings.Contains(c.name, "think-tags") { // what a cut tag would have been is not known
						t.Fatalf("%s cut at %d: text %q, reasoning %q", c.name, n, got.text, got.reasoning)
					}
				}
			}
		}
		from.body = func() io.Reader { return strings.NewReader(c.body[:end]) }
		if got := ask(t.Context(), t, m, hello()); got.err != nil {
			t.Errorf("%s is whole at %d, but: %v", c.name, end, got.err)
		}
	}
}

// TestHTTPErrorCases is the case p-http-error-bodies.
func TestHTTPErrorCases(t *testing.T) {
	b, err := os.ReadFile("testdata/cases/p-http-error-bodies/responses.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []struct {
		ID      string
		Status  int
		Headers map[string]string
		Body    string
	}
	if err := json.Unmarshal(b, &all); err != nil {
		t.Fatal(err)
	}
	want := map[string]struct {
		code engine.Code
		text string
	}{
		"r1": {engine.ModelBadRequest, "unknown field: foo"},
		"r2": {engine.ModelServer, "502"},
		"r3": {engine.ModelAuth, "401): “Unauthorized”; check the API key setting"},
		"r4": {engine.ModelRateLimited, "slow down"},
		"r5": {engine.ModelTooLarge, "request too large"},
	}
	for _, d := range dialects() {
		for _, r := range all {
			from := &canned{t: t, dialect: d, status: r.Status, header: http.Header{}, body: func() io.Reader { return strings.NewReader(r.Body) }}
			for k, v := range r.Headers {
				from.header.Set(k, v)
			}
			got := ask(t.Context(), t, from.model(), hello())
			if engine.CodeOf(got.err) != want[r.ID].code || !strings.Contains(errText(got.err), want[r.ID].text) {
				t.Errorf("%s: %v, want %v", r.ID, got.err, want[r.ID])
			}
			details := engine.DetailsOf(got.err)
			if details["status"] != r.Status || (r.ID == "r4") != (details["retryAfterMs"] == int64(2000)) {
				t.Errorf("%s: details %v", r.ID, details)
			}
		}
	}
	if len(all) != len(want) {
		t.Errorf("%d responses", len(all))
	}
}
