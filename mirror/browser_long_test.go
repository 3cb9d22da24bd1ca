package mirror_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"agentstudio/engine"
	"agentstudio/mirror"
)

// longAgo is a session with so many runs behind it, of nine events each; more turns follow them.
func (b *browser) longAgo(t *testing.T, runs int, more ...turn) (s *stage, last engine.Seq) {
	var turns []turn
	for i := range runs {
		turns = append(turns, say(fmt.Sprintf("answer **%d** with `code` and a [link](https://example.com)", i)))
	}
	s = b.served(t, nil, append(turns, more...)...)
	run := s.send("question 0")
	for done := 0; done < runs; {
		for batch, err := range s.session.Follow(t.Context(), last) {
			if err != nil {
				t.Fatal(err)
			}
			last = batch[len(batch)-1].Seq
			if e := batch[len(batch)-1]; e.Run == run && e.Kind() == "run.completed" {
				break
			}
		}
		if done++; done < runs {
			run = s.send(fmt.Sprint("question ", done))
		}
	}
	return s, last
}

// long opens a history of 10,000 events. How long that takes is told, not judged: it depends on the
// machine.
func (b *browser) long(t *testing.T) {
	const runs = 1112
	s, last := b.longAgo(t, runs)
	p := b.tab(t, 390, 844)
	p.do(chromedp.Navigate(s.base + "/favicon.svg"))
	p.js(fmt.Sprintf(`localStorage.setItem('agentstudio.token', '{"token":"%s"}')`, s.tokens[mirror.Viewer]))
	started := time.Now()
	p.do(chromedp.Navigate(s.base + "/"))
	p.js(`(() => {
		window.tasks = [];
		new PerformanceObserver((l) => window.tasks.push(...l.getEntries().map((e) => Math.round(e.duration)))).observe({ type: 'longtask', buffered: true });
	})()`)
	p.untilText("link", "live")
	p.until(fmt.Sprintf("document.querySelectorAll('#chat .agent:not([hidden]) .body').length === %d && document.querySelectorAll('#timeline .cap').length === document.querySelectorAll('#timeline li').length", runs))
	t.Logf("%d events, %s rows: all drawn after %v; tasks over 50 ms: %s ms; first row %s ms after the socket opened", last,
		p.js("document.querySelectorAll('.group > li').length"), time.Since(started).Round(time.Millisecond), p.js("window.tasks.join(' ')"),
		p.js("Math.round(performance.getEntriesByName('first row')[0].startTime - performance.getEntriesByName('socket open')[0].startTime)"))
	p.until("document.getElementById('back').hidden && document.querySelector('#chat .group:last-child > li:last-child').getBoundingClientRect().bottom < innerHeight")
	p.picture("long-390")
}

// watched has the page note, after each frame of its screen, what its newest chat row is, whether older
// ones are there yet, and what it says of the hash while it is not live.
const watched = `(() => {
	window.steps = [];
	const look = () => {
		const rows = [...document.querySelectorAll('#chat .group > li')];
		const drawn = rows.filter((e) => e.textContent);
		if (drawn.length) window.steps.push([drawn.at(-1).textContent, rows.length, document.getElementById('link').className]);
		requestAnimationFrame(look);
	};
	look();
})()`

// newestFirst: the end of a long history is there before the rest, the rest comes in slices while new
// things happen, and when all is in the rows are those of the server, in order.
func (b *browser) newestFirst(t *testing.T) {
	const runs = 300
	gate := make(chan struct{})
	var slow turn = func(_ context.Context, yield func(engine.Chunk) bool) error {
		for i := range 200 {
			if i == 20 {
				<-gate
			}
			if !yield(engine.Text(fmt.Sprint("piece ", i, " "))) {
				return nil
			}
		}
		yield(engine.Stop{Reason: engine.StopEnd})
		return nil
	}
	s, _ := b.longAgo(t, runs, slow)
	p := b.tab(t, 390, 844)
	p.do(chromedp.Navigate(s.base + "/favicon.svg"))
	p.js(fmt.Sprintf(`localStorage.setItem('agentstudio.token', '{"token":"%s"}')`, s.tokens[mirror.Approver]))
	s.send("and now")
	p.do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, cdppage.AddScriptToEvaluateOnNewDocument, cdppage.AddScriptToEvaluateOnNewDocumentParams{Source: "addEventListener('DOMContentLoaded', () => { " + watched + " })"})
		return err
	}))
	p.do(chromedp.Navigate(s.base + "/"))
	p.until("window.steps && window.steps.length > 0")
	close(gate) // the answer goes on while the rest comes in
	s.until(func(e engine.Event) bool { return e.Kind() == "run.completed" && e.Seq > 9*runs+5 })
	p.untilText("link", "live")
	p.until(fmt.Sprintf("document.querySelectorAll('#chat .agent:not([hidden]).s-complete .body').length === %d", runs+1))
	var steps [][]any
	if err := json.Unmarshal([]byte(p.js("JSON.stringify(window.steps)")), &steps); err != nil {
		t.Fatal(err)
	}
	if first := steps[0]; !strings.Contains(fmt.Sprint(first[0]), "piece 0 ") || first[1].(float64) > 200 || first[2] == "k-live" {
		t.Errorf("the first that was seen is %v", first)
	}
	if got := p.js("[...document.querySelectorAll('#chat .user .body')].map(e => e.textContent).join()"); got != questions(runs)+",and now" {
		t.Errorf("the questions stand as %s", got)
	}
	if got := p.js("Math.max(...[...document.querySelectorAll('.group')].map(g => g.children.length))"); got != "40" {
		t.Errorf("a group has %s rows", got)
	}
	p.same()
}

func questions(n int) string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprint("question ", i)
	}
	return strings.Join(all, ",")
}

// hashWaits: the hash and the patches around it wait together for a page that has no time, and are
// taken in as they came, so that like is compared with like.
func (b *browser) hashWaits(t *testing.T) {
	s, last := b.longAgo(t, 300, say("one more"))
	p := b.tab(t, 390, 844)
	p.enter(s, mirror.Approver)
	p.same()
	// Everything from the question on waits until the page has time: the hash, and what comes meanwhile.
	p.js("(setTimeout(() => { const end = performance.now() + 300; document.getElementById('hash').textContent = ''; document.getElementById('hash-ask').click(); while (performance.now() < end); }), 0)")
	s.send("go on")
	s.until(func(e engine.Event) bool { return e.Kind() == "run.completed" && e.Seq > last })
	p.until("document.getElementById('hash').textContent !== ''")
	if got := p.js("document.getElementById('hash').textContent"); !strings.HasPrefix(got, "the same as the server") {
		t.Errorf("the page says: %s", got)
	}
	p.until("[...document.querySelectorAll('#chat .body')].at(-1).textContent === 'one more'")
	p.same()
}

// same has the page compare its rows with the server's until it could.
func (p *tab) same() {
	p.t.Helper()
	got := ""
	for range 5 { // while it catches up it cannot compare, and says so
		p.js("(document.getElementById('hash').textContent = '', document.getElementById('hash-ask').click())")
		p.until("document.getElementById('hash').textContent !== ''")
		if got = p.js("document.getElementById('hash').textContent"); strings.Contains(got, "the server at") {
			break
		}
	}
	if !strings.HasPrefix(got, "the same as the server") {
		p.t.Errorf("the page says: %s", got)
	}
}
