package mirror_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"agentstudio/engine"
	"agentstudio/mirror"
)

// form is a multipart upload.
func form(t *testing.T, field, name, content string) (kind string, body []byte) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	p, err := w.CreateFormFile(field, name)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(p, content)
	_ = w.Close()
	return w.FormDataContentType(), b.Bytes()
}

func (s *stage) upload(token, id, kind string, body []byte) (int, string) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), "POST", s.base+"/api/attachments", bytes.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", kind)
	r.Header.Set("X-Client-Id", id)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	b, _ := io.ReadAll(res.Body)
	return res.StatusCode, string(b)
}

// An upload is taken in once for each id of the client's, by whoever may, with its name cleaned.
func TestUpload(t *testing.T) {
	var taken atomic.Int32
	s := open(t, func(o *mirror.Options) {
		o.Intake = func(_ context.Context, by engine.Actor, name, mime string, r io.Reader) (engine.Attachment, engine.Seq, error) {
			b, err := io.ReadAll(r)
			if err != nil {
				return engine.Attachment{}, 0, err
			}
			if string(b) == "bad" {
				return engine.Attachment{}, 0, engine.Errorf("IMAGE_UNSUPPORTED", "this is no picture")
			}
			return engine.Attachment{ID: fmt.Sprintf("att_%d", taken.Add(1)), Name: name + " by " + by.Name, Bytes: int64(len(b))}, 0, nil
		}
	})
	kind, body := form(t, "file", "../\u202eevil.png", "pixels")
	for range 2 {
		status, answer := s.upload(s.tokens[mirror.Approver], "u1", kind, body)
		if status != 200 || !strings.Contains(answer, `"att_1"`) || !strings.Contains(answer, `by approver`) || strings.ContainsAny(answer, "\u202e\x1b") {
			t.Errorf("%d %s", status, answer)
		}
	}
	for _, c := range []struct {
		token, kind string
		body        []byte
		want        int
	}{
		{s.tokens[mirror.Viewer], kind, body, 403}, {s.tokens[mirror.Presenter], kind, body, 403},
		{s.tokens[mirror.Approver], "image/png", []byte("x"), 400}, {s.tokens[mirror.Approver], kind, body[:len(body)/2], 400},
	} {
		if status, answer := s.upload(c.token, "", c.kind, c.body); status != c.want {
			t.Errorf("%s: %d %s, want %d", c.kind, status, answer, c.want)
		}
	}
	kind, body = form(t, "file", "a.png", "bad")
	if status, answer := s.upload(s.tokens[mirror.Approver], "u2", kind, body); status != 422 || !strings.Contains(answer, "IMAGE_UNSUPPORTED") {
		t.Errorf("no picture: %d %s", status, answer)
	}
	kind, body = form(t, "other", "a.png", "x")
	if status, answer := s.upload(s.tokens[mirror.Approver], "u3", kind, body); status != 400 || !strings.Contains(answer, "named file") {
		t.Errorf("another field: %d %s", status, answer)
	}
	kind, body = form(t, "file", "b.png", "more pixels")
	head := bytes.Replace(body, []byte("b.png"), []byte("b\x1b[2J.png"), 1)
	if status, answer := s.upload(s.tokens[mirror.Approver], "u5", kind, head); status != 400 || !strings.Contains(answer, "filename*") {
		t.Errorf("a name with a control byte as it is: %d %s", status, answer)
	}
	if status, _ := s.upload(s.tokens[mirror.Approver], "u4", kind, body[:len(body)-20]); status != 400 {
		t.Errorf("cut: %d", status)
	}
	if status, answer := s.upload(s.tokens[mirror.Approver], "u4", kind, body); status != 200 {
		t.Errorf("again with the same id: %d %s", status, answer)
	}
	if taken.Load() != 2 {
		t.Errorf("taken in %d times", taken.Load())
	}
}

