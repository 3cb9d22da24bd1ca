package engine_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"agentstudio/engine"
)

func sample(kind string) string {
	return `{"eventId":"evt_1","sessionId":"ses_1","sequence":3,"timestamp":"2026-11-30T10:00:00.123Z","type":"` + kind + `","runId":"run_1","cause":2,"payload":{}}`
}

func TestEveryKindIsReadAndWrittenTheSame(t *testing.T) {
	if n := len(engine.Kinds()); n < 45 {
		t.Fatalf("only %d kinds", n)
	}
	for _, kind := range engine.Kinds() {
		e, err := engine.DecodeEvent([]byte(sample(kind)))
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind() != kind {
			t.Fatalf("%s is read as %s", kind, e.Kind())
		}
		first, err := e.AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		again, err := engine.DecodeEvent(first)
		if err != nil {
			t.Fatalf("%s: %v in %s", kind, err, first)
		}
		second, _ := again.AppendJSON(nil)
		if !bytes.Equal(first, second) {
			t.Fatalf("%s\n%s\n%s", kind, first, second)
		}
		if again.Seq != 3 || again.Cause != 2 || again.Run != "run_1" || !again.At.Equal(time.Date(2026, 11, 30, 10, 0, 0, 123e6, time.UTC)) {
			t.Fatalf("%s lost its envelope: %+v", kind, again)
		}
	}
}

// The hand-written encoding of deltas is that of encoding/json.
func TestDeltasAreEncodedLikeEverythingElse(t *testing.T) {
	for _, text := range []string{"", "plain", `"quotes" and \ back`, "<b>&amp;</b>", "中文 ✓ 🎉", "tab\tline\nnul\x00esc\x1b", "\u2028\u2029", "\x7f\u0085\u009b", "bad\xff"} {
		e := engine.Event{ID: "evt_1", Session: "ses_1", Seq: 1, At: time.Unix(0, 0), Payload: engine.AssistantDelta{Message: "msg_1", Delta: text}}
		b, err := e.AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		var got struct {
			Payload struct{ Delta string }
		}
		if err := json.Unmarshal(b, &got); err != nil || got.Payload.Delta != strings.ToValidUTF8(text, "\uFFFD") {
			t.Errorf("%q came back as %q (%v)", text, got.Payload.Delta, err)
		}
		for _, c := range b {
			if c < 0x20 || c == 0x7f {
				t.Errorf("%q is encoded with the raw byte %#x", text, c)
			}
		}
		if bytes.Contains(b, []byte("\u009b")) || bytes.Contains(b, []byte("\u2028")) {
			t.Errorf("%q is encoded with raw controls: %q", text, b)
		}
	}
}

func TestMalformedEventsNameTypeAndField(t *testing.T) {
	for in, want := range map[string]string{
		strings.Replace(sample("tool.completed"), `"payload":{}`, `"payload":{"durationMs":"x"}`, 1): "tool.completed: field durationMs",
		strings.Replace(sample("run.failed"), `"payload":{}`, `"payload":[]`, 1):                     "run.failed: field payload",
		strings.Replace(sample("run.failed"), `"payload":{}`, `"payload":null`, 1):                   "run.failed: field payload",
		strings.Replace(sample("notice"), `"sequence":3`, `"sequence":0`, 1):                         "field sequence",
		strings.Replace(sample("notice"), `2026-11-30T10:00:00.123Z`, `yesterday`, 1):                "field timestamp",
		strings.Replace(sample("notice"), `"type":"notice"`, `"type":""`, 1):                         "field type",
		`{`: "envelope",
		``:  "envelope",
	} {
		_, err := engine.DecodeEvent([]byte(in))
		wantCode(t, err, engine.EventMalformed)
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n says %q, want it to name %q", in, err, want)
		}
	}
}

func TestUnknownEventsAreKept(t *testing.T) {
	in := strings.Replace(sample("moon.rose"), `"payload":{}`, `"payload":{"phase":[1,2]}`, 1)
	e, err := engine.DecodeEvent([]byte(in))
	if err != nil {
		t.Fatal(err)
	}
	if e.Kind() != "moon.rose" {
		t.Fatalf("kind %s", e.Kind())
	}
	out, err := e.AppendJSON(nil)
	if err != nil || string(out) != in {
		t.Fatalf("%v\n%s\n%s", err, in, out)
	}
}

func TestThePublicFormHasNoPrivateFields(t *testing.T) {
	e := engine.Event{ID: "evt_1", Session: "ses_1", Seq: 1, At: time.Unix(0, 0), Payload: engine.AssistantCompleted{Message: "m", Continuation: json.RawMessage(`"cont_secret"`)}}
	out, err := e.Public().AppendJSON(nil)
	if err != nil || bytes.Contains(out, []byte("cont_secret")) || bytes.Contains(out, []byte("continuation")) {
		t.Fatalf("%v %s", err, out)
	}
	if whole, _ := e.AppendJSON(nil); !bytes.Contains(whole, []byte("cont_secret")) {
		t.Fatal("the journal's form lost it")
	}
}

func FuzzDecodeEvent(f *testing.F) {
	for _, kind := range engine.Kinds() {
		f.Add([]byte(sample(kind)))
	}
	f.Add([]byte(strings.Replace(sample("moon.rose"), `"payload":{}`, `"payload":{"a":"\u007f\ud800"}`, 1)))
	f.Fuzz(func(t *testing.T, in []byte) {
		e, err := engine.DecodeEvent(in)
		if err != nil {
			wantCode(t, err, engine.EventMalformed)
			return
		}
		first, err := e.AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.ContainsAny(first, "\n\r\x7f") {
			t.Fatalf("not on one line: %q", first)
		}
		again, err := engine.DecodeEvent(first)
		if err != nil {
			t.Fatalf("wrote what it cannot read: %v\n%s", err, first)
		}
		second, _ := again.AppendJSON(nil)
		if !bytes.Equal(first, second) || !reflect.DeepEqual(e.Seq, again.Seq) {
			t.Fatalf("%s\n%s", first, second)
		}
	})
}

func TestEveryCodeHasAMeaningAndIsAnError(t *testing.T) {
	seen := map[engine.Code]bool{}
	for _, c := range engine.Codes() {
		if seen[c.Code] || len(c.Meaning) < 10 || c.Code != engine.Code(strings.ToUpper(string(c.Code))) {
			t.Errorf("%q: %q", c.Code, c.Meaning)
		}
		seen[c.Code] = true
		err := engine.At("outer", engine.At("inner", engine.Errorf(c.Code, "said %d", 1).With("n", 1)))
		wantCode(t, err, c.Code)
		if engine.MessageOf(err) != "said 1" || engine.DetailsOf(err)["n"] != 1 || err.Error() != string(c.Code)+": said 1" {
			t.Errorf("%v lost its message or details", err)
		}
	}
}
