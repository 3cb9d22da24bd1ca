package engine_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"agentstudio/engine"
)

// keys are well-formed and worthless.
var plantedKeys = []string{
	"sk-" + "proj-abcdefghij0123456789KLMN", "sk-" + "ant-api03-abcdefghij0123456789", "ghp_" + "abcdefghij0123456789ABCD",
	"github_pat_" + "11ABCDEFG0abcdefghij", "glpat-" + "abcdefghij0123456789", "xoxb-" + "1234567890-abcdefghij", "AKIA" + "ABCDEFGHIJKLMNOP",
	"AIza" + "abcdefghij0123456789abcdefghij01234", "hf_" + "abcdefghij0123456789", "npm_" + "abcdefghij0123456789abcdefghij",
	"eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0NTY3ODkwIn0." + "c2lnbmF0dXJl",
	"-----BEGIN RSA " + "PRIVATE KEY-----\nMIIEabc\ndef==\n-----END RSA PRIVATE KEY-----",
}

func TestTextLosesEveryKnownKey(t *testing.T) {
	r := engine.NewRedactor("my-own-session-key")
	for _, k := range append(plantedKeys, "my-own-session-key") {
		for _, text := range []string{k, "key: " + k + " and on", "(" + k + ")", "中文" + k, `"` + k + `"`} {
			got := r.Text(text)
			if strings.Contains(got, k) || !strings.Contains(got, "[redacted]") {
				t.Errorf("%q became %q", text, got)
			}
		}
	}
	for _, text := range []string{"task-force is risky-business-as-usual-and-more", "skills/sk-1", "a-sk-", "desk-abcdefghijklmnopqrstuvwx", "eyJ is a prefix", "ghp_short"} {
		if got := r.Text(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func TestNamesOfSecretsAreFoundAtAnyDepth(t *testing.T) {
	r := engine.NewRedactor()
	for key, gone := range map[string]bool{
		"apiKey": true, "api_key": true, "API-KEY": true, "openaiApiKey": true, "authorization": true, "Authorization": true, "token": true,
		"accessToken": true, "access_token": true, "secret": true, "clientSecret": true, "password": true, "db-password": true, "passwd": true,
		"credential": true, "cookie": true, "set-cookie": true, "privateKey": true, "private_key": true,
		"maxTokens": false, "tokens": false, "tokenize": false, "secretary": false, "path": false, "keyboard": false, "passwords_policy": false,
	} {
		raw, _ := json.Marshal(map[string]any{"a": []any{map[string]any{key: "value"}}})
		got, changed := r.JSON(raw)
		if changed != gone || strings.Contains(string(got), "value") == gone {
			t.Errorf("%s: changed %v, became %s", key, changed, got)
		}
	}
	if got, changed := r.JSON(json.RawMessage(`{"n":1.50,"token":{"deep":[1]}}`)); !changed || string(got) != `{"n":1.50,"token":"[redacted]"}` {
		t.Errorf("became %s", got)
	}
}

// A streamed answer loses keys however it is cut, and nothing else.
func TestAStreamLosesKeysHoweverItIsCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var text strings.Builder
		for range rapid.IntRange(1, 6).Draw(t, "parts") {
			text.WriteString(rapid.SampledFrom([]string{"plain words ", "中文，", "sk", "e", "-", "--", "x y\n", "ghp_", "AKIA "}).Draw(t, "filler"))
			if rapid.Bool().Draw(t, "key") {
				text.WriteString(" " + rapid.SampledFrom(plantedKeys).Draw(t, "which") + " ")
			}
		}
		whole := text.String()
		cuts := rapid.SliceOfN(rapid.IntRange(1, 9), 1, 40).Draw(t, "cuts")
		drip := func(_ context.Context, _ engine.Request, yield func(engine.Chunk) bool) error {
			rest := whole
			for i := 0; rest != ""; i++ {
				n := min(cuts[i%len(cuts)], len(rest))
				if !yield(engine.Text(rest[:n])) {
					return nil
				}
				rest = rest[n:]
			}
			yield(engine.Stop{Reason: engine.StopEnd})
			return nil
		}
		e := engine.New(engine.Config{Store: &engine.MemStore{}, NewID: counter(), Clock: &stepClock{now: time.Unix(0, 0)}, Model: &script{turns: []turn{drip}}})
		defer e.Close()
		s, err := e.Open(context.Background(), "")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Do(context.Background(), engine.Send{Text: "go", By: tester}); err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
	follow:
		for batch := range s.Follow(context.Background(), 0) {
			for _, ev := range batch {
				if d, ok := ev.Payload.(engine.AssistantDelta); ok {
					got.WriteString(d.Delta)
				}
				if engine.Terminal(ev.Payload) {
					break follow
				}
			}
		}
		if want := engine.NewRedactor().Text(whole); got.String() != want {
			t.Fatalf("of %q\n got %q\nwant %q", whole, got.String(), want)
		}
	})
}

// A key that comes in by any way is in nothing that the engine tells or sends on.
func TestPlantedKeysAreNowhere(t *testing.T) {
	key := plantedKeys[0]
	read := reader()
	read.run = func(context.Context, engine.Call) (engine.Result, error) {
		return engine.Result{Content: "found " + key, Data: json.RawMessage(`{"line":"` + key + `","apiKey":"plain-secret-value"}`)}, nil
	}
	bad := &fakeTool{name: "bad", policy: engine.Allow, replay: engine.ReplaySafe}
	bad.run = func(context.Context, engine.Call) (engine.Result, error) {
		return engine.Result{}, engine.Errorf(engine.ReadFailed, "upstream said %s", key)
	}
	save := saver()
	save.plan = func(json.RawMessage) (engine.Plan, error) {
		return engine.Plan{Summary: "s", Preview: "hidden " + key}, nil
	}
	b := open(t, with(read, bad, save),
		call(toolCall("c1", "read", `{"pattern":"`+key+`","password":"plain-secret-value"}`), toolCall("c2", "bad", `{}`), toolCall("c3", key, `{}`),
			toolCall("c4", "read", `not json `+key), toolCall("c5", "save", `{}`)),
		say("I saw "+key))
	events := b.untilEnd(b.send("my key is " + key))
	if _, err := b.s.Do(t.Context(), engine.Rename{Title: "about " + key, By: tester}); err != nil {
		t.Fatal(err)
	}
	told, err := json.Marshal(events)
	if err != nil {
		t.Fatal(err)
	}
	sent, err := json.Marshal(b.model.requests())
	if err != nil {
		t.Fatal(err)
	}
	for what, text := range map[string]string{"the log": string(told), "a request": string(sent)} {
		for _, secret := range []string{key, "plain-secret-value"} {
			if strings.Contains(text, secret) {
				t.Errorf("%s holds %q", what, secret)
			}
		}
	}
	if d := all[engine.ToolDenied](events); len(d) != 3 || d[len(d)-1].Code != engine.SecretInArguments {
		t.Errorf("denied: %+v", d)
	}
	for _, e := range b.untilKind("session.renamed") {
		if p, ok := e.Payload.(engine.SessionRenamed); ok && strings.Contains(p.Title, key) {
			t.Error("the title holds the key")
		}
	}
}
