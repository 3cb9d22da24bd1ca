package mirror_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"

	"agentstudio/mirror"
)

// from makes a request from an address of this machine, and gives the status.
func (s *stage) from(addr, method, path, token, body string) int {
	s.t.Helper()
	tr := &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, network, to string) (net.Conn, error) {
		return (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(addr)}}).DialContext(ctx, network, to)
	}}
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.base+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Origin", s.base)
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := tr.RoundTrip(r)
	if err != nil {
		s.t.Fatal(err)
	}
	_ = res.Body.Close()
	return res.StatusCode
}

// manyLoopbacks skips where this machine answers to 127.0.0.1 alone.
func manyLoopbacks(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.3:0")
	if err != nil {
		t.Skip("this machine has one loopback address only")
	}
	_ = l.Close()
}

// Whatever one address tries, it is that address that has to wait, and no other.
func TestOneAddressBlocksNobody(t *testing.T) {
	manyLoopbacks(t)
	wrong := strings.Repeat("cd", 32)
	for name, try := range map[string]func(*stage) int{
		"tokens": func(s *stage) int { return s.from("127.0.0.3", "GET", "/api/health", wrong, "") },
		"codes":  func(s *stage) int { return s.from("127.0.0.3", "POST", "/api/pair", "", `{"code":"ZZZZZZZZ"}`) },
		"waits":  func(s *stage) int { return s.from("127.0.0.3", "POST", "/api/pair/wait", "", `{"request":"x"}`) },
	} {
		t.Run(name, func(t *testing.T) {
			clock := newHandClock()
			s := open(t, func(o *mirror.Options) { o.Clock = clock })
			last := 0
			for range 310 {
				last = try(s)
			}
			if last != 429 {
				t.Errorf("the last try of 127.0.0.3: %d", last)
			}
			code := s.m.ShowClassCode()
			if status := s.from("127.0.0.4", "POST", "/api/pair", "", `{"code":"ZZZZZZZZ"}`); status != 403 {
				t.Errorf("a wrong code of 127.0.0.4: %d", status)
			}
			if status := s.from("127.0.0.4", "POST", "/api/pair", "", `{"code":"`+code+`","name":"Ada"}`); status != 200 {
				t.Errorf("the right code of 127.0.0.4: %d", status)
			}
			if own := s.from("127.0.0.3", "POST", "/api/pair", "", `{"code":"`+code+`","name":"Bob"}`); (own == 429) != (name == "codes") {
				t.Errorf("the right code of 127.0.0.3: %d", own)
			}
		})
	}
}

// Three hundred wrong codes in all, however many addresses they come from.
func TestCodesInAll(t *testing.T) {
	manyLoopbacks(t)
	clock := newHandClock()
	s := open(t, func(o *mirror.Options) { o.Clock = clock })
	for i := range 30 {
		for range 10 {
			if status := s.from(fmt.Sprintf("127.0.1.%d", i+1), "POST", "/api/pair", "", `{"code":"ZZZZZZZZ"}`); status != 403 {
				t.Fatalf("address %d: %d", i, status)
			}
		}
	}
	if status := s.from("127.0.2.1", "POST", "/api/pair", "", `{"code":"ZZZZZZZZ"}`); status != 429 {
		t.Errorf("the 301st: %d", status)
	}
	if status := s.from("127.0.2.1", "GET", "/api/health", strings.Repeat("cd", 32), ""); status != 401 {
		t.Errorf("a wrong token: %d", status)
	}
}

// raw sends bytes on a connection of their own and gives it.
func (s *stage) raw(text string) (net.Conn, *bufio.Reader) {
	s.t.Helper()
	_, addr, _ := strings.Cut(s.base, "://")
	c, err := net.Dial("tcp", addr)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = c.Close() })
	if _, err := c.Write([]byte(strings.NewReplacer("HOST", addr, "BASE", s.base, "\n", "\r\n").Replace(text))); err != nil {
		s.t.Fatal(err)
	}
	return c, bufio.NewReader(c)
}
