//go:build !windows

package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"time"

	"github.com/gorilla/websocket"

	"agentstudio/engine"
)

const (
	besideReaders = 80
	besideSilent  = 20
	besideAppends = 1000
	besideRate    = 200 // a second
)

// beside measures how long the engine takes for an append while a hundred watch of whom twenty never
// read, and while nobody does.
func beside(dir string) {
	watchers := build(dir, "watchers", "./scripts/bench/watchers")
	var alone, watched []float64
	for range fanRounds {
		alone = append(alone, appends(watchers, 0, 0))
		watched = append(watched, appends(watchers, besideReaders, besideSilent))
	}
	slices.Sort(alone)
	slices.Sort(watched)
	fmt.Printf("an append, median: %.1f µs with %d readers of whom %d never read, %.1f µs with none (rounds from %.1f to %.1f)\n", watched[len(watched)/2],
		besideReaders+besideSilent, besideSilent, alone[len(alone)/2], alone[0], alone[len(alone)-1])
}

// appends is the median in microseconds of a command that appends one event.
func appends(watchers string, readers, silent int) float64 {
	s := speaking()
	defer s.end()
	for range silent {
		c, _, err := websocket.DefaultDialer.Dial(socketOf(s.m), http.Header{"Authorization": {"Bearer " + s.token}})
		if err != nil {
			fail(err)
		}
		defer c.Close()
	}
	if readers > 0 {
		c := exec.Command(watchers, socketOf(s.m), strconv.Itoa(readers), "1", strconv.Itoa(1<<20), s.token)
		c.Stderr = os.Stderr
		out, err := c.StdoutPipe()
		if err == nil {
			err = c.Start()
		}
		if err == nil {
			_, err = out.Read(make([]byte, 8)) // ready
		}
		if err != nil {
			fail(err)
		}
		defer func() { _ = c.Process.Kill(); _ = c.Wait() }()
	}
	took := make([]float64, besideAppends)
	began := time.Now()
	for i := range took {
		paced(began, i, besideRate)
		at := time.Now()
		if _, err := s.session.Do(context.Background(), engine.Rename{Title: "title " + strconv.Itoa(i), By: engine.Actor{Screen: "cli", Name: "bench"}}); err != nil {
			fail(err)
		}
		took[i] = float64(time.Since(at)) / 1e3
	}
	return median(took)
}
