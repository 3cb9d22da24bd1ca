package mirror_test

import (
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
