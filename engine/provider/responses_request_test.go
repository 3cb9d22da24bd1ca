package provider

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"agentstudio/engine"
)

// sentResponse is the JSON of the request that the Responses API is sent of r.
func sentResponse(t *testing.T, r engine.Request, change func(*engine.Connection, *Options)) string {
	t.Helper()
	d := responsesDialect()
	from := &canned{t: t, dialect: d, body: func() io.Reader { return strings.NewReader(d.hi) }}
	c, o := d.connection("https://models.example/v1"), Options{Client: &http.Client{Transport: from}}
	if change != nil {
		change(&c, &o)
	}
	m, err := NewResponses(c, o)
	if err != nil {
		t.Fatal(err)
	}
	if got := ask(t.Context(), t, m, r); got.err != nil {
		t.Fatal(got.err)
	}
	return string(from.seen[0])
}

func TestTheResponsesRequest(t *testing.T) {
	r := hello()
	r.Session = "ses_7"
	r.Messages = []engine.Message{
		{Role: engine.RoleUser, Text: "look"},
		{Role: engine.RoleAssistant, Text: "I look.", Calls: []engine.Call{{ID: "c1", Tool: "ls", Args: json.RawMessage(`{"path":"<a>"}`)}, {ID: "c2", Tool: "read", Args: json.RawMessage(`{}`)}}},
		{Role: engine.RoleTool, Reply: "c1", Tool: "ls", Text: ""},
		{Role: engine.RoleTool, Reply: "c2", Tool: "read", Text: "failed: PATH_NOT_FOUND: there is nothing", Failed: true, Code: engine.PathNotFound},
		{Role: engine.RoleAssistant, Text: "It is there."},
		{Role: engine.RoleUser, Text: "and?"},
	}
	want := `{"model":"acme-chat-1","instructions":"You help.\n\nFolder: x","input":[` +
		`{"role":"user","content":"look"},` +
		`{"role":"assistant","content":"I look."},` +
		`{"type":"function_call","call_id":"c1","name":"ls","arguments":"{\"path\":\"<a>\"}"},` +
		`{"type":"function_call","call_id":"c2","name":"read","arguments":"{}"},` +
		`{"type":"function_call_output","call_id":"c1","output":""},` +
		`{"type":"function_call_output","call_id":"c2","output":"failed: PATH_NOT_FOUND: there is nothing"},` +
		`{"role":"assistant","content":"It is there."},` +
		`{"role":"user","content":"and?"}],` +
		`"tools":[{"type":"function","name":"read","description":"reads <a> & b","parameters":{"type":"object"},"strict":false},{"type":"function","name":"ls","parameters":{"type":"object"},"strict":false}],` +
		`"include":["reasoning.encrypted_content"],"prompt_cache_key":"ses_7","store":false,"stream":true}`
	if got := sentResponse(t, r, nil); got != want {
		t.Errorf("sent\n%s\nwant\n%s", got, want)
	}
}

func TestHowMuchAResponseThinks(t *testing.T) {
	for level, want := range map[string]string{"": "", "high": `"reasoning":{"effort":"high","summary":"auto"},`, engine.ThinkingOff: `"reasoning":{"effort":"none"},`, "none": `"reasoning":{"effort":"none"},`} {
		got := sentResponse(t, hello(), func(c *engine.Connection, _ *Options) { c.Thinking = level })
		if want == "" && strings.Contains(got, `"reasoning":`) || !strings.Contains(got, want) {
			t.Errorf("%q: %s", level, got)
		}
	}
}

func TestImagesOfResponses(t *testing.T) {
	r := hello()
	r.Messages[0].Text = ""
	for i := range 22 {
		r.Messages[0].Attachments = append(r.Messages[0].Attachments, engine.Attachment{ID: string(rune('a' + i)), Name: string(rune('a'+i)) + ".png", MIME: "image/png", Kind: "image"})
	}
	r.Open = openABC
	with := func(c *engine.Connection, _ *Options) { c.Images = true }
	got := sentResponse(t, r, with)
	if strings.Count(got, `"type":"input_image"`) != 20 || !strings.Contains(got, `{"type":"input_text","text":"[The image b.png is left out: only the newest 20 are sent.]"}`) ||
		!strings.Contains(got, `{"type":"input_image","image_url":"data:image/png;base64,QUJDYw==","detail":"auto"}`) {
		t.Errorf("sent %s", got)
	}
	got = sentResponse(t, r, func(c *engine.Connection, o *Options) { with(c, o); c.Images = false })
	if strings.Contains(got, "input_image") || !strings.Contains(got, "v.png is left out: this model takes no images") {
		t.Errorf("sent %s", got)
	}
}

