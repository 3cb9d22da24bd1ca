package provider

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"agentstudio/engine"
)

// responsesDialect is openai-responses.
func responsesDialect() dialect {
	return dialect{name: "responses", api: engine.APIResponses, path: "/responses", keyHeader: "Authorization", make: NewResponses,
		check: checkResponses, terminal: responsesTerminal, hi: spoke("hi") + completed("")}
}

// happened is an event of a stream.
func happened(kind, fields string) string {
	if fields != "" {
		fields = "," + fields
	}
	return "event: " + kind + "\ndata: {\"type\":\"" + kind + "\"" + fields + "}\n\n"
}

// spoke is a text delta; completed ends an answer with more fields of the response.
func spoke(text string) string {
	quoted, _ := json.Marshal(text)
	return happened("response.output_text.delta", `"item_id":"msg_1","output_index":0,"content_index":0,"delta":`+string(quoted))
}

func completed(more string) string { return ended("completed", more) }

func ended(how, more string) string {
	if more != "" {
		more = "," + more
	}
	return happened("response."+how, `"response":{"id":"resp_1","object":"response","status":"`+how+`"`+more+`}`)
}

// responsesTerminal is the last byte of the terminal event's data.
func responsesTerminal(t testing.TB, body string) int {
	t.Helper()
	for _, kind := range []string{"completed", "incomplete", "failed"} {
		n := strings.Index(body, `data: {"type":"response.`+kind+`"`)
		if n < 0 {
			continue
		}
		if line := strings.IndexAny(body[n:], "\r\n"); line >= 0 {
			return n + line
		}
		return len(body)
	}
	t.Fatal("no terminal mark")
	return 0
}

// sentResponses is a request as the checker reads it; a field that isn't here is one too many.
type sentResponses struct {
	Model        string
	Instructions string
	Input        []json.RawMessage
	Tools        []struct {
		Type, Name, Description string
		Parameters              map[string]any
		Strict                  *bool
	}
	Reasoning *struct{ Effort, Summary string }
	Include   []string
	CacheKey  *string `json:"prompt_cache_key"`
	Store     *bool
	Stream    bool
}

// sentItem is an item of any kind but reasoning.
type sentItem struct {
	Type, Role, ID, Status, Phase string
	Content                       json.RawMessage
	Call                          string `json:"call_id"`
	Name                          string
	Arguments, Output             *string
}

type sentPart struct {
	Type, Text, Refusal, Detail string
	ImageURL                    string `json:"image_url"`
	Annotations                 []any
}

func strictly(b []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	return d.Decode(v)
}

// checkResponses judges what is said expressly, and the items, their ids and their order.
func checkResponses(t testing.TB, _ *http.Request, body []byte) {
	t.Helper()
	var r sentResponses
	if err := strictly(body, &r); err != nil {
		t.Fatalf("%v in the request %s", err, body)
	}
	if r.Model == "" || !r.Stream || r.Store == nil || *r.Store || len(r.Input) == 0 {
		t.Errorf("a request without model, stream, store or input: %s", body)
	}
	for _, tool := range r.Tools {
		if tool.Type != "function" || tool.Name == "" || tool.Parameters == nil || tool.Strict == nil || *tool.Strict {
			t.Errorf("a tool that is none, or whose strictness is not said: %+v", tool)
		}
	}
	if r.Include != nil && !slices.Equal(r.Include, []string{"reasoning.encrypted_content"}) || r.CacheKey != nil && (*r.CacheKey == "" || len(*r.CacheKey) > 64) {
		t.Errorf("include %q, cache key %v", r.Include, r.CacheKey)
	}
	if e := r.Reasoning; e != nil && (!slices.Contains([]string{"none", "minimal", "low", "medium", "high", "xhigh", "max"}, e.Effort) || e.Summary != "" && e.Summary != "auto") {
		t.Errorf("reasoning %+v", *e)
	}
	c := itemsCheck{t: t, ids: map[string]bool{}}
	for n, raw := range r.Input {
		c.item(n, raw)
	}
	if c.lonely || len(c.open) > 0 || c.last == "assistant" || c.last == itemCall {
		t.Errorf("the request ends with %s, open calls: %v", c.last, c.open)
	}
}

