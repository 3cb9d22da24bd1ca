package provider

import (
	"encoding/json"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"agentstudio/engine"
)

const (
	aSignature = `EqQBCkYIBx/é+== <b>&\u2028`
	thinkAloud = `{"type":"thinking","thinking":"","signature":""}`
	thinkDark  = `{"type":"redacted_thinking","data":"Aw+/=="}`
)

// thoughtful is an answer that thinks, says something and asks for two tools.
func thoughtful() string {
	return messagesStream("tool_use", begun(0, thinkAloud), grown(0, `{"type":"thinking_delta","thinking":"Let me "}`), grown(0, `{"type":"thinking_delta","thinking":"see <x>"}`),
		grown(0, `{"type":"signature_delta","signature":"`+aSignature+`"}`), begun(1, thinkDark),
		begun(2, `{"type":"text","text":""}`), grown(2, `{"type":"text_delta","text":"I look."}`),
		begun(3, toolUse("c1", "ls")), grown(3, inputPiece(`{"z": 1, "a": 2}`)), begun(4, toolUse("c2", "read")))
}

// goneOn is r with an answer and the results of its calls behind it, as the engine keeps them.
func goneOn(t *testing.T, r engine.Request, got outcome) engine.Request {
	t.Helper()
	answer := engine.Message{Role: engine.RoleAssistant, Text: got.text, Continuation: saved(t, got.kept)}
	r.Messages = append(r.Messages[:len(r.Messages):len(r.Messages)], answer)
	for _, c := range got.calls {
		args, err := engine.Canonical(c.Args)
		if err != nil {
			t.Fatal(err)
		}
		last := &r.Messages[len(hello().Messages)]
		last.Calls = append(last.Calls, engine.Call{ID: c.ID, Tool: c.Tool, Args: args})
	}
	for _, c := range got.calls {
		r.Messages = append(r.Messages, engine.Message{Role: engine.RoleTool, Reply: c.ID, Tool: c.Tool, Text: "done"})
	}
	return r
}

// saved is a continuation after it was written to a journal and read back.
func saved(t *testing.T, kept engine.Continuation) engine.Continuation {
	t.Helper()
	line, err := engine.Event{ID: "e", Session: "s", Seq: 1, At: time.UnixMilli(0).UTC(), Payload: engine.AssistantCompleted{Message: "m", Continuation: json.RawMessage(kept)}}.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	e, err := engine.DecodeEvent(line)
	if err != nil {
		t.Fatal(err)
	}
	return engine.Continuation(e.Payload.(engine.AssistantCompleted).Continuation)
}

func TestThinkingGoesBackAsItCame(t *testing.T) {
	got := messaged(t, "thoughtful", thoughtful())
	if got.err != nil || got.reasoning != "Let me see <x>" || got.text != "I look." || strings.Join(got.order, " ") != "reasoning text call continuation stop" {
		t.Fatalf("%+v", got)
	}
	s := messagesSent(t, goneOn(t, hello(), got), nil)
	for _, want := range []string{`{"role":"assistant","content":[{"signature":"` + strings.ReplaceAll(aSignature, `\u2028`, "\\u2028") + `","thinking":"Let me see <x>","type":"thinking"},{"data":"Aw+/==","type":"redacted_thinking"},{"text":"I look.","type":"text"},`,
		`"input":{"z":1,"a":2}`, `{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"done"},{"type":"tool_result","tool_use_id":"c2","content":"done"}]}`} {
		if !strings.Contains(s, want) {
			t.Errorf("%s is not in:\n%s", want, s)
		}
	}
	later := goneOn(t, hello(), got)
	later.Messages = append(later.Messages, engine.Message{Role: engine.RoleAssistant, Text: "So."}, engine.Message{Role: engine.RoleUser, Text: "next"})
	if s := messagesSent(t, later, nil); !strings.Contains(s, "Let me see") {
		t.Errorf("the thinking of an earlier message is gone:\n%s", s)
	}
}

