package scenario

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"agentstudio/engine"
)

// one makes a scenario with a single unconditional turn of these actions.
func one(t testing.TB, actions string) *Scenario {
	return mustParse(t, "name: t\nprompt: p\nturns:\n  - do: "+actions+"\n")
}

func first(prompt string) engine.Request {
	return engine.Request{Turn: 1, Attempt: 1, Messages: []engine.Message{{Role: engine.RoleUser, Text: prompt, Seq: 3}}}
}

func TestFailByStatus(t *testing.T) {
	m := one(t, "[{fail: {status: 429, retryAfter: 2s, message: slow down, attempts: 2}}, {say: there}]").Model(Options{})
	for attempt := 1; attempt <= 2; attempt++ {
		r := first("x")
		r.Attempt = attempt
		a := ask(t, m, r)
		d := engine.DetailsOf(a.err)
		if !errors.Is(a.err, engine.ModelRateLimited) || d["status"] != 429 || d["retryAfterMs"] != int64(2000) || d["providerMessage"] != "slow down" || a.pieces != 0 {
			t.Errorf("attempt %d: %v %v", attempt, a.err, d)
		}
	}
	r := first("x")
	r.Attempt = 3
	if a := ask(t, m, r); a.err != nil || a.text != "there" || a.stop != engine.StopEnd {
		t.Errorf("third attempt: %+v", a)
	}
	for status, code := range map[string]engine.Code{"500": engine.ModelServer, "529": engine.ModelOverloaded, "401": "MODEL_AUTH", "400": "MODEL_BAD_REQUEST", "408": engine.ModelServer} {
		if a := ask(t, one(t, "[{fail: {status: "+status+"}}]").Model(Options{}), first("x")); !errors.Is(a.err, code) {
			t.Errorf("%s: %v, want %s", status, a.err, code)
		}
	}
}

func TestCutEndsWithoutAStopAndIsNotRepeated(t *testing.T) {
	m := one(t, "[{fail: {cut: 7}}, {say: 一二三四五六七八九十}]").Model(Options{})
	r := first("x")
	a := ask(t, m, r)
	if a.text != "一二三四五六七" || a.stop != "" || a.err != nil {
		t.Fatalf("%+v", a)
	}
	// The engine keeps the part, adds its note from the same event, and asks once more.
	for _, attempt := range []int{1, 2} {
		for _, turn := range []int{1, 2} {
			again := engine.Request{Turn: turn, Attempt: attempt, Messages: append(r.Messages,
				engine.Message{Role: engine.RoleAssistant, Text: a.text, Seq: 9},
				engine.Message{Role: engine.RoleUser, Text: "[Note]", Seq: 9})}
			if b := ask(t, m, again); b.text != "一二三四五六七八九十" || b.stop != engine.StopEnd {
				t.Errorf("turn %d, attempt %d after the cut: %+v", turn, attempt, b)
			}
		}
	}
}

func TestPromptIsFound(t *testing.T) {
	user := func(s string, seq engine.Seq) engine.Message {
		return engine.Message{Role: engine.RoleUser, Text: s, Seq: seq}
	}
	calls := engine.Message{Role: engine.RoleAssistant, Calls: []engine.Call{{ID: "c1", Tool: "ls"}}, Seq: 4}
	result := engine.Message{Role: engine.RoleTool, Reply: "c1", Tool: "ls", Seq: 5}
	done := engine.Message{Role: engine.RoleAssistant, Text: "done", Seq: 8}
	for _, c := range []struct {
		name     string
		turn     int
		messages []engine.Message
		prompt   string
		at       int
	}{
		{"first", 1, []engine.Message{user("a", 3)}, "a", 1},
		{"second turn", 2, []engine.Message{user("a", 3), calls, result}, "a", 2},
		{"steered", 2, []engine.Message{user("a", 3), calls, result, user("b", 6)}, "a", 2},
		{"steered twice", 2, []engine.Message{user("a", 3), calls, result, user("b", 6), user("c", 7)}, "a", 2},
		{"follow-up in the same run", 3, []engine.Message{user("a", 3), calls, result, done, user("b", 9)}, "b", 1},
		{"new run after a cancelled one", 1, []engine.Message{user("a", 3), calls, result, user("b", 9)}, "b", 1},
		{"second turn of the new run", 2, []engine.Message{user("a", 3), calls, result, user("b", 9), calls, result}, "b", 2},
		{"two prompts, the first unanswered", 1, []engine.Message{user("a", 3), user("b", 9)}, "b", 1},
		{"compacted away", 4, []engine.Message{calls, result}, "", 2},
	} {
		s := readRequest(engine.Request{Turn: c.turn, Messages: c.messages})
		if s.prompt.Text != c.prompt || s.turn != c.at {
			t.Errorf("%s: prompt %q turn %d, want %q and %d", c.name, s.prompt.Text, s.turn, c.prompt, c.at)
		}
	}
}

