package provider

import (
	"bytes"
	"encoding/json"

	"agentstudio/engine"
)

// responsesMemory is what a Responses server must be given back with an answer of its own, kept by
// the engine as engine.Continuation. It is used only with the model and origin it came from.
type responsesMemory struct {
	API    string     `json:"api"`
	Origin string     `json:"origin"`
	Model  string     `json:"modelId"`
	Items  []keptItem `json:"items"`
}

// keptItem is an item as it goes back. Reasoning is what the server sent, byte for byte; of a call
// there is only its place and id, since what was called is in the log.
type keptItem struct {
	Type string
	ID   string
	raw  json.RawMessage
}

// keptMessage is a message as it goes back.
type keptMessage struct {
	Type    string     `json:"type"`
	ID      string     `json:"id,omitempty"`
	Role    string     `json:"role"`
	Status  string     `json:"status"`
	Phase   string     `json:"phase,omitempty"`
	Content []keptPart `json:"content"`
}

type keptPart struct {
	Type        string             `json:"type"`
	Text        *string            `json:"text,omitempty"`
	Annotations *[]json.RawMessage `json:"annotations,omitempty"`
	Refusal     *string            `json:"refusal,omitempty"`
}

// MarshalJSON gives the item as it goes back.
func (k keptItem) MarshalJSON() ([]byte, error) { return k.raw, nil }

// UnmarshalJSON takes an object.
func (k *keptItem) UnmarshalJSON(b []byte) error {
	var head struct{ Type, ID string }
	err := json.Unmarshal(b, &head)
	*k = keptItem{head.Type, head.ID, bytes.Clone(b)}
	return err
}

// remember makes the continuation of an answer, nil if there is nothing to keep. Reasoning is kept
// with the item that follows it, which keeps its id then; an item whose reasoning can't go back
// loses it.
func (m *responses) remember(items []*output) engine.Continuation {
	kept := responsesMemory{API: engine.APIResponses, Origin: m.origin, Model: m.info.ID}
	var open []keptItem // reasoning whose item is to come
	paired, worth := false, false
	for _, o := range items {
		switch item, ok := o.kept(paired || len(open) > 0); {
		case ok && o.kind == itemReasoning:
			open = append(open, item)
		case ok:
			paired = paired || len(open) > 0
			worth = worth || paired || o.phase != ""
			kept.Items = append(append(kept.Items, open...), item)
			open = nil
		default:
			open, paired = nil, false
		}
	}
	if !worth {
		return nil
	}
	b, err := encode(kept)
	if err != nil {
		return nil // a fragment that is no JSON can't go back either
	}
	return b
}

// kept is o as it goes back; false for what can't. It has its id only if withID says so.
func (o *output) kept(withID bool) (keptItem, bool) {
	id := ""
	if withID {
		id = o.id
	}
	var v any
	switch o.kind {
	case itemReasoning:
		if o.final == nil || !o.final.readable() {
			return keptItem{}, false
		}
		return keptItem{Type: o.kind, raw: o.final.raw}, true
	case itemCall:
		v = struct {
			Type string `json:"type"`
			ID   string `json:"id,omitempty"`
		}{o.kind, id}
	case itemMessage:
		parts := o.parts()
		if len(parts) == 0 {
			return keptItem{}, false
		}
		v = keptMessage{o.kind, id, "assistant", "completed", o.phase, parts}
	default:
		return keptItem{}, false
	}
	raw, err := encode(v)
	return keptItem{o.kind, id, raw}, err == nil
}

// parts are a message's parts as they go back.
func (o *output) parts() (out []keptPart) {
	if o.final == nil {
		text := o.said(speech)
		if text == "" {
			return nil
		}
		return []keptPart{{Type: "output_text", Text: &text, Annotations: &[]json.RawMessage{}}}
	}
	for _, p := range o.final.Content {
		text, refusal := string(p.Text), string(p.Refusal)
		switch {
		case refusal != "":
			out = append(out, keptPart{Type: "refusal", Refusal: &refusal})
		case text != "":
			out = append(out, keptPart{Type: "output_text", Text: &text, Annotations: &[]json.RawMessage{}})
		}
	}
	return out
}

// recall reads the continuation of a message; nil if it is another model's or doesn't fit.
func (m *responses) recall(msg engine.Message) []keptItem {
	var kept responsesMemory
	if len(msg.Continuation) == 0 || json.Unmarshal(msg.Continuation, &kept) != nil ||
		kept.API != engine.APIResponses || kept.Origin != m.origin || kept.Model != m.info.ID {
		return nil
	}
	calls := 0
	for _, k := range kept.Items {
		switch k.Type {
		case itemReasoning, itemMessage:
		case itemCall:
			calls++
		default:
			return nil
		}
	}
	if calls != len(msg.Calls) {
		return nil
	}
	return kept.Items
}
