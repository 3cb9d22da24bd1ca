package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentstudio/engine"
	"agentstudio/engine/journal"
)

// sessionsRig is a state directory with one session of the demonstration.
type sessionsRig struct {
	t    *testing.T
	root string
	id   string
	path string // of the journal
}

func newSessionsRig(t *testing.T) *sessionsRig {
	t.Helper()
	r := &sessionsRig{t: t, root: t.TempDir()}
	if status := run(t.Context(), []string{"run", "--approve", "always", "--state", r.root, "--json", "Use the ads-analysis skill on demo-account"},
		stdio{in: strings.NewReader(""), out: io.Discard, err: io.Discard}); status != exitDone {
		t.Fatalf("the demonstration ended with %d", status)
	}
	all, err := filepath.Glob(filepath.Join(r.root, "sessions", "ses_*"))
	if err != nil || len(all) != 1 {
		t.Fatalf("the sessions are %v, %v", all, err)
	}
	r.id, r.path = filepath.Base(all[0]), filepath.Join(all[0], "events.jsonl")
	return r
}

// sessions runs a command of sessions and wants its status.
func (r *sessionsRig) sessions(want int, args ...string) (out, err string) {
	r.t.Helper()
	var o, e bytes.Buffer
	if got := run(r.t.Context(), append(append([]string{"sessions"}, args...), "--state", r.root), stdio{in: strings.NewReader(""), out: &o, err: &e}); got != want {
		r.t.Errorf("sessions %v ended with %d, want %d: %s%s", args, got, want, o.String(), e.String())
	}
	return o.String(), e.String()
}

func (r *sessionsRig) read() []byte {
	r.t.Helper()
	b, err := os.ReadFile(r.path)
	if err != nil {
		r.t.Fatal(err)
	}
	return b
}

func (r *sessionsRig) write(b []byte) {
	r.t.Helper()
	if err := os.WriteFile(r.path, b, 0o600); err != nil {
		r.t.Fatal(err)
	}
}

func TestSessionsShow(t *testing.T) {
	r := newSessionsRig(t)
	out, _ := r.sessions(exitDone, "show", r.id, "--json")
	lines := strings.SplitAfter(strings.TrimSuffix(out, "\n"), "\n")
	stored := bytes.SplitAfter(bytes.TrimSuffix(r.read(), []byte("\n")), []byte("\n"))
	if len(lines) != len(stored) {
		t.Fatalf("%d lines of %d events", len(lines), len(stored))
	}
	for i, line := range stored {
		cut := bytes.LastIndex(line, []byte(`,"prev":"`))
		if want := string(line[:cut]) + "}"; strings.TrimSuffix(lines[i], "\n") != want {
			t.Errorf("line %d is\n%s, want\n%s", i+1, lines[i], want)
		}
	}
	if text, _ := r.sessions(exitDone, "show", r.id); text == "" || strings.Contains(text, `"prev"`) {
		t.Errorf("show prints %q", text)
	}
	r.sessions(exitFailed, "show", "ses_none")
	r.sessions(exitFailed, "show", "../sessions")
	r.sessions(exitUsage, "show")
}