// again sends an answer with its continuation and the results of its calls back.
func again(t *testing.T, got outcome, change func(*engine.Connection, *Options), after ...engine.Message) string {
	t.Helper()
	r := hello()
	answer := engine.Message{Role: engine.RoleAssistant, Text: got.text, Continuation: got.kept}
	var results []engine.Message
	for _, c := range got.calls {
		answer.Calls = append(answer.Calls, engine.Call{ID: c.ID, Tool: c.Tool, Args: c.Args})
		results = append(results, engine.Message{Role: engine.RoleTool, Reply: c.ID, Text: "done"})
	}
	r.Messages = append(append(append(r.Messages, answer), results...), after...)
	if len(got.calls) == 0 {
		r.Messages = append(r.Messages, engine.Message{Role: engine.RoleUser, Text: "next"})
	}
	return sentResponse(t, r, change)
}

const (
	phased  = `{"type":"message","id":"msg_1","role":"assistant","status":"completed","phase":"commentary","content":[{"type":"output_text","text":"I <look>.","annotations":[],"logprobs":[]}]}`
	phasedB = `{"type":"message","id":"msg_1","role":"assistant","status":"completed","phase":"commentary","content":[{"type":"output_text","text":"I <look>.","annotations":[]}]}`
	unread  = `{"type":"reasoning","id":"rs_0","summary":[]}`
	callB   = `{"type":"function_call","id":"fc_1","call_id":"c1","name":"ls","arguments":"{\"p\":1}"}`
)

func TestWhatResponsesAreGivenBack(t *testing.T) {
	bare := func(item, id string) string { return strings.Replace(item, `"id":"`+id+`",`, "", 1) }
	other := strings.ReplaceAll(aThought, "rs_1", "rs_2")
	second := strings.NewReplacer("fc_1", "fc_2", "c1", "c2").Replace(aCall)
	secondB := strings.NewReplacer("fc_1", "fc_2", "c1", "c2").Replace(callB)
	for name, c := range map[string]struct {
		items []string
		want  string // between the question and what follows; "" for no continuation
	}{
		"reasoning before its call":          {[]string{aThought, aCall}, aThought + "," + callB},
		"reasoning before a message, a call": {[]string{aThought, phased, aCall}, aThought + "," + phasedB + "," + callB},
		"reasoning before each":              {[]string{aThought, aCall, other, second}, aThought + "," + callB + "," + other + "," + secondB},
		"a phase alone":                      {[]string{phased, aCall}, bare(phasedB, "msg_1") + "," + bare(callB, "fc_1")},
		"nothing worth it":                   {[]string{aMessage, aCall}, ""},
		"reasoning nobody can read":          {[]string{unread, aCall, aThought, second}, bare(callB, "fc_1") + "," + aThought + "," + secondB},
		"reasoning that led to nothing":      {[]string{aThought, aCall, other}, aThought + "," + callB},
		"reasoning and an unknown item":      {[]string{phased, aThought, `{"type":"web_search_call","id":"ws_1"}`, aCall}, bare(phasedB, "msg_1") + "," + bare(callB, "fc_1")},
		"reasoning in the open": {[]string{`{"type":"reasoning","id":"rs_1","summary":[],"content":[{"type":"reasoning_text","text":"so"}]}`, aCall},
			`{"type":"reasoning","id":"rs_1","summary":[],"content":[{"type":"reasoning_text","text":"so"}]},` + callB},
	} {
		stream := ""
		for n, item := range c.items {
			stream += itemDone(string(rune('0'+n)), item)
		}
		got := responded(t, name, stream+completed(`"output":[`+strings.Join(c.items, ",")+`]`))
		if (got.kept == nil) != (c.want == "") {
			t.Errorf("%s: kept %s", name, got.kept)
			continue
		}
		if c.want == "" {
			continue
		}
		sent := again(t, got, nil)
		if !strings.Contains(sent, `{"role":"user","content":"hello"},`+c.want+`,{"type":"function_call_output"`) {
			t.Errorf("%s: sent\n%s\nwant\n%s", name, sent, c.want)
		}
	}
}

func TestReasoningThatLedToAnAnswerGoesBackToo(t *testing.T) {
	got := responded(t, "", itemDone("0", aThought)+itemDone("1", aMessage)+completed(""))
	if sent := again(t, got, nil); !strings.Contains(sent, aThought+`,`+aMessage+`,{"role":"user","content":"next"}`) {
		t.Errorf("sent %s", sent)
	}
	refusal := `{"type":"message","id":"msg_1","role":"assistant","status":"completed","content":[{"type":"refusal","refusal":"No."}]}`
	got = responded(t, "", itemDone("0", aThought)+itemDone("1", refusal)+completed(""))
	if sent := again(t, got, nil); got.stop != engine.StopRefusal || !strings.Contains(sent, aThought+`,`+refusal) {
		t.Errorf("sent %s", sent)
	}
}

