package provider

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"time"

	"agentstudio/engine"
)

const (
	linger     = 5 * time.Second // for usage after the finish reason
	maxDetails = 512 << 10       // bytes of reasoning details that are kept
)

// answer turns what a server sends into chunks. It belongs to one call of Stream.
type answer struct {
	model   *chat
	yield   func(engine.Chunk, error) bool
	stopped bool // the caller broke off; nothing may be yielded any more

	think    thoughts
	calls    calls
	usage    *tokens
	finish   string
	done     bool // [DONE] came, or the answer was whole
	refused  bool
	field    string // of the reasoning
	thoughts strings.Builder
	details  []json.RawMessage
	detailed int
}

func newAnswer(m *chat, r engine.Request, yield func(engine.Chunk, error) bool) *answer {
	return &answer{model: m, yield: yield, calls: calls{taken: idsOf(r)}}
}

func (a *answer) say(c engine.Chunk) bool {
	a.stopped = a.stopped || !a.yield(c, nil)
	return !a.stopped
}

// events reads an event stream to [DONE] or its end.
func (a *answer) events(r *reply, d *decoder) error {
	w := a.model.wire
	for begun := false; ; begun = true {
		e, err := d.next()
		if err != nil {
			return a.over(r, err)
		}
		if !begun {
			r.dog.each(w.idle, w.silent())
		}
		data := bytes.TrimSpace(e.data)
		switch {
		case len(data) == 0:
			continue
		case bytes.HasPrefix(data, []byte("[DONE]")):
			a.done = true
			return a.end(nil)
		}
		var c chunk
		if err := json.Unmarshal(data, &c); err != nil {
			return a.garbled(e, data)
		}
		if f, bad := c.fault(data); bad {
			return a.end(w.explain(f))
		}
		if string(e.name) == "error" && len(c.Choices) == 0 {
			return a.end(w.explain(jsonFault(data)))
		}
		ended := a.finish != ""
		if !a.take(&c) {
			return stopped{}
		}
		if a.finish != "" && !ended {
			r.dog.each(linger, errLingered)
		}
	}
}

// over handles the end of the body. After a finish reason nothing is missing but usage.
func (a *answer) over(r *reply, err error) error {
	if !errors.Is(err, io.EOF) {
		err = r.failed(err, a.model.wire.cut)
		if r.parent.Err() == nil && a.finish != "" {
			return a.end(nil)
		}
		return a.end(err)
	}
	return a.end(nil)
}

// garbled handles an event whose data is no chunk.
func (a *answer) garbled(e event, data []byte) error {
	w := a.model.wire
	switch {
	case e.tail:
		return a.end(w.cut(io.ErrUnexpectedEOF))
	case string(e.name) == "error" || !json.Valid(data) && data[0] != '{':
		return a.end(w.explain(readFault(data, data[0])))
	}
	return a.end(engine.Errorf(engine.ModelProtocol, "the server's stream holds an event that is no chat completion; check that the connection's API is the server's"))
}

// take hands on what one chunk says; false if the caller broke off.
func (a *answer) take(c *chunk) bool {
	if c.Usage != nil {
		a.usage = c.Usage
	}
	for i := range c.Choices {
		ch := &c.Choices[i]
		if ch.Index != 0 {
			continue
		}
		if ch.Usage != nil {
			a.usage = ch.Usage
		}
		if a.finish != "" {
			continue // some repeat the last chunk
		}
		for _, d := range []*delta{ch.Delta, ch.Message} {
			if d != nil && !a.delta(d) {
				return false
			}
		}
		a.finish = ch.Finish
	}
	return true
}

