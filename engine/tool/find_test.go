package tool

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"agentstudio/engine"
)

func (d desk) finds(t *testing.T, args m, want ...string) engine.Result {
	t.Helper()
	var f FindData
	res := d.do(t, "find", args, &f)
	if !slices.Equal(f.Paths, want) || f.Total != len(want) {
		t.Errorf("%v: got %q (%d), want %q", args, f.Paths, f.Total, want)
	}
	return res
}

func TestFind(t *testing.T) {
	d := newDesk(t, map[string]string{
		"a.md": "", "sub/b.md": "", "sub/deep/c.md": "", "sub/d.txt": "", ".gitignore": "*.log\nout/\n", "x.log": "", "out/y.md": "", ".env": "",
	})
	d.finds(t, m{"pattern": "*.md"}, "a.md", "sub/b.md", "sub/deep/c.md")
	d.finds(t, m{"pattern": "sub/*.md"}, "sub/b.md")
	d.finds(t, m{"pattern": "sub/**/*.md"}, "sub/b.md", "sub/deep/c.md")
	d.finds(t, m{"pattern": "./sub/**"}, "sub/", "sub/b.md", "sub/d.txt", "sub/deep/", "sub/deep/c.md")
	d.finds(t, m{"pattern": "deep/*", "path": "sub"}, "sub/deep/c.md")
	d.finds(t, m{"pattern": "deep"}, "sub/deep/")
	d.finds(t, m{"pattern": "*/"}, "sub/", "sub/deep/")
	d.finds(t, m{"pattern": "[ab].{md,txt}"}, "a.md", "sub/b.md")
	res := d.finds(t, m{"pattern": "*.log"})
	d.says(t, res.Content, "nothing in . matches *.log", "2 entries left out because of .gitignore")
	res = d.finds(t, m{"pattern": ".env"}, ".env")
	d.says(t, res.Content, ".env  (protected, not readable)")
	for _, bad := range []string{"[a", "a{b", `a\`, "../*", "/etc/*", "a//b", "a/../b", "./", strings.Repeat("{a,a}", 5), "{" + strings.Repeat("a,", 17) + "}", strings.Repeat("*", 501), "a\x00"} {
		d.fails(t, "find", m{"pattern": bad}, engine.PatternInvalid, "pattern:")
	}
}

func TestFindHostileGlobsAreFast(t *testing.T) {
	d := newDesk(t, map[string]string{strings.Repeat("a", 200): "", strings.Repeat("a/", 40) + "b": ""})
	start := time.Now()
	for _, pattern := range []string{
		strings.Repeat("*a", 240) + "b", strings.Repeat("**/", 60) + "z", "{a*,a*,a*,a*,a*}{a*,a*,a*,a*,a*}{a*,a*,a*,a*,a*}{a*,a*,a*,a*}z", strings.Repeat("**/a*/", 40) + "z",
	} {
		var f FindData
		d.do(t, "find", m{"pattern": pattern}, &f)
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("took %v", took)
	}
}

func TestFindAndLsAreBounded(t *testing.T) {
	files := map[string]string{}
	for i := range 600 {
		files[fmt.Sprintf("%s%03d", strings.Repeat("\x01<", 100), i)] = ""
	}
	d := newDesk(t, files)
	var f FindData
	res := d.do(t, "find", m{"pattern": "*"}, &f)
	if f.Total != 600 || res.LeftOut.Entries != 600-len(f.Paths) || jsonSize(res.Content)+len(res.Data) > 64<<10 {
		t.Errorf("%d of %d, %+v, %d bytes", len(f.Paths), f.Total, res.LeftOut, jsonSize(res.Content)+len(res.Data))
	}
	var l LsData
	res = d.do(t, "ls", m{}, &l)
	if l.Total != 600 || res.LeftOut.Entries != 600-len(l.Entries) || jsonSize(res.Content)+len(res.Data) > 64<<10 {
		t.Errorf("%d of %d, %+v", len(l.Entries), l.Total, res.LeftOut)
	}
	files = map[string]string{}
	for i := range 510 {
		files[fmt.Sprintf("f%03d", i)] = ""
	}
	d = newDesk(t, files)
	res = d.do(t, "ls", m{}, &l)
	if len(l.Entries) != 500 || l.Total != 510 || res.LeftOut.Entries != 10 {
		t.Errorf("%d of %d", len(l.Entries), l.Total)
	}
	d.says(t, res.Content, "500 of 510 entries shown, 10 left out")
	res = d.do(t, "find", m{"pattern": "f*"}, &f)
	if len(f.Paths) != 500 || f.Total != 510 || res.LeftOut.Entries != 10 {
		t.Errorf("%d of %d", len(f.Paths), f.Total)
	}
}

func TestLs(t *testing.T) {
	d := newDesk(t, map[string]string{"b.txt": "12345", "a/x": "", ".env": "k"})
	var l LsData
	res := d.do(t, "ls", m{}, &l)
	want := []LsEntry{{".env", "file", 1, true}, {"a", "folder", 0, false}, {"b.txt", "file", 5, false}}
	if !slices.Equal(l.Entries, want) || l.Total != 3 {
		t.Errorf("%+v", l)
	}
	d.says(t, res.Content, "file           5  b.txt", "folder         -  a", ".env  (protected, not readable)")
	must(t, os.Mkdir(filepath.Join(d.dir, "void"), 0o755))
	res = d.do(t, "ls", m{"path": "void"}, &l)
	d.says(t, res.Content, "the folder is empty")
	if l.Entries == nil {
		t.Error("entries are null")
	}
}

// Case f-strange-names.
func TestStrangeNames(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a disk of Windows has no such names")
	}
	files := map[string]string{}
	for _, name := range []string{"-rf.txt", "--help", "a:12:b.txt", "$(id).txt", "报表 一.txt", "new\nline.txt", "esc\x1b[2J.txt", "bad\xffbyte.txt"} {
		files[name] = "x\n"
	}
	d := newDesk(t, files)
	var l LsData
	res := d.do(t, "ls", m{}, &l)
	if l.Total != 8 || strings.Count(res.Content, "\n") != 7 {
		t.Errorf("%d entries: %q", l.Total, res.Content)
	}
	d.says(t, res.Content, `new\nline.txt`, `esc\x1b[2J.txt`, `bad\xffbyte.txt`)
	for _, e := range l.Entries {
		var r ReadData
		if d.do(t, "read", m{"path": e.Name}, &r); r.TotalLines != 1 {
			t.Errorf("%q: %+v", e.Name, r)
		}
	}
	d.finds(t, m{"pattern": "*.txt"}, "$(id).txt", "-rf.txt", "./a:12:b.txt", `bad\xffbyte.txt`, `esc\x1b[2J.txt`, `new\nline.txt`, "报表 一.txt")
	var g GrepData
	d.do(t, "grep", m{"pattern": "x"}, &g)
	if len(g.Matches) != 8 || !slices.ContainsFunc(g.Matches, func(m GrepMatch) bool { return m.Path == "./a:12:b.txt" && m.Line == 1 }) {
		t.Errorf("%+v", g.Matches)
	}
}

// Case f-symlink-escape.
func TestLinks(t *testing.T) {
	d := newDesk(t, map[string]string{"real.txt": "inside\n", "d/x": "", "../outside/secret.txt": "SECRET\n"})
	for path, target := range map[string]string{
		"in-link.txt": "real.txt", "out-file": "../outside/secret.txt", "out-dir": "../outside", "abs": "/etc/passwd", "loop1": "loop1", "dangling": "nowhere", "d/up": "..",
	} {
		if err := os.Symlink(target, filepath.Join(d.dir, path)); err != nil {
			t.Skip("no symbolic links here:", err)
		}
	}
	alias := filepath.Join(filepath.Dir(d.dir), "ws-link")
	must(t, os.Symlink(d.dir, alias))
	for _, d := range []desk{d, openDesk(t, alias)} {
		d.fails(t, "read", m{"path": "in-link.txt"}, engine.SymlinkNotAllowed, "links are not followed")
		d.fails(t, "read", m{"path": "out-file"}, engine.PathOutsideWorkspace)
		d.fails(t, "read", m{"path": "abs"}, engine.PathOutsideWorkspace)
		d.fails(t, "read", m{"path": "loop1"}, engine.SymlinkNotAllowed, "too many links")
		d.fails(t, "read", m{"path": "dangling"}, engine.PathNotFound)
		for _, tool := range []string{"ls", "find", "grep"} {
			args := m{"path": "out-dir", "pattern": "*"}
			if tool == "ls" {
				args = m{"path": "out-dir"}
			} else if tool == "grep" {
				args["pattern"] = "SECRET"
			}
			d.fails(t, tool, args, engine.PathOutsideWorkspace)
		}
		res, g := d.greps(t, m{"pattern": "SECRET"})
		d.says(t, res.Content, "7 links not followed")
		if g.Skipped.Links != 7 {
			t.Errorf("%+v", g.Skipped)
		}
		d.greps(t, m{"pattern": "inside"}, "real.txt:1:1")
		d.finds(t, m{"pattern": "*.txt"}, "in-link.txt", "real.txt")
		d.finds(t, m{"pattern": "d/**"}, "d/", "d/up", "d/x")
		var l LsData
		d.do(t, "ls", m{}, &l)
		if !slices.ContainsFunc(l.Entries, func(e LsEntry) bool { return e.Name == "out-dir" && e.Kind == "link" && e.Bytes == 0 }) {
			t.Errorf("%+v", l.Entries)
		}
	}
}