func TestCallsAndStop(t *testing.T) {
	m := one(t, `[{think: hm}, {say: a}, {say: b}, {call: {tool: ls, args: {n: 7, d: 2026-11-30, ok: true, z: null, l: [1.5, "x {{prompt}}"], o: {en: E, zh: 中}}}}, {call: {tool: read, raw: '{"p'}}]`).Model(Options{})
	r := first("say \"hi\"\n")
	r.Turn = 4
	a := ask(t, m, r)
	if a.reasoning != "hm" || a.text != "a\n\nb" || a.stop != engine.StopToolUse || len(a.calls) != 2 {
		t.Fatalf("%+v", a)
	}
	const want = `{"n":7,"d":"2026-11-30","ok":true,"z":null,"l":[1.5,"x say \"hi\""],"o":"E"}`
	if string(a.calls[0].Args) != want || a.calls[0].ID != "call_4_1" || a.calls[1].ID != "call_4_2" || string(a.calls[1].Args) != `{"p` || a.calls[1].Cut {
		t.Errorf("calls %s %+v", a.calls[0].Args, a.calls)
	}
	if !json.Valid(a.calls[0].Args) || *a.usage.InputTokens != 3 || *a.usage.OutputTokens < 10 || a.usage.Estimated {
		t.Errorf("usage %+v", a.usage)
	}
	cut := ask(t, one(t, `[{call: {tool: ls}}, {call: {tool: read}}, {stop: length}]`).Model(Options{}), first("x"))
	if cut.stop != engine.StopLength || cut.calls[0].Cut || !cut.calls[1].Cut {
		t.Errorf("cut by the limit: %+v", cut)
	}
}

func TestConditions(t *testing.T) {
	m := mustParse(t, `name: t
prompt: p
turns:
  - {when: {image: true}, do: [{say: "picture {{image.name}} {{image.width}}x{{image.height}}, {{attachments.count}} in all"}]}
  - {when: {table: true}, do: [{say: table}]}
  - {when: {prompt: {matches: '(?i)^RUN \d+$'}}, do: [{say: regex}]}
  - {when: {prompt: [alpha, 贝塔]}, do: [{say: word}]}
  - {when: {after: [ls, ls]}, do: [{say: twice}]}
  - {when: {turn: {from: 2}, after: ls}, do: [{say: once}, {call: {tool: ls}}]}
otherwise: [{say: none}]
`).Model(Options{})
	for prompt, want := range map[string]string{"run 12": "regex", "run": "none", "x ALPHA": "word", "用贝塔": "word"} {
		if a := ask(t, m, first(prompt)); a.text != want {
			t.Errorf("%s: %q, want %q", prompt, a.text, want)
		}
	}
	r := first("x")
	r.Messages[0].Attachments = []engine.Attachment{{Kind: "table"}, {Kind: "image", Name: "a.png", Width: 12, Height: 8}}
	if a := ask(t, m, r); a.text != "picture a.png 12x8, 2 in all" {
		t.Errorf("image: %q", a.text)
	}
	r.Messages[0].Attachments = r.Messages[0].Attachments[:1]
	if a := ask(t, m, r); a.text != "table" {
		t.Errorf("table: %q", a.text)
	}
	call := func(id engine.CallID) []engine.Message {
		return []engine.Message{{Role: engine.RoleAssistant, Calls: []engine.Call{{ID: id, Tool: "ls"}}, Seq: 5}, {Role: engine.RoleTool, Reply: id, Tool: "ls", Seq: 6}}
	}
	r = first("x")
	r.Messages, r.Turn = append(r.Messages, call("a")...), 2
	if a := ask(t, m, r); a.text != "once" {
		t.Errorf("after one call: %q", a.text)
	}
	r.Messages, r.Turn = append(r.Messages, call("b")...), 3
	if a := ask(t, m, r); a.text != "twice" {
		t.Errorf("after two calls: %q", a.text)
	}
}

func TestFormats(t *testing.T) {
	for _, c := range []struct {
		v      any
		form   string
		places int
		want   string
	}{
		{"1234567.005", "money", 2, "1,234,567.01"}, {"-1234.5", "money", 2, "-1,234.50"}, {"999", "count", 2, "999"}, {json.Number("1000"), "count", 0, "1,000"},
		{"0.002123", "percent", 2, "0.21%"}, {"0.00215", "percent", 1, "0.2%"}, {"0.125", "fixed", 2, "0.13"}, {nil, "money", 2, "n/a"},
		{"abc", "money", 2, "abc"}, {true, "", 2, "true"}, {"1e9", "money", 2, "1e9"}, {"1/0", "fixed", 2, "1/0"}, {[]any{"a"}, "", 0, `["a"]`},
	} {
		if got := format(c.v, c.form, c.places); got != c.want {
			t.Errorf("%v as %s %d is %q, want %q", c.v, c.form, c.places, got, c.want)
		}
	}
}

