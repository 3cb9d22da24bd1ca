package mirror_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"agentstudio/engine"
	"agentstudio/mirror"
)

// testdata reads a file of testdata/page.
func testdata(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "page", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// hostile has text that wants to be more than text in every place where the page shows some.
func (b *browser) hostile(t *testing.T) {
	text := testdata(t, "links.md")
	args, err := json.Marshal(map[string]string{"path": text})
	if err != nil {
		t.Fatal(err)
	}
	s := b.served(t, nil, save("c1", string(args)), say(text))
	s.tool.preview = text
	p := b.tab(t, 390, 844)
	p.enter(s, mirror.Approver)
	s.send(text)
	p.untilText("card-text", "<script>")
	p.js("document.getElementById('card-box').scrollTop = 1e6")
	p.approve()
	s.untilKind("run.completed")
	p.until("document.querySelectorAll('#chat .agent:not([hidden]) .body p').length >= 5")
	p.js("document.querySelector('#chat details:not(.thoughts)').open = true")
	p.do(chromedp.Click(chromedp.ID("tab-timeline")))
	p.untilText("timeline", "<img src=x")
	p.do(chromedp.Click(chromedp.ID("tab-chat")))
	for what, expression := range map[string]string{
		"elements":   "document.querySelectorAll('main img:not(#look-image), main svg, main script, main iframe, main details[ontoggle], main [onerror], main [onload]').length === 0",
		"links":      "[...document.querySelectorAll('main .agent a')].map(a => a.href + ' ' + a.rel).join('|') === 'https://example.com/evil noopener noreferrer|https://example.com/track.png noopener noreferrer'",
		"address":    "document.querySelector('#chat .agent:not([hidden]) .body').textContent.includes('https://example.com/good (https://example.com/evil)')",
		"javascript": "document.querySelector('#chat .agent:not([hidden]) .body').textContent.includes('click (javascript:document.title=%22owned%22)')",
		"code":       "document.querySelector('#chat .agent:not([hidden]) .body code').textContent === '<b>code</b>'",
		"title":      "document.title !== 'owned'",
	} {
		if got := p.js(expression); got != "true" {
			t.Errorf("%s: not %s\n%s", what, expression, p.js("document.querySelector('#chat .agent:not([hidden]) .body').innerHTML"))
		}
	}
	if len(p.Requests()) == 0 {
		t.Error("no request was seen")
	}
	for _, r := range p.Requests() {
		if !strings.HasPrefix(r, s.base+"/") && !strings.HasPrefix(r, "ws"+strings.TrimPrefix(s.base, "http")+"/") {
			t.Errorf("the page asked for %s", r)
		}
	}
	if faults := p.Faults(); len(faults) > 0 {
		t.Errorf("faults in the page: %q", faults)
	}
}

// injected script does not run, whatever way it comes in by, since the server forbids it.
func (b *browser) injected(t *testing.T) {
	s := b.served(t, nil)
	p := b.tab(t, 390, 844)
	p.enter(s, mirror.Viewer)
	got := p.js(`(async () => {
		const out = [];
		const blocked = new Promise((done) => addEventListener('securitypolicyviolation', (e) => done(e.effectiveDirective), { once: true }));
		const script = document.createElement('script');
		try { script.text = 'window.owned = 1'; } catch (e) { out.push(e.name); }
		script.append('window.owned = 1');
		document.body.append(script);
		try { document.body.insertAdjacentHTML('beforeend', '<img src=x onerror="window.owned = 1">'); } catch (e) { out.push(e.name); }
		try { trustedTypes.createPolicy('x', {}); } catch (e) { out.push(e.name); }
		try { await fetch('https://example.com/'); } catch (e) { out.push(e.name); }
		out.push((await blocked).slice(0, 10), String(window.owned));
		return out.join(' ');
	})()`)
	if want := "TypeError TypeError TypeError TypeError require-tr undefined"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// markdown is the same picture whether the text comes at once or in pieces of any size.
func (b *browser) markdown(t *testing.T) {
	text := testdata(t, "fences.md")
	var deltas turn = func(_ context.Context, yield func(engine.Chunk) bool) error {
		for _, r := range text {
			if !yield(engine.Text(string(r))) {
				return nil
			}
		}
		yield(engine.Stop{Reason: engine.StopEnd})
		return nil
	}
	s := b.served(t, nil, say(text), deltas)
	p := b.tab(t, 390, 844)
	p.enter(s, mirror.Viewer)
	s.send("whole")
	s.untilKind("run.completed")
	s.send("in pieces")
	p.until("document.querySelectorAll('#chat .agent:not([hidden]).s-complete .body').length === 2")
	p.until("document.querySelectorAll('#chat .agent:not([hidden]) .body')[0].innerHTML === document.querySelectorAll('#chat .agent:not([hidden]) .body')[1].innerHTML")
	want := []string{"func main() {\n    fmt.Println(\"``` not a fence\")\n}", "```js\nx\n```", "ls"}
	got := p.js("JSON.stringify([...document.querySelectorAll('#chat .agent:not([hidden]) .body')[0].querySelectorAll('pre')].map(e => e.textContent))")
	var blocks []string
	if err := json.Unmarshal([]byte(got), &blocks); err != nil || fmt.Sprint(blocks) != fmt.Sprint(want) {
		t.Errorf("code blocks %q, want %q", blocks, want)
	}
	p.until("document.querySelector('#chat .agent:not([hidden]) .body').lastElementChild.textContent.includes('last ```py')")
}

// hash: after a random log the page holds what the server does.
func (b *browser) hash(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	letters := []string{"a", "ß", "語", "\U0001F600", "\n", "**", "`", "\x1b[31m", "\u202e", " ", "<b>", "é"}
	word := func() string {
		var w strings.Builder
		for range 1 + r.IntN(40) {
			w.WriteString(letters[r.IntN(len(letters))])
		}
		return w.String()
	}
	var turns []turn
	for i := range 12 {
		if r.IntN(3) == 0 {
			turns = append(turns, save(fmt.Sprintf("c%d", i), `{"path":"x"}`))
		} else {
			turns = append(turns, say(word()))
		}
	}
	s := b.served(t, nil, append(turns, say("end"))...)
	p := b.tab(t, 1280, 800)
	p.enter(s, mirror.Approver)
	for i := range 6 {
		run := s.send("q" + word())
		if i%2 == 0 {
			b.wire.cut()
		}
		s.until(func(e engine.Event) bool {
			if a, ok := e.Payload.(engine.ApprovalRequired); ok { // those decided before refuse it
				_, _ = s.session.Do(t.Context(), engine.Decide{Approval: a.Approval, Digest: a.Digest, Approve: r.IntN(2) == 0, By: tester})
			}
			return e.Run == run && (e.Kind() == "run.completed" || e.Kind() == "run.failed")
		})
	}
	p.until("document.querySelectorAll('#chat .user').length === 6 && document.getElementById('link').textContent.includes('live')")
	p.press("settings")
	p.same()
	p.picture("settings-1280")
}

func (b *browser) chinese(t *testing.T) {
	s := b.served(t, nil, save("c1", reading), say("完成"))
	p := b.tab(t, 360, 740)
	p.do(chromedp.Navigate(s.base + "/favicon.svg"))
	p.js(`localStorage.setItem('agentstudio.prefs', '{"lang":"zh"}')`)
	p.do(chromedp.Navigate(s.base + "/"))
	p.until("document.documentElement.lang === 'zh-CN'")
	p.untilText("door-title", "加入会话")
	p.picture("door-zh-360")
	p.js(fmt.Sprintf(`localStorage.setItem('agentstudio.token', '{"token":"%s"}')`, s.tokens[mirror.Approver]))
	p.do(chromedp.Reload())
	p.untilText("link", "实时")
	s.send("请分析账户 demo-account 最近 7 天的数据")
	p.untilText("phase", "等待你的决定")
	p.untilText("card-title", "save 请求许可")
	p.untilText("card-risk", "将写入本会话的")
	p.js("document.getElementById('card-box').scrollTop = 1e6")
	p.until("!document.getElementById('approve').disabled")
	p.picture("approval-zh-360")
	p.approve()
	p.untilText("receipt-text", "已批准")
}
