package engine

import (
	"context"
	"errors"
	"time"
)

// MaxTries is how often one model call is made at most.
const MaxTries = 3

const (
	maxTries  = MaxTries
	firstWait = time.Second      // before the second try; twice as long before the third
	maxWait   = 60 * time.Second // of what a server asks for
)

// retryable tells whether a fault may pass: as the server says where it does, else by its code. An
// account without credit and a request that doesn't fit are the same next time, whoever says what.
func retryable(err error) bool {
	code := CodeOf(err)
	if again, said := DetailsOf(err)["shouldRetry"].(bool); said && (!again || code != ModelQuota && code != ContextOverflow) {
		return again
	}
	switch code {
	case ModelUnreachable, ModelRateLimited, ModelOverloaded, ModelServer, ModelStreamCut:
		return true
	}
	return false
}

// errAgain ends a turn that is made once more.
var errAgain = errors.New("the turn is made again")

// ask makes the model call of a turn. A fault that may pass is tried again as long as nothing of an
// answer has been heard; each wait is told before it begins, and cancelling ends it.
func (r *run) ask(ctx context.Context, turn Seq, req Request) heard {
	for {
		a := r.listen(ctx, turn, req)
		if a.err == nil || a.begun || ctx.Err() != nil || req.Attempt >= maxTries || !retryable(a.err) {
			return a
		}
		req.Attempt++
		if err := r.retry(ctx, turn, req.Attempt, a.err); err != nil {
			a.stop, a.err = Stop{StopError}, err
			if ctx.Err() != nil {
				a.stop = Stop{StopCancelled}
			}
			return a
		}
	}
}

// resume decides what follows a turn whose answer was cut after some of it had been shown: one more
// turn, once. What was shown stays, marked as cut.
func (r *run) resume(ctx context.Context, turn Seq, a heard) error {
	if a.err == nil {
		r.cut = false
		return nil
	}
	if !a.begun || r.cut || ctx.Err() != nil || !retryable(a.err) {
		return a.err
	}
	r.cut = true
	if err := r.retry(ctx, turn, 2, a.err); err != nil {
		return err
	}
	return errAgain
}

// retry tells of the try that is to come, and waits for it.
func (r *run) retry(ctx context.Context, turn Seq, attempt int, fault error) error {
	details := DetailsOf(fault)
	status, _ := details["status"].(int)
	wait := r.pause(attempt, details["retryAfterMs"])
	if _, err := r.emit(turn, ModelRetrying{Attempt: attempt, DelayMS: wait.Milliseconds(), Code: CodeOf(fault), Status: status,
		Reason: r.redact.Text(MessageOf(fault))}); err != nil {
		return err
	}
	if r.cfg.Clock.Stepped() {
		return context.Cause(ctx) // where time is made up, only people are waited for
	}
	over := make(chan struct{})
	stop := r.cfg.Clock.AfterFunc(wait, func() { close(over) })
	defer stop()
	select {
	case <-over:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// pause is how long to wait before a try: what the server asked for, up to a minute, else a second
// and its doubles, each a quarter shorter or longer by chance.
func (r *run) pause(attempt int, asked any) time.Duration {
	if ms, ok := asked.(int64); ok && ms > 0 {
		return min(time.Duration(ms)*time.Millisecond, maxWait)
	}
	wait := firstWait << (attempt - 2)
	return time.Duration(float64(wait) * (0.75 + 0.5*r.cfg.Chance())).Round(time.Millisecond)
}
