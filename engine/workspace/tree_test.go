package workspace

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"agentstudio/engine"
)

// write makes a file and the folders above it.
func write(t testing.TB, path, content string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(t, os.WriteFile(path, []byte(content), 0o644))
}

// link makes a symbolic link, or skips the test where the system does not let it.
func link(t testing.TB, target, path string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	if err := os.Symlink(target, path); err != nil {
		t.Skip("no symbolic links here:", err)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func open(t testing.TB, opts Options, roots ...Root) *Workspace {
	t.Helper()
	w, err := Open(opts, roots...)
	must(t, err)
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

func read(w *Workspace, path string) (string, error) {
	data, _, err := w.ReadFile(context.Background(), path, 1<<20)
	return string(data), err
}

// wantCode checks the code of an error, and that its words show nothing of the machine's layout.
func wantCode(t testing.TB, err error, want engine.Code, secrets ...string) {
	t.Helper()
	if engine.CodeOf(err) != want {
		t.Fatalf("got %v (%q), want %s", err, engine.CodeOf(err), want)
	}
	for _, secret := range secrets {
		if strings.Contains(err.Error(), secret) {
			t.Errorf("the error shows %q: %v", secret, err)
		}
	}
}

func needsUnix(t testing.TB) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("a disk of Windows has no such names")
	}
}

// noFile is an fs.FS whose every file fails with one error.
type noFile struct {
	fs.FS
	err error
}

func (n noFile) Open(name string) (fs.File, error) {
	if name == "." || strings.HasSuffix(name, "dir") {
		return n.FS.Open(name)
	}
	f, err := n.FS.Open(name)
	if err != nil {
		return nil, err
	}
	return badFile{f, n.err}, nil
}

type badFile struct {
	fs.File
	err error
}

func (b badFile) Read([]byte) (int, error) { return 0, b.err }

var errDisk = errors.New("disk on fire at /secret/place")

var _ io.Reader = badFile{}
