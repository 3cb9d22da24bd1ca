package tool

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"agentstudio/engine"
	"agentstudio/engine/workspace"
)

// desk is a workspace in a folder of its own, with the tools over it.
type desk struct {
	dir   string
	ws    *workspace.Workspace
	tools map[string]engine.Tool
}

// newDesk writes the files (a name, a content) and opens the folder.
func newDesk(t testing.TB, files map[string]string) desk {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "ws")
	must(t, os.MkdirAll(dir, 0o755))
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Skip("this disk refuses the name:", err)
		}
	}
	return openDesk(t, dir)
}

func openDesk(t testing.TB, dir string) desk {
	t.Helper()
	ws, err := workspace.Open(workspace.Options{}, workspace.Root{Dir: dir})
	must(t, err)
	t.Cleanup(func() { ws.Close() }) //nolint:errcheck // handles for reading
	d := desk{dir: dir, ws: ws, tools: map[string]engine.Tool{}}
	for _, tool := range All(ws, engine.Env{}) {
		d.tools[tool.Spec().Name] = tool
	}
	return d
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// call prepares and runs a tool as the loop does.
func (d desk) call(ctx context.Context, name string, args any) (engine.Result, error) {
	raw, ok := args.(string)
	if !ok {
		data, err := json.Marshal(args)
		if err != nil {
			return engine.Result{}, err
		}
		raw = string(data)
	}
	tool := d.tools[name]
	if _, err := tool.Prepare(ctx, json.RawMessage(raw)); err != nil {
		return engine.Result{}, err
	}
	return tool.Run(ctx, engine.Call{Tool: name, Args: json.RawMessage(raw)})
}

// do calls a tool that has to succeed, checks the limits, and reads its data into v.
func (d desk) do(t testing.TB, name string, args, v any) engine.Result {
	t.Helper()
	res, err := d.call(context.Background(), name, args)
	must(t, err)
	if len(res.Content) > 32<<10 || len(res.Data) > 64<<10 || !utf8.ValidString(res.Content) {
		t.Errorf("%s: %d bytes of text, %d of data, valid %v", name, len(res.Content), len(res.Data), utf8.ValidString(res.Content))
	}
	if strings.ContainsFunc(res.Content, isControl) || strings.Contains(res.Content, d.dir) {
		t.Errorf("%s: the text has control characters or the machine's layout: %q", name, res.Content)
	}
	must(t, json.Unmarshal(res.Data, v))
	return res
}

// fails calls a tool that has to fail with a code, in words that say each of says.
func (d desk) fails(t testing.TB, name string, args any, code engine.Code, says ...string) {
	t.Helper()
	res, err := d.call(context.Background(), name, args)
	if engine.CodeOf(err) != code {
		t.Fatalf("%s %v: got %v (%q), want %s", name, args, err, res.Content, code)
	}
	for _, s := range append(says, "") {
		if !strings.Contains(err.Error(), s) {
			t.Errorf("%s %v: %v does not say %q", name, args, err, s)
		}
	}
	if strings.Contains(err.Error(), d.dir) {
		t.Errorf("%s %v: %v shows the machine's layout", name, args, err)
	}
}

func (d desk) says(t testing.TB, content string, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(content, w) {
			t.Errorf("%q is not in %q", w, content)
		}
	}
}

type m map[string]any
