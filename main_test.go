package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/adrg/xdg"
	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	if os.Getenv("WORK") == "" { // not a command of a script: nobody's own config file counts
		_ = os.Setenv("XDG_CONFIG_HOME", filepath.Join(os.TempDir(), "agentstudio-no-config"))
		_ = os.Setenv("XDG_STATE_HOME", filepath.Join(os.TempDir(), "agentstudio-no-state"))
		xdg.Reload()
		for name := range variables() { // nor anybody's own model
			_ = os.Unsetenv(name)
		}
	}
	testscript.Main(m, map[string]func(){
		"agentstudio": main,
		"alone":       func() { loseTerminal(); main() }, // agentstudio with nobody to ask
	})
}

// TestScripts runs fixtures/scripts: each is a conversation with the real commands. With -update
// it writes what they print into the scripts' own expectations.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("fixtures", "scripts"),
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("AGENT_STUDIO_STATE", filepath.Join(e.WorkDir, "state"))
			e.Setenv("LANG", "en_US.UTF-8")
			e.Setenv("DEMO", "Use the ads-analysis skill to analyse demo-account over the last 7 days, then have the report-writer skill save a report.")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status": scriptStatus, "whole": scriptWhole, "session": scriptSession, "sameButIds": scriptSameButIDs,
			"damage": scriptDamage,
		},
	})
}

// scriptStatus: status N COMMAND… runs a command and wants this exit status.
func scriptStatus(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N command...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var ended *exec.ExitError
	switch err := ts.Exec(args[1], args[2:]...); {
	case errors.As(err, &ended):
		got = ended.ExitCode()
	default:
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("status %d, want %d", got, want)
	}
}

// scriptWhole: whole FILE N wants a file of events numbered from 1 without a hole, of which N end
// a run as completed.
func scriptWhole(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: whole file completed")
	}
	n, completed := 0, 0
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		n++
		var e struct {
			Sequence int
			Type     string
		}
		ts.Check(json.Unmarshal([]byte(line), &e))
		if e.Sequence != n {
			ts.Fatalf("line %d has sequence %d", n, e.Sequence)
		}
		if e.Type == "run.completed" {
			completed++
		}
	}
	if strconv.Itoa(completed) != args[1] {
		ts.Fatalf("%d runs completed, want %s", completed, args[1])
	}
}

// scriptSession: session NAME puts the id of the only saved session into the variable NAME.
func scriptSession(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: session variable")
	}
	all, err := filepath.Glob(ts.MkAbs(filepath.Join("state", "sessions", "ses_*")))
	ts.Check(err)
	if len(all) != 1 {
		ts.Fatalf("%d sessions are saved, want 1", len(all))
	}
	ts.Setenv(args[0], filepath.Base(all[0]))
}

// scriptDamage: damage FILE N spoils line N, as a bad disk does: it is as long as before.
func scriptDamage(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: damage file line")
	}
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	lines := bytes.SplitAfter([]byte(ts.ReadFile(args[0])), []byte("\n"))
	if n < 1 || n >= len(lines) {
		ts.Fatalf("%s has no line %d", args[0], n)
	}
	copy(lines[n-1][len(lines[n-1])/2:], "\x00\x00\x00")
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), bytes.Join(lines, nil), 0o600))
}

// madeOfIDs is what differs between runs of another seed: the ids, and the keys made of them.
var madeOfIDs = regexp.MustCompile(`(evt|ses|run|msg|call|apr|art)_[0-9A-Z]{26}|"idempotencyKey":"[^"]*"`)

// scriptSameButIDs: sameButIds A B wants files that differ, but in ids only.
func scriptSameButIDs(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: sameButIds file1 file2")
	}
	a, b := ts.ReadFile(args[0]), ts.ReadFile(args[1])
	if a == b {
		ts.Fatalf("%s and %s are the same", args[0], args[1])
	}
	if madeOfIDs.ReplaceAllString(a, "*") != madeOfIDs.ReplaceAllString(b, "*") {
		ts.Fatalf("%s and %s differ in more than ids", args[0], args[1])
	}
}

// watcher cancels as soon as a word has been written.
type watcher struct {
	bytes.Buffer
	word   string
	cancel func()
}

func (w *watcher) Write(b []byte) (int, error) {
	n, err := w.Buffer.Write(b)
	if strings.Contains(w.String(), w.word) {
		w.cancel()
	}
	return n, err
}

// TestRunCancelled is Ctrl+C while the model speaks: the run ends as cancelled, which is told.
func TestRunCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out := &watcher{word: `"assistant.delta"`, cancel: cancel}
	status := run(ctx, []string{"run", "--no-save", "--json", "--pace", "--approve", "never", "Use the ads-analysis skill on demo-account"},
		stdio{in: strings.NewReader(""), out: out, err: io.Discard})
	if status != exitCancelled || !strings.Contains(out.String(), `"type":"run.cancelled"`) {
		t.Errorf("status %d\n%s", status, out)
	}
}

// TestRunPrintsAllOfALine has the model say one line that no screen would show whole.
func TestRunPrintsAllOfALine(t *testing.T) {
	long := strings.Repeat("0123456789", 15<<10) + " the end"
	at := filepath.Join(t.TempDir(), "long.yaml")
	text := "name: long\ntitle: Long\nprompt: go\nturns:\n  - do:\n      - say: " + long + "\n"
	if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, faults bytes.Buffer
	status := run(t.Context(), []string{"run", "--no-save", "--approve", "never", "--scenario", at, "go"}, stdio{in: strings.NewReader(""), out: &out, err: &faults})
	if status != exitDone || out.String() != long+"\n" {
		t.Errorf("status %d, %d bytes, want %d\n%s", status, out.Len(), len(long)+1, faults.String())
	}
}
