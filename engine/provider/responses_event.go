package provider

import (
	"bytes"
	"encoding/json"
	"strings"

	"agentstudio/engine"
)

// The kinds of items that are read; others are passed over.
const (
	itemMessage   = "message"
	itemReasoning = "reasoning"
	itemCall      = "function_call"
)

// responsesEvent is an event of a stream: the parts that are read. Source: OpenAI's API reference of
// Responses, streaming events.
type responsesEvent struct {
	Type     string          `json:"type"`
	Output   count           `json:"output_index"`
	ItemID   content         `json:"item_id"`
	Content  count           `json:"content_index"`
	Summary  count           `json:"summary_index"`
	Delta    spelling        `json:"delta"`
	Text     content         `json:"text"`
	Refusal  content         `json:"refusal"`
	Args     spelling        `json:"arguments"`
	Name     content         `json:"name"`
	Item     *responsesItem  `json:"item"`
	Part     responsesPart   `json:"part"`
	Response *responsesBody  `json:"response"`
	Error    json.RawMessage `json:"error"`
}

// responsesBody is a response as a whole, as far as it has come.
type responsesBody struct {
	Object     string          `json:"object"`
	Status     content         `json:"status"`
	Output     []responsesItem `json:"output"`
	Usage      *responsesUsage `json:"usage"`
	Error      json.RawMessage `json:"error"`
	Incomplete struct {
		Reason content `json:"reason"`
	} `json:"incomplete_details"`
}

type responsesItem struct {
	Type      string          `json:"type"`
	ID        content         `json:"id"`
	Status    content         `json:"status"`
	Phase     content         `json:"phase"`
	Content   responsesParts  `json:"content"`
	Summary   responsesParts  `json:"summary"`
	Encrypted content         `json:"encrypted_content"`
	Call      content         `json:"call_id"`
	Name      content         `json:"name"`
	Args      spelling        `json:"arguments"`
	raw       json.RawMessage // as it came
}

// UnmarshalJSON keeps the bytes as well.
func (i *responsesItem) UnmarshalJSON(b []byte) error {
	type plain responsesItem
	err := json.Unmarshal(b, (*plain)(i))
	i.raw = bytes.Clone(b)
	return err
}

// readable tells whether a server that keeps nothing can read this reasoning when it goes back.
func (i *responsesItem) readable() bool { return i.Encrypted != "" || len(i.Content) > 0 }

type responsesPart struct {
	Type    string  `json:"type"`
	Text    content `json:"text"`
	Refusal content `json:"refusal"`
}

// responsesParts are a list of parts, or a text alone.
type responsesParts []responsesPart

// UnmarshalJSON takes anything; what holds no text is nothing.
func (p *responsesParts) UnmarshalJSON(b []byte) error {
	switch b[0] {
	case '"':
		var text content
		err := json.Unmarshal(b, &text)
		*p = responsesParts{{Type: "output_text", Text: text}}
		return err
	case '[':
		return json.Unmarshal(b, (*[]responsesPart)(p))
	}
	return nil
}

// spelling is a text, or the JSON of any other value.
type spelling string

// UnmarshalJSON takes anything; null is "".
func (s *spelling) UnmarshalJSON(b []byte) error {
	switch {
	case b[0] == '"':
		return json.Unmarshal(b, (*string)(s))
	case string(b) == "null":
		return nil
	}
	var out bytes.Buffer
	err := json.Compact(&out, b)
	*s = spelling(out.String())
	return err
}

type responsesUsage struct {
	Input    count `json:"input_tokens"`
	Output   count `json:"output_tokens"`
	InputDet struct {
		Cached count `json:"cached_tokens"`
	} `json:"input_tokens_details"`
	OutputDet struct {
		Reasoning count `json:"reasoning_tokens"`
	} `json:"output_tokens_details"`
}

func (u *responsesUsage) usage() engine.Usage {
	return engine.Usage{InputTokens: u.Input.n, OutputTokens: u.Output.n, CachedTokens: u.InputDet.Cached.n, ReasoningTokens: u.OutputDet.Reasoning.n}
}

// voice is what a text of an item is: part of the answer, a summary of reasoning, or reasoning.
type voice byte

const (
	speech voice = iota
	gist
	thought
	voices
)

// slot is the place of a text in its item.
type slot struct {
	voice voice
	part  int
}

// saying is a piece of text, or the whole text that its pieces were of.
type saying struct {
	kind    string // of the item
	slot    slot
	text    string
	whole   bool
	refusal bool
}

// says is the text that an event brings; false if it brings none.
func (e *responsesEvent) says() (saying, bool) {
	name, stage, _ := cutLast(e.Type, ".")
	whole := stage == "done"
	if !whole && stage != "delta" {
		return saying{}, false
	}
	text := map[bool]string{false: string(e.Delta), true: string(e.Text)}[whole]
	at, nth := e.Content.or(0), e.Summary.or(0)
	switch strings.TrimPrefix(name, "response.") {
	case "output_text":
		return saying{itemMessage, slot{speech, at}, text, whole, false}, true
	case "refusal":
		if whole {
			text = string(e.Refusal)
		}
		return saying{itemMessage, slot{speech, at}, text, whole, true}, true
	case "reasoning_text":
		return saying{itemReasoning, slot{thought, at}, text, whole, false}, true
	case "reasoning_summary_text":
		return saying{itemReasoning, slot{gist, nth}, text, whole, false}, true
	case "reasoning_summary_part":
		return saying{itemReasoning, slot{gist, nth}, string(e.Part.Text), whole, false}, whole
	case "content_part":
		switch e.Part.Type {
		case "output_text", "refusal":
			return saying{itemMessage, slot{speech, at}, string(e.Part.Text + e.Part.Refusal), whole, e.Part.Refusal != ""}, whole
		case "reasoning_text":
			return saying{itemReasoning, slot{thought, at}, string(e.Part.Text), whole, false}, whole
		}
	}
	return saying{}, false
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return "", s, false
}

func (c count) or(n int) int {
	if c.n == nil {
		return n
	}
	return *c.n
}
