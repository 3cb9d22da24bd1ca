package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"time"
)

const (
	maxContent  = 32 << 10
	maxData     = 64 << 10
	maxPreview  = 256 << 10
	maxParallel = 4
)

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
		if err := firstError(errs); err != nil {
			return ends, err
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
	if ctx.Err() != nil { // what was approved is not begun any more
		return RunCancelled, context.Cause(ctx)
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
		Preview: cutText(plan.Preview, maxPreview), Digest: q.event.Digest}, r.expiry)
	r.deadline.run()
	switch {
	case err != nil:
		return err
	case res.Status == Denied && res.Reason != "":
		return Errorf(ApprovalDenied, "this call was denied, with the reason: %s", res.Reason)
	case res.Status == Denied:
		return Errorf(ApprovalDenied, "this call was denied without a reason; do not ask for the same again unless told to")
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