// itemsCheck walks over the items of a request.
type itemsCheck struct {
	t      testing.TB
	ids    map[string]bool
	open   []string // calls without their result
	last   string
	paired bool // reasoning belongs to the answer that the items are of
	lonely bool // reasoning has come, and not yet what it led to
}

func (c *itemsCheck) item(n int, raw json.RawMessage) {
	c.t.Helper()
	var head struct{ Type, Role, ID string }
	if err := json.Unmarshal(raw, &head); err != nil {
		c.t.Fatalf("item %d: %v", n, err)
	}
	kind := head.Type
	if kind == "" || kind == itemMessage {
		kind = head.Role
	}
	ofAnswer := kind == "assistant" || kind == itemCall || kind == itemReasoning
	if !ofAnswer && c.lonely {
		c.t.Errorf("item %d: reasoning is not followed by what it led to", n)
	}
	if head.ID != "" {
		if c.ids[head.ID] || kind != itemReasoning && !c.paired || !ofAnswer {
			c.t.Errorf("item %d has the id %s, which is there twice or belongs to reasoning that isn't", n, head.ID)
		}
		c.ids[head.ID] = true
	}
	if kind != "function_call_output" && !ofAnswer && len(c.open) > 0 {
		c.t.Errorf("item %d comes before the results of %v", n, c.open)
	}
	if kind == itemReasoning {
		c.reasoning(n, raw)
	} else {
		c.other(n, kind, raw)
	}
	c.paired = kind == itemReasoning || c.paired && ofAnswer
	c.lonely = kind == itemReasoning
	c.last = kind
}

func (c *itemsCheck) reasoning(n int, raw json.RawMessage) {
	c.t.Helper()
	var r struct {
		ID        string
		Summary   *[]any
		Content   []any
		Encrypted string `json:"encrypted_content"`
	}
	if err := json.Unmarshal(raw, &r); err != nil || r.ID == "" || r.Summary == nil || r.Encrypted == "" && len(r.Content) == 0 {
		c.t.Errorf("item %d is reasoning that nobody can read: %s", n, raw)
	}
}

func (c *itemsCheck) other(n int, kind string, raw json.RawMessage) {
	c.t.Helper()
	var i sentItem
	if err := strictly(raw, &i); err != nil {
		c.t.Fatalf("item %d: %v in %s", n, err, raw)
	}
	switch kind {
	case "user", "assistant":
		if (i.Status != "" && i.Status != "completed") || i.Phase != "" && kind == "user" {
			c.t.Errorf("item %d: %s", n, raw)
		}
		c.content(n, kind, i.Content)
	case itemCall:
		var args map[string]any
		if i.Call == "" || slices.Contains(c.open, i.Call) || c.ids["call "+i.Call] || i.Name == "" || i.Arguments == nil || json.Unmarshal([]byte(*i.Arguments), &args) != nil || args == nil {
			c.t.Errorf("item %d is a call that is none, or with an id twice: %s", n, raw)
		}
		c.ids["call "+i.Call] = true
		c.open = append(c.open, i.Call)
	case "function_call_output":
		if i.Output == nil || len(c.open) == 0 || c.open[0] != i.Call {
			c.t.Errorf("item %d answers %q, open are %v", n, i.Call, c.open)
			return
		}
		c.open = c.open[1:]
	default:
		c.t.Errorf("item %d is %s", n, raw)
	}
}

func (c *itemsCheck) content(n int, role string, raw json.RawMessage) {
	c.t.Helper()
	var text string
	if json.Unmarshal(raw, &text) == nil {
		if text == "" {
			c.t.Errorf("item %d is empty", n)
		}
		return
	}
	var parts []sentPart
	if err := strictly(raw, &parts); err != nil || len(parts) == 0 {
		c.t.Errorf("item %d has the content %s", n, raw)
	}
	may := map[string][]string{"user": {"input_text", "input_image"}, "assistant": {"output_text", "refusal"}}[role]
	for _, p := range parts {
		image := p.Type == "input_image"
		if !slices.Contains(may, p.Type) || p.Text+p.Refusal == "" && !image || image && !strings.HasPrefix(p.ImageURL, "data:image/") {
			c.t.Errorf("item %d has the part %+v", n, p)
		}
	}
}
