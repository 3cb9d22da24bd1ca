package workspace

import (
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"agentstudio/engine"
)

// house is a workspace with one skill of its own, one elsewhere and one that is bundled.
func house(t testing.TB) (w *Workspace, dir string) {
	dir = t.TempDir()
	write(t, filepath.Join(dir, "ws", "sub", "b.txt"), "b")
	write(t, filepath.Join(dir, "ws", ".agents", "skills", "own", "SKILL.md"), "own skill")
	write(t, filepath.Join(dir, "far", "SKILL.md"), "far skill")
	w = open(t, Options{Home: dir, StateDir: filepath.Join(dir, "ws", "state")},
		Root{Dir: filepath.Join(dir, "ws")},
		Root{Name: "skill:own", Dir: filepath.Join(dir, "ws", ".agents", "skills", "own")},
		Root{Name: "skill:far", Dir: filepath.Join(dir, "far")},
		Root{Name: "skill:bundled", FS: fstest.MapFS{"SKILL.md": {Data: []byte("bundled skill")}}})
	return w, dir
}

func TestResolve(t *testing.T) {
	w, dir := house(t)
	abs := func(elements ...string) string { return filepath.Join(append([]string{dir}, elements...)...) }
	for _, c := range []struct {
		path, want string
		code       engine.Code
	}{
		{path: ".", want: "."},
		{path: "./", want: "."},
		{path: "sub/b.txt", want: "sub/b.txt"},
		{path: "sub//./b.txt/", want: "sub/b.txt"},
		{path: "sub/../sub/b.txt", want: "sub/b.txt"},
		{path: "missing/../sub/b.txt", want: "sub/b.txt"},
		{path: " ", want: " "},
		{path: "~/x", want: "~/x"},
		{path: "$HOME/x", want: "$HOME/x"},
		{path: "%2e%2e/x", want: "%2e%2e/x"},
		{path: "...", want: "..."},
		{path: "./skill:own/x", want: "./skill:own/x"},
		{path: "a:12:b.txt", want: "./a:12:b.txt"},
		{path: abs("ws"), want: "."},
		{path: abs("ws", "sub", "b.txt"), want: "sub/b.txt"},
		{path: abs("ws") + "/../ws/sub/b.txt", want: "sub/b.txt"},
		{path: "skill:far/SKILL.md", want: "skill:far/SKILL.md"},
		{path: "skill:far", want: "skill:far"},
		{path: "skill:far/", want: "skill:far"},
		{path: "skill:far/a/../SKILL.md", want: "skill:far/SKILL.md"},
		{path: abs("far", "SKILL.md"), want: "skill:far/SKILL.md"},
		{path: "skill:bundled/SKILL.md", want: "skill:bundled/SKILL.md"},
		{path: ".agents/skills/own/SKILL.md", want: "skill:own/SKILL.md"},
		{path: abs("ws", ".agents", "skills", "own", "SKILL.md"), want: "skill:own/SKILL.md"},
		{path: ".agents/skills", want: ".agents/skills"},

		{path: "", code: engine.PathMalformed},
		{path: "a\x00b", code: engine.PathMalformed},
		{path: strings.Repeat("a/", 3000), code: engine.PathMalformed},
		{path: strings.Repeat("a", 256), code: engine.PathMalformed},
		{path: "..", code: engine.PathOutsideWorkspace},
		{path: "../ws/sub/b.txt", code: engine.PathOutsideWorkspace},
		{path: "sub/../../ws/sub/b.txt", code: engine.PathOutsideWorkspace},
		{path: abs("ws") + "/../../etc", code: engine.PathOutsideWorkspace},
		{path: abs("ws2"), code: engine.PathOutsideWorkspace},
		{path: abs("wsx", "a"), code: engine.PathOutsideWorkspace},
		{path: abs(), code: engine.PathOutsideWorkspace},
		{path: "/", code: engine.PathOutsideWorkspace},
		{path: "/etc/passwd", code: engine.PathOutsideWorkspace},
		{path: "/etc/there-is-no-such-file", code: engine.PathOutsideWorkspace},
		{path: "skill:far/../x", code: engine.PathOutsideWorkspace},
		{path: "skill:bundled/../SKILL.md", code: engine.PathOutsideWorkspace},
		{path: "skill:none/SKILL.md", code: engine.PathNotFound},
		{path: "state/sessions", code: engine.ProtectedPath},
		{path: "state", code: engine.ProtectedPath},
	} {
		loc, err := w.Resolve(c.path)
		if c.code != "" {
			wantCode(t, err, c.code, dir, "passwd")
			continue
		}
		if err != nil || loc.String() != c.want {
			t.Errorf("Resolve(%q) = %q, %v; want %q", c.path, loc, err, c.want)
		}
		if again, err := w.Resolve(loc.String()); err != nil || again != loc {
			t.Errorf("Resolve(%q) = %q, %v; not the same place again", loc, again, err)
		}
	}
}

