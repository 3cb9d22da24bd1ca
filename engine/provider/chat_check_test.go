package provider

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"agentstudio/engine"
)

// chatDialect is openai-chat.
func chatDialect() dialect {
	return dialect{name: "chat", api: engine.APIChat, path: "/chat/completions", keyHeader: "Authorization", make: NewChat,
		check: checkChat, terminal: chatTerminal, hi: wrote(`{"content":"hi"}`, "stop")}
}

// checkChat judges roles, ids and their order.
func checkChat(t testing.TB, _ *http.Request, body []byte) {
	t.Helper()
	var r struct {
		Model    string
		Stream   bool
		Messages []struct {
			Role    string
			Content any
			Calls   []struct {
				ID, Type string
				Function struct{ Name, Arguments string }
			} `json:"tool_calls"`
			Reply string `json:"tool_call_id"`
		}
		Tools []struct {
			Type     string
			Function struct {
				Name       string
				Parameters map[string]any
			}
		}
	}
	if err := json.Unmarshal(body, &r); err != nil {
		t.Fatalf("the request is no JSON: %v\n%s", err, body)
	}
	if r.Model == "" || !r.Stream || len(r.Messages) == 0 {
		t.Errorf("a request without model, stream or messages: %s", body)
	}
	for _, tool := range r.Tools {
		if tool.Type != "function" || tool.Function.Name == "" || tool.Function.Parameters == nil {
			t.Errorf("a tool that is none: %+v", tool)
		}
	}
	var open []string
	ids := map[string]bool{}
	for i, m := range r.Messages {
		if m.Role != "tool" && len(open) > 0 {
			t.Errorf("message %d comes before the results of %v", i, open)
		}
		switch m.Role {
		case "system":
			if i != 0 {
				t.Errorf("a system message at %d", i)
			}
		case "user":
			if m.Content == nil || m.Content == "" {
				t.Errorf("message %d is empty", i)
			}
		case "assistant":
			if (m.Content == nil || m.Content == "") && len(m.Calls) == 0 {
				t.Errorf("message %d is an empty answer", i)
			}
			for _, c := range m.Calls {
				if c.ID == "" || ids[c.ID] || c.Type != "function" || c.Function.Name == "" || !json.Valid([]byte(c.Function.Arguments)) {
					t.Errorf("message %d has a call that is none, or with an id twice: %+v", i, c)
				}
				ids[c.ID] = true
				open = append(open, c.ID)
			}
		case "tool":
			if _, text := m.Content.(string); !text || len(open) == 0 || open[0] != m.Reply {
				t.Errorf("message %d answers %q, open are %v", i, m.Reply, open)
				return
			}
			open = open[1:]
		default:
			t.Errorf("message %d has the role %q", i, m.Role)
		}
	}
	if last := r.Messages[len(r.Messages)-1].Role; len(open) > 0 || last == "assistant" || last == "system" {
		t.Errorf("the request ends with %s, open calls: %v", last, open)
	}
}

// chatTerminal is the last byte of the chunk with the finish reason, or else of [DONE].
func chatTerminal(t testing.TB, body string) int {
	t.Helper()
	for _, mark := range []string{`"finish_reason":"`, "[DONE"} {
		n := strings.Index(body, mark)
		if n < 0 {
			continue
		}
		line := strings.IndexAny(body[n:], "\r\n")
		if line < 0 {
			line = len(body) - n
		}
		return n + line
	}
	t.Fatal("no terminal mark")
	return 0
}
