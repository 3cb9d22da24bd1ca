package provider

import (
	"net/http"
	"strings"
	"testing"
)

// TestTheCheckerOfMessagesFinds breaks a right request in one place after the other.
func TestTheCheckerOfMessagesFinds(t *testing.T) {
	const mark = `,"cache_control":{"type":"ephemeral"}`
	const right = `{"model":"m","max_tokens":4096,"system":[{"type":"text","text":"s"` + mark + `}],"tools":[{"name":"ls","input_schema":{"type":"object"}},{"name":"rd","input_schema":{"type":"object"}` + mark + `}],` +
		`"messages":[{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"QQ=="}},{"type":"text","text":"look"}]},` +
		`{"role":"assistant","content":[{"type":"thinking","thinking":"","signature":"s"},{"type":"redacted_thinking","data":"d"},{"type":"tool_use","id":"c1","name":"ls","input":{}},{"type":"tool_use","id":"c2","name":"rd","input":{}}]},` +
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1"},{"type":"tool_result","tool_use_id":"c2","content":"x"},{"type":"text","text":"go"` + mark + `}]}],` +
		`"thinking":{"type":"enabled","budget_tokens":2048},"stream":true}`
	at := func(url, body string) []string {
		return judged(func(t testing.TB) {
			req, err := http.NewRequest(http.MethodPost, url, nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Anthropic-Version", "2023-06-01")
			checkMessages(t, req, []byte(body))
		})
	}
	const own = "https://api.anthropic.com/v1/messages"
	if said := at(own, right); said != nil {
		t.Fatalf("a right request: %v", said)
	}
	if at("https://x.example/v1/messages", right) == nil || at(own, strings.ReplaceAll(right, mark, "")) == nil {
		t.Error("marks for another server, or none for the maker's own, are not found")
	}
	for _, c := range []struct{ old, new string }{
		{`"model":"m"`, `"model":""`},
		{`"max_tokens":4096,`, ``},
		{`"max_tokens":4096`, `"max_tokens":64000`},
		{`"max_tokens":4096`, `"max_tokens":2048`},
		{`"budget_tokens":2048`, `"budget_tokens":1000`},
		{`"type":"enabled"`, `"type":"on"`},
		{`"type":"enabled"`, `"type":"adaptive"`},
		{`,"stream":true`, `,"output_config":{"effort":"low"},"stream":true`},
		{`,"stream":true`, ``},
		{`,"stream":true`, `,"stream":true,"temperature":1`},
		{`"text":"s"`, `"text":" "`},
		{`"input_schema":{"type":"object"}}`, `"input_schema":{}}`},
		{`"name":"rd","input_schema"`, `"name":"r.d","input_schema"`},
		{`{"name":"ls",`, `{"name":"ls"` + mark + `,`},
		{`"text":"look"`, `"text":"look"` + mark},
		{`"tool_use_id":"c1"`, `"tool_use_id":"c1"` + mark},
		{`"text":"look"`, `"text":""`},
		{`"media_type":"image/png"`, `"media_type":"text/html"`},
		{`"thinking":"",`, ``},
		{`,"signature":"s"`, ``},
		{`"data":"d"`, `"data":""`},
		{`{"type":"thinking","thinking":"","signature":"s"},{"type":"redacted_thinking","data":"d"},{"type":"tool_use","id":"c1","name":"ls","input":{}}`,
			`{"type":"tool_use","id":"c1","name":"ls","input":{}},{"type":"thinking","thinking":"","signature":"s"}`},
		{`"id":"c2"`, `"id":"c1"`},
		{`"id":"c2"`, `"id":"c.2"`},
		{`"name":"rd","input":{}`, `"name":"","input":{}`},
		{`"name":"rd","input":{}`, `"name":"rd","input":null`},
		{`"name":"rd","input":{}`, `"name":"rd","input":"{}"`},
		{`{"type":"tool_result","tool_use_id":"c1"},`, ``},
		{`{"type":"tool_result","tool_use_id":"c1"},{"type":"tool_result","tool_use_id":"c2","content":"x"}`, `{"type":"tool_result","tool_use_id":"c2"},{"type":"tool_result","tool_use_id":"c1"}`},
		{`{"type":"tool_result","tool_use_id":"c2","content":"x"},{"type":"text","text":"go"`, `{"type":"text","text":"go"},{"type":"tool_result","tool_use_id":"c2","content":"x"`},
		{`{"role":"user","content":[{"type":"tool_result"`, `{"role":"assistant","content":[{"type":"tool_result"`},
		{`}]}],"thinking"`, `}]},{"role":"assistant","content":[{"type":"text","text":"a"}]}],"thinking"`},
		{`}]}],"thinking"`, `}]},{"role":"user","content":[{"type":"text","text":"a"}]}],"thinking"`},
	} {
		if broken := strings.Replace(right, c.old, c.new, 1); broken == right || at(own, broken) == nil {
			t.Errorf("%s for %s is not found", c.new, c.old)
		}
	}
}
