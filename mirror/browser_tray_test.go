package mirror_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"

	"agentstudio/engine"
	"agentstudio/mirror"
)

// album takes any file for a picture and keeps nothing.
type album struct{ n atomic.Int32 }

func (a *album) Take(_ context.Context, u engine.Upload) (engine.Picture, error) {
	b, err := io.ReadAll(u.Body)
	return engine.Picture{Content: b, Attachment: engine.Attachment{Name: u.Name, MIME: "image/png", Bytes: int64(len(b)), Width: 8, Height: 8, Kind: "image"}}, err
}

func (a *album) Put(_ context.Context, p engine.Picture) (engine.Attachment, error) {
	p.ID = fmt.Sprint("att_", a.n.Add(1))
	return p.Attachment, nil
}

func (*album) Read(context.Context, engine.Attachment) ([]byte, error) { return []byte("x"), nil }

func (*album) Remove(context.Context, engine.Attachment) error { return nil }

func (*album) Sweep(context.Context, []engine.Attachment) ([]engine.Attachment, error) {
	return nil, nil
}

// seer is a model that takes pictures.
type seer struct{ *script }

func (s seer) Info() engine.ModelInfo {
	i := s.script.Info()
	i.Images = true
	return i
}

// tray shows what this device uploaded and what still waits, also after a reload. A picture of it can
// be taken back, goes with the operator's next message, and leaves the tray however it goes.
func (b *browser) tray(t *testing.T) {
	var s *stage
	s = b.servedWith(t, func(c *engine.Config) {
		c.Model = seer{&script{turns: []turn{say("seen")}}}
		c.Intake = func(engine.Env) engine.Intake { return &album{} }
	}, func(o *mirror.Options) {
		o.Intake = func(ctx context.Context, by engine.Actor, name, _ string, content io.Reader) (engine.Attachment, engine.Seq, error) {
			r, err := s.session.Do(ctx, engine.Attach{Name: name, Body: content, By: by})
			return engine.Attachment{ID: r.Attachment, Name: name, Width: 8, Height: 8, Kind: "image"}, r.Seq, err
		}
	})
	if _, err := s.session.Do(t.Context(), engine.Attach{Name: "terminal.png", Body: bytes.NewReader([]byte("x")), By: tester}); err != nil {
		t.Fatal(err)
	}
	p := b.tab(t, 390, 844)
	p.enter(s, mirror.Operator)
	up := func(name string, n int) {
		t.Helper()
		p.do(chromedp.SetUploadFiles(chromedp.ID("photo"), []string{photo(t, name, 8, 8)}))
		p.until(fmt.Sprintf("document.querySelectorAll('#tray li').length === %d && document.querySelector('#tray li:last-child').textContent.includes('Take back')", n))
	}
	up("a.png", 1)
	up("b.png", 2)
	p.do(chromedp.Reload())
	p.until("document.querySelectorAll('#tray li').length === 2")
	if got := p.js("document.getElementById('tray').textContent"); !strings.Contains(got, "a.png") || !strings.Contains(got, "b.png") || strings.Contains(got, "Dismiss") {
		t.Errorf("after a reload the tray has %q", got)
	}
	p.do(chromedp.Click(chromedp.CSS("#tray li button")))
	p.until("document.querySelectorAll('#tray li').length === 1")
	s.untilKind("attachment.removed")
	p.picture("tray-390")
	p.press("send") // no text is needed
	p.until("document.querySelectorAll('#tray li').length === 0")
	e := s.untilKind("user.message")
	if m := e.Payload.(engine.UserMessage); len(m.Attachments) != 1 || m.Attachments[0].Name != "b.png" || m.By.Name != "operator" {
		t.Errorf("sent was %+v", m)
	}
	s.untilKind("run.completed")
	up("c.png", 1)
	if _, err := s.session.Do(t.Context(), engine.Detach{Attachment: "att_4", By: tester}); err != nil {
		t.Fatal(err)
	}
	p.until("document.querySelectorAll('#tray li').length === 0")
}

// shut is a session that another process has.
type shut struct{ *engine.Session }

func (shut) ReadOnly() error {
	return engine.Errorf(engine.SessionLocked, "another process has the session")
}

func (s shut) Do(context.Context, engine.Command) (engine.Receipt, error) {
	return engine.Receipt{}, engine.Errorf(engine.SessionReadOnly, "this session is open for reading only")
}

// readOnly shows questions without buttons where nothing can be decided, and why.
func (b *browser) readOnly(t *testing.T) {
	s := b.served(t, nil, save("call_a", `{}`), say("done"))
	s.send("go")
	s.untilKind("approval.required")
	s.m.Show(shut{s.session})
	for _, r := range []mirror.Role{mirror.Approver, mirror.Operator} {
		p := b.tab(t, 390, 844)
		p.enter(s, r)
		p.untilText("card-more", "another process holds the session")
		p.untilText("banner-text", "another process holds the session")
		for _, id := range []string{"approve", "deny", "deny-send", "extend", "stop", "photo-box", "banner-go"} {
			if p.js(fmt.Sprintf("String(document.getElementById(%q).checkVisibility())", id)) != "false" {
				t.Errorf("%s sees %s", r, id)
			}
		}
		if p.js("String(document.getElementById('say').hidden)") != "true" {
			t.Errorf("%s may write", r)
		}
		p.picture("read-only-" + string(r) + "-390")
	}
	p := b.tab(t, 390, 844)
	p.enter(s, mirror.Operator)
	s.m.Show(s.session)
	p.until("document.getElementById('deny').checkVisibility() && !document.getElementById('say').hidden && document.getElementById('banner').hidden")
}
