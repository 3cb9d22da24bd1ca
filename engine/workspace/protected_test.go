package workspace

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"agentstudio/engine"
)

func TestProtectedNames(t *testing.T) {
	dir := t.TempDir()
	w := open(t, Options{}, Root{Dir: dir})
	for _, path := range []string{
		".env", ".env.local", ".ENV", "sub/.Env/x", "a.pem", "A.PEM", "tls.key", "tls.Key", "tls.\u212aey", "id_rsa", "ID_ed25519",
		".ssh/known_hosts", ".SSH/x", ".\u017fsh/x", ".ßh/x", "deep/.aws/credentials", ".git/config", "x/.GIT/Config", ".git/conﬁg",
		".netrc", "auth.json", "Auth.JSON", ".e\u200dnv", "auth.json.", "auth.json ", "x/../.env",
	} {
		_, err := w.Resolve(path)
		wantCode(t, err, engine.ProtectedPath, dir)
		_, err = read(w, path)
		wantCode(t, err, engine.ProtectedPath, dir)
	}
	for _, path := range []string{
		"env", "x.env", "pem", "a.pem.txt", "key", "id", "valid_x", "ssh/.x", "aws", "config", ".git/HEAD", ".git/x/config", "git/config", "auth.json5",
	} {
		if _, err := w.Resolve(path); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestProtectedAreListedAndNeverRead(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, ".env"), "KEY=1")
	write(t, filepath.Join(dir, ".ssh", "id"), "KEY=2")
	write(t, filepath.Join(dir, "a.txt"), "a")
	w := open(t, Options{}, Root{Dir: dir})
	entries, total, err := w.ReadDir(context.Background(), ".", 0)
	must(t, err)
	if total != 3 || !entries[0].Protected || !entries[1].Protected || entries[2].Protected {
		t.Errorf("%d: %+v", total, entries)
	}
	for _, e := range entries[:2] {
		_, err := e.Open(context.Background())
		wantCode(t, err, engine.ProtectedPath)
	}
	var walked []string
	stats, err := w.Walk(context.Background(), ".", WalkOptions{}, func(e Entry) error {
		walked = append(walked, e.Name)
		return nil
	})
	must(t, err)
	if len(walked) != 3 || stats.Protected != 2 {
		t.Errorf("%q, %+v", walked, stats)
	}
	_, _, err = w.ReadDir(context.Background(), ".ssh", 0)
	wantCode(t, err, engine.ProtectedPath)
	e, err := w.Stat(context.Background(), ".env")
	if err != nil || !e.Protected || e.Kind != KindFile {
		t.Errorf("%+v, %v", e, err)
	}
}

func TestStateDirectoryIsProtected(t *testing.T) {
	dir := t.TempDir()
	state := filepath.Join(dir, "ws", "my-state")
	write(t, filepath.Join(state, "sessions", "s1", "events.jsonl"), "{}")
	write(t, filepath.Join(dir, "ws", "a.txt"), "a")
	alias := filepath.Join(dir, "alias")
	link(t, state, alias)
	for _, given := range []string{state, alias} {
		w := open(t, Options{StateDir: given}, Root{Dir: filepath.Join(dir, "ws")})
		for _, path := range []string{"my-state/sessions/s1/events.jsonl", filepath.Join(state, "sessions", "s1", "events.jsonl")} {
			_, err := read(w, path)
			wantCode(t, err, engine.ProtectedPath, dir)
		}
		stats, err := w.Walk(context.Background(), ".", WalkOptions{}, func(e Entry) error {
			if e.Name == "sessions" {
				t.Error("the state directory was entered")
			}
			return nil
		})
		if err != nil || stats.Protected != 1 {
			t.Errorf("%+v, %v", stats, err)
		}
	}
}

// A disk that folds case shows one folder under two names; a bind mount does so as well. Here the
// second name is made by renaming after the spelling was taken.
func TestStateDirectoryIsKnownByIdentity(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "ws", "state2", "x"), "x")
	w := open(t, Options{StateDir: filepath.Join(dir, "state")}, Root{Dir: filepath.Join(dir, "ws")})
	if _, err := read(w, "state2/x"); err != nil {
		t.Fatal(err)
	}
	link(t, filepath.Join(dir, "ws", "state2"), filepath.Join(dir, "state"))
	_, err := read(w, "state2/x")
	wantCode(t, err, engine.ProtectedPath)
}

func TestRootInsideStateIsProtected(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "state", "s", "x"), "x")
	w := open(t, Options{StateDir: filepath.Join(dir, "state")}, Root{Dir: filepath.Join(dir, "state", "s")})
	_, err := read(w, "x")
	wantCode(t, err, engine.ProtectedPath)
}

func TestOpenRefusesBadRoots(t *testing.T) {
	home := t.TempDir()
	write(t, filepath.Join(home, "file"), "x")
	link(t, "loop", filepath.Join(home, "loop"))
	for _, c := range []struct {
		roots []Root
		code  engine.Code
	}{
		{[]Root{{Dir: filepath.Join(home, "file")}}, engine.NotAFolder},
		{[]Root{{Dir: filepath.Join(home, "none")}}, engine.PathNotFound},
		{[]Root{{Dir: filepath.Join(home, "loop")}}, engine.SymlinkNotAllowed},
		{[]Root{{Name: "skill:a", Dir: home}, {Name: "skill:a", Dir: home}}, engine.ConfigInvalid},
		{[]Root{{Name: "plain", Dir: home}}, engine.ConfigInvalid},
		{[]Root{{Name: "skill:a/b", Dir: home}}, engine.ConfigInvalid},
		{[]Root{{Name: "skill:\xff", Dir: home}}, engine.ConfigInvalid},
	} {
		w, err := Open(Options{Home: home}, c.roots...)
		wantCode(t, err, c.code, filepath.Dir(home))
		if w != nil {
			t.Error("a workspace came with the error")
		}
	}
}

func TestNoWorkspaceIsAnEmptyFolder(t *testing.T) {
	w := open(t, Options{})
	entries, total, err := w.ReadDir(context.Background(), ".", 0)
	if err != nil || total != 0 || len(entries) != 0 {
		t.Errorf("%v, %d, %v", entries, total, err)
	}
	_, err = read(w, "a.txt")
	wantCode(t, err, engine.PathNotFound)
	_, err = w.Resolve(os.TempDir())
	wantCode(t, err, engine.PathOutsideWorkspace)
	if _, err := w.Walk(context.Background(), ".", WalkOptions{Ignore: true}, func(Entry) error { t.Error("an entry"); return nil }); err != nil {
		t.Error(err)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}
