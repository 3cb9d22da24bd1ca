//go:build unix

package main

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A pipe in the place of the saved connection holds nothing up.
func TestKeptIsNoPipe(t *testing.T) {
	root := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(root, keptName), 0o600); err != nil {
		t.Skip("no pipes here: ", err)
	}
	status, out, said := asked(t, "models", "test", "--state", root)
	if status != exitFailed || !strings.Contains(out+said, "it is no file") {
		t.Errorf("status %d: %s%s", status, out, said)
	}
}