// Pictures come out as pictures or not at all.
func TestPicture(t *testing.T) {
	s := open(t, func(o *mirror.Options) {
		o.Picture = func(_ context.Context, id string) (string, io.ReadCloser, error) {
			kinds := map[string]string{"att_1": "image/png", "att_2": "text/html"}
			if kinds[id] == "" {
				return "", nil, engine.Errorf(engine.RefNotFound, "none")
			}
			return kinds[id], io.NopCloser(strings.NewReader("<script>")), nil
		}
	})
	for id, want := range map[string]int{"att_1": 200, "att_2": 404, "att_3": 404} {
		status, h, _ := s.request("GET", "/api/attachments/"+id, s.tokens[mirror.Viewer], "")
		if status != want {
			t.Errorf("%s: %d, want %d", id, status, want)
		}
		if want == 200 && (h.Get("Content-Type") != "image/png" || !strings.Contains(h.Get("Content-Security-Policy"), "sandbox") || !strings.HasPrefix(h.Get("Content-Disposition"), "attachment")) {
			t.Errorf("headers: %v", h)
		}
	}
	_ = s.m.SetShare(mirror.ShareNames)
	if status, _, _ := s.request("GET", "/api/attachments/att_1", s.tokens[mirror.Viewer], ""); status != 403 {
		t.Errorf("a viewer of names: %d", status)
	}
}

// On plain http from another machine only viewers are let in, and what could do more is revoked.
func TestPlainHTTPFromAfar(t *testing.T) {
	s := open(t, func(o *mirror.Options) { o.Far() })
	if status, _ := s.pair(s.m.ShowClassCode(), "Ada"); status != 200 {
		t.Errorf("a viewer: %d", status)
	}
	code, _, _ := s.m.ShowApproverCode()
	if status, l := s.pair(code, "Bob"); status != 403 || l.Error.Code != engine.MirrorNeedsTLS {
		t.Errorf("an approver: %d %+v", status, l)
	}
	if s.m.State().Approver != code {
		t.Error("the code was used up by it")
	}
	for range 2 {
		if status, _, _ := s.request("GET", "/api/health", s.tokens[mirror.Approver], ""); status != 401 {
			t.Errorf("a token of an approver: %d", status)
		}
	}
	if status, _, _ := s.request("GET", "/api/health", s.tokens[mirror.Viewer], ""); status != 200 {
		t.Errorf("a token of a viewer: %d", status)
	}
	for _, d := range s.m.State().Devices {
		if d.Role == mirror.Approver {
			t.Errorf("still there: %+v", d)
		}
	}
}

// Behind a proxy's address requests count as TLS, and limits by address are off.
func TestOriginOfAProxy(t *testing.T) {
	s := open(t, func(o *mirror.Options) { o.Far(); o.Origins = []string{"https://Class.Example.org"} })
	if a := s.m.State().Addresses[0]; a != "https://class.example.org" {
		t.Errorf("the first address is %s", a)
	}
	for _, c := range []struct {
		host, origin string
		want         int
	}{
		{"class.example.org", "https://class.example.org", 101}, {"CLASS.example.org:443", "https://class.example.org:443", 101},
		{"class.example.org", "http://class.example.org", 403}, {"class.example.org:80", "https://class.example.org", 421},
		{"class.example.org", s.base, 403}, {"class.example.org:8443", "https://class.example.org:8443", 421},
	} {
		k := knock{method: "GET", path: "/ws", host: c.host, origin: c.origin, upgrade: true}
		if status, _ := k.send(t, s); status != c.want {
			t.Errorf("%+v: %d", c, status)
		}
	}
	k := knock{method: "GET", path: "/api/health", host: "class.example.org", token: s.tokens[mirror.Approver]}
	if status, _ := k.send(t, s); status != 200 {
		t.Errorf("an approver over the proxy: %d", status)
	}
	for range 15 {
		k.token = strings.Repeat("ab", 32)
		if status, _ := k.send(t, s); status != 401 {
			t.Errorf("a wrong token: %d", status)
		}
	}
	if _, err := mirror.New(mirror.Options{Session: s.session, Port: mirror.AnyPort, LAN: "192.0.2.1", Origins: []string{"https://x.example"}}); engine.CodeOf(err) != engine.ConfigInvalid {
		t.Errorf("a proxy and the network together: %v", err)
	}
	for _, bad := range []mirror.Options{{Origins: []string{"http://x.example"}}, {Origins: []string{"https://x.example/path"}}, {LAN: "0.0.0.0"}, {LAN: "host"}, {LAN: "192.0.2.1"}, {Share: "some"}} {
		bad.Session, bad.Port = s.session, mirror.AnyPort
		if m, err := mirror.New(bad); engine.CodeOf(err) != engine.ConfigInvalid {
			t.Errorf("%+v: %v", bad, err)
			_ = m.Close()
		}
	}
}

