package journal

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"agentstudio/engine"
)

var killRounds = flag.Int("kill.rounds", 0, "how often TestKill kills a writing process (0: 200 with CI=true, else 25)")

// childKill runs scripted sessions in a loop and acknowledges on its output what it was promised:
// "S seq" a receipt, "F seq crc" an event that a follower has been shown. Acts go to a file. It can
// be told a step of the journal at which to kill itself, and at which time.
func childKill(args []string) int {
	step, at := "", 0
	if len(args) > 3 {
		_, _ = fmt.Sscanf(args[3], "%d:%s", &at, &step)
	}
	var steps atomic.Int64
	e, id := killEngine(args[0], args[1], func(s string) error {
		if s == step && int(steps.Add(1)) == at {
			p, _ := os.FindProcess(os.Getpid())
			_ = p.Kill()
			select {}
		}
		return nil
	}), engine.SessionID(args[2])
	if id == "-" {
		id = ""
	}
	s, err := e.Open(context.Background(), id)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println("I", s.ID())
	var say sync.Mutex
	tell := func(format string, a ...any) {
		say.Lock()
		defer say.Unlock()
		fmt.Printf(format, a...) // one write(2) each
	}
	idle := make(chan struct{}, 1)
	go func() {
		for {
			r, err := s.Do(context.Background(), engine.Send{Text: "do it", By: tester})
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			tell("S %d\n", r.Seq)
			<-idle
		}
	}()
	mine := fmt.Sprintf("_%dK", os.Getpid())
	for batch := range s.Follow(context.Background(), 0) {
		for _, ev := range batch {
			if !strings.Contains(string(ev.ID), mine) {
				continue // of a process before this one
			}
			b, _ := ev.AppendJSON(nil)
			tell("F %d %08x\n", ev.Seq, crc32.ChecksumIEEE(b))
			if p, ok := ev.Payload.(engine.ApprovalRequired); ok {
				if r, err := s.Do(context.Background(), engine.Decide{Approval: p.Approval, Digest: p.Digest, Approve: true, By: tester}); err == nil {
					tell("S %d\n", r.Seq)
				}
			}
			if _, ok := ev.Payload.(engine.RunCompleted); ok {
				idle <- struct{}{}
			}
		}
	}
	return 0
}

func killEngine(root, acts string, fail func(string) error) *engine.Engine {
	st, err := Open(root, Options{Fail: fail})
	if err != nil {
		panic(err)
	}
	f, err := os.OpenFile(acts, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		panic(err)
	}
	var n int
	var mu sync.Mutex
	ids := func(prefix string) string {
		mu.Lock()
		defer mu.Unlock()
		n++
		return fmt.Sprintf("%s_%dK%d", prefix, os.Getpid(), n)
	}
	var turns []turn
	for i := range 500 {
		args := fmt.Sprintf(`{"n":"%d-%d"}`, os.Getpid(), i)
		turns = append(turns, call(toolCall("", "read", `{}`), toolCall("", "save", args)), say(strings.Repeat("Some words. ", 40)))
	}
	act := saver(func(c engine.Call) { _, _ = f.WriteString(string(c.ID) + "\n") })
	return engine.New(engine.Config{Store: st, Model: &script{turns: turns}, Clock: newClock(), NewID: ids, Version: "test",
		Tools: func(engine.Env) []engine.Tool { return []engine.Tool{reader(), act} }})
}

// acknowledged is what a child was heard to say before it died.
type acknowledged struct {
	receipts []engine.Seq
	shown    map[engine.Seq]string
}

