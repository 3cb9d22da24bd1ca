package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

const (
	maxArguments  = 64 << 10
	maxRawShown   = 4 << 10
	maxContent    = 32 << 10
	maxData       = 64 << 10
	maxPreview    = 256 << 10
	maxParallel   = 4
	toolTimeout   = 30 * time.Second
	abandonAfter  = 2 * time.Second
	maxCallIDSize = 128
)

// requested is one call on its way from the model's wish to its one end.
type requested struct {
	call    Call // Args canonical
	tool    Tool // nil if unknown
	spec    Spec
	event   ToolRequested
	refused error // decided before anything was prepared
	seq     Seq   // its tool.requested
}

// offered is a tool with its Spec, asked for once: making one may cost something.
type offered struct {
	tool Tool
	spec Spec
}

func offer(tools []Tool) []offered {
	out := make([]offered, len(tools))
	for i, t := range tools {
		out[i] = offered{t, t.Spec()}
		if p, err := compact(out[i].spec.Parameters); err == nil {
			out[i].spec.Parameters = p // as the journal keeps it
		}
	}
	return out
}

type approvalTerms struct{ expiry time.Duration }

// judge makes the tool.requested of every call of an answer.
func (r *run) judge(a heard) []requested {
	calls := make([]requested, 0, len(a.calls))
	for _, c := range a.calls {
		q := r.judgeOne(c)
		if q.refused == nil && (c.Cut || a.stop.Reason == StopLength) {
			q.refused = Errorf(CallCutOff, "the answer reached the output limit inside this call, so it was not run; send it again, shorter")
		}
		for i := range calls {
			if calls[i].call.ID == q.call.ID {
				q.call.ID = CallID(r.cfg.NewID("call"))
				q.event.Call = q.call.ID
			}
		}
		calls = append(calls, q)
	}
	return calls
}

func (r *run) judgeOne(c ToolCall) requested {
	q := requested{call: Call{ID: r.callID(c.ID), Tool: c.Tool}}
	for _, t := range r.tools {
		if t.spec.Name == c.Tool {
			q.tool, q.spec = t.tool, t.spec
		}
	}
	q.event = ToolRequested{Call: q.call.ID, Tool: r.redact.Text(strings.ToValidUTF8(cutText(c.Tool, 128), "\uFFFD"))}
	q.event.Policy = r.cfg.Policy.Judge(q.event.Tool, q.spec, q.tool != nil)
	switch {
	case q.tool == nil:
		q.refused = Errorf(ToolUnknown, "there is no tool %q; the tools are: %s", q.event.Tool, r.toolNames())
	case q.event.Policy.Verdict == Deny:
		q.refused = Errorf(PolicyDenied, "the policy denies %s (%s)", c.Tool, q.event.Policy.Source)
	}
	args := c.Args
	if len(strings.TrimSpace(string(args))) == 0 {
		args = json.RawMessage("{}")
	}
	if len(args) > maxArguments {
		q.refused = Errorf(ArgumentsTooLarge, "the arguments are %d bytes, over the limit of %d; send less at once", len(args), maxArguments)
		q.event.RawArguments = r.redact.Text(cutText(string(args), maxRawShown))
		return q
	}
	canonical, err := Canonical(args)
	if err != nil {
		if q.refused == nil {
			q.refused = err
		}
		q.event.RawArguments = r.redact.Text(cutText(strings.ToValidUTF8(string(args), "\uFFFD"), maxRawShown))
		return q
	}
	q.call.Args = canonical
	q.event.Digest = Digest(canonical)
	shown, changed := r.redact.JSON(canonical)
	q.event.Arguments = shown
	if changed && q.refused == nil && q.event.Policy.Verdict == Ask {
		q.refused = Errorf(SecretInArguments, "the arguments hold what looks like a key or password, so nobody could see what they approve; leave it out")
	}
	return q
}

// callID keeps the provider's id where it is unique in the session and plain, else makes one.
func (r *run) callID(id CallID) CallID {
	taken := false
	r.log.read(func(f *fold) { taken = f.calls[id] != nil })
	if taken || len(id) > maxCallIDSize || !plainID(string(id)) {
		return CallID(r.cfg.NewID("call"))
	}
	return id
}

func (r *run) toolNames() string {
	names := make([]string, len(r.tools))
	for i, t := range r.tools {
		names[i] = t.spec.Name
	}
	return strings.Join(names, ", ")
}

