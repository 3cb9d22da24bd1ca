package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"slices"
	"strings"
	"testing"

	"agentstudio/engine"
)

// small is a picture of a size.
func small(t *testing.T, w, h int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewRGBA(image.Rect(0, 0, w, h))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// order posts a command and gives its status and its error's code.
func (c *counter) order(path string, body any) (int, engine.Code) {
	c.t.Helper()
	b, err := json.Marshal(body)
	if err != nil {
		c.t.Fatal(err)
	}
	status, _, answer, err := c.ask("POST", path, "application/json", "", bytes.NewReader(b))
	if err != nil {
		c.t.Fatal(err)
	}
	var o outcome
	if err := json.Unmarshal(answer, &o); err != nil {
		c.t.Fatalf("%s: %d %s", path, status, answer)
	}
	return status, o.Error.Code
}

// put uploads a picture that has to be taken and gives its id.
func (c *counter) put(n int) string {
	c.t.Helper()
	o, err := c.post(fmt.Sprint("p", n), fmt.Sprintf("p%d.png", n), "image/png", small(c.t, 8+n, 8))
	if err != nil || !o.OK {
		c.t.Fatalf("picture %d: %+v %v", n, o, err)
	}
	return o.Picked.ID
}

// with waits for a message and gives the pictures that went with it.
func (c *counter) with(text string) (ids []string) {
	c.t.Helper()
	for batch, err := range c.s.session.Follow(c.t.Context(), 0) {
		if err != nil {
			c.t.Fatal(err)
		}
		for _, e := range batch {
			if p, is := e.Payload.(engine.UserMessage); is && p.Text == text {
				for _, a := range p.Attachments {
					ids = append(ids, a.ID)
				}
				return ids
			}
		}
	}
	return nil
}

// What a device uploads goes with what it sends, so that the next pictures find room; it can be named,
// left out, and taken back by who uploaded it.
func TestUploadsAreSent(t *testing.T) {
	c := uploads(t)
	want := []string{c.put(1), c.put(2), c.put(3), c.put(4)}
	if o, err := c.post("fifth", "p5.png", "image/png", small(t, 20, 20)); err != nil || o.Error.Code != engine.ImageTooMany {
		t.Fatalf("a fifth: %+v %v", o, err)
	}
	if status, code := c.order("/api/messages", map[string]any{"id": "m1", "text": "all of them"}); status != http.StatusAccepted {
		t.Fatalf("sending: %d %s", status, code)
	}
	if got := c.with("all of them"); !slices.Equal(got, want) {
		t.Errorf("with it went %q, want %q", got, want)
	}
	terminal, err := c.s.session.Do(t.Context(), engine.Attach{Name: "t.png", Body: bytes.NewReader(small(t, 30, 30)), By: engine.Actor{Screen: "tui", Name: "test"}})
	if err != nil {
		t.Fatal(err)
	}
	a, b := c.put(6), c.put(7) // by then the mirror has heard of the terminal's
	for _, x := range []struct {
		id     string
		status int
		code   engine.Code
	}{
		{terminal.Attachment, http.StatusForbidden, engine.NotAllowed}, {"att_nothing", http.StatusNotFound, engine.RefNotFound},
		{want[0], http.StatusNotFound, engine.RefNotFound}, {a, http.StatusOK, ""},
	} {
		if status, code := c.order("/api/attachments/"+x.id+"/remove", map[string]any{"id": "r" + x.id}); status != x.status || code != x.code {
			t.Errorf("taking back %s: %d %s, want %d %s", x.id, status, code, x.status, x.code)
		}
	}
	for i, x := range []struct {
		named any
		want  []string
	}{{[]string{}, nil}, {[]string{terminal.Attachment}, []string{terminal.Attachment}}, {nil, []string{b}}} {
		text := fmt.Sprint("message ", i)
		body := map[string]any{"id": text, "text": text, "delivery": "followUp"}
		if x.named != nil {
			body["attachmentIds"] = x.named
		}
		if status, code := c.order("/api/messages", body); status != http.StatusAccepted {
			t.Errorf("%s: %d %s", text, status, code)
		}
		if got := c.with(text); strings.Join(got, " ") != strings.Join(x.want, " ") {
			t.Errorf("%s: with it went %q, want %q", text, got, x.want)
		}
	}
}
