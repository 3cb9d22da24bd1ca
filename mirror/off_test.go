package mirror_test

import (
	"testing"

	"agentstudio/mirror"
)

// Whoever is connected when the mirror is switched off is told so, whatever it was doing: one that
// follows, one that has come back beside its own old socket, one that is just saying something, and one
// that has not said its token yet.
func TestSwitchedOffIsSaid(t *testing.T) {
	for range 4 {
		s := open(t, nil)
		s.send("go")
		s.untilKind("run.completed")
		follows := s.dial(s.tokens[mirror.Viewer], 0)
		old := s.dial(s.tokens[mirror.Approver], 0)
		old.untilType("auth_ok")
		back := s.dial(s.tokens[mirror.Approver], 0)
		for _, c := range []*client{follows, back} {
			c.upto(s.last())
		}
		talks := s.dial(s.tokens[mirror.Operator], 0)
		talks.upto(s.last())
		silent := s.dialWith("")
		saying := make(chan struct{})
		go func() {
			defer close(saying)
			for range 15 {
				if talks.conn.WriteJSON(map[string]any{"type": "ping", "id": "p"}) != nil {
					return
				}
			}
		}()
		if err := s.m.Close(); err != nil {
			t.Fatal(err)
		}
		<-saying
		for who, c := range map[string]*client{"follows": follows, "old": old, "back": back, "talks": talks, "silent": silent} {
			if code := c.closed(); code != 4410 {
				t.Errorf("the one that %s was closed with %d", who, code)
			}
		}
		if t.Failed() {
			return
		}
	}
}
