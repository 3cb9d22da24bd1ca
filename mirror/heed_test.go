package mirror_test

import (
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"agentstudio/mirror"
)

// A ping is answered with its data and in its place, a close with its code (RFC 6455, 5.5).
func TestPingsAndCloses(t *testing.T) {
	s := open(t, nil)
	c := s.dial(s.tokens[mirror.Viewer], 0)
	c.untilType("patch")
	var pongs []string
	c.conn.SetPongHandler(func(data string) error { pongs = append(pongs, data); return nil })
	long := strings.Repeat("x", 125)
	for _, data := range []string{"one", "", long} {
		if err := c.conn.WriteControl(websocket.PingMessage, []byte(data), time.Now().Add(time.Second)); err != nil {
			t.Fatal(err)
		}
	}
	c.tell(map[string]any{"type": "ping", "id": "p"})
	c.until(func(m message) bool { return m.Type == "pong" && m.ID == "p" })
	if strings.Join(pongs, ",") != "one,,"+long {
		t.Errorf("pongs %q", pongs)
	}
	for _, code := range []int{1000, 1001, 4321} {
		d := s.dial(s.tokens[mirror.Approver], 0)
		d.untilType("patch")
		_ = d.conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, "bye"), time.Now().Add(time.Second))
		if got := d.closed(); got != code {
			t.Errorf("a close with %d was answered with %d", code, got)
		}
	}
	eventually(t, func() bool { return s.m.State().Clients == 1 })
}

// Control frames count as frames.
func TestTooManyPings(t *testing.T) {
	clock := newHandClock()
	s := open(t, func(o *mirror.Options) { o.Clock = clock })
	c := s.dial(s.tokens[mirror.Viewer], 0)
	c.untilType("patch")
	for range 45 {
		if err := c.conn.WriteControl(websocket.PongMessage, nil, time.Now().Add(time.Second)); err != nil {
			break // closed already
		}
	}
	if code := c.closed(); code != 4429 {
		t.Errorf("closed with %d", code)
	}
}

// Before the token nothing is sent, whatever comes; a close is answered all the same.
func TestNothingBeforeTheToken(t *testing.T) {
	s := open(t, nil)
	c := s.dialWith("")
	ponged := false
	c.conn.SetPongHandler(func(string) error { ponged = true; return nil })
	for range 3 {
		if err := c.conn.WriteControl(websocket.PingMessage, []byte("x"), time.Now().Add(time.Second)); err != nil {
			t.Fatal(err)
		}
	}
	c.tell(map[string]any{"type": "auth", "token": s.tokens[mirror.Viewer], "after": 0})
	c.untilType("patch")
	if ponged {
		t.Error("a ping was answered before the token")
	}
	d := s.dialWith("")
	for range 50 {
		if err := d.conn.WriteControl(websocket.PingMessage, []byte("x"), time.Now().Add(time.Second)); err != nil {
			break
		}
	}
	began := time.Now()
	if code := d.closed(); code != 4408 && code != -1 || time.Since(began) > 2*time.Second {
		t.Errorf("a flood of pings: closed with %d after %s", code, time.Since(began))
	}
	e := s.dialWith("")
	_ = e.conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(1000, ""), time.Now().Add(time.Second))
	if code := e.closed(); code != 1000 {
		t.Errorf("a close was answered with %d", code)
	}
}
