package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"agentstudio/engine"
)

func bundle(files ...string) Root {
	m := fstest.MapFS{}
	for _, f := range files {
		name, content, _ := strings.Cut(f, "=")
		m[name] = &fstest.MapFile{Data: []byte(content)}
	}
	return Root{FS: m}
}

func walked(t *testing.T, w *Workspace, path string, opts WalkOptions) ([]string, WalkStats) {
	t.Helper()
	var got []string
	stats, err := w.Walk(context.Background(), path, opts, func(e Entry) error {
		if e.Kind == KindFile {
			got = append(got, e.Location.String())
		}
		return nil
	})
	must(t, err)
	return got, stats
}

func TestWalkOrderAndBounds(t *testing.T) {
	w := open(t, Options{}, bundle("b/y", "b/x/1", "a", "c", "b/x/0"))
	if got, _ := walked(t, w, ".", WalkOptions{}); !slices.Equal(got, []string{"a", "b/x/0", "b/x/1", "b/y", "c"}) {
		t.Errorf("got %q", got)
	}
	if got, _ := walked(t, w, "b/x", WalkOptions{}); !slices.Equal(got, []string{"b/x/0", "b/x/1"}) {
		t.Errorf("below a folder: %q", got)
	}
	if got, _ := walked(t, w, "b/y", WalkOptions{}); !slices.Equal(got, []string{"b/y"}) {
		t.Errorf("a file: %q", got)
	}
	got, stats := walked(t, w, ".", WalkOptions{MaxDepth: 2})
	if !slices.Equal(got, []string{"a", "b/y", "c"}) || !stats.Truncated {
		t.Errorf("two folders deep: %q, %+v", got, stats)
	}
	got, stats = walked(t, w, ".", WalkOptions{MaxEntries: 3})
	if !slices.Equal(got, []string{"a"}) || !stats.Truncated {
		t.Errorf("three entries: %q, %+v", got, stats)
	}
	_, err := w.Walk(context.Background(), "none", WalkOptions{}, nil)
	wantCode(t, err, engine.PathNotFound)
}

func TestWalkSkips(t *testing.T) {
	w := open(t, Options{}, bundle("a/1", "a/2", "b/1", "c"))
	for _, c := range []struct {
		at   string
		err  error
		want []string
	}{
		{"a", fs.SkipDir, []string{"a", "b", "b/1", "c"}},
		{"a/1", fs.SkipDir, []string{"a", "a/1", "b", "b/1", "c"}},
		{"b", fs.SkipAll, []string{"a", "a/1", "a/2", "b"}},
		{"a/2", errDisk, []string{"a", "a/1", "a/2"}},
	} {
		var got []string
		_, err := w.Walk(context.Background(), ".", WalkOptions{}, func(e Entry) error {
			got = append(got, e.Location.String())
			if e.Location.String() == c.at {
				return c.err
			}
			return nil
		})
		if !slices.Equal(got, c.want) || (c.err == errDisk) != errors.Is(err, errDisk) {
			t.Errorf("%v at %s: %q, %v", c.err, c.at, got, err)
		}
	}
}

