package provider

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"agentstudio/engine"
)

// begun is the start of a block at an index, grown a piece of it.
func begun(index int, block string) string {
	return fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":%s}`, index, block)
}

func grown(index int, delta string) string {
	return fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":%s}`, index, delta)
}

func toolUse(id, name string) string {
	return `{"type":"tool_use","id":"` + id + `","name":"` + name + `","input":{}}`
}

func inputPiece(s string) string {
	return `{"type":"input_json_delta","partial_json":"` + strings.ReplaceAll(s, `"`, `\"`) + `"}`
}

// messaged asks a server that sends stream, at once and by the byte; both give the same.
func messaged(t *testing.T, name, stream string) outcome {
	t.Helper()
	m, from := messagesDialect().serve(t, stream)
	whole := ask(t.Context(), t, m, hello())
	from.body = slowly(stream)
	if pieces := ask(t.Context(), t, m, hello()); spelled(pieces) != spelled(whole) {
		t.Errorf("%s: %s\nby the byte %s", name, spelled(whole), spelled(pieces))
	}
	return whole
}

func TestMessagesCalls(t *testing.T) {
	for name, c := range map[string]struct {
		events []string
		want   string
	}{
		"one":                      {[]string{begun(0, toolUse("a", "ls")), grown(0, inputPiece(`{"p":`)), grown(0, inputPiece(`1}`))}, `a ls {"p":1}`},
		"side by side, mixed":      {[]string{begun(0, toolUse("a", "ls")), begun(1, toolUse("b", "read")), grown(1, inputPiece(`{"q":`)), grown(0, inputPiece(`{"p":1}`)), grown(1, inputPiece(`2}`))}, `a ls {"p":1}; b read {"q":2}`},
		"one index for all":        {[]string{begun(0, toolUse("a", "ls")), grown(0, inputPiece(`{"p":1}`)), begun(0, toolUse("b", "read")), grown(0, inputPiece(`{"q":2}`))}, `a ls {"p":1}; b read {"q":2}`},
		"no index":                 {[]string{`{"type":"content_block_start","content_block":` + toolUse("a", "ls") + `}`, `{"type":"content_block_delta","delta":` + inputPiece(`{"p":1}`) + `}`}, `a ls {"p":1}`},
		"whole at the start":       {[]string{begun(0, `{"type":"tool_use","id":"a","name":"ls","input":{"p": [1, 2]}}`)}, `a ls {"p": [1, 2]}`},
		"no input at all":          {[]string{begun(0, `{"type":"tool_use","id":"a","name":"ls"}`)}, `a ls {}`},
		"input null":               {[]string{begun(0, `{"type":"tool_use","id":"a","name":"ls","input":null}`)}, `a ls {}`},
		"ids missing":              {[]string{begun(0, toolUse("", "ls")), begun(1, toolUse("", "read"))}, `call_1 ls {}; call_2 read {}`},
		"an id twice":              {[]string{begun(0, toolUse("a", "ls")), begun(1, toolUse("a", "ls"))}, `a ls {}; call_1 ls {}`},
		"broken input stays":       {[]string{begun(0, toolUse("a", "ls")), grown(0, inputPiece(`{"p":`))}, `a ls {"p":`},
		"two inputs are none":      {[]string{begun(0, toolUse("a", "ls")), grown(0, inputPiece(`{"p":1}`)), grown(0, inputPiece(`{"p":2}`))}, `a ls {"p":1}{"p":2}`},
		"among blocks of tomorrow": {[]string{begun(0, `{"type":"hologram","x":[1]}`), grown(0, `{"type":"hologram_delta","text":{"a":1}}`), begun(1, toolUse("a", "ls"))}, `a ls {}`},
	} {
		for _, reason := range []string{"tool_use", "end_turn", "stop_sequence"} {
			got := messaged(t, name, messagesStream(reason, c.events...))
			if got.err != nil || called(got.calls) != c.want || got.stop != engine.StopToolUse {
				t.Errorf("%s, %s: %s, %v %v, want %s", name, reason, called(got.calls), got.stop, got.err, c.want)
			}
		}
		got := messaged(t, name, messagesStream("max_tokens", c.events...))
		if got.stop != engine.StopLength || strings.Count(called(got.calls), "cut") != len(got.calls) || len(got.calls) == 0 || got.kept != nil {
			t.Errorf("%s cut by length: %s %s %v", name, called(got.calls), got.kept, got.err)
		}
	}
}

