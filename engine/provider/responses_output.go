package provider

import (
	"encoding/json"
	"slices"
	"strings"
)

// output is one item of an answer, as far as it has come.
type output struct {
	kind    string // "" is one whose kind is not known
	index   *int   // of the answer's items, as the server counts
	id      string
	call    string // a call's id, which its result names
	name    string // of the called tool
	phase   string // of a message
	args    strings.Builder
	whole   bool           // what came of a call was its end
	final   *responsesItem // what the item became
	claimed bool           // the answer's summing up at its end has it
	shown   map[slot]*strings.Builder
	slots   []slot // in the order in which they were first shown
}

// at is what of one text has been shown.
func (o *output) at(s slot) *strings.Builder {
	b := o.shown[s]
	if b == nil {
		b = &strings.Builder{}
		o.shown[s] = b
		o.slots = append(o.slots, s)
	}
	return b
}

// said is what of one voice has been shown.
func (o *output) said(v voice) string {
	var b strings.Builder
	for _, s := range o.slots {
		if s.voice == v {
			b.WriteString(o.shown[s].String())
		}
	}
	return b.String()
}

// outputs are the items of an answer, in the order in which they appeared. An item is known by its
// index, since there are gateways that change ids from event to event, and by its id where an index
// is missing or stands for several items.
type outputs struct {
	list []*output
	at   map[int]*output // the newest at each index
}

func (s *outputs) open(kind string, index *int, id string) *output {
	o := &output{kind: kind, index: index, id: id, shown: map[slot]*strings.Builder{}}
	s.list = append(s.list, o)
	if index != nil {
		if s.at == nil {
			s.at = map[int]*output{}
		}
		s.at[*index] = o
	}
	return o
}

// find is the item that a piece belongs to, nil if there is none yet.
func (s *outputs) find(kind string, index *int, id string) *output {
	var at, last *output
	if index != nil {
		at = s.at[*index]
	}
	if at != nil && at.kind != kind {
		at = nil
	}
	if at != nil && (id == "" || at.id == "" || at.id == id) {
		return at
	}
	for _, o := range s.list {
		if o.kind != kind {
			continue
		}
		if id != "" && o.id == id {
			return o
		}
		if !o.whole && o.final == nil {
			last = o
		}
	}
	if index == nil && id == "" {
		return last
	}
	return at
}

// piece is the item that a piece belongs to, opened if need be.
func (s *outputs) piece(kind string, index *int, id string) *output {
	o := s.find(kind, index, id)
	if o == nil {
		o = s.open(kind, index, id)
	}
	if o.id == "" {
		o.id = id
	}
	return o
}

// added takes the beginning of an item.
func (s *outputs) added(i *responsesItem, index *int) {
	o := s.find(i.Type, index, string(i.ID))
	if o == nil || o.final != nil || o.call != "" && o.call != string(i.Call) || o.id != "" && o.id != string(i.ID) {
		o = s.open(i.Type, index, string(i.ID))
	}
	o.named(i)
	if o.args.Len() == 0 {
		o.args.WriteString(string(i.Args))
	}
}

// given puts the whole of a call's arguments in the place of its pieces. Nothing in their place is no
// whole.
func (o *output) given(args spelling) {
	if args != "" {
		o.args.Reset()
		o.args.WriteString(string(args))
	}
}

func (o *output) named(i *responsesItem) {
	for _, f := range []struct {
		own  *string
		said content
	}{{&o.id, i.ID}, {&o.call, i.Call}, {&o.name, i.Name}, {&o.phase, i.Phase}} {
		if *f.own == "" {
			*f.own = string(f.said)
		}
	}
}

// done takes an item's end.
func (s *outputs) done(i *responsesItem, index *int) *output {
	o := s.same(i)
	if o == nil {
		o = s.find(i.Type, index, string(i.ID))
		if o != nil && (o.final != nil && o.id != string(i.ID) || o.call != "" && i.Call != "" && o.call != string(i.Call)) {
			o = nil
		}
	}
	if o == nil {
		o = s.open(i.Type, index, string(i.ID))
	}
	o.become(i)
	return o
}

// same is the call that i is about: one that has not ended yet, or one that i repeats.
func (s *outputs) same(i *responsesItem) *output {
	for _, o := range s.list {
		if i.Type == itemCall && i.Call != "" && o.call == string(i.Call) &&
			(o.final == nil || o.name == string(i.Name) && sameJSON(json.RawMessage(o.args.String()), json.RawMessage(i.Args))) {
			return o
		}
	}
	return nil
}

// become takes what the item has become. That it has become something before goes before, but for
// reasoning that came without what makes it readable.
func (o *output) become(i *responsesItem) {
	o.named(i)
	if o.final != nil && (o.kind != itemReasoning || o.final.readable() || !i.readable()) {
		return
	}
	o.final = i
	if i.Name != "" {
		o.name = string(i.Name)
	}
	if i.Phase != "" {
		o.phase = string(i.Phase)
	}
	o.given(i.Args)
	o.whole = i.Status != "incomplete" && i.Status != "in_progress"
}

// sum takes the list of all items at an answer's end, whose places need not be the indexes of before.
func (s *outputs) sum(all []responsesItem) {
	if len(all) == 0 {
		s.sort()
		return
	}
	var list []*output
	for n := range all {
		i := &all[n]
		o := s.unclaimed(i)
		if o == nil {
			o = s.open(i.Type, nil, string(i.ID))
		}
		o.claimed = true
		o.become(i)
		list = append(list, o)
	}
	for _, o := range s.list {
		if !o.claimed {
			list = append(list, o)
		}
	}
	s.list = list
}

// unclaimed is the item that an entry of that list is about: by a call's id, by its own, else the
// first of its kind.
func (s *outputs) unclaimed(i *responsesItem) *output {
	var first *output
	for _, o := range s.list {
		named := i.Type == itemCall && o.call != "" && i.Call != ""
		switch {
		case o.claimed || o.kind != i.Type || named && o.call != string(i.Call):
		case named || i.ID != "" && o.id == string(i.ID):
			return o
		case first == nil:
			first = o
		}
	}
	return first
}

// sort puts the items in the server's order where it is known of each.
func (s *outputs) sort() {
	for _, o := range s.list {
		if o.index == nil {
			return
		}
	}
	slices.SortStableFunc(s.list, func(a, b *output) int { return *a.index - *b.index })
}
