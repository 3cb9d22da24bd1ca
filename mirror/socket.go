package mirror

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/gorilla/websocket"

	"agentstudio/engine"
)

const (
	frameBytes   = 16 << 10 // of one frame of a client
	authWithin   = 3 * time.Second
	writeWithin  = 5 * time.Second
	writeHurried = 500 * time.Millisecond
	lastWords    = 3 * time.Second        // for a slow reader to be told that it was
	partWithin   = 300 * time.Millisecond // for a client to answer that it was closed
	pingEvery    = 20 * time.Second
	pongWithin   = 45 * time.Second
	waitingMost  = 8
	waitingEach  = 2
	gathered     = 64 << 10 // bytes that go out with one call
)

// waiter is a socket that has not said its token yet.
type waiter struct {
	conn *websocket.Conn
	addr string
}

func (w *waiter) end() { _ = w.conn.Close() }

// stop ends it with the word that the mirror was switched off.
func (w *waiter) stop() {
	bye(w.conn, closeStopped, "")
	w.end()
}

// queueUp takes a place among those that wait; false when the mirror has ended. When there is no place,
// the one that waits longest goes.
func (m *Mirror) queueUp(w *waiter) bool {
	m.mu.Lock()
	if m.ended {
		m.mu.Unlock()
		return false
	}
	var gone *waiter
	same := slices.IndexFunc(m.waiting, func(x *waiter) bool { return w.addr != "" && x.addr == w.addr })
	count := 0
	for _, x := range m.waiting {
		if w.addr != "" && x.addr == w.addr {
			count++
		}
	}
	switch {
	case count >= waitingEach:
		gone = m.waiting[same]
	case len(m.waiting) >= waitingMost:
		gone = m.waiting[0]
	}
	m.waiting = slices.DeleteFunc(m.waiting, func(x *waiter) bool { return x == gone })
	m.waiting = append(m.waiting, w)
	m.mu.Unlock()
	if gone != nil {
		gone.end()
	}
	return true
}

func (m *Mirror) unqueue(w *waiter) {
	m.mu.Lock()
	m.waiting = slices.DeleteFunc(m.waiting, func(x *waiter) bool { return x == w })
	m.mu.Unlock()
}

// socket is GET /ws.
func (m *Mirror) socket(v *visit) error {
	program := v.r.Header.Get("Origin") == ""
	var d *device
	if program { // the door has seen to it that there is a bearer
		if d = m.known(v.bearer(), v.seat, v.address()); d == nil {
			return m.wrongToken(v)
		}
		if !m.mayConnect(d) {
			return tooManyConnects(m.o.Limits.Connects)
		}
	}
	up := websocket.Upgrader{HandshakeTimeout: writeWithin, ReadBufferSize: 4 << 10, WriteBufferSize: 4 << 10,
		CheckOrigin: func(*http.Request) bool { return true }, // the door did
		Error:       func(http.ResponseWriter, *http.Request, int, error) {}}
	conn, err := up.Upgrade(v.raw, v.r, nil)
	if err != nil {
		if _, ok := err.(websocket.HandshakeError); ok {
			return engine.Errorf(engine.RequestMalformed, "this is a WebSocket's address; the request is no handshake")
		}
		return nil // the connection is gone
	}
	defer func() { _ = conn.Close() }()
	conn.SetReadLimit(frameBytes)
	var first order
	if !program {
		d = m.introduce(v, conn, &first)
	} else if err := first.query(v.r.URL.Query()); err != nil {
		bye(conn, closeMalformed, "after is not a sequence")
		return nil
	}
	switch {
	case d == nil:
	case !program && !m.mayConnect(d):
		bye(conn, closeTooMany, "too many sockets in a minute")
	default:
		m.attend(v, conn, d, first.hello())
	}
	return nil
}

// introduce reads the first frame, which has the token. Nothing is sent before it was right.
func (m *Mirror) introduce(v *visit, conn *websocket.Conn, first *order) *device {
	w := &waiter{conn, v.address()}
	if !m.queueUp(w) {
		w.stop()
		return nil
	}
	defer m.unqueue(w)
	_ = conn.SetReadDeadline(time.Now().Add(authWithin))
	deaf(conn)
	kind, body, err := conn.ReadMessage()
	var parting *websocket.CloseError
	switch {
	case errors.As(err, &parting):
		bye(conn, parting.Code, "")
		return nil
	case err != nil:
		bye(conn, closeSilent, "no token came")
		return nil
	case kind != websocket.TextMessage || json.Unmarshal(body, first) != nil || first.Type != "auth":
		bye(conn, closeMalformed, "the first frame is not auth")
		return nil
	}
	d := m.known(first.Token, v.seat, v.address())
	if d == nil {
		_ = m.guess(&m.tokens, v)
		m.refused(v.r, string(engine.TokenInvalid))
		bye(conn, closeToken, "the token is not known here")
	}
	first.Token = ""
	return d
}

