package provider

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"agentstudio/engine"
)

// What is sent, as in Anthropic's API reference of Messages.
type (
	messagesRequest struct {
		Model     string           `json:"model"`
		MaxTokens int              `json:"max_tokens"`
		System    []block          `json:"system,omitempty"`
		Tools     []messagesTool   `json:"tools,omitempty"`
		Messages  []turn           `json:"messages"`
		Thinking  *thinkingSetting `json:"thinking,omitempty"`
		Output    *outputSetting   `json:"output_config,omitempty"`
		Stream    bool             `json:"stream"`

		prefix string // digest of System, Tools and Messages
	}
	messagesTool struct {
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		InputSchema json.RawMessage `json:"input_schema"`
		Cache       *cacheMark      `json:"cache_control,omitempty"`
	}
	turn struct {
		Role    engine.Role `json:"role"`
		Content []block     `json:"content"`
	}
	// block is a content block of ours, or whole one of the server's, which goes back as it came.
	block struct {
		Type    string          `json:"type"`
		Text    string          `json:"text,omitempty"`
		Source  *imageSource    `json:"source,omitempty"`
		ID      string          `json:"id,omitempty"`
		Name    string          `json:"name,omitempty"`
		Input   json.RawMessage `json:"input,omitempty"`
		Reply   string          `json:"tool_use_id,omitempty"`
		Content string          `json:"content,omitempty"`
		IsError bool            `json:"is_error,omitempty"`
		Cache   *cacheMark      `json:"cache_control,omitempty"`

		whole json.RawMessage
	}
	imageSource struct {
		Type      string `json:"type"`
		MediaType string `json:"media_type"`
		Data      string `json:"data"`
	}
	cacheMark struct {
		Type string `json:"type"`
	}
)

const (
	blockText       = "text"
	blockThinking   = "thinking"
	blockRedacted   = "redacted_thinking"
	blockToolUse    = "tool_use"
	blockServerTool = "server_tool_use"
	blockResult     = "tool_result"
)

// MarshalJSON gives a block of the server's as it came.
func (b block) MarshalJSON() ([]byte, error) {
	if b.whole != nil {
		return b.whole, nil
	}
	type plain block
	return encode(plain(b))
}

// request is what is sent for r.
func (m *messages) request(ctx context.Context, r engine.Request) (*messagesRequest, error) {
	out := &messagesRequest{Model: m.info.ID, Stream: true}
	for _, p := range r.System {
		if !blank(p.Text) {
			out.System = append(out.System, block{Type: blockText, Text: p.Text})
		}
	}
	for _, t := range r.Tools {
		out.Tools = append(out.Tools, messagesTool{Name: t.Name, Description: t.Description, InputSchema: schema(t.Parameters)})
	}
	w := newWriter(m, out, r)
	if err := w.all(ctx, r.Messages); err != nil {
		return nil, err
	}
	m.limit(out)
	out.prefix = w.digest()
	if m.own && r.Purpose != engine.PurposeSummary { // nothing comes after a summary
		out.mark()
	}
	return out, nil
}

// with is the request as JSON, with a paused answer behind its messages if there is one.
func (q messagesRequest) with(paused []block) ([]byte, error) {
	if len(paused) > 0 {
		q.Messages = append(slices.Clip(q.Messages), turn{engine.RoleAssistant, paused})
	}
	b, err := encode(q)
	if err != nil {
		return nil, engine.Errorf(engine.Internal, "the request could not be written: %s", err)
	}
	return b, nil
}

// mark asks the server to keep what is the same in the next request: tools, system prompt, and the
// conversation up to its last block. Of the four marks a request may have it uses three.
// Source: platform.claude.com/docs/en/build-with-claude/prompt-caching.
func (q *messagesRequest) mark() {
	here := &cacheMark{"ephemeral"}
	if n := len(q.Tools); n > 0 {
		q.Tools[n-1].Cache = here
	}
	if n := len(q.System); n > 0 {
		q.System[n-1].Cache = here
	}
	last := q.Messages[len(q.Messages)-1].Content
	last[len(last)-1].Cache = here
}

// schema is a tool's own, or that of any object.
func schema(s json.RawMessage) json.RawMessage {
	if len(s) == 0 {
		return json.RawMessage(`{"type":"object"}`)
	}
	return s
}

// blank tells a text that the server refuses as empty.
func blank(s string) bool { return strings.TrimSpace(s) == "" }
