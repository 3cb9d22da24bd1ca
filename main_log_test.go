package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// However much is written, the log and the one before it hold no more than they may, whole lines, and
// the newest of all.
func TestLogFileIsBounded(t *testing.T) {
	l := &logFile{path: filepath.Join(t.TempDir(), "agentstudio.log"), most: 10 << 10}
	const lines = 2000
	for i := range lines {
		l.line(fmt.Sprintf("line %d %s", i, strings.Repeat("x", 50)))
	}
	next := lines - 1
	for _, path := range []string{l.path, l.path + ".1"} {
		i, err := os.Stat(path)
		if err != nil || i.Size() > l.most || runtime.GOOS != "windows" && i.Mode().Perm() != 0o600 {
			t.Fatalf("%s: %v %v", path, i, err)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all := strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
		for n := len(all) - 1; n >= 0; n-- {
			if !strings.Contains(all[n], fmt.Sprintf(" line %d x", next)) {
				t.Fatalf("%s has %q, want line %d", path, all[n], next)
			}
			next--
		}
	}
	if next > lines-150 {
		t.Errorf("only %d lines were kept", lines-1-next)
	}
}

// A text that is too long is cut, a key is not in it, and a file that cannot be turned grows no more.
func TestLogFileKeepsWhatItMay(t *testing.T) {
	l := &logFile{path: filepath.Join(t.TempDir(), "agentstudio.log"), most: 100 << 10}
	key := "sk-ant-api03-" + strings.Repeat("a1B2", 20)
	l.line("before " + key + " " + strings.Repeat("y", 1<<20))
	b, err := os.ReadFile(l.path)
	if err != nil || len(b) > 65<<10 || strings.Contains(string(b), key) || !strings.HasSuffix(string(b), "(cut)\n") {
		t.Errorf("%d bytes, %v: %.80q", len(b), err, b)
	}
	if err := os.MkdirAll(filepath.Join(l.path+".1", "in the way"), 0o700); err != nil {
		t.Fatal(err)
	}
	for range 10 {
		l.line(strings.Repeat("z", 20<<10))
	}
	if i, err := os.Stat(l.path); err != nil || i.Size() > l.most {
		t.Errorf("%v %v", i, err)
	}
	(&logFile{}).line("nowhere")
}
