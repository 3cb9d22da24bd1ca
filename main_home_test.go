package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// Without a usable home folder nothing is written anywhere: the root of the file system is no place.
func TestNoHomeFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, home := range []string{"", "relative"} {
		for _, name := range []string{"HOME", "USERPROFILE", "home"} {
			t.Setenv(name, home)
		}
		t.Setenv("XDG_STATE_HOME", "")
		t.Setenv("AGENT_STUDIO_STATE", "")
		var out, said bytes.Buffer
		std := stdio{in: strings.NewReader(""), out: &out, err: &said}
		if status := run(t.Context(), []string{"run", "--approve", "never", "hi"}, std); status != exitFailed || !strings.Contains(said.String(), "--no-save") {
			t.Errorf("HOME=%q: status %d, said %q", home, status, said.String())
		}
		if status := run(t.Context(), []string{"run", "--no-save", "--approve", "never", "hi"}, std); status != exitDone {
			t.Errorf("HOME=%q --no-save: status %d, said %q", home, status, said.String())
		}
	}
	left, err := os.ReadDir(".")
	if err != nil || len(left) != 0 {
		t.Errorf("left %v (%v)", left, err)
	}
}
