package provider

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"agentstudio/engine"
)

// callsBy is an answer of n calls without ids, by each API.
func callsBy(api string, n int) string {
	var b strings.Builder
	switch api {
	case engine.APIChat:
		for i := range n {
			fmt.Fprintf(&b, "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":%d,\"function\":{\"name\":\"ls\",\"arguments\":\"{}\"}}]}}]}\n\n", i)
		}
		b.WriteString("data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n")
	case engine.APIResponses:
		for i := range n {
			fmt.Fprintf(&b, "data: {\"type\":\"response.output_item.done\",\"output_index\":%d,\"item\":{\"type\":\"function_call\",\"name\":\"ls\",\"arguments\":\"{}\",\"status\":\"completed\"}}\n\n", i)
		}
		b.WriteString("data: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\"}}\n\n")
	default:
		for i := range n {
			fmt.Fprintf(&b, "data: {\"type\":\"content_block_start\",\"index\":%d,\"content_block\":{\"type\":\"tool_use\",\"name\":\"ls\",\"input\":{}}}\n\n", i)
		}
		b.WriteString("data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"}}\n\ndata: {\"type\":\"message_stop\"}\n\n")
	}
	return b.String()
}

// An answer with more calls than any has is one that was not understood, and nothing of it runs.
func TestTooManyCalls(t *testing.T) {
	for name, d := range dialects() {
		m, _ := d.serve(t, callsBy(d.connection("").API, maxCalls))
		got := ask(t.Context(), t, m, hello())
		ids := map[engine.CallID]bool{}
		for _, c := range got.calls {
			ids[c.ID] = true
		}
		if got.err != nil || len(ids) != maxCalls {
			t.Errorf("%s: %d calls of %d, %v", name, len(ids), maxCalls, got.err)
		}
		for _, n := range []int{maxCalls + 1, 10_000} {
			m, _ = d.serve(t, callsBy(d.connection("").API, n))
			got = ask(t.Context(), t, m, hello())
			if engine.CodeOf(got.err) != engine.ModelProtocol || len(got.calls) > 0 {
				t.Errorf("%s: %d of %d calls, %v", name, len(got.calls), n, got.err)
			}
		}
	}
}

// What of a call's arguments is beyond all measure is not held.
func TestArgumentsAreClipped(t *testing.T) {
	var c clipped
	for range 1000 {
		if _, err := c.WriteString(strings.Repeat("x", 1000)); err != nil {
			t.Fatal(err)
		}
	}
	if c.Len() != maxArgs {
		t.Errorf("%d bytes are held", c.Len())
	}
}

// Every request that is made is told of, also one that leaves out what the server refuses.
func TestRepeatedRequestsAreTold(t *testing.T) {
	refusal := func(message string) string {
		return `{"error":{"message":"` + message + `","type":"invalid_request_error"}}`
	}
	for name, c := range map[string]struct {
		refusals []string
		want     []string
	}{
		"chat":      {[]string{refusal("unknown field stream_options")}, []string{"stream_options"}},
		"responses": {[]string{refusal("Encrypted content is not supported with this model."), refusal("unknown parameter: prompt_cache_key")}, []string{"encrypted reasoning", "a cache key"}},
	} {
		d := dialects()[name]
		n := 0
		from := &canned{t: t, dialect: d}
		from.body = func() io.Reader {
			n++
			if n <= len(c.refusals) {
				return strings.NewReader(c.refusals[n-1])
			}
			return strings.NewReader(d.hi)
		}
		turn := roundTrip(func(req *http.Request) (*http.Response, error) {
			from.status = http.StatusOK
			if n < len(c.refusals) {
				from.status = http.StatusBadRequest
			}
			return from.RoundTrip(req)
		})
		m, err := d.make(d.connection("https://models.example/v1"), Options{Client: &http.Client{Transport: turn}})
		if err != nil {
			t.Fatal(err)
		}
		got := ask(t.Context(), t, m, hello())
		if got.err != nil || len(got.repeats) != len(c.want) || len(from.seen) != len(c.want)+1 {
			t.Errorf("%s: %d requests, told %q, %v", name, len(from.seen), got.repeats, got.err)
			continue
		}
		for i, w := range c.want {
			if !strings.Contains(got.repeats[i], w) {
				t.Errorf("%s: told %q, want %q", name, got.repeats[i], w)
			}
		}
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
