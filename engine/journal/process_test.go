package journal

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"agentstudio/engine"
)

// child is another process of this program.
type child struct {
	t   testing.TB
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func spawn(t testing.TB, role string, args ...string) *child {
	t.Helper()
	c := &child{t: t, cmd: exec.Command(os.Args[0], args...)}
	c.cmd.Env = append(os.Environ(), roleVariable+"="+role)
	c.cmd.Stderr = os.Stderr
	in, err := c.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.in, c.out = in, bufio.NewReader(out)
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return c
}

// tell sends a line and gives the answer.
func (c *child) tell(line string) string {
	c.t.Helper()
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		c.t.Fatal(err)
	}
	return c.hear()
}

func (c *child) hear() string {
	c.t.Helper()
	line, err := c.out.ReadString('\n')
	if err != nil {
		c.t.Fatalf("the child process said %q and then nothing: %v", line, err)
	}
	return strings.TrimSuffix(line, "\n")
}

// kill ends the child as a power cut would for it alone.
func (c *child) kill() {
	_ = c.cmd.Process.Kill()
	_, _ = io.Copy(io.Discard, c.out)
	_ = c.cmd.Wait()
}

func childEngine(root string) (*engine.Engine, *Store, error) {
	st, err := Open(root, Options{})
	if err != nil {
		return nil, nil, err
	}
	n := 0
	var mu sync.Mutex
	ids := func(prefix string) string { // unique among processes
		mu.Lock()
		defer mu.Unlock()
		n++
		return fmt.Sprintf("%s_%dP%d", prefix, os.Getpid(), n)
	}
	return engine.New(engine.Config{Store: st, Model: &script{turns: []turn{say("Yes.")}}, Clock: newClock(), NewID: ids, Version: "test"}), st, nil
}

// childHold opens a session and sends a message a line of its input.
func childHold(args []string) int {
	e, _, err := childEngine(args[0])
	if err != nil {
		fmt.Println(err)
		return 1
	}
	defer e.Close()
	id := engine.SessionID("")
	if len(args) > 1 {
		id = engine.SessionID(args[1])
	}
	s, err := e.Open(context.Background(), id)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		_, err := s.Do(context.Background(), engine.Send{Text: in.Text(), By: tester})
		fmt.Println(s.ID(), os.Getpid(), engine.CodeOf(err))
	}
	return 0
}

// childStart opens a session whenever it is told to, says whether for writing, and closes it with
// the next line.
func childStart(args []string) int {
	st, err := Open(args[0], Options{})
	if err != nil {
		return 1
	}
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		j, err := st.Open(context.Background(), engine.SessionID(args[1]))
		if err != nil {
			fmt.Println(engine.CodeOf(err))
		} else {
			fmt.Println("writer")
		}
		if in.Scan() {
			_ = j.Close()
			fmt.Println("closed")
		}
	}
	return 0
}

// childWrite writes lines to a journal as told: "half N" the first half of line N, "rest N" the
// other one, "line N" all of it.
func childWrite(args []string) int {
	f, err := os.OpenFile(args[0], os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return 1
	}
	defer f.Close()
	data, err := os.ReadFile(args[1])
	if err != nil {
		return 1
	}
	lines := bytesLines(data)
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		what, number, _ := strings.Cut(in.Text(), " ")
		n, _ := strconv.Atoi(number)
		line := lines[n-1]
		switch what {
		case "half":
			line = line[:len(line)/2]
		case "rest":
			line = line[len(line)/2:]
		}
		_, err := f.Write(line)
		fmt.Println(err)
	}
	return 0
}

// settled waits until a run of another process has ended, reading its journal.
func settled(t *testing.T, st *Store, id engine.SessionID, runs int) []engine.Event {
	t.Helper()
	j, err := st.ReadOnly(id)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	for until := time.Now().Add(time.Minute); time.Now().Before(until); {
		if events := replay(t, j, 0); len(all[engine.RunCompleted](events)) == runs {
			return events
		}
	}
	t.Fatal("the other process never ended its run")
	return nil
}