func TestHowMessagesEnd(t *testing.T) {
	hi := []string{begun(0, `{"type":"text","text":""}`), grown(0, `{"type":"text_delta","text":"hi"}`)}
	call := append(hi[:2:2], begun(1, toolUse("a", "ls")))
	end := func(more string) string {
		return strings.TrimSuffix(messagesStream("", hi...), messagesStream("")) + more
	}
	fails := func(kind string) string {
		return end(`data: {"type":"error","error":{"type":"` + kind + `","message":"boom"}}` + "\n\n")
	}
	for name, c := range map[string]struct {
		stream string
		stop   engine.StopReason
		code   engine.Code
		says   string
	}{
		"end_turn":                  {messagesStream("end_turn", hi...), engine.StopEnd, "", ""},
		"stop_sequence":             {messagesStream("stop_sequence", hi...), engine.StopEnd, "", ""},
		"no reason":                 {messagesStream("", hi...), engine.StopEnd, "", ""},
		"max_tokens":                {messagesStream("max_tokens", hi...), engine.StopLength, "", ""},
		"refusal":                   {messagesStream("refusal", hi...), engine.StopRefusal, "", ""},
		"refusal, with a call":      {messagesStream("refusal", call...), engine.StopRefusal, "", ""},
		"the window":                {messagesStream("model_context_window_exceeded", hi...), "", engine.ContextOverflow, ""},
		"unknown":                   {messagesStream("moon_rose", call...), "", engine.ModelProtocol, "“moon_rose”"},
		"a tool without a call":     {messagesStream("tool_use", hi...), "", engine.ModelProtocol, "sent no call"},
		"a call without a name":     {messagesStream("tool_use", append(hi[:2:2], begun(1, toolUse("a", "")))...), "", engine.ModelProtocol, "without naming"},
		"a piece of no call":        {messagesStream("end_turn", append(hi[:2:2], grown(7, inputPiece(`{}`)))...), "", engine.ModelProtocol, "without naming"},
		"pause without work":        {messagesStream("pause_turn", hi...), "", engine.ModelProtocol, "paused"},
		"no message_stop":           {end(`data: {"type":"message_delta","delta":{"stop_reason":"end_turn"}}` + "\n\n"), "", engine.ModelStreamCut, "ended early"},
		"[DONE] is no end":          {end("data: [DONE]\n\n"), "", engine.ModelStreamCut, ""},
		"[DONE] behind the end":     {messagesStream("end_turn", hi...) + "data: [DONE]\n\n", engine.StopEnd, "", ""},
		"cut in the last event":     {end(`data: {"type":"message_st`), "", engine.ModelStreamCut, ""},
		"overloaded":                {fails("overloaded_error"), "", engine.ModelOverloaded, "overloaded_error"},
		"rate limit":                {fails("rate_limit_error"), "", engine.ModelRateLimited, ""},
		"api_error":                 {fails("api_error"), "", engine.ModelServer, ""},
		"timeout_error":             {fails("timeout_error"), "", engine.ModelServer, ""},
		"invalid request":           {fails("invalid_request_error"), "", engine.ModelBadRequest, ""},
		"authentication":            {fails("authentication_error"), "", engine.ModelAuth, "key"},
		"permission":                {fails("permission_error"), "", engine.ModelAuth, ""},
		"not found":                 {fails("not_found_error"), "", engine.ModelNotFound, ""},
		"too large":                 {fails("request_too_large"), "", engine.ModelTooLarge, ""},
		"billing":                   {fails("billing_error"), "", engine.ModelQuota, ""},
		"a kind of tomorrow":        {fails("new_error"), "", engine.ModelServer, "boom"},
		"an error event of words":   {end("event: error\ndata: it broke\n\n"), "", engine.ModelServer, "it broke"},
		"an error without a type":   {end(`data: {"error":{"message":"slow down"}}` + "\n\n"), "", engine.ModelRateLimited, "slow down"},
		"another dialect":           {end(`data: {"choices":[]}` + "\n\n"), "", engine.ModelProtocol, "connection's API"},
		"a list":                    {end("data: [1,2]\n\n"), "", engine.ModelProtocol, "connection's API"},
		"broken JSON in the middle": {end("data: {\"type\":\n\ndata: {}\n\n"), "", engine.ModelProtocol, ""},
		"odd fields are passed over": {end("data: {\"type\":\"future\",\"delta\":7,\"index\":\"x\",\"usage\":[1]}\n\n") + messagesStream("end_turn"),
			engine.StopEnd, "", ""},
		"the type is the event's name": {strings.ReplaceAll(messagesStream("end_turn", hi...), `data: {"type":"message_stop"}`, "event: message_stop\ndata: {}"), engine.StopEnd, "", ""},
	} {
		got := messaged(t, name, c.stream)
		if got.text != "hi" || got.stop != c.stop || engine.CodeOf(got.err) != c.code || len(got.calls) > 0 || !strings.Contains(errText(got.err), c.says) {
			t.Errorf("%s: %+v, want %s %s %q", name, got, c.stop, c.code, c.says)
		}
	}
}

