package engine

import (
	"sync"
	"time"
)

const (
	deltaEvery = time.Second / 60 // at most 60 deltas a second and message
	deltaBytes = 64               // with a stepped clock: by size instead
)

// speech turns the text of one answer into events: redacted, gathered, never cutting a rune. The
// run's goroutine feeds it; its timer sends what waits when the model falls silent.
type speech struct {
	log   *log
	clock Clock
	run   RunID
	cause Seq // the turn
	id    MessageID

	mu      sync.Mutex
	red     redactStream
	waiting []byte // redacted, not yet sent; used again for each delta
	think   bool   // what waits is reasoning
	bytes   int    // of text sent
	begun   bool
	ended   bool
	sent    time.Time
	stop    func() bool // armed timer, or nil
	err     error       // the first failure to append
}

func newSpeech(r *run, cause Seq) *speech {
	return &speech{log: r.log, clock: r.cfg.Clock, run: r.id, cause: cause,
		id: MessageID(r.cfg.NewID("msg")), red: redactStream{r: r.redact}}
}

// begin appends assistant.started, once.
func (s *speech) begin() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.begun || s.err != nil {
		return s.err
	}
	s.begun = true
	_, s.err = s.log.append(entry{s.run, s.cause, AssistantStarted{Message: s.id}})
	return s.err
}

// say adds a piece of text or of reasoning.
func (s *speech) say(piece string, think bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.think != think {
		s.drain()
		s.think = think
	}
	s.waiting = append(s.waiting, s.red.push(piece)...)
	if s.clock.Stepped() {
		if len(s.waiting) >= deltaBytes {
			s.send()
		}
		return s.err
	}
	if wait := deltaEvery - s.clock.Now().Sub(s.sent); wait <= 0 {
		s.send()
	} else if s.stop == nil && len(s.waiting) > 0 {
		s.stop = s.clock.AfterFunc(wait, s.timer)
	}
	return s.err
}

func (s *speech) timer() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stop = nil
	if !s.ended {
		s.send()
	}
}

// send appends what waits. Called with mu held.
func (s *speech) send() {
	if len(s.waiting) == 0 {
		return
	}
	text := string(s.waiting)
	s.waiting = s.waiting[:0]
	s.sent = s.clock.Now()
	var p Payload = AssistantDelta{Message: s.id, Delta: text}
	if s.think {
		p = ReasoningDelta{Message: s.id, Delta: text}
	} else {
		s.bytes += len(text)
	}
	if _, err := s.log.append(entry{s.run, s.cause, p}); err != nil && s.err == nil {
		s.err = err
	}
}

func (s *speech) drain() {
	s.waiting = append(s.waiting, s.red.flush()...)
	s.send()
}

// end sends all that is left and stops the timer; it tells how many bytes of text there were.
func (s *speech) end() (bytes int, begun bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drain()
	s.ended = true
	if s.stop != nil {
		s.stop()
	}
	return s.bytes, s.begun, s.err
}
