package provider

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"agentstudio/engine"
)

// called spells calls as "id name args", cut ones marked.
func called(calls []engine.ToolCall) string {
	var out []string
	for _, c := range calls {
		s := string(c.ID) + " " + c.Tool + " " + string(c.Args)
		if c.Cut {
			s += " cut"
		}
		out = append(out, s)
	}
	return strings.Join(out, "; ")
}

func TestToolCallsOfManyServers(t *testing.T) {
	piece := func(s string) string { return wrote(`{"tool_calls":[`+s+`]}`, "null") }
	for name, c := range map[string]struct{ stream, want string }{
		"whole, without an index": {piece(`{"id":"a","function":{"name":"ls","arguments":"{}"}}`) + piece(`{"id":"b","function":{"name":"read","arguments":"{\"p\":1}"}}`),
			`a ls {}; b read {"p":1}`},
		"index 0 for every call": {piece(`{"index":0,"id":"a","function":{"name":"ls","arguments":"{}"}},{"index":0,"id":"b","function":{"name":"ls","arguments":"{\"p\":1}"}}`),
			`a ls {}; b ls {"p":1}`},
		"one id and index for all": {piece(`{"index":0,"id":"a","function":{"name":"ls","arguments":"{\"p\":1}"}}`) + piece(`{"index":0,"id":"a","function":{"name":"ls","arguments":"{\"p\":"}}`) + piece(`{"index":0,"id":"a","function":{"arguments":"2}"}}`),
			`a ls {"p":1}; call_1 ls {"p":2}`},
		"neither id nor index": {piece(`{"function":{"name":"ls","arguments":"{}"}}`) + piece(`{"function":{"name":"read","arguments":"{\"p\""}}`) + piece(`{"function":{"arguments":":1}"}}`),
			`call_1 ls {}; call_2 read {"p":1}`},
		"empty ids":             {piece(`{"index":0,"id":"","function":{"name":"ls","arguments":""}}`) + piece(`{"index":1,"id":"","function":{"name":"ls","arguments":""}}`), `call_1 ls {}; call_2 ls {}`},
		"the id comes late":     {piece(`{"index":0,"function":{"name":"ls"}}`) + piece(`{"index":0,"id":"a","function":{"arguments":"{}"}}`), `a ls {}`},
		"interleaved":           {piece(`{"index":0,"id":"a","function":{"name":"ls","arguments":"{"}}`) + piece(`{"index":1,"id":"b","function":{"name":"read","arguments":"{"}}`) + piece(`{"index":0,"function":{"arguments":"}"}}`) + piece(`{"index":1,"function":{"arguments":"}"}}`), `a ls {}; b read {}`},
		"arguments as object":   {piece(`{"index":0,"id":"a","function":{"name":"ls","arguments":{"p": [1, 2]}}}`), `a ls {"p":[1,2]}`},
		"arguments null":        {piece(`{"index":0,"id":"a","function":{"name":"ls","arguments":null}}`), `a ls {}`},
		"no arguments":          {piece(`{"index":0,"id":"a","function":{"name":"ls"}}`), `a ls {}`},
		"resent with its name":  {piece(`{"index":0,"id":"a","function":{"name":"ls","arguments":"{\"p\":1}"}}`) + piece(`{"index":0,"id":"a","function":{"name":"ls","arguments":"{\"p\":1}"}}`), `a ls {"p":1}`},
		"ids of numbers":        {piece(`{"index":"0","id":7,"function":{"name":"ls","arguments":"{}"}}`), `7 ls {}`},
		"broken arguments stay": {piece(`{"index":0,"id":"a","function":{"name":"ls","arguments":"{\"p\":"}}`), `a ls {"p":`},
		"the old form":          {wrote(`{"function_call":{"name":"ls","arguments":"{\"p\""}}`, "null") + wrote(`{"function_call":{"arguments":":1}"}}`, "null"), `call_1 ls {"p":1}`},
	} {
		for _, finish := range []string{"tool_calls", "stop", "function_call"} {
			m, _ := serve(t, c.stream+wrote(`{}`, finish)+"data: [DONE]\n\n")
			got := ask(t.Context(), t, m, hello())
			if got.err != nil || called(got.calls) != c.want || got.stop != engine.StopToolUse {
				t.Errorf("%s, %s: %s, %v %v, want %s", name, finish, called(got.calls), got.stop, got.err, c.want)
			}
		}
		m, _ := serve(t, c.stream+wrote(`{}`, "length"))
		if got := ask(t.Context(), t, m, hello()); got.stop != engine.StopLength || strings.Count(called(got.calls), "cut") != len(got.calls) || len(got.calls) == 0 {
			t.Errorf("%s cut by length: %s %v", name, called(got.calls), got.err)
		}
	}
}

