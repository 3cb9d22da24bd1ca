package provider

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"agentstudio/engine"
)

// messagesMemory is what a server must be given back with an answer of its own, kept by the engine as
// engine.Continuation. It is used only with the API, origin and model it came from.
type messagesMemory struct {
	API    string `json:"api"`
	Origin string `json:"origin"`
	Model  string `json:"modelId"`
	// Prefix is the digest of the request that the answer came to. The thinking in Blocks belongs to it.
	Prefix string            `json:"prefix,omitempty"`
	Blocks []json.RawMessage `json:"blocks,omitempty"` // the whole answer, as it came
	// Refused says that the answer was broken off as refused: it is not sent again.
	Refused bool `json:"refused,omitempty"`
}

// remember makes the continuation of an answer; nil where it would be written just as it came.
func (a *message) remember(refused bool) engine.Continuation {
	m := a.model
	mem := messagesMemory{API: engine.APIAnthropic, Origin: m.origin, Model: m.info.ID, Refused: refused}
	if !refused {
		whole := slices.Concat(a.paused, a.keep())
		if plain(whole) {
			return nil
		}
		mem.Prefix = a.prefix
		for _, b := range whole {
			mem.Blocks = append(mem.Blocks, b.whole)
		}
	}
	b, err := encode(mem)
	if err != nil {
		return nil // a fragment that is no JSON can't go back either
	}
	return b
}

// plain tells an answer that is written from its text and calls just as it came: at most one text,
// then calls whose arguments are in the engine's own form.
func plain(blocks []block) bool {
	for i, b := range blocks {
		switch {
		case b.Type == blockText && i == 0:
		case b.Type == blockToolUse && sameInput(b.Input, b.Input):
		default:
			return false
		}
	}
	return true
}

// recall reads the continuation of a message; false if there is none or it is another model's.
func (m *messages) recall(msg engine.Message) (messagesMemory, bool) {
	var mem messagesMemory
	ok := len(msg.Continuation) > 0 && json.Unmarshal(msg.Continuation, &mem) == nil &&
		mem.API == engine.APIAnthropic && mem.Origin == m.origin && mem.Model == m.info.ID
	return mem, ok
}

// answered writes an answer of the model: as it came, where that is known and still fits, else from
// its text and calls. Thinking that belongs to another request than this one is left out.
func (m *messages) answered(msg engine.Message, w *writer) []block {
	mem, ok := m.recall(msg)
	if ok && mem.Refused {
		return nil
	}
	if ok {
		if blocks, same := mem.blocks(msg, w); same {
			return blocks
		}
	}
	var out []block
	if !blank(msg.Text) {
		out = append(out, block{Type: blockText, Text: msg.Text})
	}
	for _, c := range msg.Calls {
		out = append(out, call(c, w))
	}
	return out
}

func call(c engine.Call, w *writer) block {
	const most = 128
	return block{Type: blockToolUse, ID: w.id(c.ID), Name: plainName(c.Tool, most), Input: c.Args}
}

// blocks gives the kept blocks of an answer if they say what msg says.
func (mem messagesMemory) blocks(msg engine.Message, w *writer) (out []block, same bool) {
	var text strings.Builder
	calls := msg.Calls
	valid := mem.Prefix == w.digest()
	for _, raw := range mem.Blocks {
		var b struct { // the rest of it is the server's affair
			Type, Text, ID, Name string
			Input                json.RawMessage
		}
		if json.Unmarshal(raw, &b) != nil || b.Type == "" {
			return nil, false
		}
		switch {
		case (b.Type == blockThinking || b.Type == blockRedacted) && !valid:
			continue
		case b.Type == blockText:
			text.WriteString(b.Text)
		case b.Type == blockToolUse:
			if len(calls) == 0 || !sameInput(b.Input, calls[0].Args) {
				return nil, false
			}
			own := call(calls[0], w)
			calls = calls[1:]
			if own.ID != b.ID || own.Name != b.Name {
				out = append(out, own) // the studio knows it by another id
				continue
			}
		}
		out = append(out, block{Type: b.Type, whole: raw})
	}
	return out, len(calls) == 0 && text.String() == msg.Text && len(out) > 0
}

func sameInput(sent, args json.RawMessage) bool {
	canonical, err := engine.Canonical(sent)
	return err == nil && bytes.Equal(canonical, args)
}
