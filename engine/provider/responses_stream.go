package provider

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"agentstudio/engine"
)

// responding turns what a Responses server sends into chunks. It belongs to one call of Stream.
type responding struct {
	model   *responses
	yield   func(engine.Chunk, error) bool
	stopped bool                 // the caller broke off; nothing may be yielded any more
	taken   func(id string) bool // ids that the conversation already has

	outputs outputs
	usage   *responsesUsage
	refused bool
	last    [2]place // of what was shown last, text and reasoning
}

// place is where in an answer a text stands.
type place struct {
	item *output
	slot slot
}

func (a *responding) say(c engine.Chunk) bool {
	a.stopped = a.stopped || !a.yield(c, nil)
	return !a.stopped
}

// events reads an event stream to its terminal event or its end.
func (a *responding) events(r *reply, d *decoder) error {
	w := a.model.wire
	for begun := false; ; begun = true {
		e, err := d.next()
		if err != nil {
			if !errors.Is(err, io.EOF) {
				return a.fail(r.failed(err, w.cut))
			}
			return a.fail(w.cut(io.ErrUnexpectedEOF))
		}
		if !begun {
			r.dog.each(w.idle, w.silent())
		}
		data := bytes.TrimSpace(e.data)
		if len(data) == 0 || bytes.HasPrefix(data, []byte("[DONE]")) {
			continue // this API ends with an event of its own
		}
		var got responsesEvent
		err = json.Unmarshal(data, &got)
		if got.Type == "" {
			got.Type = string(e.name)
		}
		if err != nil && (e.tail || got.Type == "" || knownEvent(got.Type) || !json.Valid(data)) {
			return a.garbled(e, data)
		}
		if ended, err := a.take(&got, data); ended || err != nil {
			return err
		}
	}
}

// knownEvent tells whether an event is one that must be understood.
func knownEvent(name string) bool {
	for _, known := range []string{"response.output_", "response.reasoning_", "response.content_part.", "response.refusal.", "response.function_call_arguments."} {
		if strings.HasPrefix(name, known) {
			return true
		}
	}
	return terminalEvent(name)
}

func terminalEvent(name string) bool {
	switch name {
	case "response.completed", "response.incomplete", "response.failed", "error":
		return true
	}
	return false
}

// garbled handles an event whose data is not what its type promises.
func (a *responding) garbled(e event, data []byte) error {
	w := a.model.wire
	switch {
	case e.tail:
		return a.fail(w.cut(io.ErrUnexpectedEOF))
	case string(e.name) == "error" || !json.Valid(data) && data[0] != '{':
		return a.fail(w.explain(readFault(data, data[0])))
	}
	return a.fail(notResponses("the server's stream holds an event"))
}

func notResponses(what string) error {
	return engine.Errorf(engine.ModelProtocol, "%s that is not of the Responses API; check that the connection's API is the server's", what)
}

// take hands on what one event says, and tells whether the answer has ended with it.
func (a *responding) take(e *responsesEvent, raw []byte) (ended bool, err error) {
	w := a.model.wire
	switch {
	case e.Type == "error" || e.Type == "" && said(e.Error):
		return true, a.fail(w.explain(settled(jsonFault(raw))))
	case e.Type == "":
		return true, a.fail(notResponses("the server's stream holds an event"))
	case terminalEvent(e.Type):
		body := e.Response
		if body == nil {
			body = &responsesBody{}
		}
		return true, a.end(body, ending(string(body.Status), strings.TrimPrefix(e.Type, "response.")))
	case e.Item != nil && e.Type == "response.output_item.added":
		a.outputs.added(e.Item, e.Output.n)
	case e.Item != nil && e.Type == "response.output_item.done":
		err = a.finished(a.outputs.done(e.Item, e.Output.n), e.Item)
	case strings.HasPrefix(e.Type, "response.function_call_arguments."):
		a.arguments(e)
	default:
		if s, ok := e.says(); ok {
			err = a.hear(a.outputs.piece(s.kind, e.Output.n, string(e.ItemID)), s)
		}
	}
	return false, err
}

// arguments takes a piece of a call's arguments, or their end, which stands in place of all pieces.
func (a *responding) arguments(e *responsesEvent) {
	o := a.outputs.piece(itemCall, e.Output.n, string(e.ItemID))
	if o.final != nil {
		return
	}
	if o.name == "" {
		o.name = string(e.Name)
	}
	switch {
	case strings.HasSuffix(e.Type, ".delta") && !o.whole:
		o.args.WriteString(string(e.Delta))
	case strings.HasSuffix(e.Type, ".done"):
		o.whole = true
		o.given(e.Args)
	}
}

// hear shows a piece of text, or what of a whole text has not been shown. What was shown can't be
// taken back, so a whole text that is another one changes nothing.
func (a *responding) hear(o *output, s saying) error {
	a.refused = a.refused || s.refusal && s.text != ""
	text := s.text
	if s.whole {
		rest, more := strings.CutPrefix(text, o.at(s.slot).String())
		if !more {
			return nil
		}
		text = rest
	}
	return a.utter(o, s.slot, text)
}

// utter shows text of an item. A blank line parts the texts of messages, and those of reasoning.
func (a *responding) utter(o *output, at slot, text string) error {
	if text == "" {
		return nil
	}
	o.at(at).WriteString(text)
	aloud := 0
	if at.voice != speech {
		aloud = 1
	}
	last := a.last[aloud]
	if last.item != nil && (last.item != o || aloud == 1 && last.slot != at) {
		text = "\n\n" + text
	}
	a.last[aloud] = place{o, at}
	c := engine.Chunk(engine.Text(text))
	if aloud == 1 {
		c = engine.Reasoning(text)
	}
	if !a.say(c) {
		return stopped{}
	}
	return nil
}

// finished shows what of an item's texts has not been shown.
func (a *responding) finished(o *output, i *responsesItem) error {
	texts := map[voice]responsesParts{gist: i.Summary}
	switch i.Type {
	case itemMessage:
		texts[speech] = i.Content
	case itemReasoning:
		texts[thought] = i.Content
	default:
		return nil
	}
	for v := range voices {
		var whole strings.Builder
		for _, p := range texts[v] {
			a.refused = a.refused || i.Type == itemMessage && p.Refusal != ""
			whole.WriteString(string(p.Text + p.Refusal))
		}
		had := o.said(v)
		if !strings.HasPrefix(whole.String(), had) {
			continue
		}
		past := len(had)
		for n, p := range texts[v] {
			text := string(p.Text + p.Refusal)
			skip := min(past, len(text))
			past -= skip
			if err := a.utter(o, slot{v, n}, text[skip:]); err != nil {
				return err
			}
		}
	}
	return nil
}