// bye closes with a code, as far as the other side takes it.
func bye(conn *websocket.Conn, code int, why string) {
	_ = conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, why), time.Now().Add(time.Second))
}

// attend serves a socket of a device: this goroutine reads, another writes; it ends with both.
func (m *Mirror) attend(v *visit, conn *websocket.Conn, d *device, h hello) {
	if !m.mayCatchUp(d, h) {
		bye(conn, closeTooMany, "too many whole views in a minute")
		return
	}
	ctx, cancel := context.WithCancel(m.ctx)
	defer cancel()
	s := &socketSink{conn: conn}
	f, refused := m.join(d, v.seat, s, cancel)
	if f == nil {
		bye(conn, refused, "")
		return
	}
	defer m.leave(f)
	done, heardOut := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		err := f.run(ctx, h)
		code := f.closing()
		switch {
		case code != 0:
			bye(conn, code, "")
			// A connection closed with something unread is reset, and a reset may overtake the code.
			select {
			case <-heardOut:
			case <-time.After(partWithin):
			}
		case err != nil && s.finish() == nil:
			bye(conn, closeSlow, "too slow")
		}
		_ = conn.Close()
	}()
	m.listenTo(ctx, conn, f)
	if f.closing() == 0 {
		_ = conn.Close() // the client is gone; nothing is worth waiting for
	}
	hearOut(conn)
	close(heardOut)
	cancel()
	<-done
}

// hearOut reads on until the client has taken leave too or is gone. Nothing of it counts.
func hearOut(conn *websocket.Conn) {
	for {
		if _, _, err := conn.NextReader(); err != nil {
			return
		}
	}
}

// listenTo takes a client's frames until it says something wrong or is gone.
func (m *Mirror) listenTo(ctx context.Context, conn *websocket.Conn, f *feed) {
	alive := func() { _ = conn.SetReadDeadline(time.Now().Add(pongWithin)) }
	m.heed(conn, f, alive)
	for {
		alive()
		kind, body, err := conn.ReadMessage()
		if err != nil {
			if err == websocket.ErrReadLimit {
				f.end(websocket.CloseMessageTooBig)
			}
			return
		}
		var o order
		if kind != websocket.TextMessage || json.Unmarshal(body, &o) != nil {
			f.end(closeMalformed)
			return
		}
		if f.closing() != 0 {
			return
		}
		if m.tooFast(f) != nil {
			return
		}
		if !m.take(ctx, f, o) {
			return
		}
	}
}

// socketSink writes frames to a socket.
type socketSink struct {
	conn *websocket.Conn
	buf  []byte
	rest []byte // what a deadline cut
}

// write sends what is due at once with as few calls to the system as it fits into.
func (s *socketSink) write(frames []*frame) error {
	for len(frames) > 0 {
		s.buf = s.buf[:0]
		n := 1
		out := frames[0].wire
		for size := len(out); n < len(frames) && size+len(frames[n].wire) <= gathered; n++ {
			size += len(frames[n].wire)
		}
		if n > 1 {
			for _, f := range frames[:n] {
				s.buf = append(s.buf, f.wire...)
			}
			out = s.buf
		}
		_ = s.conn.NetConn().SetWriteDeadline(time.Now().Add(writeWithin))
		if sent, err := s.conn.NetConn().Write(out); err != nil {
			s.rest = append([]byte(nil), out[sent:]...)
			return err
		}
		frames = frames[n:]
	}
	return nil
}

// finish tries for a moment more to send what a deadline cut, so that a close frame can follow.
func (s *socketSink) finish() error {
	_ = s.conn.NetConn().SetWriteDeadline(time.Now().Add(lastWords))
	_, err := s.conn.NetConn().Write(s.rest)
	return err
}

func (s *socketSink) ping() error {
	return s.conn.WriteControl(websocket.PingMessage, nil, time.Now().Add(writeWithin))
}

// hurry has a write that is under way end soon.
func (s *socketSink) hurry() {
	_ = s.conn.NetConn().SetWriteDeadline(time.Now().Add(writeHurried))
}
