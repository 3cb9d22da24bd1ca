package mirror

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"time"

	"agentstudio/engine"
)

const heartbeat = 15 * time.Second

// lineSink writes frames as lines of a streamed answer, for pages whose socket does not open.
type lineSink struct {
	w  http.ResponseWriter
	rc *http.ResponseController
}

func (s *lineSink) write(frames []*frame) error {
	for len(frames) > 0 {
		size := 0
		for len(frames) > 0 && size <= gathered {
			size += len(frames[0].body)
			if _, err := s.w.Write(append(frames[0].body[:len(frames[0].body):len(frames[0].body)], '\n')); err != nil {
				return err
			}
			frames = frames[1:]
		}
		if err := s.rc.Flush(); err != nil {
			return err
		}
	}
	return nil
}

// ping is an empty line, which the page skips.
func (s *lineSink) ping() error { return s.write([]*frame{{}}) }

func (s *lineSink) hurry() { _ = s.rc.SetWriteDeadline(time.Now().Add(writeHurried)) }

// frames streams what /ws would send; commands go by POST meanwhile.
func (m *Mirror) frames(v *visit) error {
	var o order
	if err := o.query(v.r.URL.Query()); err != nil {
		return err
	}
	if !m.mayConnect(v.device) {
		return tooManyConnects(m.o.Limits.Connects)
	}
	if !m.mayCatchUp(v.device, o.hello()) {
		return engine.Errorf(engine.RateLimited, "too many whole views in a minute")
	}
	ctx, cancel := context.WithCancel(v.r.Context())
	defer cancel()
	v.w.Header().Set("Content-Type", "application/x-ndjson")
	s := &lineSink{v.w, http.NewResponseController(v.w)}
	f, refused := m.join(v.device, v.seat, s, cancel)
	if f == nil {
		return s.refuse(refused)
	}
	defer m.leave(f)
	_ = f.run(ctx, o.hello())
	if code := f.closing(); code != 0 {
		s.bye(code)
	}
	return nil
}

// refuse says why a stream does not begin; that the mirror is full has a status of its own.
func (s *lineSink) refuse(code int) error {
	if code == closeTooMany {
		return engine.Errorf(engine.MirrorFull, "as many devices watch as the mirror takes")
	}
	s.bye(code)
	return nil
}

// bye is the last line, which says what a socket's close frame would.
func (s *lineSink) bye(code int) {
	_ = s.write([]*frame{controlFrame(struct {
		Type string `json:"type"`
		Code int    `json:"code"`
	}{"close", code})})
}

// postHash has the hash sent over the streamed answers of a device, in its place among the patches, as
// a socket's is.
func (m *Mirror) postHash(v *visit) error {
	var o order
	if err := v.read(&o); err != nil {
		return err
	}
	if !v.device.catchups.AllowN(m.now(), 1) {
		return engine.Errorf(engine.RateLimited, "the hash is given so many times a minute and no more")
	}
	m.mu.Lock()
	feeds := slices.Clone(m.feeds)
	m.mu.Unlock()
	asked := false
	for _, f := range feeds {
		if _, streamed := f.sink.(*lineSink); streamed && f.device == v.device {
			f.question(o.ID)
			asked = true
		}
	}
	if !asked {
		return engine.Errorf(engine.RefNotFound, "no streamed answer of this device is open; ask over its socket")
	}
	v.w.WriteHeader(http.StatusAccepted)
	return nil
}

// events streams the public envelopes, as far as shared, as Server-Sent Events.
func (m *Mirror) events(v *visit) error {
	after, err := m.position(v)
	if err != nil {
		return err
	}
	if !m.mayConnect(v.device) {
		return tooManyConnects(m.o.Limits.Connects)
	}
	ctx, cancel := context.WithCancel(v.r.Context())
	defer cancel()
	v.w.Header().Set("Content-Type", "text/event-stream")
	s := &eventSink{v.w, http.NewResponseController(v.w)}
	f, _ := m.join(v.device, v.seat, s, cancel)
	if f == nil {
		return engine.Errorf(engine.MirrorFull, "as many devices watch as the mirror takes")
	}
	defer m.leave(f)
	if err := s.send(nil); err != nil {
		return nil
	}
	m.tellEvents(ctx, f, s, m.current(), after)
	return nil
}

// position is where the stream begins: Last-Event-ID goes before afterSequence.
func (m *Mirror) position(v *visit) (engine.Seq, error) {
	if last := v.r.Header.Get("Last-Event-ID"); last != "" {
		return sequence(last)
	}
	return sequence(v.r.URL.Query().Get("afterSequence"))
}

// tellEvents sends until the client is gone, or its role or session is another. The log is followed on
// a goroutine of its own, so that heartbeats come while nothing happens.
func (m *Mirror) tellEvents(ctx context.Context, f *feed, s *eventSink, session Session, after engine.Seq) {
	ctx, cancel := context.WithCancel(ctx)
	batches := make(chan []engine.Event)
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer close(batches)
		for batch, err := range session.Follow(ctx, after) {
			if err != nil {
				return
			}
			select {
			case batches <- batch:
			case <-ctx.Done():
				return
			}
		}
	}()
	defer func() { cancel(); <-done }()
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for {
		var err error
		select {
		case batch, more := <-batches:
			if !more {
				return
			}
			_, share, revoked := m.standing(f.device)
			if revoked || m.current() != session {
				return
			}
			err = s.batch(batch, share)
		case <-beat.C:
			err = s.send([]byte(": still here\n\n"))
		case <-f.bell:
			if f.closing() != 0 || m.current() != session {
				return
			}
		case <-ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

// eventSink writes Server-Sent Events.
type eventSink struct {
	w  http.ResponseWriter
	rc *http.ResponseController
}

func (s *eventSink) batch(batch []engine.Event, share Share) error {
	var b []byte
	for _, e := range batch {
		b = append(b, "id: "...)
		b = strconv.AppendUint(b, uint64(e.Seq), 10)
		b = append(append(append(b, "\nevent: "...), e.Kind()...), "\ndata: "...)
		var err error
		from := len(b)
		if b, err = share.filter(e).AppendJSON(b); err != nil {
			return err
		}
		b = escaped(b, from)
		b = append(b, "\n\n"...)
		if len(b) >= gathered {
			if err := s.send(b); err != nil {
				return err
			}
			b = b[:0]
		}
	}
	return s.send(b)
}

func (s *eventSink) send(b []byte) error {
	if _, err := s.w.Write(b); err != nil {
		return err
	}
	return s.rc.Flush()
}

// write implements sink; a stream of events is never sent patches.
func (s *eventSink) write([]*frame) error { return nil }

func (s *eventSink) ping() error { return nil }

func (s *eventSink) hurry() { _ = s.rc.SetWriteDeadline(time.Now().Add(writeHurried)) }
