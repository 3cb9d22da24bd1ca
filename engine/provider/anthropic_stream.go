package provider

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"

	"agentstudio/engine"
)

const stopPause = "pause_turn"

// message turns what a server sends into chunks. It belongs to one call of Stream, which is one
// request unless the server pauses.
type message struct {
	model   *messages
	yield   func(engine.Chunk, error) bool
	stopped bool // the caller broke off; nothing may be yielded any more
	taken   []engine.Message
	prefix  string // of the request

	paused []block      // of the requests before this one, whole
	before engine.Usage // of these

	blocks  []*growing // in the order in which they began
	index   map[int]*growing
	tokens  messagesTokens
	finish  string
	explain string
	begun   bool // something has been yielded
	said    bool // text has been
	done    bool // message_stop came, or the answer was whole
}

func (a *message) say(c engine.Chunk) bool {
	if _, text := c.(engine.Text); text {
		a.said = true
	}
	a.begun = true
	a.stopped = a.stopped || !a.yield(c, nil)
	return !a.stopped
}

// pause keeps what a paused answer has said and begins the next part.
func (a *message) pause() error {
	whole := a.keep()
	if !slices.ContainsFunc(whole, func(b block) bool { return b.Type == blockServerTool }) {
		return engine.Errorf(engine.ModelProtocol, "the server paused its answer without work of its own to go on with; try again")
	}
	if slices.ContainsFunc(whole, func(b block) bool { return b.Type == blockToolUse }) {
		return engine.Errorf(engine.ModelProtocol, "the server paused its answer and asked for a tool at once; try again")
	}
	a.paused = append(a.paused, whole...)
	a.before = both(a.before, a.tokens.usage())
	a.blocks, a.index, a.tokens, a.finish, a.done = nil, nil, messagesTokens{}, "", false
	return nil
}

// events reads an event stream to message_stop or its end.
func (a *message) events(r *reply, d *decoder) error {
	w := a.model.wire
	for begun := false; ; begun = true {
		e, err := d.next()
		switch {
		case errors.Is(err, io.EOF):
			return a.end(nil)
		case err != nil:
			return a.end(r.failed(err, w.cut))
		}
		if !begun {
			r.dog.each(w.idle, w.silent())
		}
		data := bytes.TrimSpace(e.data)
		if len(data) == 0 || bytes.HasPrefix(data, []byte("[DONE]")) {
			continue // some gateways end with it as another dialect does
		}
		m, ok := readEvent(e, data)
		if !ok {
			return a.end(w.garbled(e, data))
		}
		if m.Type == "error" || said(m.Error) || string(e.name) == "error" {
			return a.end(w.explain(jsonFault(data)))
		}
		if !a.take(&m) {
			return stopped{}
		}
		if a.done {
			return a.end(nil)
		}
	}
}

// garbled says what an event means whose data is none of its dialect.
func (w *wire) garbled(e event, data []byte) error {
	switch {
	case e.tail:
		return w.cut(io.ErrUnexpectedEOF)
	case string(e.name) == "error" || !json.Valid(data) && data[0] != '{':
		return w.explain(readFault(data, data[0]))
	}
	return engine.Errorf(engine.ModelProtocol, "the server's stream holds an event that is not understood; check that the connection's API is the server's")
}

// take hands on what one event says; false if the caller broke off. Events of no known type, ping
// among them, say nothing.
func (a *message) take(m *messagesEvent) bool {
	switch m.Type {
	case "message_start":
		a.tokens.replace(m.Message.Usage)
	case "content_block_start":
		return a.begin(m.Index.n, m.Block)
	case "content_block_delta":
		return a.grow(a.at(m.Index.n, m.Delta.Type), m.Delta)
	case "message_delta":
		a.ends(m.Delta.Reason, m.Delta.Details)
		a.tokens.replace(m.Usage)
	case "message_stop":
		a.done = true
	}
	return true
}

