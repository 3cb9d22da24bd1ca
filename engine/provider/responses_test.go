package provider

import (
	"io"
	"strings"
	"testing"

	"agentstudio/engine"
)

const (
	aCall    = `{"type":"function_call","id":"fc_1","call_id":"c1","name":"ls","arguments":"{\"p\":1}","status":"completed"}`
	aMessage = `{"type":"message","id":"msg_1","role":"assistant","status":"completed","content":[{"type":"output_text","text":"hi","annotations":[]}]}`
	aThought = `{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"First."},{"type":"summary_text","text":"Then."}],"encrypted_content":"gAAA+/=é <b>&"}`
)

func itemAdded(at, item string) string {
	return happened("response.output_item.added", `"output_index":`+at+`,"item":`+item)
}

func itemDone(at, item string) string {
	return happened("response.output_item.done", `"output_index":`+at+`,"item":`+item)
}

func argsDelta(fields, piece string) string {
	return happened("response.function_call_arguments.delta", fields+`,"delta":"`+piece+`"`)
}

// responded asks a Responses server that sends stream, at once and by the byte; both give the same.
func responded(t *testing.T, name, stream string) outcome {
	t.Helper()
	m, from := responsesDialect().serve(t, stream)
	whole := ask(t.Context(), t, m, hello())
	from.body = slowly(stream)
	if pieces := ask(t.Context(), t, m, hello()); spelled(pieces) != spelled(whole) {
		t.Errorf("%s: %s\nby the byte %s", name, spelled(whole), spelled(pieces))
	}
	return whole
}

func TestResponsesCalls(t *testing.T) {
	open := func(at, id, call, name string) string {
		return itemAdded(at, `{"type":"function_call","id":"`+id+`","call_id":"`+call+`","name":"`+name+`","arguments":""}`)
	}
	end := func(at, id, call, name, args string) string {
		return itemDone(at, `{"type":"function_call","id":"`+id+`","call_id":"`+call+`","name":"`+name+`","arguments":`+args+`}`)
	}
	for name, c := range map[string]struct{ stream, want string }{
		"the end goes before the pieces":           {open("0", "f1", "a", "ls") + argsDelta(`"output_index":0`, "{") + argsDelta(`"output_index":0`, "x") + end("0", "f1", "a", "ls", `"{\"p\":1}"`), `a ls {"p":1}`},
		"pieces by item id only":                   {open("0", "f1", "a", "ls") + open("1", "f2", "b", "read") + argsDelta(`"item_id":"f1"`, "{") + argsDelta(`"item_id":"f2"`, "{}") + argsDelta(`"item_id":"f1"`, "}") + end("0", "f1", "a", "ls", `""`) + end("1", "f2", "b", "read", `""`), `a ls {}; b read {}`},
		"index 0 for every call":                   {open("0", "f1", "a", "ls") + open("0", "f2", "b", "read") + argsDelta(`"item_id":"f1","output_index":0`, "{}") + argsDelta(`"item_id":"f2","output_index":0`, "[]") + end("0", "f1", "a", "ls", `""`) + end("0", "f2", "b", "read", `"{}"`), `a ls {}; b read {}`},
		"ids that change all the time":             {open("0", "x1", "a", "ls") + argsDelta(`"item_id":"x2","output_index":0`, "{") + argsDelta(`"item_id":"x3","output_index":0`, "}") + end("0", "x4", "a", "ls", `"{}"`) + completed(`"output":[{"type":"function_call","id":"x5","call_id":"a","name":"ls","arguments":"{}"}]`), `a ls {}`},
		"by the server's order":                    {end("1", "f2", "b", "read", `"{}"`) + end("0", "f1", "a", "ls", `"{}"`), `a ls {}; b read {}`},
		"arguments as an object":                   {end("0", "f1", "a", "ls", `{"p": [1, 2]}`), `a ls {"p":[1,2]}`},
		"no arguments":                             {end("0", "f1", "a", "ls", `null`), `a ls {}`},
		"no call id":                               {end("0", "f1", "", "ls", `"{}"`) + end("1", "f2", "", "ls", `"{}"`), `call_1 ls {}; call_2 ls {}`},
		"one call id for two":                      {end("0", "f1", "a", "ls", `"{}"`) + end("1", "f2", "a", "ls", `"{\"p\":2}"`), `a ls {}; call_1 ls {"p":2}`},
		"an end twice":                             {end("0", "f1", "a", "ls", `"{}"`) + end("0", "f1", "a", "ls", `"{ }"`), `a ls {}`},
		"a piece after the end":                    {end("0", "f1", "a", "ls", `"{}"`) + argsDelta(`"output_index":0`, "x"), `a ls {}`},
		"the name comes with the end":              {argsDelta(`"output_index":0`, "{}") + happened("response.function_call_arguments.done", `"output_index":0,"name":"ls","arguments":"{}"`) + completed(`"output":[{"type":"function_call","call_id":"a","name":"ls","arguments":"{}"}]`), `a ls {}`},
		"only in the sum, without arguments there": {open("0", "f1", "a", "ls") + argsDelta(`"output_index":0`, "{}") + completed(`"output":[{"type":"function_call","call_id":"a","name":"ls","arguments":""}]`), `a ls {}`},
		"broken arguments stay":                    {end("0", "f1", "a", "ls", `"{\"p\":"`), `a ls {"p":`},
		"behind other items":                       {itemDone("0", `{"type":"web_search_call","id":"ws_1"}`) + itemDone("1", aCall), `c1 ls {"p":1}`},
		"completed, done":                          {itemDone("0", aCall) + completed("") + "data: [DONE]\n\n", `c1 ls {"p":1}`},
	} {
		got := responded(t, name, c.stream+completed(""))
		if got.err != nil || called(got.calls) != c.want || got.stop != engine.StopToolUse {
			t.Errorf("%s: %s, %v %v, want %s", name, called(got.calls), got.stop, got.err, c.want)
		}
		before, _, _ := strings.Cut(c.stream, "event: response.completed")
		got = responded(t, name, before+ended("incomplete", `"incomplete_details":{"reason":"max_output_tokens"}`))
		if got.stop != engine.StopLength || strings.Count(called(got.calls), "cut") != len(got.calls) || got.kept != nil {
			t.Errorf("%s, cut by length: %s %v", name, called(got.calls), got.err)
		}
	}
}

