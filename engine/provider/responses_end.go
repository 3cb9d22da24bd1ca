package provider

import (
	"encoding/json"
	"io"
	"strings"

	"agentstudio/engine"
)

// fail ends an answer that did not come to its end. What it has cost so far is told.
func (a *responding) fail(why error) error {
	if a.usage != nil {
		if u := a.usage.usage(); u != (engine.Usage{}) && !a.say(u) {
			return stopped{}
		}
	}
	return why
}

// ending is how a response ended, from its status and the event that brought it: the worse of both.
func ending(status, event string) string {
	switch {
	case event != "completed", status == "", status == "in_progress", status == "queued": // some leave the status as it was
		return event
	}
	return status
}

// end takes the response as it is at the end.
func (a *responding) end(body *responsesBody, status string) error {
	a.usage = body.Usage
	a.outputs.sum(body.Output)
	for n, o := range a.outputs.list {
		if n < len(body.Output) { // these are in its order now
			if err := a.finished(o, &body.Output[n]); err != nil {
				return err
			}
		}
	}
	stop, err := a.reason(body, status)
	var called []engine.ToolCall
	if err == nil && (stop == engine.StopToolUse || stop == engine.StopLength) {
		called, err = a.called(stop == engine.StopLength)
	}
	if err != nil {
		return a.fail(err)
	}
	for _, c := range called {
		if !a.say(c) {
			return stopped{}
		}
	}
	if stop != engine.StopLength && stop != engine.StopContentFilter {
		if kept := a.model.remember(a.outputs.list); kept != nil && !a.say(kept) {
			return stopped{}
		}
	}
	if err := a.fail(nil); err != nil {
		return err
	}
	a.say(engine.Stop{Reason: stop})
	return nil
}

// reason is why the answer ended.
func (a *responding) reason(body *responsesBody, status string) (engine.StopReason, error) {
	w := a.model.wire
	switch status {
	case "completed":
		for _, o := range a.outputs.list {
			if o.kind == itemCall {
				return engine.StopToolUse, nil
			}
		}
		if a.refused {
			return engine.StopRefusal, nil
		}
		return engine.StopEnd, nil
	case "incomplete":
		switch why := string(body.Incomplete.Reason); why {
		case "max_output_tokens", "max_tokens", "length":
			return engine.StopLength, nil
		case "content_filter":
			return engine.StopContentFilter, nil
		default:
			return "", engine.Errorf(engine.ModelProtocol, "the answer ended for a reason this program does not know, “%s”; nothing more was done", w.upstream.said(why))
		}
	case "failed":
		f := jsonFault(body.Error)
		return "", w.explain(settled(f))
	}
	return "", engine.Errorf(engine.ModelProtocol, "the answer ended in a state this program does not know, “%s”; nothing more was done", w.upstream.said(status))
}

// settled marks faults that no further try mends, which this API names by codes of its own.
func settled(f fault) fault {
	if f.kind == "error" {
		f.kind = "" // the event's own type
	}
	if f.kind == "" && (strings.Contains(f.code, "image") || strings.HasPrefix(f.code, "invalid_") || strings.HasSuffix(f.code, "_policy")) {
		f.kind = "invalid_request"
	}
	return f
}

// called are the calls of an answer. One whose end did not come makes the whole answer one that was
// not understood; where the output limit cut the answer, every call is marked as cut.
func (a *responding) called(cut bool) ([]engine.ToolCall, error) {
	made := calls{taken: a.taken}
	for _, o := range a.outputs.list {
		if o.kind != itemCall {
			continue
		}
		if !o.whole && !cut {
			return nil, engine.Errorf(engine.ModelProtocol, "the server ended the answer in the middle of a tool call, so nothing was run; try again")
		}
		p := made.open(piece{id: o.call})
		p.id, p.name = o.call, o.name
		p.args.WriteString(o.args.String())
	}
	return made.done(cut)
}

// whole reads an answer that did not stream: an error, or a response, which is used as if it had.
func (a *responding) whole(r *reply, from io.Reader) error {
	var body responsesBody
	b, wrong, err := r.json(from, &body)
	if err != nil {
		return err
	}
	known := body.Object == "response" || body.Output != nil
	if wrong == nil && (!known || body.Status == "") && (said(body.Error) || !known && faulty(b)) {
		return r.wire.explain(settled(jsonFault(b)))
	}
	if wrong != nil || !known {
		return notResponses("the server sent JSON")
	}
	if body.Status == "" {
		body.Status = "completed"
	}
	return a.end(&body, string(body.Status))
}

// faulty tells whether an object that is no response says what is wrong.
func faulty(b []byte) bool {
	var o struct{ Message, Detail json.RawMessage }
	return json.Unmarshal(b, &o) == nil && (said(o.Message) || said(o.Detail))
}
