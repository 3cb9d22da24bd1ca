package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "agentstudio"

// house is the drawing of docs/architecture.md: which package may import which of ours. A package
// that isn't in it fails, and so does one that is in it but gone. To change it is a decision: say
// why in docs/decisions.
var house = map[string][]string{
	"engine":           {},
	"engine/catalogue": {"engine"},
	"engine/config":    {"engine"},
	"engine/intake":    {"engine", "engine/safe", "engine/table"},
	"engine/safe":      {},
	"engine/words":     {},
	"engine/journal":   {"engine"},
	"engine/netguard":  {"engine"},
	"engine/page":      {},
	"engine/provider":  {"engine", "engine/safe"},
	"engine/scenario":  {"engine"},
	"engine/skillset":  {"engine", "engine/workspace"},
	"engine/tool":      {"engine", "engine/brief", "engine/safe", "engine/table", "engine/workspace", "fixtures"},
	"engine/view":      {"engine"},
	"engine/workspace": {"engine"},
	"fixtures":         {},
	"mirror":           {"engine", "engine/page", "engine/safe", "engine/view", "engine/words"},
	"mirror/chromium":  {},
	"skills":           {},
	"tui":              {"engine", "engine/safe", "engine/view", "engine/words", "tui/markdown"},
	"tui/markdown":     {"engine/safe", "tui/markdown/gfm"},
	"tui/markdown/gfm": {},
}

// rooms are packages that may be made when their work is first needed; then they move up to house.
var rooms = map[string][]string{
	"engine/brief":  {"engine", "engine/table"},
	"engine/export": {"engine", "engine/page", "engine/safe", "engine/view", "engine/words"},
	"engine/table":  {"engine"},
}

// doors are all that may stand at the top level, beside main_NAME.go, test files and dotfiles.
var doors = []string{"go.mod", "go.sum", "LICENSE", "README.md", "main.go",
	"tui", "engine", "mirror", "skills", "fixtures", "docs", "scripts",
	"agentstudio", "agentstudio.exe", "dist"} // what a build leaves, which .gitignore names

// source is one of our Go files, read as far as the house is concerned.
type source struct {
	file string // from the root, with slashes
	room string // its folder, "." for package main
	tree *ast.File
}

func (s source) test() bool { return strings.HasSuffix(s.file, "_test.go") }

// imports are what it imports of ours, by room, and the others by path.
func (s source) imports() (ours, others []string) {
	for _, i := range s.tree.Imports {
		p := strings.Trim(i.Path.Value, `"`)
		if room, ok := strings.CutPrefix(p, module+"/"); ok {
			ours = append(ours, room)
		} else {
			others = append(others, p)
		}
	}
	return ours, others
}

// sources reads every Go file of ours, for every system.
func sources(t *testing.T) (all []source) {
	t.Helper()
	files := token.NewFileSet()
	err := fs.WalkDir(os.DirFS("."), ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && p != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata"):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(p, ".go"):
			return nil
		}
		tree, err := parser.ParseFile(files, filepath.FromSlash(p), nil, parser.SkipObjectResolution)
		if err == nil {
			all = append(all, source{p, path.Dir(p), tree})
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestHouse holds the drawing: who may import whom, and no package beside it.
func TestHouse(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range sources(t) {
		seen[s.room] = true
		allowed, known := house[s.room]
		if !known {
			allowed, known = rooms[s.room]
		}
		if s.room == "." || strings.HasPrefix(s.room, "scripts/") {
			continue // package main, here and in scripts, wires everything
		}
		if !known {
			t.Errorf("%s: the package %s is not in the drawing", s.file, s.room)
			continue
		}
		ours, _ := s.imports()
		for _, room := range ours {
			// A test may put its package among its neighbours, but for the screens.
			screen := room == "tui" || room == "mirror"
			if s.test() && (room == s.room || !screen) {
				continue
			}
			if !slices.Contains(allowed, room) {
				t.Errorf("%s: %s may not import %s", s.file, s.room, room)
			}
		}
	}
	for _, room := range slices.Sorted(maps.Keys(house)) {
		if !seen[room] {
			t.Errorf("the drawing has %s, which is gone", room)
		}
	}
}

// TestEngineNeedsNobody keeps the engine to the standard library, its tests to goleak besides.
func TestEngineNeedsNobody(t *testing.T) {
	for _, s := range sources(t) {
		if s.room != "engine" {
			continue
		}
		_, others := s.imports()
		for _, p := range others {
			first, _, _ := strings.Cut(p, "/")
			if strings.Contains(first, ".") && !s.test() {
				t.Errorf("%s imports %s; the engine has the standard library only", s.file, p)
			}
		}
	}
}

// TestOneProgram keeps package main to the top level and to scripts.
func TestOneProgram(t *testing.T) {
	for _, s := range sources(t) {
		main := s.tree.Name.Name == "main"
		if place := s.room == "." || strings.HasPrefix(s.room, "scripts/"); main != place {
			t.Errorf("%s is of package %s", s.file, s.tree.Name.Name)
		}
	}
}

// TestNoBrowserInside keeps what drives a browser out of the program: tests and scripts have it only.
func TestNoBrowserInside(t *testing.T) {
	const kit = "mirror/chromium"
	for _, s := range sources(t) {
		if s.test() || s.room == kit || strings.HasPrefix(s.room, "scripts/") {
			continue
		}
		ours, others := s.imports()
		driver := slices.IndexFunc(others, func(p string) bool { return strings.HasPrefix(p, "github.com/chromedp/") })
		if driver >= 0 || slices.Contains(ours, kit) {
			t.Errorf("%s drives a browser; that is for tests and scripts", s.file)
		}
	}
}

// TestStartIsNotHeldUp keeps packages out of the program that cost every start its time, used or
// not; see docs/decisions/0011. Tests may have them.
func TestStartIsNotHeldUp(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	linked := strings.Fields(string(out))
	if !slices.Contains(linked, "agentstudio/tui/markdown/gfm") {
		t.Error("the program doesn't draw Markdown: this test looks at the wrong list")
	}
	for _, p := range []string{"github.com/yuin/goldmark", "github.com/yuin/goldmark/extension"} {
		if slices.Contains(linked, p) {
			t.Errorf("the program links %s", p)
		}
	}
}

// TestNothingHidden forbids what hides wiring or has no subject: init functions, and packages
// named for being useful.
func TestNothingHidden(t *testing.T) {
	vague := []string{"util", "utils", "common", "helper", "helpers", "misc", "shared", "base"}
	for _, s := range sources(t) {
		if slices.Contains(vague, strings.TrimSuffix(s.tree.Name.Name, "_test")) {
			t.Errorf("%s: a package is named for what it is about, not %s", s.file, s.tree.Name.Name)
		}
		for _, d := range s.tree.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
				t.Errorf("%s has an init function; wire it in main.go, where it can be seen", s.file)
			}
		}
	}
}

// TestTopLevel keeps the top level to the doors.
func TestTopLevel(t *testing.T) {
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		name := e.Name()
		switch {
		case slices.Contains(doors, name), strings.HasPrefix(name, "."), strings.HasSuffix(name, "_test.go"):
		case strings.HasPrefix(name, "main_") && strings.HasSuffix(name, ".go"):
		default:
			t.Errorf("%s may not stand at the top level", name)
		}
	}
}
