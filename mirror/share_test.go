package mirror_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"agentstudio/engine"
	"agentstudio/mirror"
)

// fill puts a marked text into every string of a payload, at any depth.
func fill(v reflect.Value, depth int) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprintf("SECRET%d", depth))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), depth+1)
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			v.SetBytes([]byte(`{"k":"SECRET"}`))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			fill(v.Index(i), depth+1)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		if v.Type().Elem().Kind() == reflect.Interface {
			v.SetMapIndex(reflect.ValueOf("k"), reflect.ValueOf("SECRET"))
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return
		}
		for i := range v.NumField() {
			if f := v.Field(i); f.CanSet() {
				fill(f, depth+1)
			}
		}
	}
}

// Of no event there is, known or from the future, does share none let a text through but ids, codes and
// the engine's own words; and names lets through only the fields that are named here.
func TestShareLetsNothingThrough(t *testing.T) {
	named := map[string]string{ // what names may show, by type
		"session.started": "title version", "session.resumed": "", "session.closed": "", "user.message": "text by", "assistant.delta": "delta",
		"user.withdrawn": "by", "run.started": "modelId", "run.cancelled": "by", "tool.requested": "toolName", "tool.denied": "toolName", "tool.started": "toolName",
		"tool.completed": "toolName", "tool.failed": "toolName", "approval.required": "toolName", "approval.extended": "by", "approval.resolved": "by",
		"session.renamed": "title by", "skill.requested": "name path", "skill.loaded": "name path", "mirror.device": "deviceId name role what by",
		"gate.waiting": "gate", "gate.released": "by", "artifact.ready": "name mime sha256", "attachment.added": "name mime kind by", "attachment.removed": "by",
		"model.configured": "provider modelId", "attachment.rejected": "name by", "catalog.loaded": "skills tools",
	}
	always := "toolCallId messageId approvalId runId resumes code codes stopReason delivery reason status which used limit budget usage policy parts recovered costUsd screen attachmentId artifactId version"
	for _, p := range payloads() {
		kind := engine.KindOf(p)
		for _, share := range []mirror.Share{mirror.ShareNone, mirror.ShareNames} {
			raw, err := json.Marshal(mirror.Filter(share, engine.Event{ID: "evt_1", Session: "ses_1", Seq: 1, Payload: p}).Payload)
			if err != nil {
				t.Fatal(err)
			}
			var fields map[string]json.RawMessage
			if u, ok := mirror.Filter(share, engine.Event{Payload: p}).Payload.(engine.Unknown); ok {
				raw = u.Raw
			}
			if err := json.Unmarshal(raw, &fields); err != nil {
				t.Fatalf("%s: %v in %s", kind, err, raw)
			}
			may := " " + always + " "
			if share == mirror.ShareNames {
				may += named[kind] + " "
			}
			for name, value := range fields {
				text := string(value)
				if name == "by" && share == mirror.ShareNone {
					var a engine.Actor
					_ = json.Unmarshal(value, &a)
					text = a.Name + a.Device
				}
				if strings.Contains(text, "SECRET") && !strings.Contains(may, " "+name+" ") {
					t.Errorf("%s at %s shows %s: %s", kind, share, name, value)
				}
			}
		}
	}
}

// payloads are one of each type, full of marked texts.
func payloads() (all []engine.Payload) {
	for _, kind := range engine.Kinds() {
		raw := []byte(fmt.Sprintf(`{"eventId":"evt_1","sessionId":"ses_1","sequence":1,"timestamp":"2026-01-01T00:00:00Z","type":%q,"payload":{}}`, kind))
		e, err := engine.DecodeEvent(raw)
		if err != nil {
			panic(err)
		}
		v := reflect.New(reflect.TypeOf(e.Payload)).Elem()
		fill(v, 0)
		all = append(all, v.Interface().(engine.Payload))
	}
	return append(all, engine.Unknown{Type: "from.the.future", Raw: json.RawMessage(`{"x":"SECRET"}`)})
}

