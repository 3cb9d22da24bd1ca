package mirror_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"agentstudio/engine"
	"agentstudio/mirror"
)

// openSocket opens one as a program, and gives 200, or 429 if it is closed for having asked too often.
func (s *stage) openSocket(query string) int {
	s.t.Helper()
	h := http.Header{"Authorization": {"Bearer " + s.tokens[mirror.Viewer]}}
	conn, _, err := websocket.DefaultDialer.DialContext(s.t.Context(), "ws"+strings.TrimPrefix(s.base, "http")+"/ws"+query, h)
	if err != nil {
		s.t.Fatal(err)
	}
	defer conn.Close()
	_, _, err = conn.ReadMessage()
	switch {
	case websocket.IsCloseError(err, 4429):
		return 429
	case err != nil:
		s.t.Fatal(err)
	}
	return 200
}

// openStream opens a streamed answer and gives the status.
func (s *stage) openStream(query string) int {
	s.t.Helper()
	c, r := s.raw("GET /api/frames" + query + " HTTP/1.1\nHost: HOST\nAuthorization: Bearer " + s.tokens[mirror.Viewer] + "\n\n")
	defer c.Close()
	res, err := http.ReadResponse(r, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	return res.StatusCode
}

// Whatever leads to a whole view counts as one, over every way there is to ask.
func TestWholeViewsCount(t *testing.T) {
	clock := newHandClock()
	s := open(t, func(o *mirror.Options) {
		o.Clock = clock
		o.Limits = mirror.Limits{Connects: 1000, Sockets: 100, Frames: 1000}
	})
	for i := range 200 {
		if _, err := s.session.Do(t.Context(), engine.Rename{Title: fmt.Sprint(i), By: tester}); err != nil {
			t.Fatal(err)
		}
	}
	end := s.until(func(e engine.Event) bool { return e.Seq >= 200 }).Seq
	over := map[string]func(query string) int{"/ws": s.openSocket, "/api/frames": s.openStream}
	for path, ask := range over {
		for name, query := range map[string]string{"from nothing": "", "another session": "?after=1&sessionId=bogus", "another share": "?after=1&share=names",
			"beyond the end": "?after=999999", "nearly all of it": "?after=1"} {
			got := ""
			for range 8 {
				got += fmt.Sprintf("%d ", ask(query))
			}
			if want := "200 200 200 200 200 200 429 429 "; got != want {
				t.Errorf("%s, %s: %s, want %s", path, name, got, want)
			}
			got = ""
			for range 8 {
				got += fmt.Sprintf("%d ", ask(fmt.Sprintf("?after=%d", end-1)))
			}
			if want := "200 200 200 200 200 200 200 200 "; got != want {
				t.Errorf("%s, going on after %s: %s, want %s", path, name, got, want)
			}
			clock.advance(2 * time.Minute)
		}
	}
	held := newPage()
	held.sequence = uint64(end)
	c := s.dialFrom(s.tokens[mirror.Presenter], held)
	for range 7 {
		c.tell(map[string]any{"type": "again", "after": 99999999})
	}
	if code := c.closed(); code != 4429 {
		t.Errorf("again from beyond the end: closed with %d", code)
	}
}

// A device opens so many sockets and streams a minute; nobody hears of those beyond.
func TestConnectsAreCounted(t *testing.T) {
	clock := newHandClock()
	s := open(t, func(o *mirror.Options) { o.Clock = clock; o.Limits = mirror.Limits{Snapshots: 1000} })
	watcher := s.dial(s.tokens[mirror.Presenter], 0)
	watcher.untilType("presence")
	for i := range 40 {
		d := s.dial(s.tokens[mirror.Viewer], 0)
		if i < 10 {
			d.untilType("auth_ok")
			_ = d.conn.Close()
		} else if code := d.closed(); code != 4429 {
			t.Errorf("connect %d: closed with %d", i, code)
		}
	}
	for _, path := range []string{"/api/frames", "/api/events"} {
		if status, _, body := s.request("GET", path, s.tokens[mirror.Viewer], ""); status != 429 {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
	k := knock{method: "GET", path: "/ws", host: s.base[len("http://"):], token: s.tokens[mirror.Viewer], upgrade: true}
	if status, body := k.send(t, s); status != 429 {
		t.Errorf("a program's socket: %d %s", status, body)
	}
	watcher.tell(map[string]any{"type": "ping", "id": "p"})
	heard := 0
	watcher.until(func(m message) bool {
		if m.Type == "presence" {
			heard++
		}
		return m.Type == "pong"
	})
	if heard > 20 {
		t.Errorf("the watcher heard %d times of it", heard)
	}
	clock.advance(2 * time.Second)
	if status, _ := k.send(t, s); status != 101 {
		t.Errorf("after 2 s: %d", status)
	}
}

// Comings and goings are told together when there are many, and the last of them always.
func TestPresenceIsGathered(t *testing.T) {
	s := open(t, func(o *mirror.Options) {
		o.Limits = mirror.Limits{Connects: 1e6, Snapshots: 1e6, Sockets: 1000}
		o.Clients = 200
	})
	watcher := s.dial(s.tokens[mirror.Presenter], 0)
	watcher.untilType("presence")
	began := time.Now()
	heard := 0
	for range 50 {
		d := s.dial(s.tokens[mirror.Viewer], 0)
		d.untilType("auth_ok")
	}
	took := time.Since(began)
	watcher.until(func(m message) bool {
		if m.Type == "presence" {
			heard++
		}
		return m.Type == "presence" && m.Viewers == 1
	})
	watcher.tell(map[string]any{"type": "ping", "id": "p"})
	watcher.until(func(m message) bool {
		if m.Type == "presence" {
			heard++
		}
		return m.Type == "pong"
	})
	if most := 3 + int(time.Since(began)/(250*time.Millisecond)); heard > most {
		t.Errorf("heard %d times of 50 in %s, want at most %d", heard, took, most)
	}
}
