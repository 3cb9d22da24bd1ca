package engine_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"agentstudio/engine"
)

func failing(code engine.Code, details ...any) turn {
	e := engine.Errorf(code, "on purpose")
	for i := 0; i+1 < len(details); i += 2 {
		e = e.With(details[i].(string), details[i+1])
	}
	return func(context.Context, engine.Request, func(engine.Chunk) bool) error { return e }
}

func cutAfter(text string) turn {
	return func(_ context.Context, _ engine.Request, yield func(engine.Chunk) bool) error {
		yield(engine.Text(text))
		return nil
	}
}

func even() engine.Config { return engine.Config{Chance: func() float64 { return 0.5 }} }

func TestAFaultThatPassesIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := open(t, even(), failing(engine.ModelRateLimited, "status", 429), failing(engine.ModelServer, "status", 503), say("there"))
		began := time.Now()
		events := b.untilEnd(b.send("go"))
		if took := time.Since(began); took != 3*time.Second {
			t.Errorf("the waits took %s, want 1 s and 2 s", took)
		}
		want := []engine.ModelRetrying{
			{Attempt: 2, DelayMS: 1000, Reason: "on purpose", Code: engine.ModelRateLimited, Status: 429},
			{Attempt: 3, DelayMS: 2000, Reason: "on purpose", Code: engine.ModelServer, Status: 503},
		}
		if got := all[engine.ModelRetrying](events); !slices.Equal(got, want) {
			t.Errorf("retried %+v, want %+v", got, want)
		}
		if n := len(all[engine.TurnStarted](events)); n != 1 {
			t.Errorf("%d turns, want 1", n)
		}
		var attempts []int
		for _, r := range b.model.requests() {
			attempts = append(attempts, r.Attempt)
		}
		if !slices.Equal(attempts, []int{1, 2, 3}) {
			t.Errorf("attempts %v", attempts)
		}
		find[engine.RunCompleted](t, events)
	})
}

func TestWhatTheServerSaysOfTryingAgainIsHonoured(t *testing.T) {
	for _, c := range []struct {
		code  engine.Code
		again bool
		tries int
	}{
		{engine.ModelServer, false, 1}, {engine.ModelRateLimited, false, 1}, {engine.ModelBadRequest, true, 3}, {engine.ModelServer, true, 3},
		{engine.ModelQuota, true, 1}, {engine.ModelBadRequest, false, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			fails := failing(c.code, "shouldRetry", c.again)
			b := open(t, even(), fails, fails, fails, fails)
			end := find[engine.RunFailed](t, b.untilEnd(b.send("go")))
			if n := len(b.model.requests()); n != c.tries || end.Retryable != (c.tries > 1) || end.Code != c.code {
				t.Errorf("%s, try again %v: %d tries, %+v", c.code, c.again, n, end)
			}
		})
	}
}

func TestTriesEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := open(t, even(), failing(engine.ModelOverloaded))
		f := find[engine.RunFailed](t, b.untilEnd(b.send("go")))
		if n := len(b.model.requests()); f.Code != engine.ModelOverloaded || n != 3 {
			t.Errorf("failed with %s after %d requests", f.Code, n)
		}
	})
}

func TestAFaultThatStaysIsNotTriedAgain(t *testing.T) {
	for _, code := range []engine.Code{engine.ModelAuth, engine.ModelQuota, engine.ModelNotFound, engine.ModelBadRequest, engine.ModelTLS, engine.ModelProtocol} {
		b := open(t, even(), failing(code))
		events := b.untilEnd(b.send("go"))
		if n := len(b.model.requests()); n != 1 || len(all[engine.ModelRetrying](events)) != 0 {
			t.Errorf("%s: %d requests", code, n)
		}
	}
}

func TestTheServerSaysHowLongToWait(t *testing.T) {
	for asked, want := range map[int64]time.Duration{2000: 2 * time.Second, 3_600_000: time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			b := open(t, even(), failing(engine.ModelRateLimited, "retryAfterMs", asked), say("there"))
			began := time.Now()
			b.untilEnd(b.send("go"))
			if took := time.Since(began); took != want {
				t.Errorf("asked for %d ms it waits %s, want %s", asked, took, want)
			}
		})
	}
}

func TestCancellingEndsAWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := open(t, even(), failing(engine.ModelRateLimited, "retryAfterMs", int64(60_000)), say("never"))
		run := b.send("go")
		b.untilKind("model.retrying")
		began := time.Now()
		if _, err := b.s.Do(t.Context(), engine.Cancel{By: tester}); err != nil {
			t.Fatal(err)
		}
		events := b.untilEnd(run)
		find[engine.RunCancelledEvent](t, events)
		if took := time.Since(began); took != 0 || len(b.model.requests()) != 1 {
			t.Errorf("it took %s and %d requests", took, len(b.model.requests()))
		}
	})
}

// What was shown of a cut answer stays; the model is told that it was cut and asked once more.
func TestACutAnswerIsAskedForOnceMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := open(t, even(), cutAfter("half an ans"), say("the whole answer"))
		events := b.untilEnd(b.send("go"))
		find[engine.RunCompleted](t, events)
		done := all[engine.AssistantCompleted](events)
		if len(done) != 2 || !done[0].Interrupted || done[1].Interrupted {
			t.Fatalf("answers %+v", done)
		}
		want := []engine.ModelRetrying{{Attempt: 2, DelayMS: 1000, Code: engine.ModelStreamCut, Reason: "the connection ended in the middle of the answer; send the message again"}}
		if got := all[engine.ModelRetrying](events); !slices.Equal(got, want) {
			t.Errorf("retried %+v", got)
		}
		m := b.model.requests()[1].Messages
		if len(m) != 3 || m[1].Text != "half an ans" || m[2].Role != engine.RoleUser || !strings.Contains(m[2].Text, "cut off") {
			t.Errorf("the model is sent %+v", m)
		}
	})
}

func TestAnAnswerCutTwiceFailsTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := open(t, even(), cutAfter("half"))
		events := b.untilEnd(b.send("go"))
		f := find[engine.RunFailed](t, events)
		if n := len(b.model.requests()); f.Code != engine.ModelStreamCut || n != 2 || len(all[engine.ModelRetrying](events)) != 1 {
			t.Errorf("failed with %s after %d requests", f.Code, n)
		}
	})
}

// Where time is made up, a wait is told and passes at once.
func TestAMadeUpTimeIsNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := even()
		cfg.Clock = &stepClock{now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
		b := open(t, cfg, failing(engine.ModelRateLimited, "retryAfterMs", int64(30_000)), failing(engine.ModelServer), say("there"))
		began := time.Now()
		events := b.untilEnd(b.send("go"))
		find[engine.RunCompleted](t, events)
		var told []int64
		for _, r := range all[engine.ModelRetrying](events) {
			told = append(told, r.DelayMS)
		}
		if took := time.Since(began); took != 0 || !slices.Equal(told, []int64{30_000, 2000}) {
			t.Errorf("it took %s, told waits of %v ms", took, told)
		}
	})
}
