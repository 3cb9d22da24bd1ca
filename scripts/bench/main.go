//go:build !windows

// Command bench measures the studio beside a floor in the same run, and prints the ratios with
// what they may be at most. It never decides anything: figures of a busy machine are worth little.
//
//	go run ./scripts/bench              everything, about five minutes
//	go run ./scripts/bench log fold     some of it: log, journal, fold, image, mirror, beside, page, start, idle, stream, http, keys, memory
package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

// result is one row: ours, the floor, and the most their ratio may be.
type result struct {
	name        string
	ours, floor float64
	unit        string
	most        float64
	note        string
}

func (r result) print() {
	ratio := r.ours / r.floor
	verdict := "ok"
	if ratio > r.most {
		verdict = "OVER"
	}
	fmt.Printf("%-34s %10.2f %-3s floor %10.2f  ratio %5.2fx  at most %4.2fx  %-4s %s\n", r.name, r.ours, r.unit, r.floor, ratio, r.most, verdict, r.note)
}

func main() {
	want := os.Args[1:]
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		fail(err)
	}
	defer os.RemoveAll(dir)
	chosen := func(name string) bool { return len(want) == 0 || slices.Contains(want, name) }
	if chosen("log") {
		goBench("append and follow, no journal", "./engine", "AppendFollow", "1x", 2.5)
	}
	if chosen("journal") {
		goBench("append with journal", "./engine/journal", "Append", "200000x", 2)
	}
	if chosen("fold") {
		goBench("fold into the State", "./engine/view", "Fold", "3x", 0.5)
	}
	if chosen("image") {
		images(dir)
	}
	if chosen("mirror") {
		fanOut(dir)
	}
	if chosen("beside") {
		beside(dir)
	}
	if chosen("page") {
		pages(dir)
	}
	if !slices.ContainsFunc([]string{"beside", "start", "idle", "stream", "http", "keys", "memory"}, chosen) {
		return
	}
	ours, hello := build(dir, "agentstudio", "."), build(dir, "bthello", "./scripts/bench/bthello")
	argv := []string{ours, "--state", filepath.Join(dir, "state"), "--lang", "en"}
	if chosen("start") {
		start(argv, []string{hello}, 20).print()
	}
	if chosen("idle") {
		for _, r := range idle(argv, []string{hello}) {
			r.print()
		}
	}
	bench := []string{ours, "--state", filepath.Join(dir, "streams"), "--lang", "en", "--scenario", "bench", "--max-tokens", "10000000"}
	unsaved := append(slices.Clone(bench), "--no-save")
	if chosen("beside") {
		keysBeside(dir, unsaved)
	}
	raw := build(dir, "raw", "./scripts/bench/raw")
	if chosen("stream") {
		streaming(unsaved, raw, 2000, 5*time.Millisecond, 4, "2,000 pieces 5 ms apart, unsaved")
		streaming(bench, raw, 2000, 5*time.Millisecond, 4, "2,000 pieces 5 ms apart, journal")
		streaming(unsaved, raw, 20000, 0, 6, "20,000 pieces at once, unsaved")
		streaming(bench, raw, 20000, 0, 6, "20,000 pieces at once, journal")
	}
	if chosen("http") {
		overHTTP(dir, ours, raw, unsaved)
	}
	if chosen("keys") {
		keys(unsaved, []string{hello})
	}
	if chosen("memory") {
		s := stream(bench, "idle", "bench 20000x20\r", "run completed", 30*time.Second)
		fmt.Printf("memory, 20,000 pieces: %.0f MiB at most, %.0f MiB 30 s after; at most 80\n", s.peak, s.later)
	}
}

func build(dir, name, pkg string) string {
	out := filepath.Join(dir, name)
	c := exec.Command("go", "build", "-trimpath", "-o", out, pkg)
	c.Stderr = os.Stderr
	if err := c.Run(); err != nil {
		fail(err)
	}
	return out
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "bench:", err)
	os.Exit(1)
}
