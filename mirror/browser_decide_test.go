package mirror_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"agentstudio/engine"
	"agentstudio/mirror"
)

const reading = `{"path":"report.md","days":7}`

// approve decides from a window of a phone's size, and the log has it.
func (b *browser) approve(t *testing.T) {
	s := b.served(t, nil, save("c1", reading), say("It is **done**."))
	p := b.tab(t, 390, 844)
	p.enter(s, mirror.Approver)
	s.send("please report")
	asked := s.untilKind("approval.required").Payload.(engine.ApprovalRequired)
	p.untilText("phase", "waiting for you")
	p.until("document.title.startsWith('▲ waiting for you')")
	p.untilText("card-digest", asked.Digest[:8])
	p.untilText("live", "Waiting for you: save asks.")
	for _, want := range []string{"# secret preview", `"days": 7`} {
		p.untilText("card-box", want)
	}
	// Over plain http from elsewhere it is held; the page says so from the press on.
	p.js(`Object.defineProperty(window, 'isSecureContext', { value: false }) &&
		new MutationObserver(() => { window.held3 ||= document.getElementById('card-more').textContent.includes('Held at the terminal for 3 s'); })
			.observe(document.getElementById('card-more'), { childList: true, characterData: true, subtree: true })`)
	p.approve()
	p.until("window.held3")
	resolved := s.untilKind("approval.resolved")
	got := resolved.Payload.(engine.ApprovalResolved)
	if got.Status != engine.Approved || got.By.Name != "approver" || got.By.Screen != "mirror" {
		t.Errorf("the log has %+v", got)
	}
	s.untilKind("run.completed")
	p.untilText("receipt-text", "approved by approver · from the mirror")
	p.untilText("receipt-text", "digest "+asked.Digest[:8])
	p.untilText("receipt-end", "save · done")
	p.until("document.querySelector('#chat .agent:not([hidden]) strong')?.textContent === 'done' && document.getElementById('card').hidden")
	if n := s.tool.ran.Load(); n != 1 {
		t.Errorf("the tool ran %d times", n)
	}
	// Who comes back later is told the same.
	receipt := "document.querySelector('#chat .tool .receipt').textContent"
	live := p.js(receipt)
	if docked := p.js("document.getElementById('receipt-text').textContent"); live != docked || !strings.Contains(live, p.js("new Date('"+resolved.At.Format(time.RFC3339Nano)+"').toTimeString().slice(0, 8)")) {
		t.Errorf("the row says %q, the receipt %q", live, docked)
	}
	p.do(chromedp.Reload())
	p.untilText("link", "live")
	p.until(receipt + " !== ''")
	if again := p.js(receipt); again != live {
		t.Errorf("after a reload the row says %q, before it %q", again, live)
	}
}

func (b *browser) deny(t *testing.T) {
	s := b.served(t, nil, save("c1", reading), say("then not"))
	p := b.tab(t, 360, 740)
	p.enter(s, mirror.Approver)
	s.send("please report")
	p.press("deny")
	p.do(chromedp.SendKeys(chromedp.ID("reason"), "not <today>"))
	p.press("deny-send")
	got := s.untilKind("approval.resolved").Payload.(engine.ApprovalResolved)
	if got.Status != engine.Denied || got.Reason != "not <today>" || got.By.Name != "approver" {
		t.Errorf("the log has %+v", got)
	}
	p.untilText("receipt-text", "denied by approver")
	p.untilText("receipt-text", "not <today>")
	if n := s.tool.ran.Load(); n != 0 {
		t.Errorf("the tool ran %d times", n)
	}
}

// readFirst has Approve off until the text was opened to its end, and for 700 ms after the card came.
func (b *browser) readFirst(t *testing.T) {
	s := b.served(t, nil, save("c1", reading))
	s.tool.preview = strings.Repeat("a line of the report\n", 120)
	p := b.tab(t, 360, 740)
	p.enter(s, mirror.Approver)
	p.js(`(() => {
		window.first = 0; window.on = 0;
		const look = () => {
			const card = document.getElementById('card'), deny = document.getElementById('deny');
			if (!card.hidden && !window.first) window.first = performance.now();
			if (!card.hidden && !deny.disabled && !window.on) window.on = performance.now();
			else requestAnimationFrame(look);
		};
		look();
	})()`)
	s.send("please report")
	p.untilText("card-more", "more lines — read to the end to approve")
	p.until("!document.getElementById('deny').disabled && window.on > 0")
	if got := p.js("window.on - window.first >= 680"); got != "true" {
		t.Errorf("the buttons were on after %s ms", p.js("window.on - window.first"))
	}
	if got := p.js("document.getElementById('approve').disabled"); got != "true" {
		t.Error("Approve is on before the text was read")
	}
	p.js("document.getElementById('approve').click()")
	p.picture("unread-360")
	p.js("document.getElementById('card-box').scrollTop = 1e6")
	p.until("!document.getElementById('approve').disabled")
	p.untilText("card-more", "Read to the end")
	// What moves it puts it off again.
	p.js("document.getElementById('foot').style.paddingBottom = '24px'")
	p.until("document.getElementById('approve').disabled")
	p.until("!document.getElementById('approve').disabled")
	p.approve()
	if got := s.untilKind("approval.resolved").Payload.(engine.ApprovalResolved); got.Status != engine.Approved {
		t.Errorf("the log has %+v", got)
	}
}

