package engine_test

import (
	"context"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"agentstudio/engine"
)

// answer is a row of the case: who answers what, and when it reaches the engine.
type givenAnswer struct {
	Run      int
	At       int // ms
	From     string
	Decision string
}

// Terminal and browsers answer one approval at once (case a-two-answers).
func TestTwoAnswers(t *testing.T) {
	file, err := os.ReadFile("testdata/cases/a-two-answers/timeline.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	runs := map[int][]givenAnswer{}
	for line := range strings.Lines(string(file)) {
		var a givenAnswer
		if err := json.Unmarshal([]byte(line), &a); err != nil {
			t.Fatal(err)
		}
		runs[a.Run] = append(runs[a.Run], a)
	}
	for range 100 {
		ran, status := playAnswers(t, runs[1], "")
		if ran != 1 || status != engine.Approved {
			t.Fatalf("run 1: ran %d times, %s", ran, status)
		}
	}
	for n, want := range map[int]struct {
		before string
		ran    []int
		status []engine.ApprovalStatus
	}{
		2: {"", []int{1}, []engine.ApprovalStatus{engine.Approved}},
		3: {"", []int{0, 1}, []engine.ApprovalStatus{engine.Denied, engine.Approved}},
		4: {"", []int{1}, []engine.ApprovalStatus{engine.Approved}},
		5: {"expiry", []int{0}, []engine.ApprovalStatus{engine.Expired}},
		6: {"cancel", []int{0}, []engine.ApprovalStatus{engine.Cancelled}},
	} {
		ran, status := playAnswers(t, runs[n], want.before)
		if i := slices.Index(want.status, status); i < 0 || want.ran[i] != ran {
			t.Errorf("run %d: ran %d times, %s", n, ran, status)
		}
	}
}

// playAnswers gives the answers of one run: those of the same millisecond at once. What happened
// one millisecond before them is an expiry or a cancelling.
func playAnswers(t *testing.T, answers []givenAnswer, before string) (ran int, status engine.ApprovalStatus) {
	t.Helper()
	clock := newHandClock()
	save := saver()
	cfg := with(save)
	cfg.Clock, cfg.ApprovalExpiry = clock, time.Minute
	b := open(t, cfg, call(toolCall("c1", "save", `{}`)), say("ok"))
	run := b.send("go")
	asked := find[engine.ApprovalRequired](t, b.untilKind("approval.required"))
	switch before {
	case "expiry":
		clock.advance(time.Minute)
	case "cancel":
		if _, err := b.s.Do(t.Context(), engine.Cancel{By: tester}); err != nil {
			t.Fatal(err)
		}
		b.untilKind("approval.resolved")
	}
	type told struct {
		receipt engine.Receipt
		err     error
	}
	results := make([]told, len(answers))
	for i := 0; i < len(answers); {
		n := i + 1
		for n < len(answers) && answers[n].At == answers[i].At {
			n++
		}
		var group sync.WaitGroup
		for k := i; k < n; k++ {
			group.Go(func() {
				r, err := b.s.Do(context.Background(), engine.Decide{Approval: asked.Approval, Digest: asked.Digest,
					Approve: answers[k].Decision == "approve", By: engine.Actor{Screen: "mirror", Name: answers[k].From}})
				results[k] = told{r, err}
			})
		}
		group.Wait()
		i = n
	}
	events := b.untilEnd(run)
	resolved := all[engine.ApprovalResolved](events)
	if len(resolved) != 1 {
		t.Fatalf("%d decision records", len(resolved))
	}
	first := 0
	for i, r := range results {
		if r.receipt.Resolution == nil || r.receipt.Resolution.By != resolved[0].By || r.receipt.Resolution.Status != resolved[0].Status {
			t.Errorf("%s was told %+v, the log says %+v", answers[i].From, r.receipt.Resolution, resolved[0])
		}
		if r.err == nil && !r.receipt.AlreadyResolved {
			first++
		}
	}
	if want := map[bool]int{true: 1, false: 0}[before == ""]; first != want {
		t.Errorf("%d were told that they decided, want %d", first, want)
	}
	_ = b.engine.Close()
	return int(save.ran.Load()), resolved[0].Status
}
