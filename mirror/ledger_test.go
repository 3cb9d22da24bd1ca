package mirror_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"agentstudio/mirror"
)

// What was refused is written so many times a minute, and then how many more there were.
func TestLedger(t *testing.T) {
	var mu sync.Mutex
	var lines []string
	clock := newHandClock()
	s := open(t, func(o *mirror.Options) {
		o.Clock = clock
		o.Log = func(l string) { mu.Lock(); lines = append(lines, l); mu.Unlock() }
	})
	_, addr, _ := strings.Cut(s.base, "://")
	k := knock{method: "GET", path: "/" + strings.Repeat("x", 500), host: "evil.example.com"}
	refuse := func(n int) {
		for range n {
			if status, _ := k.send(t, s); status != 421 {
				t.Fatal(status, addr)
			}
		}
	}
	expect := func(n int, last string) {
		t.Helper()
		mu.Lock()
		defer mu.Unlock()
		if len(lines) != n || !strings.Contains(lines[n-1], last) || len(lines[0]) > 250 {
			t.Errorf("%d lines, want %d: %q … %q", len(lines), n, lines[0], lines[len(lines)-1])
		}
	}
	refuse(mirror.LedgerLines + 40)
	expect(mirror.LedgerLines, "host")
	clock.advance(time.Minute)
	expect(mirror.LedgerLines+1, "40 more refused")
	refuse(1)
	expect(mirror.LedgerLines+2, "host")
	clock.advance(time.Minute)
	refuse(mirror.LedgerLines + 3)
	_ = s.m.Close()
	expect(2*mirror.LedgerLines+3, "3 more refused")
}
