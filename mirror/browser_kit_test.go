package mirror_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"

	"agentstudio/engine"
	browserpage "agentstudio/engine/page"
	"agentstudio/mirror"
	"agentstudio/mirror/chromium"
)

// browser is a Chromium for which every address of the name localhost goes through a wire that tests
// cut and stall.
type browser struct {
	*chromium.Browser
	wire *wire
}

// startBrowser starts one. Where there is none, tests of the page are skipped, but never with CI=true.
func startBrowser(t *testing.T) *browser {
	t.Helper()
	path, found := chromium.Find()
	if !found {
		if os.Getenv("CI") == "true" {
			t.Fatal("no Chromium; with CI=true the page must be tried in one")
		}
		t.Skip("the page in a browser: there is no Chromium here")
	}
	w := newWire(t)
	b, err := chromium.Start(path, w.addr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return &browser{b, w}
}

// tab is a page of its own whose failures are those of a test.
type tab struct {
	t testing.TB
	*chromium.Tab
}

// tab opens an empty one of a size.
func (b *browser) tab(t testing.TB, width, height int64) *tab {
	t.Helper()
	p, err := b.Open(width, height)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return &tab{t, p}
}

func (p *tab) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

// do runs steps within half a minute.
func (p *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	p.must(p.Do(steps...))
}

// js is the value of an expression, as text.
func (p *tab) js(expression string) string {
	p.t.Helper()
	v, err := p.JS(expression)
	p.must(err)
	return v
}

// until waits in the page for an expression to hold.
func (p *tab) until(expression string) {
	p.t.Helper()
	p.must(p.Until(expression))
}

// untilText waits for an element's text to hold another.
func (p *tab) untilText(id, text string) {
	p.t.Helper()
	p.must(p.UntilText(id, text))
}

// press clicks with the mouse, as soon as the button is on.
func (p *tab) press(id string) {
	p.t.Helper()
	p.must(p.UntilOn(id))
	p.do(chromedp.Click(chromedp.ID(id), chromedp.NodeVisible))
}

// approve reads the open question to its end and approves it.
func (p *tab) approve() {
	p.t.Helper()
	p.until("(b => b.checkVisibility() && (b.scrollTop = b.parentNode.scrollTop = 1e6))(document.getElementById('card-box'))")
	p.press("approve")
}

// media has the page see a colour scheme.
func (p *tab) media(scheme string) {
	p.t.Helper()
	p.must(p.Media("prefers-color-scheme", scheme))
}

// picture saves what is seen where AGENTSTUDIO_PICTURES names a folder.
func (p *tab) picture(name string) {
	p.t.Helper()
	dir := os.Getenv("AGENTSTUDIO_PICTURES")
	if dir == "" {
		return
	}
	png, err := p.Picture()
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name+".png"), png, 0o600)
	}
	p.must(err)
}

// served is a stage with the page, at its address through the wire.
func (b *browser) served(t testing.TB, more func(*mirror.Options), turns ...turn) *stage {
	t.Helper()
	return b.servedWith(t, func(*engine.Config) {}, more, turns...)
}

// servedWith is served with something else about the engine.
func (b *browser) servedWith(t testing.TB, change func(*engine.Config), more func(*mirror.Options), turns ...turn) *stage {
	t.Helper()
	s := openWith(t, change, func(o *mirror.Options) {
		o.Page = browserpage.Files()
		if more != nil {
			more(o)
		}
	}, turns...)
	u, err := url.Parse(s.base)
	if err != nil {
		t.Fatal(err)
	}
	b.wire.to(u.Host)
	s.base = "http://localhost:" + u.Port()
	return s
}

// enter opens the page as a device of a role that was let in before.
func (p *tab) enter(s *stage, role mirror.Role) {
	p.t.Helper()
	p.do(chromedp.Navigate(s.base + "/favicon.svg"))
	kept, err := json.Marshal(map[string]string{"token": s.tokens[role], "server": ""})
	if err != nil {
		p.t.Fatal(err)
	}
	p.js(fmt.Sprintf("localStorage.setItem('agentstudio.token', %q)", kept))
	p.do(chromedp.Navigate(s.base + "/"))
	p.untilText("link", "live")
}

// wire forwards connections, until it is told otherwise.
type wire struct {
	listener net.Listener
	work     sync.WaitGroup

	mu      sync.Mutex
	target  string
	conns   map[net.Conn]bool
	refuse  bool
	stalled bool
	sockets bool // WebSockets pass
	waiting *sync.Cond
}

func newWire(t testing.TB) *wire {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{listener: l, conns: map[net.Conn]bool{}, sockets: true}
	w.waiting = sync.NewCond(&w.mu)
	w.work.Go(w.accept)
	t.Cleanup(func() {
		_ = l.Close()
		w.set(func() { w.stalled = false })
		w.cut()
		w.work.Wait()
	})
	return w
}

func (w *wire) addr() string { return w.listener.Addr().String() }

func (w *wire) set(how func()) {
	w.mu.Lock()
	how()
	w.mu.Unlock()
	w.waiting.Broadcast()
}

// to forwards to an address from now on, with nothing in the way.
func (w *wire) to(addr string) {
	w.cut()
	w.set(func() { w.target, w.refuse, w.stalled, w.sockets = addr, false, false, true })
}

// cut ends every connection.
func (w *wire) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for c := range w.conns {
		_ = c.Close()
	}
}

func (w *wire) accept() {
	for {
		c, err := w.listener.Accept()
		if err != nil {
			return
		}
		w.work.Go(func() { w.carry(c) })
	}
}

func (w *wire) carry(c net.Conn) {
	defer func() { _ = c.Close() }()
	w.mu.Lock()
	target, refuse := w.target, w.refuse
	w.mu.Unlock()
	if refuse || target == "" {
		return
	}
	far, err := net.Dial("tcp", target)
	if err != nil {
		return
	}
	defer func() { _ = far.Close() }()
	w.set(func() { w.conns[c], w.conns[far] = true, true })
	defer w.set(func() { delete(w.conns, c); delete(w.conns, far) })
	var both sync.WaitGroup
	both.Go(func() { w.copy(far, c) })
	both.Go(func() { w.copy(c, far) })
	both.Wait()
}

// copy forwards one direction while nothing is stalled.
func (w *wire) copy(to, from net.Conn) {
	defer func() { _ = to.Close() }()
	b := make([]byte, 32<<10)
	for {
		n, err := from.Read(b)
		w.mu.Lock()
		for w.stalled {
			w.waiting.Wait()
		}
		blocked := !w.sockets && bytes.Contains(bytes.ToLower(b[:n]), []byte("upgrade: websocket"))
		w.mu.Unlock()
		if blocked {
			return
		}
		if n > 0 {
			if _, err := to.Write(b[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}
