package mirror_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"agentstudio/engine"
	"agentstudio/mirror"
)

// posts sends a body as the operator, for a session if one is named.
func (s *stage) posts(path, kind, session string, body []byte) (int, string) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), "POST", s.base+path, bytes.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.tokens[mirror.Operator])
	r.Header.Set("Content-Type", kind)
	if session != "" {
		r.Header.Set("X-Session-Id", session)
	}
	answer, err := http.DefaultClient.Do(r)
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

// What was written for another session is not done in this one.
func TestNothingIsDoneInAnotherSession(t *testing.T) {
	var kept atomic.Int32
	s := open(t, func(o *mirror.Options) {
		o.Intake = func(_ context.Context, _ engine.Actor, name, _ string, r io.Reader) (engine.Attachment, engine.Seq, error) {
			if _, err := io.Copy(io.Discard, r); err != nil {
				return engine.Attachment{}, 0, err
			}
			return engine.Attachment{ID: "att_" + strconv.Itoa(int(kept.Add(1))), Name: name}, 0, nil
		}
	}, say("done"))
	own := string(s.session.ID())
	kind, file := form(t, "file", "a.png", "pixels")
	for _, c := range []struct {
		session string
		status  int
		says    string
	}{{"ses_other", http.StatusGone, `"SESSION_CLOSED"`}, {own, 0, `"ok":true`}, {"", 0, `"ok":true`}} {
		message, err := json.Marshal(map[string]any{"id": "m" + c.session, "sessionId": c.session, "text": "for " + c.session, "delivery": "followUp"})
		if err != nil {
			t.Fatal(err)
		}
		if status, answer := s.posts("/api/messages", "application/json", "", message); !strings.Contains(answer, c.says) || c.status != 0 && status != c.status {
			t.Errorf("a message for %q: %d %s", c.session, status, answer)
		}
		if status, answer := s.posts("/api/attachments", kind, c.session, file); !strings.Contains(answer, c.says) || c.status != 0 && status != c.status {
			t.Errorf("a picture for %q: %d %s", c.session, status, answer)
		}
	}
	var said []string
	s.until(func(e engine.Event) bool {
		if m, is := e.Payload.(engine.UserMessage); is {
			said = append(said, m.Text)
		}
		return len(said) == 2
	})
	if got := strings.Join(said, "|"); got != "for "+own+"|for " || kept.Load() != 2 {
		t.Errorf("said %q, %d pictures", got, kept.Load())
	}
}

// An upload has one file: of two nothing is kept.
func TestAnUploadHasOneFile(t *testing.T) {
	var kept atomic.Int32
	s := open(t, func(o *mirror.Options) {
		o.Intake = func(_ context.Context, _ engine.Actor, name, _ string, r io.Reader) (engine.Attachment, engine.Seq, error) {
			if _, err := io.Copy(io.Discard, r); err != nil {
				return engine.Attachment{}, 0, &engine.Error{Code: engine.ReadFailed, Message: "not read", Err: err}
			}
			kept.Add(1)
			return engine.Attachment{ID: "att_1", Name: name}, 0, nil
		}
	})
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, name := range []string{"a.png", "b.png"} {
		part, err := w.CreateFormFile("file", name)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(part, "pixels")
	}
	_ = w.Close()
	if status, answer := s.posts("/api/attachments", w.FormDataContentType(), "", b.Bytes()); status != http.StatusBadRequest || !strings.Contains(answer, "one part named file") || kept.Load() != 0 {
		t.Errorf("%d %s, %d kept", status, answer, kept.Load())
	}
}

// A device has eight uploads under way and no more, so that their bytes stay few.
func TestUploadsAtOnce(t *testing.T) {
	begun, proceed := make(chan struct{}, 8), make(chan struct{})
	s := open(t, func(o *mirror.Options) {
		o.Limits.Frames = 100
		o.Intake = func(_ context.Context, _ engine.Actor, name, _ string, r io.Reader) (engine.Attachment, engine.Seq, error) {
			begun <- struct{}{}
			<-proceed
			_, err := io.Copy(io.Discard, r)
			return engine.Attachment{ID: name, Name: name}, 0, err
		}
	})
	kind, file := form(t, "file", "a.png", "pixels")
	var all sync.WaitGroup
	var taken atomic.Int32
	for range 8 {
		all.Go(func() {
			if status, _ := s.posts("/api/attachments", kind, "", file); status == http.StatusOK {
				taken.Add(1)
			}
		})
	}
	for range 8 {
		<-begun
	}
	if status, answer := s.posts("/api/attachments", kind, "", file); status != http.StatusTooManyRequests || !strings.Contains(answer, "at most 8 uploads at once") {
		t.Errorf("a ninth: %d %s", status, answer)
	}
	close(proceed)
	all.Wait()
	if taken.Load() != 8 {
		t.Errorf("%d were taken", taken.Load())
	}
	go func() { <-begun }()
	if status, answer := s.posts("/api/attachments", kind, "", file); status != http.StatusOK {
		t.Errorf("a later one: %d %s", status, answer)
	}
}