func TestARefusalIsExplainedAndNotSentAgain(t *testing.T) {
	partial := []string{begun(0, `{"type":"text","text":"Well, "}`)}
	why := `{"type":"message_delta","delta":{"stop_reason":"refusal","stop_details":{"type":"refusal","category":"cyber","explanation":"This is about break-ins."}}}`
	got := messaged(t, "refusal", messagesStream("refusal", append(partial, why)...))
	if got.text != "Well, \n\nThis is about break-ins." || got.stop != engine.StopRefusal || !strings.Contains(string(got.kept), `"refused":true`) {
		t.Fatalf("%+v", got)
	}
	r := hello()
	r.Messages = append(r.Messages, engine.Message{Role: engine.RoleAssistant, Text: got.text, Continuation: got.kept}, engine.Message{Role: engine.RoleUser, Text: "then tell me this"})
	if s := messagesSent(t, r, nil); strings.Contains(s, "Well") || !strings.Contains(s, `[{"role":"user","content":[{"type":"text","text":"hello"},{"type":"text","text":"then tell me this"}]}]`) {
		t.Errorf("sent %s", s)
	}
	got = messaged(t, "nothing said", messagesStream("refusal", why))
	if got.text != "This is about break-ins." || got.stop != engine.StopRefusal {
		t.Errorf("%+v", got)
	}
	got = messaged(t, "null", messagesStream("refusal", `{"type":"message_delta","delta":{"stop_reason":"refusal","stop_details":{"category":null,"explanation":null}}}`))
	if got.text != "" || got.stop != engine.StopRefusal || got.err != nil {
		t.Errorf("%+v", got)
	}
}

func TestMessagesUsage(t *testing.T) {
	start := `{"type":"message_start","message":{"usage":{"input_tokens":20,"cache_creation_input_tokens":30,"cache_read_input_tokens":50,"output_tokens":1}}}`
	for end, want := range map[string]string{
		`{"output_tokens":9}`: "100 9 50 30 -",
		`{"output_tokens":9,"output_tokens_details":{"thinking_tokens":7}}`:                                   "100 9 50 30 7",
		`{"input_tokens":5,"cache_creation_input_tokens":0,"cache_read_input_tokens":null,"output_tokens":9}`: "55 9 50 0 -",
		`null`:                     "100 1 50 30 -",
		`{"output_tokens":"many"}`: "100 1 50 30 -",
	} {
		got := messaged(t, end, messagesStream("end_turn", start, begun(0, `{"type":"text","text":"hi"}`), `{"type":"message_delta","delta":{},"usage":`+end+`}`))
		u := got.usage
		if u == nil {
			t.Errorf("%s: no usage, %v", end, got.err)
			continue
		}
		said := strings.Join([]string{figure(u.InputTokens), figure(u.OutputTokens), figure(u.CachedTokens), figure(u.CacheWriteTokens), figure(u.ReasoningTokens)}, " ")
		if said != want {
			t.Errorf("%s: %s, want %s", end, said, want)
		}
	}
	got := messaged(t, "unknown input", messagesStream("end_turn", `{"type":"message_delta","delta":{},"usage":{"cache_read_input_tokens":5,"output_tokens":2}}`))
	if got.usage == nil || got.usage.InputTokens != nil || *got.usage.OutputTokens != 2 {
		t.Errorf("%+v", got.usage)
	}
	cut := strings.TrimSuffix(messagesStream("", start), messagesStream(""))
	if got := messaged(t, "nothing said", cut); got.usage != nil || len(got.order) > 0 || engine.CodeOf(got.err) != engine.ModelStreamCut {
		t.Errorf("a call that may be made again has said %+v", got)
	}
	if got := messaged(t, "something said", cut+"data: "+begun(0, `{"type":"text","text":"hi"}`)+"\n\n"); got.usage == nil || got.err == nil {
		t.Errorf("a cut answer costs too: %+v", got)
	}
}