// ends takes a stop reason; a later event without one doesn't take it back.
func (a *message) ends(reason string, d stopDetails) {
	if reason != "" {
		a.finish = reason
	}
	if d.Explanation != "" {
		a.explain = d.Explanation
	}
}

// whole reads an answer that did not stream: an error, or a message, which is used as if it had.
func (a *message) whole(r *reply, from io.Reader) error {
	var m wholeMessage
	b, wrong, err := r.json(from, &m)
	if err != nil {
		return a.fail(err)
	}
	if wrong == nil && (m.Type == "error" || said(m.Error)) {
		return a.fail(r.wire.explain(jsonFault(b)))
	}
	if wrong != nil || m.Content == nil {
		return a.fail(engine.Errorf(engine.ModelProtocol, "the server sent JSON that is no message; check the base URL and the connection's API"))
	}
	for _, raw := range m.Content {
		if !a.begin(nil, raw) {
			return stopped{}
		}
	}
	a.tokens.replace(m.Usage)
	a.ends(m.Reason, m.Details)
	a.done = true
	return a.end(nil)
}

// end yields what comes at the end and gives the error the answer ends with, why if that is not nil.
// A pause is no end.
func (a *message) end(why error) error {
	if why == nil && a.done && a.finish == stopPause {
		return nil
	}
	stop, err := a.reason()
	if why != nil {
		err = why
	}
	var called []engine.ToolCall
	if err == nil && (stop == engine.StopToolUse || stop == engine.StopLength) {
		called, err = a.asked(stop == engine.StopLength)
	}
	if err != nil {
		return a.fail(err)
	}
	if stop == engine.StopRefusal && !a.refuse() {
		return stopped{}
	}
	for _, c := range called {
		if !a.say(c) {
			return stopped{}
		}
	}
	if kept := a.remember(stop == engine.StopRefusal); kept != nil && stop != engine.StopLength && !a.say(kept) {
		return stopped{}
	}
	if !a.account() {
		return stopped{}
	}
	a.say(engine.Stop{Reason: stop})
	return nil
}

// fail tells what a failed answer has cost before its error, err. Where nothing has been said yet the
// call may be made again, so nothing is.
func (a *message) fail(err error) error {
	if a.begun && !a.account() {
		return stopped{}
	}
	return err
}

func (a *message) account() bool {
	u := both(a.before, a.tokens.usage())
	return u == (engine.Usage{}) || a.say(u)
}

// refuse says why the answer was refused, where the server does.
func (a *message) refuse() bool {
	why := a.model.wire.upstream.said(a.explain)
	if why != "" && a.said {
		why = "\n\n" + why
	}
	return why == "" || a.say(engine.Text(why))
}

// reason is what the stop reason means. Calls were asked for if they are there, whatever it says; a
// refused answer has none.
func (a *message) reason() (engine.StopReason, error) {
	w := a.model.wire
	if !a.done {
		return "", w.cut(io.ErrUnexpectedEOF)
	}
	end := engine.StopEnd
	if slices.ContainsFunc(a.blocks, func(b *growing) bool { return b.kind == blockToolUse }) {
		end = engine.StopToolUse
	}
	switch a.finish {
	case "", "end_turn", "stop_sequence":
		return end, nil
	case "max_tokens":
		return engine.StopLength, nil
	case "tool_use":
		if end != engine.StopToolUse {
			return "", engine.Errorf(engine.ModelProtocol, "the server says that the model asks for a tool, but sent no call; try again, or check whether the server supports tools for this model")
		}
		return end, nil
	case "refusal":
		return engine.StopRefusal, nil
	case "model_context_window_exceeded":
		return "", w.explain(fault{code: a.finish})
	}
	return "", engine.Errorf(engine.ModelProtocol, "the answer ended for a reason this program does not know, “%s”; nothing more was done", w.upstream.said(a.finish))
}
