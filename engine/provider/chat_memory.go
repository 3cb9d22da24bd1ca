package provider

import (
	"encoding/json"

	"agentstudio/engine"
)

// memory is what a chat server must be given back with an answer of its own, kept by the engine as
// engine.Continuation. It is used only with the model and origin it came from.
type memory struct {
	API       string            `json:"api"`
	Origin    string            `json:"origin"`
	Model     string            `json:"modelId"`
	Field     string            `json:"reasoningField,omitempty"`
	Reasoning string            `json:"reasoning,omitempty"`
	Details   []json.RawMessage `json:"reasoningDetails,omitempty"`
	Calls     []callMemory      `json:"calls,omitempty"` // one for each call, in order, or none at all
}

type callMemory struct {
	More     map[string]json.RawMessage `json:"more,omitempty"`
	Function map[string]json.RawMessage `json:"function,omitempty"`
}

// remember makes the continuation of an answer with calls, nil if there is nothing to keep.
func (m *chat) remember(a *answer) engine.Continuation {
	kept := memory{API: engine.APIChat, Origin: m.origin, Model: m.info.ID, Details: a.details}
	if a.thoughts.Len() > 0 {
		kept.Field, kept.Reasoning = a.field, a.thoughts.String()
	}
	for _, p := range a.calls.list {
		if p.more != nil || p.moreFun != nil {
			kept.Calls = make([]callMemory, len(a.calls.list))
		}
	}
	for i := range kept.Calls {
		kept.Calls[i] = callMemory{a.calls.list[i].more, a.calls.list[i].moreFun}
	}
	if kept.Reasoning == "" && kept.Details == nil && kept.Calls == nil {
		return nil
	}
	b, err := json.Marshal(kept)
	if err != nil {
		return nil // a fragment that is no JSON can't go back either
	}
	return b
}

// recall reads the continuation of a message; the zero memory if it is another model's.
func (m *chat) recall(msg engine.Message) memory {
	var kept memory
	if len(msg.Continuation) == 0 || json.Unmarshal(msg.Continuation, &kept) != nil ||
		kept.API != engine.APIChat || kept.Origin != m.origin || kept.Model != m.info.ID {
		return memory{}
	}
	if len(kept.Calls) != len(msg.Calls) {
		kept.Calls = nil
	}
	switch kept.Field {
	case "reasoning_content", "reasoning", "reasoning_text":
	default:
		kept.Field, kept.Reasoning = "", ""
	}
	return kept
}
