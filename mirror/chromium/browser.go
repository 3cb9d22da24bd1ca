// Package chromium drives a Chromium for those who try the mirror's page: its tests, and
// scripts/smoke, which tries the built program. The program itself never links it.
package chromium

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/chromedp/chromedp"
)

// Browser is a Chromium without a window, with a profile and a home of its own.
type Browser struct {
	ctx  context.Context
	end  func()
	home string // removed at the end
}

// Find is where a Chromium is installed, false if none is. The names are those that scripts/test
// looks for.
func Find() (path string, found bool) {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			return p, true
		}
	}
	return "", false
}

// Start starts the Chromium at path. Addresses of the name localhost lead to the host and port of
// localhost instead, unless it is "". The caller closes it.
func Start(path, localhost string) (*Browser, error) {
	home, err := os.MkdirTemp("", "chromium-")
	if err != nil {
		return nil, err
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.UserDataDir(filepath.Join(home, "profile")), chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("no-proxy-server", true), chromedp.Flag("enable-features", "NetworkService,NetworkServiceInProcess"), chromedp.Env("HOME="+home))
	if localhost != "" {
		options = append(options, chromedp.Flag("host-resolver-rules", "MAP localhost "+localhost))
	}
	alloc, stop := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancel := chromedp.NewContext(alloc)
	b := &Browser{ctx: ctx, home: home, end: func() {
		_ = chromedp.Cancel(ctx)
		cancel()
		stop()
		if c := chromedp.FromContext(ctx); c != nil && c.Allocator != nil {
			c.Allocator.Wait()
		}
	}}
	if err := chromedp.Do(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("the Chromium at %s does not start: %w", path, err), b.Close())
	}
	return b, nil
}

// Close ends it with all of its tabs and removes its profile.
func (b *Browser) Close() error {
	b.end()
	return os.RemoveAll(b.home)
}
