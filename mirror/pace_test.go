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

// hasty is how long the mirrors of these tests wait.
const hasty = 300 * time.Millisecond

// answer reads one.
func (s *stage) answer(r *bufio.Reader) (int, engine.Code) {
	s.t.Helper()
	res, err := http.ReadResponse(r, nil)
	if err != nil {
		return 0, engine.Code(err.Error())
	}
	defer res.Body.Close()
	var e struct {
		Error     struct{ Code engine.Code }
		RequestID string
	}
	b, err := io.ReadAll(res.Body)
	if err == nil && len(b) > 0 {
		err = json.Unmarshal(b, &e)
	}
	if err != nil || e.Error.Code != "" && e.RequestID == "" {
		s.t.Errorf("%d with %q: %v", res.StatusCode, b, err)
	}
	return res.StatusCode, e.Error.Code
}

// closedBy waits until the other side has closed the connection.
func closedBy(t *testing.T, c net.Conn) {
	t.Helper()
	_ = c.SetReadDeadline(time.Now().Add(30 * time.Second))
	if _, err := io.Copy(io.Discard, c); err != nil && strings.Contains(err.Error(), "timeout") {
		t.Errorf("still open: %v", err)
	}
}

// A body that does not come is not waited for, on every route that takes one, with a token or without.
func TestSlowBodies(t *testing.T) {
	var logged atomic.Int32
	s := open(t, func(o *mirror.Options) {
		o.Hasty(hasty)
		o.Log = func(string) { logged.Add(1) }
		o.Intake = readAll
		o.Limits.Frames = 1000
	})
	began := time.Now()
	for _, route := range mirror.Routes() {
		if route[1] == "/api/leave" {
			continue // it reads no body, and ends the token
		}
		for _, body := range []string{"Transfer-Encoding: chunked\n\n1\n{\n", "Content-Length: 1000\n\n{"} {
			if route[0] == "GET" && strings.HasPrefix(body, "Content") {
				continue // the length says that it is too large
			}
			path := strings.NewReplacer("{$}", "", "{id}", "nothing", "{lang}", "en.json").Replace(route[1])
			c, r := s.raw(fmt.Sprintf("%s %s HTTP/1.1\nHost: HOST\nAuthorization: Bearer %s\nContent-Type: multipart/form-data; boundary=x\nConnection: close\n%s", route[0], path, s.tokens[mirror.Operator], body))
			status, code := s.answer(r)
			want := engine.RequestMalformed
			if route[0] == "GET" {
				want = engine.RequestTooLarge
			}
			if code != want {
				t.Errorf("%v, %q: %d %s, want %s", route, body, status, code, want)
			}
			closedBy(t, c)
		}
	}
	if took := time.Since(began); took > 30*time.Second {
		t.Errorf("took %s", took)
	}
	if logged.Load() > 0 {
		t.Errorf("%d lines in the log", logged.Load())
	}
}

func readAll(_ context.Context, _ engine.Actor, name, mime string, r io.Reader) (engine.Attachment, engine.Seq, error) {
	b, err := io.ReadAll(r)
	if err != nil { // as the session's own intake says it
		return engine.Attachment{}, 0, &engine.Error{Code: engine.ReadFailed, Message: "the picture cannot be read", Err: err}
	}
	return engine.Attachment{ID: "att_1", Name: name, MIME: mime, Bytes: int64(len(b))}, 0, nil
}

// A client that goes in the middle of a body has done nothing that the log needs to hear of.
func TestCutBodies(t *testing.T) {
	lines := make(chan string, 100)
	done := make(chan engine.Code, 1)
	s := open(t, func(o *mirror.Options) {
		o.Log = func(l string) { lines <- l }
		o.Intake = func(ctx context.Context, by engine.Actor, name, mime string, r io.Reader) (engine.Attachment, engine.Seq, error) {
			a, seq, err := readAll(ctx, by, name, mime, r)
			done <- engine.CodeOf(err)
			return a, seq, err
		}
	})
	c, r := s.raw("POST /api/pair HTTP/1.1\nHost: HOST\nOrigin: BASE\nContent-Length: 100\n\n{\"code\"")
	_ = c.(*net.TCPConn).CloseWrite()
	if status, code := s.answer(r); status != 400 || code != engine.RequestMalformed {
		t.Errorf("a cut body: %d %s", status, code)
	}
	kind, body := form(t, "file", "a.png", strings.Repeat("pixels", 1000))
	head := fmt.Sprintf("POST /api/attachments HTTP/1.1\nHost: HOST\nAuthorization: Bearer %s\nContent-Type: %s\nContent-Length: %d\n\n", s.tokens[mirror.Approver], kind, len(body))
	c, r = s.raw(head)
	_, _ = c.Write(body[:len(body)/2])
	_ = c.(*net.TCPConn).CloseWrite()
	if code := <-done; code != engine.ReadFailed {
		t.Errorf("the intake had %s", code)
	}
	if status, code := s.answer(r); status != 400 || code != engine.RequestMalformed {
		t.Errorf("a cut upload: %d %s", status, code)
	}
	select {
	case l := <-lines:
		t.Errorf("logged: %s", l)
	default:
	}
}

