package provider

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"agentstudio/engine"
)

// sent is the JSON of the request that m makes of r.
func sent(t *testing.T, r engine.Request, change func(*engine.Connection, *Options)) string {
	t.Helper()
	from := &canned{t: t, body: func() io.Reader { return strings.NewReader(wrote(`{"content":"ok"}`, "stop")) }}
	c, o := connection("https://models.example/v1"), Options{Client: &http.Client{Transport: from}}
	if change != nil {
		change(&c, &o)
	}
	m, err := NewChat(c, o)
	if err != nil {
		t.Fatal(err)
	}
	if got := ask(t.Context(), t, m, r); got.err != nil {
		t.Fatal(got.err)
	}
	return string(from.seen[0])
}

func TestTheRequest(t *testing.T) {
	r := hello()
	r.Messages = []engine.Message{
		{Role: engine.RoleUser, Text: "look"},
		{Role: engine.RoleAssistant, Calls: []engine.Call{{ID: "c1", Tool: "ls", Args: json.RawMessage(`{"path":"<a>"}`)}, {ID: "c2", Tool: "read", Args: json.RawMessage(`{}`)}}},
		{Role: engine.RoleTool, Reply: "c1", Tool: "ls", Text: "x.txt"},
		{Role: engine.RoleTool, Reply: "c2", Tool: "read", Text: "failed: PATH_NOT_FOUND: there is nothing", Failed: true, Code: engine.PathNotFound},
		{Role: engine.RoleAssistant, Text: "It is there."},
		{Role: engine.RoleUser, Text: "and?"},
	}
	want := `{"model":"acme-chat-1","messages":[` +
		`{"role":"system","content":"You help.\n\nFolder: x"},` +
		`{"role":"user","content":"look"},` +
		`{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"ls","arguments":"{\"path\":\"<a>\"}"}},{"id":"c2","type":"function","function":{"name":"read","arguments":"{}"}}]},` +
		`{"role":"tool","tool_call_id":"c1","content":"x.txt"},` +
		`{"role":"tool","tool_call_id":"c2","content":"failed: PATH_NOT_FOUND: there is nothing"},` +
		`{"role":"assistant","content":"It is there."},` +
		`{"role":"user","content":"and?"}],` +
		`"tools":[{"type":"function","function":{"name":"read","description":"reads <a> & b","parameters":{"type":"object"}}},{"type":"function","function":{"name":"ls","parameters":{"type":"object"}}}],` +
		`"stream":true,"stream_options":{"include_usage":true}}`
	if got := sent(t, r, nil); got != want {
		t.Errorf("sent\n%s\nwant\n%s", got, want)
	}
}

// TestNothingComesFromTheEnvironment sets every variable that the makers' libraries know.
func TestNothingComesFromTheEnvironment(t *testing.T) {
	for _, name := range []string{"OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_ADMIN_KEY", "OPENAI_CUSTOM_HEADERS",
		"OPENAI_WEBHOOK_SECRET", "OPENAI_ORGANIZATION", "OPENAI_LOG",
		"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "ANTHROPIC_CUSTOM_HEADERS", "ANTHROPIC_LOG", "ANTHROPIC_MODEL", "ANTHROPIC_BETAS",
		"ANTHROPIC_CONFIG_DIR", "ANTHROPIC_PROFILE", "ANTHROPIC_ORGANIZATION_ID", "ANTHROPIC_WORKSPACE_ID", "ANTHROPIC_IDENTITY_TOKEN_FILE",
		"ANTHROPIC_FEDERATION_RULE_ID", "ANTHROPIC_SERVICE_ACCOUNT_ID", "ANTHROPIC_SCOPE", "ANTHROPIC_SESSION_ID", "ANTHROPIC_OPEN_TELEMETRY",
		"ANTHROPIC_OPEN_TELEMETRY_PROPAGATION", "AWS_BEARER_TOKEN_BEDROCK",
		"LLM_API_KEY", "LLM_BASE_URL", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy",
		"OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_HEADERS", "OTEL_SERVICE_NAME", "OTEL_RESOURCE_ATTRIBUTES"} {
		t.Setenv(name, "http://planted-"+strings.ToLower(name)+".example")
	}
	for _, d := range dialects() {
		var seen strings.Builder
		client := &http.Client{Transport: trip(func(req *http.Request) (*http.Response, error) {
			_ = req.Write(&seen)
			return nil, errBroken
		})}
		c := d.connection("https://models.example/v1/")
		c.Key = engine.Secret{}
		m, err := d.make(c, Options{Client: client, UserAgent: "studio/1"})
		if err != nil {
			t.Fatal(err)
		}
		wantCode(t, ask(t.Context(), t, m, hello()).err, engine.ModelUnreachable)
		wire := seen.String()
		if strings.Contains(wire, "planted") || strings.Contains(wire, d.keyHeader) {
			t.Errorf("on the wire:\n%s", wire)
		}
		for _, want := range []string{"POST /v1" + strings.TrimPrefix(d.path, "/v1") + " ", "User-Agent: studio/1\r", "Accept: text/event-stream\r", "Accept-Encoding: identity\r"} {
			if !strings.Contains(wire, want) {
				t.Errorf("%q is not on the wire:\n%s", want, wire)
			}
		}
	}
}

