//go:build !windows

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// server is a Chat Completions server on this computer. The address says what it answers:
// …/2000x20@5ms/v1 streams so many pieces of so many bytes, one every so long; 0x20 never ends.
type server struct {
	at     string
	begun  chan struct{}  // an endless answer has begun
	closed chan time.Time // and was given up by the client
	http   *http.Server
}

func serve() *server {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fail(err)
	}
	s := &server{at: "http://" + l.Addr().String(), begun: make(chan struct{}), closed: make(chan time.Time)}
	s.http = &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = s.http.Serve(l) }()
	return s
}

func (s *server) close() { _ = s.http.Close() }

// base is the base URL under which so much is answered.
func (s *server) base(times int, every time.Duration) string {
	return fmt.Sprintf("%s/%dx20@%s/v1", s.at, times, every)
}

// ServeHTTP answers any request.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	spec, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	var times, size int
	var pause string
	if _, err := fmt.Sscanf(spec, "%dx%d@%s", &times, &size, &pause); err != nil {
		http.Error(w, "no such answer", http.StatusNotFound)
		return
	}
	every, err := time.ParseDuration(pause)
	if err != nil {
		http.Error(w, "no such pause", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	if times == 0 {
		s.endless(w, r, size)
		return
	}
	out := bufio.NewWriterSize(w, 32<<10)
	answer(out, w.(http.Flusher), times, size, every)
}

// answer writes a whole answer.
func answer(out *bufio.Writer, now http.Flusher, times, size int, every time.Duration) {
	next := time.Now()
	for n := range times {
		piece(out, n, size)
		if every > 0 {
			_ = out.Flush()
			now.Flush()
			next = next.Add(every)
			time.Sleep(time.Until(next))
		}
	}
	fmt.Fprint(out, `data: {"id":"c","object":"chat.completion.chunk","model":"bench","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`+"\n\n")
	fmt.Fprintf(out, `data: {"id":"c","object":"chat.completion.chunk","model":"bench","choices":[],"usage":{"prompt_tokens":1000,"completion_tokens":%d}}`+"\n\ndata: [DONE]\n\n", times)
	_ = out.Flush()
}

// endless streams until the client hangs up, and says when that was.
func (s *server) endless(w http.ResponseWriter, r *http.Request, size int) {
	out := bufio.NewWriter(w)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for n := 0; ; n++ {
		piece(out, n, size)
		_ = out.Flush()
		w.(http.Flusher).Flush()
		if n == 20 {
			s.begun <- struct{}{}
		}
		select {
		case <-r.Context().Done():
			s.closed <- time.Now()
			return
		case <-tick.C:
		}
	}
}

// piece writes part n of a text in paragraphs, as servers write it.
func piece(out io.Writer, n, size int) {
	const sentence = "An agent that is watched explains itself in paragraphs like this one. "
	paragraph := strings.Repeat(sentence, 6) + "\n\n"
	at := n * size % len(paragraph)
	words, _ := json.Marshal((paragraph + paragraph)[at : at+size]) // text always marshals
	fmt.Fprintf(out, `data: {"id":"c","object":"chat.completion.chunk","model":"bench","choices":[{"index":0,"delta":{"content":%s},"finish_reason":null}]}`+"\n\n", words)
}
