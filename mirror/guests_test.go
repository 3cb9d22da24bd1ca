package mirror_test

import (
	"net"
	"testing"
	"time"

	"agentstudio/mirror"
)

// Connections on which nothing is said take no place from those of somebody with a token.
func TestSilentConnections(t *testing.T) {
	s := open(t, nil)
	follower := s.dial(s.tokens[mirror.Viewer], 0)
	follower.untilType("patch")
	_, stream := s.raw("GET /api/frames HTTP/1.1\nHost: HOST\nAuthorization: Bearer " + s.tokens[mirror.Approver] + "\n\n")
	if _, err := stream.ReadString('{'); err != nil {
		t.Fatal(err)
	}
	const more = 20
	var silent []net.Conn
	for range mirror.GuestsEach + more {
		c, _ := s.raw("GET / HTTP/1.1\nHost: 127")
		silent = append(silent, c)
	}
	for i, c := range silent[:more] { // the oldest are closed for the newest, at once
		_ = c.SetReadDeadline(time.Now().Add(4 * time.Second))
		if _, err := c.Read(make([]byte, 1)); err == nil || isTimeout(err) {
			t.Errorf("connection %d: %v", i, err)
		}
	}
	if status, _, _ := s.request("GET", "/api/health", s.tokens[mirror.Operator], ""); status != 200 {
		t.Errorf("somebody with a token: %d", status)
	}
	s.send("hi")
	end := s.untilKind("run.completed").Seq
	follower.upto(end)
	for seen := false; !seen; {
		line, err := stream.ReadString('\n')
		if err != nil {
			t.Fatalf("the stream of somebody with a token: %v", err)
		}
		seen = len(line) > 0 && line != "\r\n"
	}
}

func isTimeout(err error) bool {
	n, ok := err.(net.Error)
	return ok && n.Timeout()
}

// Nobody closes the connections of another address before having used up the share of one.
func TestGuestsByAddress(t *testing.T) {
	manyLoopbacks(t)
	s := open(t, nil)
	c, r := s.raw("GET /page HTTP/1.1\nHost: HOST\n")
	_, addr := c.LocalAddr(), c.RemoteAddr().String()
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP("127.0.0.3")}}
	for range 2 * mirror.GuestsEach {
		other, err := d.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		defer other.Close()
	}
	if status := s.from("127.0.0.3", "GET", "/api/health", s.tokens[mirror.Viewer], ""); status != 200 {
		t.Errorf("somebody with a token at the same address: %d", status)
	}
	if _, err := c.Write([]byte("\r\n")); err != nil {
		t.Fatal(err)
	}
	if status, _ := s.answer(r); status != 404 {
		t.Errorf("the other address: %d", status)
	}
}
