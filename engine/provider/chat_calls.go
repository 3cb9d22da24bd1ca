package provider

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"strconv"
	"strings"

	"agentstudio/engine"
)

// calls puts tool calls together from pieces. A call is known by its id first, then by its index,
// since servers leave out either and repeat index 0 for calls that run side by side.
type calls struct {
	list  []*pending
	index map[int]*pending
	many  bool                 // more calls came than there may be
	taken func(id string) bool // ids that the conversation already has
}

// pending is one call, as far as it has come.
type pending struct {
	id      string // the server's; "" if it sent none
	made    string // ours, in its place
	name    string
	args    clipped
	more    map[string]json.RawMessage // unknown fields, verbatim
	moreFun map[string]json.RawMessage
}

// add takes one piece.
func (c *calls) add(p piece) {
	call := c.find(p)
	if call == nil {
		call = c.open(p)
	}
	if call == nil {
		return
	}
	if p.index != nil {
		c.index[*p.index] = call
	}
	if call.id == "" && call.made == "" {
		call.id = p.id
	}
	if call.name == "" { // some repeat it with every piece
		call.name = p.function.name
	}
	call.args.WriteString(p.function.args)
	call.more = merged(call.more, p.more)
	call.moreFun = merged(call.moreFun, p.function.more)
}

// find is the call that p goes on with, nil if p begins one.
func (c *calls) find(p piece) *pending {
	var last *pending
	if n := len(c.list); n > 0 {
		last = c.list[n-1]
	}
	switch {
	case p.id != "":
		for i := len(c.list) - 1; i >= 0; i-- {
			if c.list[i].id == p.id {
				return c.unlessAnother(c.list[i], p)
			}
		}
		if p.index != nil && p.function.name == "" {
			if at := c.index[*p.index]; at != nil && at.id == "" {
				return at // its id comes late
			}
		}
		return nil
	case p.index != nil:
		if at := c.index[*p.index]; at != nil {
			return c.unlessAnother(at, p)
		}
		if p.function.name != "" {
			return nil
		}
		return c.emptyOr(last)
	case last == nil || p.function.name == "" || last.name == "":
		return last
	case last.name != p.function.name:
		return nil
	}
	return c.unlessAnother(last, p)
}

// unlessAnother is call, or nil where p names a function although call has all its arguments: then
// the server uses one id or index for several calls. The same arguments over again are no new call.
func (c *calls) unlessAnother(call *pending, p piece) *pending {
	name, args := p.function.name, strings.TrimSpace(p.function.args)
	if name == "" || call.name == "" || !call.complete() {
		return call
	}
	if name != call.name || strings.HasPrefix(args, "{") && args != strings.TrimSpace(call.args.String()) {
		return nil
	}
	return call
}

// emptyOr is the newest call without arguments, else last.
func (c *calls) emptyOr(last *pending) *pending {
	for i := len(c.list) - 1; i >= 0; i-- {
		if c.list[i].args.Len() == 0 {
			return c.list[i]
		}
	}
	return last
}

// open begins a call; nil where there are too many, which done tells.
func (c *calls) open(p piece) *pending {
	if c.many = c.many || len(c.list) >= maxCalls; c.many {
		return nil
	}
	if c.index == nil {
		c.index = map[int]*pending{}
	}
	call := &pending{}
	for _, other := range c.list {
		if p.id != "" && other.id == p.id {
			call.made = c.makeID() // the server's own is used up
			call.id = p.id         // so that pieces to come find the newer one
		}
	}
	c.list = append(c.list, call)
	return call
}

// makeID makes an id that neither this answer nor the conversation has.
func (c *calls) makeID() string {
	for n := 1; ; n++ {
		id := "call_" + strconv.Itoa(n)
		used := c.taken(id)
		for _, other := range c.list {
			used = used || other.id == id || other.made == id
		}
		if !used {
			return id
		}
	}
}

func (p *pending) complete() bool {
	args := strings.TrimSpace(p.args.String())
	return strings.HasPrefix(args, "{") && strings.HasSuffix(args, "}") && json.Valid([]byte(args))
}

// done gives the calls of an answer that has ended. A call that never got a name makes the whole
// answer one that was not understood; where the output limit cut the answer, such a call is left
// out and every other one marked as cut.
func (c *calls) done(cut bool) ([]engine.ToolCall, error) {
	if c.many {
		return nil, tooMany("tool calls", maxCalls)
	}
	var out []engine.ToolCall
	var named []*pending
	for _, p := range c.list {
		if p.name == "" && cut {
			continue
		}
		if p.name == "" {
			return nil, engine.Errorf(engine.ModelProtocol, "the model asked for a tool without naming it, so nothing was run; try again, or check whether the server supports tools for this model")
		}
		if p.id == "" && p.made == "" {
			p.made = c.makeID()
		}
		id := p.id
		if p.made != "" {
			id = p.made
		}
		named = append(named, p)
		out = append(out, engine.ToolCall{ID: engine.CallID(id), Tool: p.name, Args: arguments(p.args.String()), Cut: cut})
	}
	c.list = named
	return out, nil
}

// arguments are what a call was given: {} for nothing, once what came several times. Anything else is
// left as it is, for the engine to refuse: two different objects are no call, and cut ones are never
// completed.
func arguments(s string) json.RawMessage {
	s = strings.TrimSpace(s)
	if s == "" || s == "null" {
		return json.RawMessage("{}")
	}
	d := json.NewDecoder(strings.NewReader(s))
	var first json.RawMessage
	for {
		var v json.RawMessage
		err := d.Decode(&v)
		switch {
		case err == io.EOF:
			return first
		case err != nil:
			return json.RawMessage(s)
		case first == nil:
			first = v
		case !sameJSON(first, v):
			return json.RawMessage(s)
		}
	}
}

func sameJSON(a, b json.RawMessage) bool {
	x, errX := engine.Canonical(a)
	y, errY := engine.Canonical(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

func merged(into, from map[string]json.RawMessage) map[string]json.RawMessage {
	if into == nil {
		return from
	}
	maps.Copy(into, from)
	return into
}