// What a viewer may not see comes over no route.
func TestShareOverEveryRoute(t *testing.T) {
	s := open(t, func(o *mirror.Options) {
		o.Share = mirror.ShareNames
		o.Limits.Snapshots, o.Limits.Connects = 100, 1000
	}, save("call_a", `{"path":"secret.txt"}`), say("the answer"))
	s.send("the question")
	ask := s.untilKind("approval.required").Payload.(engine.ApprovalRequired)
	look := func(level string, hidden ...string) {
		t.Helper()
		c := s.dial(s.tokens[mirror.Viewer], 0)
		c.upto(s.last())
		rows, _ := json.Marshal(c.page.rows)
		_ = c.conn.Close()
		_, _, session := s.request("GET", "/api/session", s.tokens[mirror.Viewer], "")
		_, _, skills := s.request("GET", "/api/skills", s.tokens[mirror.Viewer], "")
		events := strings.Join(s.stream("/api/events", s.last(), nil), "\n")
		frames := s.lines("/api/frames", s.last())
		for route, got := range map[string]string{"/ws": string(rows), "/api/session": session, "/api/skills": skills, "/api/events": events, "/api/frames": frames} {
			for _, h := range hidden {
				if strings.Contains(got, h) {
					t.Errorf("%s: %s shows %q: %.2000s", level, route, h, got)
				}
			}
		}
		if status, _, _ := s.request("GET", "/api/artifacts/art_1", s.tokens[mirror.Viewer], ""); status != 403 {
			t.Errorf("%s: files: %d", level, status)
		}
	}
	look("names, asked", "secret", ask.Digest, "1234")
	c := s.dial(s.tokens[mirror.Viewer], 0)
	c.upto(s.last())
	if got := c.page.approvals; len(got) != 1 || got[0].Text != "{}" || got[0].Digest != "" {
		t.Errorf("of the question a viewer is told %+v", got)
	}
	_ = c.conn.Close()
	if _, err := s.session.Do(t.Context(), engine.Decide{Approval: ask.Approval, Digest: ask.Digest, Approve: true, Reason: "secret reason", By: tester}); err != nil {
		t.Fatal(err)
	}
	s.untilKind("run.completed")
	look("names, done", "secret", ask.Digest)
	if err := s.m.SetShare(mirror.ShareNone); err != nil {
		t.Fatal(err)
	}
	look("none", "secret", "question", "answer", "save", "fake", "terminal", `"test"`)
}

// last is the newest sequence.
func (s *stage) last() engine.Seq {
	s.t.Helper()
	_, _, body := s.request("GET", "/api/health", s.tokens[mirror.Operator], "")
	var h struct{ Sequence engine.Seq }
	if err := json.Unmarshal([]byte(body), &h); err != nil {
		s.t.Fatal(err)
	}
	return h.Sequence
}

// stream reads Server-Sent Events until the one of a sequence.
func (s *stage) stream(path string, until engine.Seq, header http.Header) (events []string) {
	s.t.Helper()
	s.streamed(path, header, func(line string) bool {
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			events = append(events, data)
			return strings.Contains(data, fmt.Sprintf(`"sequence":%d,`, until))
		}
		return false
	})
	return events
}

// lines reads frames as lines until one that moves on to a sequence.
func (s *stage) lines(path string, until engine.Seq) string {
	s.t.Helper()
	var b strings.Builder
	s.streamed(path, nil, func(line string) bool {
		b.WriteString(line + "\n")
		return strings.Contains(line, fmt.Sprintf(`"sequence":%d,`, until)) && strings.Contains(line, `"patch"`)
	})
	return b.String()
}

func (s *stage) streamed(path string, header http.Header, stop func(string) bool) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), "GET", s.base+path, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header = header.Clone()
	if r.Header == nil {
		r.Header = http.Header{}
	}
	r.Header.Set("Authorization", "Bearer "+s.tokens[mirror.Viewer])
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != 200 {
		b, _ := io.ReadAll(res.Body)
		s.t.Fatalf("%s: %d %s", path, res.StatusCode, b)
	}
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if stop(lines.Text()) {
			return
		}
	}
	s.t.Fatalf("%s ended: %v", path, lines.Err())
}

// Events over HTTP begin after Last-Event-ID, which goes before afterSequence, and are those of the log.
func TestEvents(t *testing.T) {
	s := open(t, nil, say("hello"))
	s.send("hi")
	end := s.untilKind("run.completed").Seq
	if got := s.stream("/api/events", end, nil); len(got) != int(end) {
		t.Errorf("%d events of %d", len(got), end)
	}
	for path, want := range map[string]int{"/api/events?afterSequence=3": int(end) - 3} {
		if got := s.stream(path, end, nil); len(got) != want {
			t.Errorf("%s: %d events, want %d", path, len(got), want)
		}
		if got := s.stream(path, end, http.Header{"Last-Event-Id": {fmt.Sprint(end - 1)}}); len(got) != 1 {
			t.Errorf("%s with Last-Event-ID: %d events", path, len(got))
		}
	}
	if status, _, _ := s.request("GET", "/api/events?afterSequence=x", s.tokens[mirror.Viewer], ""); status != 400 {
		t.Errorf("no number: %d", status)
	}
	var e engine.Event
	if err := json.Unmarshal([]byte(s.stream("/api/events", end, nil)[end-1]), &e); err != nil || e.Kind() != "run.completed" {
		t.Errorf("the last is %v %v", e, err)
	}
}
