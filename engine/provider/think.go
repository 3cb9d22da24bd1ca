package provider

import (
	"strings"

	"agentstudio/engine"
)

const (
	thinkOpen  = "<think>"
	thinkClose = "</think>"
	maxLead    = 4 << 10 // blanks before an opening tag; more are an answer of blanks
)

// thoughts parts reasoning that a local model writes into its text between <think> tags. Only a tag
// that opens the message counts, since later ones are what the answer is about. The result does not
// depend on where pieces are cut. Once a message is known to be plain, pieces pass through.
type thoughts struct {
	state thinkState
	held  string // undecided
}

type thinkState byte

const (
	thinkStart thinkState = iota // nothing but blanks yet
	thinkLead                    // inside, nothing but blanks yet
	thinkInside
	thinkAfter // behind the closing tag, nothing but blanks yet
	thinkPlain
)

// push takes a piece of content and hands on what is decided, in order.
func (t *thoughts) push(piece string, say func(engine.Chunk) bool) bool {
	if t.state == thinkPlain {
		return piece == "" || say(engine.Text(piece))
	}
	s := t.held + piece
	t.held = ""
	switch t.state {
	case thinkStart:
		lead := strings.TrimLeft(s, " \t\r\n")
		switch {
		case strings.HasPrefix(lead, thinkOpen):
			t.state = thinkLead
			return t.push(lead[len(thinkOpen):], say)
		case strings.HasPrefix(thinkOpen, lead) && len(s) <= maxLead:
			t.held = s
			return true
		}
		t.state = thinkPlain
		return t.push(s, say)
	case thinkAfter:
		s = strings.TrimLeft(s, " \t\r\n")
		if s == "" {
			return true
		}
		t.state = thinkPlain
		return t.push(s, say)
	}
	return t.inside(s, say)
}

func (t *thoughts) inside(s string, say func(engine.Chunk) bool) bool {
	if t.state == thinkLead {
		s = strings.TrimLeft(s, " \t\r\n")
	}
	if s == "" {
		return true
	}
	thought, rest, closed := strings.Cut(s, thinkClose)
	if !closed {
		n := len(s)
		for k := min(len(thinkClose)-1, len(s)); k > 0; k-- {
			if strings.HasSuffix(s, thinkClose[:k]) {
				n -= k
				break
			}
		}
		thought, t.held = s[:n], s[n:]
	}
	if thought != "" {
		t.state = thinkInside
		if !say(engine.Reasoning(thought)) {
			return false
		}
	}
	if !closed {
		return true
	}
	t.state = thinkAfter
	return rest == "" || t.push(rest, say)
}

// end hands on what was held back.
func (t *thoughts) end(say func(engine.Chunk) bool) bool {
	s := t.held
	t.held = ""
	switch {
	case s == "":
		return true
	case t.state == thinkStart:
		return say(engine.Text(s))
	}
	return say(engine.Reasoning(s))
}
