package main

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zalando/go-keyring"

	"agentstudio/engine"
	"agentstudio/tui"
)

// ring is a keyring in memory. Its failure, if set, is what every call says.
type ring struct {
	mu      sync.Mutex
	held    map[string]string
	failure error
	hangs   chan struct{} // calls wait until it is closed
	calls   int
}

func (r *ring) call(do func() (string, error)) (string, error) {
	if r.hangs != nil {
		<-r.hangs
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls++
	if r.failure != nil {
		return "", r.failure
	}
	return do()
}

func (r *ring) Get(a string) (string, error) {
	return r.call(func() (string, error) {
		if s, ok := r.held[a]; ok {
			return s, nil
		}
		return "", keyring.ErrNotFound
	})
}

func (r *ring) Set(a, secret string) error {
	_, err := r.call(func() (string, error) {
		if r.held == nil {
			r.held = map[string]string{}
		}
		r.held[a] = secret
		return "", nil
	})
	return err
}

func (r *ring) Delete(a string) error {
	_, err := r.call(func() (string, error) {
		if _, ok := r.held[a]; !ok {
			return "", keyring.ErrNotFound
		}
		delete(r.held, a)
		return "", nil
	})
	return err
}

// chooser is connections over a state directory, flags of nobody and a keyring.
func chooser(root string, r *ring, vars map[string]string) *connections {
	return &connections{o: &options{vars: vars}, lang: "en", keeping: keeping{root, r, time.Minute}}
}

func draft(base, key string, remember bool) tui.ConnectionDraft {
	return tui.ConnectionDraft{API: engine.APIChat, BaseURL: base, Model: "m", Images: "auto", Key: engine.NewSecret(key), Remember: remember}
}

const keptBase, keptKey = "https://kept.example/v1", "a-key-to-be-kept-0001"

// What is kept is there for the next program; the key is in the keyring, or in a file for its owner
// alone where there is none, and goes nowhere else.
func TestConnectionKept(t *testing.T) {
	for name, r := range map[string]*ring{"keyring": {}, "file": {failure: errors.New("no keyring here")}} {
		root := filepath.Join(t.TempDir(), "state")
		if _, err := chooser(root, r, nil).Use(t.Context(), draft(keptBase, keptKey, true)); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(filepath.Join(root, keptName))
		if err != nil || strings.Contains(string(b), keptKey) != (name == "file") || !strings.Contains(string(b), `"keyIn": "`+name+`"`) {
			t.Errorf("%s: %v\n%s", name, err, b)
		}
		if i, err := os.Stat(filepath.Join(root, keptName)); err != nil || runtime.GOOS != "windows" && i.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, i.Mode(), err)
		}
		next := chooser(root, r, nil)
		got, err := next.inForce(t.Context())
		if err != nil || got.Key.Reveal() != keptKey || got.BaseURL != keptBase || got.from["key"] != isSaved || got.from["model"] != isSaved {
			t.Errorf("%s: %+v %v %v", name, got.Connection, got.from, err)
		}
		form, err := next.Load(t.Context())
		if err != nil || !form.Kept || form.Keeper != name || form.Draft.Model != "m" || !form.Draft.Key.Empty() || form.KeyHint != "••••0001" {
			t.Errorf("%s: %+v %v", name, form, err)
		}
		// An empty key field keeps the key for the same origin, and says whose it is for another.
		if c, err := next.choose(t.Context(), draft(keptBase+"/other", "", false)); err != nil || c.Key.Reveal() != keptKey {
			t.Errorf("%s: %v", name, err)
		}
		away := draft("", "", false)
		away.Provider = engine.ProviderOpenAI
		if _, err := next.choose(t.Context(), away); engine.CodeOf(err) != engine.ModelNotConfigured || !strings.Contains(err.Error(), "saved → https://kept.example") {
			t.Errorf("%s: %v", name, err)
		}
		for range 2 { // it may be forgotten again
			if err := next.Forget(t.Context()); err != nil {
				t.Error(err)
			}
		}
		if left, err := os.ReadDir(root); err != nil || len(left) != 0 || len(r.held) != 0 {
			t.Errorf("%s: left %v, %v, %v", name, left, slicesOf(r.held), err)
		}
	}
}

func slicesOf(m map[string]string) (all []string) {
	for k := range maps.Keys(m) {
		all = append(all, k)
	}
	return all
}