// TestThinkingIsDropped takes thinking away wherever the server would refuse it: in another model's
// hands, and behind anything that is no longer as it was.
func TestThinkingIsDropped(t *testing.T) {
	got := messaged(t, "thoughtful", thoughtful())
	same := func(*engine.Connection, *Options) {}
	for name, c := range map[string]struct {
		change func(*engine.Request)
		conn   func(*engine.Connection, *Options)
	}{
		"another model":  {nil, func(c *engine.Connection, _ *Options) { c.Model = "acme-2" }},
		"another server": {nil, func(c *engine.Connection, _ *Options) { c.BaseURL = "https://other.example" }},
		"another API": {func(r *engine.Request) {
			r.Messages[1].Continuation = []byte(strings.Replace(string(got.kept), "anthropic-messages", "openai-chat", 1))
		}, same},
		"broken":         {func(r *engine.Request) { r.Messages[1].Continuation = got.kept[:20] }, same},
		"no blocks":      {func(r *engine.Request) { r.Messages[1].Continuation = []byte(`"x"`) }, same},
		"another prompt": {func(r *engine.Request) { r.System = r.System[:1] }, same},
		"another tool":   {func(r *engine.Request) { r.Tools = r.Tools[:1] }, same},
		"summarised": {func(r *engine.Request) {
			r.Messages[0].Text = "[Summary by the studio of everything before this point]"
		}, same},
		"one message more": {func(r *engine.Request) {
			r.Messages = append([]engine.Message{{Role: engine.RoleUser, Text: "before"}}, r.Messages...)
		}, same},
		"a call that is gone":  {func(r *engine.Request) { r.Messages[1].Calls = r.Messages[1].Calls[:1]; r.Messages = r.Messages[:3] }, same},
		"redacted arguments":   {func(r *engine.Request) { r.Messages[1].Calls[0].Args = json.RawMessage(`{"a":"[redacted]"}`) }, same},
		"another text":         {func(r *engine.Request) { r.Messages[1].Text = "I [redacted]." }, same},
		"lost with the server": {func(r *engine.Request) { r.Messages[1].Continuation = nil }, same},
	} {
		r := goneOn(t, hello(), got)
		if c.change != nil {
			c.change(&r)
		}
		s := messagesSent(t, r, func(conn *engine.Connection, o *Options) {
			c.conn(conn, o)
			conn.Thinking, o.ThinkingForm = "high", ThinkingBudget
		})
		if strings.Contains(s, "Let me see") || strings.Contains(s, "Aw+/==") || strings.Contains(s, "EqQB") || !strings.Contains(s, `"name":"ls"`) {
			t.Errorf("%s:\n%s", name, s)
		}
		if strings.Contains(s, "budget_tokens") {
			t.Errorf("%s: thinking is asked for in a loop that does not begin with it:\n%s", name, s)
		}
	}
	s := messagesSent(t, goneOn(t, hello(), got), func(conn *engine.Connection, o *Options) { conn.Thinking, o.ThinkingForm = "high", ThinkingBudget })
	if !strings.Contains(s, "budget_tokens") || !strings.Contains(s, "Let me see") {
		t.Errorf("a whole loop goes on without thinking:\n%s", s)
	}
}

func TestACallKnownByAnotherIDGoesBackUnderIt(t *testing.T) {
	got := messaged(t, "thoughtful", thoughtful())
	r := goneOn(t, hello(), got)
	r.Messages[1].Calls[0].ID, r.Messages[2].Reply = "call_new", "call_new"
	if s := messagesSent(t, r, nil); !strings.Contains(s, "Let me see") || !strings.Contains(s, `"id":"call_new"`) || strings.Contains(s, `"c1"`) {
		t.Errorf("sent %s", s)
	}
}

func TestWhatNeedsNoContinuation(t *testing.T) {
	for name, stream := range map[string]string{
		"a text":   messagesText("hi"),
		"one call": messagesStream("tool_use", begun(0, `{"type":"text","text":"hi"}`), begun(1, toolUse("a", "ls")), grown(1, inputPiece(`{"a":1}`))),
		"unsigned": messagesStream("max_tokens", begun(0, `{"type":"thinking","thinking":"cut off"}`)),
	} {
		if got := messaged(t, name, stream); got.kept != nil || got.err != nil {
			t.Errorf("%s: %s %v", name, got.kept, got.err)
		}
	}
	for name, stream := range map[string]string{
		"an unusual spelling": messagesStream("tool_use", begun(0, toolUse("a", "ls")), grown(0, inputPiece(`{"b":1,"a":2}`))),
		"two texts":           messagesStream("end_turn", begun(0, `{"type":"text","text":"h"}`), begun(1, `{"type":"text","text":"i"}`)),
	} {
		if got := messaged(t, name, stream); got.kept == nil {
			t.Errorf("%s is not kept", name)
		}
	}
}

