package mirror_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"agentstudio/engine"
	"agentstudio/mirror"
)

// once tells that the chat has exactly the texts, in order.
func (p *tab) once(texts ...string) {
	p.t.Helper()
	p.until("[...document.querySelectorAll('#chat li:not([hidden]) .body')].map(e => e.textContent).join('|') === '" + strings.Join(texts, "|") + "'")
}

// cut: the connection breaks while things happen; nothing is lost and nothing doubled.
func (b *browser) cut(t *testing.T) {
	s := b.served(t, nil, say("one"), say("two"), save("c1", reading), say("three"))
	p := b.tab(t, 390, 844)
	p.enter(s, mirror.Approver)
	s.send("a")
	p.once("a", "one")
	b.wire.set(func() { b.wire.refuse = true })
	b.wire.cut()
	p.untilText("link", "reconnecting since")
	s.send("b")
	s.until(func(e engine.Event) bool { return e.Kind() == "run.completed" && e.Seq > 15 })
	s.send("c")
	s.untilKind("approval.required")
	p.picture("reconnecting-390")
	b.wire.set(func() { b.wire.refuse = false })
	p.untilText("link", "live")
	p.once("a", "one", "b", "two", "c")
	p.until("document.querySelectorAll('#card:not([hidden])').length === 1")
	// A decision whose answer is lost on the way is sent again with its id, and counts once.
	p.until("!document.getElementById('approve').disabled")
	b.wire.set(func() { b.wire.stalled = true })
	p.approve()
	b.wire.cut()
	b.wire.set(func() { b.wire.stalled = false })
	s.untilKind("tool.completed")
	p.once("a", "one", "b", "two", "c", "three")
	if n := s.tool.ran.Load(); n != 1 {
		t.Errorf("the tool ran %d times", n)
	}
}

// sleep: the connection is dead and nobody says so. The page notices when it is looked at again.
func (b *browser) sleep(t *testing.T) {
	s := b.served(t, nil, save("c1", reading), say("done"))
	p := b.tab(t, 390, 844)
	p.enter(s, mirror.Approver)
	s.send("a")
	p.until("!document.getElementById('approve').disabled")
	b.wire.set(func() { b.wire.stalled = true })
	p.js("dispatchEvent(new Event('online'))")
	p.until("document.getElementById('approve').disabled && document.getElementById('stop').disabled")
	p.untilText("link", "checking the connection")
	p.untilText("link", "reconnecting since") // after two seconds without a pong
	p.untilText("card-more", "Off until the connection is live")
	b.wire.set(func() { b.wire.stalled = false })
	p.untilText("link", "live")
	p.approve()
	s.untilKind("run.completed")
	p.once("a", "done")
}

// noSocket: WebSockets do not open here; the page follows by a streamed answer and decides by POST.
func (b *browser) noSocket(t *testing.T) {
	s := b.served(t, nil, save("c1", reading), say("done"))
	b.wire.set(func() { b.wire.sockets = false })
	p := b.tab(t, 390, 844)
	p.enter(s, mirror.Approver)
	s.send("a")
	p.approve()
	if got := s.untilKind("approval.resolved").Payload.(engine.ApprovalResolved); got.By.Name != "approver" {
		t.Errorf("the log has %+v", got)
	}
	p.untilText("receipt-text", "approved by approver")
	p.once("a", "done")
	p.same()
	p.js("dispatchEvent(new Event('online'))")
	p.untilText("link", "live")
	for _, d := range s.m.State().Devices {
		if d.Role == mirror.Approver {
			if err := s.m.Revoke(d.ID); err != nil {
				t.Fatal(err)
			}
		}
	}
	p.untilText("door-why", "This device was let out")
}

func (b *browser) revoked(t *testing.T) {
	s := b.served(t, nil, save("c1", reading))
	p := b.tab(t, 390, 844)
	p.enter(s, mirror.Approver)
	s.send("a")
	p.until("!document.getElementById('card').hidden")
	p.untilText("live", "Waiting for you")
	for _, d := range s.m.State().Devices {
		if d.Role == mirror.Approver {
			if err := s.m.Revoke(d.ID); err != nil {
				t.Fatal(err)
			}
		}
	}
	p.untilText("door-why", "This device was let out")
	p.untilText("link", "let out")
	if got := p.js("[localStorage.getItem('agentstudio.token'), document.getElementById('room').hidden, document.getElementById('chat').childElementCount, document.getElementById('live').textContent]"); got != ",true,0," {
		t.Errorf("after it was revoked the page has %s", got)
	}
	p.do(chromedp.Reload())
	p.until("!document.getElementById('door').hidden")
}

func (b *browser) leave(t *testing.T) {
	s := b.served(t, nil)
	p := b.tab(t, 390, 844)
	p.enter(s, mirror.Viewer)
	p.press("leave")
	p.untilText("leave", "Press again to leave")
	p.press("leave")
	p.untilText("door-why", "You have left")
	for _, d := range s.m.State().Devices {
		if d.Role == mirror.Viewer {
			t.Errorf("the device is still let in: %+v", d)
		}
	}
}

func (b *browser) switchedOff(t *testing.T) {
	s := b.served(t, nil, say("last words"))
	p := b.tab(t, 390, 844)
	p.enter(s, mirror.Viewer)
	s.send("a")
	p.once("a", "last words")
	if err := s.m.Close(); err != nil {
		t.Fatal(err)
	}
	p.untilText("link", "the mirror is off")
	p.untilText("banner-text", "What you see is the last of it")
	p.once("a", "last words")
	p.picture("off-390")
	// Somebody looks at the phone again: it is tried, and it is still off.
	p.js("(window.tries = 0, window.WebSocket = class extends WebSocket { constructor(...a) { super(...a); window.tries++; } })")
	p.js("dispatchEvent(new Event('online'))")
	p.until("window.tries === 1")
	p.untilText("link", "the mirror is off")
	p.press("banner-go")
	p.until("window.tries === 2")
	p.untilText("link", "the mirror is off")
	p.once("a", "last words")
}

// switchedOffLater: it is switched off after the page had come back from a cut.
func (b *browser) switchedOffLater(t *testing.T) {
	s := b.served(t, nil, say("last words"))
	p := b.tab(t, 390, 844)
	p.enter(s, mirror.Viewer)
	for range 3 {
		b.wire.cut()
		p.untilText("link", "reconnecting since")
		p.untilText("link", "live")
	}
	s.send("a")
	p.once("a", "last words")
	if err := s.m.Close(); err != nil {
		t.Fatal(err)
	}
	p.untilText("link", "the mirror is off")
}
