package provider

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"agentstudio/engine"
)

// messagesSent is the JSON of the request that a model of anthropic-messages makes of r.
func messagesSent(t *testing.T, r engine.Request, change func(*engine.Connection, *Options)) string {
	t.Helper()
	d := messagesDialect()
	from := &canned{t: t, dialect: d, body: func() io.Reader { return strings.NewReader(d.hi) }}
	c, o := d.connection("https://models.example/v1"), Options{Client: &http.Client{Transport: from}}
	if change != nil {
		change(&c, &o)
	}
	m, err := NewAnthropic(c, o)
	if err != nil {
		t.Fatal(err)
	}
	if got := ask(t.Context(), t, m, r); got.err != nil {
		t.Fatal(got.err)
	}
	return string(from.seen[0])
}

func makers(c *engine.Connection, _ *Options) {
	c.Provider, c.BaseURL = engine.ProviderAnthropic, "https://api.anthropic.com"
}

func TestTheMessagesRequest(t *testing.T) {
	r := hello()
	r.Messages = []engine.Message{
		{Role: engine.RoleUser, Text: "look"},
		{Role: engine.RoleUser, Text: "there"},
		{Role: engine.RoleAssistant, Text: " \n", Calls: []engine.Call{{ID: "c1", Tool: "ls", Args: json.RawMessage(`{"path":"<a>"}`)}, {ID: "c2", Tool: "read", Args: json.RawMessage(`{}`)}}},
		{Role: engine.RoleTool, Reply: "c1", Tool: "ls", Text: "x.txt"},
		{Role: engine.RoleTool, Reply: "c2", Tool: "read", Text: "failed: PATH_NOT_FOUND: there is nothing", Failed: true, Code: engine.PathNotFound},
		{Role: engine.RoleUser, Text: "and?"},
		{Role: engine.RoleAssistant, Text: "It is there."},
		{Role: engine.RoleAssistant, Text: "Or not."},
		{Role: engine.RoleUser, Text: ""},
	}
	want := `{"model":"acme-chat-1","max_tokens":8192,"system":[{"type":"text","text":"You help."},{"type":"text","text":"Folder: x"}],` +
		`"tools":[{"name":"read","description":"reads <a> & b","input_schema":{"type":"object"}},{"name":"ls","input_schema":{"type":"object"}}],` +
		`"messages":[{"role":"user","content":[{"type":"text","text":"look"},{"type":"text","text":"there"}]},` +
		`{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"ls","input":{"path":"<a>"}},{"type":"tool_use","id":"c2","name":"read","input":{}}]},` +
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"x.txt"},{"type":"tool_result","tool_use_id":"c2","content":"failed: PATH_NOT_FOUND: there is nothing","is_error":true},{"type":"text","text":"and?"}]},` +
		`{"role":"assistant","content":[{"type":"text","text":"It is there."},{"type":"text","text":"Or not."}]},` +
		`{"role":"user","content":[{"type":"text","text":"[An empty message.]"}]}],"stream":true}`
	if got := messagesSent(t, r, nil); got != want {
		t.Errorf("sent\n%s\nwant\n%s", got, want)
	}
	own := messagesSent(t, r, makers)
	for _, marked := range []string{`"text":"Folder: x","cache_control":{"type":"ephemeral"}}]`, `{"name":"ls","input_schema":{"type":"object"},"cache_control":{"type":"ephemeral"}}]`,
		`"text":"[An empty message.]","cache_control":{"type":"ephemeral"}}]}]`} {
		if !strings.Contains(own, marked) {
			t.Errorf("no mark as in %s:\n%s", marked, own)
		}
	}
	r.Messages = r.Messages[:8]
	if s := messagesSent(t, r, nil); !strings.HasSuffix(s, `{"role":"user","content":[{"type":"text","text":"Go on."}]}],"stream":true}`) {
		t.Errorf("an answer is last: %s", s)
	}
	messagesSent(t, engine.Request{}, makers) // judged by the checker
	if s := messagesSent(t, engine.Request{Purpose: engine.PurposeSummary, System: r.System, Messages: r.Messages[:1]}, makers); strings.Contains(s, "cache_control") {
		t.Errorf("a summary is kept for later: %s", s)
	}
}

func TestIDsAndNamesThatTheServerWouldRefuse(t *testing.T) {
	r := hello()
	long := engine.CallID(strings.Repeat("x", 100))
	ids := []engine.CallID{"functions.read:0", "functions_read_0", "é", long, long + "y"}
	answer := engine.Message{Role: engine.RoleAssistant}
	var results []engine.Message
	for _, id := range ids {
		answer.Calls = append(answer.Calls, engine.Call{ID: id, Tool: "no such.tool", Args: json.RawMessage(`{}`)})
		results = append(results, engine.Message{Role: engine.RoleTool, Reply: id})
	}
	r.Messages = append(append(r.Messages, answer), results...)
	got := messagesSent(t, r, nil) // judged by the checker: plain, no two the same, each with its result
	if !strings.Contains(got, `"id":"functions_read_0","name":"no_such_tool"`) || !strings.Contains(got, `"tool_use_id":"functions_read_0_2"`) {
		t.Errorf("sent %s", got)
	}
}

func TestWhereMessagesGo(t *testing.T) {
	for base, want := range map[string]string{
		"https://api.anthropic.com": "https://api.anthropic.com/v1/messages", "https://api.anthropic.com/v1/": "https://api.anthropic.com/v1/messages",
		"https://api.anthropic.com/v1/messages": "https://api.anthropic.com/v1/messages", " https://x.example/anthropic ": "https://x.example/anthropic/v1/messages",
	} {
		c := messagesDialect().connection(base)
		m, err := NewAnthropic(c, Options{Client: http.DefaultClient})
		if err != nil || m.(*messages).wire.url != want {
			t.Errorf("%s: %v", base, err)
			continue
		}
		if i := m.Info(); i.API != engine.APIAnthropic || i.KeyHint != "••••cdef" || i.ID != "acme-chat-1" || i.Host == "" {
			t.Errorf("info %+v", i)
		}
	}
	for _, base := range []string{"", "api.anthropic.com", "https:///v1", "https://a:b@x.example", "https://x.example/v1?a=1"} {
		_, err := NewAnthropic(messagesDialect().connection(base), Options{Client: http.DefaultClient})
		wantCode(t, err, engine.ModelNotConfigured)
	}
	// Marks and what else only the maker has go nowhere else, whatever the address looks like.
	for _, base := range []string{"http://api.anthropic.com", "https://api.anthropic.com:8443", "https://api.anthropic.com.evil.example"} {
		m, err := NewAnthropic(messagesDialect().connection(base), Options{Client: http.DefaultClient})
		if err != nil || m.(*messages).own {
			t.Errorf("%s is taken for the maker's: %v", base, err)
		}
	}
}

func TestMaxTokens(t *testing.T) {
	long := hello()
	long.Messages[0].Text = strings.Repeat("word ", 30_000) // 50,000 tokens by the estimate
	for name, c := range map[string]struct {
		r            engine.Request
		most, window int
		want         string
	}{
		"nothing known":          {hello(), 0, 0, `"max_tokens":8192,`},
		"the catalogue":          {hello(), 4096, 0, `"max_tokens":4096,`},
		"never more than 32,000": {hello(), 128_000, 1_000_000, `"max_tokens":32000,`},
		"what the window leaves": {long, 64_000, 60_000, `"max_tokens":9`},
		"unknown, but small":     {hello(), 0, 4096, `"max_tokens":40`},
		"nothing is left":        {long, 64_000, 40_000, `"max_tokens":1024,`},
	} {
		got := messagesSent(t, c.r, func(conn *engine.Connection, o *Options) { conn.ContextWindow, o.MaxOutput = c.window, c.most })
		if !strings.Contains(got, c.want) {
			t.Errorf("%s: %.80s, want %s", name, got, c.want)
		}
	}
}

func TestThinkingSettings(t *testing.T) {
	for name, c := range map[string]struct {
		level, form string
		most        int
		own         bool
		want        string // "" is nothing at all
	}{
		"by itself":             {"", ThinkingAdaptive, 0, true, ""},
		"off":                   {engine.ThinkingOff, ThinkingAdaptive, 0, true, `"thinking":{"type":"disabled"},"stream"`},
		"adaptive":              {"xhigh", ThinkingAdaptive, 0, false, `"thinking":{"type":"adaptive"},"output_config":{"effort":"xhigh"},"stream"`},
		"adaptive, the maker's": {"low", "", 0, true, `"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"low"},"stream"`},
		"elsewhere, unknown":    {"low", "", 0, false, `"thinking":{"type":"enabled","budget_tokens":2048},"stream"`},
		"high":                  {"high", ThinkingBudget, 64_000, true, `"thinking":{"type":"enabled","budget_tokens":16384},"stream"`},
		"max":                   {"max", ThinkingBudget, 64_000, true, `"thinking":{"type":"enabled","budget_tokens":24000},"stream"`},
		"a short answer":        {"high", ThinkingBudget, 4_000, false, `"thinking":{"type":"enabled","budget_tokens":3000},"stream"`},
		"too short to think":    {"high", ThinkingBudget, 1_200, false, ""},
	} {
		got := messagesSent(t, hello(), func(conn *engine.Connection, o *Options) {
			if c.own {
				makers(conn, o)
			}
			conn.Thinking, o.ThinkingForm, o.MaxOutput = c.level, c.form, c.most
		})
		if c.want == "" && (strings.Contains(got, "thinking") || strings.Contains(got, "effort")) || !strings.Contains(got, c.want) {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func TestImagesOfMessages(t *testing.T) {
	r := hello()
	var many []engine.Attachment
	for i := range 22 {
		many = append(many, engine.Attachment{ID: string(rune('a' + i)), Name: string(rune('a'+i)) + ".png", MIME: "image/png", Kind: "image"})
	}
	many = append(many, engine.Attachment{ID: "t", Name: "t.csv", Kind: "table"})
	r.Messages[0].Attachments = many
	r.Open = openABC
	with := func(c *engine.Connection, _ *Options) { c.Images = true }
	got := messagesSent(t, r, with)
	if strings.Count(got, `"type":"image"`) != 20 || !strings.Contains(got, `"[The image b.png is left out: only the newest 20 are sent.]"`) || strings.Contains(got, "t.csv") ||
		!strings.Contains(got, `{"type":"image","source":{"type":"base64","media_type":"image/png","data":"QUJDdg=="}},{"type":"text","text":"hello"}]`) {
		t.Errorf("sent %s", got)
	}
	got = messagesSent(t, r, func(c *engine.Connection, o *Options) { with(c, o); c.Images = false })
	if strings.Contains(got, "base64") || !strings.Contains(got, "v.png is left out: this model takes no images") {
		t.Errorf("sent %s", got)
	}
}
