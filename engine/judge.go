package engine

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
)

const (
	maxArguments  = 64 << 10
	maxRawShown   = 4 << 10
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
	if taken || len(id) > maxCallIDSize || !plainID(string(id)) || r.redact.Text(string(id)) != string(id) {
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