func TestRefusalsAreAlike(t *testing.T) {
	w, _ := house(t)
	_, there := w.Resolve("/etc/passwd")
	_, not := w.Resolve("/etc/no-such")
	_, up := w.Resolve("../far")
	if there.Error() != not.Error() || there.Error() != up.Error() {
		t.Errorf("told apart: %v, %v, %v", there, not, up)
	}
}

func TestWindowsSpellings(t *testing.T) {
	w, _ := house(t)
	loc, err := w.Resolve(`sub\b.txt`)
	if runtime.GOOS == "windows" {
		if err != nil || loc.String() != "sub/b.txt" {
			t.Errorf("got %q, %v", loc, err)
		}
		_, err = w.Resolve("sub/b.txt:stream")
		wantCode(t, err, engine.PathMalformed)
		return
	}
	if err != nil || loc.String() != `sub\\b.txt` {
		t.Errorf("a backslash is a character of the name here; got %q, %v", loc, err)
	}
}

func TestReadThroughEveryRoot(t *testing.T) {
	w, _ := house(t)
	for path, want := range map[string]string{
		"sub/b.txt": "b", "skill:own/SKILL.md": "own skill", "skill:far/SKILL.md": "far skill",
		"skill:bundled/SKILL.md": "bundled skill", ".agents/skills/own/SKILL.md": "own skill",
	} {
		if got, err := read(w, path); err != nil || got != want {
			t.Errorf("%s: got %q, %v", path, got, err)
		}
	}
}

func FuzzResolve(f *testing.F) {
	for _, seed := range []string{
		".", "..", "a/../..", "/etc/passwd", "skill:far/../x", "skill:", "skill:far", "~", "%2e%2e/", `\x2e\x2e/`,
		`..\..\x`, `\\x2f`, "a\x00", "\xff/..", "ﬁ/../..", "./././..", "C:/x", `\\?\C:\`, `a\n/../../b`, ".ſsh/x", "x/.ENV",
	} {
		f.Add(seed)
	}
	w, dir := house(f)
	f.Fuzz(func(t *testing.T, path string) {
		loc, err := w.Resolve(path)
		if err != nil {
			if engine.CodeOf(err) == engine.Internal || !utf8.ValidString(err.Error()) || strings.Contains(err.Error(), dir) {
				t.Errorf("bad error %q", err)
			}
			return
		}
		for _, element := range strings.Split(loc.Rel(), "/") {
			if element == ".." || element == "" || strings.Contains(element, "\x00") {
				t.Errorf("%q leads to %q", path, loc.Rel())
			}
		}
		if again, err := w.Resolve(loc.String()); err != nil || again != loc || !utf8.ValidString(loc.String()) {
			t.Errorf("%q leads to %q, which leads to %q, %v", path, loc, again, err)
		}
	})
}
