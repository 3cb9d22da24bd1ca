package provider

import (
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"agentstudio/engine"
)

// messagesDialect is anthropic-messages.
func messagesDialect() dialect {
	return dialect{name: "messages", api: engine.APIAnthropic, path: "/v1/messages", keyHeader: "X-Api-Key", make: NewAnthropic,
		check: checkMessages, terminal: messagesTerminal, hi: messagesText("hi")}
}

// messagesStream is a stream of the given data, then the two events that end it for reason.
func messagesStream(reason string, data ...string) string {
	var b strings.Builder
	for _, d := range append(data, `{"type":"message_delta","delta":{"stop_reason":"`+reason+`"}}`, `{"type":"message_stop"}`) {
		b.WriteString("data: " + d + "\n\n")
	}
	return b.String()
}

// messagesText is a whole stream with a text.
func messagesText(text string) string {
	quoted, _ := json.Marshal(text)
	return messagesStream("end_turn", `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":`+string(quoted)+`}}`)
}

// messagesTerminal is the last byte of message_stop.
func messagesTerminal(t testing.TB, body string) int {
	t.Helper()
	const mark = `"type":"message_stop"}`
	n := strings.Index(body, mark)
	if n < 0 {
		t.Fatal("no terminal mark")
	}
	return n + len(mark)
}

// sentBlock is a content block of a request, with the fields that the server knows.
type sentBlock struct {
	Type      string
	Text      *string
	Thinking  *string
	Signature *string
	Data      *string
	ID, Name  string
	Input     json.RawMessage
	Reply     string `json:"tool_use_id"`
	Content   any
	IsError   bool `json:"is_error"`
	Source    *struct {
		Type, Data string
		MediaType  string `json:"media_type"`
	}
	Cache *struct{ Type string } `json:"cache_control"`
}

type sentMessages struct {
	Model     string
	Stream    bool
	MaxTokens int `json:"max_tokens"`
	System    []sentBlock
	Tools     []struct {
		Name        string
		Description *string
		Schema      map[string]any         `json:"input_schema"`
		Cache       *struct{ Type string } `json:"cache_control"`
	}
	Messages []struct {
		Role    string
		Content []sentBlock
	}
	Thinking *struct {
		Type, Display string
		Budget        int `json:"budget_tokens"`
	}
	Output *struct{ Effort string } `json:"output_config"`
}

// checkMessages judges limits, roles, blocks, ids and their order, and where cache marks stand.
func checkMessages(t testing.TB, req *http.Request, body []byte) {
	t.Helper()
	var r sentMessages
	d := json.NewDecoder(strings.NewReader(string(body)))
	if err := d.Decode(&r); err != nil {
		t.Fatalf("%v\n%s", err, body)
	}
	var fields map[string]json.RawMessage
	_ = json.Unmarshal(body, &fields)
	for name := range fields {
		if !slices.Contains([]string{"model", "max_tokens", "system", "tools", "messages", "thinking", "output_config", "stream"}, name) {
			t.Errorf("a field that nobody knows: %s", name)
		}
	}
	if req.Header.Get("Anthropic-Version") != "2023-06-01" || req.Header.Get("Authorization") != "" {
		t.Errorf("headers %v", req.Header)
	}
	if r.Model == "" || !r.Stream || r.MaxTokens < 1 || r.MaxTokens > 32000 || len(r.Messages) == 0 {
		t.Errorf("model %q, stream %v, max_tokens %d, %d messages", r.Model, r.Stream, r.MaxTokens, len(r.Messages))
	}
	checkThinking(t, &r)
	checkMarks(t, req.URL.Hostname(), &r, body)
	for _, b := range r.System {
		if b.Type != "text" || b.Text == nil || strings.TrimSpace(*b.Text) == "" {
			t.Errorf("a part of the system prompt is none: %+v", b)
		}
	}
	for _, tool := range r.Tools {
		if !plainWord.MatchString(tool.Name) || tool.Schema["type"] != "object" {
			t.Errorf("a tool that is none: %+v", tool)
		}
	}
	checkTurns(t, &r)
}

