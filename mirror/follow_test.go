package mirror_test

import (
	"encoding/json"
	"strings"
	"testing"

	"agentstudio/mirror"
)

// A page that follows a run holds what the server does, and so does one that comes later.
func TestFollow(t *testing.T) {
	s := open(t, nil, say("Hello \x1b[31mthere\u202e and 你好"))
	c := s.dial(s.tokens[mirror.Viewer], 0)
	if m := c.next(); m.Type != "auth_ok" || m.Role != mirror.Viewer || m.Share != mirror.ShareAll {
		t.Fatalf("first came %s", m.raw)
	}
	run := s.send("hi")
	c.until(func(m message) bool {
		return m.Type == "patch" && strings.Contains(m.raw, `"run.completed"`)
	})
	_ = run
	c.tell(map[string]any{"type": "hash", "id": "h"})
	h := c.untilType("hash")
	if h.Sequence != c.page.sequence || h.Hash != c.page.hash() {
		t.Errorf("at %d the page has %s, the server at %d %s", c.page.sequence, c.page.hash(), h.Sequence, h.Hash)
	}
	late := s.dial(s.tokens[mirror.Approver], 0)
	late.until(func(m message) bool { return m.Type == "patch" && m.Sequence >= h.Sequence })
	if late.page.hash() != h.Hash {
		t.Errorf("a late page has %s, the server %s", late.page.hash(), h.Hash)
	}
	for _, r := range late.page.rows {
		if s := text(r["text"]); strings.ContainsAny(s, "\x1b\u202e") {
			t.Errorf("not cleaned: %q", s)
		}
	}
}

// The hash comes over a streamed answer as it does over a socket: of the rows that were sent before it.
func TestHashOverAStreamedAnswer(t *testing.T) {
	s := open(t, nil)
	s.send("go")
	s.untilKind("run.completed")
	token := s.tokens[mirror.Viewer]
	if status, _, body := s.request("POST", "/api/hash", token, `{"id":"early"}`); status != 404 || !strings.Contains(body, "REF_NOT_FOUND") {
		t.Errorf("without a streamed answer: %d %s", status, body)
	}
	p := newPage()
	last := uint64(s.last())
	s.streamed("/api/frames", nil, func(line string) bool {
		var m message
		if line == "" {
			return false
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatal(err)
		}
		if err := p.take(m); err != nil {
			t.Fatal(err)
		}
		if m.Type == "patch" && p.sequence == last {
			if status, _, body := s.request("POST", "/api/hash", token, `{"id":"h1"}`); status != 202 {
				t.Errorf("asked while it is open: %d %s", status, body)
			}
		}
		if m.Type != "hash" {
			return false
		}
		if m.ID != "h1" || m.Sequence != p.sequence || m.Hash != p.hash() || m.Share != mirror.ShareAll {
			t.Errorf("at %d with %s came %+v", p.sequence, p.hash(), m)
		}
		return true
	})
}
