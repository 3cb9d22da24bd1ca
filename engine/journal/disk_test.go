package journal

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"agentstudio/engine"
)

// step is one thing that happened, in the order in which it did.
type step struct {
	what   string // write, sync, truncate, shown, said or acted
	offset int64  // of write and truncate
	data   []byte
	seq    engine.Seq    // of shown and said
	call   engine.CallID // of acted
}

// disk remembers what was done to a journal's file, and can fail.
type disk struct {
	mu    sync.Mutex
	steps []step
	size  int64
	// broken, if set, is asked before each write and sync: how much of a write gets through, and
	// the error.
	broken func(what string, n int) (int, error)
}

func (d *disk) note(s step) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.steps = append(d.steps, s)
}

func (d *disk) open(path string, flag int) (File, error) {
	f, err := os.OpenFile(path, flag, 0o600)
	if err != nil {
		return nil, err
	}
	return &tape{d, f}, nil
}

// tape is a file whose disk looks on.
type tape struct {
	*disk
	f *os.File
}

func (t *tape) fault(what string, n int) (int, error) {
	if t.broken == nil {
		return n, nil
	}
	return t.broken(what, n)
}

func (t *tape) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	through, fault := t.fault("write", len(p))
	n, err := t.f.Write(p[:through])
	t.steps = append(t.steps, step{what: "write", offset: t.size, data: append([]byte(nil), p[:n]...)})
	t.size += int64(n)
	return n, errors.Join(fault, err)
}

// Sync counts as begun with what was written before it.
func (t *tape) Sync() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, err := t.fault("sync", 0); err != nil {
		return err
	}
	t.steps = append(t.steps, step{what: "sync"})
	return nil
}

func (t *tape) Truncate(size int64) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.steps = append(t.steps, step{what: "truncate", offset: size})
	t.size = size
	return t.f.Truncate(size)
}

func (t *tape) Close() error { return t.f.Close() }

// crash is what a power loss may leave of the file after the first n steps.
func crash(steps []step, n int) (states [][]byte, synced int) {
	var now []byte
	for i, s := range steps[:n] {
		switch s.what {
		case "write":
			now = append(now, s.data...)
		case "truncate":
			now = now[:s.offset]
		case "sync":
			synced = i + 1
		}
	}
	var base []byte
	var pending []step
	for i, s := range steps[:n] {
		switch {
		case s.what == "write" && i < synced:
			base = append(base, s.data...)
		case s.what == "write":
			pending = append(pending, s)
		}
	}
	states = append(states, base, now)
	for k, s := range pending {
		upto := append(append([]byte(nil), base...), now[len(base):s.offset]...)
		half := append(append([]byte(nil), upto...), s.data[:len(s.data)/2]...)
		zeros := append(append([]byte(nil), upto...), make([]byte, len(now)-len(upto))...) // the size came first
		states = append(states, upto, half, zeros, append(append([]byte(nil), half...), make([]byte, len(now)-len(half))...))
		if k+1 < len(pending) { // this one is lost, those after it are not
			gone := append([]byte(nil), now...)
			clear(gone[s.offset : s.offset+int64(len(s.data))])
			states = append(states, gone)
		}
	}
	return states, synced
}

// staged is a session over a disk: two runs, each with an act that a person approves.
func staged(t *testing.T) (recorded, []step) {
	t.Helper()
	drive := &disk{}
	act := saver(func(c engine.Call) { drive.note(step{what: "acted", call: c.ID}) })
	d := newDesk(t, quick(t), Options{OpenFile: drive.open}, reader(), act)
	d.model.turns = []turn{call(toolCall("c1", "read", `{}`), toolCall("c2", "save", `{"n":1}`)), say("One."),
		call(toolCall("c3", "save", `{"n":2}`)), say("Two.")}
	s := d.mustOpen("")
	for _, text := range []string{"first", "second"} {
		r, err := s.Do(t.Context(), engine.Send{Text: text, By: tester})
		if err != nil {
			t.Fatal(err)
		}
		drive.note(step{what: "said", seq: r.Seq})
		shown := engine.Seq(0)
		if _, err := d.until(s, func(e engine.Event) bool {
			if e.Seq > shown && promised(e.Payload) {
				shown = e.Seq
				drive.note(step{what: "shown", seq: e.Seq})
			}
			if p, ok := e.Payload.(engine.ApprovalRequired); ok && e.Run == r.Run {
				got, err := s.Do(t.Context(), engine.Decide{Approval: p.Approval, Digest: p.Digest, Approve: true, By: tester})
				if err != nil {
					t.Error(err)
				}
				drive.note(step{what: "said", seq: got.Seq})
			}
			return e.Run == r.Run && engine.Terminal(e.Payload)
		}); err != nil {
			t.Fatal(err)
		}
	}
	return d.record(s.ID()), drive.steps
}