func TestHowResponsesEnd(t *testing.T) {
	pieces := itemAdded("1", `{"type":"function_call","id":"f1","call_id":"a","name":"ls"}`) + argsDelta(`"output_index":1`, "{}")
	for name, c := range map[string]struct {
		stream string
		stop   engine.StopReason
		code   engine.Code
		says   string
	}{
		"completed":                   {spoke("hi") + completed(""), engine.StopEnd, "", ""},
		"completed, no response":      {spoke("hi") + happened("response.completed", ""), engine.StopEnd, "", ""},
		"completed, an old status":    {spoke("hi") + happened("response.completed", `"response":{"status":"in_progress"}`), engine.StopEnd, "", ""},
		"completed, yet cut":          {spoke("hi") + happened("response.completed", `"response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}}`), engine.StopLength, "", ""},
		"error: null is none":         {spoke("hi") + completed(`"error":null`), engine.StopEnd, "", ""},
		"the last line is not closed": {spoke("hi") + strings.TrimRight(completed(""), "\n"), engine.StopEnd, "", ""},
		"names of events only":        {"event: response.output_text.delta\ndata: {\"delta\":\"hi\"}\n\nevent: response.completed\ndata: {}\n\n", engine.StopEnd, "", ""},
		"events nobody knows":         {happened("response.moon", `"delta":5,"item":7`) + spoke("hi") + happened("keepalive", "") + completed(""), engine.StopEnd, "", ""},
		"content filter":              {spoke("hi") + pieces + ended("incomplete", `"incomplete_details":{"reason":"content_filter"}`), engine.StopContentFilter, "", ""},
		"unknown reason":              {spoke("hi") + ended("incomplete", `"incomplete_details":{"reason":"moon_rise"}`), "", engine.ModelProtocol, "“moon_rise”"},
		"no reason":                   {spoke("hi") + ended("incomplete", `"incomplete_details":null`), "", engine.ModelProtocol, "“”"},
		"cancelled":                   {spoke("hi") + happened("response.completed", `"response":{"status":"cancelled"}`), "", engine.ModelProtocol, "“cancelled”"},
		"refused":                     {happened("response.refusal.delta", `"output_index":0,"delta":"h"`) + happened("response.refusal.done", `"output_index":0,"refusal":"hi"`) + completed(""), engine.StopRefusal, "", ""},
		"refused, only in the sum":    {completed(`"output":[{"type":"message","content":[{"type":"refusal","refusal":"hi"}]}]`), engine.StopRefusal, "", ""},
		"a call without its end":      {spoke("hi") + pieces + completed(""), "", engine.ModelProtocol, "middle of a tool call"},
		"a call that says it is cut":  {spoke("hi") + itemDone("1", strings.Replace(aCall, `"completed"`, `"incomplete"`, 1)) + completed(""), "", engine.ModelProtocol, "middle of a tool call"},
		"a call without a name":       {spoke("hi") + itemDone("1", `{"type":"function_call","call_id":"a","arguments":"{}"}`) + completed(""), "", engine.ModelProtocol, "without naming"},
		"failed":                      {spoke("hi") + ended("failed", `"error":{"code":"server_error","message":"boom"}`), "", engine.ModelServer, "boom"},
		"failed, nothing said":        {spoke("hi") + ended("failed", ""), "", engine.ModelServer, "no message"},
		"failed by rate":              {spoke("hi") + ended("failed", `"error":{"code":"rate_limit_exceeded","message":"wait"}`), "", engine.ModelRateLimited, "rate_limit_exceeded"},
		"failed by the prompt":        {spoke("hi") + ended("failed", `"error":{"code":"invalid_prompt","message":"no"}`), "", engine.ModelBadRequest, "invalid_prompt"},
		"failed by an image":          {spoke("hi") + ended("failed", `"error":{"code":"image_parse_error","message":"no"}`), "", engine.ModelBadRequest, "image_parse_error"},
		"failed by policy":            {spoke("hi") + ended("failed", `"error":{"code":"bio_policy","message":"no"}`), "", engine.ModelBadRequest, ""},
		"failed by size":              {spoke("hi") + ended("failed", `"error":{"code":"context_length_exceeded","message":"Your input exceeds the context window of this model."}`), "", engine.ContextOverflow, ""},
		"an error event":              {spoke("hi") + happened("error", `"code":"server_error","message":"boom","param":null`), "", engine.ModelServer, "boom"},
		"an error event, nested":      {spoke("hi") + happened("error", `"error":{"type":"too_many_requests","code":"rate_limit_exceeded","message":"boom"}`), "", engine.ModelRateLimited, "boom"},
		"an error without a type":     {spoke("hi") + "data: {\"error\":{\"message\":\"boom\",\"code\":503}}\n\n", "", engine.ModelOverloaded, "boom"},
		"an error of words":           {spoke("hi") + "event: error\ndata: it broke\n\n", "", engine.ModelServer, "it broke"},
		"another API's events":        {"data: {\"choices\":[{\"delta\":{\"content\":\"no\"}}]}\n\n", "", engine.ModelProtocol, "API"},
		"not an object":               {spoke("hi") + "data: [1,2]\n\n", "", engine.ModelProtocol, ""},
		"broken JSON in the middle":   {spoke("hi") + "data: {\"type\":\n\n" + completed(""), "", engine.ModelProtocol, ""},
		"an item that is none":        {spoke("hi") + happened("response.output_item.done", `"item":7`) + completed(""), "", engine.ModelProtocol, ""},
		"no terminal event":           {spoke("hi") + itemDone("1", aCall), "", engine.ModelStreamCut, "ended early"},
		"only [DONE]":                 {spoke("hi") + "data: [DONE]\n\n", "", engine.ModelStreamCut, "ended early"},
		"cut in the last event":       {spoke("hi") + strings.TrimRight(completed(""), "}\n"), "", engine.ModelStreamCut, "ended early"},
	} {
		got := responded(t, name, c.stream)
		text := "hi"
		if name == "another API's events" {
			text = ""
		}
		if got.text != text || got.stop != c.stop || engine.CodeOf(got.err) != c.code || len(got.calls) > 0 || !strings.Contains(errText(got.err), c.says) {
			t.Errorf("%s: %+v, want %s %s %q", name, got, c.stop, c.code, c.says)
		}
	}
}