func TestGitignore(t *testing.T) {
	w := open(t, Options{}, bundle(
		".gitignore=# comment\r\n\r\n*.log\r\n!keep.log\r\nbuild/\r\n/top.txt\r\nsub/deep/*.tmp\r\na?c\r\n[xy]z\r\n**/cache\r\nlogs/**\r\n\\#hash\r\n",
		"1.log", "keep.log", "build/x", "sub/build/y", "sub/build2", "top.txt", "sub/top.txt", "sub/deep/1.tmp", "deep/1.tmp",
		"abc", "ac", "xz", "wz", "m/cache/1", "cache", "logs/1/2", "#hash", "sub/.gitignore=!1.log\nz.*\n", "sub/1.log", "sub/2.log", "sub/z.1", "z.1",
		".git/HEAD", "notes/build"))
	want := []string{".gitignore", "ac", "deep/1.tmp", "keep.log", "notes/build", "sub/.gitignore", "sub/1.log", "sub/build2", "sub/top.txt", "wz", "z.1"}
	got, stats := walked(t, w, ".", WalkOptions{Ignore: true})
	if !slices.Equal(got, want) || stats.Ignored == 0 {
		t.Errorf("got  %q\nwant %q\n%+v", got, want, stats)
	}
	if got, _ := walked(t, w, "sub", WalkOptions{Ignore: true}); !slices.Equal(got, []string{"sub/.gitignore", "sub/1.log", "sub/build2", "sub/top.txt"}) {
		t.Errorf("from below, with the rules above: %q", got)
	}
	if got, _ := walked(t, w, "build", WalkOptions{Ignore: true}); !slices.Equal(got, []string{"build/x"}) {
		t.Errorf("what is asked for by name is walked: %q", got)
	}
	if got, _ := walked(t, w, ".", WalkOptions{}); len(got) != 25 {
		t.Errorf("without the rules: %d %q", len(got), got)
	}
}

func TestHostileGitignore(t *testing.T) {
	lines := []string{strings.Repeat("*a", 400), "[", "[]", "[!]", "a[z-a]", `\`, "!", "/", "**", "***/x", strings.Repeat("x", 5000), "\xff*", "(a+)+$", "[[:alpha:]]"}
	w := open(t, Options{}, bundle(".gitignore="+strings.Join(lines, "\n"), strings.Repeat("a", 200)))
	walked(t, w, ".", WalkOptions{Ignore: true})
}

// stopAfter ends its context at the n-th call.
func stopAfter(n int) (context.Context, func(Entry) error) {
	ctx, cancel := context.WithCancel(context.Background())
	return ctx, func(Entry) error {
		if n--; n == 0 {
			cancel()
		}
		return nil
	}
}

func TestCancelStopsEverything(t *testing.T) {
	var files []string
	for i := range 50 {
		files = append(files, fmt.Sprintf("d%d/f", i))
	}
	w := open(t, Options{}, bundle(files...))
	ctx, fn := stopAfter(5)
	_, err := w.Walk(ctx, ".", WalkOptions{}, fn)
	wantCode(t, err, engine.RunCancelled)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v does not wrap context.Canceled", err)
	}
	_, _, err = w.OpenFile(ctx, "d1/f")
	wantCode(t, err, engine.RunCancelled)
	_, _, err = w.ReadDir(ctx, ".", 0)
	wantCode(t, err, engine.RunCancelled)
	_, err = w.Stat(ctx, "d1/f")
	wantCode(t, err, engine.RunCancelled)
	late, cancel := context.WithTimeout(context.Background(), 0)
	defer cancel()
	_, _, err = w.OpenFile(late, "d1/f")
	wantCode(t, err, engine.ToolTimeout)
}

func TestReadFailuresHaveCodes(t *testing.T) {
	m := fstest.MapFS{"a": {Data: []byte("12345")}, "dir/b": {Data: []byte("b")}}
	w := open(t, Options{}, Root{FS: noFile{m, errDisk}}, Root{Name: "skill:denied", FS: noFile{m, fs.ErrPermission}})
	_, err := read(w, "a")
	wantCode(t, err, engine.ReadFailed, "/secret")
	if !errors.Is(err, errDisk) {
		t.Errorf("%v lost its cause", err)
	}
	_, err = read(w, "skill:denied/a")
	wantCode(t, err, engine.AccessDenied)
	_, _, err = open(t, Options{}, Root{FS: m}).ReadFile(context.Background(), "a", 4)
	wantCode(t, err, engine.FileTooLarge)
}

func TestOverCloseAndUse(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a"), "a")
	w, err := Open(Options{}, Root{Dir: dir})
	must(t, err)
	must(t, w.Close())
	must(t, w.Close())
	_, err = read(w, "a")
	wantCode(t, err, engine.ReadFailed, dir)
}
