package mirror_test

import (
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"

	"agentstudio/engine"
	"agentstudio/mirror"
)

// TestPage walks through the page in a real browser.
func TestPage(t *testing.T) {
	b := startBrowser(t)
	t.Run("follow", func(t *testing.T) { b.follow(t) })
}

// note keeps what the page asks for and what goes wrong in it.
func (p *tab) note(ev any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch ev := ev.(type) {
	case *network.EventRequestWillBeSent:
		p.requests = append(p.requests, ev.Request.URL)
	case *runtime.EventExceptionThrown:
		p.faults = append(p.faults, ev.ExceptionDetails.Text)
	}
}

func (b *browser) follow(t *testing.T) {
	s := b.served(t, nil, save("c1", `{"path":"report.md","days":7}`), say("It is **done**.\n\n| a | b |\n|---|--:|\n| x | 1 |\n\n1. one\n2. two"))
	s.tool.preview = "# Report\n\nshort"
	p := b.tab(t, 390, 844)
	p.enter(s, mirror.Approver)
	s.send("please report on demo-account")
	s.untilKind("approval.required")
	p.untilText("phase", "waiting for you")
	p.picture("follow-waiting")
	p.press("approve")
	e := s.untilKind("approval.resolved")
	if r := e.Payload.(engine.ApprovalResolved); r.Status != engine.Approved || r.By.Name != "approver" || r.By.Screen != "mirror" {
		t.Errorf("the log has %+v", r)
	}
	s.untilKind("run.completed")
	p.untilText("receipt", "approved")
	p.until("document.querySelector('#chat .agent strong')?.textContent === 'done'")
	p.picture("follow-done")
}
