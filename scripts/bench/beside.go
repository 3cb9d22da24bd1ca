//go:build !windows

package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gorilla/websocket"

	"agentstudio/engine"
)

const (
	besideReaders = 80
	besideSilent  = 20
	besideAppends = 1000
	besideRate    = 200 // a second
	besideKeys    = 60
)

// company is who is there while something is measured: tell is called after each event, leave at the end.
type company func(url, token string) (tell func(i int), leave func())

// beside measures how long the engine takes for an append while a hundred watch of whom twenty never
// read. The floor is an engine that nobody watches, beside a bare broadcast to as many: that takes the
// cores away just so.
func beside(dir string) {
	watchers := build(dir, "watchers", "./scripts/bench/watchers")
	bodies := captured()
	nobody := func(string, string) (func(int), func()) { return func(int) {}, func() {} }
	hundred := func(url, token string) (func(int), func()) {
		return func(int) {}, crowd(watchers, url, []string{token}, besideSilent)
	}
	elsewhere := func(string, string) (func(int), func()) {
		c := casting()
		leave := crowd(watchers, c.url, []string{""}, 0)
		c.await(besideReaders)
		return func(i int) { c.send(bodies[i], false) }, func() { leave(); c.end() }
	}
	var alone, watched, floor []float64
	for range fanRounds {
		alone = append(alone, appends(nobody))
		watched = append(watched, appends(hundred))
		floor = append(floor, appends(elsewhere))
	}
	fmt.Printf("an append, median: %.1f µs watched by %d of whom %d never read; unwatched %.1f µs, and %.1f µs beside a bare broadcast to %d\n",
		median(watched), besideReaders+besideSilent, besideSilent, median(alone), median(floor), besideReaders)
	fmt.Printf("  rounds: watched %.1f to %.1f, unwatched %.1f to %.1f, beside a broadcast %.1f to %.1f\n", watched[0], watched[fanRounds-1],
		alone[0], alone[fanRounds-1], floor[0], floor[fanRounds-1])
}

// crowd joins a server: readers in another process, and some that never read.
func crowd(watchers, url string, tokens []string, silent int) (leave func()) {
	var conns []*websocket.Conn
	for i := range silent {
		c, _, err := websocket.DefaultDialer.Dial(url, http.Header{"Authorization": {"Bearer " + tokens[i*len(tokens)/silent]}})
		if err != nil {
			fail(err)
		}
		conns = append(conns, c)
	}
	c := exec.Command(watchers, url, strconv.Itoa(besideReaders), "1", strconv.Itoa(1<<20), strings.Join(tokens, ","))
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
	return func() {
		_ = c.Process.Kill()
		_ = c.Wait()
		for _, c := range conns {
			_ = c.Close()
		}
	}
}

// appends is the median in microseconds of a command that appends one event.
func appends(with company) float64 {
	s := speaking()
	defer s.end()
	tell, leave := with(socketOf(s.m), s.token)
	defer leave()
	took := make([]float64, besideAppends)
	began := time.Now()
	for i := range took {
		paced(began, i, besideRate)
		at := time.Now()
		if _, err := s.session.Do(context.Background(), engine.Rename{Title: "title " + strconv.Itoa(i), By: engine.Actor{Screen: "cli", Name: "bench"}}); err != nil {
			fail(err)
		}
		took[i] = float64(time.Since(at)) / 1e3
		tell(i)
	}
	return median(took)
}

// keysBeside measures from a key to its letter on the screen while an answer streams: with a hundred
// who watch it, of whom twenty never read, and with none.
func keysBeside(dir string, ours []string) {
	watchers := build(dir, "watchers", "./scripts/bench/watchers")
	tokens := make([]string, 40) // three sockets each
	var file strings.Builder
	for i := range tokens {
		tokens[i] = fmt.Sprintf("%x", sha256.Sum256([]byte{byte(i)}))
		fmt.Fprintf(&file, "viewer watcher-%d %s\n", i, tokens[i])
	}
	name := filepath.Join(dir, "tokens")
	if err := os.WriteFile(name, []byte(file.String()), 0o600); err != nil {
		fail(err)
	}
	var alone, watched []float64
	for range 3 { // in turn, so that both meet the same machine
		port := strconv.Itoa(freePort())
		mirrored := append(slices.Clone(ours), "--mirror", "--mirror-port", port, "--mirror-token-file", name, "--mirror-clients", "120") // four places are kept for who decides
		alone = append(alone, echo(ours, bothered, besideKeys, nil)...)
		watched = append(watched, echo(mirrored, bothered, besideKeys, func() func() {
			return crowd(watchers, "ws://127.0.0.1:"+port+"/ws", tokens, besideSilent)
		})...)
	}
	median(alone)
	median(watched)
	for _, share := range []float64{0.5, 0.99} {
		fmt.Printf("key to paint while streaming, %2.0f%%: %.2f ms watched by %d of whom %d never read, %.2f ms unwatched\n", share*100,
			at(watched, share), besideReaders+besideSilent, besideSilent, at(alone, share))
	}
}

// freePort is one that nobody listened at a moment ago.
func freePort() int {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fail(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}