// fits: on a phone the whole card is seen without scrolling it, buttons and digest too, though a receipt
// and uploads are there as well; these come back after it.
func (b *browser) fits(t *testing.T) {
	s := b.served(t, (&desk{most: 100}).options, save("c1", reading), save("c2", `{"path":"other.md"}`), say("done"))
	s.tool.preview = strings.Repeat("a line of the report\n", 120)
	p := b.tab(t, 320, 640)
	p.enter(s, mirror.Approver)
	p.do(chromedp.SetUploadFiles(chromedp.ID("photo"), []string{photo(t, "one.png", 64, 48), photo(t, "two.png", 64, 48)}))
	p.until("document.querySelectorAll('#tray img').length === 2")
	s.send("please report")
	p.approve()
	p.until("!document.getElementById('receipt').hidden && document.getElementById('card-arguments').textContent.includes('other.md')")
	p.picture("fits-320")
	if got := p.js("getComputedStyle(document.getElementById('photo-box')).display"); got != "none" {
		t.Errorf("a photo could be sent whose fate would not be seen: %s", got)
	}
	for _, height := range []int64{640, 740} {
		p.do(chromedp.EmulateViewport(320+40*(height-640)/100, height))
		p.until("(c => c.scrollHeight <= c.clientHeight && document.getElementById('card-digest').getBoundingClientRect().bottom < c.getBoundingClientRect().bottom && c.getBoundingClientRect().bottom <= document.getElementById('foot').getBoundingClientRect().top)(document.getElementById('card'))")
		p.until("document.getElementById('card-box').clientHeight >= 150")
	}
	p.approve()
	p.untilText("receipt-end", "save · done")
	p.until("document.getElementById('receipt').checkVisibility() && document.getElementById('tray').checkVisibility() && document.getElementById('photo-box').checkVisibility()")
}

// twoQuestions: what takes the place of a decided question has to be waited for and read for itself.
func (b *browser) twoQuestions(t *testing.T) {
	both := func(_ context.Context, yield func(engine.Chunk) bool) error {
		_ = yield(engine.ToolCall{ID: "c1", Tool: "save", Args: []byte(`{"n":1}`)}) && yield(engine.ToolCall{ID: "c2", Tool: "save", Args: []byte(`{"n":2}`)}) &&
			yield(engine.Stop{Reason: engine.StopToolUse})
		return nil
	}
	s := b.served(t, nil, both, say("done"))
	p := b.tab(t, 360, 640)
	p.enter(s, mirror.Approver)
	s.send("twice")
	p.untilText("card-arguments", `"n": 1`)
	p.approve()
	p.untilText("card-arguments", `"n": 2`)
	if got := p.js("document.getElementById('approve').disabled"); got != "true" {
		t.Error("the second question could be answered at once")
	}
	// Beside the receipt of the first there is little room; the buttons are in it, the end of the text is not.
	p.until("!document.getElementById('receipt').hidden && !document.getElementById('deny').disabled")
	for _, id := range []string{"deny", "approve"} {
		if got := p.js("(e => { const r = e.getBoundingClientRect(); return document.elementFromPoint(r.x + r.width / 2, r.bottom - 2) === e; })(document.getElementById('" + id + "'))"); got != "true" {
			t.Errorf("%s is out of reach", id)
		}
	}
	p.untilText("card-more", "more lines")
	p.approve()
	s.untilKind("run.completed")
	if n := s.tool.ran.Load(); n != 2 {
		t.Errorf("the tool ran %d times", n)
	}
}

// race: the terminal and the page decide at once; one wins, and the other is told who.
func (b *browser) race(t *testing.T) {
	s := b.served(t, nil, save("c1", reading), say("done"))
	p := b.tab(t, 390, 844)
	p.enter(s, mirror.Approver)
	s.send("race")
	asked := s.untilKind("approval.required").Payload.(engine.ApprovalRequired)
	p.until("(b => b.checkVisibility() && (b.scrollTop = 1e6))(document.getElementById('card-box')) && !document.getElementById('approve').disabled")
	b.wire.set(func() { b.wire.stalled = true }) // the press is under way while the terminal decides
	p.approve()
	p.untilText("approve", "Sending…")
	if _, err := s.session.Do(t.Context(), engine.Decide{Approval: asked.Approval, Digest: asked.Digest, Approve: false, By: tester}); err != nil {
		t.Fatal(err)
	}
	b.wire.set(func() { b.wire.stalled = false })
	p.untilText("receipt-text", "already denied by test · at the terminal")
	p.until("document.getElementById('card').hidden")
	if n := s.tool.ran.Load(); n != 0 {
		t.Errorf("the tool ran %d times", n)
	}
}

func (b *browser) expiry(t *testing.T) {
	s := b.served(t, nil, save("c1", reading), say("too late"))
	p := b.tab(t, 390, 844)
	p.enter(s, mirror.Approver)
	if _, err := s.session.Do(t.Context(), engine.Configure{ApprovalExpiry: 2 * time.Second, By: tester}); err != nil {
		t.Fatal(err)
	}
	s.send("wait")
	p.until("/^0:0[12]$/.test(document.getElementById('card-time').textContent)")
	p.untilText("receipt-text", "expired")
	p.until("document.getElementById('card').hidden")
}

// stop needs a second press.
func (b *browser) stop(t *testing.T) {
	s := b.served(t, nil, save("c1", reading))
	p := b.tab(t, 390, 844)
	p.enter(s, mirror.Approver)
	s.send("stop me")
	s.untilKind("approval.required")
	p.press("stop")
	p.untilText("stop", "Press again to stop")
	p.press("stop")
	e := s.untilKind("run.cancelled").Payload.(engine.RunCancelledEvent)
	if e.By.Name != "approver" {
		t.Errorf("the log has %+v", e)
	}
	p.untilText("phase", "cancelled")
	p.until("document.getElementById('card').hidden && document.getElementById('stop').hidden")
	p.untilText("chat", fmt.Sprint("The run was cancelled by ", e.By.Name))
}