func TestMadeIDsAreNotUsedTwice(t *testing.T) {
	m, _ := serve(t, wrote(`{"tool_calls":[{"function":{"name":"ls"}}]}`, "stop"))
	r := hello()
	for i := range 3 {
		got := ask(t.Context(), t, m, r)
		if want := fmt.Sprintf("call_%d ls {}", i+1); called(got.calls) != want {
			t.Fatalf("%s, want %s", called(got.calls), want)
		}
		r.Messages = append(r.Messages, engine.Message{Role: engine.RoleAssistant, Calls: []engine.Call{{ID: got.calls[0].ID, Tool: "ls", Args: got.calls[0].Args}}},
			engine.Message{Role: engine.RoleTool, Reply: got.calls[0].ID, Text: "x"})
	}
}

func TestHowAnswersEnd(t *testing.T) {
	text := wrote(`{"content":"hi"}`, "null")
	call := wrote(`{"tool_calls":[{"id":"a","function":{"name":"ls"}}]}`, "null")
	for name, c := range map[string]struct {
		stream string
		stop   engine.StopReason
		code   engine.Code
		says   string
	}{
		"eos":                       {text + wrote(`{}`, "eos"), engine.StopEnd, "", ""},
		"upper case":                {text + wrote(`{}`, "STOP"), engine.StopEnd, "", ""},
		"twice":                     {text + wrote(`{}`, "stop") + wrote(`{"content":"hi"}`, "stop"), engine.StopEnd, "", ""},
		"content filter":            {text + wrote(`{}`, "content_filter"), engine.StopContentFilter, "", ""},
		"filter, with calls":        {text + call + wrote(`{}`, "content_filter"), engine.StopContentFilter, "", ""},
		"refusal":                   {wrote(`{"refusal":"hi"}`, "stop"), engine.StopRefusal, "", ""},
		"max_tokens":                {text + wrote(`{}`, "max_tokens"), engine.StopLength, "", ""},
		"unknown":                   {text + wrote(`{}`, "moon_rose"), "", engine.ModelProtocol, "“moon_rose”"},
		"calls without any":         {text + wrote(`{}`, "tool_calls"), "", engine.ModelProtocol, "sent no call"},
		"error":                     {text + wrote(`{}`, "error"), "", engine.ModelServer, "fault"},
		"no capacity":               {text + wrote(`{}`, "insufficient_system_resource"), "", engine.ModelOverloaded, ""},
		"window":                    {text + wrote(`{}`, "model_context_window_exceeded"), "", engine.ContextOverflow, ""},
		"no name":                   {text + wrote(`{"tool_calls":[{"id":"a","function":{"arguments":"{}"}}]}`, "tool_calls"), "", engine.ModelProtocol, "without naming"},
		"error object":              {text + call + `data: {"error":{"message":"boom","type":"server_error"}}` + "\n\n", "", engine.ModelServer, "boom"},
		"error: null is none":       {`data: {"error":null,"choices":[{"delta":{"content":"hi"},"finish_reason":"stop"}]}` + "\n\n", engine.StopEnd, "", ""},
		"flat error":                {text + `data: {"object":"error","message":"maximum context length is 4096","code":400}` + "\n\n", "", engine.ContextOverflow, "4096"},
		"error in the choice":       {text + `data: {"choices":[{"delta":{},"finish_reason":"error","error":{"code":429,"message":"slow"}}]}` + "\n\n", "", engine.ModelRateLimited, "slow"},
		"error event":               {text + "event: error\ndata: {\"message\":\"overloaded\"}\n\n", "", engine.ModelOverloaded, "overloaded"},
		"error event of words":      {text + "event: error\ndata: it broke\n\n", "", engine.ModelServer, "it broke"},
		"bad credit":                {text + `data: {"error":{"message":"Insufficient Balance"}}` + "\n\n", "", engine.ModelQuota, ""},
		"not a chunk":               {text + "data: [1,2]\n\n", "", engine.ModelProtocol, ""},
		"broken JSON in the middle": {text + "data: {\"choices\":\n\n" + text, "", engine.ModelProtocol, ""},
		"cut, without a blank line": {text + "data: {\"choi", "", engine.ModelStreamCut, "ended early"},
		"nothing":                   {text + call, "", engine.ModelStreamCut, "ended early"},
		"content in parts":          {wrote(`{"content":[{"type":"text","text":"h"},{"type":"text","text":"i"}]}`, "stop"), engine.StopEnd, "", ""},
		"done with text behind":     {text + "data: [DONE] bye\n\n" + text, engine.StopEnd, "", ""},
		"another choice":            {text + `data: {"choices":[{"index":1,"delta":{"content":"no"},"finish_reason":"stop"}]}` + "\n\n" + wrote(`{}`, "stop"), engine.StopEnd, "", ""},
	} {
		for _, body := range []func() io.Reader{func() io.Reader { return strings.NewReader(c.stream) }, slowly(c.stream)} {
			m, from := serve(t, "")
			from.body = body
			got := ask(t.Context(), t, m, hello())
			if got.text != "hi" || got.stop != c.stop || engine.CodeOf(got.err) != c.code || len(got.calls) > 0 || !strings.Contains(errText(got.err), c.says) {
				t.Errorf("%s: %+v, want %s %s %q", name, got, c.stop, c.code, c.says)
			}
		}
	}
}

