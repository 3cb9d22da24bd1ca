//go:build !windows

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"net/http"
	"os"
	"os/exec"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"

	"agentstudio/engine"
	"agentstudio/mirror"
)

const (
	fanPatches = 10000 // at once
	pacedMost  = 3000  // at 1,000 a second
	fanRounds  = 5
)

// fanOut measures patches from the engine's log over folder and sockets to readers in another process,
// beside a bare broadcast of the same bytes by the same library: plain and prepared, of which the
// faster is the floor. Rounds are in turn.
func fanOut(dir string) {
	defer debug.SetGCPercent(debug.SetGCPercent(200)) // as the program itself does
	watchers := build(dir, "watchers", "./scripts/bench/watchers")
	bodies := captured()
	var head struct{ Sequence int }
	if err := json.Unmarshal(bodies[0], &head); err != nil {
		fail(err)
	}
	first := head.Sequence
	for _, readers := range []int{1, 10, 100} {
		for _, rate := range []int{0, 1000} {
			var ours, plain, prepared fanned
			for range fanRounds {
				ours.add(mirrored(watchers, readers, first, rate))
				plain.add(broadcast(watchers, readers, first, rate, bodies, false))
				prepared.add(broadcast(watchers, readers, first, rate, bodies, true))
			}
			name := fmt.Sprintf("%d readers", readers)
			if rate == 0 {
				floor := max(median(plain.speed), median(prepared.speed))
				speed := median(ours.speed)
				fmt.Printf("%-34s %10.0f /s  floor %10.0f  ratio %5.2fx  at least %4.2fx  %s\n", "patches to "+name, speed, floor, speed/floor, 0.7, verdict(speed >= 0.7*floor))
				continue
			}
			floor, late := min(median(plain.p99), median(prepared.p99)), median(ours.p99)
			fmt.Printf("%-34s %10.2f ms  floor %10.2f  ratio %5.2fx  at most  1.50x or 5 ms more  %s\n", "p99 at 1,000/s to "+name, late, floor, late/floor, verdict(late <= max(1.5*floor, floor+5)))
		}
	}
}

func verdict(ok bool) string {
	if ok {
		return "ok"
	}
	return "OVER"
}

// fanned are the figures of some rounds.
type fanned struct{ speed, p99 []float64 }

func (f *fanned) add(speed, p99 float64) { f.speed, f.p99 = append(f.speed, speed), append(f.p99, p99) }

// received reads what the watchers saw: events a second up to the last arrival, and the 99th percentile of
// the delays in milliseconds.
func received(r io.Reader, readers int, sent []int64) (speed, p99 float64) {
	var delays []float64
	last := int64(0)
	for range readers {
		got := make([]int64, len(sent))
		if err := binary.Read(r, binary.LittleEndian, got); err != nil {
			fail(err)
		}
		for i, at := range got {
			delays = append(delays, float64(at-sent[i])/1e6)
		}
		last = max(last, got[len(got)-1])
	}
	slices.Sort(delays)
	return float64(len(sent)) / (float64(last-sent[0]) / 1e9), delays[len(delays)*99/100]
}

// many is how many patches a round has.
func many(rate int) int {
	if rate > 0 {
		return pacedMost
	}
	return fanPatches
}

// watched runs the watchers, sends when they are ready, and gives the figures.
func watched(program, url string, readers, first, patches int, token string, send func(sent []int64)) (speed, p99 float64) {
	c := exec.Command(program, url, strconv.Itoa(readers), strconv.Itoa(first), strconv.Itoa(patches), token)
	c.Stderr = os.Stderr
	pipe, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		fail(err)
	}
	out := bufio.NewReader(pipe)
	if _, err := out.ReadString('\n'); err != nil {
		fail(err)
	}
	sent := make([]int64, patches)
	send(sent)
	speed, p99 = received(out, readers, sent)
	if err := c.Wait(); err != nil {
		fail(err)
	}
	return speed, p99
}

// paced waits for the i-th tick of a rate; 0 is at once.
func paced(began time.Time, i, rate int) {
	if rate > 0 {
		time.Sleep(time.Until(began.Add(time.Duration(i) * time.Second / time.Duration(rate))))
	}
}

// ticking is a clock of a millisecond an event, with which a piece of an answer of 64 bytes or more is an event.
type ticking struct {
	mu  sync.Mutex
	now time.Time
}

func (c *ticking) Stamp() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(time.Millisecond)
	return c.now
}

func (c *ticking) Now() time.Time { return time.Now() }
func (c *ticking) Stepped() bool  { return true }
func (c *ticking) AfterFunc(d time.Duration, f func()) (stop func() bool) {
	return time.AfterFunc(d, f).Stop
}

