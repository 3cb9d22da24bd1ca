//go:build !windows

package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// streamed is what an answer of so many pieces cost a program.
type streamed struct {
	cpu   time.Duration
	bytes int
	peak  float64 // MiB, resident at most
	later float64 // MiB, resident 30 s after, 0 if not waited for
}

// streaming measures an answer of so many pieces of 20 bytes beside a program that writes the same
// raw.
func streaming(ours []string, raw string, times int, every time.Duration, most float64, title string) {
	prompt := fmt.Sprintf("bench %dx20", times)
	if every > 0 {
		prompt += "@" + every.String()
	}
	pace := "0"
	if every > 0 {
		pace = every.String()
	}
	var a, b []float64
	var got streamed
	for range 3 { // in turn, so that both meet the same machine
		got = stream(ours, "idle", prompt+"\r", "run completed", 0)
		a = append(a, got.cpu.Seconds()*1000)
		b = append(b, stream([]string{raw, strconv.Itoa(times), "20", pace}, "READY", "\r", "DONE", 0).cpu.Seconds()*1000)
	}
	result{name: "CPU, " + title, ours: median(a), floor: median(b), unit: "ms", most: most,
		note: fmt.Sprintf("%d bytes a piece to the terminal, at most %.0f MiB", got.bytes/times, got.peak)}.print()
}

// stream runs a program, sends it the keys that begin its answer, and waits for its end.
func stream(argv []string, ready, keys, end string, rest time.Duration) (s streamed) {
	t, _ := open(argv, "")
	defer t.close()
	t.until(ready)
	time.Sleep(500 * time.Millisecond) // whatever it still does at its start
	cpu, bytes := t.cpu(), t.written()
	t.send(keys)
	t.until(end)
	s.cpu, s.bytes, s.peak = t.cpu()-cpu, t.written()-bytes, t.memory("VmHWM")
	if rest > 0 {
		time.Sleep(rest)
		s.later = t.memory("VmRSS")
	}
	return s
}

// keys measures from a key to its letter on the screen: while an answer streams, beside an empty
// program that does nothing.
func keys(ours, hello []string) {
	quiet := echo(hello, "", 60, nil)
	busy := echo(ours, bothered, 60, nil)
	median(quiet)
	median(busy)
	for _, r := range []struct {
		name  string
		share float64
		spare float64
	}{{"key to paint while streaming, median", 0.5, 5}, {"key to paint while streaming, 99th", 0.99, 25}} {
		verdict := "ok"
		if at(busy, r.share) > at(quiet, r.share)+r.spare {
			verdict = "OVER"
		}
		fmt.Printf("%-38s %8.2f ms  empty program idle %8.2f ms  at most %.0f ms more  %s\n", r.name, at(busy, r.share), at(quiet, r.share), r.spare, verdict)
	}
}

// bothered begins an answer that goes on for as long as keys are measured.
const bothered = "bench 12000x20@1ms\r"

// at is what a share of the figures, which are in order, does not exceed.
func at(all []float64, share float64) float64 {
	return all[min(int(float64(len(all))*share), len(all)-1)]
}

// echo types letters one after another and gives the milliseconds until each was shown. company joins
// before the answer begins, and leaves at the end by what it returns.
func echo(argv []string, begin string, times int, company func() (leave func())) (all []float64) {
	t, _ := open(argv, "")
	defer t.close()
	time.Sleep(time.Second)
	if company != nil {
		t.until("idle")
		defer company()()
	}
	if begin != "" {
		t.until("idle")
		t.send(begin)
		t.until("running")
		time.Sleep(500 * time.Millisecond)
	}
	const letters = "zqxjvkwyhb"
	typed := ""
	for n := range times {
		time.Sleep(time.Duration(90+n%7*3) * time.Millisecond) // not in step with the frames
		letter := string(letters[n%len(letters)])
		typed += letter
		began := time.Now()
		t.send(letter)
		all = append(all, float64(t.until(typed[max(len(typed)-30, 0):]).Sub(began).Microseconds())/1000)
	}
	return all
}

func (t *terminal) send(keys string) {
	if _, err := t.f.WriteString(keys); err != nil {
		fail(err)
	}
}

// memory is a field of the program's /proc status, in MiB.
func (t *terminal) memory(field string) float64 {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", t.cmd.Process.Pid))
	if err != nil {
		fail(err)
	}
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, field+":"); ok {
			kb, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			if err != nil {
				fail(err)
			}
			return kb / 1024
		}
	}
	return 0
}
