package mirror_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"unicode"

	"agentstudio/engine"
	"agentstudio/mirror"
)

// The envelopes carry what was said to the byte, and nothing that a terminal which prints them would obey.
func TestEventsAreInert(t *testing.T) {
	s := open(t, nil, say("hello"))
	said := "a\u202eb\u200bc\u2028d\ufeffe\ufe0ff\u3164g\U000e0041h\u061ci\x7fj\u0085k 中文 é 🙂 \U0001f1e9"
	s.send(said)
	end := s.untilKind("run.completed").Seq
	text := ""
	s.streamed("/api/events", http.Header{}, func(line string) bool {
		for _, r := range line {
			if unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Variation_Selector) || r == '\u3164' {
				t.Errorf("%U as it is in %q", r, line)
			}
		}
		data, ok := strings.CutPrefix(line, "data: ")
		if !ok {
			return false
		}
		var e struct {
			Seq     engine.Seq `json:"sequence"`
			Payload struct{ Text string }
		}
		if err := json.Unmarshal([]byte(data), &e); err != nil {
			t.Fatal(err, data)
		}
		if strings.HasPrefix(e.Payload.Text, "a") {
			text = e.Payload.Text
			if !strings.Contains(data, "中文 é 🙂") {
				t.Errorf("what shows is escaped: %s", data)
			}
		}
		return e.Seq == end
	})
	if text != said {
		t.Errorf("decoded %q, want %q", text, said)
	}
}

func FuzzEscaped(f *testing.F) {
	f.Add("plain")
	f.Add("\u202e\U000e0041 \x7f é\xff")
	f.Fuzz(func(t *testing.T, s string) {
		in, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var want, got string
		_ = json.Unmarshal(in, &want)
		out := mirror.Escaped(append([]byte(nil), in...))
		if err := json.Unmarshal(out, &got); err != nil || got != want {
			t.Errorf("%q: %q, want %q: %v", out, got, want, err)
		}
	})
}