// doAll brings every call to its end. Calls that only read and need nobody run together, at most
// four at a time; all others alone. It tells how each call ended ("" for completed).
func (r *run) doAll(ctx context.Context, calls []requested) ([]Code, error) {
	ends := make([]Code, len(calls))
	for i := 0; i < len(calls); {
		n := i + 1
		for n < len(calls) && n-i < maxParallel && r.together(calls[i]) && r.together(calls[n]) {
			n++
		}
		errs := make([]error, n-i)
		var group sync.WaitGroup
		for k := i; k < n; k++ {
			if n-i == 1 {
				ends[k], errs[0] = r.do(ctx, calls[k])
				break
			}
			group.Go(func() { ends[k], errs[k-i] = r.do(ctx, calls[k]) })
		}
		group.Wait()
		if err := errors.Join(errs...); err != nil {
			return ends, firstError(errs)
		}
		i = n
	}
	return ends, nil
}

func firstError(errs []error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *run) together(q requested) bool {
	return q.refused == nil && q.event.Policy.Verdict == Allow && q.spec.Replay == ReplaySafe && !r.cfg.Clock.Stepped()
}

// do brings one call to its one end. Its error ends the run; a denied or failed call does not.
func (r *run) do(ctx context.Context, q requested) (Code, error) {
	if ctx.Err() != nil {
		return RunCancelled, context.Cause(ctx) // its end is made with all others that are open
	}
	key := r.key(q)
	if first, ok := r.earlier(key); ok && q.refused == nil {
		return "", r.repeat(q, first)
	}
	plan, err := r.allowed(ctx, q)
	if err != nil {
		if ends(err) {
			return CodeOf(err), err
		}
		_, told := r.emit(q.seq, ToolDenied{Call: q.call.ID, Tool: q.event.Tool, Code: CodeOf(err), Message: r.redact.Text(MessageOf(err))})
		return CodeOf(err), told
	}
	started, err := r.log.append(entry{r.id, q.seq, ToolStarted{Call: q.call.ID, Tool: q.call.Tool, IdempotencyKey: key}})
	if err != nil {
		return JournalFailed, err
	}
	return r.perform(ctx, q, plan, started[0].At)
}

// ends tells whether err ends the run and not only the call.
func ends(err error) bool {
	var c cancelled
	return errors.As(err, &c) || errors.Is(err, JournalFailed) || errors.Is(err, BudgetExceeded) || errors.Is(err, Internal)
}

// allowed prepares the call and gets it past the policy and, if need be, a person.
func (r *run) allowed(ctx context.Context, q requested) (Plan, error) {
	if q.refused != nil {
		return Plan{}, q.refused
	}
	plan, err := r.prepare(ctx, q)
	if err != nil {
		return plan, err
	}
	for _, where := range plan.Reads {
		if s, ok := r.cfg.Catalog.AtLocation(where); ok {
			if _, err := r.emit(q.seq, SkillRequested{Name: s.Name, Path: s.Path}); err != nil {
				return plan, err
			}
		}
	}
	if q.event.Policy.Verdict != Ask {
		return plan, nil
	}
	return plan, r.approved(ctx, q, plan)
}

// approved asks a person and refuses the call unless exactly what was shown may still be done.
func (r *run) approved(ctx context.Context, q requested, plan Plan) error {
	if r.redact.Text(plan.Preview) != plan.Preview {
		return Errorf(SecretInArguments, "what would be written holds what looks like a key, so nobody could see what they approve; leave it out")
	}
	r.deadline.pause()
	res, err := r.broker.ask(ctx, r.id, q.seq, ApprovalRequired{Approval: ApprovalID(r.cfg.NewID("apr")), Call: q.call.ID,
		Tool: q.call.Tool, Arguments: q.event.Arguments, Summary: plan.Summary, Risk: plan.Risk,
		Preview: cutText(plan.Preview, maxPreview), Digest: q.event.Digest}, r.expiry().expiry)
	r.deadline.run()
	switch {
	case err != nil:
		return err
	case res.Status == Denied && res.Reason != "":
		return Errorf(ApprovalDenied, "a person denied this call and said: %s", res.Reason)
	case res.Status == Denied:
		return Errorf(ApprovalDenied, "a person denied this call, giving no reason; do not ask for the same again unless told to")
	case res.Status == Expired:
		return Errorf(ApprovalExpired, "nobody decided in time, so the call was not run; this is not a denial")
	case res.Status == Cancelled:
		return context.Cause(ctx)
	}
	again, err := r.prepare(ctx, q)
	if err != nil {
		return err
	}
	if Digest(q.call.Args) != q.event.Digest || again.Preview != plan.Preview || !maps.Equal(again.Facts, plan.Facts) {
		return Errorf(ChangedSinceApproval, "what was approved has changed since it was shown; ask again")
	}
	return nil
}

