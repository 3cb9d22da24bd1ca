package chromium

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// patience is how long anything in a page may take.
const patience = 30 * time.Second

// Tab is a page with nothing of other tabs. It is used by one goroutine.
type Tab struct {
	ctx context.Context
	end func()

	mu       sync.Mutex
	requests []string
	faults   []string
}

// Open opens an empty tab of a size in CSS pixels, of a screen with a mouse. The caller closes it.
func (b *Browser) Open(width, height int64) (*Tab, error) {
	return b.open(chromedp.EmulateViewport(width, height))
}

// Phone opens an empty tab as a phone has it: 360 by 740 CSS pixels, three to the CSS pixel, with touch.
// The caller closes it.
func (b *Browser) Phone() (*Tab, error) {
	return b.open(chromedp.EmulateViewport(360, 740, chromedp.EmulateMobile, chromedp.EmulateTouch, chromedp.EmulateScale(3)))
}

func (b *Browser) open(size chromedp.Action[chromedp.Void]) (*Tab, error) {
	ctx, cancel := chromedp.NewContext(b.ctx, chromedp.WithNewBrowserContext())
	p := &Tab{ctx: ctx, end: cancel}
	err := chromedp.Do(ctx)
	if err == nil {
		err = chromedp.Listen(ctx, p.note)
	}
	if err == nil {
		err = p.Do(size)
	}
	if err != nil {
		cancel()
		return nil, err
	}
	return p, nil
}

// Close ends the tab.
func (p *Tab) Close() { p.end() }

// note keeps what the page asks for and what goes wrong in it.
func (p *Tab) note(ev any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch ev := ev.(type) {
	case *network.EventRequestWillBeSent:
		p.requests = append(p.requests, ev.Request.URL)
	case *network.EventWebSocketCreated:
		p.requests = append(p.requests, ev.URL)
	case *runtime.EventExceptionThrown:
		p.faults = append(p.faults, fmt.Sprint(ev.ExceptionDetails.Text, " ", ev.ExceptionDetails.Exception.Description))
	}
}

// Requests are the addresses that were asked for.
func (p *Tab) Requests() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.requests...)
}

// Faults are the exceptions that nothing in the page has caught.
func (p *Tab) Faults() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.faults...)
}

// Do takes steps within half a minute. An error has what the page shows.
func (p *Tab) Do(steps ...chromedp.Action[chromedp.Void]) error {
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		return fmt.Errorf("%w\n%s", err, p.Seen())
	}
	return nil
}

// JS is the value of an expression, awaited, as text.
func (p *Tab) JS(expression string) (string, error) {
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[string]("(async () => String(await ("+expression+")))()", chromedp.EvalAwaitPromise))
	if err != nil {
		return "", fmt.Errorf("%s: %w", expression, err)
	}
	return v, nil
}

// Until waits in the page for an expression to hold, through reloads too. An error has what the page
// shows.
func (p *Tab) Until(expression string) error {
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	wait := "new Promise((done) => { const look = () => (" + expression + ") ? done(true) : setTimeout(look, 15); look(); })"
	for {
		_, err := chromedp.Run(ctx, chromedp.Evaluate[bool](wait, chromedp.EvalAwaitPromise))
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return fmt.Errorf("never came: %s\n%s", expression, p.Seen())
		}
	}
}

// UntilText waits for the text of the element with an id to hold all of these.
func (p *Tab) UntilText(id string, texts ...string) error {
	var all []string
	for _, t := range texts {
		all = append(all, fmt.Sprintf("document.getElementById(%q)?.textContent.includes(%q)", id, t))
	}
	return p.Until(strings.Join(all, " && "))
}

// UntilOn waits for a button to be seen and to be on.
func (p *Tab) UntilOn(id string) error {
	return p.Until(fmt.Sprintf("(b => b && !b.disabled && b.checkVisibility())(document.getElementById(%q))", id))
}

// Seen is what stands on the page, for failures.
func (p *Tab) Seen() string {
	ctx, cancel := context.WithTimeout(p.ctx, 5*time.Second)
	defer cancel()
	text, err := chromedp.Run(ctx, chromedp.Evaluate[string]("location.href + '\\n' + document.body.innerText"))
	if err != nil {
		return "(the page does not answer: " + err.Error() + ")"
	}
	return text + "\nfaults: " + strings.Join(p.Faults(), "\n")
}

// Media has the page see features of the screen's media, as in prefers-color-scheme and dark, name and
// value by turns, at least one. Those of before are gone.
func (p *Tab) Media(pairs ...string) error {
	var all []*emulation.MediaFeature
	for i := 0; i+1 < len(pairs); i += 2 {
		all = append(all, &emulation.MediaFeature{Name: pairs[i], Value: pairs[i+1]})
	}
	return p.Do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: all})
		return err
	}))
}

// Picture is what is seen, as PNG.
func (p *Tab) Picture() ([]byte, error) {
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	return chromedp.Run(ctx, chromedp.CaptureScreenshot())
}