func TestTwoProcesses(t *testing.T) {
	root := t.TempDir()
	a := spawn(t, "hold", root)
	defer a.kill()
	said := strings.Fields(a.tell("first"))
	id, pid := engine.SessionID(said[0]), said[1]
	d := newDesk(t, root, Options{}, reader())
	before := settled(t, d.store, id, 1)

	s := d.mustOpen(id)
	only := s.ReadOnly()
	if engine.CodeOf(only) != engine.SessionLocked || !strings.Contains(engine.MessageOf(only), "process "+pid+" since 20") {
		t.Fatalf("the second program is told: %v", only)
	}
	if since, ok := engine.DetailsOf(only)["since"].(string); !ok || since == "" {
		t.Errorf("since when is not told: %v", engine.DetailsOf(only))
	}
	path := filepath.Join(d.store.dir, string(id), eventsName)
	was, _ := os.ReadFile(path)
	if _, err := s.Do(t.Context(), engine.Send{Text: "hello?", By: tester}); engine.CodeOf(err) != engine.SessionReadOnly {
		t.Fatalf("sending to a session of another program: %v", err)
	}
	if now := d.past(s); len(now) < len(before) {
		t.Errorf("the second program shows %d events, the first one has %d", len(now), len(before))
	}
	d.quit()
	if now, _ := os.ReadFile(path); string(now) != string(was) {
		t.Error("the second program has written")
	}
	a.tell("second")
	settled(t, d.store, id, 2)
	if l, err := d.store.List(t.Context()); err != nil || len(l) != 1 || l[0].State != "locked" || !strings.Contains(l[0].Reason, pid) {
		t.Errorf("the list says %+v, %v", l, err)
	}

	a.kill()
	s = d.mustOpen(id)
	if s.ReadOnly() != nil {
		t.Fatalf("the first program is dead, but: %v", s.ReadOnly())
	}
	d.talk(s, "third")
	if _, err := d.store.Open(t.Context(), id); engine.CodeOf(err) != engine.SessionLocked || !strings.Contains(engine.MessageOf(err), "this program") {
		t.Errorf("opened twice in one program: %v", err)
	}
	d.quit()
	if r, err := d.store.Verify(id); err != nil || !r.OK || r.TornBytes != 0 || len(r.Notes) > 0 || int(r.LastSequence) != r.Events {
		t.Errorf("after all this the journal is %+v, %v", r, err)
	}
}

// TestHundredStarts lets processes open one session at the same moment, a hundred times, and then a
// hundred goroutines of one.
func TestHundredStarts(t *testing.T) {
	const rounds, programs = 100, 3
	rec := short(t)
	s := newSite(t, rec)
	s.open(rec.data, "whole")
	var group [programs]*child
	for i := range group {
		group[i] = spawn(t, "start", filepath.Dir(s.store.dir), string(rec.id))
		defer group[i].kill()
	}
	for round := range rounds {
		for _, c := range group {
			_, _ = io.WriteString(c.in, "open\n")
		}
		writers := 0
		for _, c := range group {
			switch got := c.hear(); got {
			case "writer":
				writers++
			case string(engine.SessionLocked):
			default:
				t.Errorf("round %d: %s", round, got)
			}
		}
		for _, c := range group {
			c.tell("close")
		}
		if writers != 1 {
			t.Fatalf("round %d: %d writers", round, writers)
		}
	}
	var writers atomic.Int32
	var open, done sync.WaitGroup
	open.Add(100)
	for range 100 {
		done.Go(func() {
			j, err := s.store.Open(t.Context(), rec.id)
			if err == nil {
				writers.Add(1)
			}
			open.Done()
			open.Wait() // nobody lets go before all have tried
			_ = j.Close()
		})
	}
	done.Wait()
	if writers.Load() != 1 {
		t.Errorf("%d writers in one program", writers.Load())
	}
}

