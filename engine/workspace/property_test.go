package workspace

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// For any tree with links and any spelling of a path: what is read is a file inside, by a path
// without links, and never one that is protected or outside.
func TestNothingOutsideIsEverRead(t *testing.T) {
	needsUnix(t)
	base := t.TempDir()
	names := rapid.SampledFrom([]string{"a", "b", "c", ".env", ".ssh", "x.key", "ü", "skill:s"})
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp(base, "tree")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir) //nolint:errcheck // below TempDir
		ws := filepath.Join(dir, "ws")
		growTree(t, dir, ws, names)
		w, err := Open(Options{}, Root{Dir: ws})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close() //nolint:errcheck // handles for reading
		element := rapid.OneOf(names, rapid.SampledFrom([]string{"..", ".", "", "~", "ws", "out", "%2e%2e", `\x2e`}))
		for range 20 {
			path := strings.Join(rapid.SliceOfN(element, 1, 6).Draw(t, "elements"), "/")
			switch rapid.IntRange(0, 3).Draw(t, "front") {
			case 0:
				path = ws + "/" + path
			case 1:
				path = dir + "/" + path
			}
			got, err := read(w, path)
			if err == nil && !strings.HasPrefix(got, "inside ") {
				t.Fatalf("%q gave %q", path, got)
			}
		}
		_, err = w.Walk(context.Background(), ".", WalkOptions{}, func(e Entry) error {
			if e.Kind != KindFile {
				return nil
			}
			if got, err := e.Read(context.Background(), 100); err == nil && !strings.HasPrefix(string(got), "inside ") {
				t.Fatalf("the walk gave %q for %s", got, e.Location)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

// growTree fills a workspace with files that say "inside" and the protected ones "SECRET", and
// with links to anywhere; what lies outside says "SECRET" too.
func growTree(t *rapid.T, dir, ws string, names *rapid.Generator[string]) {
	check := func(err error) {
		if err != nil && !os.IsExist(err) && !strings.Contains(err.Error(), "not a directory") &&
			!strings.Contains(err.Error(), "is a directory") && !os.IsNotExist(err) && !strings.Contains(err.Error(), "too many") {
			t.Fatal(err)
		}
	}
	check(os.MkdirAll(filepath.Join(dir, "out"), 0o755))
	check(os.MkdirAll(ws, 0o755))
	check(os.WriteFile(filepath.Join(dir, "out", "a"), []byte("SECRET"), 0o600))
	check(os.WriteFile(filepath.Join(dir, "a"), []byte("SECRET"), 0o600))
	for range rapid.IntRange(1, 12).Draw(t, "things") {
		rel := strings.Join(rapid.SliceOfN(names, 1, 3).Draw(t, "place"), "/")
		at := filepath.Join(ws, rel)
		if throughLink(ws, rel) {
			continue // the setup itself must not write through a link
		}
		check(os.MkdirAll(filepath.Dir(at), 0o755))
		if _, err := os.Lstat(at); err == nil {
			continue
		}
		if rapid.Bool().Draw(t, "file") {
			content := "inside " + rel
			if protected(rel) {
				content = "SECRET"
			}
			check(os.WriteFile(at, []byte(content), 0o600))
			continue
		}
		targets := []string{"..", "../out", "../out/a", ".", "a", "b/a", dir, filepath.Join(dir, "a"), ws, ".env", "../../out/a", "/dev/null"}
		check(os.Symlink(rapid.SampledFrom(targets).Draw(t, "target"), at))
	}
}

// throughLink tells whether an element above the last one is a link.
func throughLink(ws, rel string) bool {
	at := ws
	elements := strings.Split(rel, "/")
	for _, element := range elements[:len(elements)-1] {
		at = filepath.Join(at, element)
		if info, err := os.Lstat(at); err == nil && info.Mode()&os.ModeSymlink != 0 {
			return true
		}
	}
	return false
}
