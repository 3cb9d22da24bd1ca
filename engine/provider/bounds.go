package provider

import (
	"strings"

	"agentstudio/engine"
)

// What an answer may have at most. Nothing real comes near; a server that is broken or hostile would
// otherwise fill the memory.
const (
	maxCalls = 128
	maxItems = 1024      // parts of an answer, as blocks and output items
	maxArgs  = 256 << 10 // bytes of a call's arguments that are held; the engine refuses far fewer
)

// clipped is a text of a call's arguments. What is beyond the limit is not held, so that the rest is
// no JSON and too long to be run.
type clipped struct{ strings.Builder }

// WriteString adds a piece as far as there is room.
func (c *clipped) WriteString(s string) (int, error) {
	if room := maxArgs - c.Len(); len(s) > room {
		s = s[:max(room, 0)]
	}
	return c.Builder.WriteString(s)
}

// tooMany is the error of an answer with more of something than any has.
func tooMany(what string, most int) error {
	return engine.Errorf(engine.ModelProtocol, "the answer has more than %d %s, so nothing of it was run; see whether the server works as it should", most, what)
}
