//go:build !windows

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"time"
)

// overHTTP measures the studio with a model behind a server on this computer, beside the scripted
// model, which streams the same without HTTP.
func overHTTP(dir, ours string, scripted []string) {
	s := serve()
	defer s.close()
	studio := func(times int, every time.Duration) []string {
		return append([]string{ours, "--no-save", "--lang", "en", "--max-tokens", "10000000"}, s.flags(times, every)...)
	}
	heard := build(dir, "heard", "./scripts/bench/heard")
	for _, c := range []struct {
		times int
		every time.Duration
		title string
	}{{2000, 5 * time.Millisecond, "CPU over HTTP, 2,000 5 ms apart"}, {20000, 0, "CPU over HTTP, 20,000 at once"}} {
		prompt := fmt.Sprintf("bench %dx20", c.times)
		if c.every > 0 {
			prompt += "@" + c.every.String()
		}
		var a, b []float64
		for range 3 { // in turn, so that both meet the same machine
			a = append(a, stream(studio(c.times, c.every), "idle", "go\r", "run completed", 0).cpu.Seconds()*1000)
			b = append(b, stream(scripted, "idle", prompt+"\r", "run completed", 0).cpu.Seconds()*1000)
		}
		least, _ := s.heard(heard, c.times, c.every)
		result{name: c.title, ours: median(a), floor: median(b), unit: "ms", most: 1.2,
			note: fmt.Sprintf("floor: the same from the scripted model; heard alone %.0f ms", least)}.print()
	}
	s.run(ours, heard, 20000)
	peak := func(argv []string, keys string) float64 { return stream(argv, "idle", keys, "run completed", 0).peak }
	result{name: "memory, 200,000 pieces over HTTP", ours: peak(studio(200000, 0), "go\r"), floor: peak(studio(20000, 0), "go\r"), unit: "MiB", most: 1.5,
		note: fmt.Sprintf("floor: 20,000 pieces; 200,000 from the scripted model %.0f MiB", peak(scripted, "bench 200000x20\r"))}.print()
	_, many := s.heard(heard, 200000, 0)
	_, few := s.heard(heard, 20000, 0)
	result{name: "the same, read by heard alone", ours: many, floor: few, unit: "MiB", most: 1.5}.print()
	s.cancel(ours, 50)
}

// flags make the studio speak to the server.
func (s *server) flags(times int, every time.Duration) []string {
	return []string{"--provider", "other", "--api", "openai-chat", "--model", "bench", "--base-url", s.base(times, every), "--allow-localhost-models"}
}

// once is `agentstudio run` with the server's model.
func (s *server) once(ours string, times int) []string {
	return append([]string{ours, "run", "--no-save", "--approve", "never", "--max-tokens", "10000000"}, append(s.flags(times, 0), "go")...)
}

// run measures the CPU of a run without a screen beside a program that reads the same answer with
// the same decoder and does nothing with it. Both numbers are of the whole process, start included.
func (s *server) run(ours, heard string, times int) {
	var a, b, empty []float64
	for range 5 { // in turn
		for _, p := range []struct {
			argv []string
			all  *[]float64
		}{{s.once(ours, times), &a}, {[]string{heard, s.base(times, 0)}, &b}, {s.once(ours, 1), &empty}} {
			*p.all = append(*p.all, spent(p.argv))
		}
	}
	result{name: fmt.Sprintf("CPU of run, %d pieces over HTTP", times), ours: median(a), floor: median(b), unit: "ms", most: 2,
		note: fmt.Sprintf("a run of one piece %.0f ms", median(empty))}.print()
}

// spent is the CPU time of a whole process in milliseconds.
func spent(argv []string) float64 {
	cpu, _ := finish(argv)
	return cpu
}

// heard is what the least reader of so much takes: CPU in milliseconds, and memory at most in MiB,
// which it tells itself: what the system says of a child counts its parent in.
func (s *server) heard(program string, times int, every time.Duration) (cpu, peak float64) {
	cpu, said := finish([]string{program, s.base(times, every)})
	if _, err := fmt.Sscanf(said, "VmHWM: %f kB", &peak); err != nil {
		fail(fmt.Errorf("%s said %q: %w", program, said, err))
	}
	return cpu, peak / 1024
}

// finish runs a program to its end.
func finish(argv []string) (cpu float64, out string) {
	c := exec.Command(argv[0], argv[1:]...)
	var said, faults bytes.Buffer
	c.Stdout, c.Stderr = &said, &faults
	if err := c.Run(); err != nil {
		fail(fmt.Errorf("%v: %w\n%s", argv, err, faults.String()))
	}
	return (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds() * 1000, said.String()
}

// cancel interrupts a run in the middle of an endless answer, and measures until the server sees
// that nobody reads any more.
func (s *server) cancel(ours string, times int) {
	var all []float64
	for range times {
		argv := s.once(ours, 0)
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