// A retry of an upload whose first try has gone silent is served at once; one that stalls is ended.
func TestUploadTakesOver(t *testing.T) {
	begun := make(chan struct{}, 10)
	s := open(t, func(o *mirror.Options) {
		o.Intake = func(ctx context.Context, by engine.Actor, name, mime string, r io.Reader) (engine.Attachment, engine.Seq, error) {
			begun <- struct{}{}
			return readAll(ctx, by, name, mime, r)
		}
	})
	kind, body := form(t, "file", "a.png", strings.Repeat("pixels", 1000))
	head := fmt.Sprintf("POST /api/attachments HTTP/1.1\nHost: HOST\nAuthorization: Bearer %s\nX-Client-Id: u1\nContent-Type: %s\nContent-Length: %d\n\n", s.tokens[mirror.Approver], kind, len(body))
	silent, first := s.raw(head)
	_, _ = silent.Write(body[:len(body)/2])
	<-begun
	began := time.Now()
	for range 2 { // and once more, for the first result
		if status, answer := s.upload(s.tokens[mirror.Approver], "u1", kind, body); status != 200 || !strings.Contains(answer, `"att_1"`) {
			t.Errorf("the retry: %d %s", status, answer)
		}
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("the retry took %s", took)
	}
	if status, code := s.answer(first); status != 400 || code != engine.RequestMalformed {
		t.Errorf("the silent one: %d %s", status, code)
	}
	if len(begun) != 1 {
		t.Errorf("the intake was asked %d times more", len(begun))
	}
}

// An upload may take longer than any pause in it may.
func TestUploadGoesOnWithProgress(t *testing.T) {
	s := open(t, func(o *mirror.Options) { o.Hasty(hasty); o.Intake = readAll })
	kind, body := form(t, "file", "a.png", "pixels")
	head := fmt.Sprintf("POST /api/attachments HTTP/1.1\nHost: HOST\nAuthorization: Bearer %s\nContent-Type: %s\nContent-Length: %d\n\n", s.tokens[mirror.Approver], kind, len(body))
	c, r := s.raw(head)
	every := time.NewTicker(hasty / 15)
	defer every.Stop()
	for i := range body[:40] {
		_, _ = c.Write(body[i : i+1])
		<-every.C
	}
	_, _ = c.Write(body[40:])
	if status, code := s.answer(r); status != 200 {
		t.Errorf("a slow one: %d %s", status, code)
	}
	c, r = s.raw(head)
	_, _ = c.Write(body[:40])
	if status, code := s.answer(r); status != 400 || code != engine.RequestMalformed {
		t.Errorf("one that stops: %d %s", status, code)
	}
}

// Whoever does not read is let go on every route that answers more than fits on the way, and who reads
// slowly is not.
func TestWriteDeadlines(t *testing.T) {
	many := strings.Repeat("pixels and more ", 1<<20)
	over := make(chan struct{}, 2)
	s := open(t, func(o *mirror.Options) {
		o.Hasty(hasty)
		o.Picture = func(context.Context, string) (string, io.ReadCloser, error) {
			return "image/png", picture{strings.NewReader(many), over}, nil
		}
	})
	ask := "GET /api/attachments/att_1 HTTP/1.1\nHost: HOST\nAuthorization: Bearer " + s.tokens[mirror.Viewer] + "\nConnection: close\n\n"
	_, r := s.raw(ask)
	res, err := http.ReadResponse(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	<-over
	if n, err := io.Copy(io.Discard, res.Body); err == nil {
		t.Errorf("it came whole, %d bytes", n)
	}
	_, r = s.raw(ask)
	if res, err = http.ReadResponse(r, nil); err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	every := time.NewTicker(hasty / 10)
	defer every.Stop()
	n := int64(0)
	for range 20 {
		k, err := io.CopyN(io.Discard, res.Body, 256<<10)
		if n += k; err != nil {
			t.Fatal(n, err)
		}
		<-every.C
	}
	k, err := io.Copy(io.Discard, res.Body)
	if n += k; n != int64(len(many)) || err != nil {
		t.Errorf("a slow reader got %d of %d: %v", n, len(many), err)
	}
}

// picture tells when it is closed.
type picture struct {
	io.Reader
	over chan<- struct{}
}

func (p picture) Close() error { p.over <- struct{}{}; return nil }

// A streamed answer that nobody reads is given up as well.
func TestStreamsNobodyReads(t *testing.T) {
	s := open(t, func(o *mirror.Options) { o.Hasty(hasty) }, say("hello"))
	for i := range 40 {
		run := s.send(fmt.Sprint(i) + strings.Repeat("long text ", 20000))
		s.until(func(e engine.Event) bool {
			return e.Run == run && (e.Kind() == "run.completed" || e.Kind() == "run.failed")
		})
	}
	c, _ := s.raw("GET /api/events HTTP/1.1\nHost: HOST\nAuthorization: Bearer " + s.tokens[mirror.Viewer] + "\n\n")
	_ = c.(*net.TCPConn).SetReadBuffer(4 << 10)
	eventually(t, func() bool { return s.m.State().Clients == 1 })
	eventually(t, func() bool { return s.m.State().Clients == 0 })
}
