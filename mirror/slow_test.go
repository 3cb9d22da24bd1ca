package mirror_test

import (
	"flag"
	"fmt"
	"net"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"agentstudio/engine"
	"agentstudio/mirror"
)

// connects is how many connections the leak test makes; scripts/soak sets it.
var connects = flag.Int("connects", 100, "connections of the test for leaks")

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// The case from the field: of three clients one never reads and one goes in the middle of a write. The
// third gets everything in order, the engine is never kept waiting, and memory stays bounded.
func TestReaderThatNeverReads(t *testing.T) {
	s := open(t, func(o *mirror.Options) { o.Limits = mirror.Limits{Snapshots: 100} })
	a := s.dial(s.tokens[mirror.Approver], 0)
	b := s.dial(s.tokens[mirror.Viewer], 0)
	c := s.dial(s.tokens[mirror.Operator], 0)
	for _, x := range []*client{a, b, c} {
		x.upto(1)
	}
	_ = b.conn.NetConn().(*net.TCPConn).SetReadBuffer(4 << 10)
	before := heap()
	const events = 20000
	wrote := make(chan time.Duration, 1)
	go func() {
		var most time.Duration
		for i := range events {
			began := time.Now()
			_, err := s.session.Do(t.Context(), engine.Rename{Title: fmt.Sprintf("%d %s", i, strings.Repeat("x", 100)), By: tester})
			if most = max(most, time.Since(began)); err != nil {
				t.Error(err)
				break
			}
			if i == events/2 {
				_ = c.conn.NetConn().Close()
			}
		}
		wrote <- most
	}()
	end := uint64(events) + a.page.sequence
	for a.page.sequence < end {
		a.next() // each must follow what is held
	}
	if most := <-wrote; most > 2*time.Second {
		t.Errorf("an append took %s", most)
	}
	a.agrees()
	eventually(t, func() bool { return s.m.State().Clients == 1 }) // within the write deadline
	again := s.dialFrom(s.tokens[mirror.Viewer], b.page)
	again.upto(engine.Seq(end))
	again.agrees()
	if grown := int64(heap()) - int64(before); grown > 50<<20 {
		t.Errorf("%d MiB more than at rest", grown>>20)
	}
}

// Goroutines and sockets after many connects and disconnects of every kind are what they were before.
func TestConnectsLeaveNothing(t *testing.T) {
	s := open(t, func(o *mirror.Options) { o.Limits = mirror.Limits{Snapshots: 1e6, Frames: 1e6, Connects: 1e6} }, say("hello"))
	s.send("hi")
	end := s.untilKind("run.completed").Seq
	cycle := func(i int) {
		switch i % 4 {
		case 0, 1:
			c := s.dial(s.tokens[mirror.Roles()[i%3]], 0)
			c.upto(end)
			if i%8 < 4 {
				_ = c.conn.NetConn().Close()
			} else {
				_ = c.conn.Close()
			}
		case 2:
			s.stream("/api/events", end, nil)
		case 3:
			s.lines("/api/frames", end)
		}
	}
	settle := func() (goroutines, sockets int) {
		eventually(t, func() bool { return s.m.State().Clients == 0 })
		closeIdle()
		return runtime.NumGoroutine(), descriptors()
	}
	for i := range 8 {
		cycle(i)
	}
	goroutines, open := settle()
	for i := range *connects {
		cycle(i)
	}
	eventually(t, func() bool {
		g, o := settle()
		return g <= goroutines && o <= open
	})
}

// descriptors is how many file descriptors are open, 0 where nobody says.
func descriptors() int {
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(list)
}