func (a *answer) delta(d *delta) bool {
	if text, field := d.thought(); text != "" {
		a.field = field
		a.thoughts.WriteString(text)
		if !a.say(engine.Reasoning(text)) {
			return false
		}
	}
	a.keep(d.Details)
	if d.Content != "" && !a.think.push(string(d.Content), a.say) {
		return false
	}
	if d.Refusal != "" {
		a.refused = true
		if !a.say(engine.Text(d.Refusal)) {
			return false
		}
	}
	for _, p := range d.Calls {
		a.calls.add(p)
	}
	if d.Function != nil {
		a.calls.add(piece{function: *d.Function})
	}
	return true
}

// keep collects reasoning details, which a server sends as a list in each piece.
func (a *answer) keep(raw json.RawMessage) {
	var list []json.RawMessage
	if len(raw) == 0 || json.Unmarshal(raw, &list) != nil {
		return
	}
	for _, d := range list {
		if a.detailed += len(d); a.detailed <= maxDetails {
			a.details = append(a.details, d)
		}
	}
}

// end yields what comes at the end and gives the error the answer ends with, why if that is not nil.
func (a *answer) end(why error) error {
	if !a.think.end(a.say) {
		return stopped{}
	}
	stop, err := a.reason()
	if why != nil {
		err = why
	}
	var called []engine.ToolCall
	if err == nil && (stop == engine.StopToolUse || stop == engine.StopLength) {
		called, err = a.calls.done(stop == engine.StopLength)
	}
	if err == nil {
		for _, c := range called {
			if !a.say(c) {
				return stopped{}
			}
		}
		if kept := a.model.remember(a); len(called) > 0 && kept != nil && !a.say(kept) {
			return stopped{}
		}
	}
	if a.usage != nil {
		if u := a.usage.usage(); u != (engine.Usage{}) && !a.say(u) {
			return stopped{}
		}
	}
	if err != nil {
		return err
	}
	a.say(engine.Stop{Reason: stop})
	return nil
}

// reason is what the finish reason means. Calls were asked for if they are there, whatever it says;
// a filtered or refused answer has none.
func (a *answer) reason() (engine.StopReason, error) {
	w := a.model.wire
	end := engine.StopEnd
	switch {
	case len(a.calls.list) > 0:
		end = engine.StopToolUse
	case a.refused:
		end = engine.StopRefusal
	}
	switch strings.ToLower(a.finish) {
	case "":
		if !a.done {
			return "", w.cut(io.ErrUnexpectedEOF)
		}
		return end, nil
	case "stop", "end", "eos", "end_turn", "stop_sequence":
		return end, nil
	case "length", "max_tokens":
		return engine.StopLength, nil
	case "tool_calls", "function_call", "tool_use":
		if end != engine.StopToolUse {
			return "", engine.Errorf(engine.ModelProtocol, "the server says that the model asks for a tool, but sent no call; try again, or check whether the server supports tools for this model")
		}
		return end, nil
	case "content_filter", "safety", "sensitive":
		return engine.StopContentFilter, nil
	case "refusal":
		return engine.StopRefusal, nil
	case "error", "network_error", "insufficient_system_resource", "model_context_window_exceeded":
		return "", w.explain(fault{code: a.finish})
	}
	return "", engine.Errorf(engine.ModelProtocol, "the answer ended for a reason this program does not know, “%s”; nothing more was done", w.upstream.said(a.finish))
}

// whole reads an answer that did not stream: an error, or a completion, which is used as if it had.
func (a *answer) whole(r *reply, from io.Reader) error {
	var c chunk
	b, wrong, err := r.json(from, &c)
	if err != nil {
		return err
	}
	if wrong == nil {
		if f, bad := c.fault(b); bad {
			return r.wire.explain(f)
		}
	}
	if wrong != nil || len(c.Choices) == 0 || c.Choices[0].Message == nil && c.Choices[0].Delta == nil {
		return engine.Errorf(engine.ModelProtocol, "the server sent JSON that is no chat completion; check the base URL and the connection's API")
	}
	a.done = true
	if !a.take(&c) {
		return stopped{}
	}
	return a.end(nil)
}
