package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"strconv"
)

// heard is one answer, as far as it came.
type heard struct {
	id    MessageID
	begun bool
	bytes int
	calls []ToolCall
	usage Usage
	stop  Stop
	kept  Continuation
	err   error
}

// listen streams the model's answer into the log.
func (r *run) listen(ctx context.Context, turn Seq, req Request) (a heard) {
	s := newSpeech(r, turn)
	a.id = s.id
	err := r.hear(ctx, turn, s, req, &a)
	bytes, begun, failed := s.end()
	a.bytes, a.begun = bytes, begun
	if failed != nil {
		err = failed
	}
	switch {
	case ctx.Err() != nil:
		a.stop, a.err = Stop{StopCancelled}, context.Cause(ctx)
	case err != nil:
		a.stop, a.err = Stop{StopError}, err
	case a.stop.Reason == "":
		a.stop = Stop{StopInterrupted}
		a.err = Errorf(ModelStreamCut, "the connection ended in the middle of the answer; send the message again")
	}
	if a.err != nil {
		a.calls, a.kept = nil, nil // of a cut answer nothing is run
	}
	return a
}

func (r *run) hear(ctx context.Context, turn Seq, s *speech, req Request, a *heard) (err error) {
	defer r.guard("model", &err)
	for chunk, err := range r.cfg.Model.Stream(ctx, req) {
		if err != nil {
			return err
		}
		switch c := chunk.(type) {
		case Usage:
			a.usage = c
			continue
		case Repeated:
			if _, err := r.emit(turn, Notice{Code: "REQUEST_REPEATED", Message: r.redact.Text(string(c)), About: turn}); err != nil {
				return err
			}
			continue
		}
		if err := s.begin(); err != nil {
			return err
		}
		switch c := chunk.(type) {
		case Text:
			err = s.say(string(c), false)
		case Reasoning:
			err = s.say(string(c), true)
		case ToolCall:
			a.calls = append(a.calls, c)
		case Stop:
			a.stop = c
		case Continuation:
			a.kept = c
		}
		if err == nil {
			err = r.bounded(s.heard())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// maxAnswer is how many bytes an answer and its reasoning may have: many times what any model gives.
const maxAnswer = 8 << 20

// bounded ends an answer of n bytes that is longer than any, or that uses up what is left of the
// tokens while it comes.
func (r *run) bounded(n int) error {
	if n > maxAnswer {
		return Errorf(ModelProtocol, "the answer has more than %d MiB, so it was broken off; see whether the server works as it should", maxAnswer>>20)
	}
	return r.affords(r.sent, n)
}

// affords refuses what would go beyond the tokens of the run: a request of so many, estimated, and
// the bytes of its answer so far. Four bytes are counted for a token, which is rather too few tokens
// than too many; a provider's own figures are counted once they are there.
func (r *run) affords(request, answer int) error {
	most := r.budget.MaxTokens
	used := r.spent.in + r.spent.out + request*3/4 + answer/4
	if most <= 0 || used <= most {
		return nil
	}
	return gauge{"tokens", strconv.Itoa(used), strconv.Itoa(most), 1}.exceeded()
}

// answered appends the answer's end together with all its calls, in one write.
func (r *run) answered(turn Seq, a heard) ([]requested, error) {
	if !a.begun {
		return nil, nil
	}
	calls := r.judge(a)
	entries := []entry{{r.id, turn, AssistantCompleted{Message: a.id, StopReason: a.stop.Reason, TextBytes: a.bytes,
		ToolCalls: len(calls), Interrupted: a.err != nil, Continuation: r.keep(a.kept)}}}
	for _, c := range calls {
		entries = append(entries, entry{r.id, firstOfBatch, c.event})
	}
	events, err := r.log.append(entries...)
	if err != nil {
		return nil, err
	}
	for i := range calls {
		calls[i].seq = events[i+1].Seq
	}
	return calls, nil
}

// keep is what of a continuation goes into the log. It must go back unchanged, so it is dropped
// where it can't stay whole.
func (r *run) keep(c Continuation) json.RawMessage {
	const most = 1 << 20
	var b bytes.Buffer
	if len(c) == 0 || len(c) > most || json.Compact(&b, c) != nil {
		return nil
	}
	if _, changed := r.redact.JSON(b.Bytes()); changed {
		return nil
	}
	return b.Bytes()
}

// usage is what the call cost; an estimate where the provider said nothing (account tells of it).
func (r *run) usage(a heard, contextTokens int) Usage {
	u := a.usage
	if a.err != nil && !a.begun && u == (Usage{}) {
		return u // nothing was answered, and nobody says that it cost something
	}
	if u.InputTokens == nil || u.OutputTokens == nil {
		in, out := contextTokens, (a.bytes+2)/3
		if u.InputTokens == nil {
			u.InputTokens = &in
		}
		if u.OutputTokens == nil {
			u.OutputTokens = &out
		}
		u.Estimated = true
	}
	return r.priced(u)
}

// account adds the usage to the run's spending and ends it when a budget is overrun.
func (r *run) account(turn Seq, u Usage) error {
	r.spent.add(u)
	if u.Estimated && !r.unknown {
		r.unknown = true
		if _, err := r.emit(turn, Notice{Code: "USAGE_UNKNOWN", Message: "the provider did not say how many tokens it used; budgets count an estimate", About: turn}); err != nil {
			return err
		}
	}
	for _, w := range r.spent.warnings(r.budget) {
		if _, err := r.emit(turn, w); err != nil {
			return err
		}
	}
	if share, gone := r.deadline.used(); share >= 0.8 && !r.spent.warned["deadline"] && !r.cfg.Clock.Stepped() {
		if r.spent.warned == nil {
			r.spent.warned = map[string]bool{}
		}
		r.spent.warned["deadline"] = true
		if _, err := r.emit(turn, BudgetWarned{Which: "deadline", Used: gone.String(), Limit: r.deadline.total.String()}); err != nil {
			return err
		}
	}
	for _, g := range r.spent.gauges(r.budget) {
		if g.which != "turns" && g.share > 1 {
			return g.exceeded()
		}
	}
	return nil
}
