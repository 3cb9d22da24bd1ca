package mirror

import (
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// What we frame ourselves is what the library reads, at every size of header.
func TestFrames(t *testing.T) {
	sizes := []int{1, 120, 125, 126, 127, 1 << 15, 65535, 65536, 200000}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := (&websocket.Upgrader{}).Upgrade(w, r, nil)
		if err != nil {
			return
		}
		defer c.Close()
		sink := &socketSink{conn: c}
		var frames []*frame
		for _, n := range sizes {
			frames = append(frames, newFrame(0, 0, append(make([]byte, frameHeader), strings.Repeat("x", n)...)))
		}
		if sink.write(frames) == nil {
			bye(c, closeSlow, "and the library goes on")
		}
	}))
	defer s.Close()
	c, _, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(s.URL, "http"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, n := range sizes {
		kind, b, err := c.ReadMessage()
		if err != nil || kind != websocket.TextMessage || string(b) != strings.Repeat("x", n) {
			t.Fatalf("of %d bytes came %d, type %d: %v", n, len(b), kind, err)
		}
	}
	if _, _, err := c.ReadMessage(); !websocket.IsCloseError(err, closeSlow) {
		t.Errorf("the end is %v", err)
	}
}

// A reader that was too slow for the deadline but takes the rest soon after is told why it is closed.
func TestSlowReaderIsToldSo(t *testing.T) {
	stuck, told := make(chan *websocket.Conn), make(chan error)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := (&websocket.Upgrader{}).Upgrade(w, r, nil)
		if err != nil {
			return
		}
		stuck <- c
		<-told
	}))
	defer s.Close()
	c, _, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(s.URL, "http"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	server := <-stuck
	sink := &socketSink{conn: server}
	body := strings.Repeat("y", 8<<20) // more than the system takes in between
	written := make(chan error)
	go func() { written <- sink.write([]*frame{newFrame(0, 0, append(make([]byte, frameHeader), body...))}) }()
	for waiting := true; waiting; { // the deadline is set by the write; ours comes after it
		select {
		case err = <-written:
			waiting = false
		default:
			_ = server.NetConn().SetWriteDeadline(time.Now())
			runtime.Gosched()
		}
	}
	if err == nil {
		t.Fatal("the deadline did not hold")
	}
	got := make(chan error)
	go func() {
		if _, b, err := c.ReadMessage(); err != nil || len(b) != len(body) {
			got <- err
			return
		}
		_, _, err := c.ReadMessage()
		got <- err
	}()
	if err := sink.finish(); err != nil {
		t.Fatal(err)
	}
	bye(server, closeSlow, "too slow")
	if err := <-got; !websocket.IsCloseError(err, closeSlow) {
		t.Errorf("the end is %v", err)
	}
	close(told)
}