// TestResponsesTexts: whatever is sent twice is shown once.
func TestResponsesTexts(t *testing.T) {
	message := func(id string, texts ...string) string {
		var parts []string
		for _, s := range texts {
			parts = append(parts, `{"type":"output_text","text":"`+s+`"}`)
		}
		return `{"type":"message","id":"` + id + `","content":[` + strings.Join(parts, ",") + `]}`
	}
	part := func(kind, fields string) string { return happened("response."+kind, `"output_index":0,`+fields) }
	for name, c := range map[string]struct{ stream, text, reasoning string }{
		"every way at once": {spoke("a") + spoke("b") + part("output_text.done", `"text":"abc"`) + part("content_part.done", `"part":{"type":"output_text","text":"abc"}`) +
			itemDone("0", message("msg_1", "abc")) + completed(`"output":[`+message("msg_1", "abc")+`]`), "abc", ""},
		"only whole parts":         {part("output_text.done", `"content_index":0,"text":"ab"`) + part("output_text.done", `"content_index":1,"text":"cd"`) + itemDone("0", message("m", "ab", "cd")) + completed(""), "abcd", ""},
		"only the item":            {itemDone("0", message("m", "ab", "cd")) + completed(""), "abcd", ""},
		"the item has more":        {spoke("ab") + itemDone("0", message("msg_1", "ab", "cd")) + completed(""), "abcd", ""},
		"the sum has more":         {spoke("ab") + completed(`"output":[`+message("other", "abc")+`]`), "abc", ""},
		"the item has another":     {spoke("ab") + itemDone("0", message("msg_1", "x")) + completed(""), "ab", ""},
		"places that are not said": {part("output_text.delta", `"delta":"ab"`) + part("output_text.delta", `"delta":"cd"`) + itemDone("0", message("m", "ab", "cd")) + completed(""), "abcd", ""},
		"two messages":             {itemDone("0", message("m1", "one")) + itemDone("1", message("m2", "two")) + completed(`"output":[`+message("m1", "one")+`,`+message("m2", "two")+`]`), "one\n\ntwo", ""},
		"content is a text":        {completed(`"output":[{"type":"message","content":"ab"}]`), "ab", ""},
		"content is null":          {spoke("ab") + completed(`"output":[{"type":"message","content":null}]`), "ab", ""},
		"summaries": {happened("response.reasoning_summary_text.delta", `"output_index":0,"summary_index":0,"delta":"Fir"`) + happened("response.reasoning_summary_text.delta", `"output_index":0,"summary_index":0,"delta":"st."`) +
			happened("response.reasoning_summary_text.done", `"output_index":0,"summary_index":0,"text":"First."`) + happened("response.reasoning_summary_part.done", `"output_index":0,"summary_index":0,"part":{"type":"summary_text","text":"First."}`) +
			happened("response.reasoning_summary_text.delta", `"output_index":0,"summary_index":1,"delta":"Then."`) + itemDone("0", aThought) + itemDone("1", aMessage) + completed(`"output":[`+aThought+`,`+aMessage+`]`), "hi", "First.\n\nThen."},
		"summaries, whole only": {itemDone("0", aThought) + itemDone("1", aMessage) + completed(""), "hi", "First.\n\nThen."},
		"reasoning itself": {happened("response.reasoning_text.delta", `"output_index":0,"content_index":0,"delta":"so"`) + happened("response.reasoning_text.done", `"output_index":0,"content_index":0,"text":"so it is"`) +
			itemDone("0", `{"type":"reasoning","summary":[],"content":[{"type":"reasoning_text","text":"so it is"}]}`) + itemDone("1", aMessage) + completed(""), "hi", "so it is"},
		"reasoning twice": {itemDone("0", `{"type":"reasoning","id":"r1","summary":[{"text":"a"}]}`) + itemDone("1", `{"type":"reasoning","id":"r2","summary":[{"text":"b"}]}`) + itemDone("2", aMessage) + completed(""), "hi", "a\n\nb"},
	} {
		got := responded(t, name, c.stream)
		if got.err != nil || got.text != c.text || got.reasoning != c.reasoning || got.stop != engine.StopEnd {
			t.Errorf("%s: %q %q %v, want %q %q", name, got.text, got.reasoning, got.err, c.text, c.reasoning)
		}
	}
}