func TestMessagesThatAreNoStream(t *testing.T) {
	whole := `{"type":"message","role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"text","text":"hi"},` +
		`{"type":"tool_use","id":"a","name":"ls","input":{"p":1}}],"stop_reason":"tool_use","usage":{"input_tokens":3,"output_tokens":4}}`
	got := messaged(t, "whole", whole)
	if got.text != "hi" || got.reasoning != "hm" || called(got.calls) != `a ls {"p":1}` || got.stop != engine.StopToolUse || *got.usage.InputTokens != 3 ||
		strings.Join(got.order, " ") != "reasoning text call continuation usage stop" {
		t.Errorf("%+v", got)
	}
	for name, c := range map[string]struct {
		body string
		code engine.Code
		says string
	}{
		"cut":            {whole[:len(whole)-20], engine.ModelStreamCut, ""},
		"something else": {`{"models":[]}`, engine.ModelProtocol, "no message"},
		"an error":       {`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, engine.ModelOverloaded, "overloaded_error"},
		"an odd error":   {`{"error":"model is loading"}`, engine.ModelOverloaded, "loading"},
		"a page":         {"<html><p>Sign in</p>", engine.ModelProtocol, "Sign in"},
		"nothing":        {"", engine.ModelStreamCut, ""},
	} {
		if got := messaged(t, name, c.body); engine.CodeOf(got.err) != c.code || !strings.Contains(errText(got.err), c.says) || len(got.order) > 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestTheCallerMayBreakOffMessagesAnywhere(t *testing.T) {
	stream := messagesStream("refusal", `{"type":"message_start","message":{"usage":{"input_tokens":1,"output_tokens":1}}}`,
		begun(0, `{"type":"thinking","thinking":""}`), grown(0, `{"type":"thinking_delta","thinking":"r"}`), begun(1, `{"type":"text","text":"t"}`),
		`{"type":"message_delta","delta":{"stop_details":{"explanation":"no"}}}`)
	m, from := messagesDialect().serve(t, stream)
	for _, body := range []string{stream, messagesStream("tool_use", `{"type":"message_start","message":{"usage":{"input_tokens":1,"output_tokens":1}}}`,
		begun(0, `{"type":"thinking","thinking":"a","signature":"s"}`), begun(1, toolUse("a", "ls")))} {
		from.body = func() io.Reader { return strings.NewReader(body) }
		all := 0
		for range m.Stream(t.Context(), hello()) {
			all++
		}
		for n := range all {
			seen := 0
			for range m.Stream(t.Context(), hello()) {
				if seen++; seen > n {
					break
				}
			}
			if seen != n+1 {
				t.Errorf("broke off after %d, saw %d", n+1, seen)
			}
		}
		if all < 5 {
			t.Errorf("%d chunks", all)
		}
	}
}

func TestStatusesOfMessages(t *testing.T) {
	for _, c := range []struct {
		status int
		head   http.Header
		body   string
		code   engine.Code
		detail string
		want   any
	}{
		{529, http.Header{"X-Should-Retry": {"true"}}, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, engine.ModelOverloaded, "shouldRetry", true},
		{429, http.Header{"Retry-After": {"7"}}, `{"type":"error","error":{"type":"rate_limit_error","message":"Number of request tokens has exceeded your per-minute rate limit"}}`, engine.ModelRateLimited, "retryAfterMs", int64(7000)},
		{400, nil, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 213462 tokens > 200000 maximum"}}`, engine.ContextOverflow, "status", 400},
		{400, nil, `{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API."}}`, engine.ModelQuota, "providerCode", "invalid_request_error"},
		{401, nil, `{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}`, engine.ModelAuth, "providerCode", "authentication_error"},
		{404, nil, `{"type":"error","error":{"type":"not_found_error","message":"model: claude-x"}}`, engine.ModelNotFound, "providerCode", "not_found_error"},
		{413, nil, `{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}`, engine.ModelTooLarge, "status", 413},
	} {
		head := c.head
		if head == nil {
			head = http.Header{}
		}
		from := &canned{t: t, dialect: messagesDialect(), status: c.status, header: head, body: func() io.Reader { return strings.NewReader(c.body) }}
		got := ask(t.Context(), t, from.model(), hello())
		if engine.CodeOf(got.err) != c.code || engine.DetailsOf(got.err)[c.detail] != c.want || len(got.order) > 0 {
			t.Errorf("%d: %v %v, want %s and %s %v", c.status, got.err, engine.DetailsOf(got.err), c.code, c.detail, c.want)
		}
	}
}
