package mirror

import (
	"errors"

	"github.com/gorilla/websocket"
)

// deaf has a socket answer no ping before its token was right: nothing is sent before, and nothing that
// comes keeps it open longer.
func deaf(conn *websocket.Conn) {
	heard := 0
	count := func(string) error {
		if heard++; heard > waitingHears {
			return errTooFast
		}
		return nil
	}
	conn.SetPingHandler(count)
	conn.SetPongHandler(count)
	conn.SetCloseHandler(func(int, string) error { return nil })
}

// waitingHears is how many control frames a socket may send before its token.
const waitingHears = 20

// errTooFast ends the reading of a socket.
var errTooFast = errors.New("too many frames")

// heed answers pings and a close (RFC 6455, 5.5). Both go through the feed, since a socket has one
// writer; they count as frames.
func (m *Mirror) heed(conn *websocket.Conn, f *feed, alive func()) {
	conn.SetPongHandler(func(string) error {
		alive()
		return m.tooFast(f)
	})
	conn.SetPingHandler(func(data string) error {
		alive()
		if err := m.tooFast(f); err != nil {
			return err
		}
		f.answer(pongFrame(data))
		return nil
	})
	conn.SetCloseHandler(func(code int, _ string) error {
		f.end(code) // it is said back
		return nil
	})
}

// tooFast counts a frame of a client, and ends the connection when there were too many.
func (m *Mirror) tooFast(f *feed) error {
	if f.device.frames.AllowN(m.now(), 1) {
		return nil
	}
	f.end(closeTooMany)
	return errTooFast
}
