//go:build unix

package tool

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"agentstudio/engine"
)

// Case f-fifo-and-devices.
func TestSpecialFiles(t *testing.T) {
	d := newDesk(t, map[string]string{"a.txt": "needle one\n", "sub/b.txt": "x\nneedle two\n"})
	must(t, syscall.Mkfifo(filepath.Join(d.dir, "pipe"), 0o600))
	must(t, os.Symlink("/dev/zero", filepath.Join(d.dir, "zero")))
	must(t, os.Symlink("/dev/stdin", filepath.Join(d.dir, "stdin")))
	t.Chdir(d.dir) // a socket's path may only be short
	l, err := net.Listen("unix", "sock")
	if err != nil {
		t.Skip("no sockets here:", err)
	}
	defer l.Close() //nolint:errcheck // the test is over
	start := time.Now()
	res, g := d.greps(t, m{"pattern": "needle", "path": "."}, "a.txt:1:1", "sub/b.txt:2:1")
	d.says(t, res.Content, "4 special files skipped")
	if g.Skipped.Special != 4 || g.Skipped.Links != 0 {
		t.Errorf("%+v", g.Skipped)
	}
	for _, name := range []string{"pipe", "sock", "zero", "stdin"} {
		d.fails(t, "read", m{"path": name}, engine.NotARegularFile, "not a regular file")
		d.fails(t, "grep", m{"pattern": "x", "path": name}, engine.NotARegularFile, "not a regular file")
	}
	res = d.finds(t, m{"pattern": "*"}, "a.txt", "pipe", "sock", "stdin", "sub/", "sub/b.txt", "zero")
	d.says(t, res.Content, "pipe  (not a regular file)", "zero  (link, not followed)")
	var ls LsData
	d.do(t, "ls", m{}, &ls)
	kinds := map[string]string{}
	for _, e := range ls.Entries {
		kinds[e.Name] = e.Kind
	}
	if kinds["pipe"] != "other" || kinds["sock"] != "other" || kinds["zero"] != "link" || !slices.Contains([]string{"folder"}, kinds["sub"]) {
		t.Errorf("%v", kinds)
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("took %v", took)
	}
}
