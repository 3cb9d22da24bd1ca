package engine

import (
	"context"
	"encoding/json"
	"errors"
	"runtime/debug"
	"time"
)

const (
	toolTimeout  = 30 * time.Second
	abandonAfter = 2 * time.Second
)

type toolOutcome struct {
	res Result
	err error
}

// act runs the tool with its own timeout, and gives up on one that does not return.
func (r *run) act(ctx context.Context, q requested) (Result, error) {
	limit := toolTimeout
	if q.spec.TimeoutSeconds > 0 {
		limit = time.Duration(q.spec.TimeoutSeconds) * time.Second
	}
	tctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	out := make(chan toolOutcome, 1)
	go func() { // joined below, or given up after two seconds
		var o toolOutcome
		defer func() { out <- o }()
		defer r.guard(q.call.Tool, &o.err)
		o.res, o.err = q.tool.Run(tctx, q.call)
	}()
	select {
	case o := <-out:
		return o.res, r.stopped(ctx, tctx, o.err, limit)
	case <-tctx.Done():
	}
	late := make(chan struct{})
	stop := r.cfg.Clock.AfterFunc(abandonAfter, func() { close(late) })
	defer stop()
	select {
	case o := <-out:
		return o.res, r.stopped(ctx, tctx, o.err, limit)
	case <-late:
		return Result{}, Errorf(ToolAbandoned, "the tool did not return within %s of being stopped; its late result is dropped", abandonAfter)
	}
}

// stopped says why a tool that was stopped has failed; a tool that finished all the same has not.
func (r *run) stopped(ctx, tctx context.Context, err error, limit time.Duration) error {
	switch {
	case err == nil || isPanic(err):
		return err
	case ctx.Err() != nil:
		return Errorf(RunCancelled, "the run ended before the tool did")
	case tctx.Err() != nil:
		return Errorf(ToolTimeout, "the tool did not finish within %s; ask for less at once", limit)
	}
	return err
}

// panicked is a panic of a tool or a model, already told to Config.Fault.
type panicked struct{ where string }

func (p panicked) Error() string { return "panic in " + p.where }

func isPanic(err error) bool {
	var p panicked
	return errors.As(err, &p)
}

// guard turns a panic into INTERNAL; what it was goes to the fault sink only.
func (r *run) guard(where string, err *error) {
	if p := recover(); p != nil {
		r.cfg.Fault(where, p, debug.Stack())
		*err = &Error{Code: Internal, Message: "a fault inside " + where + "; the log file has the details", Err: panicked{where}}
	}
}

// RunTool runs one tool outside a session as the loop would: arguments checked, policy asked
// (APPROVAL_REQUIRED for a tool under ask, POLICY_DENIED, TOOL_UNKNOWN), result redacted and limited.
func RunTool(ctx context.Context, tools []Tool, policy Policy, name string, args json.RawMessage) (Result, error) {
	cfg := Config{Policy: policy, NewID: func(prefix string) string { return prefix + "_tool" }}.withDefaults()
	r := &run{cfg: &cfg, log: newLog("", nil, cfg), redact: NewRedactor(), tools: offer(tools)}
	q := r.judgeOne(ToolCall{ID: "call_tool", Tool: name, Args: args})
	if CodeOf(q.refused) == SecretInArguments {
		q.refused = nil // nobody is asked here anyway
	}
	if q.refused != nil {
		return Result{}, q.refused
	}
	if _, err := r.prepare(ctx, q); err != nil {
		return Result{}, err
	}
	if q.event.Policy.Verdict == Ask {
		return Result{}, Errorf(ApprovalRequiredCode, "%s changes something, so a person must approve it; run it in the studio or with agentstudio run", name)
	}
	res, err := r.act(ctx, q)
	if err != nil {
		return Result{}, err
	}
	p := r.completed(q, res, 0)
	return Result{Content: p.Content, Data: p.Data, LeftOut: p.LeftOut}, nil
}