// The certificate of our own is kept for this user alone, and used again while it fits.
func TestSelfSigned(t *testing.T) {
	dir := t.TempDir()
	now := time.Now()
	first := leaf(t, dir, now, "192.0.2.1")
	if err := first.VerifyHostname("192.0.2.1"); err != nil {
		t.Error(err)
	}
	if d := first.NotAfter.Sub(now); d < 89*24*time.Hour || d > 91*24*time.Hour {
		t.Errorf("good for %s", d)
	}
	key := filepath.Join(dir, "mirror-key.pem")
	if i, err := os.Stat(key); err != nil || runtime.GOOS != "windows" && i.Mode().Perm() != 0o600 {
		t.Errorf("the key: %v %v", i, err)
	}
	if again := leaf(t, dir, now, "192.0.2.1"); !again.Equal(first) {
		t.Error("a phone would be asked again")
	}
	second := leaf(t, dir, now, "192.0.2.1", "class.example.org")
	if second.Equal(first) || leaf(t, dir, now.Add(89*24*time.Hour+time.Hour), "192.0.2.1").Equal(second) {
		t.Error("one that does not fit was used again")
	}
	if err := os.WriteFile(key, []byte("broken"), 0o600); err != nil {
		t.Fatal(err)
	}
	leaf(t, dir, now)
	if runtime.GOOS != "windows" {
		third := leaf(t, dir, now)
		_ = os.Chmod(key, 0o644)
		if leaf(t, dir, now).Equal(third) {
			t.Error("a key that others could read was used again")
		}
	}
}

// Over TLS a page and a program do what they do without.
func TestOverTLS(t *testing.T) {
	c, err := mirror.SelfSigned(t.TempDir(), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	s := open(t, func(o *mirror.Options) { o.TLS = c; o.Far() }, say("hello"))
	if !strings.HasPrefix(s.base, "https://") {
		t.Fatal(s.base)
	}
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, ForceAttemptHTTP2: true}}
	defer client.CloseIdleConnections()
	r, _ := http.NewRequestWithContext(t.Context(), "GET", s.base+"/api/health", nil)
	r.Header.Set("Authorization", "Bearer "+s.tokens[mirror.Approver])
	res, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	var h struct{ Role mirror.Role }
	_ = json.NewDecoder(res.Body).Decode(&h)
	_ = res.Body.Close()
	if res.StatusCode != 200 || h.Role != mirror.Approver || res.ProtoMajor != 1 {
		t.Errorf("%s %+v", res.Status, h)
	}
	s.send("hi")
	d := s.dial(s.tokens[mirror.Approver], 0)
	d.upto(s.untilKind("run.completed").Seq)
	d.agrees()
}

func TestReadTokens(t *testing.T) {
	at := filepath.Join(t.TempDir(), "tokens")
	hex := "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
	read := func(text string, mode os.FileMode) ([]mirror.Token, error) {
		_ = os.Remove(at)
		if err := os.WriteFile(at, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return mirror.ReadTokens(at)
	}
	got, err := read("# for the board\n\nviewer board "+hex+"\r\noperator desk MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWZnaGlq\n", 0o600)
	if err != nil || len(got) != 2 || got[0] != (mirror.Token{Role: mirror.Viewer, Name: "board", Token: hex}) || got[1].Role != mirror.Operator {
		t.Errorf("%+v %v", got, err)
	}
	for _, bad := range []string{"", "viewer board short", "king board " + hex, "viewer " + hex, "viewer a " + strings.Repeat("a", 64), "viewer a " + hex + "\nviewer b " + hex, "viewer two words " + hex} {
		if _, err := read(bad, 0o600); engine.CodeOf(err) != engine.ConfigInvalid || strings.Contains(fmt.Sprint(err), hex) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if runtime.GOOS != "windows" {
		if _, err := read("viewer board "+hex, 0o644); engine.CodeOf(err) != engine.ConfigInvalid {
			t.Errorf("a file that others can read: %v", err)
		}
	}
	if _, err := mirror.ReadTokens(at + "x"); engine.CodeOf(err) != engine.ConfigInvalid {
		t.Errorf("no file: %v", err)
	}
}
