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

// server speaks all three APIs on this computer. The address says what it answers:
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
	speaks := chat()
	switch {
	case strings.HasSuffix(r.URL.Path, "/responses"):
		speaks = responses()
	case strings.HasSuffix(r.URL.Path, "/messages"):
		speaks = messages()
	}
	if times == 0 {
		s.endless(w, r, speaks, size)
		return
	}
	out := bufio.NewWriterSize(w, 32<<10)
	answer(out, w.(http.Flusher), speaks, times, size, every)
}

// dialect is how an API writes an answer: what comes first, a piece with its text as JSON, and the end
// with the number of pieces.
type dialect struct{ head, piece, end string }

func chat() dialect {
	return dialect{"", `data: {"id":"c","object":"chat.completion.chunk","model":"bench","choices":[{"index":0,"delta":{"content":%s},"finish_reason":null}]}` + "\n\n",
		`data: {"id":"c","object":"chat.completion.chunk","model":"bench","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n" +
			`data: {"id":"c","object":"chat.completion.chunk","model":"bench","choices":[],"usage":{"prompt_tokens":1000,"completion_tokens":%d}}` + "\n\ndata: [DONE]\n\n"}
}

func responses() dialect {
	return dialect{`event: response.created` + "\n" + `data: {"type":"response.created","response":{"id":"r","status":"in_progress"}}` + "\n\n" +
		`event: response.output_item.added` + "\n" + `data: {"type":"response.output_item.added","output_index":0,"item":{"id":"m","type":"message","role":"assistant","content":[]}}` + "\n\n",
		`event: response.output_text.delta` + "\n" + `data: {"type":"response.output_text.delta","item_id":"m","output_index":0,"content_index":0,"delta":%s}` + "\n\n",
		`event: response.completed` + "\n" + `data: {"type":"response.completed","response":{"id":"r","status":"completed","usage":{"input_tokens":1000,"output_tokens":%d}}}` + "\n\n"}
}

func messages() dialect {
	return dialect{`event: message_start` + "\n" + `data: {"type":"message_start","message":{"id":"m","role":"assistant","model":"bench","content":[],"usage":{"input_tokens":1000,"output_tokens":1}}}` + "\n\n" +
		`event: content_block_start` + "\n" + `data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}` + "\n\n",
		`event: content_block_delta` + "\n" + `data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":%s}}` + "\n\n",
		`event: content_block_stop` + "\n" + `data: {"type":"content_block_stop","index":0}` + "\n\n" +
			`event: message_delta` + "\n" + `data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":%d}}` + "\n\n" +
			`event: message_stop` + "\n" + `data: {"type":"message_stop"}` + "\n\n"}
}

// answer writes a whole answer.
func answer(out *bufio.Writer, now http.Flusher, speaks dialect, times, size int, every time.Duration) {
	next := time.Now()
	_, _ = out.WriteString(speaks.head)
	for n := range times {
		speaks.write(out, n, size)
		if every > 0 {
			_ = out.Flush()
			now.Flush()
			next = next.Add(every)
			time.Sleep(time.Until(next))
		}
	}
	fmt.Fprintf(out, speaks.end, times)
	_ = out.Flush()
}

// endless streams until the client hangs up, and says when that was.
func (s *server) endless(w http.ResponseWriter, r *http.Request, speaks dialect, size int) {
	out := bufio.NewWriter(w)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	_, _ = out.WriteString(speaks.head)
	for n := 0; ; n++ {
		speaks.write(out, n, size)
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

// write writes part n of a text in paragraphs, as servers write it.
func (d dialect) write(out io.Writer, n, size int) {
	const sentence = "An agent that is watched explains itself in paragraphs like this one. "
	paragraph := strings.Repeat(sentence, 6) + "\n\n"
	at := n * size % len(paragraph)
	words, _ := json.Marshal((paragraph + paragraph)[at : at+size]) // text always marshals
	fmt.Fprintf(out, d.piece, words)
}
