package main

import (
	"bytes"
	"errors"
	"strings"
	"syscall"
	"testing"
)

type fullDevice struct{ err error }

func (f fullDevice) Write([]byte) (int, error) { return 0, f.err }

func TestLostOutputIsNoSuccess(t *testing.T) {
	for _, args := range [][]string{{"version"}, {"--help"}, {"sessions", "list"}, {"scenarios", "list"}, {"tools", "list"}, {"skills", "list", "--json"},
		{"run", "--approve", "never", "hi"}, {"run", "--approve", "never", "--json", "hi"}} {
		var said bytes.Buffer
		status := run(t.Context(), append(args, "--state", t.TempDir()), stdio{in: strings.NewReader(""), out: fullDevice{syscall.ENOSPC}, err: &said})
		if status != exitFailed || !strings.Contains(said.String(), "the output could not be written") {
			t.Errorf("%v: status %d, said %q", args, status, said.String())
		}
	}
	var said bytes.Buffer
	if status := run(t.Context(), []string{"version"}, stdio{in: strings.NewReader(""), out: fullDevice{syscall.EPIPE}, err: &said}); status != exitFailed || said.Len() != 0 {
		t.Errorf("a reader that went away: status %d, said %q", status, said.String())
	}
	if got := cause(errors.New("plain")).Error(); got != "plain" {
		t.Error(got)
	}
}
