//go:build !windows

package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/chromedp/chromedp"

	"agentstudio/engine"
	"agentstudio/engine/page"
	"agentstudio/mirror"
)

const (
	pageRuns   = 1112 // of nine events each, so that a history has 10,000
	pageRounds = 7
)

// pages measures the mirror's page in a Chromium of a phone's window: how much it is, and how it opens
// a history of 10,000 events. Each round is a tab of its own with nothing kept.
func pages(dir string) {
	path, err := exec.LookPath("chromium")
	if err != nil {
		fmt.Println("the page: there is no chromium here")
		return
	}
	s := answered()
	defer s.end()
	weighed(strings.TrimSuffix(strings.Replace(socketOf(s.m), "ws", "http", 1), "/ws"))
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.UserDataDir(filepath.Join(dir, "profile")), chromedp.Env("HOME="+dir))
	alloc, stop := chromedp.NewExecAllocator(context.Background(), options...)
	defer stop()
	browser, cancel := chromedp.NewContext(alloc)
	defer cancel()
	if err := chromedp.Do(browser); err != nil {
		fail(err)
	}
	var first, longest, whole []float64
	for range pageRounds {
		o := opened(browser, strings.TrimSuffix(strings.Replace(socketOf(s.m), "ws", "http", 1), "/ws"), s.token)
		first, longest, whole = append(first, o.First), append(longest, slices.Max(append(o.Tasks, 0))), append(whole, o.Whole)
	}
	for _, r := range []struct {
		name string
		of   []float64
		most float64
	}{{"page: first row after socket", first, 100}, {"page: longest task, 10,000 events", longest, 100}, {"page: all 10,000 events drawn", whole, 0}} {
		slices.Sort(r.of)
		limit := ""
		if r.most > 0 {
			limit = fmt.Sprintf("at most %4.0f ms  %s", r.most, verdict(median(r.of) <= r.most))
		}
		fmt.Printf("%-34s %10.0f ms  rounds from %.0f to %.0f  %s\n", r.name, median(r.of), r.of[0], r.of[len(r.of)-1], limit)
	}
}

// weighed prints how large the page is as it is served, and packed as browsers ask for it.
func weighed(base string) {
	raw, packed := 0, 0
	for _, name := range []string{"", "page.css", "page.js", "favicon.svg"} {
		answer, err := http.Get(base + "/" + name)
		if err != nil {
			fail(err)
		}
		b, err := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if err != nil {
			fail(err)
		}
		var z bytes.Buffer
		w := gzip.NewWriter(&z)
		_, _ = w.Write(b)
		_ = w.Close()
		raw, packed = raw+len(b), packed+z.Len()
	}
	fmt.Printf("%-34s %10.1f KiB, %.1f KiB packed  at most 60 KiB  %s\n", "page: HTML, CSS, script and icon", float64(raw)/1024, float64(packed)/1024, verdict(raw < 60<<10))
}

// opening is what a page says of its start, in milliseconds.
type opening struct {
	First, Whole float64
	Tasks        []float64
}

// opened opens the page in a tab and waits until all of it is drawn.
func opened(browser context.Context, base, token string) opening {
	tab, cancel := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	defer cancel()
	tab, end := context.WithTimeout(tab, time.Minute)
	defer end()
	kept := "localStorage.setItem('agentstudio.token', '{\"token\":\"" + token + "\"}')"
	watch := `window.tasks = []; new PerformanceObserver((l) => tasks.push(...l.getEntries().map((e) => e.duration))).observe({ type: 'longtask', buffered: true });`
	drawn := `new Promise((done) => { const look = () => performance.getEntriesByName('all rows').length ? setTimeout(() => done(JSON.stringify({
		First: performance.getEntriesByName('first row')[0].startTime - performance.getEntriesByName('socket open')[0].startTime,
		Whole: performance.getEntriesByName('all rows')[0].startTime - performance.getEntriesByName('socket open')[0].startTime, Tasks: tasks })), 300) : setTimeout(look, 50); look(); })`
	err := chromedp.Do(tab, chromedp.EmulateViewport(390, 844), chromedp.Navigate(base+"/favicon.svg"), chromedp.Evaluate[chromedp.Void](kept), chromedp.Navigate(base+"/"), chromedp.Evaluate[chromedp.Void](watch))
	if err != nil {
		fail(err)
	}
	text, err := chromedp.Run(tab, chromedp.Evaluate[string](drawn, chromedp.EvalAwaitPromise))
	var o opening
	if err == nil {
		err = json.Unmarshal([]byte(text), &o)
	}
	if err != nil {
		fail(err)
	}
	return o
}

// answering is a model that answers everything with a line of Markdown.
type answering struct{ n *atomic.Int64 }

func (a answering) Info() engine.ModelInfo {
	return engine.ModelInfo{Provider: "bench", API: "bench", ID: "answering", ContextWindow: 1 << 30}
}

func (a answering) Stream(context.Context, engine.Request) iter.Seq2[engine.Chunk, error] {
	return func(yield func(engine.Chunk, error) bool) {
		text := fmt.Sprintf("answer **%d** with `code` and a [link](https://example.com)", a.n.Add(1))
		_ = yield(engine.Text(text), nil) && yield(engine.Stop{Reason: engine.StopEnd}, nil)
	}
}

// answered is a mirror of a session that has 10,000 events behind it.
func answered() serving {
	var n atomic.Int64
	e := engine.New(engine.Config{Store: &engine.MemStore{}, Model: answering{&atomic.Int64{}}, Budget: engine.Budget{MaxTokens: 1 << 40},
		NewID: func(prefix string) string { return prefix + "_" + strconv.FormatInt(n.Add(1), 10) }})
	session, err := e.Open(context.Background(), "")
	if err != nil {
		fail(err)
	}
	ask := func(i int) {
		if _, err := session.Do(context.Background(), engine.Send{Text: "question " + strconv.Itoa(i), By: engine.Actor{Screen: "cli", Name: "bench"}}); err != nil {
			fail(err)
		}
	}
	ask(0)
	for done := 0; done < pageRuns; {
		for batch, err := range session.Follow(context.Background(), 0) {
			if err != nil {
				fail(err)
			}
			for _, ev := range batch {
				if ev.Kind() == "run.completed" {
					if done++; done < pageRuns {
						ask(done)
					}
				}
			}
			if done == pageRuns {
				break
			}
		}
	}
	token := strings.Repeat("0123456789abcdef", 4)
	m, err := mirror.New(mirror.Options{Session: session, Port: mirror.AnyPort, Page: page.Files(), Limits: mirror.Limits{Snapshots: 1e6, Connects: 1e6},
		Tokens: []mirror.Token{{Role: mirror.Viewer, Name: "bench", Token: token}}})
	if err != nil {
		fail(err)
	}
	fmt.Fprintln(os.Stderr, "the page: a history of", n.Load(), "ids is there")
	return serving{m, session, token, nil, func() { _ = m.Close(); _ = e.Close() }}
}
