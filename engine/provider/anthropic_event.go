package provider

import (
	"cmp"
	"encoding/json"
	"errors"

	"agentstudio/engine"
)

// messagesEvent is one event of a stream, or a whole message: the parts that are read. Its type is in
// the data; the event's own name says the same and is not needed.
// Source: platform.claude.com/docs/en/build-with-claude/streaming.
type messagesEvent struct {
	Type    string          `json:"type"`
	Index   count           `json:"index"`
	Message wholeMessage    `json:"message"`
	Block   json.RawMessage `json:"content_block"`
	Delta   blockDelta      `json:"delta"`
	Usage   messagesTokens  `json:"usage"`
	Error   json.RawMessage `json:"error"`
}

type wholeMessage struct {
	Type    string            `json:"type"`
	Content []json.RawMessage `json:"content"`
	Reason  string            `json:"stop_reason"`
	Details stopDetails       `json:"stop_details"`
	Usage   messagesTokens    `json:"usage"`
	Error   json.RawMessage   `json:"error"`
}

type blockDelta struct {
	Type      string      `json:"type"`
	Text      string      `json:"text"`
	Thinking  string      `json:"thinking"`
	Signature string      `json:"signature"`
	Input     string      `json:"partial_json"`
	Reason    string      `json:"stop_reason"`
	Details   stopDetails `json:"stop_details"`
}

type stopDetails struct {
	Explanation string `json:"explanation"`
}

// readEvent reads the data of an event. A field of another kind than it should be is none, so that
// events of the future may look as they like; false for what is no event of this dialect at all.
func readEvent(e event, data []byte) (m messagesEvent, ok bool) {
	var odd *json.UnmarshalTypeError
	if err := json.Unmarshal(data, &m); err != nil && !errors.As(err, &odd) {
		return m, false
	}
	m.Type = cmp.Or(m.Type, string(e.name))
	return m, m.Type != "" || said(m.Error)
}

// messagesTokens are a server's figures. Fresh input and what is written to and read from the cache
// are counted apart. Each may be missing; missing is unknown.
type messagesTokens struct {
	Input   count `json:"input_tokens"`
	Written count `json:"cache_creation_input_tokens"`
	Read    count `json:"cache_read_input_tokens"`
	Output  count `json:"output_tokens"`
	Details struct {
		Thinking count `json:"thinking_tokens"`
	} `json:"output_tokens_details"`
}

// replace takes each figure that newer knows: all of them are totals so far.
func (t *messagesTokens) replace(newer messagesTokens) {
	for _, f := range []struct{ to, from *count }{{&t.Input, &newer.Input}, {&t.Written, &newer.Written}, {&t.Read, &newer.Read},
		{&t.Output, &newer.Output}, {&t.Details.Thinking, &newer.Details.Thinking}} {
		if f.from.n != nil {
			*f.to = *f.from
		}
	}
}

func (t *messagesTokens) usage() engine.Usage {
	u := engine.Usage{OutputTokens: t.Output.n, CachedTokens: t.Read.n, CacheWriteTokens: t.Written.n, ReasoningTokens: t.Details.Thinking.n}
	if t.Input.n != nil {
		u.InputTokens = plus(plus(t.Input.n, t.Written.n), t.Read.n)
	}
	return u
}

// plus adds two figures; what is unknown adds nothing.
func plus(a, b *int) *int {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	n := *a + *b
	return &n
}

// both is the usage of an answer that took two calls.
func both(a, b engine.Usage) engine.Usage {
	return engine.Usage{InputTokens: plus(a.InputTokens, b.InputTokens), OutputTokens: plus(a.OutputTokens, b.OutputTokens),
		CachedTokens: plus(a.CachedTokens, b.CachedTokens), CacheWriteTokens: plus(a.CacheWriteTokens, b.CacheWriteTokens),
		ReasoningTokens: plus(a.ReasoningTokens, b.ReasoningTokens)}
}
