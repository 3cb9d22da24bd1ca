//go:build unix

package workspace

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"agentstudio/engine"
)

// specialTree is the tree of case f-fifo-and-devices.
func specialTree(t *testing.T) string {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.txt"), "needle one\n")
	write(t, filepath.Join(dir, "sub", "b.txt"), "x\nneedle two\n")
	must(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	link(t, "/dev/zero", filepath.Join(dir, "zero"))
	link(t, "/dev/stdin", filepath.Join(dir, "stdin"))
	t.Chdir(dir) // a socket's path may only be short
	l, err := net.Listen("unix", "sock")
	if err != nil {
		t.Skip("no sockets here:", err)
	}
	t.Cleanup(func() { l.Close() }) //nolint:errcheck // the test is over
	return dir
}

func TestSpecialFilesAreNeverOpened(t *testing.T) {
	w := open(t, Options{}, Root{Dir: specialTree(t)})
	kinds := map[string]Kind{"pipe": KindOther, "sock": KindOther, "zero": KindLink, "stdin": KindLink}
	for name, kind := range kinds {
		_, err := read(w, name)
		wantCode(t, err, engine.NotARegularFile)
		e, err := w.Stat(context.Background(), name)
		if err != nil || e.Kind != kind || !e.Special {
			t.Errorf("%s: %+v, %v", name, e, err)
		}
	}
	stats, err := w.Walk(context.Background(), ".", WalkOptions{}, func(Entry) error { return nil })
	if err != nil || stats.Special != 4 || stats.Links != 0 {
		t.Errorf("%+v, %v", stats, err)
	}
	_, _, err = w.ReadDir(context.Background(), "pipe", 0)
	wantCode(t, err, engine.NotAFolder)
}

// A FIFO in the place of what was a file or folder a moment ago must not make an open wait.
func TestSwappedFIFODoesNotBlock(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "d", "x"), "x")
	w := open(t, Options{}, Root{Dir: dir})
	d, aside := filepath.Join(dir, "d"), filepath.Join(dir, "aside")
	flip := func() error {
		return errors.Join(os.Rename(d, aside), syscall.Mkfifo(d, 0o600), os.Remove(d), os.Rename(aside, d))
	}
	swapping(t, flip, func() {
		for range rounds {
			_, err := read(w, "d/x")
			if err == nil {
				continue
			}
			if code := engine.CodeOf(err); code != engine.NotAFolder && code != engine.PathNotFound && code != engine.ReadFailed {
				t.Fatal(err)
			}
		}
	})
}
