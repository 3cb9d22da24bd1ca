package provider

import (
	"slices"
	"strings"
	"testing"

	"agentstudio/engine"
)

// A field of another kind than it should be is none, and spoils nothing of an answer.
func TestOddFieldsSpoilNothing(t *testing.T) {
	said := `{"choices":[{"index":0,"delta":{"content":"hello"}}]}`
	for _, odd := range []string{
		`{"choices":[],"usage":[]}`, `{"choices":[],"usage":"x"}`, `{"choices":[],"usage":{"prompt_tokens":3,"prompt_tokens_details":[]}}`,
		`{"choices":{}}`, `{"choices":[{"index":"0","delta":{}}]}`, `{"choices":[{"delta":{"tool_calls":""}}]}`, `{"choices":[{"delta":{"tool_calls":{}}}]}`,
		`{"choices":[{"delta":{},"finish_reason":false}]}`, `{"choices":[{"delta":{},"finish_reason":1}]}`,
	} {
		body := "data: " + said + "\n\ndata: " + odd + "\n\n" + `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"
		m, _ := serve(t, body)
		if got := ask(t.Context(), t, m, hello()); got.err != nil || got.text != "hello" || got.stop != engine.StopEnd || len(got.calls) > 0 {
			t.Errorf("chat %s: %+v", odd, got)
		}
	}
	text := `data: {"type":"response.output_text.delta","item_id":"m","output_index":0,"content_index":0,"delta":"hello"}` + "\n\n"
	for _, odd := range []string{`{"status":"completed","usage":[]}`, `{"status":"completed","usage":{"input_tokens_details":[]}}`, `{"status":"completed","output":{}}`, `{"status":"completed","incomplete_details":"x"}`} {
		m, _ := responsesDialect().serve(t, text+`data: {"type":"response.completed","response":`+odd+"}\n\n")
		if got := ask(t.Context(), t, m, hello()); got.err != nil || got.text != "hello" || got.stop != engine.StopEnd {
			t.Errorf("responses %s: %+v", odd, got)
		}
	}
}

// After the finish reason nothing is missing but usage, whatever still comes.
func TestJunkAfterTheEnd(t *testing.T) {
	for _, junk := range []string{"[1]", "null!", `"x"`, "{"} {
		m, _ := serve(t, wrote(`{"content":"hello"}`, "stop")+"data: "+junk+"\n\n")
		if got := ask(t.Context(), t, m, hello()); got.err != nil || got.text != "hello" || got.stop != engine.StopEnd {
			t.Errorf("%s: %+v", junk, got)
		}
	}
}

// Two different objects in one call are no call: what the engine gets can't be run.
func TestTwoObjectsAreNoCall(t *testing.T) {
	item := func(index, args string) string {
		return `data: {"type":"response.output_item.done","output_index":` + index + `,"item":{"type":"function_call","id":"fc_1","call_id":"c1","name":"ls","arguments":` + args + `,"status":"completed"}}` + "\n\n"
	}
	for name, c := range map[string]struct {
		d    dialect
		body string
	}{
		"messages":    {messagesDialect(), messagesStream("tool_use", begun(0, `{"type":"tool_use","id":"c1","name":"ls","input":{"path":"x"}}`), grown(0, inputPiece(`{"path":"y"}`)))},
		"empty after": {messagesDialect(), messagesStream("tool_use", begun(0, `{"type":"tool_use","id":"c1","name":"ls","input":{"path":"x"}}`), grown(0, inputPiece(`{}`)))},
		"responses":   {responsesDialect(), item("0", `"{}"`) + `data: {"type":"response.completed","response":{"status":"completed","output":[{"type":"function_call","id":"fc_1","call_id":"c1","name":"ls","arguments":"{\"path\":\"other\"}"}]}}` + "\n\n"},
	} {
		m, _ := c.d.serve(t, c.body)
		got := ask(t.Context(), t, m, hello())
		if len(got.calls) != 1 || got.err != nil {
			t.Errorf("%s: %+v", name, got)
			continue
		}
		if v, err := engine.Canonical(got.calls[0].Args); err == nil {
			t.Errorf("%s: %s would run", name, v)
		}
	}
	// The same ids at two places are two calls.
	find := strings.ReplaceAll(item("1", `"{}"`), `"ls"`, `"find"`)
	m, _ := responsesDialect().serve(t, item("0", `"{}"`)+find+`data: {"type":"response.completed","response":{"status":"completed"}}`+"\n\n")
	got := ask(t.Context(), t, m, hello())
	var names []string
	for _, c := range got.calls {
		names = append(names, c.Tool)
	}
	if !slices.Equal(names, []string{"ls", "find"}) || got.err != nil {
		t.Errorf("calls %v, %v", names, got.err)
	}
}
