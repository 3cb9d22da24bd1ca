package provider

import (
	"fmt"
	"io"
	"testing"

	"agentstudio/engine"
)

// FuzzChat reads any bytes as an answer by chat.
func FuzzChat(f *testing.F) {
	f.Add([]byte(wrote(`{"tool_calls":[{"index":1,"function":{"arguments":{}}}],"reasoning_details":[1]}`, "length")), uint8(2))
	fuzz(f, chatDialect())
}

// fuzz reads any bytes as an answer: it ends in one way, the same in pieces, and calls come only with
// a stop that says so.
func fuzz(f *testing.F, d dialect) {
	for _, c := range cases(f) {
		if c.dialect.name == d.name {
			f.Add([]byte(c.body), uint8(0))
		}
	}
	f.Add([]byte(d.hi), uint8(0))
	f.Fuzz(func(t *testing.T, in []byte, step uint8) {
		m, from := d.serve(t, string(in))
		whole := ask(t.Context(), t, m, hello())
		if len(whole.calls) > 0 && whole.stop != engine.StopToolUse && whole.stop != engine.StopLength {
			t.Fatalf("calls without a stop for them: %+v", whole)
		}
		from.body = func() io.Reader { return &stepReader{in, int(step%16) + 1} }
		pieces := ask(t.Context(), t, m, hello())
		whole.order, pieces.order = nil, nil
		if a, b := spelled(whole), spelled(pieces); a != b {
			t.Fatalf("whole %s\nin pieces %s", a, b)
		}
	})
}

func spelled(o outcome) string {
	usage := "none"
	if u := o.usage; u != nil {
		usage = figure(u.InputTokens) + " " + figure(u.OutputTokens)
	}
	return fmt.Sprintf("%q %q %q %s %s %s %s", o.text, o.reasoning, called(o.calls), o.kept, usage, o.stop, errText(o.err))
}

// FuzzMessages reads any bytes as an answer by Anthropic's Messages.
func FuzzMessages(f *testing.F) {
	f.Add([]byte(messagesStream("tool_use", begun(0, `{"type":"thinking","thinking":"a"}`), grown(0, `{"type":"signature_delta","signature":"s"}`), begun(1, toolUse("a", "ls")))), uint8(2))
	f.Add([]byte(messagesStream("pause_turn", begun(0, `{"type":"server_tool_use","id":"s","name":"web_search","input":{}}`))), uint8(3))
	fuzz(f, messagesDialect())
}
