package engine

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"time"
)

// run carries one user message to its one terminal event. It is straight-line code on one
// goroutine: ask the model, do what it asks, until it asks for nothing.
type run struct {
	id       RunID
	cfg      *Config
	log      *log
	broker   *broker
	redact   *Redactor
	tools    []offered
	budget   Budget
	expiry   time.Duration // of approvals
	deliver  func(run RunID, all bool) (bool, error)
	intake   Intake
	started  Seq // its run.started
	spent    spending
	sent     int // tokens of the request under way, estimated
	deadline *deadline
	failures []string // how the calls of the last turns failed, for NO_PROGRESS
	unknown  bool     // USAGE_UNKNOWN has been told
	cut      bool     // the turn under way repeats one whose answer was cut
	whole    bool     // a summary has failed: older messages stay
	overflow bool     // the provider has refused a request for its size once
}

// cancelled is the cause of a context that somebody ended on purpose.
type cancelled struct {
	reason string // user, shutdown or sessionClosed
	by     Actor
}

func (cancelled) Error() string { return string(RunCancelled) }

func cancelActor(ctx context.Context) Actor {
	var c cancelled
	if errors.As(context.Cause(ctx), &c) {
		return c.by
	}
	return Actor{Screen: "policy", Name: "run"}
}

func (r *run) emit(cause Seq, p Payload) (Seq, error) {
	events, err := r.log.append(entry{r.id, cause, p})
	if len(events) == 0 {
		return 0, err
	}
	return events[0].Seq, err
}

// loop is the agent loop. Its error says why the run did not complete.
func (r *run) loop(ctx context.Context) error {
	r.deadline.run()
	defer r.deadline.pause()
	if _, err := r.deliver(r.id, true); err != nil {
		return err
	}
	for {
		calls, stop, err := r.turn(ctx)
		if errors.Is(err, errAgain) {
			continue
		}
		if err != nil {
			return err
		}
		if len(calls) == 0 {
			if err := r.conclude(stop); err != nil {
				return err
			}
			if more, err := r.deliver(r.id, true); err != nil || !more {
				return err
			}
			continue
		}
		ends, err := r.doAll(ctx, calls)
		if err != nil {
			return err
		}
		if err := r.progress(ends); err != nil {
			return err
		}
		if _, err := r.deliver(r.id, false); err != nil {
			return err
		}
	}
}

// conclude says what an answer without calls means for the run.
func (r *run) conclude(stop Stop) error {
	switch stop.Reason {
	case StopContentFilter:
		return Errorf(ContentFiltered, "the provider's content filter stopped the answer; rephrase the message")
	case StopRefusal:
		return Errorf(ModelRefused, "the model refused to answer; rephrase the message")
	case StopLength:
		_, err := r.emit(r.started, Notice{Code: "ANSWER_CUT", Message: "the answer reached the output limit and ends early", About: r.started})
		return err
	}
	return nil
}

// progress ends a run that keeps failing the same way: three turns in a row in which every call
// came to the same end are enough.
func (r *run) progress(ends []Code) error {
	const turns = 3
	var how strings.Builder
	for _, c := range ends {
		if c == "" {
			r.failures = nil
			return nil
		}
		how.WriteString(string(c) + " ")
	}
	if n := len(r.failures); n > 0 && r.failures[n-1] != how.String() {
		r.failures = nil
	}
	r.failures = append(r.failures, how.String())
	if len(r.failures) < turns {
		return nil
	}
	return Errorf(NoProgress, "%d turns in a row every tool call ended the same way (%s); look at the last calls, then say it differently", turns, strings.TrimSpace(how.String())).
		With("codes", strings.Fields(how.String()))
}

// turn makes one model call and appends what came of it, its tool.requested events included.
func (r *run) turn(ctx context.Context) ([]requested, Stop, error) {
	if err := r.ready(ctx); err != nil {
		return nil, Stop{}, err
	}
	req, tokens, parts, err := r.fitting(ctx)
	if err != nil {
		return nil, Stop{}, err
	}
	if err := r.affords(tokens, 0); err != nil {
		return nil, Stop{}, err
	}
	r.sent = tokens
	r.spent.turns++
	req.Turn = r.spent.turns
	turn, err := r.emit(r.started, TurnStarted{Turn: req.Turn, ContextTokens: tokens, Parts: parts,
		Messages: len(req.Messages), ToolCount: len(req.Tools)})
	if err != nil {
		return nil, Stop{}, err
	}
	var lost unreadable
	req.Open = r.opener(&lost)
	a := r.ask(ctx, turn, req)
	usage := r.usage(a, tokens)
	calls, err := r.answered(turn, a)
	if err != nil {
		return nil, Stop{}, err
	}
	if _, err := r.emit(turn, TurnCompleted{Turn: req.Turn, StopReason: a.stop.Reason, Usage: usage}); err != nil {
		return nil, Stop{}, err
	}
	if a.stop.Reason == StopCancelled {
		r.unknown = true // nobody has to be told that a cancelled call didn't say what it used
	}
	if err := r.account(turn, usage); err != nil && a.err == nil {
		a.err = err
	}
	if err := r.pictured(req, &lost, &a); err != nil {
		return nil, a.stop, err
	}
	if a.err == nil && a.bytes == 0 && len(a.calls) == 0 {
		_, a.err = r.emit(turn, Notice{Code: "ANSWER_EMPTY", Message: "the model answered with nothing", About: turn})
	}
	if CodeOf(a.err) == ContextOverflow && !a.begun && !r.overflow {
		r.overflow = true
		done, err := r.condense(ctx, turn, "overflow", tokens)
		if done {
			err = errAgain
		}
		if err != nil {
			return nil, a.stop, err
		}
	}
	return calls, a.stop, r.resume(ctx, turn, a)
}

// fitting is the next request. One that comes near the model's window is made smaller first.
func (r *run) fitting(ctx context.Context) (Request, int, []ContextPart, error) {
	req, err := r.request()
	if err != nil {
		return req, 0, nil, err
	}
	sees := r.cfg.Model.Info().Images
	tokens, parts := estimate(req, sees)
	if most := threshold(r.cfg.Model.Info().ContextWindow); most == 0 || tokens <= most || r.whole {
		return req, tokens, parts, nil
	}
	done, err := r.condense(ctx, r.started, "threshold", tokens)
	if err != nil || !done {
		return req, tokens, parts, err
	}
	if req, err = r.request(); err == nil {
		tokens, parts = estimate(req, sees)
	}
	return req, tokens, parts, err
}

// ready refuses the next model call when the run is to end.
func (r *run) ready(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return r.spent.check(r.budget)
}

// request folds the log into what the model is sent, and tells when prompt or tools have changed.
func (r *run) request() (Request, error) {
	req := Request{Session: r.log.session, Purpose: PurposeTurn, Attempt: 1, System: systemParts(r.cfg)}
	for _, t := range r.tools {
		req.Tools = append(req.Tools, t.spec)
	}
	var last *PromptChanged
	r.log.read(func(f *fold) { req.Messages, last = f.transcript(), f.prompt })
	now := PromptChanged{System: req.System, Tools: req.Tools}
	if last == nil || !reflect.DeepEqual(samePrompt(*last), samePrompt(now)) {
		if _, err := r.emit(r.started, now); err != nil {
			return req, err
		}
	}
	return req, nil
}

// samePrompt is p without what the journal does not keep.
func samePrompt(p PromptChanged) PromptChanged {
	p.Tools = slices.Clone(p.Tools)
	for i := range p.Tools {
		p.Tools[i].TimeoutSeconds = 0
	}
	return p
}
