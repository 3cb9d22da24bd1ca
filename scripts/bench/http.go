//go:build !windows

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"agentstudio/engine"
)

// overHTTP measures the studio with a model behind a server on this computer, by each API: beside the
// floor of the rows without HTTP, whose limits may be passed by a fifth, since reading the answer from
// a socket alone costs what the note tells.
func overHTTP(dir, ours, raw string, scripted []string) {
	s := serve()
	defer s.close()
	heard := build(dir, "heard", "./scripts/bench/heard")
	for _, api := range []string{engine.APIChat, engine.APIResponses, engine.APIAnthropic} {
		s.streams(ours, raw, heard, api, scripted)
		s.run(ours, heard, api, 20000)
		_, many := finish(s.once(ours, api, 200000))
		_, few := finish(s.once(ours, api, 20000))
		_, most := s.heard(heard, api, 200000, 0)
		result{name: "memory of run, 200,000 pieces", ours: many.peak, floor: few.peak, unit: "MiB", most: 1.5,
			note: fmt.Sprintf("floor: 20,000 pieces; reading 200,000 and nothing else %.0f MiB", most)}.print()
	}
	peak := func(times int) float64 {
		return stream(s.studio(ours, engine.APIChat, times, 0), "idle", "go\r", "run completed", 0).peak
	}
	fmt.Printf("memory of the studio with 200,000 pieces on the screen %.0f MiB, with 20,000 %.0f MiB\n", peak(200000), peak(20000))
	s.cancel(ours, 50)
}

// streams measures the CPU of the studio while an answer comes, at a pace and at once.
func (s *server) streams(ours, raw, heard, api string, scripted []string) {
	for _, c := range []struct {
		times int
		every time.Duration
		most  float64
		title string
	}{{2000, 5 * time.Millisecond, 4 * 1.2, "CPU, 2,000 5 ms apart, " + api}, {20000, 0, 6 * 1.2, "CPU, 20,000 at once, " + api}} {
		prompt, pace := fmt.Sprintf("bench %dx20", c.times), "0"
		if c.every > 0 {
			pace = c.every.String()
			prompt += "@" + pace
		}
		var a, b, floor []float64
		for range 3 { // in turn, so that all meet the same machine
			a = append(a, stream(s.studio(ours, api, c.times, c.every), "idle", "go\r", "run completed", 0).cpu.Seconds()*1000)
			b = append(b, stream(scripted, "idle", prompt+"\r", "run completed", 0).cpu.Seconds()*1000)
			floor = append(floor, stream([]string{raw, strconv.Itoa(c.times), "20", pace}, "READY", "\r", "DONE", 0).cpu.Seconds()*1000)
		}
		least, _ := s.heard(heard, api, c.times, c.every)
		result{name: c.title, ours: median(a), floor: median(floor), unit: "ms", most: c.most,
			note: fmt.Sprintf("the same from the scripted model %.0f ms, reading the answer and nothing else %.0f ms", median(b), least)}.print()
	}
}

// studio is the studio with the server's model.
func (s *server) studio(ours, api string, times int, every time.Duration) []string {
	return append([]string{ours, "--no-save", "--lang", "en", "--max-tokens", "10000000"}, s.flags(api, times, every)...)
}

// flags make the studio speak to the server.
func (s *server) flags(api string, times int, every time.Duration) []string {
	return []string{"--provider", "other", "--api", api, "--model", "bench", "--base-url", s.base(times, every), "--allow-localhost-models"}
}

// once is `agentstudio run` with the server's model.
func (s *server) once(ours, api string, times int) []string {
	return append([]string{ours, "run", "--no-save", "--approve", "never", "--max-tokens", "10000000"}, append(s.flags(api, times, 0), "go")...)
}

// run measures the CPU of a run without a screen beside a program that reads the same answer with
// the same decoder and does nothing with it. Both numbers are of the whole process, start included.
func (s *server) run(ours, heard, api string, times int) {
	var a, b, empty []float64
	for range 5 { // in turn
		for _, p := range []struct {
			argv []string
			all  *[]float64
		}{{s.once(ours, api, times), &a}, {[]string{heard, api, s.base(times, 0)}, &b}, {s.once(ours, api, 1), &empty}} {
			*p.all = append(*p.all, spent(p.argv))
		}
	}
	result{name: "CPU of run, 20,000 pieces, " + api, ours: median(a), floor: median(b), unit: "ms", most: 2,
		note: fmt.Sprintf("a run of one piece %.0f ms", median(empty))}.print()
}

// spent is the CPU time of a whole process in milliseconds.
func spent(argv []string) float64 {
	_, c := finish(argv)
	return c.cpu
}

// heard is what the least reader of so much takes: CPU in milliseconds, and memory at most in MiB,
// which it tells itself: what the system says of a child counts its parent in.
func (s *server) heard(program, api string, times int, every time.Duration) (cpu, peak float64) {
	said, c := finish([]string{program, api, s.base(times, every)})
	if _, err := fmt.Sscanf(said, "VmHWM: %f kB", &peak); err != nil {
		fail(fmt.Errorf("%s said %q: %w", program, said, err))
	}
	return c.cpu, peak / 1024
}

// cost is what a whole process took: CPU in milliseconds, and memory at most in MiB, which is looked
// at every few milliseconds: what the system says of a child at its end counts its parent in.
type cost struct{ cpu, peak float64 }

// finish runs a program to its end.
func finish(argv []string) (out string, took cost) {
	c := exec.Command(argv[0], argv[1:]...)
	var said, faults bytes.Buffer
	c.Stdout, c.Stderr = &said, &faults
	if err := c.Start(); err != nil {
		fail(err)
	}
	over := make(chan struct{})
	peak := make(chan float64)
	go watch(c.Process.Pid, over, peak)
	err := c.Wait()
	close(over)
	took.peak = <-peak
	if err != nil {
		fail(fmt.Errorf("%v: %w\n%s", argv, err, faults.String()))
	}
	took.cpu = (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds() * 1000
	return said.String(), took
}

// watch looks at the most memory that a process has had, until it is over.
func watch(pid int, over <-chan struct{}, peak chan<- float64) {
	most := 0.0
	tick := time.NewTicker(3 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-over:
			peak <- most
			return
		case <-tick.C:
			if b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid)); err == nil {
				_, rest, _ := strings.Cut(string(b), "VmHWM:")
				var kb float64
				_, _ = fmt.Sscanf(rest, "%f kB", &kb) // a process that is just ending has none
				most = max(most, kb/1024)
			}
		}
	}
}

// cancel interrupts a run in the middle of an endless answer, and measures until the server sees
// that nobody reads any more.
func (s *server) cancel(ours string, times int) {
	var all []float64
	for range times {
		argv := s.once(ours, engine.APIChat, 0)
		c := exec.Command(argv[0], argv[1:]...)
		if err := c.Start(); err != nil {
			fail(err)
		}
		select {
		case <-s.begun:
		case <-time.After(30 * time.Second):
			_ = c.Process.Kill()
			fail(fmt.Errorf("%v never asked for anything", argv))
		}
		began := time.Now()
		_ = c.Process.Signal(os.Interrupt)
		all = append(all, float64((<-s.closed).Sub(began).Microseconds())/1000)
		_ = c.Wait() // its status says that it was cancelled
	}
	slices.Sort(all)
	verdict := "ok"
	if median(all) > 100 {
		verdict = "OVER"
	}
	fmt.Printf("cancel to closed body, median of %d %6.1f ms, longest %.1f ms, at most 100 ms  %s\n", times, median(all), all[len(all)-1], verdict)
}
