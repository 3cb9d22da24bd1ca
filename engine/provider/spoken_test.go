package provider

import (
	"strings"
	"testing"
)

func TestSpoken(t *testing.T) {
	var s spoken
	for _, piece := range []string{"ab", "", "c"} {
		s.add(piece)
	}
	for whole, want := range map[string]string{"abc": "", "abcde": "de", "ab": "-", "abd": "-", "": "-"} {
		rest, ok := s.rest(whole)
		if !ok {
			rest = "-"
		}
		if rest != want {
			t.Errorf("%q: %q, want %q", whole, rest, want)
		}
	}
	long := strings.Repeat("x", maxSpoken)
	s.add(long)
	if !s.long() || s.n != maxSpoken+3 || s.text.Len() != 0 {
		t.Errorf("%d bytes, %d held", s.n, s.text.Len())
	}
	if rest, ok := s.rest("abc" + long + "!"); !ok || rest != "!" {
		t.Errorf("the rest of a long text is %d bytes, %v", len(rest), ok)
	}
	if _, ok := s.rest("abc"); ok {
		t.Error("a text that is shorter than what was said goes on from it")
	}
}

// A long answer whose end repeats it whole is shown once, by either API, and nothing of it is kept
// that could not go back.
func TestALongAnswerIsShownOnce(t *testing.T) {
	piece := strings.Repeat("all work and no play. ", 1000)
	const times = 60
	var r, m strings.Builder
	r.WriteString(`data: {"type":"response.output_item.added","output_index":0,"item":{"id":"m1","type":"message","role":"assistant","content":[]}}` + "\n\n")
	m.WriteString(`data: {"type":"message_start","message":{"id":"m1","role":"assistant","content":[],"usage":{"input_tokens":1}}}` + "\n\n" +
		`data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":"c2ln"}}` + "\n\n" +
		`data: {"type":"content_block_stop","index":0}` + "\n\n" +
		`data: {"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}` + "\n\n")
	for range times {
		r.WriteString(`data: {"type":"response.output_text.delta","item_id":"m1","output_index":0,"content_index":0,"delta":"` + piece + `"}` + "\n\n")
		m.WriteString(`data: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"` + piece + `"}}` + "\n\n")
	}
	whole := strings.Repeat(piece, times)
	r.WriteString(`data: {"type":"response.output_text.done","item_id":"m1","output_index":0,"content_index":0,"text":"` + whole + `"}` + "\n\n" +
		`data: {"type":"response.completed","response":{"status":"completed"}}` + "\n\n")
	m.WriteString(`data: {"type":"content_block_stop","index":1}` + "\n\n" + `data: {"type":"message_delta","delta":{"stop_reason":"end_turn"}}` + "\n\n" + `data: {"type":"message_stop"}` + "\n\n")
	for _, c := range []struct {
		d    dialect
		body string
	}{{responsesDialect(), r.String()}, {messagesDialect(), m.String()}} {
		model, _ := c.d.serve(t, c.body)
		got := ask(t.Context(), t, model, hello())
		if got.err != nil || got.text != whole || got.kept != nil {
			t.Errorf("%d bytes of %d, %d bytes kept, %v", len(got.text), len(whole), len(got.kept), got.err)
		}
	}
}