func TestABrokenConnectionAfterTheEndIsNone(t *testing.T) {
	m, from := serve(t, "")
	from.body = func() io.Reader {
		return io.MultiReader(strings.NewReader(wrote(`{"content":"hi"}`, "stop")), readFails{})
	}
	if got := ask(t.Context(), t, m, hello()); got.err != nil || got.stop != engine.StopEnd {
		t.Errorf("%+v", got)
	}
}

type readFails struct{}

func (readFails) Read([]byte) (int, error) { return 0, errBroken }

func TestReasoning(t *testing.T) {
	m, _ := serve(t, wrote(`{"reasoning":"first","content":"then"}`, "null")+wrote(`{"reasoning_text":" more"}`, "stop"))
	got := ask(t.Context(), t, m, hello())
	if got.reasoning != "first more" || got.text != "then" || strings.Join(got.order, " ") != "reasoning text reasoning stop" || got.kept != nil {
		t.Errorf("%+v", got)
	}
}

// TestThoughtsCutAnywhere cuts texts with and without tags in three at every place.
func TestThoughtsCutAnywhere(t *testing.T) {
	for in, want := range map[string][2]string{
		"<think>plan</think>\n\nAnswer":  {"plan", "Answer"},
		"\n <think>\nplan\n</think>A <b": {"plan\n", "A <b"},
		"<think></think>A":               {"", "A"},
		"<think>never":                   {"never", ""},
		"<think>a < b </thin":            {"a < b </thin", ""},
		"<thinking>x":                    {"", "<thinking>x"},
		"<th":                            {"", "<th"},
		" \n":                            {"", " \n"},
		"see <think>x</think>":           {"", "see <think>x</think>"},
		"<think>a</think>b<think>c":      {"a", "b<think>c"},
		"<think>a</think> \n ":           {"a", ""},
	} {
		for i := range len(in) + 1 {
			for k := i; k <= len(in); k++ {
				var th thoughts
				var got [2]string
				say := func(c engine.Chunk) bool {
					switch c := c.(type) {
					case engine.Reasoning:
						got[0] += string(c)
					case engine.Text:
						got[1] += string(c)
					}
					return true
				}
				for _, piece := range []string{in[:i], in[i:k], in[k:]} {
					th.push(piece, say)
				}
				th.end(say)
				if got != want {
					t.Fatalf("%q cut at %d and %d: %q, want %q", in, i, k, got, want)
				}
			}
		}
	}
}

func TestUsage(t *testing.T) {
	end := wrote(`{"content":"hi"}`, "stop")
	for in, want := range map[string]string{
		`{"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":0,"prompt_cache_hit_tokens":2}}`:                             "5 0 2 -",
		`{"usage":{"prompt_tokens":5,"completion_tokens":1,"cached_tokens":3,"completion_tokens_details":{"reasoning_tokens":1}}}`: "5 1 3 1",
		`{"choices":[{"index":0,"delta":{},"usage":{"prompt_tokens":9,"completion_tokens":2}}]}`:                                   "9 2 - -",
		`{"choices":[],"usage":{"prompt_tokens":null,"completion_tokens":"x","prompt_tokens_details":null}}`:                       "none",
		`{"choices":[],"usage":{"prompt_tokens":-1,"completion_tokens":1e2}}`:                                                      "- 100 - -",
		`{"choices":[],"usage":null}`: "none",
	} {
		m, _ := serve(t, end+"data: "+in+"\n\ndata: [DONE]\n\n")
		got := ask(t.Context(), t, m, hello())
		said := "none"
		if u := got.usage; u != nil {
			said = strings.Join([]string{figure(u.InputTokens), figure(u.OutputTokens), figure(u.CachedTokens), figure(u.ReasoningTokens)}, " ")
		}
		if said != want || got.err != nil {
			t.Errorf("%s: %s %v, want %s", in, said, got.err, want)
		}
	}
	m, _ := serve(t, `data: {"usage":{"prompt_tokens":5,"completion_tokens":1}}`+"\n\n")
	if got := ask(t.Context(), t, m, hello()); got.usage == nil || got.err == nil {
		t.Errorf("a cut answer costs too: %+v", got)
	}
}