func TestResponsesUsage(t *testing.T) {
	for in, want := range map[string]string{
		`{"input_tokens":5,"input_tokens_details":{"cached_tokens":3},"output_tokens":7,"output_tokens_details":{"reasoning_tokens":2},"total_tokens":12}`: "5 7 3 2",
		`{"input_tokens":5,"output_tokens":0}`:                                  "5 0 - -",
		`{"input_tokens":null,"output_tokens":"x","input_tokens_details":null}`: "none",
		`null`: "none",
	} {
		for _, how := range []string{"completed", "failed"} {
			said := "none"
			got := responded(t, in, ended(how, `"usage":`+in))
			if u := got.usage; u != nil {
				said = strings.Join([]string{figure(u.InputTokens), figure(u.OutputTokens), figure(u.CachedTokens), figure(u.ReasoningTokens)}, " ")
			}
			if said != want || (got.err != nil) != (how == "failed") {
				t.Errorf("%s, %s: %s %v, want %s", how, in, said, got.err, want)
			}
		}
	}
}

func TestResponsesThatAreNoStream(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		code engine.Code
		says string
	}{
		"a response":          {`{"object":"response","status":"completed","error":null,"output":[` + aMessage + `]}`, "", ""},
		"no status":           {` {"output":[` + aMessage + `]}`, "", ""},
		"a failed one":        {`{"object":"response","status":"failed","error":{"code":"server_error","message":"boom"},"output":[]}`, engine.ModelServer, "boom"},
		"still under way":     {`{"object":"response","status":"queued","output":[]}`, engine.ModelProtocol, "queued"},
		"cut":                 {`{"object":"response","status":"completed","output":[`, engine.ModelStreamCut, ""},
		"an error":            {`{"error":{"message":"model is loading","type":"unavailable"}}`, engine.ModelOverloaded, "loading"},
		"an error of words":   {`{"error":"model is loading"}`, engine.ModelOverloaded, "loading"},
		"a message":           {`{"message":"model is loading"}`, engine.ModelOverloaded, "loading"},
		"a chat completion":   {`{"choices":[{"message":{"content":"hi"}}]}`, engine.ModelProtocol, "Responses API"},
		"a list":              {`[{"error":{"message":"x"}}]`, engine.ModelProtocol, ""},
		"a page":              {"<html><p>Sign in</p></html>", engine.ModelProtocol, "Sign in"},
		"nothing":             {"", engine.ModelStreamCut, ""},
		"an object of no one": {"{}", engine.ModelProtocol, ""},
	} {
		got := responded(t, name, c.body)
		if engine.CodeOf(got.err) != c.code || !strings.Contains(errText(got.err), c.says) || c.code == "" && (got.text != "hi" || got.stop != engine.StopEnd) {
			t.Errorf("%s: %+v", name, got)
		}
	}
	got := responded(t, "calls", `{"object":"response","status":"completed","output":[`+aThought+`,`+aCall+`],"usage":{"input_tokens":1,"output_tokens":2}}`)
	if strings.Join(got.order, " ") != "reasoning call continuation usage stop" || called(got.calls) != `c1 ls {"p":1}` {
		t.Errorf("%+v", got)
	}
}

