package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"agentstudio/engine"
)

func TestAHundredDecidersAndOneResolution(t *testing.T) {
	save := saver()
	b := open(t, with(save), call(toolCall("c1", "save", `{}`)), say("ok"))
	run := b.send("go")
	asked := find[engine.ApprovalRequired](t, b.untilKind("approval.required"))
	type said struct {
		approve bool
		receipt engine.Receipt
		err     error
	}
	answers := make([]said, 100)
	var group sync.WaitGroup
	gun := make(chan struct{})
	for i := range answers {
		group.Go(func() {
			<-gun
			a := &answers[i]
			a.approve = i%2 == 0
			a.receipt, a.err = b.s.Do(context.Background(), engine.Decide{Approval: asked.Approval, Digest: asked.Digest,
				Approve: a.approve, By: engine.Actor{Screen: "mirror", Name: fmt.Sprint(i)}})
		})
	}
	close(gun)
	group.Wait()
	events := b.untilEnd(run)
	resolved := all[engine.ApprovalResolved](events)
	if len(resolved) != 1 {
		t.Fatalf("%d resolutions", len(resolved))
	}
	won := resolved[0].Status == engine.Approved
	first := 0
	for i, a := range answers {
		switch {
		case a.approve == won && a.err != nil:
			t.Errorf("%d agreed with the winner and was told %v", i, a.err)
		case a.approve == won && !a.receipt.AlreadyResolved:
			first++
			if resolved[0].By.Name != fmt.Sprint(i) {
				t.Errorf("%d was told it was first, the log says %s", i, resolved[0].By.Name)
			}
		case a.approve != won && !errors.Is(a.err, engine.ApprovalAlreadyResolved):
			t.Errorf("%d disagreed and was told %v", i, a.err)
		case a.approve != won && engine.DetailsOf(a.err)["by"] != resolved[0].By.Name:
			t.Errorf("%d was told the winner was %v", i, engine.DetailsOf(a.err)["by"])
		}
		if a.receipt.Resolution == nil || a.receipt.Resolution.By != resolved[0].By {
			t.Errorf("%d got the receipt %+v", i, a.receipt)
		}
	}
	if first != 1 {
		t.Errorf("%d were told they were first", first)
	}
	if ran := int(save.ran.Load()); ran != map[bool]int{true: 1, false: 0}[won] {
		t.Errorf("the tool ran %d times after %s", ran, resolved[0].Status)
	}
}

// Cancelling, deciding and expiring at once, whatever comes first: one resolution, one end of the
// call, one end of the run, and the tool runs only when the resolution says approved.
func TestCancelAgainstDecideAgainstExpiry(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	chance := rand.New(rand.NewPCG(seed, 0))
	for range 60 {
		clock := newHandClock()
		save := saver()
		cfg := with(save)
		cfg.Clock, cfg.ApprovalExpiry = clock, time.Second
		b := open(t, cfg, call(toolCall("c1", "save", `{}`)), say("ok"))
		run := b.send("go")
		asked := find[engine.ApprovalRequired](t, b.untilKind("approval.required"))
		acts := []func(){
			func() { _, _ = b.s.Do(context.Background(), engine.Cancel{By: tester}) },
			func() { clock.advance(time.Second) },
			func() {
				_, _ = b.s.Do(context.Background(), engine.Decide{Approval: asked.Approval, Digest: asked.Digest, Approve: true, By: tester})
			},
		}
		chance.Shuffle(len(acts), func(i, k int) { acts[i], acts[k] = acts[k], acts[i] })
		var group sync.WaitGroup
		for _, act := range acts {
			group.Go(act)
		}
		events := b.untilEnd(run)
		group.Wait()
		resolved := all[engine.ApprovalResolved](events)
		ends := len(all[engine.ToolDenied](events)) + len(all[engine.ToolFailed](events)) + len(all[engine.ToolCompleted](events))
		if len(resolved) != 1 || ends != 1 {
			t.Fatalf("%d resolutions, %d ends of the call: %v", len(resolved), ends, kindsOf(events))
		}
		if ran := save.ran.Load() == 1; ran && resolved[0].Status != engine.Approved {
			t.Fatalf("it ran although %s", resolved[0].Status)
		}
		_ = b.engine.Close()
	}
}

func TestWhoeverSawTheEndMaySendAtOnce(t *testing.T) {
	b := open(t, engine.Config{}, say("ok"))
	const senders, rounds = 4, 50
	var sent, busy atomic.Int64
	var group sync.WaitGroup
	var turn atomic.Int64 // whose turn it is to send; one at a time, each on seeing the last end
	for n := range senders {
		group.Go(func() {
			ends := int64(0)
			for batch, err := range b.s.Follow(b.t.Context(), 0) {
				if err != nil {
					t.Error(err)
					return
				}
				for _, e := range batch {
					if !engine.Terminal(e.Payload) {
						continue
					}
					ends++
					if ends == rounds {
						return
					}
					if ends%senders == int64(n) && turn.CompareAndSwap(ends-1, ends) {
						if _, err := b.s.Do(context.Background(), engine.Send{Text: "next", By: tester}); errors.Is(err, engine.SessionBusy) {
							busy.Add(1)
						} else if err != nil {
							t.Error(err)
						}
						sent.Add(1)
					}
				}
			}
		})
	}
	b.send("first")
	group.Wait()
	if busy.Load() != 0 || sent.Load() != rounds-1 {
		t.Fatalf("%d of %d senders were told the session is busy", busy.Load(), sent.Load())
	}
}