// speaker is a model that says pieces on its own goroutine, as fast as it is told, once it is told to.
type speaker struct{ said chan func(say func(i int)) }

func (speaker) Info() engine.ModelInfo {
	return engine.ModelInfo{Provider: "bench", API: "scripted", ID: "bench", ContextWindow: 1 << 30}
}

func (p speaker) Stream(context.Context, engine.Request) iter.Seq2[engine.Chunk, error] {
	return func(yield func(engine.Chunk, error) bool) {
		for speech := range p.said {
			speech(func(i int) { yield(engine.Text(fmt.Sprintf("%099d\n", i)), nil) })
		}
		yield(engine.Stop{Reason: engine.StopEnd}, nil)
	}
}

// serving is a mirror of a session whose model speaks when told: each piece is an event, and a patch.
type serving struct {
	m       *mirror.Mirror
	session *engine.Session
	token   string
	speak   func(func(say func(i int)))
	end     func()
}

func speaking() serving {
	var n atomic.Int64
	model := speaker{make(chan func(func(int)))}
	e := engine.New(engine.Config{Store: &engine.MemStore{}, Model: model, Clock: &ticking{now: time.Now()},
		Budget: engine.Budget{MaxTokens: 1 << 40},
		NewID:  func(prefix string) string { return prefix + "_" + strconv.FormatInt(n.Add(1), 10) }})
	s, err := e.Open(context.Background(), "")
	if err != nil {
		fail(err)
	}
	token := strings.Repeat("0123456789abcdef", 4)
	m, err := mirror.New(mirror.Options{Session: s, Port: mirror.AnyPort, Clients: 1000, Limits: mirror.Limits{Sockets: 1000, Snapshots: 1e6, Catchups: 1e6, Connects: 1e6},
		Tokens: []mirror.Token{{Role: mirror.Viewer, Name: "bench", Token: token}}})
	if err != nil {
		fail(err)
	}
	if _, err := s.Do(context.Background(), engine.Send{Text: "go", By: engine.Actor{Screen: "cli", Name: "bench"}}); err != nil {
		fail(err)
	}
	return serving{m, s, token, func(f func(func(int))) { model.said <- f }, func() { close(model.said); _ = m.Close(); _ = e.Close() }}
}

// socketOf is the socket's address.
func socketOf(m *mirror.Mirror) string {
	for _, a := range m.State().Addresses {
		if strings.HasPrefix(a, "http://127.") {
			return "ws" + strings.TrimPrefix(a, "http") + "/ws"
		}
	}
	fail(fmt.Errorf("the mirror has no address"))
	return ""
}

func mirrored(watchers string, readers, first, rate int) (speed, p99 float64) {
	s := speaking()
	defer s.end()
	return watched(watchers, socketOf(s.m), readers, first, many(rate), s.token, func(sent []int64) {
		done := make(chan struct{})
		s.speak(func(say func(int)) {
			defer close(done)
			began := time.Now()
			for i := range sent {
				paced(began, i, rate)
				sent[i] = time.Now().UnixNano()
				say(i)
			}
		})
		<-done
	})
}

// captured are the very bytes that a mirror sends.
func captured() (bodies [][]byte) {
	s := speaking()
	defer s.end()
	c, _, err := websocket.DefaultDialer.Dial(socketOf(s.m), http.Header{"Authorization": {"Bearer " + s.token}})
	if err != nil {
		fail(err)
	}
	defer c.Close()
	ready := false
	for len(bodies) < fanPatches {
		_, b, err := c.ReadMessage()
		if err != nil {
			fail(err)
		}
		if bytes.Contains(b, []byte(`,"append":`)) {
			bodies = append(bodies, b)
		}
		if !ready && bytes.HasPrefix(b, []byte(`{"type":"presence"`)) {
			ready = true
			go s.speak(func(say func(int)) {
				for i := range fanPatches {
					say(i)
				}
			})
		}
	}
	return bodies
}

// broadcast is the floor: each body to each socket, by one channel and one writer a socket.
func broadcast(watchers string, readers, first, rate int, bodies [][]byte, prepared bool) (speed, p99 float64) {
	c := casting()
	defer c.end()
	return watched(watchers, c.url, readers, first, many(rate), "", func(sent []int64) {
		c.await(readers)
		began := time.Now()
		for i := range sent {
			paced(began, i, rate)
			sent[i] = time.Now().UnixNano()
			c.send(bodies[i], prepared)
		}
	})
}
