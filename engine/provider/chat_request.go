package provider

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"agentstudio/engine"
)

// What is sent, as in OpenAI's API reference of Chat Completions.
type (
	chatRequest struct {
		Model         string         `json:"model"`
		Messages      []any          `json:"messages"`
		Tools         []chatTool     `json:"tools,omitempty"`
		Stream        bool           `json:"stream"`
		StreamOptions *streamOptions `json:"stream_options,omitempty"`
		Effort        string         `json:"reasoning_effort,omitempty"`
	}
	streamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	}
	chatTool struct {
		Type     string       `json:"type"`
		Function chatFunction `json:"function"`
	}
	chatFunction struct {
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		Parameters  json.RawMessage `json:"parameters,omitempty"`
	}
	plainMessage struct {
		Role    string `json:"role"`
		Content any    `json:"content"` // a text, or parts
	}
	toolMessage struct {
		Role    string        `json:"role"`
		Call    engine.CallID `json:"tool_call_id"`
		Content string        `json:"content"`
	}
	assistantMessage struct {
		Role    string  `json:"role"`
		Content *string `json:"content"` // null where there are only calls
		Calls   []any   `json:"tool_calls,omitempty"`
	}
	chatCall struct {
		ID       engine.CallID `json:"id"`
		Type     string        `json:"type"`
		Function any           `json:"function"`
	}
	calledFunction struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	}
	part struct {
		Type  string    `json:"type"`
		Text  string    `json:"text,omitempty"`
		Image *imageURL `json:"image_url,omitempty"`
	}
	imageURL struct {
		URL string `json:"url"`
	}
)

// body writes the request. usage asks for figures at the end of the stream, which a few old servers
// refuse.
func (m *chat) body(ctx context.Context, r engine.Request, usage bool) ([]byte, error) {
	out := chatRequest{Model: m.info.ID, Stream: true, Effort: m.thinking}
	if m.thinking == engine.ThinkingOff {
		out.Effort = "none"
	}
	if usage {
		out.StreamOptions = &streamOptions{IncludeUsage: true}
	}
	for _, t := range r.Tools {
		out.Tools = append(out.Tools, chatTool{"function", chatFunction{t.Name, t.Description, t.Parameters}})
	}
	if s := system(r.System); s != "" {
		out.Messages = append(out.Messages, plainMessage{"system", s})
	}
	loop := 0 // where the present tool loop begins: reasoning before it is not sent again
	for i, msg := range r.Messages {
		if msg.Role == engine.RoleUser {
			loop = i
		}
	}
	shown := newGallery(r, m.info)
	for i, msg := range r.Messages {
		sent, err := m.message(ctx, msg, i > loop, shown)
		if err != nil {
			return nil, err
		}
		out.Messages = append(out.Messages, sent)
	}
	b, err := encode(out)
	if err != nil {
		return nil, engine.Errorf(engine.Internal, "the request could not be written: %s", err)
	}
	return b, nil
}

// system joins the parts, as every server takes one system message and few take more.
func system(parts []engine.SystemPart) string {
	texts := make([]string, 0, len(parts))
	for _, p := range parts {
		if p.Text != "" {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n\n")
}

func (m *chat) message(ctx context.Context, msg engine.Message, inLoop bool, shown *gallery) (any, error) {
	switch msg.Role {
	case engine.RoleTool:
		return toolMessage{"tool", msg.Reply, msg.Text}, nil
	case engine.RoleAssistant:
		return m.assistant(msg, inLoop)
	}
	if images([]engine.Message{msg}) == 0 {
		return plainMessage{"user", msg.Text}, nil
	}
	parts, err := m.parts(ctx, msg, shown)
	return plainMessage{"user", parts}, err
}

func (m *chat) assistant(msg engine.Message, inLoop bool) (any, error) {
	out := assistantMessage{Role: "assistant"}
	if msg.Text != "" || len(msg.Calls) == 0 {
		out.Content = &msg.Text
	}
	kept := m.recall(msg)
	for i, c := range msg.Calls {
		function := any(calledFunction{c.Tool, string(c.Args)})
		if kept.Calls != nil && len(kept.Calls[i].Function) > 0 {
			var err error
			if function, err = withMore(function, kept.Calls[i].Function); err != nil {
				return nil, err
			}
		}
		call := any(chatCall{c.ID, "function", function})
		if kept.Calls != nil && len(kept.Calls[i].More) > 0 {
			var err error
			if call, err = withMore(call, kept.Calls[i].More); err != nil {
				return nil, err
			}
		}
		out.Calls = append(out.Calls, call)
	}
	if !inLoop || len(msg.Calls) == 0 {
		return out, nil
	}
	more := map[string]json.RawMessage{}
	if kept.Reasoning != "" {
		more[kept.Field], _ = json.Marshal(kept.Reasoning) // a string always encodes
	}
	if kept.Details != nil {
		more["reasoning_details"], _ = json.Marshal(kept.Details) // has been JSON before
	}
	return withMore(out, more)
}

// parts are a message's text and its images.
func (m *chat) parts(ctx context.Context, msg engine.Message, shown *gallery) (out []part, err error) {
	if msg.Text != "" {
		out = []part{{Type: "text", Text: msg.Text}} // some servers refuse an empty one
	}
	err = shown.give(ctx, msg, func(p picture) {
		if p.instead != "" {
			out = append(out, part{Type: "text", Text: p.instead})
			return
		}
		out = append(out, part{Type: "image_url", Image: &imageURL{p.url()}})
	})
	return out, err
}

// withMore is the object v with more fields behind its own, sorted by name. A field of v is never
// replaced.
func withMore(v any, more map[string]json.RawMessage) (json.RawMessage, error) {
	b, err := encode(v)
	if err != nil || len(more) == 0 {
		return b, err
	}
	var own map[string]json.RawMessage
	if err := json.Unmarshal(b, &own); err != nil {
		return nil, err
	}
	b = b[:len(b)-1]
	for _, name := range slices.Sorted(maps.Keys(more)) {
		if _, taken := own[name]; taken {
			continue
		}
		key, _ := json.Marshal(name) // a string always encodes
		b = append(append(append(append(b, ','), key...), ':'), more[name]...)
	}
	return append(b, '}'), nil
}

// encode writes v without escaping <, > and &, which people's code is full of.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}
