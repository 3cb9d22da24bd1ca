package mirror_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"agentstudio/engine"
	"agentstudio/mirror"
)

// long opens a history of 10,000 events. How long that takes is told, not judged: it depends on the
// machine.
func (b *browser) long(t *testing.T) {
	const runs = 1112
	var turns []turn
	for i := range 2 * runs {
		turns = append(turns, say(fmt.Sprintf("answer **%d** with `code` and a [link](https://example.com)", i)))
	}
	s := b.served(t, nil, turns...)
	var last engine.Seq
	for i := range runs {
		run := s.send(fmt.Sprint("question ", i))
		for batch, err := range s.session.Follow(t.Context(), last) {
			if err != nil {
				t.Fatal(err)
			}
			last = batch[len(batch)-1].Seq
			if e := batch[len(batch)-1]; e.Run == run && e.Kind() == "run.completed" {
				break
			}
		}
	}
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
	p.until(fmt.Sprintf("document.querySelectorAll('#chat .agent:not([hidden]) .body').length === %d && document.querySelectorAll('#timeline .cap').length === document.getElementById('timeline').children.length", runs))
	t.Logf("%d events, %s rows: all drawn after %v; tasks over 50 ms: %s ms; first row %s ms after the socket opened", last,
		p.js("document.querySelectorAll('#chat > li, #timeline > li').length"), time.Since(started).Round(time.Millisecond), p.js("window.tasks.join(' ')"),
		p.js("Math.round(performance.getEntriesByName('first row')[0].startTime - performance.getEntriesByName('socket open')[0].startTime)"))
	p.until("document.getElementById('back').hidden && document.querySelector('#chat > li:last-child').getBoundingClientRect().bottom < innerHeight")
	p.picture("long-390")
}