func TestAPausedAnswerIsGoneOnWith(t *testing.T) {
	search := begun(0, `{"type":"server_tool_use","id":"srv_1","name":"web_search","input":{}}`)
	found := begun(1, `{"type":"web_search_tool_result","tool_use_id":"srv_1","content":[{"type":"web_search_result","url":"https://x.example","encrypted_content":"Ab+="}]}`)
	usage := `{"type":"message_start","message":{"usage":{"input_tokens":10,"cache_read_input_tokens":2,"output_tokens":1}}}`
	first := messagesStream("pause_turn", usage, search, grown(0, inputPiece(`{"query":"x"}`)), found)
	last := messagesStream("tool_use", usage, begun(0, thinkAloud), grown(0, `{"type":"signature_delta","signature":"s"}`), begun(1, `{"type":"text","text":"Found."}`), begun(2, toolUse("c1", "ls")))
	d := messagesDialect()
	answers := []string{first, last}
	from := &canned{t: t, dialect: d}
	from.body = func() io.Reader { return strings.NewReader(answers[min(len(from.seen), len(answers))-1]) }
	got := ask(t.Context(), t, from.model(), hello())
	if got.err != nil || got.text != "Found." || called(got.calls) != "c1 ls {}" || got.stop != engine.StopToolUse || *got.usage.InputTokens != 24 || *got.usage.OutputTokens != 2 || *got.usage.CachedTokens != 4 {
		t.Fatalf("%+v", got)
	}
	blocks := `{"id":"srv_1","input":{"query":"x"},"name":"web_search","type":"server_tool_use"},{"content":[{"type":"web_search_result","url":"https://x.example","encrypted_content":"Ab+="}],"tool_use_id":"srv_1","type":"web_search_tool_result"}`
	if len(from.seen) != 2 || !strings.Contains(string(from.seen[1]), `{"role":"assistant","content":[`+blocks+`]}],`) {
		t.Fatalf("%d requests, the last %s", len(from.seen), from.seen[len(from.seen)-1])
	}
	if s := messagesSent(t, goneOn(t, hello(), got), nil); !strings.Contains(s, `{"role":"assistant","content":[`+blocks+`,{"signature":"s","thinking":"","type":"thinking"},{"text":"Found.","type":"text"},`) {
		t.Errorf("the answer goes back as %s", s)
	}

	answers = []string{first}
	from = &canned{t: t, dialect: d, body: func() io.Reader { return strings.NewReader(first) }}
	got = ask(t.Context(), t, from.model(), hello())
	if engine.CodeOf(got.err) != engine.ModelProtocol || len(from.seen) != 1+maxPauses || !strings.Contains(got.err.Error(), "more than 5 times") {
		t.Errorf("%d requests, %v", len(from.seen), got.err)
	}
	got = messaged(t, "a tool of ours", messagesStream("pause_turn", search, begun(1, toolUse("c1", "ls"))))
	wantCode(t, got.err, engine.ModelProtocol)
}

// TestAnyConversationMakesARequest asks with conversations put together at random; the checker judges.
func TestAnyConversationMakesARequest(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 1))
	texts := []string{"", " \n", "hello", "é"}
	for range 200 {
		r := hello()
		for n := range rnd.IntN(8) {
			msg := engine.Message{Role: engine.RoleAssistant, Text: texts[rnd.IntN(len(texts))]}
			if rnd.IntN(3) == 0 {
				r.Messages = append(r.Messages, engine.Message{Role: engine.RoleUser, Text: msg.Text})
				continue
			}
			if rnd.IntN(3) == 0 {
				msg.Continuation = []byte(`{"api":"anthropic-messages","origin":"https://models.example:443","modelId":"acme-chat-1","refused":true}`)
			}
			for k := range rnd.IntN(3) {
				msg.Calls = append(msg.Calls, engine.Call{ID: engine.CallID(strings.Repeat("a.", n) + strings.Repeat("b", k)), Tool: "ls", Args: json.RawMessage(`{}`)})
			}
			if len(msg.Calls) > 0 {
				msg.Continuation = nil // what was refused has no calls
			}
			r.Messages = append(r.Messages, msg)
			for _, c := range msg.Calls {
				r.Messages = append(r.Messages, engine.Message{Role: engine.RoleTool, Reply: c.ID, Failed: rnd.IntN(2) == 0, Text: texts[rnd.IntN(len(texts))]})
			}
		}
		messagesSent(t, r, func(c *engine.Connection, o *Options) {
			c.Thinking = []string{"", "off", "high"}[rnd.IntN(3)]
			o.ThinkingForm = []string{"", ThinkingAdaptive, ThinkingBudget}[rnd.IntN(3)]
			c.ContextWindow = []int{0, 500, 100_000}[rnd.IntN(3)]
			if rnd.IntN(2) == 0 {
				makers(c, o)
			}
		})
	}
}