// A file that somebody has changed sends the keyring's key nowhere else.
func TestKeptKeyStaysWithItsOrigin(t *testing.T) {
	root, r := t.TempDir(), &ring{}
	if _, err := chooser(root, r, nil).Use(t.Context(), draft(keptBase, keptKey, true)); err != nil {
		t.Fatal(err)
	}
	at := filepath.Join(root, keptName)
	b, err := os.ReadFile(at)
	if err == nil {
		err = os.WriteFile(at, []byte(strings.ReplaceAll(string(b), "kept.example", "evil.example")), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	if got, err := chooser(root, r, nil).inForce(t.Context()); err != nil || !got.Key.Empty() || got.BaseURL != "https://evil.example/v1" {
		t.Errorf("%+v %v", got.Connection, err)
	}
}

// The keyring is asked at a start only for a key that is there and wanted, and not for long.
func TestKeyringIsAskedSparingly(t *testing.T) {
	root, r := t.TempDir(), &ring{}
	c := chooser(root, r, nil)
	if _, err := c.inForce(t.Context()); err != nil || r.calls != 0 {
		t.Errorf("%d calls, %v", r.calls, err)
	}
	if _, err := c.Use(t.Context(), draft(keptBase, keptKey, true)); err != nil {
		t.Fatal(err)
	}
	r.calls = 0
	env := chooser(root, r, map[string]string{"LLM_BASE_URL": "https://x.example/v1", "AGENT_MODEL": "m"})
	if _, err := env.inForce(t.Context()); err != nil || r.calls != 0 {
		t.Errorf("%d calls, %v", r.calls, err)
	}
	hung := &ring{held: r.held, hangs: make(chan struct{})}
	defer close(hung.hangs)
	slow := chooser(root, hung, nil)
	slow.keeping.wait = time.Millisecond
	if _, err := slow.inForce(t.Context()); engine.CodeOf(err) != engine.ModelNotConfigured || !strings.Contains(err.Error(), "keyring") {
		t.Error(err)
	}
	if err := slow.Forget(t.Context()); engine.CodeOf(err) != engine.WriteFailed {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(root, keptName)); err != nil {
		t.Errorf("the file went before the key: %v", err)
	}
}

// A key of the environment is used, but never kept by remembering the connection.
func TestForeignKeysAreNotKept(t *testing.T) {
	root, r := t.TempDir(), &ring{}
	c := chooser(root, r, map[string]string{"OPENAI_API_KEY": keptKey})
	d := draft("", "", true)
	d.Provider = engine.ProviderOpenAI
	got, err := c.Use(t.Context(), d)
	b, rerr := os.ReadFile(filepath.Join(root, keptName))
	if err != nil || rerr != nil || got.Key.Reveal() != keptKey || strings.Contains(string(b), "key") || len(r.held) != 0 {
		t.Errorf("%v %v\n%s", err, rerr, b)
	}
}

func TestKeptIsStrict(t *testing.T) {
	for text, want := range map[string]string{
		`{"provider":"other","proxy":"x"}`:         `no field "proxy"`,
		`{"provider":"other","contextWindow":"1"}`: "contextWindow has a wrong kind",
		`{"provider":"other"} {}`:                  "something follows",
		`not JSON, sk-planted-000000000000000`:     "no JSON object",
		`{"provider":"other","keyIn":"cloud"}`:     "keyIn",
		`{"provider":"other","key":"x"}`:           "do not fit",
		`{"provider":"other","keyIn":"file"}`:      "do not fit",
		`{"provider":"other","contextWindow":-1}`:  "above zero",
	} {
		root := t.TempDir()
		if err := os.WriteFile(filepath.Join(root, keptName), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c := chooser(root, &ring{}, nil)
		_, err := c.inForce(t.Context())
		if engine.CodeOf(err) != engine.ModelNotConfigured || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "sk-planted") {
			t.Errorf("%s: %v", text, err)
		}
		if err := c.Forget(t.Context()); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(filepath.Join(root, keptName)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is still there: %v", text, err)
		}
	}
}

func TestKeyFile(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string, mode fs.FileMode) string {
		at := filepath.Join(dir, name)
		if err := os.WriteFile(at, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return at
	}
	for name, text := range map[string]string{"plain": "the-key", "lines": "the-key\nnothing\n", "windows": "\ufeff the-key \r\nx"} {
		if k, err := readKey(write(name, text, 0o600)); err != nil || k.Reveal() != "the-key" {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, at := range []string{write("empty", "\nx", 0o600), write("large", strings.Repeat("x", maxKeyFile+1), 0o600), dir, filepath.Join(dir, "none")} {
		if _, err := readKey(at); engine.CodeOf(err) != engine.ConfigInvalid {
			t.Errorf("%s: %v", at, err)
		}
	}
	if runtime.GOOS == "windows" {
		return
	}
	if w := keyWarnings("en", write("open", "k", 0o644), write("shut", "k", 0o600), ""); len(w) != 1 || !strings.Contains(w[0], "chmod 600") {
		t.Errorf("%q", w)
	}
}

// What is no file in the place of the saved connection is refused at once: opening a pipe would wait.
func TestKeptIsAFile(t *testing.T) {
	root := t.TempDir()
	if err := os.Mkdir(filepath.Join(root, keptName), 0o700); err != nil {
		t.Fatal(err)
	}
	_, there, err := keeping{root: root}.load()
	if !there || engine.CodeOf(err) != engine.ModelNotConfigured || !strings.Contains(engine.MessageOf(err), "it is no file") {
		t.Errorf("%v, %v", there, err)
	}
}
