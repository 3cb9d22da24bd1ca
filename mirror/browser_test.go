package mirror_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"agentstudio/engine"
	"agentstudio/mirror"
)

// TestPage walks through the page in a real browser. Its parts share one.
func TestPage(t *testing.T) {
	t.Parallel()
	b := startBrowser(t)
	walk(t, []part{
		{"class code", b.classCode}, {"approver code", b.approverCode}, {"wrong digits", b.wrongDigits},
		{"approve", b.approve}, {"deny with a reason", b.deny}, {"read to the end", b.readFirst}, {"fits", b.fits}, {"two questions", b.twoQuestions},
		{"race", b.race}, {"expiry", b.expiry}, {"stop", b.stop}, {"viewer", b.viewer}, {"operator", b.operator},
		{"hostile text", b.hostile}, {"injected script", b.injected}, {"markdown", b.markdown}, {"hash", b.hash}, {"words", b.chinese},
		{"cut", b.cut}, {"sleep", b.sleep}, {"no socket", b.noSocket}, {"revoked", b.revoked}, {"leave", b.leave},
		{"switched off", b.switchedOff}, {"switched off later", b.switchedOffLater},
		{"upload", b.upload}, {"tray", b.tray}, {"read only", b.readOnly}, {"too large", b.tooLarge}, {"other ways of uploading", b.otherWays}, {"without APIs", b.bare}, {"signals", b.signals},
		{"presence", b.presence}, {"long history", b.long}, {"newest first", b.newestFirst}, {"hash waits", b.hashWaits},
		{"low window", b.lowWindow}, {"newer token", b.newerToken}, {"lost post", b.lostPost},
	})
}

// TestPageLooks goes through the page's states, in a browser of its own beside TestPage.
func TestPageLooks(t *testing.T) {
	t.Parallel()
	b := startBrowser(t)
	walk(t, []part{{"narrow", b.narrow}, {"accessible", b.accessible}, {"high contrast", b.contrasts}})
}

type part struct {
	name string
	walk func(*testing.T)
}

func walk(t *testing.T, parts []part) {
	t.Helper()
	for _, p := range parts {
		t.Run(p.name, p.walk)
	}
}

// A class code is typed; its letters may look like digits and be parted.
func (b *browser) classCode(t *testing.T) {
	s := b.served(t, nil)
	p := b.tab(t, 360, 740)
	p.do(chromedp.Navigate(s.base + "/"))
	p.until("!document.getElementById('door').hidden")
	p.js("document.getElementById('name').value = ''")
	code := s.m.ShowClassCode()
	p.do(chromedp.SendKeys(chromedp.ID("code"), strings.ToLower(code[:4]+"-"+code[4:])),
		chromedp.SendKeys(chromedp.ID("name"), "Ada <b>"))
	p.do(chromedp.Click(chromedp.CSS("#door-form button")))
	p.untilText("link", "live")
	p.untilText("who", "Ada <b> · viewer")
	if len(s.m.State().Devices) != len(mirror.Roles())+1 {
		t.Errorf("the mirror has %+v", s.m.State().Devices)
	}
	p.do(chromedp.Reload()) // the token is kept
	p.untilText("link", "live")
	p.untilText("who", "Ada <b> · viewer")
}

// An approver's code comes in the address, which loses it at once; the digits are typed at the terminal.
func (b *browser) approverCode(t *testing.T) {
	s := b.served(t, nil)
	p := b.tab(t, 390, 844)
	code, _, err := s.m.ShowApproverCode()
	if err != nil {
		t.Fatal(err)
	}
	p.do(chromedp.Navigate(mirror.Link(s.base, code)))
	p.until("!document.getElementById('door').hidden && document.getElementById('code').value === '" + code + "'")
	if got := p.js("location.href"); got != s.base+"/" {
		t.Errorf("the address is %s", got)
	}
	p.do(chromedp.Click(chromedp.CSS("#door-form button")))
	p.until("/^[0-9]{4}$/.test(document.getElementById('digits').textContent)")
	p.picture("digits-390")
	if err := s.m.Confirm(p.js("document.getElementById('digits').textContent")); err != nil {
		t.Fatal(err)
	}
	p.untilText("who", "approver")
	p.untilText("link", "live")
}

func (b *browser) wrongDigits(t *testing.T) {
	s := b.served(t, nil)
	p := b.tab(t, 390, 844)
	code, _, err := s.m.ShowApproverCode()
	if err != nil {
		t.Fatal(err)
	}
	p.do(chromedp.Navigate(mirror.Link(s.base, code)))
	p.until("!document.getElementById('door').hidden")
	p.do(chromedp.Click(chromedp.CSS("#door-form button")))
	p.until("document.getElementById('digits').textContent")
	if err := s.m.Confirm("no"); engine.CodeOf(err) != engine.PairingRefused {
		t.Fatalf("the digits got %v", err)
	}
	p.untilText("door-error", "other digits were typed at the terminal")
	p.until("!document.getElementById('door-form').hidden && document.getElementById('room').hidden")
	p.do(chromedp.Click(chromedp.CSS("#door-form button")))
	p.untilText("door-error", "the code has been used already")
}

func (b *browser) viewer(t *testing.T) {
	s := b.served(t, func(o *mirror.Options) { o.Share = mirror.ShareNames }, save("c1", `{"path":"report.md"}`), say("done"))
	p := b.tab(t, 390, 844)
	p.enter(s, mirror.Viewer)
	s.send("go")
	s.untilKind("approval.required")
	p.untilText("phase", "waiting for an approver")
	p.untilText("card-more", "Only an approver")
	if got := p.js("['card-buttons','stop','photo-box','say'].map(id => document.getElementById(id).checkVisibility())"); got != "false,false,false,false" {
		t.Errorf("a viewer has buttons: %s", got)
	}
	if text := p.js("document.body.textContent"); strings.Contains(text, "secret") || strings.Contains(text, "report.md\"") {
		t.Errorf("a viewer sees what is not shared:\n%s", text)
	}
	p.picture("viewer-390")
}

func (b *browser) operator(t *testing.T) {
	s := b.served(t, nil, say("hello"))
	p := b.tab(t, 768, 1024)
	p.enter(s, mirror.Operator)
	p.untilText("phase", "waiting for a message")
	p.do(chromedp.SendKeys(chromedp.ID("message"), "你好 there"))
	p.press("send")
	e := s.untilKind("user.message").Payload.(engine.UserMessage)
	if e.Text != "你好 there" || e.By.Name != "operator" {
		t.Errorf("the log has %+v", e)
	}
	p.until("document.getElementById('message').value === '' && document.querySelector('#chat .agent:not([hidden]) .body')?.textContent === 'hello'")
	p.until("document.getElementById('live').textContent === 'Agent: hello'")
}
