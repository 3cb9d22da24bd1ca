package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/spf13/cobra"

	"agentstudio/engine"
	"agentstudio/mirror"
)

// pictureCases are those of the intake, which go through the mirror's route here.
const pictureCases = "engine/intake/testdata/cases"

// counter is a studio whose mirror takes uploads, and what a program needs to send some.
type counter struct {
	t           *testing.T
	s           *studio
	state, base string
	sent        int
}

const counterToken = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"

// uploads opens one as the program does, with flags.
func uploads(t *testing.T, flags ...string) *counter {
	t.Helper()
	o := &options{std: stdio{in: strings.NewReader(""), out: io.Discard, err: io.Discard, ring: &ring{}}}
	c := &cobra.Command{}
	o.bind(c)
	state := t.TempDir()
	if err := c.ParseFlags(append([]string{"--state", state}, flags...)); err != nil {
		t.Fatal(err)
	}
	s, err := o.assemble(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.close)
	mo := mirror.Options{Session: s.session, Port: mirror.AnyPort, Tokens: []mirror.Token{{Role: mirror.Operator, Name: "desk", Token: counterToken}}}
	mo.Limits.Frames = 1000 // a second, of a device
	filed(&mo, func() *engine.Session { return s.session })
	m, err := mirror.New(mo)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = m.Close()
		http.DefaultClient.CloseIdleConnections()
	})
	addresses := m.State().Addresses
	return &counter{t: t, s: s, state: state, base: addresses[len(addresses)-1]}
}

// outcome is what the route says of an upload.
type outcome struct {
	status int
	OK     bool
	Picked engine.Attachment `json:"attachment"`
	Error  struct {
		Code    engine.Code
		Message string
	}
}

// part is the head of a file's part. A name that no header may hold as it is, is encoded by RFC 8187.
func part(name, declared string) textproto.MIMEHeader {
	disposition := fmt.Sprintf(`form-data; name="file"; filename="%s"`, name)
	if strings.ContainsFunc(name, unicode.IsControl) {
		disposition = "form-data; name=\"file\"; filename*=UTF-8''" + url.PathEscape(name)
	}
	h := textproto.MIMEHeader{"Content-Disposition": {disposition}}
	if declared != "" {
		h.Set("Content-Type", declared)
	}
	return h
}

// post uploads a file under a name and a declared type. It may be called from any goroutine.
func (c *counter) post(id, name, declared string, file []byte) (outcome, error) {
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	p, err := w.CreatePart(part(name, declared))
	if err != nil {
		return outcome{}, err
	}
	_, _ = p.Write(file)
	_ = w.Close()
	status, _, b, err := c.ask("POST", "/api/attachments", w.FormDataContentType(), id, &body)
	if err != nil {
		return outcome{}, err
	}
	o := outcome{status: status}
	if err := json.Unmarshal(b, &o); err != nil {
		return o, fmt.Errorf("%d %s: %w", status, b, err)
	}
	return o, nil
}

func (c *counter) ask(method, path, kind, id string, body io.Reader) (int, http.Header, []byte, error) {
	r, err := http.NewRequestWithContext(c.t.Context(), method, c.base+path, body)
	if err != nil {
		return 0, nil, nil, err
	}
	r.Header.Set("Authorization", "Bearer "+counterToken)
	r.Header.Set("Content-Type", kind)
	r.Header.Set("X-Client-Id", id)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, nil, nil, err
	}
	defer res.Body.Close() //nolint:errcheck // read to its end
	b, err := io.ReadAll(res.Body)
	return res.StatusCode, res.Header, b, err
}

// upload is post, and takes what was accepted out of the draft again, for which a message has little
// room, after look has looked at it.
func (c *counter) upload(name, declared string, file []byte, look func(engine.Attachment)) outcome {
	c.t.Helper()
	c.sent++
	o, err := c.post(fmt.Sprint("u", c.sent), name, declared, file)
	if err != nil {
		c.t.Fatal(err)
	}
	if o.OK != (o.status == http.StatusOK) || o.OK != (o.Picked.ID != "") {
		c.t.Errorf("%q: %+v", name, o)
	}
	if !o.OK {
		return o
	}
	look(o.Picked)
	if _, err := c.s.session.Do(c.t.Context(), engine.Detach{Attachment: o.Picked.ID, By: engine.Actor{Screen: "tui", Name: "test"}}); err != nil {
		c.t.Fatal(err)
	}
	return o
}

// served is a picture as the mirror gives it, which is as it is kept, of a type that browsers don't run
// and under no name of its sender's.
func (c *counter) served(a engine.Attachment, name string) []byte {
	c.t.Helper()
	status, h, b, err := c.ask("GET", "/api/attachments/"+a.ID, "", "", nil)
	if err != nil || status != http.StatusOK {
		c.t.Fatalf("%q: %d %v", name, status, err)
	}
	if h.Get("Content-Type") != a.MIME || h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Content-Disposition") != "attachment" {
		c.t.Errorf("%q, %s: %v", name, a.MIME, h)
	}
	if int64(len(b)) != a.Bytes || http.DetectContentType(b) != a.MIME {
		c.t.Errorf("%q: %d bytes of %s, said to be %d of %s", name, len(b), http.DetectContentType(b), a.Bytes, a.MIME)
	}
	kept := stored(c.t, c.state)
	if len(kept) != 1 {
		c.t.Fatalf("%q: kept are %v", name, kept)
	}
	if own := strings.TrimSuffix(filepath.Base(kept[0]), filepath.Ext(kept[0])); own != a.ID {
		c.t.Errorf("%q is kept as %s, want %s", name, kept[0], a.ID)
	}
	file, err := os.ReadFile(kept[0])
	if err != nil || !bytes.Equal(file, b) {
		c.t.Errorf("%q: what is served is not what is kept: %v", name, err)
	}
	return b
}

// says sends a message with pictures, as whoever sits at the terminal does, and gives how its run ended:
// the kind of the last event, or what the fault is.
func (c *counter) says(text string, pictures ...string) string {
	c.t.Helper()
	answer, err := c.s.session.Do(c.t.Context(), engine.Send{Text: text, Attachments: pictures, By: engine.Actor{Screen: "tui", Name: "test"}})
	if err != nil {
		c.t.Fatal(err)
	}
	for batch, err := range c.s.session.Follow(c.t.Context(), 0) {
		if err != nil {
			c.t.Fatal(err)
		}
		for _, e := range batch {
			if e.Run != answer.Run {
				continue
			}
			switch p := e.Payload.(type) {
			case engine.RunFailed:
				return p.Message
			case engine.RunCompleted:
				return e.Kind()
			}
		}
	}
	return "the session ended"
}