func TestKill(t *testing.T) {
	rounds := *killRounds
	switch {
	case rounds > 0:
	case os.Getenv("CI") == "true":
		rounds = 200
	case testing.Short():
		rounds = 5
	default:
		rounds = 25
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d, %d rounds", seed, rounds)
	dice := rand.New(rand.NewPCG(seed, 0))
	root := quick(t)
	acts := filepath.Join(root, "acts")
	id, torn, events := "-", 0, 0
	for round := range rounds {
		if round%10 == 0 { // else the session goes on that was killed before
			id = "-"
			_ = os.Remove(acts)
		}
		c := spawn(t, "kill", root, acts, id)
		id = strings.TrimPrefix(c.hear(), "I ")
		ack := acknowledged{shown: map[engine.Seq]string{}}
		for range dice.IntN(200) {
			ack.take(t, c.hear())
		}
		for range dice.IntN(2_000_000) { // a moment that is not the one after an acknowledgement
		}
		_ = c.cmd.Process.Kill()
		ack.rest(t, c.out)
		_ = c.cmd.Wait()
		n, cut := ack.compare(t, round, root, acts, engine.SessionID(id))
		events += n
		if cut {
			torn++
		}
		if t.Failed() {
			t.FailNow()
		}
		if n == 0 {
			id = "-" // killed before its first message: there is nothing to go on with
			_ = os.Remove(acts)
		}
	}
	t.Logf("%d events acknowledged in all, %d journals torn", events, torn)
}

// TestKillAtFailpoints lets a writing process kill itself at every step that the journal names.
func TestKillAtFailpoints(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	round := 0
	for _, step := range []string{"lock", "rename", "syncdir", "write", "sync"} {
		times := 10
		if step == "lock" || step == "rename" || step == "syncdir" {
			times = 1 // a new session has one of them
		}
		for at := 1; at <= times; at++ {
			root := quick(t)
			acts := filepath.Join(root, "acts")
			c := spawn(t, "kill", root, acts, "-", fmt.Sprintf("%d:%s", at, step))
			id := strings.TrimPrefix(c.hear(), "I ")
			ack := acknowledged{shown: map[engine.Seq]string{}}
			ack.rest(t, c.out)
			_ = c.cmd.Wait()
			ack.compare(t, round, root, acts, engine.SessionID(id))
			if t.Failed() {
				t.Fatalf("killed at %s %d", step, at)
			}
			round++
		}
	}
}

func (a *acknowledged) take(t *testing.T, line string) {
	t.Helper()
	var seq engine.Seq
	var sum string
	if n, _ := fmt.Sscanf(line, "F %d %s", &seq, &sum); n == 2 {
		a.shown[seq] = sum
	} else if n, _ := fmt.Sscanf(line, "S %d", &seq); n == 1 {
		a.receipts = append(a.receipts, seq)
	} else {
		t.Fatalf("the child said %q", line)
	}
}

// rest takes what was still in the pipe; the last line may be a piece.
func (a *acknowledged) rest(t *testing.T, r *bufio.Reader) {
	t.Helper()
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			if err != io.EOF {
				t.Fatal(err)
			}
			return
		}
		a.take(t, strings.TrimSuffix(line, "\n"))
	}
}

// compare holds what is on the disk against what the dead child had acknowledged.
func (a *acknowledged) compare(t *testing.T, round int, root, acts string, id engine.SessionID) (int, bool) {
	t.Helper()
	d := newDesk(t, root, Options{}, reader(), saver(nil))
	defer d.quit()
	if _, err := os.Stat(filepath.Join(d.store.dir, string(id), eventsName)); err != nil {
		if len(a.receipts) > 0 {
			t.Errorf("round %d: a message was accepted, and there is no journal", round)
		}
		return 0, false
	}
	r, err := d.store.Verify(id)
	if err != nil || !r.OK && r.Events > 0 {
		t.Errorf("round %d: verify: %+v, %v", round, r, err)
		return 0, false
	}
	if r.Events == 0 {
		if len(a.receipts) > 0 {
			t.Errorf("round %d: a message was accepted, and the journal is empty", round)
		}
		return 0, false
	}
	d.ids = func(prefix string) string { return fmt.Sprintf("%s_X%dX%s", prefix, round, counterOf(d)) }
	s := d.mustOpen(id)
	if s.ReadOnly() != nil {
		t.Errorf("round %d: after reopening: %v", round, s.ReadOnly())
	}
	j, err := d.store.ReadOnly(id)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	return a.read(t, round, replay(t, j, 0), acts), r.TornBytes > 0
}

// read holds the events of a reopened session against what was acknowledged and done.
func (a *acknowledged) read(t *testing.T, round int, events []engine.Event, acts string) (found int) {
	t.Helper()
	open, started := map[engine.RunID]bool{}, map[engine.CallID]int{}
	for _, e := range events {
		if want, ok := a.shown[e.Seq]; ok {
			found++
			if got := fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(encoded(t, e)))); got != want {
				t.Errorf("round %d: event %d was shown as another one", round, e.Seq)
			}
			delete(a.shown, e.Seq)
		}
		switch p := e.Payload.(type) {
		case engine.RunStarted:
			open[e.Run] = true
		case engine.RunCompleted, engine.RunFailed, engine.RunCancelledEvent:
			delete(open, e.Run)
		case engine.ToolStarted:
			started[p.Call]++
		}
	}
	for _, seq := range a.receipts {
		if int(seq) > len(events) {
			t.Errorf("round %d: event %d was acknowledged, the journal ends at %d", round, seq, len(events))
		}
	}
	// With no message accepted yet, what was shown is only kept in memory.
	if len(a.shown) > 0 && len(a.receipts) > 0 {
		t.Errorf("round %d: %d events were shown and are lost", round, len(a.shown))
	}
	if len(open) > 0 {
		t.Errorf("round %d: after reopening %d runs are open", round, len(open))
	}
	done, _ := os.ReadFile(acts)
	for _, c := range strings.Fields(string(done)) {
		if n := started[engine.CallID(c)]; n != 1 {
			t.Errorf("round %d: %s has acted, with %d intents in the journal", round, c, n)
		}
	}
	return found
}
