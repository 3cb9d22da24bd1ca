package provider

import (
	"encoding/json"
	"strings"

	"agentstudio/engine"
)

// growing is a block of an answer, as far as it has come.
type growing struct {
	kind      string
	fields    map[string]json.RawMessage // as it began
	text      strings.Builder            // of text and thinking
	signature strings.Builder
	input     strings.Builder
	strange   bool // it grew in a way that is not known, so it can't go back
}

// begin opens a block with what its start says. Some servers put all of it there.
func (a *message) begin(index *int, raw json.RawMessage) bool {
	b := &growing{}
	if json.Unmarshal(raw, &b.fields) != nil {
		b.fields = map[string]json.RawMessage{}
	}
	b.kind = scalar(b.fields["type"])
	a.blocks = append(a.blocks, b)
	a.number(index, b)
	d := blockDelta{Text: scalar(b.fields["text"]), Thinking: scalar(b.fields["thinking"]), Signature: scalar(b.fields["signature"])}
	switch b.kind {
	case blockText:
		d.Type = "text_delta"
	case blockThinking:
		d.Type = "thinking_delta"
		b.signature.WriteString(d.Signature)
	default:
		return true
	}
	return a.grow(b, d)
}

func (a *message) number(index *int, b *growing) {
	if a.index == nil {
		a.index = map[int]*growing{}
	}
	if index != nil {
		a.index[*index] = b
	}
}

// at is the block that a piece belongs to; one that was never begun is begun by its first piece.
func (a *message) at(index *int, kind string) *growing {
	if index == nil && len(a.blocks) > 0 {
		return a.blocks[len(a.blocks)-1]
	}
	if index != nil && a.index[*index] != nil {
		return a.index[*index]
	}
	b := &growing{kind: map[string]string{"text_delta": blockText, "thinking_delta": blockThinking, "signature_delta": blockThinking, "input_json_delta": blockToolUse}[kind],
		fields: map[string]json.RawMessage{}}
	a.blocks = append(a.blocks, b)
	a.number(index, b)
	return b
}

// grow adds a piece; false if the caller broke off. Pieces of no known kind are passed over.
func (a *message) grow(b *growing, d blockDelta) bool {
	switch d.Type {
	case "text_delta":
		b.text.WriteString(d.Text)
		return d.Text == "" || a.say(engine.Text(d.Text))
	case "thinking_delta":
		b.text.WriteString(d.Thinking)
		return d.Thinking == "" || a.say(engine.Reasoning(d.Thinking))
	case "signature_delta":
		b.signature.WriteString(d.Signature)
	case "input_json_delta":
		b.input.WriteString(d.Input)
	case "citations_delta": // notes to a text, which is whole without them
	default:
		b.strange = true
	}
	return true
}

// arguments are a call's as they came, unchecked; "" for none.
func (b *growing) arguments() string {
	if s := b.input.String(); strings.TrimSpace(s) != "" {
		return s
	}
	return string(b.fields["input"])
}

// keep gives the blocks of the answer as they go back. One that the server would refuse, or that did
// not come whole, is left out.
func (a *message) keep() (out []block) {
	for _, b := range a.blocks {
		set := func(name, value string) {
			b.fields[name], _ = encode(value) // a string always encodes
		}
		kept := block{Type: b.kind, Text: b.text.String()}
		set("type", b.kind)
		switch b.kind {
		case blockText:
			if b.strange || blank(kept.Text) {
				continue
			}
			set("text", kept.Text)
		case blockThinking:
			if b.signature.Len() == 0 && a.model.own {
				continue // a forged one would be refused
			}
			set("thinking", kept.Text)
			set("signature", b.signature.String())
		case blockToolUse, blockServerTool:
			kept.Input = object(b.arguments())
			b.fields["input"] = kept.Input
		default:
			if b.strange || b.kind == "" {
				continue
			}
		}
		var err error
		if kept.whole, err = encode(b.fields); err == nil {
			out = append(out, kept)
		}
	}
	return out
}

// object is s where it is one JSON object, else an empty one.
func object(s string) json.RawMessage {
	args := arguments(s)
	var o map[string]json.RawMessage
	if json.Unmarshal(args, &o) != nil || o == nil {
		return json.RawMessage("{}")
	}
	return args
}

// asked gives the calls of the answer.
func (a *message) asked(cut bool) ([]engine.ToolCall, error) {
	c := calls{taken: func(id string) bool {
		for _, msg := range a.taken {
			for _, call := range msg.Calls {
				if string(call.ID) == id {
					return true
				}
			}
		}
		return false
	}}
	for _, b := range a.blocks {
		if b.kind != blockToolUse {
			continue
		}
		p := c.open(piece{id: scalar(b.fields["id"])})
		p.id, p.name = scalar(b.fields["id"]), scalar(b.fields["name"])
		p.args.WriteString(b.arguments())
	}
	return c.done(cut)
}
