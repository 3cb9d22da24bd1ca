package mirror_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"agentstudio/mirror"
)

// narrow: at 320 pixels, with the largest text too, nothing is wider than the window, and what can be
// pressed is 44 pixels at least.
func (b *browser) narrow(t *testing.T) {
	s := b.served(t, (&desk{most: 1}).options, save("c1", `{"path":"`+strings.Repeat("verylongname", 20)+`"}`))
	s.tool.preview = strings.Repeat("x", 300) + "\n" + strings.Repeat("line\n", 40)
	p := b.tab(t, 320, 640)
	p.enter(s, mirror.Operator)
	s.send(strings.Repeat("https://example.com/", 20))
	p.until("!document.getElementById('deny').disabled")
	for size := range 4 {
		p.js(fmt.Sprintf("document.documentElement.dataset.size = '%d'", size))
		if got := p.js("[document.documentElement.scrollWidth, ...[...document.querySelectorAll('.pane:not([hidden]), #card')].map(e => e.scrollWidth - e.clientWidth)].join(' ')"); got != "320 0 0" {
			t.Errorf("size %d: the page is wider than its window: %s", size, got)
		}
		small := p.js(`[...document.querySelectorAll('button, summary, .file label, textarea, input:not([type=file])')].filter(e => e.checkVisibility() && !e.closest('[hidden]'))
			.map(e => [e.id || e.className, e.getBoundingClientRect()]).filter(([, r]) => r.width < 44 || r.height < 44).map(([n, r]) => n + ' ' + r.width + '×' + r.height).join(', ')`)
		if small != "" {
			t.Errorf("size %d: too small to press: %s", size, small)
		}
		p.picture(fmt.Sprintf("narrow-320-%d", size))
	}
}

// accessible runs axe-core in each state, at two widths, dark and light: nothing is wrong, and nothing
// is left for a person to look at.
func (b *browser) accessible(t *testing.T) {
	file := os.Getenv("AXE")
	if file == "" {
		if os.Getenv("CI") == "true" {
			t.Fatal("AXE names no axe.min.js; scripts/test sees to it")
		}
		t.Skip("accessibility checks: AXE names no axe.min.js; scripts/test sees to it")
	}
	axe, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, width := range []int64{360, 1280} {
		for _, scheme := range []string{"dark", "light"} {
			t.Run(fmt.Sprintf("%d %s", width, scheme), func(t *testing.T) { b.states(t, string(axe), width, scheme) })
		}
	}
}

// states goes through all states of the page and checks each.
func (b *browser) states(t *testing.T, axe string, width int64, scheme string) {
	d := &desk{most: 100}
	s := b.served(t, d.options, save("c1", reading), save("c2", `{"path":"other.md"}`), say(testdata(t, "fences.md")+"\n\n# Title\n\n| a | b |\n|--|--:|\n| 1 | 2 |\n\n> quoted [link](https://example.com)\n"))
	s.tool.preview = strings.Repeat("a line of the report, as it will be written\n", 40)
	p := b.tab(t, width, 800)
	p.media(scheme)
	p.do(chromedp.Navigate(s.base + "/"))
	p.until("!document.getElementById('door').hidden")
	look := func(state string) {
		t.Helper()
		p.picture(fmt.Sprintf("%s-%d-%s", state, width, scheme))
		p.check(axe, state)
	}
	look("door")
	p.do(chromedp.SendKeys(chromedp.ID("code"), "WRONGXXX"), chromedp.Click(chromedp.CSS("#door-form button")))
	p.untilText("door-error", "no such code")
	look("wrong-code")
	p.enter(s, mirror.Operator)
	look("empty")
	s.send("请使用 ads-analysis 分析账户 demo-account 最近 7 天数据")
	p.until("!document.getElementById('deny').disabled")
	look("asked")
	p.press("deny")
	look("denying")
	p.press("deny-back")
	p.js("document.getElementById('card-box').scrollTop = 1e6")
	p.until("!document.getElementById('approve').disabled")
	look("read")
	p.approve()
	p.until("!document.getElementById('receipt').hidden && !document.getElementById('card').hidden && !document.getElementById('deny').disabled")
	look("receipt-and-next")
	p.js("document.getElementById('card-box').scrollTop = 1e6")
	p.approve()
	s.untilKind("run.completed")
	p.until("document.querySelectorAll('#chat .agent:not([hidden]).s-complete').length > 0 && document.getElementById('card').hidden")
	p.press("receipt-close")
	p.js("document.querySelector('#chat .tool details').open = true")
	look("chat")
	for _, tab := range []string{"timeline", "skills", "files"} {
		p.press("tab-" + tab)
		look(tab)
	}
	p.press("tab-chat")
	p.do(chromedp.SetUploadFiles(chromedp.ID("photo"), []string{photo(t, "one.png", 64, 48), photo(t, "two.png", 300, 48)}))
	p.until("document.querySelectorAll('#tray img').length === 1 && document.querySelectorAll('#tray .wrong').length === 1")
	look("uploads")
	p.press("settings")
	look("settings")
	p.do(chromedp.Click(chromedp.CSS("#dialog form > button.yes")))
	b.wire.set(func() { b.wire.refuse = true })
	b.wire.cut()
	p.untilText("link", "reconnecting since")
	look("reconnecting")
	b.wire.set(func() { b.wire.refuse = false })
	p.untilText("link", "live")
}

// contrast is axe-core's own setting of that check, but that texts of one character count too.
const contrast = `{ ignoreUnicode: true, ignoreLength: true, ignorePseudo: false, boldValue: 700, boldTextPt: 14, largeTextPt: 18,
	contrastRatio: { normal: { expected: 4.5 }, large: { expected: 3 } },
	pseudoSizeThreshold: 0.25, shadowOutlineEmMax: 0.2, textStrokeEmMin: 0.03 }`

// tall makes the window so high that nothing is scrolled out of sight, since axe-core cannot tell the
// contrast of what it cannot see.
func (p *tab) tall(on bool) {
	p.t.Helper()
	width := p.js("innerWidth")
	var w, h int64 = 0, 800
	if _, err := fmt.Sscan(width, &w); err != nil {
		p.t.Fatal(err)
	}
	if on {
		h = 8000
	}
	p.do(chromedp.EmulateViewport(w, h))
	p.js(fmt.Sprintf("(document.getElementById('card-box').style.maxHeight = %t ? 'none' : '', new Promise((done) => requestAnimationFrame(() => setTimeout(done))))", on))
}

// check runs axe-core on what is shown.
func (p *tab) check(axe, state string) {
	p.t.Helper()
	p.js("(window.axe || (() => { " + axe + "\n })(), axe.configure({ checks: [{ id: 'color-contrast', options: " + contrast + " }] }), 0)")
	p.tall(true)
	defer p.tall(false)
	got := p.js(`axe.run(document, { resultTypes: ['violations', 'incomplete'] }).then((r) => JSON.stringify([...r.violations, ...r.incomplete].map((v) =>
		v.id + ': ' + v.nodes.map((n) => n.target.join(' ') + ' (' + [...n.any, ...n.all, ...n.none].map((c) => c.message).join('; ') + ')').slice(0, 4).join(' | '))))`)
	var wrong []string
	if err := json.Unmarshal([]byte(got), &wrong); err != nil {
		p.t.Fatalf("axe-core gave %s", got)
	}
	for _, w := range wrong {
		p.t.Errorf("%s: %s", state, w)
	}
}
