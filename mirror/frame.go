package mirror

import (
	"encoding/binary"

	"agentstudio/engine"
)

// frame is one text frame, encoded once for everybody who gets it.
type frame struct {
	after engine.Seq // what a reader must hold to take it; both are 0 for frames that are no patches
	seq   engine.Seq // what a reader holds then
	wire  []byte     // as it goes over a socket
	body  []byte     // the part of wire that is JSON
}

// frameHeader is the room that a frame's header may need.
const frameHeader = 10

// newFrame makes the frame of a body that begins after frameHeader bytes of room, which it takes over.
// The bytes are those of RFC 6455, 5.2, for a whole text message of a server: gorilla's prepared
// messages are the same, but take a buffer of 4 KiB each, and each costs a call to the system.
func newFrame(after, seq engine.Seq, room []byte) *frame {
	const whole, text = 0x80, 0x1
	n := len(room) - frameHeader
	start := 0
	switch {
	case n < 126:
		start = frameHeader - 2
		room[start+1] = byte(n)
	case n < 1<<16:
		start = frameHeader - 4
		room[start+1] = 126
		binary.BigEndian.PutUint16(room[start+2:], uint16(n))
	default:
		room[start+1] = 127
		binary.BigEndian.PutUint64(room[start+2:], uint64(n))
	}
	room[start] = whole | text
	return &frame{after, seq, room[start:], room[frameHeader:]}
}

// pongFrame answers a ping, whose data is at most 125 bytes (RFC 6455, 5.5.3).
func pongFrame(data string) *frame {
	const whole, pong = 0x80, 0xa
	return &frame{wire: append([]byte{whole | pong, byte(len(data))}, data...)}
}

// controlFrame is a frame that is no patch.
func controlFrame(v any) *frame {
	return newFrame(0, 0, append(make([]byte, frameHeader, 256), encode(v)...))
}