// promised tells whether an event that was shown must survive a power loss.
func promised(p engine.Payload) bool {
	switch p.(type) {
	case engine.UserMessage, engine.ApprovalRequired, engine.ApprovalResolved, engine.ToolStarted, engine.RunCompleted, engine.ToolCompleted:
		return true
	}
	return false
}

// TestUnsyncedLoss tries what a power loss may leave at every step.
func TestUnsyncedLoss(t *testing.T) {
	rec, steps := staged(t)
	s := newSite(t, rec)
	tried, places := 0, 0
	for n := range len(steps) + 1 {
		states, synced := crash(steps, n)
		must, acts := engine.Seq(0), map[engine.CallID]bool{}
		for i, st := range steps[:n] {
			if st.what == "shown" || st.what == "said" {
				if must = max(must, st.seq); i < synced-1 {
					continue
				}
			}
			if st.what == "acted" {
				acts[st.call] = true
			}
		}
		places++
		for k, data := range states {
			if err := os.WriteFile(s.path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			_ = os.Remove(s.path + ".torn")
			s.survive(t, itoa(n)+"."+itoa(k), must, acts)
			tried++
		}
	}
	t.Logf("%d crash points, %d states of the disk", places, tried)
}

// survive opens what a power loss has left, and holds it to the promises.
func (s *site) survive(t *testing.T, what string, must engine.Seq, acts map[engine.CallID]bool) {
	t.Helper()
	ran := 0
	d := s.desk(t, reader(), saver(func(engine.Call) { ran++ }))
	defer d.quit()
	one := d.mustOpen(s.rec.id)
	if code := engine.CodeOf(one.ReadOnly()); one.ReadOnly() != nil && code != engine.JournalDamaged {
		t.Fatalf("crash %s: %v", what, one.ReadOnly())
	}
	if one.ReadOnly() != nil && must == 0 { // nothing but the beginning was there
		return
	}
	events := d.past(one)
	have, started, approved := map[engine.Seq]bool{}, map[engine.CallID]int{}, 0
	for _, e := range events {
		old := int(e.Seq) <= len(s.rec.events) && encoded(t, e) == encoded(t, s.rec.events[e.Seq-1])
		have[e.Seq] = old
		if p, ok := e.Payload.(engine.ToolStarted); ok {
			started[p.Call]++
		}
	}
	for seq := engine.Seq(1); seq <= must; seq++ {
		if !have[seq] && promised(s.rec.events[seq-1].Payload) {
			t.Fatalf("crash %s: event %d (%s) was acknowledged and is lost", what, seq, s.rec.events[seq-1].Kind())
		}
	}
	for c := range acts {
		if started[c] != 1 {
			t.Fatalf("crash %s: %s has acted without an intent in the journal", what, c)
		}
	}
	for _, p := range all[engine.ApprovalRequired](events) {
		if _, err := one.Do(t.Context(), engine.Decide{Approval: p.Approval, Digest: p.Digest, Approve: true, By: tester}); err == nil {
			approved++ // the same decision again changes nothing
		}
	}
	if ran != 0 || approved > len(all[engine.ApprovalResolved](events)) {
		t.Fatalf("crash %s: %d acts ran by themselves", what, ran)
	}
}

var faults = map[string]func(what string, n int) (int, error){
	"no space": func(_ string, n int) (int, error) {
		return n / 2, &os.PathError{Op: "write", Path: "/x", Err: syscall.ENOSPC}
	},
	"I/O":   func(string, int) (int, error) { return 0, &os.PathError{Op: "write", Path: "/x", Err: syscall.EIO} },
	"short": func(_ string, n int) (int, error) { return n / 2, nil },
}

// TestFaults lets every write and every sync of a session fail, each in its own try.
func TestFaults(t *testing.T) {
	_, steps := staged(t)
	for name, fault := range faults {
		for _, what := range []string{"write", "sync"} {
			if what == "sync" && name == "short" {
				continue
			}
			count := 0
			for _, s := range steps {
				if s.what == what {
					count++
				}
			}
			for n := range count {
				seen := 0
				drive := &disk{broken: func(w string, size int) (int, error) {
					if w == what {
						if seen++; seen > n {
							return fault(w, size)
						}
					}
					return size, nil
				}}
				broken(t, name+" at "+what+" "+itoa(n+1), Options{OpenFile: drive.open})
			}
		}
	}
}

// TestFailpoints lets every step that the journal names fail, each in its own try.
func TestFailpoints(t *testing.T) {
	for _, step := range []string{"lock", "rename", "write", "sync", "syncdir"} {
		for n := range 8 {
			seen := 0
			var mu sync.Mutex
			broken(t, step+" "+itoa(n+1), Options{Fail: func(s string) error {
				mu.Lock()
				defer mu.Unlock()
				if s == step {
					if seen++; seen > n {
						return syscall.EIO
					}
				}
				return nil
			}})
		}
	}
}

// broken runs a session on a disk that fails at some time.
func broken(t *testing.T, name string, opts Options) {
	t.Helper()
	ran := 0
	d := newDesk(t, quick(t), opts, reader(), saver(func(engine.Call) { ran++ }))
	d.model.turns = []turn{call(toolCall("c1", "read", `{}`), toolCall("c2", "save", `{"n":1}`)), say("One."), say("Two.")}
	s := d.mustOpen("")
	events, err := d.converse(s, "first")
	var ends []engine.RunFailed
	if err == nil {
		ends = all[engine.RunFailed](events)
		if len(ends) == 0 {
			if events, err = d.converse(s, "second"); err == nil {
				ends = all[engine.RunFailed](events)
			}
		}
	}
	switch {
	case err != nil && engine.CodeOf(err) != engine.JournalFailed:
		t.Fatalf("%s: %v", name, err)
	case err == nil && len(ends) == 0:
		d.quit() // it was the closing that failed
		return
	case err == nil && ends[0].Code != engine.JournalFailed:
		t.Fatalf("%s: the run ends with %+v", name, ends[0])
	}
	shown := d.past(s)
	if r, err := s.Do(t.Context(), engine.Send{Text: "and now?", By: tester}); engine.CodeOf(err) != engine.JournalFailed || r.Seq != 0 {
		t.Fatalf("%s: afterwards a message is answered by %+v, %v", name, r, err)
	}
	d.quit()
	leftBehind(t, name, d, s.ID(), shown)
}

// leftBehind holds the file to opening well once the disk is, and to hold what was shown as saved.
func leftBehind(t *testing.T, name string, d *desk, id engine.SessionID, shown []engine.Event) {
	t.Helper()
	st, err := Open(rootOf(d), Options{})
	if err != nil {
		t.Fatal(err)
	}
	j, err := st.Open(t.Context(), id)
	if code := engine.CodeOf(err); err != nil && code != engine.JournalDamaged && code != engine.SessionNotFound {
		t.Fatalf("%s: afterwards: %v", name, err)
	}
	saved := map[engine.EventID]bool{}
	if j != nil {
		defer j.Close()
		if err == nil && j.TornBytes() != 0 { // half a line was cut off again at once
			t.Errorf("%s: the journal is torn by %d bytes", name, j.TornBytes())
		}
		for _, e := range replay(t, j, 0) {
			saved[e.ID] = true
		}
	}
	if err != nil && len(saved) > 0 {
		t.Fatalf("%s: afterwards: %v, with %d events", name, err, len(saved))
	}
	failed := false // what comes after the failure is told from memory
	for _, e := range shown {
		if p, ok := e.Payload.(engine.RunFailed); ok && p.Code == engine.JournalFailed {
			failed = true
		}
		if r, ok := e.Payload.(engine.ApprovalResolved); ok && r.Status == engine.Cancelled {
			failed = true // the first of the events that end the run from memory
		}
		if !failed && promised(e.Payload) && !saved[e.ID] {
			t.Fatalf("%s: %s %d was shown as saved and is not", name, e.Kind(), e.Seq)
		}
	}
}

func rootOf(d *desk) string { return filepath.Dir(d.store.dir) }
