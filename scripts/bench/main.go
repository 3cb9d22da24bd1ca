//go:build !windows

// Command bench measures the studio beside a floor in the same run, and prints the ratios with
// what they may be at most. It never decides anything: figures of a busy machine are worth little.
//
//	go run ./scripts/bench              everything, about three minutes
//	go run ./scripts/bench log fold     some of it: log, journal, fold, start, idle
package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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
	if !chosen("start") && !chosen("idle") {
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
