package workspace

import (
	"context"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"agentstudio/engine"
)

// linkTree is the tree of case f-symlink-escape.
func linkTree(t testing.TB) string {
	dir := t.TempDir()
	ws := filepath.Join(dir, "ws")
	write(t, filepath.Join(ws, "real.txt"), "inside\n")
	write(t, filepath.Join(dir, "outside", "secret.txt"), "SECRET\n")
	for path, target := range map[string]string{
		"in-link.txt": "real.txt", "out-file": "../outside/secret.txt", "chain1": "chain2",
		"chain2": filepath.Join(dir, "outside", "secret.txt"), "out-dir": "../outside", "abs": "/etc/passwd",
		"loop1": "loop2", "loop2": "loop1", "dangling": "nowhere", "d/up": "..", "in-abs": filepath.Join(ws, "real.txt"),
		"out-gone": "../outside/gone", "device": "/dev/zero", "climb": "d/../../outside/secret.txt",
	} {
		link(t, target, filepath.Join(ws, path))
	}
	link(t, ws, filepath.Join(dir, "ws-link"))
	return dir
}

// Case f-symlink-escape, started from the folder and through a link to it.
func TestLinksAreRefused(t *testing.T) {
	dir := linkTree(t)
	for _, start := range []string{"ws", "ws-link"} {
		w := open(t, Options{}, Root{Dir: filepath.Join(dir, start)})
		if got, err := read(w, "real.txt"); err != nil || got != "inside\n" {
			t.Errorf("real.txt: %q, %v", got, err)
		}
		for _, c := range []struct {
			path string
			code engine.Code
			says string
		}{
			{"in-link.txt", engine.SymlinkNotAllowed, "links are not followed"},
			{"in-abs", engine.SymlinkNotAllowed, "links are not followed"},
			{"d/up/real.txt", engine.SymlinkNotAllowed, "links are not followed"},
			{"out-file", engine.PathOutsideWorkspace, "leads out"},
			{"out-gone", engine.PathOutsideWorkspace, "leads out"},
			{"climb", engine.PathOutsideWorkspace, "leads out"},
			{"chain1", engine.PathOutsideWorkspace, "leads out"},
			{"out-dir/secret.txt", engine.PathOutsideWorkspace, "leads out"},
			{"out-dir/no-such", engine.PathOutsideWorkspace, "leads out"},
			{"out-dir", engine.PathOutsideWorkspace, "leads out"},
			{"abs", engine.PathOutsideWorkspace, "leads out"},
			{"device", engine.NotARegularFile, "not a regular file"},
			{"loop1", engine.SymlinkNotAllowed, "too many links"},
			{"dangling", engine.PathNotFound, "not there"},
			{"nothing", engine.PathNotFound, "nothing at this path"},
			{"real.txt/x", engine.NotAFolder, "not a folder"},
			{"d", engine.IsAFolder, "ls lists it"},
			{".", engine.IsAFolder, "ls lists it"},
		} {
			_, err := read(w, c.path)
			wantCode(t, err, c.code, dir, "SECRET", "passwd", "outside/")
			if !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s: %v does not say %q", c.path, err, c.says)
			}
		}
		_, _, err := w.ReadDir(context.Background(), "out-dir", 0)
		wantCode(t, err, engine.PathOutsideWorkspace, dir)
		_, err = w.Walk(context.Background(), "out-dir", WalkOptions{}, func(Entry) error { return nil })
		wantCode(t, err, engine.PathOutsideWorkspace, dir)
		_, _, err = w.ReadDir(context.Background(), "real.txt", 0)
		wantCode(t, err, engine.NotAFolder, dir)
		if _, err := read(w, filepath.Join(dir, "ws-link", "real.txt")); (err == nil) != (start == "ws-link") {
			t.Errorf("%s: absolute through the link: %v", start, err)
		}
		if got, err := read(w, filepath.Join(dir, "ws", "real.txt")); err != nil {
			t.Errorf("absolute, canonical: %q, %v", got, err)
		}
	}
}

func TestWalkDoesNotFollowLinks(t *testing.T) {
	dir := linkTree(t)
	w := open(t, Options{}, Root{Dir: filepath.Join(dir, "ws")})
	var files, links []string
	stats, err := w.Walk(context.Background(), ".", WalkOptions{}, func(e Entry) error {
		switch e.Kind {
		case KindFile:
			files = append(files, e.Name)
		case KindLink:
			links = append(links, e.Location.String())
			if _, err := e.Open(context.Background()); err == nil {
				t.Errorf("the link %s was opened", e.Name)
			}
		}
		return nil
	})
	must(t, err)
	if !slices.Equal(files, []string{"real.txt"}) || len(links) != 14 || stats.Links != 13 || stats.Special != 1 {
		t.Errorf("files %q, links %q, %+v", files, links, stats)
	}
}

func TestBundledRootsRefuseAlike(t *testing.T) {
	w := open(t, Options{}, Root{Name: "skill:b", FS: fstest.MapFS{
		"SKILL.md": {Data: []byte("x")}, "dir/a.txt": {Data: []byte("a")}, ".env": {Data: []byte("KEY")},
		"link": {Data: []byte("SKILL.md"), Mode: fs.ModeSymlink}, "out": {Data: []byte("../x"), Mode: fs.ModeSymlink},
		"pipe": {Mode: fs.ModeNamedPipe},
	}})
	for path, code := range map[string]engine.Code{
		"skill:b/link": engine.SymlinkNotAllowed, "skill:b/out": engine.PathOutsideWorkspace,
		"skill:b/.env": engine.ProtectedPath, "skill:b/pipe": engine.NotARegularFile, "skill:b/dir": engine.IsAFolder,
		"skill:b/none": engine.PathNotFound, "skill:b/SKILL.md/x": engine.NotAFolder, "skill:b/../x": engine.PathOutsideWorkspace,
	} {
		_, err := read(w, path)
		wantCode(t, err, code, "KEY")
	}
	if got, err := read(w, "skill:b/dir/a.txt"); err != nil || got != "a" {
		t.Errorf("got %q, %v", got, err)
	}
}