func TestPiecesLookLikeTokens(t *testing.T) {
	for _, s := range []string{"", "a", "The quick brown fox.\n\nNext", "账户总结 ROAS 为 2.33。", "e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301", "👩‍👩‍👧‍👦👩‍👩‍👧‍👦", strings.Repeat("x", 100)} {
		all := ""
		for p := range pieces(s) {
			if p == "" || !utf8.ValidString(p) || len(p) > 40 {
				t.Errorf("piece %q of %q", p, s)
			}
			all += p
		}
		if all != s {
			t.Errorf("pieces of %q make %q", s, all)
		}
	}
	n := 0
	for range pieces("The quick brown fox jumps") {
		n++
	}
	if n != 5 {
		t.Errorf("%d pieces for five words", n)
	}
}

func TestPaceWaitsAsTheFileSays(t *testing.T) {
	s := mustParse(t, "name: t\nprompt: p\npace: {tokensPerSecond: 10, jitter: 0.5}\nturns:\n  - do: [{say: one two three four five six seven eight nine ten}]\n")
	waits := func(seed uint64, pace bool) (all []time.Duration) {
		m := s.Model(Options{Pace: pace, Seed: seed, Wait: func(_ context.Context, d time.Duration) error { all = append(all, d); return nil }})
		ask(t, m, first("x"))
		return all
	}
	a, b, c := waits(1, true), waits(1, true), waits(2, true)
	if len(a) != 10 || len(waits(1, false)) != 0 {
		t.Fatalf("%d waits", len(a))
	}
	differs := false
	for i := range a {
		if a[i] != b[i] {
			t.Errorf("the same seed waits %v and %v", a[i], b[i])
		}
		differs = differs || a[i] != c[i]
		if a[i] < 50*time.Millisecond || a[i] > 600*time.Millisecond {
			t.Errorf("wait %v", a[i])
		}
	}
	if !differs {
		t.Error("the seed makes no difference")
	}
}

func TestStallAndCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := one(t, "[{say: a}, {fail: {stall: true}}, {say: b}]").Model(Options{})
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		var text string
		var got error
		for c, err := range m.Stream(ctx, first("x")) {
			if s, ok := c.(engine.Text); ok {
				text += string(s)
			}
			got = err
		}
		if text != "a" || !errors.Is(got, context.DeadlineExceeded) {
			t.Errorf("text %q, error %v", text, got)
		}
		start := time.Now()
		m = one(t, "[{fail: {stall: 3s}}, {say: b}]").Model(Options{Wait: Pause(engine.WallClock{})})
		if a := ask(t, m, first("x")); a.text != "b" || time.Since(start) != 3*time.Second {
			t.Errorf("%q after %v", a.text, time.Since(start))
		}
		ctx, cancel = context.WithCancel(t.Context())
		cancel()
		if err := Pause(engine.WallClock{})(ctx, time.Hour); !errors.Is(err, context.Canceled) {
			t.Errorf("pause: %v", err)
		}
	})
}

func TestStreamStopsWhenTheReaderDoes(t *testing.T) {
	m := one(t, "[{say: one two three}, {call: {tool: ls}}]").Model(Options{})
	n := 0
	for range m.Stream(t.Context(), first("x")) {
		if n++; n == 2 {
			break
		}
	}
	if n != 2 {
		t.Errorf("%d chunks", n)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	n = 0
	var last error
	for _, err := range m.Stream(ctx, first("x")) {
		n, last = n+1, err
		cancel()
	}
	if n != 2 || !errors.Is(last, context.Canceled) {
		t.Errorf("%d chunks, last error %v", n, last)
	}
}

func TestOneModelForManyRequests(t *testing.T) {
	s := mustLoad(t, "ads-report")
	m := s.Model(Options{})
	want := ask(t, m, first(s.Prompt("zh")))
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 20 {
				if a := ask(t, m, first(s.Prompt("zh"))); a.text != want.text || len(a.calls) != 1 {
					t.Errorf("%+v", a)
				}
			}
		})
	}
	group.Wait()
	if i := m.Info(); i.Provider != "scripted" || i.ID != "demo-script" || !i.Images || i.ContextWindow != 32000 {
		t.Errorf("info %+v", i)
	}
}