func TestTheCallerMayBreakOffResponsesAnywhere(t *testing.T) {
	m, _ := responsesDialect().serve(t, itemDone("0", aThought)+itemDone("1", aMessage)+itemDone("2", aCall)+completed(`"usage":{"input_tokens":1}`))
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
	if all != 7 {
		t.Errorf("%d chunks", all)
	}
}

// FuzzResponses reads any bytes as an answer by the Responses API.
func FuzzResponses(f *testing.F) {
	f.Add([]byte(itemAdded("0", aCall)+argsDelta(`"output_index":0`, "{}")+itemDone("1", aThought)+itemDone("0", aCall)+completed(`"output":[`+aThought+`,`+aMessage+`]`)), uint8(3))
	f.Add([]byte(`{"object":"response","output":[`+aThought+`,`+aCall+`]}`), uint8(2))
	f.Add([]byte(happened("error", `"message":"x"`)), uint8(0))
	fuzz(f, responsesDialect())
}

func TestABrokenConnectionOfResponsesIsACut(t *testing.T) {
	m, from := responsesDialect().serve(t, "")
	from.body = func() io.Reader {
		return io.MultiReader(strings.NewReader(spoke("hi")+itemDone("1", aCall)), readFails{})
	}
	got := ask(t.Context(), t, m, hello())
	if engine.CodeOf(got.err) != engine.ModelStreamCut || got.text != "hi" || len(got.calls) > 0 {
		t.Errorf("%+v", got)
	}
}
