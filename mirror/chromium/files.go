package chromium

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// Inject runs a script in each page that the tab opens from now on, before the page's own.
func (p *Tab) Inject(source string) error {
	return p.Do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: source})
		return err
	}))
}

// Drop drops files into the middle of the window, as from a file manager.
func (p *Tab) Drop(paths ...string) error {
	data := &input.DragData{Items: []*input.DragDataItem{}, Files: paths, DragOperationsMask: 1}
	return p.Do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		for _, step := range []input.DispatchDragEventType{input.DispatchDragEventTypeDragEnter, input.DispatchDragEventTypeDragOver, input.DispatchDragEventTypeDrop} {
			if _, err := cdp.Call(ctx, t, input.DispatchDragEvent, input.DispatchDragEventParams{Type: step, X: 100, Y: 100, Data: data}); err != nil {
				return err
			}
		}
		return nil
	}))
}

// Saved lets start begin a download and waits for its end. It gives the name that the page proposes, and
// the file, which lies in folder under another name.
func (p *Tab) Saved(folder string, start func() error) (name, at string, err error) {
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	began, done := make(chan *browser.EventDownloadWillBegin, 1), make(chan *browser.EventDownloadProgress, 1)
	err = chromedp.ListenBrowser(ctx, func(ev any) {
		switch ev := ev.(type) {
		case *browser.EventDownloadWillBegin:
			select {
			case began <- ev:
			default:
			}
		case *browser.EventDownloadProgress:
			if ev.State == browser.DownloadProgressStateInProgress {
				return
			}
			select {
			case done <- ev:
			default:
			}
		}
	})
	if err != nil {
		return "", "", err
	}
	on := true
	if _, err := chromedp.CallBrowser(ctx, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{Behavior: browser.SetDownloadBehaviorBehaviorAllowAndName,
		BrowserContextID: chromedp.FromContext(p.ctx).BrowserContextID, DownloadPath: folder, EventsEnabled: &on}); err != nil {
		return "", "", err
	}
	if err := start(); err != nil {
		return "", "", err
	}
	select {
	case end := <-done:
		if end.State != browser.DownloadProgressStateCompleted {
			return "", "", errors.New("the download was " + string(end.State))
		}
		return (<-began).SuggestedFilename, filepath.Join(folder, end.GUID), nil
	case <-ctx.Done():
		return "", "", errors.New("no download ends\n" + p.Seen())
	}
}