// TestReasoningOfOthersIsNotSent: without it no id of it goes along either.
func TestReasoningOfOthersIsNotSent(t *testing.T) {
	got := responded(t, "", itemDone("0", aThought)+itemDone("1", phased)+itemDone("2", aCall)+completed(""))
	plain := `{"role":"assistant","content":"I <look>."},{"type":"function_call","call_id":"c1","name":"ls","arguments":"{\"p\":1}"}`
	for name, change := range map[string]func(*engine.Connection, *Options){
		"model":  func(c *engine.Connection, _ *Options) { c.Model = "acme-2" },
		"origin": func(c *engine.Connection, _ *Options) { c.BaseURL = "https://other.example/v1" },
	} {
		if sent := again(t, got, change); !strings.Contains(sent, plain) || strings.Contains(sent, "rs_1") || strings.Contains(sent, "msg_1") || strings.Contains(sent, "fc_1") {
			t.Errorf("another %s: %s", name, sent)
		}
	}
	kept := string(got.kept)
	for _, k := range []string{`"x"`, `{`, strings.Replace(kept, engine.APIResponses, engine.APIChat, 1), strings.Replace(kept, `"type":"message"`, `"type":"moon"`, 1),
		strings.Replace(kept, `"type":"function_call"`, `"type":"message"`, 1)} {
		broken := got
		broken.kept = engine.Continuation(k)
		if sent := again(t, broken, nil); !strings.Contains(sent, plain) || strings.Contains(sent, "rs_1") {
			t.Errorf("%s: %s", k, sent)
		}
	}
}

// TestExtrasThatAreRefused: what a server refuses by name is left out, in that request and later.
func TestExtrasThatAreRefused(t *testing.T) {
	d := responsesDialect()
	for _, c := range []struct {
		refusal, gone string
		requests      int // of two calls
	}{
		{`{"error":{"message":"Encrypted content is not supported with this model.","type":"invalid_request_error","param":"include"}}`, `"include"`, 3},
		{`{"error":{"message":"Your organization must be verified to generate reasoning summaries.","param":"reasoning.summary"}}`, `"summary":"auto"`, 3},
		{`{"error":{"message":"Unknown parameter: 'prompt_cache_key'."}}`, `"prompt_cache_key"`, 3},
		{`{"error":{"message":"The encrypted content for item rs_1 could not be verified.","code":"invalid_encrypted_content"}}`, `"rs_1"`, 4},
	} {
		n := 0
		from := &canned{t: t, dialect: d}
		con := d.connection("https://models.example/v1")
		con.Thinking = "low"
		m, err := NewResponses(con, Options{Client: &http.Client{Transport: trip(func(req *http.Request) (*http.Response, error) {
			n++
			body, err := req.GetBody()
			if err != nil {
				return nil, err
			}
			sent, _ := io.ReadAll(body)
			from.status, from.body = 200, func() io.Reader { return strings.NewReader(d.hi) }
			if strings.Contains(string(sent), c.gone) {
				from.status, from.body = 400, func() io.Reader { return strings.NewReader(c.refusal) }
			}
			return from.RoundTrip(req)
		})}})
		if err != nil {
			t.Fatal(err)
		}
		r := hello()
		r.Session = "ses_1"
		got := responded(t, "", itemDone("0", aThought)+itemDone("1", aMessage)+completed(""))
		r.Messages = append(r.Messages, engine.Message{Role: engine.RoleAssistant, Text: "hi", Continuation: got.kept}, engine.Message{Role: engine.RoleUser, Text: "next"})
		for range 2 {
			if got := ask(t.Context(), t, m, r); got.err != nil || got.text != "hi" {
				t.Fatalf("%s: %+v", c.gone, got)
			}
		}
		if n != c.requests {
			t.Errorf("%s: %d requests", c.gone, n)
		}
	}
	m, from := d.serve(t, `{"error":{"message":"Unknown parameter: 'include'."}}`)
	from.status = 400
	wantCode(t, ask(t.Context(), t, m, hello()).err, engine.ModelBadRequest)
	if len(from.seen) != 2 {
		t.Errorf("%d requests", len(from.seen))
	}
	m, from = d.serve(t, `{"error":{"message":"A message must include text."}}`)
	from.status = 400
	wantCode(t, ask(t.Context(), t, m, hello()).err, engine.ModelBadRequest)
	if len(from.seen) != 1 {
		t.Errorf("%d requests", len(from.seen))
	}
}