// trip is a transport made of a function.
type trip func(*http.Request) (*http.Response, error)

func (f trip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestConnectionsThatCannotBe(t *testing.T) {
	for base, what := range map[string]string{
		"":                            "no address",
		"models.example/v1":           "must begin with https://",
		"ftp://models.example":        "must begin with https://",
		"https:///v1":                 "name a host",
		"https://me:hunter2@x.ex/v1":  "name or password",
		"https://x.example/v1?a=1":    "? or #",
		"https://x.example/v1#a":      "? or #",
		"http://me:hunter2@x.ex:no/a": "no address",
		"https:models.example":        "must begin with",
	} {
		_, err := NewChat(connection(base), Options{Client: http.DefaultClient})
		wantCode(t, err, engine.ModelNotConfigured)
		if text := errText(err); !strings.Contains(text, what) || strings.Contains(text, "hunter2") {
			t.Errorf("%q: %v, want it to say %q", base, err, what)
		}
	}
	c := connection("https://x.example")
	c.Model = ""
	_, err := NewChat(c, Options{Client: http.DefaultClient})
	wantCode(t, err, engine.ModelNotConfigured)
	c = connection("https://x.example")
	c.Key = engine.NewSecret("sk-one\nsk-two")
	_, err = NewChat(c, Options{Client: http.DefaultClient})
	wantCode(t, err, engine.ModelNotConfigured)
	if strings.Contains(errText(err), "sk-") {
		t.Errorf("%v shows the key", err)
	}
	_, err = NewChat(connection("https://x.example"), Options{})
	wantCode(t, err, engine.Internal)
	for _, base := range []string{"https://x.example:8443", "https://x.example:8443/", "https://x.example:8443/chat/completions"} {
		m, err := NewChat(connection(base), Options{Client: http.DefaultClient})
		if err != nil || m.(*chat).wire.url != "https://x.example:8443/chat/completions" {
			t.Errorf("%s: %v", base, err)
		}
		if i := m.Info(); i.Host != "x.example:8443" || i.KeyHint != "••••cdef" || i.API != engine.APIChat || i.ID != "acme-chat-1" {
			t.Errorf("info %+v", i)
		}
	}
}

// loop asks with an answer that had the continuation kept, and gives what was sent of it.
func loop(t *testing.T, kept engine.Continuation, calls []engine.ToolCall, after ...engine.Message) string {
	t.Helper()
	r := hello()
	answer := engine.Message{Role: engine.RoleAssistant, Continuation: kept}
	results := []engine.Message{}
	for _, c := range calls {
		answer.Calls = append(answer.Calls, engine.Call{ID: c.ID, Tool: c.Tool, Args: c.Args})
		results = append(results, engine.Message{Role: engine.RoleTool, Reply: c.ID, Text: "done"})
	}
	r.Messages = append(append(append(r.Messages, answer), results...), after...)
	return sent(t, r, nil)
}

func TestWhatTheServerWantsBack(t *testing.T) {
	m, _ := serve(t, wrote(`{"reasoning_content":"let me ","reasoning":"let me "}`, "null")+wrote(`{"reasoning_content":"see"}`, "null")+
		wrote(`{"reasoning_details":[{"type":"reasoning.encrypted","data":"QUJD","index":0}]}`, "null")+
		wrote(`{"tool_calls":[{"index":0,"id":"c1","type":"function","extra_content":{"google":{"thought_signature":"c2ln"}},"function":{"name":"ls","arguments":"{}","x":1,"name2":null}},`+
			`{"index":1,"id":"c2","function":{"name":"read","arguments":"{}"}}]}`, "tool_calls"))
	got := ask(t.Context(), t, m, hello())
	if got.err != nil || got.reasoning != "let me see" || strings.Join(got.order, " ") != "reasoning call continuation stop" {
		t.Fatalf("%+v", got)
	}
	inLoop := loop(t, got.kept, got.calls)
	for _, want := range []string{`"reasoning_content":"let me see"`, `"reasoning_details":[{"type":"reasoning.encrypted","data":"QUJD","index":0}]`,
		`"function":{"name":"ls","arguments":"{}","x":1},"extra_content":{"google":{"thought_signature":"c2ln"}}}`} {
		if !strings.Contains(inLoop, want) {
			t.Errorf("%s is not sent back:\n%s", want, inLoop)
		}
	}
	if strings.Contains(inLoop, `"reasoning":`) || strings.Contains(inLoop, "name2") {
		t.Errorf("sent back too much:\n%s", inLoop)
	}
	later := loop(t, got.kept, got.calls, engine.Message{Role: engine.RoleAssistant, Text: "so"}, engine.Message{Role: engine.RoleUser, Text: "next"})
	if strings.Contains(later, "let me see") || strings.Contains(later, "QUJD") || !strings.Contains(later, "c2ln") {
		t.Errorf("after the loop:\n%s", later)
	}
	elsewhere := strings.Replace(string(got.kept), "models.example", "other.example", 1)
	for _, kept := range []string{elsewhere, strings.Replace(string(got.kept), "acme-chat-1", "acme-chat-2", 1), `"x"`, `{`,
		strings.Replace(string(got.kept), "reasoning_content", "role", 1)} {
		if s := loop(t, engine.Continuation(kept), got.calls); strings.Contains(s, "let me see") {
			t.Errorf("%s was sent:\n%s", kept, s)
		}
	}
	if s := loop(t, got.kept, got.calls[:1]); strings.Contains(s, "c2ln") {
		t.Errorf("fields of other calls were sent:\n%s", s)
	}
}

func TestAFieldOfOursIsNeverReplaced(t *testing.T) {
	b, err := withMore(chatCall{ID: "c1", Type: "function", Function: calledFunction{"ls", "{}"}},
		map[string]json.RawMessage{"id": json.RawMessage(`"c9"`), "z": json.RawMessage("1"), "a": json.RawMessage("2")})
	if err != nil || string(b) != `{"id":"c1","type":"function","function":{"name":"ls","arguments":"{}"},"a":2,"z":1}` {
		t.Errorf("%s %v", b, err)
	}
}

func TestImages(t *testing.T) {
	r := hello()
	var many []engine.Attachment
	for i := range 22 {
		many = append(many, engine.Attachment{ID: string(rune('a' + i)), Name: string(rune('a'+i)) + ".png", MIME: "image/png", Kind: "image"})
	}
	many = append(many, engine.Attachment{ID: "t", Name: "t.csv", Kind: "table"})
	r.Messages[0].Attachments = many
	r.Open = openABC
	with := func(c *engine.Connection, _ *Options) { c.Images = true }
	got := sent(t, r, with)
	if strings.Count(got, "image_url\":{") != 20 || !strings.Contains(got, `"[The image b.png is left out: only the newest 20 are sent.]"`) ||
		!strings.Contains(got, `{"type":"image_url","image_url":{"url":"data:image/png;base64,QUJDYw=="}}`) || strings.Contains(got, "t.csv") {
		t.Errorf("sent %s", got)
	}
	got = sent(t, r, func(c *engine.Connection, o *Options) { with(c, o); c.Images = false })
	if strings.Contains(got, "image_url") || !strings.Contains(got, "v.png is left out: this model takes no images") {
		t.Errorf("sent %s", got)
	}
	r.Open = func(context.Context, engine.Attachment) ([]byte, error) { return nil, errors.New("gone") }
	if got = sent(t, r, with); strings.Contains(got, "image_url") || strings.Count(got, "is left out: it cannot be read.]") != 20 {
		t.Errorf("sent %s", got)
	}
	if r.Open = nil; strings.Count(sent(t, r, with), "it cannot be read") != 20 {
		t.Error("sent without a word")
	}
	m, from := serve(t, "")
	m.(*chat).info.Images = true
	ctx, cancel := context.WithCancel(t.Context())
	r.Open = func(context.Context, engine.Attachment) ([]byte, error) { cancel(); return nil, errors.New("gone") }
	if got := ask(ctx, t, m, r); !errors.Is(got.err, context.Canceled) || len(from.seen) > 0 {
		t.Errorf("sent without its image: %+v", got)
	}
	r.Open = func(context.Context, engine.Attachment) ([]byte, error) { return make([]byte, maxImageBytes), nil }
	wantCode(t, ask(t.Context(), t, m, r).err, engine.ModelTooLarge)
}

func TestAServerThatRefusesStreamOptions(t *testing.T) {
	n := 0
	from := &canned{t: t}
	m := from.model()
	m.(*chat).wire.client.Transport = trip(func(req *http.Request) (*http.Response, error) {
		n++
		from.status, from.body = 200, func() io.Reader { return strings.NewReader(wrote(`{"content":"ok"}`, "stop")) }
		if n == 1 {
			from.status, from.body = 400, func() io.Reader {
				return strings.NewReader(`{"error":{"message":"Unrecognized request argument supplied: stream_options"}}`)
			}
		}
		return from.RoundTrip(req)
	})
	for range 2 {
		if got := ask(t.Context(), t, m, hello()); got.err != nil || got.text != "ok" {
			t.Fatalf("%+v", got)
		}
	}
	if n != 3 || strings.Contains(string(from.seen[1])+string(from.seen[2]), "stream_options") {
		t.Errorf("%d requests, %s", n, from.seen)
	}
}

// A thinking level is sent as the effort that Chat Completions knows, and nothing where none is chosen.
func TestTheEffort(t *testing.T) {
	for level, want := range map[string]string{"": "", "high": `"reasoning_effort":"high"`, engine.ThinkingOff: `"reasoning_effort":"none"`} {
		got := sent(t, hello(), func(c *engine.Connection, _ *Options) { c.Thinking = level })
		if want == "" && strings.Contains(got, "reasoning_effort") || !strings.Contains(got, want) {
			t.Errorf("%q: %s", level, got)
		}
	}
}

// openABC gives ABC and the id as every picture's bytes.
func openABC(_ context.Context, a engine.Attachment) ([]byte, error) {
	return []byte("ABC" + a.ID), nil
}

// A message may be a picture and nothing else.
func TestAPictureAlone(t *testing.T) {
	r := hello()
	r.Messages[0].Text, r.Open = "", openABC
	r.Messages[0].Attachments = []engine.Attachment{{ID: "a", Name: "a.jpg", MIME: "image/jpeg", Kind: "image"}}
	got := sent(t, r, func(c *engine.Connection, _ *Options) { c.Images = true })
	if !strings.Contains(got, `{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/jpeg;base64,QUJDYQ=="}}]}`) {
		t.Errorf("sent %s", got)
	}
}