func (r *run) prepare(ctx context.Context, q requested) (plan Plan, err error) {
	defer r.guard(q.call.Tool, &err)
	return q.tool.Prepare(ctx, q.call.Args)
}

// perform runs the tool and appends what came of it.
func (r *run) perform(ctx context.Context, q requested, plan Plan, began time.Time) (Code, error) {
	res, err := r.act(ctx, q)
	took := max(r.cfg.Clock.Now().Sub(began).Milliseconds(), 0)
	if err != nil {
		code := CodeOf(err)
		if code == Internal && !isPanic(err) {
			code = ToolFailedCode
		}
		msg := r.redact.Text(strings.ToValidUTF8(cutText(MessageOf(err), maxContent), "\uFFFD"))
		if _, told := r.emit(q.seq, ToolFailed{Call: q.call.ID, Tool: q.call.Tool, Code: code, Message: msg, DurationMS: took}); told != nil {
			return code, told
		}
		if isPanic(err) {
			return code, err
		}
		return code, nil
	}
	for _, a := range res.Artifacts {
		a.ID = r.cfg.NewID("art")
		if _, err := r.emit(q.seq, ArtifactReady{Artifact: a}); err != nil {
			return "", err
		}
	}
	end, err := r.emit(q.seq, r.completed(q, res, took))
	if err != nil {
		return "", err
	}
	for _, where := range plan.Reads {
		if s, ok := r.cfg.Catalog.AtLocation(where); ok {
			if _, err := r.emit(end, SkillLoaded{Name: s.Name, Path: s.Path}); err != nil {
				return "", err
			}
		}
	}
	return "", nil
}

// completed applies redaction and limits to a result.
func (r *run) completed(q requested, res Result, took int64) ToolCompleted {
	p := ToolCompleted{Call: q.call.ID, Tool: q.call.Tool, DurationMS: took, LeftOut: res.LeftOut}
	content := r.redact.Text(strings.ToValidUTF8(res.Content, "\uFFFD"))
	if len(content) > maxContent {
		note := "\n[%d bytes left out; ask for less at once]"
		cut := cutText(content, maxContent-len(note)-12)
		left := LeftOut{}
		if p.LeftOut != nil {
			left = *p.LeftOut
		}
		left.Bytes += len(content) - len(cut)
		content, p.LeftOut = cut+fmt.Sprintf(note, len(content)-len(cut)), &left
	}
	p.Content = content
	if data, err := compact(res.Data); err == nil && len(data) > 0 && len(data) <= maxData {
		p.Data, _ = r.redact.JSON(data)
	}
	return p
}

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

// key is what makes two calls of a never-to-be-repeated tool the same act; "" for all others.
func (r *run) key(q requested) string {
	if q.tool == nil || q.spec.Replay != ReplayNever || q.event.Digest == "" {
		return ""
	}
	sum := sha256.Sum256([]byte("agentstudio-act-1\n" + string(r.log.session) + "\n" + q.call.Tool + "\n" + q.event.Digest))
	return hex.EncodeToString(sum[:])
}

func (r *run) earlier(key string) (first done, ok bool) {
	if key != "" {
		r.log.read(func(f *fold) { first, ok = f.ledger[key] })
	}
	return first, ok
}

// repeat gives an earlier act's result again, without acting.
func (r *run) repeat(q requested, first done) error {
	_, err := r.emit(q.seq, ToolCompleted{Call: q.call.ID, Tool: q.call.Tool, Data: first.data, LeftOut: first.leftOut, Repeats: first.seq,
		Content: fmt.Sprintf("Already done with the same arguments at event %d; not done again. Its result was:\n%s", first.seq, first.content)})
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

// cutText cuts s to at most n bytes at a rune boundary.
func cutText(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
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