func TestSessionsVerifyAndRepair(t *testing.T) {
	r := newSessionsRig(t)
	whole := r.read()
	verify := func(status int) (rep journal.Report) {
		t.Helper()
		out, _ := r.sessions(status, "verify", r.id, "--json")
		if err := json.Unmarshal([]byte(out), &rep); err != nil {
			t.Fatalf("%v in %s", err, out)
		}
		return rep
	}
	if rep := verify(exitDone); !rep.OK || rep.TornBytes != 0 || rep.Events != int(rep.LastSequence) {
		t.Errorf("a whole journal: %+v", rep)
	}
	if out, _ := r.sessions(exitDone, "repair", r.id, "--yes"); !strings.Contains(out, "nothing to repair") || !bytes.Equal(r.read(), whole) {
		t.Errorf("repairing a whole journal says %q", out)
	}

	r.write(whole[:len(whole)-10])
	if rep := verify(exitDone); !rep.OK || rep.TornBytes == 0 {
		t.Errorf("a torn journal: %+v", rep)
	}

	bad := bytes.Replace(whole, []byte(`"type":"run.started"`), []byte(`"type":"run.storted"`), 1)
	r.write(bad)
	rep := verify(exitFailed)
	if rep.OK || len(rep.Damaged) != 1 || len(rep.Gaps) != 1 || rep.Gaps[0][0] != rep.Gaps[0][1] {
		t.Errorf("a damaged journal: %+v", rep)
	}
	if out, _ := r.sessions(exitFailed, "verify", r.id); !strings.Contains(out, "line ") {
		t.Errorf("verify says %q", out)
	}
	if out, _ := r.sessions(exitDone, "list", "--json"); !strings.Contains(out, `"state": "damaged"`) {
		t.Errorf("the list says %s", out)
	}
	if out, _ := r.sessions(exitDone, "show", r.id, "--json"); !strings.Contains(out, `"type":"journal.damaged"`) {
		t.Error("show shows no hole")
	}
	r.sessions(exitDone, "show", r.id)
	if _, text := r.sessions(exitFailed, "rename", r.id, "New"); !strings.Contains(text, "repair") {
		t.Errorf("renaming a damaged session says %q", text)
	}
	if out, _ := r.sessions(exitDone, "repair", r.id); !strings.Contains(out, "would keep") || !bytes.Equal(r.read(), bad) {
		t.Errorf("the plan is %q", out)
	}
	if out, _ := r.sessions(exitDone, "repair", r.id, "--yes"); !strings.Contains(out, "the old journal is events.jsonl.damaged-") {
		t.Errorf("the repair says %q", out)
	}
	if rep := verify(exitDone); !rep.OK || rep.Events != int(rep.LastSequence) {
		t.Errorf("a repaired journal: %+v", rep)
	}
}

func TestSessionsRenameAndDelete(t *testing.T) {
	r := newSessionsRig(t)
	r.sessions(exitDone, "rename", r.id, "A new\x1b[2J name")
	if out, _ := r.sessions(exitDone, "list", "--json"); !strings.Contains(out, `"title": "A new [2J name"`) {
		t.Errorf("the list says %s", out)
	}
	r.sessions(exitFailed, "rename", r.id, " ")
	r.sessions(exitFailed, "rename", "ses_none", "x")

	r.sessions(exitUsage, "delete", r.id)
	link := filepath.Join(r.root, "sessions", "ses_link")
	if err := os.Symlink(filepath.Dir(r.path), link); err == nil {
		if _, text := r.sessions(exitFailed, "delete", "ses_link", "--yes"); !strings.Contains(text, string(engine.SessionNotFound)) {
			t.Errorf("deleting a link says %q", text)
		}
	}
	st, err := journal.Open(r.root, journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	j, err := st.Open(t.Context(), engine.SessionID(r.id))
	if err != nil {
		t.Fatal(err)
	}
	r.sessions(exitFailed, "delete", r.id, "--yes")
	r.sessions(exitFailed, "repair", r.id, "--yes")
	if out, _ := r.sessions(exitDone, "list", "--json"); !strings.Contains(out, `"state": "locked"`) {
		t.Errorf("the list says %s", out)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	r.sessions(exitDone, "delete", r.id, "--yes")
	if _, err := os.Lstat(filepath.Dir(r.path)); err == nil {
		t.Error("the session's folder is still there")
	}
	r.sessions(exitFailed, "delete", r.id, "--yes")
}

func TestSessionsWithoutState(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	if got := run(t.Context(), []string{"run", "--approve", "always", "--state", file, "hello"}, stdio{in: strings.NewReader(""), out: &out, err: &errs}); got != exitFailed ||
		!strings.Contains(errs.String(), "--no-save") || !strings.Contains(errs.String(), string(engine.StateUnusable)) {
		t.Errorf("a state directory that cannot be: %d, %s%s", got, out.String(), errs.String())
	}
	none := filepath.Join(t.TempDir(), "none")
	out.Reset()
	if got := run(t.Context(), []string{"sessions", "list", "--json", "--state", none}, stdio{in: strings.NewReader(""), out: &out, err: &errs}); got != exitDone || strings.TrimSpace(out.String()) != "[]" {
		t.Errorf("the list of nothing: %d, %s", got, out.String())
	}
	if _, err := os.Lstat(none); err == nil {
		t.Error("listing has made the state directory")
	}
}
