package workspace

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"agentstudio/engine"
)

// swapping runs flip in a loop until the test's reads are done, and joins it.
func swapping(t *testing.T, flip func() error, reads func()) {
	t.Helper()
	stop := make(chan struct{})
	var flipping sync.WaitGroup
	flipping.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				if err := flip(); err != nil {
					t.Error(err)
					return
				}
			}
		}
	})
	reads()
	close(stop)
	flipping.Wait()
}

// replace puts a link in the place of path by renaming, which is atomic.
func replace(target, path string) error {
	next := path + ".next"
	return errors.Join(os.Symlink(target, next), os.Rename(next, path))
}

func replaceFile(path, content string) error {
	next := path + ".next"
	return errors.Join(os.WriteFile(next, []byte(content), 0o600), os.Rename(next, path))
}

const rounds = 3000

func TestSwappedFileNeverLeaks(t *testing.T) {
	needsUnix(t)
	dir := t.TempDir()
	ws := filepath.Join(dir, "ws")
	write(t, filepath.Join(ws, "a"), "harmless")
	write(t, filepath.Join(ws, ".env"), "SECRET")
	write(t, filepath.Join(dir, "out"), "SECRET")
	w := open(t, Options{}, Root{Dir: ws})
	at := filepath.Join(ws, "a")
	flip := func() error {
		return errors.Join(replace("../out", at), replaceFile(at, "harmless"), replace(".env", at), replaceFile(at, "harmless"))
	}
	codes := map[engine.Code]int{}
	swapping(t, flip, func() {
		for range rounds {
			got, err := read(w, "a")
			if strings.Contains(got, "SECRET") {
				t.Fatal("read through a link")
			}
			codes[engine.CodeOf(err)]++
		}
	})
	for code := range codes {
		switch code {
		case "", engine.SymlinkNotAllowed, engine.PathOutsideWorkspace, engine.ReadFailed:
		default:
			t.Errorf("odd outcomes: %v", codes)
		}
	}
}

func TestSwappedFolderNeverLeaks(t *testing.T) {
	needsUnix(t)
	dir := t.TempDir()
	ws := filepath.Join(dir, "ws")
	write(t, filepath.Join(ws, "d", "x"), "harmless")
	write(t, filepath.Join(ws, ".ssh", "x"), "SECRET")
	write(t, filepath.Join(dir, "out", "x"), "SECRET")
	w := open(t, Options{}, Root{Dir: ws})
	d, aside := filepath.Join(ws, "d"), filepath.Join(dir, "aside")
	flip := func() error {
		var errs []error
		for _, target := range []string{"../out", ".ssh"} {
			errs = append(errs, os.Rename(d, aside), os.Symlink(target, d), os.Remove(d), os.Rename(aside, d))
		}
		return errors.Join(errs...)
	}
	swapping(t, flip, func() {
		for range rounds {
			if got, _ := read(w, "d/x"); strings.Contains(got, "SECRET") {
				t.Fatal("read through a link")
			}
		}
		for range rounds / 20 {
			_, err := w.Walk(context.Background(), ".", WalkOptions{}, func(e Entry) error {
				if e.Kind != KindFile {
					return nil
				}
				if got, _ := e.Read(context.Background(), 100); strings.Contains(string(got), "SECRET") {
					t.Fatal("walked through a link")
				}
				return nil
			})
			must(t, err)
		}
	})
}

// treacherous is a folder that changes right after an entry was looked at.
type treacherous struct {
	folder
	before, after func()
}

func (f *treacherous) lstat(name string) (fs.FileInfo, error) {
	f.before()
	defer f.after()
	return f.folder.lstat(name)
}

// The window of the races above, hit each time: what lstat sees is harmless, what is opened is not.
func TestSwapBetweenLookAndOpen(t *testing.T) {
	needsUnix(t)
	dir := t.TempDir()
	ws := filepath.Join(dir, "ws")
	write(t, filepath.Join(ws, "a"), "harmless")
	write(t, filepath.Join(ws, "d", "x"), "harmless")
	for _, secret := range []string{".env", ".ssh/x", "../out/x"} {
		write(t, filepath.Join(ws, secret), "SECRET")
	}
	for _, c := range []struct{ read, swapped, target string }{
		{"a", "a", ".env"}, {"a", "a", "../out/x"}, {"d/x", "d", ".ssh"}, {"d/x", "d", "../out"}, {"a", "a", "nowhere"}, {"d/x", "d", "a"},
	} {
		w := open(t, Options{}, Root{Dir: ws})
		at, aside := filepath.Join(ws, c.swapped), filepath.Join(dir, "aside")
		r := w.root("")
		away := func() { must(t, errors.Join(os.Rename(at, aside), os.Symlink(c.target, at))) }
		back := func() { must(t, errors.Join(os.Remove(at), os.Rename(aside, at))) }
		away()
		r.top = &treacherous{folder: r.top, before: back, after: away}
		got, err := read(w, c.read)
		back()
		if got != "" {
			t.Errorf("%s, swapped to %s, gave %q", c.read, c.target, got)
		}
		wantCode(t, err, engine.ReadFailed, dir)
		if !strings.Contains(err.Error(), "was changed while") {
			t.Errorf("%v", err)
		}
	}
}
