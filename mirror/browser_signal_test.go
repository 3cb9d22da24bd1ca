package mirror_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"agentstudio/engine"
	"agentstudio/mirror"
)

// labels are what the settings offer, with the words of each.
const labels = "[...document.querySelectorAll('#dialog-rows > label, #dialog-rows > p')].map(e => e.textContent).join('|')"

// bare is a browser without sound, vibration, notifications and wake lock: the settings say so, and a
// question comes as in any other.
func (b *browser) bare(t *testing.T) {
	s := b.served(t, nil, save("c1", reading), say("done"))
	p := b.tab(t, 390, 844)
	p.must(p.Inject("for (const name of ['AudioContext', 'webkitAudioContext', 'Notification']) delete window[name];" +
		"for (const name of ['wakeLock', 'vibrate']) delete Navigator.prototype[name];" +
		"localStorage.setItem('agentstudio.prefs', JSON.stringify({ sound: true, awake: true, notify: true }));"))
	p.enter(s, mirror.Approver)
	p.press("settings")
	if got, want := p.js(labels), "This browser has no sound and no vibration|This browser cannot keep the screen on|This browser has no notifications"; got != want {
		t.Errorf("the settings say %q, want %q", got, want)
	}
	p.do(chromedp.Click(chromedp.CSS("#dialog form > button.yes")))
	s.send("please report")
	p.untilText("phase", "waiting for you")
	p.untilText("live", "Waiting for you: save asks.")
	p.approve()
	p.untilText("receipt-text", "approved by approver")
	s.untilKind("run.completed")
	if faults := p.Faults(); len(faults) > 0 {
		t.Errorf("faults in the page: %q", faults)
	}
}

// signals: who has them on is told of a question by sound, vibration and, in the background, by a
// notification; who has not, by none of these.
func (b *browser) signals(t *testing.T) {
	s := b.served(t, nil, save("c1", reading), save("c2", `{"path":"other.md"}`), say("done"))
	p := b.tab(t, 1280, 800)
	p.must(p.Inject(`window.told = [];
		const media = matchMedia; // a browser without a window has no mouse either
		window.matchMedia = (q) => q === '(pointer: fine)' ? { matches: true } : media(q);
		window.Notification = class { static permission = 'default'; static async requestPermission() { return (this.permission = window.answer); } constructor(title, o) { told.push(title + ': ' + o.body); } };
		Navigator.prototype.vibrate = (how) => told.push('vibrates ' + how);
		const start = OscillatorNode.prototype.start;
		OscillatorNode.prototype.start = function (at) { told.push('sounds ' + this.frequency.value); return start.call(this, at); };`))
	p.enter(s, mirror.Approver)
	p.press("settings")
	if got := p.js(labels); got != "Sound and vibration for approvals|Keep the screen on|Notify me when this page is in the background" {
		t.Errorf("the settings say %q", got)
	}
	box := func(text string) string {
		return "[...document.querySelectorAll('#dialog-rows label')].find(e => e.textContent === '" + text + "').querySelector('input')"
	}
	const notify, sound = "Notify me when this page is in the background", "Sound and vibration for approvals"
	p.js("window.answer = 'denied', " + box(notify) + ".click()")
	p.until("!" + box(notify) + ".checked") // the browser said no, and the box says so
	s.send("please report")
	p.untilText("live", "Waiting for you")
	if got := p.js("told.join()"); got != "" {
		t.Errorf("with everything off: %s", got)
	}
	p.js("window.answer = 'granted', " + box(notify) + ".click()")
	p.until("Notification.permission === 'granted' && " + box(notify) + ".checked")
	p.js(box(sound) + ".click()")
	p.until("told.length === 2") // how it sounds
	p.do(chromedp.Click(chromedp.CSS("#dialog form > button.yes")))
	p.js("(told.length = 0, Object.defineProperty(document, 'hidden', { value: true, configurable: true }), 0)")
	asked := p.js("document.querySelector('#card-arguments').textContent")
	if _, err := s.session.Do(t.Context(), decideFirst(s)); err != nil {
		t.Fatal(err)
	}
	p.until("told.length === 4")
	if got := p.js("told.join()"); got != "sounds 660,sounds 880,vibrates 200,100,200,Agent Studio: Waiting for you: save asks. Writes report.md in this session. Nothing else changes." || !strings.Contains(asked, "report.md") {
		t.Errorf("with everything on: %s", got)
	}
}

// presence: who watches stands beside one's own name, viewers as a number, the others by name and role.
func (b *browser) presence(t *testing.T) {
	s := b.served(t, nil)
	p := b.tab(t, 390, 844)
	p.enter(s, mirror.Approver)
	p.until("document.getElementById('who').textContent === 'approver · approver'")
	v := b.tab(t, 390, 844)
	v.enter(s, mirror.Viewer)
	p.until("document.getElementById('who').textContent === 'approver · approver — 1 viewer'")
	v.until("document.getElementById('who').textContent === 'viewer · viewer — 1 viewer · approver (approver)'")
	o := b.tab(t, 390, 844)
	o.enter(s, mirror.Operator)
	p.until("document.getElementById('who').textContent === 'approver · approver — 1 viewer · operator (operator)'")
	v.Close()
	p.until("document.getElementById('who').textContent === 'approver · approver — operator (operator)'")
}

// decideFirst denies the first question of the session.
func decideFirst(s *stage) engine.Decide {
	asked := s.untilKind("approval.required").Payload.(engine.ApprovalRequired)
	return engine.Decide{Approval: asked.Approval, Digest: asked.Digest, Approve: false, By: tester}
}
