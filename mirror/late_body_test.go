package mirror_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"agentstudio/engine"
	"agentstudio/mirror"
)

// slowly posts the first half of a body, calls meanwhile once the server reads it, posts the rest, and
// gives the answer. That the server reads is what 100 Continue says: it has passed the door then.
func (s *stage) slowly(path, token, kind string, body []byte, meanwhile func()) (int, string) {
	s.t.Helper()
	host := strings.TrimPrefix(s.base, "http://")
	c, err := net.Dial("tcp", host)
	if err != nil {
		s.t.Fatal(err)
	}
	defer c.Close() //nolint:errcheck // read to its end
	_ = c.SetDeadline(time.Now().Add(20 * time.Second))
	fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: %s\r\nX-Client-Id: late\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n",
		path, host, token, kind, len(body))
	in := bufio.NewReader(c)
	for _, want := range []string{"HTTP/1.1 100 Continue\r\n", "\r\n"} {
		if line, err := in.ReadString('\n'); err != nil || line != want {
			s.t.Fatalf("%s: %q %v", path, line, err)
		}
	}
	half := len(body) / 2
	_, _ = c.Write(body[:half])
	meanwhile()
	_, _ = c.Write(body[half:])
	answer, err := http.ReadResponse(in, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close() //nolint:errcheck // read to its end
	b, err := io.ReadAll(answer.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return answer.StatusCode, string(b)
}

// Who is let out, or may no longer do it, while a body is on its way does nothing with it.
func TestNothingCountsOfWhoIsLetOutMeanwhile(t *testing.T) {
	for _, how := range []struct {
		name   string
		status int
		end    func(*stage, string) error
	}{
		{"let out", http.StatusUnauthorized, func(s *stage, id string) error { return s.m.Revoke(id) }},
		{"made a viewer", http.StatusForbidden, func(s *stage, id string) error { return s.m.SetRole(id, mirror.Viewer) }},
	} {
		for _, what := range []string{"messages", "cancel", "extend", "approve", "deny", "attachments"} {
			t.Run(how.name+" "+what, func(t *testing.T) {
				var kept atomic.Int32
				s := open(t, func(o *mirror.Options) {
					o.Intake = func(_ context.Context, _ engine.Actor, name, _ string, r io.Reader) (engine.Attachment, engine.Seq, error) {
						if _, err := io.Copy(io.Discard, r); err != nil {
							return engine.Attachment{}, 0, &engine.Error{Code: engine.ReadFailed, Message: "not read", Err: err}
						}
						kept.Add(1)
						return engine.Attachment{ID: "att_1", Name: name}, 0, nil
					}
				}, save("call_a", `{}`), say("done"))
				run := s.send("go")
				a := s.dial(s.tokens[mirror.Approver], 0).question()
				path, kind, order := "/api/approvals/"+a.ID, "application/json", decision("late", a, what == "approve", time.Now())
				switch what {
				case "messages":
					path, order = "/api/messages", map[string]any{"id": "late", "text": "once more", "delivery": "followUp"}
				case "cancel":
					path, order = "/api/cancel", map[string]any{"id": "late", "runId": run}
				case "extend":
					path, order = path+"/extend", map[string]any{"id": "late", "seconds": 300}
				}
				body, err := json.Marshal(order)
				if err != nil {
					t.Fatal(err)
				}
				if what == "attachments" {
					path = "/api/attachments"
					kind, body = form(t, "file", "a.png", strings.Repeat("pixels", 5000))
				}
				id := ""
				for _, d := range s.m.State().Devices {
					if d.Role == mirror.Operator {
						id = d.ID
					}
				}
				status, answer := s.slowly(path, s.tokens[mirror.Operator], kind, body, func() {
					if err := how.end(s, id); err != nil {
						t.Error(err)
					}
				})
				if status != how.status || kept.Load() != 0 {
					t.Errorf("%d %s; %d pictures were kept", status, answer, kept.Load())
				}
				if n := len(s.m.State().Held); n != 0 || s.tool.ran.Load() != 0 {
					t.Errorf("%d are held, and the tool ran %d times", n, s.tool.ran.Load())
				}
				s.still(run)
			})
		}
	}
}

// still fails unless the run waits for its first decision, as it did.
func (s *stage) still(run engine.RunID) {
	s.t.Helper()
	if _, err := s.session.Do(s.t.Context(), engine.Cancel{By: tester}); err != nil {
		s.t.Fatal(err)
	}
	var between []string
	s.until(func(e engine.Event) bool {
		switch e.Kind() {
		case "approval.extended", "user.message", "run.started":
			between = append(between, e.Kind())
		}
		return e.Run == run && e.Kind() == "run.cancelled"
	})
	if got := strings.Join(between, " "); got != "user.message run.started" {
		s.t.Errorf("the session has %s", got)
	}
}