// A call is caused by the answer that asked for it, whatever else is appended at the same moment.
func TestCausesHoldWhileOthersAppend(t *testing.T) {
	many := make([]turn, 0, 60)
	for range 59 {
		many = append(many, call(toolCall("", "read", `{}`), toolCall("", "read", `{"n":1}`)))
	}
	cfg := with(reader())
	cfg.Budget = engine.Budget{MaxTurns: 100}
	b := open(t, cfg, append(many, say("ok"))...)
	stop := make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		for n := 0; ; n++ {
			select {
			case <-stop:
				return
			default:
				_, _ = b.s.Do(context.Background(), engine.Rename{Title: fmt.Sprint("t", n), By: tester})
			}
		}
	})
	events := b.untilEnd(b.send("go"))
	close(stop)
	group.Wait()
	calls := 0
	for _, e := range events {
		if e.Kind() == "tool.requested" {
			calls++
			if kindAt(events, e.Cause) != "assistant.completed" {
				t.Fatalf("tool.requested %d is caused by %s", e.Seq, kindAt(events, e.Cause))
			}
		}
	}
	if calls != 118 {
		t.Fatalf("%d calls", calls)
	}
}

func TestFollowersSeeEverythingHoweverSlow(t *testing.T) {
	text := make([]turn, 0)
	text = append(text, func(_ context.Context, _ engine.Request, yield func(engine.Chunk) bool) error {
		for i := range 5000 {
			if !yield(engine.Text(fmt.Sprintf("%063d\n", i))) {
				return nil
			}
		}
		yield(engine.Stop{Reason: engine.StopEnd})
		return nil
	})
	b := open(t, engine.Config{Clock: &stepClock{now: time.Unix(0, 0)}}, text...)
	run := b.send("go")
	whole := b.untilEnd(run)
	if len(whole) < 5000 {
		t.Fatalf("only %d events", len(whole))
	}
	// Late ones, from any place, including far beyond what memory holds.
	for _, after := range []engine.Seq{0, 1, 7, 999, 2500, whole[len(whole)-1].Seq - 1} {
		ctx, cancel := context.WithCancel(t.Context())
		next := after + 1
		for batch, err := range b.s.Follow(ctx, after) {
			if err != nil || len(batch) == 0 {
				t.Fatalf("after %d: %v, a batch of %d", after, err, len(batch))
			}
			for _, e := range batch {
				if e.Seq != next || e.ID != whole[e.Seq-1].ID {
					t.Fatalf("after %d: got %d, want %d", after, e.Seq, next)
				}
				next++
			}
			if next > whole[len(whole)-1].Seq {
				break
			}
		}
		cancel()
	}
}

func TestFollowEndsWhenTheSessionIsClosed(t *testing.T) {
	b := open(t, engine.Config{}, say("ok"))
	b.untilEnd(b.send("go"))
	done := make(chan engine.Seq)
	go func() {
		last := engine.Seq(0)
		for batch := range b.s.Follow(context.Background(), 0) {
			last = batch[len(batch)-1].Seq
		}
		done <- last
	}()
	_ = b.s.Close()
	_ = b.s.Close()
	events := 0
	for batch := range b.s.Follow(context.Background(), 0) {
		events += len(batch)
	}
	if last := <-done; int(last) != events {
		t.Fatalf("the follower ended at %d of %d", last, events)
	}
}

// Whoever approves after a cancel was taken comes too late, though the run has not heard of it yet.
func TestAnApprovalAfterACancelCountsForNothing(t *testing.T) {
	for range 100 {
		save := saver()
		b := open(t, with(save), call(toolCall("c1", "save", `{}`)), say("ok"))
		run := b.send("go")
		asked := find[engine.ApprovalRequired](t, b.untilKind("approval.required"))
		if _, err := b.s.Do(t.Context(), engine.Cancel{By: tester}); err != nil {
			t.Fatal(err)
		}
		r, err := b.s.Do(t.Context(), engine.Decide{Approval: asked.Approval, Digest: asked.Digest, Approve: true, By: engine.Actor{Screen: "mirror", Name: "late"}})
		if engine.CodeOf(err) != engine.ApprovalCancelled || r.Resolution == nil || r.Resolution.By != tester {
			t.Fatalf("the approval got %v, %+v", err, r)
		}
		events := b.untilEnd(run)
		if got := find[engine.ApprovalResolved](t, events); got.Status != engine.Cancelled || got.By != tester {
			t.Fatalf("the log has %+v", got)
		}
		if started := all[engine.ToolStarted](events); len(started) != 0 {
			t.Fatalf("the tool was started: %v", kindsOf(events))
		}
	}
}
