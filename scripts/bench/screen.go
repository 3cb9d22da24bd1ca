//go:build !windows

package main

import (
	"fmt"
	"time"
)

// start measures from the start of the process until text typed before it is on the screen.
func start(ours, floor []string, times int) result {
	const typed = "zqxjv"
	var a, b, ca, cb []float64
	for range times { // in turn, so that both meet the same machine
		for _, p := range []struct {
			argv []string
			all  *[]float64
			cpu  *[]float64
		}{{ours, &a, &ca}, {floor, &b, &cb}} {
			t, began := open(p.argv, typed)
			*p.all = append(*p.all, float64(t.until(typed).Sub(began).Microseconds())/1000)
			*p.cpu = append(*p.cpu, float64(t.cpu().Microseconds())/1000)
			t.close()
		}
	}
	return result{name: "first typed text visible", ours: median(a), floor: median(b), unit: "ms", most: 1.5, note: fmt.Sprintf("median of %d; CPU till then %.0f ms, floor %.0f ms", times, median(ca), median(cb))}
}

// idle measures a minute in which nobody does anything, after things have settled.
func idle(ours, floor []string) []result {
	const settle, minute = 3 * time.Second, time.Minute
	var shown []*terminal
	for _, argv := range [][]string{ours, floor} {
		t, _ := open(argv, "zqxjv")
		t.until("zqxjv")
		shown = append(shown, t)
	}
	time.Sleep(settle)
	var cpu [2]time.Duration
	var bytes [2]int
	for i, t := range shown {
		cpu[i], bytes[i] = t.cpu(), t.written()
	}
	time.Sleep(minute)
	for i, t := range shown {
		cpu[i], bytes[i] = t.cpu()-cpu[i], t.written()-bytes[i]
		t.close()
	}
	return []result{{name: "idle, a minute of CPU", ours: float64(cpu[0].Microseconds()) / 1000, floor: float64(cpu[1].Microseconds()) / 1000,
		unit: "ms", most: 1.2, note: fmt.Sprintf("%d bytes written", bytes[0])}}
}
