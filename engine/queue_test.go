package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"agentstudio/engine"
)

func users(r engine.Request) (texts []string) {
	for _, m := range r.Messages {
		if m.Role == engine.RoleUser {
			texts = append(texts, m.Text)
		}
	}
	return texts
}

func TestSteeringComesAfterTheCallsAndAFollowUpWhenTheRunWouldStop(t *testing.T) {
	inTool, goOn := make(chan struct{}), make(chan struct{})
	read := reader()
	read.run = func(context.Context, engine.Call) (engine.Result, error) {
		close(inTool)
		<-goOn
		return engine.Result{Content: "x"}, nil
	}
	b := open(t, with(read), call(toolCall("c1", "read", `{}`)), say("second"), say("third"))
	run := b.send("prompt")
	<-inTool
	for _, c := range []engine.Command{engine.FollowUp{Text: "later", By: tester}, engine.Steer{Text: "sooner", By: tester}} {
		r, err := b.s.Do(t.Context(), c)
		if err != nil || r.Run != run || r.Message == "" {
			t.Fatalf("%+v %v", r, err)
		}
	}
	close(goOn)
	events := b.untilEnd(run)
	find[engine.RunCompleted](t, events)
	seen := b.model.requests()
	if len(seen) != 3 || !slices.Equal(users(seen[1]), []string{"prompt", "sooner"}) || !slices.Equal(users(seen[2]), []string{"prompt", "sooner", "later"}) {
		for _, r := range seen {
			t.Log(users(r))
		}
		t.Fatal("delivered at other places")
	}
	for _, e := range events {
		if _, ok := e.Payload.(engine.UserDelivered); ok && kindAt(events, e.Cause) != "user.message" {
			t.Fatalf("a delivery is caused by %s", kindAt(events, e.Cause))
		}
	}
}

func TestOnAnIdleSessionBothAreASend(t *testing.T) {
	b := open(t, engine.Config{}, say("ok"))
	for _, c := range []engine.Command{engine.FollowUp{Text: "a", By: tester}, engine.Steer{Text: "b", By: tester}} {
		r, err := b.s.Do(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		events := b.untilEnd(r.Run)
		if m := all[engine.UserMessage](events); m[len(m)-1].Delivery != "prompt" {
			t.Fatalf("delivered as %s", m[len(m)-1].Delivery)
		}
	}
}

func TestQueuedMessagesComeBackWhenTheRunDoesNotComplete(t *testing.T) {
	hang := func(ctx context.Context, _ engine.Request, yield func(engine.Chunk) bool) error {
		yield(engine.Text("thinking"))
		<-ctx.Done()
		return ctx.Err()
	}
	b := open(t, engine.Config{}, hang, say("ok"))
	run := b.send("prompt")
	b.untilKind("assistant.started")
	var kept engine.MessageID
	for i, text := range []string{"one", "two", "three"} {
		r, err := b.s.Do(t.Context(), engine.FollowUp{Text: text, By: tester})
		if err != nil {
			t.Fatal(err)
		}
		if i == 1 {
			kept = r.Message
		}
	}
	if _, err := b.s.Do(t.Context(), engine.Withdraw{Message: kept, By: tester}); err != nil {
		t.Fatal(err)
	}
	_, err := b.s.Do(t.Context(), engine.Withdraw{Message: kept, By: tester})
	wantCode(t, err, engine.NotQueued)
	if _, err := b.s.Do(t.Context(), engine.Cancel{By: tester}); err != nil {
		t.Fatal(err)
	}
	events := b.untilEnd(run)
	var reasons []string
	for _, w := range all[engine.UserWithdrawn](events) {
		reasons = append(reasons, w.Reason)
	}
	if !slices.Equal(reasons, []string{"person", "runEnded", "runEnded"}) || events[len(events)-1].Kind() != "run.cancelled" {
		t.Fatalf("withdrawn for %v, last %s", reasons, events[len(events)-1].Kind())
	}
	b.untilEnd(b.send("next"))
	last := b.model.requests()
	if got := users(last[len(last)-1]); got[0] != "prompt" || got[len(got)-1] != "next" || slices.Contains(got, "one") {
		t.Fatalf("the model was told %v", got)
	}
}

// Whatever the order of sending, steering, withdrawing and cancelling: each accepted message is
// delivered once or withdrawn once, and the model sees exactly the delivered ones.
func TestNothingIsLostAndNothingTwiceInAnyOrder(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	for round := range 40 {
		round := uint64(round)
		read := reader()
		turns := []turn{call(toolCall("", "read", `{}`)), say("a"), call(toolCall("", "read", `{"n":1}`)), say("b"), say("c")}
		b := open(t, with(read), turns...)
		first, err := b.s.Do(t.Context(), engine.Send{Text: "first", By: tester})
		if err != nil {
			t.Fatal(err)
		}
		accepted := map[engine.MessageID]string{first.Message: "first"}
		var mu sync.Mutex
		var group sync.WaitGroup
		for who := range 3 {
			group.Go(func() {
				chance := rand.New(rand.NewPCG(seed+round, uint64(who)))
				for n := range 4 {
					text := fmt.Sprintf("%d-%d", who, n)
					var c engine.Command = engine.FollowUp{Text: text, By: tester}
					if chance.IntN(2) == 0 {
						c = engine.Steer{Text: text, By: tester}
					}
					r, err := b.s.Do(context.Background(), c)
					if err != nil {
						t.Error(err)
						return
					}
					mu.Lock()
					accepted[r.Message] = text
					mu.Unlock()
					switch chance.IntN(4) {
					case 0:
						if _, err := b.s.Do(context.Background(), engine.Withdraw{Message: r.Message, By: tester}); err != nil && !errors.Is(err, engine.NotQueued) {
							t.Error(err)
						}
					case 1:
						if chance.IntN(3) == 0 {
							_, _ = b.s.Do(context.Background(), engine.Cancel{By: tester})
						}
					}
				}
			})
		}
		group.Wait()
		_ = b.s.Close()
		checkQueue(t, b, accepted)
	}
}

func checkQueue(t *testing.T, b *bench, accepted map[engine.MessageID]string) {
	t.Helper()
	fate := map[engine.MessageID]int{}
	var told []string
	text := map[engine.MessageID]string{}
	for batch := range b.s.Follow(context.Background(), 0) {
		for _, e := range batch {
			switch p := e.Payload.(type) {
			case engine.UserMessage:
				text[p.Message] = p.Text
				if p.Delivery == "prompt" {
					fate[p.Message]++
					told = append(told, p.Text)
				}
			case engine.UserDelivered:
				fate[p.Message]++
				told = append(told, text[p.Message])
			case engine.UserWithdrawn:
				fate[p.Message]++
			}
		}
	}
	for id, what := range accepted {
		if fate[id] != 1 {
			t.Errorf("%q was dealt with %d times", what, fate[id])
		}
	}
	if len(fate) != len(accepted) {
		t.Errorf("%d messages in the log, %d accepted", len(fate), len(accepted))
	}
	seen := b.model.requests()
	if len(seen) == 0 {
		return // cancelled before the first model call
	}
	last := users(seen[len(seen)-1])
	last = slices.DeleteFunc(last, func(s string) bool { return strings.HasPrefix(s, "[Note") })
	if !slices.Equal(last, told[:len(last)]) {
		t.Errorf("the model was told %v, the log says %v", last, told)
	}
}
