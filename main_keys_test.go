package main

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/adrg/xdg"

	"agentstudio/engine"
	"agentstudio/tui"
)

// planted is a key that no pattern knows, with signs that each way of writing changes.
const planted = `Pl4nted/K3y+with"signs&and%more==`

// spellings are the forms in which a key could get out.
func spellings(key string) []string {
	quoted, _ := json.Marshal(key) // a string always encodes
	return []string{key, url.QueryEscape(key), url.PathEscape(key), strings.Trim(string(quoted), `"`), base64.StdEncoding.EncodeToString([]byte(key)),
		base64.RawStdEncoding.EncodeToString([]byte(key)), base64.URLEncoding.EncodeToString([]byte(key)), base64.RawURLEncoding.EncodeToString([]byte(key))}
}

func holdsKey(text string) bool {
	for _, s := range spellings(planted) {
		if strings.Contains(text, s) {
			return true
		}
	}
	return false
}

// filesIn are the files below a folder with their contents.
func filesIn(t *testing.T, root string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(root, func(at string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(at)
		all[at] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// answers are what the server does with the key: it takes it, or fails and shows it to everybody.
func answers(elsewhere string) map[string]func(http.ResponseWriter, *http.Request) {
	echo := func(r *http.Request) string { return strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ") }
	body := func(key string) string {
		b, _ := json.Marshal(map[string]any{"error": map[string]string{"message": "Incorrect API key provided: " + strings.Join(spellings(key), " "), "code": key}})
		return string(b)
	}
	return map[string]func(http.ResponseWriter, *http.Request){
		"fine": func(w http.ResponseWriter, _ *http.Request) { chat(w, text("Well."), stopped) },
		"401":  func(w http.ResponseWriter, r *http.Request) { refuses(401, body(echo(r)))(w, r) },
		"500": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Retry-After-Ms", "1")
			refuses(500, body(echo(r)))(w, r)
		},
		"400": func(w http.ResponseWriter, r *http.Request) { refuses(400, body(echo(r)))(w, r) },
		"HTML": func(w http.ResponseWriter, r *http.Request) {
			refuses(200, "<html><body>Hello "+strings.Join(spellings(echo(r)), " ")+"</body></html>")(w, r)
		},
		"redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere+"/v1/chat/completions?key="+url.QueryEscape(echo(r)), http.StatusTemporaryRedirect)
		},
		"in the stream": func(w http.ResponseWriter, r *http.Request) { chat(w, body(echo(r))) },
	}
}

// way is a way for a key to come in: what is set up for a server, and the flags.
type way func(t *testing.T, base, state string, r *ring) []string

func ways() map[string]way {
	flags := func(base string) []string {
		return []string{"--base-url", base, "--model", "m", "--allow-localhost-models"}
	}
	variable := func(name string) way {
		return func(t *testing.T, base, _ string, _ *ring) []string {
			t.Setenv(name, planted)
			t.Setenv("LLM_BASE_URL", base)
			t.Setenv("AGENT_MODEL", "m")
			return []string{"--allow-localhost-models"}
		}
	}
	return map[string]way{
		"key file": func(t *testing.T, base, _ string, _ *ring) []string {
			at := filepath.Join(t.TempDir(), "key")
			if err := os.WriteFile(at, []byte(planted+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			return append(flags(base), "--key-file", at)
		},
		"LLM_API_KEY":    variable("LLM_API_KEY"),
		"OPENAI_API_KEY": variable("OPENAI_API_KEY"),
		"saved file":     used(errors.New("there is no keyring")),
		"keyring":        used(nil), // in memory: no system's keyring is touched
	}
}

// used is a key typed into the form and remembered.
func used(noRing error) way {
	return func(t *testing.T, base, state string, r *ring) []string {
		r.failure = noRing
		d := draft(base, planted, true)
		d.Localhost = true
		if _, err := chooser(state, r, nil).Use(t.Context(), d); err != nil {
			t.Fatal(err)
		}
		return []string{"--allow-localhost-models"}
	}
}

// A key is in nothing that the program writes, says or sends, but in the header of the requests to
// its own server, and in connection.json where it was to be kept there.
func TestPlantedKeys(t *testing.T) {
	other := record(t, func(_ int, w http.ResponseWriter, _ *http.Request) { chat(w, text("Caught."), stopped) })
	for how, come := range ways() {
		for what, answer := range answers(other.URL) {
			t.Run(how+"/"+what, func(t *testing.T) {
				server := record(t, func(_ int, w http.ResponseWriter, r *http.Request) { answer(w, r) })
				home := t.TempDir()
				t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, "config"))
				xdg.Reload()
				state := filepath.Join(home, "state")
				r := &ring{}
				args := append(come(t, server.URL+"/v1", state, r), "--state", state)
				var said []string
				for _, command := range [][]string{{"run", "--json", "--approve", "always", "hello"}, {"run", "--approve", "always", "hello"}, {"models", "test", "--json"},
					{"models", "test", "--lang", "zh"}, {"sessions", "show", "last", "--json"}, {"sessions", "list"}, {"config", "show"}, {"doctor", "--json"}} {
					var out, faults strings.Builder
					run(t.Context(), append(command, args...), stdio{in: strings.NewReader(""), out: &out, err: &faults, ring: r})
					said = append(said, out.String(), faults.String())
				}
				for _, text := range said {
					if holdsKey(text) {
						t.Errorf("printed:\n%s", text)
					}
				}
				for at, content := range filesIn(t, home) {
					if holdsKey(content) && (how != "saved file" || filepath.Base(at) != keptName) {
						t.Errorf("%s:\n%s", at, content)
					}
				}
				server.sentOnlyAsHeader(t)
			})
		}
	}
	if sent, _ := other.seen(); len(sent) != 0 {
		t.Errorf("%d requests went to another origin", len(sent))
	}
}

// sentOnlyAsHeader wants every request to carry the key as it should, and nowhere else.
func (r *recorder) sentOnlyAsHeader(t *testing.T) {
	t.Helper()
	sent, heads := r.seen()
	if len(sent) < 4 { // two runs and two tests
		t.Errorf("%d requests", len(sent))
	}
	for i, body := range sent {
		if got := heads[i].Get("Authorization"); got != "Bearer "+planted {
			t.Errorf("request %d has another key, of %d bytes", i, len(got))
		}
		heads[i].Del("Authorization")
		var b strings.Builder
		_ = heads[i].Write(&b)
		if holdsKey(b.String()) || holdsKey(string(body)) {
			t.Errorf("request %d: %s\n%s", i, b.String(), body)
		}
	}
}

// What the form is given and gives shows no key either, and a server elsewhere gets none.
func TestPlantedKeyInTheForm(t *testing.T) {
	first := record(t, func(_ int, w http.ResponseWriter, r *http.Request) { answers("")["401"](w, r) })
	second := record(t, func(_ int, w http.ResponseWriter, _ *http.Request) { chat(w, text("OK"), stopped) })
	c := chooser(t.TempDir(), &ring{}, map[string]string{"OPENAI_API_KEY": planted})
	d := draft(first.URL+"/v1", planted, false)
	d.Localhost = true
	report := c.Test(t.Context(), d)
	conn, err := c.Use(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	form, err := c.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	shown, err := json.Marshal([]any{report, conn, form, d})
	if err != nil || holdsKey(string(shown)) || report.Step != "auth" {
		t.Errorf("%s %v", shown, err)
	}
	away := tui.ConnectionDraft{API: engine.APIChat, BaseURL: second.URL + "/v1", Model: "m", Images: "auto", Localhost: true}
	if r := c.Test(t.Context(), away); !r.OK {
		t.Errorf("%+v", r)
	}
	if _, heads := second.seen(); len(heads) != 1 || heads[0].Get("Authorization") != "" {
		t.Errorf("%v", heads)
	}
}

// A key of the environment never goes to another server, whatever the flags name.
func TestEnvironmentKeyStaysHome(t *testing.T) {
	server := record(t, func(_ int, w http.ResponseWriter, _ *http.Request) { chat(w, text("OK"), stopped) })
	for _, name := range []string{"OPENAI_API_KEY", "ANTHROPIC_API_KEY", "LLM_API_KEY"} {
		t.Setenv(name, planted)
	}
	for _, gateway := range []string{"", "https://gateway.example/v1"} {
		t.Setenv("LLM_BASE_URL", gateway)
		status := run(t.Context(), []string{"run", "--no-save", "--approve", "never", "--base-url", server.URL, "--model", "m", "--allow-localhost-models", "hi"},
			stdio{in: strings.NewReader(""), out: io.Discard, err: io.Discard})
		if status != exitDone {
			t.Errorf("%q: status %d", gateway, status)
		}
	}
	_, heads := server.seen()
	for _, h := range heads {
		if h.Get("Authorization") != "" {
			t.Error("the key went to another server")
		}
	}
}