func TestStaleLockFile(t *testing.T) {
	s := newSite(t, short(t))
	for _, name := range []string{lockName, holderName} {
		if err := os.WriteFile(filepath.Join(s.dir, name), []byte(`{"pid":1,"since":"2020-01-01T00:00:00Z"}`), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s.open(s.rec.data, "with a stale lock file")
}

func TestNoLocks(t *testing.T) {
	rec := short(t)
	s := newSite(t, rec)
	s.open(rec.data, "whole")
	st, err := Open(filepath.Dir(s.store.dir), Options{Fail: func(step string) error {
		if step == "lock" {
			return os.NewSyscallError("flock", fmt.Errorf("no locks available"))
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	j, err := st.Open(t.Context(), rec.id)
	if engine.CodeOf(err) != engine.SessionLocked || !strings.Contains(engine.MessageOf(err), "gives no locks (no locks available)") {
		t.Fatalf("open: %v", err)
	}
	if got := replay(t, j, 0); len(got) != len(rec.events) {
		t.Errorf("%d of %d events are shown", len(got), len(rec.events))
	}
	d := newDesk(t, t.TempDir(), st.opts)
	if _, err := d.converse(d.mustOpen(""), "hello"); engine.CodeOf(err) != engine.JournalFailed || !strings.Contains(engine.MessageOf(err), "--state") {
		t.Errorf("the first message of a session where there are no locks: %v", err)
	}
}

// TestListing holds the list to disturbing nobody: it looks at locks, and writers start meanwhile.
func TestListing(t *testing.T) {
	rec := short(t)
	s := newSite(t, rec)
	s.open(rec.data, "whole")
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
				_, _ = s.store.List(t.Context())
			}
		}
	}()
	for range 200 {
		j, err := s.store.Open(t.Context(), rec.id)
		if err != nil {
			t.Error(err)
			break
		}
		_ = j.Close()
	}
	close(stop)
	<-done
}

// TestFollowAnotherProcess reads a journal while another process writes it in halves of lines.
func TestFollowAnotherProcess(t *testing.T) {
	rec := demo(t)
	s := newSite(t, rec)
	held, err := s.store.lock(s.dir) // stands for the other process's lock
	if err != nil {
		t.Fatal(err)
	}
	defer held()
	const begin = 10
	if err := os.WriteFile(s.path, []byte(joined(rec.lines[:begin])), 0o600); err != nil {
		t.Fatal(err)
	}
	whole := filepath.Join(t.TempDir(), "whole")
	if err := os.WriteFile(whole, rec.data, 0o600); err != nil {
		t.Fatal(err)
	}
	w := spawn(t, "write", s.path, whole)
	defer w.kill()
	j, err := s.store.Open(t.Context(), rec.id)
	if engine.CodeOf(err) != engine.SessionLocked {
		t.Fatal(err)
	}
	after := engine.Seq(0)
	see := func(want int) {
		t.Helper()
		for _, e := range replay(t, j, after) {
			if after++; e.Seq != after || encoded(t, e) != encoded(t, rec.events[after-1]) {
				t.Fatalf("event %d where %d belongs", e.Seq, after)
			}
		}
		if int(after) != want {
			t.Fatalf("%d events are seen, %d are there", after, want)
		}
	}
	see(begin)
	for n := begin + 1; n <= len(rec.lines); n++ {
		w.tell("half " + itoa(n))
		see(n - 1)
		w.tell("rest " + itoa(n))
		see(n)
	}
	if got := replay(t, j, 0); len(got) != len(rec.events) {
		t.Errorf("read anew there are %d events of %d", len(got), len(rec.events))
	}
	for after := range engine.Seq(len(rec.events)) {
		if got := replay(t, j, after); len(got) != len(rec.events)-int(after) || got[0].Seq != after+1 {
			t.Fatalf("after %d there are %d events", after, len(got))
		}
	}
	if err := j.Append(rec.events[:1]); engine.CodeOf(err) != engine.SessionReadOnly {
		t.Errorf("append to a session of another process: %v", err)
	}
}

func joined(lines [][]byte) string {
	var b strings.Builder
	for _, l := range lines {
		b.Write(l)
	}
	return b.String()
}
