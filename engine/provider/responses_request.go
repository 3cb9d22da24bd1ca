package provider

import (
	"context"
	"encoding/json"

	"agentstudio/engine"
)

// What is sent, as in OpenAI's API reference of Responses.
type (
	responsesRequest struct {
		Model        string          `json:"model"`
		Instructions string          `json:"instructions,omitempty"`
		Input        []any           `json:"input"`
		Tools        []responsesTool `json:"tools,omitempty"`
		Reasoning    *reasoningAsked `json:"reasoning,omitempty"`
		Include      []string        `json:"include,omitempty"`
		CacheKey     string          `json:"prompt_cache_key,omitempty"`
		Store        bool            `json:"store"` // said expressly: true is the default
		Stream       bool            `json:"stream"`
	}
	responsesTool struct {
		Type        string          `json:"type"`
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		Parameters  json.RawMessage `json:"parameters,omitempty"`
		Strict      bool            `json:"strict"` // said expressly: true is the default
	}
	reasoningAsked struct {
		Effort  string `json:"effort"`
		Summary string `json:"summary,omitempty"`
	}
	inputMessage struct {
		Role    string `json:"role"`
		Content any    `json:"content"` // a text, or parts
	}
	inputPart struct {
		Type     string `json:"type"`
		Text     string `json:"text,omitempty"`
		ImageURL string `json:"image_url,omitempty"`
		Detail   string `json:"detail,omitempty"`
	}
	functionCall struct {
		Type      string        `json:"type"`
		ID        string        `json:"id,omitempty"`
		Call      engine.CallID `json:"call_id"`
		Name      string        `json:"name"`
		Arguments string        `json:"arguments"`
	}
	functionOutput struct {
		Type   string        `json:"type"`
		Call   engine.CallID `json:"call_id"`
		Output string        `json:"output"`
	}
)

// body writes the request without some extras.
func (m *responses) body(ctx context.Context, r engine.Request, without extras) ([]byte, error) {
	out := responsesRequest{Model: m.info.ID, Instructions: system(r.System), Input: []any{}, Stream: true, Reasoning: m.effort()}
	if out.Reasoning != nil && without&reasoningSummary != 0 {
		out.Reasoning.Summary = ""
	}
	if without&encryptedReasoning == 0 {
		out.Include = []string{"reasoning.encrypted_content"}
	}
	if without&cacheKey == 0 {
		out.CacheKey = string(r.Session)
	}
	for _, t := range r.Tools {
		out.Tools = append(out.Tools, responsesTool{Type: "function", Name: t.Name, Description: t.Description, Parameters: t.Parameters})
	}
	shown := newGallery(r, m.info)
	for _, msg := range r.Messages {
		if without&earlierReasoning != 0 {
			msg.Continuation = nil
		}
		items, err := m.items(ctx, msg, shown)
		if err != nil {
			return nil, err
		}
		out.Input = append(out.Input, items...)
	}
	b, err := encode(out)
	if err != nil {
		return nil, engine.Errorf(engine.Internal, "the request could not be written: %s", err)
	}
	return b, nil
}

// effort is what is said of thinking: nothing where the model decides.
func (m *responses) effort() *reasoningAsked {
	switch m.thinking {
	case "":
		return nil
	case engine.ThinkingOff, "none":
		return &reasoningAsked{Effort: "none"}
	}
	return &reasoningAsked{Effort: m.thinking, Summary: "auto"}
}

// items are what one message is in a request.
func (m *responses) items(ctx context.Context, msg engine.Message, shown *gallery) ([]any, error) {
	switch msg.Role {
	case engine.RoleTool:
		return []any{functionOutput{"function_call_output", msg.Reply, msg.Text}}, nil
	case engine.RoleAssistant:
		return m.answered(msg), nil
	}
	if images([]engine.Message{msg}) == 0 {
		return []any{inputMessage{"user", msg.Text}}, nil
	}
	var parts []inputPart
	if msg.Text != "" {
		parts = append(parts, inputPart{Type: "input_text", Text: msg.Text})
	}
	err := shown.give(ctx, msg, func(p picture) {
		if p.instead != "" {
			parts = append(parts, inputPart{Type: "input_text", Text: p.instead})
			return
		}
		parts = append(parts, inputPart{Type: "input_image", ImageURL: p.url(), Detail: "auto"})
	})
	return []any{inputMessage{"user", parts}}, err
}

// answered are the items of an earlier answer: as they came, with the reasoning that led to them,
// where this model made them; else text and calls without ids, which would ask for that reasoning.
func (m *responses) answered(msg engine.Message) (out []any) {
	call := func(n int, id string) functionCall {
		c := msg.Calls[n]
		return functionCall{"function_call", id, c.ID, c.Tool, string(c.Args)}
	}
	kept := m.recall(msg)
	if kept == nil {
		if msg.Text != "" {
			out = append(out, inputMessage{"assistant", msg.Text})
		}
		for n := range msg.Calls {
			out = append(out, call(n, ""))
		}
		return out
	}
	n := 0
	for _, k := range kept {
		if k.Type == itemCall {
			out = append(out, call(n, k.ID))
			n++
			continue
		}
		out = append(out, k.raw)
	}
	return out
}