var plainWord = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,128}$`)

func checkThinking(t testing.TB, r *sentMessages) {
	t.Helper()
	if th := r.Thinking; th != nil {
		switch th.Type {
		case "adaptive", "disabled":
			if th.Budget != 0 {
				t.Errorf("%s thinking with a budget", th.Type)
			}
		case "enabled":
			if th.Budget < 1024 || th.Budget >= r.MaxTokens {
				t.Errorf("a budget of %d in %d tokens", th.Budget, r.MaxTokens)
			}
		default:
			t.Errorf("thinking %q", th.Type)
		}
	}
	if r.Output != nil && (r.Output.Effort == "" || r.Thinking == nil || r.Thinking.Type != "adaptive") {
		t.Errorf("effort %+v with thinking %+v", r.Output, r.Thinking)
	}
}

// checkMarks lets cache marks stand on the last tool, the last part of the system prompt and the last
// block of the last message, and only where the maker itself is spoken to.
func checkMarks(t testing.TB, host string, r *sentMessages, body []byte) {
	t.Helper()
	all := strings.Count(string(body), `"cache_control":{"type":"ephemeral"}`)
	var right, wrong int
	count := func(marked, last bool) {
		switch {
		case marked && last:
			right++
		case marked:
			wrong++
		}
	}
	for i, tool := range r.Tools {
		count(tool.Cache != nil, i == len(r.Tools)-1)
	}
	for i, b := range r.System {
		count(b.Cache != nil, i == len(r.System)-1)
	}
	for i, m := range r.Messages {
		last := i == len(r.Messages)-1 || i == len(r.Messages)-2 && r.Messages[i+1].Role == "assistant"
		for k, b := range m.Content {
			count(b.Cache != nil, m.Role == "user" && last && k == len(m.Content)-1)
		}
	}
	own := host == "api.anthropic.com"
	if wrong > 0 || right > 4 || right != all || all > 0 && !own || all == 0 && own && len(r.Tools) > 0 {
		t.Errorf("%d cache marks, %d at the wrong place, for %s:\n%s", all, wrong, host, body)
	}
}

// checkTurns judges that sides take turns, that a user's message begins with all results of the calls
// before it, in order, and that nothing of an answer is empty or unsigned.
func checkTurns(t testing.TB, r *sentMessages) {
	t.Helper()
	var open []string
	ids := map[string]bool{}
	for i, m := range r.Messages {
		if want := []string{"user", "assistant"}[i%2]; m.Role != want || len(m.Content) == 0 {
			t.Errorf("message %d of %d blocks is by %s", i, len(m.Content), m.Role)
		}
		called := false
		for k, b := range m.Content {
			if len(open) > 0 && (m.Role != "user" || b.Type != "tool_result") {
				t.Errorf("%s of message %d comes before the results of %v", b.Type, i, open)
			}
			if m.Role == "user" {
				open = checkUserBlock(t, b, open, k > 0 && m.Content[k-1].Type == "text")
				continue
			}
			called = called || b.Type == "tool_use"
			if called && (b.Type == "thinking" || b.Type == "redacted_thinking") {
				t.Errorf("message %d thinks after its calls", i)
			}
			checkAnswerBlock(t, b, ids)
		}
		if m.Role == "assistant" {
			for _, b := range m.Content {
				if b.Type == "tool_use" {
					open = append(open, b.ID)
				}
			}
		}
	}
	last := r.Messages[len(r.Messages)-1]
	paused := slices.ContainsFunc(last.Content, func(b sentBlock) bool { return b.Type == "server_tool_use" })
	if len(open) > 0 || last.Role != "user" && !paused {
		t.Errorf("the request ends with %s, open calls: %v", last.Role, open)
	}
}

func checkUserBlock(t testing.TB, b sentBlock, open []string, afterText bool) []string {
	t.Helper()
	switch b.Type {
	case "text":
		if b.Text == nil || strings.TrimSpace(*b.Text) == "" {
			t.Error("an empty text of a user")
		}
	case "image":
		if b.Source == nil || b.Source.Type != "base64" || !strings.HasPrefix(b.Source.MediaType, "image/") || b.Source.Data == "" {
			t.Errorf("an image that is none: %+v", b.Source)
		}
	case "tool_result":
		if _, text := b.Content.(string); len(open) == 0 || open[0] != b.Reply || afterText || b.Content != nil && !text {
			t.Errorf("a result of %q (after text: %v), open are %v", b.Reply, afterText, open)
			return nil
		}
		return open[1:]
	default:
		t.Errorf("a user's block is %q", b.Type)
	}
	return open
}

func checkAnswerBlock(t testing.TB, b sentBlock, ids map[string]bool) {
	t.Helper()
	switch b.Type {
	case "text":
		if b.Text == nil || strings.TrimSpace(*b.Text) == "" {
			t.Error("an empty text of an answer")
		}
	case "thinking":
		if b.Thinking == nil || b.Signature == nil {
			t.Errorf("half a thought: %+v", b)
		}
	case "redacted_thinking":
		if b.Data == nil || *b.Data == "" {
			t.Error("a hidden thought without its data")
		}
	case "tool_use":
		var input map[string]any
		if !plainWord.MatchString(b.ID) || ids[b.ID] || !plainWord.MatchString(b.Name) || json.Unmarshal(b.Input, &input) != nil || input == nil {
			t.Errorf("a call that is none, or with an id twice: %+v", b)
		}
		ids[b.ID] = true
	case "":
		t.Error("a block without a type")
	}
}
