package mirror_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	browserpage "agentstudio/engine/page"
	"agentstudio/mirror"
)

// browser is a Chromium for which every address of the name localhost goes through a wire that tests
// cut and stall.
type browser struct {
	ctx  context.Context
	wire *wire
}

// startBrowser starts one. Where there is none, tests of the page are skipped, but never with CI=true.
func startBrowser(t *testing.T) *browser {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			path = p
			break
		}
	}
	if path == "" {
		if os.Getenv("CI") == "true" {
			t.Fatal("no Chromium; with CI=true the page must be tried in one")
		}
		t.Skip("the page in a browser: there is no Chromium here")
	}
	w := newWire(t)
	home := t.TempDir()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.UserDataDir(filepath.Join(home, "profile")), chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("no-proxy-server", true), chromedp.Flag("host-resolver-rules", "MAP localhost "+w.addr()),
		chromedp.Flag("enable-features", "NetworkService,NetworkServiceInProcess"), chromedp.Env("HOME="+home))
	alloc, stop := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancel := chromedp.NewContext(alloc)
	t.Cleanup(func() {
		_ = chromedp.Cancel(ctx)
		cancel()
		stop()
		chromedp.FromContext(ctx).Allocator.Wait()
	})
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("Chromium does not start: %v", err)
	}
	return &browser{ctx, w}
}

// tab is a page of its own, with nothing of other tabs.
type tab struct {
	t   testing.TB
	ctx context.Context

	mu       sync.Mutex
	requests []string // addresses that were asked for
	faults   []string // what went wrong in the page
}

// tab opens an empty one of a size.
func (b *browser) tab(t testing.TB, width, height int64) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(b.ctx, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	p := &tab{t: t, ctx: ctx}
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	if err := chromedp.Listen(ctx, p.note); err != nil {
		t.Fatal(err)
	}
	p.do(chromedp.EmulateViewport(width, height))
	return p
}

// note keeps what the page asks for and what goes wrong in it.
func (p *tab) note(ev any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch ev := ev.(type) {
	case *network.EventRequestWillBeSent:
		p.requests = append(p.requests, ev.Request.URL)
	case *network.EventWebSocketCreated:
		p.requests = append(p.requests, ev.URL)
	case *runtime.EventExceptionThrown:
		p.faults = append(p.faults, fmt.Sprint(ev.ExceptionDetails.Text, " ", ev.ExceptionDetails.Exception.Description))
	}
}

// do runs steps within half a minute.
func (p *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, 30*time.Second)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		p.t.Fatalf("%v\n%s", err, p.seen())
	}
}

// js is the value of an expression, as text.
func (p *tab) js(expression string) string {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, 30*time.Second)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[string]("(async () => String(await ("+expression+")))()", chromedp.EvalAwaitPromise))
	if err != nil {
		p.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// until waits in the page for an expression to hold.
func (p *tab) until(expression string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, 30*time.Second)
	defer cancel()
	wait := "new Promise((done) => { const look = () => (" + expression + ") ? done(true) : setTimeout(look, 15); look(); })"
	for {
		_, err := chromedp.Run(ctx, chromedp.Evaluate[bool](wait, chromedp.EvalAwaitPromise))
		if err == nil {
			return
		}
		if ctx.Err() != nil {
			p.t.Fatalf("never came: %s\n%s", expression, p.seen())
		}
	}
}

// untilText waits for an element's text to hold another.
func (p *tab) untilText(id, text string) {
	p.t.Helper()
	p.until(fmt.Sprintf("document.getElementById(%q)?.textContent.includes(%q)", id, text))
}

// press clicks with the mouse, as soon as the button is on.
func (p *tab) press(id string) {
	p.t.Helper()
	p.until(fmt.Sprintf("(b => b && !b.disabled && b.checkVisibility())(document.getElementById(%q))", id))
	p.do(chromedp.Click(chromedp.ID(id), chromedp.NodeVisible))
}

// approve reads the open question to its end and approves it.
func (p *tab) approve() {
	p.t.Helper()
	p.until("(b => b.checkVisibility() && (b.scrollTop = b.parentNode.scrollTop = 1e6))(document.getElementById('card-box'))")
	p.press("approve")
}

// seen is what stands on the page, for failures.
func (p *tab) seen() string {
	ctx, cancel := context.WithTimeout(p.ctx, 5*time.Second)
	defer cancel()
	text, err := chromedp.Run(ctx, chromedp.Evaluate[string]("location.href + '\\n' + document.body.innerText"))
	if err != nil {
		return "(the page does not answer: " + err.Error() + ")"
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return text + "\nfaults: " + strings.Join(p.faults, "\n")
}

// media has the page see a colour scheme.
func (p *tab) media(scheme string) {
	p.t.Helper()
	p.do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
		return err
	}))
}

// picture saves what is seen where AGENTSTUDIO_PICTURES names a folder.
func (p *tab) picture(name string) {
	p.t.Helper()
	dir := os.Getenv("AGENTSTUDIO_PICTURES")
	if dir == "" {
		return
	}
	png, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name+".png"), png, 0o600)
	}
	if err != nil {
		p.t.Fatal(err)
	}
}

// served is a stage with the page, at its address through the wire.
func (b *browser) served(t testing.TB, more func(*mirror.Options), turns ...turn) *stage {
	t.Helper()
	s := open(t, func(o *mirror.Options) {
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