func figure(n *int) string {
	if n == nil {
		return "-"
	}
	return fmt.Sprint(*n)
}

func TestBodiesThatAreNoStream(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = io.WriteString(z, wrote(`{"content":"hi"}`, "stop"))
	_ = z.Close()
	for name, c := range map[string]struct {
		body string
		head http.Header
		code engine.Code
		says string
	}{
		"a stream called JSON":    {wrote(`{"content":"hi"}`, "stop"), http.Header{"Content-Type": {"application/json"}}, "", ""},
		"JSON called a stream":    {` {"choices":[{"message":{"content":"hi"},"finish_reason":"stop"}]}`, http.Header{"Content-Type": {"text/event-stream"}}, "", ""},
		"JSON with no reason":     {`{"choices":[{"message":{"content":"hi"}}]}`, nil, "", ""},
		"gzip":                    {packed.String(), http.Header{"Content-Encoding": {"gzip"}}, "", ""},
		"gzip that is none":       {"data: xxxxxxxxxxxx", http.Header{"Content-Encoding": {"gzip"}}, engine.ModelProtocol, "is not"},
		"gzip, cut":               {packed.String()[:packed.Len()-20], http.Header{"Content-Encoding": {"gzip"}}, engine.ModelStreamCut, ""},
		"another packing":         {"xxx", http.Header{"Content-Encoding": {"br"}}, engine.ModelProtocol, "br"},
		"JSON, cut":               {`{"choices":[{"message":{"content":"hi"`, nil, engine.ModelStreamCut, ""},
		"JSON of something else":  {`{"models":[]}`, nil, engine.ModelProtocol, "no chat completion"},
		"JSON lines":              {`{"message":{"content":"a"},"done":false}` + "\n" + `{"done":true}`, nil, engine.ModelProtocol, "no chat completion"},
		"a list":                  {`[{"error":{"message":"x"}}]`, nil, engine.ModelProtocol, ""},
		"an error":                {`{"error":"model is loading"}`, nil, engine.ModelOverloaded, "loading"},
		"a page":                  {"<html><style>p{}</style><script>alert(1)</script><p>Sign in\x1b[2J</p>", http.Header{"Content-Type": {"text/html; charset=utf-8"}}, engine.ModelProtocol, "(text/html: “Sign in"},
		"nothing":                 {"", nil, engine.ModelStreamCut, ""},
		"blanks":                  {"\n \n", nil, engine.ModelStreamCut, ""},
		"words of a page, no tag": {"please sign in", http.Header{"Content-Type": {"text/html"}}, engine.ModelProtocol, "please sign in"},
	} {
		from := &canned{t: t, header: c.head, body: func() io.Reader { return strings.NewReader(c.body) }}
		got := ask(t.Context(), t, from.model(), hello())
		if engine.CodeOf(got.err) != c.code || !strings.Contains(errText(got.err), c.says) || c.code == "" && (got.text != "hi" || got.stop != engine.StopEnd) {
			t.Errorf("%s: %+v", name, got)
		}
		if strings.ContainsAny(errText(got.err), "\x1b<") || strings.Contains(errText(got.err), "alert") {
			t.Errorf("%s shows what it must not: %q", name, got.err)
		}
	}
}

func TestTheCallerMayBreakOffAnywhere(t *testing.T) {
	stream := wrote(`{"reasoning":"r"}`, "null") + wrote(`{"content":"<think>a</think>b"}`, "null") + wrote(`{"refusal":"no"}`, "null") +
		wrote(`{"tool_calls":[{"id":"a","x":1,"function":{"name":"ls"}}]}`, "stop") + `data: {"usage":{"prompt_tokens":5}}` + "\n\n"
	m, _ := serve(t, stream)
	all := brokenOff(t, m)
	if all < 8 {
		t.Errorf("%d chunks", all)
	}
}
