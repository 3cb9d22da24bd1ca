package provider

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"agentstudio/engine"
)

// chunk is a piece of a chat completion, or a whole one: the parts that are read, as tolerant as
// the servers are different. Source: OpenAI's API reference and what compatible servers send.
type chunk struct {
	Object  string          `json:"object"`
	Choices []choice        `json:"choices"`
	Usage   *tokens         `json:"usage"`
	Error   json.RawMessage `json:"error"`
	Message json.RawMessage `json:"message"` // of an error without a wrapper
}

type choice struct {
	Index   int             `json:"index"`
	Delta   *delta          `json:"delta"`
	Message *delta          `json:"message"` // in place of Delta when it did not stream
	Finish  string          `json:"finish_reason"`
	Usage   *tokens         `json:"usage"`
	Error   json.RawMessage `json:"error"`
}

type delta struct {
	Content   content         `json:"content"`
	Refusal   content         `json:"refusal"`
	Reasoning content         `json:"reasoning"`
	ReasonC   content         `json:"reasoning_content"`
	ReasonT   content         `json:"reasoning_text"`
	Details   json.RawMessage `json:"reasoning_details"`
	Calls     []piece         `json:"tool_calls"`
	Function  *functionPiece  `json:"function_call"` // the form before tool_calls
}

// thought is the reasoning of a delta and the field it came in. Some servers send two copies.
func (d *delta) thought() (text, field string) {
	switch {
	case d.ReasonC != "":
		return string(d.ReasonC), "reasoning_content"
	case d.Reasoning != "":
		return string(d.Reasoning), "reasoning"
	}
	return string(d.ReasonT), "reasoning_text"
}

// fault is the error that c holds instead of a piece, in one of the shapes in which servers put one
// into a stream that began well.
func (c *chunk) fault(raw []byte) (fault, bool) {
	if said(c.Error) {
		return jsonFault(raw), true
	}
	for _, ch := range c.Choices {
		if said(ch.Error) {
			return jsonFault(ch.Error), true
		}
	}
	if c.Object == "error" || len(c.Choices) == 0 && c.Usage == nil && said(c.Message) {
		return jsonFault(raw), true
	}
	return fault{}, false
}

// said tells whether an error field says that there is one.
func said(raw json.RawMessage) bool {
	switch string(raw) {
	case "", "null", "false", `""`, "{}", "[]":
		return false
	}
	return true
}

// content is text, or a list of parts with text in them, or null.
type content string

// UnmarshalJSON takes anything; what holds no text is "".
func (c *content) UnmarshalJSON(b []byte) error {
	switch b[0] {
	case '"':
		return json.Unmarshal(b, (*string)(c))
	case '[':
		var parts []struct {
			Text    content `json:"text"`
			Refusal content `json:"refusal"`
		}
		if json.Unmarshal(b, &parts) == nil {
			for _, p := range parts {
				*c += p.Text + p.Refusal
			}
		}
	}
	return nil
}

// tokens are a server's figures. Each may be missing; missing is unknown.
type tokens struct {
	Prompt     count `json:"prompt_tokens"`
	Completion count `json:"completion_tokens"`
	Cached     count `json:"cached_tokens"`
	CacheHit   count `json:"prompt_cache_hit_tokens"`
	PromptDet  struct {
		Cached count `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	OutputDet struct {
		Reasoning count `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

// count is a figure of tokens, nil if it is unknown.
type count struct{ n *int }

// UnmarshalJSON takes anything; what is no figure is unknown.
func (c *count) UnmarshalJSON(b []byte) error {
	const most = 1 << 40
	f, err := strconv.ParseFloat(string(b), 64)
	if err == nil && f >= 0 && f < most {
		n := int(f)
		c.n = &n
	}
	return nil
}

func (t *tokens) usage() engine.Usage {
	u := engine.Usage{InputTokens: t.Prompt.n, OutputTokens: t.Completion.n, ReasoningTokens: t.OutputDet.Reasoning.n}
	for _, c := range []count{t.PromptDet.Cached, t.CacheHit, t.Cached} {
		if u.CachedTokens == nil {
			u.CachedTokens = c.n
		}
	}
	return u
}

// piece is a part of a tool call. What is not known of it goes back to the server as it came.
type piece struct {
	index    *int
	id       string
	function functionPiece
	more     map[string]json.RawMessage
}

type functionPiece struct {
	name string
	args string
	more map[string]json.RawMessage
}

// UnmarshalJSON takes anything.
func (p *piece) UnmarshalJSON(b []byte) error {
	var o map[string]json.RawMessage
	if json.Unmarshal(b, &o) != nil {
		return nil // no object: it says nothing
	}
	if n, err := strconv.Atoi(scalar(o["index"])); err == nil {
		p.index = &n
	}
	p.id = scalar(o["id"])
	if f, ok := o["function"]; ok {
		if err := json.Unmarshal(f, &p.function); err != nil {
			return err
		}
	}
	p.more = without(o, "index", "id", "type", "function")
	return nil
}

// UnmarshalJSON takes anything; arguments may be a string or the object itself.
func (f *functionPiece) UnmarshalJSON(b []byte) error {
	var o map[string]json.RawMessage
	if json.Unmarshal(b, &o) != nil {
		return nil // no object: it says nothing
	}
	f.name = scalar(o["name"])
	args := o["arguments"]
	switch {
	case len(args) == 0 || string(args) == "null":
	case args[0] == '"':
		f.args = scalar(args)
	default:
		var b bytes.Buffer
		if err := json.Compact(&b, args); err != nil {
			return err
		}
		f.args = b.String()
	}
	f.more = without(o, "name", "arguments")
	return nil
}

// without is o less the named fields and those that are null; nil if nothing is left.
func without(o map[string]json.RawMessage, names ...string) map[string]json.RawMessage {
	maps.DeleteFunc(o, func(k string, v json.RawMessage) bool {
		return slices.Contains(names, k) || strings.TrimSpace(string(v)) == "null"
	})
	if len(o) == 0 {
		return nil
	}
	return o
}
