package mirror_test

import (
	"testing"

	"agentstudio/engine"
	"agentstudio/mirror"
)

// lowWindow: on a phone that lies on its side the text may begin below the window. It is read when its
// end has been inside.
func (b *browser) lowWindow(t *testing.T) {
	s := b.served(t, nil, save("c1", reading), say("done"))
	p := b.tab(t, 640, 300)
	p.enter(s, mirror.Approver)
	s.send("please report")
	p.until("!document.getElementById('deny').disabled")
	p.picture("low-640x300")
	if got := p.js("[document.getElementById('card-box').getBoundingClientRect().bottom > innerHeight, document.getElementById('approve').disabled, document.getElementById('card-more').textContent.includes('more line')]"); got != "true,true,true" {
		t.Errorf("before its end was seen: %s", got)
	}
	p.js("document.getElementById('card-box').scrollIntoView({ block: 'end' })")
	p.until("!document.getElementById('approve').disabled")
	p.js("document.getElementById('approve').scrollIntoView({ block: 'end' })")
	p.until("document.getElementById('approve').disabled") // it has moved
	p.press("approve")
	if got := s.untilKind("approval.resolved").Payload.(engine.ApprovalResolved); got.Status != engine.Approved {
		t.Errorf("the log has %+v", got)
	}
}

// newerToken: a tab whose device was let out leaves alone the token that another tab has got since, and
// goes on with it.
func (b *browser) newerToken(t *testing.T) {
	s := b.served(t, nil)
	p := b.tab(t, 390, 844)
	p.enter(s, mirror.Approver)
	p.js(`localStorage.setItem('agentstudio.token', '{"token":"` + s.tokens[mirror.Operator] + `"}')`)
	for _, d := range s.m.State().Devices {
		if d.Role == mirror.Approver {
			if err := s.m.Revoke(d.ID); err != nil {
				t.Fatal(err)
			}
		}
	}
	p.untilText("who", "operator · operator")
	p.untilText("link", "live")
	p.until("document.getElementById('door').hidden && JSON.parse(localStorage.getItem('agentstudio.token')).token === '" + s.tokens[mirror.Operator] + "'")
}

// lostPost: without a socket, a decision whose request is lost is sent again, and counts once.
func (b *browser) lostPost(t *testing.T) {
	s := b.served(t, nil, save("c1", reading), say("done"))
	b.wire.set(func() { b.wire.sockets = false })
	p := b.tab(t, 390, 844)
	p.enter(s, mirror.Approver)
	p.js(`(real => { window.fetch = (url, o) => !window.lost && /approvals/.test(url) ? (window.lost = true, Promise.reject(new TypeError("lost"))) : real(url, o); })(window.fetch)`)
	s.send("please report")
	p.approve()
	if got := s.untilKind("approval.resolved").Payload.(engine.ApprovalResolved); got.Status != engine.Approved || p.js("window.lost") != "true" {
		t.Errorf("the log has %+v", got)
	}
	p.untilText("receipt-text", "approved by approver")
	if n := s.tool.ran.Load(); n != 1 {
		t.Errorf("the tool ran %d times", n)
	}
}
