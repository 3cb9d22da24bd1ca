package chromium

import (
	"context"
	"fmt"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// Tap touches the middle of the element with an id, as soon as it is seen and on. The tab is a phone.
func (p *Tab) Tap(id string) error {
	if err := p.UntilOn(id); err != nil {
		return err
	}
	return p.Do(chromedp.Tap(chromedp.ID(id)))
}

// Place is the middle of the element with an id, in CSS pixels of the window.
func (p *Tab) Place(id string) (x, y float64, err error) {
	at, err := p.JS(fmt.Sprintf("(r => (r.left + r.width / 2) + ' ' + (r.top + r.height / 2))(document.getElementById(%q).getBoundingClientRect())", id))
	if err == nil {
		_, err = fmt.Sscan(at, &x, &y)
	}
	return x, y, err
}

// SwipeToEnd scrolls what is in the element with an id to its end, swipe by swipe with a finger. The tab
// is a phone.
func (p *Tab) SwipeToEnd(id string) error {
	end := fmt.Sprintf("(e => e.checkVisibility() && e.scrollHeight - e.scrollTop - e.clientHeight < 2)(document.getElementById(%q))", id)
	for range 100 { // a swipe does not scroll while the element moves
		there, err := p.JS(end)
		if err != nil || there == "true" {
			return err
		}
		if err := p.swipe(id); err != nil {
			return err
		}
	}
	return fmt.Errorf("no swipe brings %s to its end\n%s", id, p.Seen())
}

// swipe draws a finger from the middle of an element up to the window's edge.
func (p *Tab) swipe(id string) error {
	x, y, err := p.Place(id)
	if err != nil {
		return err
	}
	err = p.finger(input.DispatchTouchEventTypeTouchStart, x, y)
	for part := range 5 {
		if err == nil {
			err = p.finger(input.DispatchTouchEventTypeTouchMove, x, y*float64(4-part)/5+1)
		}
	}
	if err != nil {
		return err
	}
	return p.touch(input.DispatchTouchEventParams{Type: input.DispatchTouchEventTypeTouchEnd, TouchPoints: []*input.TouchPoint{}})
}

func (p *Tab) finger(how input.DispatchTouchEventType, x, y float64) error {
	first := 0.0
	return p.touch(input.DispatchTouchEventParams{Type: how, TouchPoints: []*input.TouchPoint{{X: x, Y: y, ID: &first}}})
}

func (p *Tab) touch(event input.DispatchTouchEventParams) error {
	return p.Do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, input.DispatchTouchEvent, event)
		return err
	}))
}
