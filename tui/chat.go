package tui

import (
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"agentstudio/engine/safe"
	"agentstudio/engine/view"
	"agentstudio/tui/markdown"
)

// chatPane shows what was said and done. It owns its scroll and the pictures of its items; only
// what is in view is drawn.
type chatPane struct {
	items  []*item
	index  map[string]*item
	ends   []int // the line after each item, as far as they are known
	follow bool
	top    int // first line in view
	shown  int
	total  int
	fresh  int // items since the reader scrolled away
	w      int
	padded padder
	sel    int // the chosen item, counted from 1; 0 for the newest, whatever it is
	last   int // the item clicked last, counted from 1, until a key is pressed
	find   chatFind
	copied copiedCode
	marked [2]string // the messages with a mark at their margin, in the newest picture
}

// item is one message with its picture.
type item struct {
	n      int // its place
	msg    view.Message
	doc    *markdown.Doc // of an agent's message
	lines  []string      // of everything else, nil when to be drawn
	height int           // -1 when unknown
	open   bool          // a card that is unfolded
	// thought is the end of the reasoning, shown until the answer begins.
	thought string
}

const maxThought = 400

func (p *chatPane) take(m *Model, patch view.Patch) {
	for _, msg := range patch.Chat {
		p.put(msg)
		p.find.stale = true
	}
	if patch.Attachments != nil { // what is said of a message's pictures may have changed
		for _, i := range p.items {
			if len(i.msg.Pictures) > 0 {
				i.lines = nil
				p.dirty(i)
			}
		}
	}
	if a := patch.Append; a != nil {
		if i := p.index[a.ID]; i != nil {
			p.dirty(i)
			p.find.stale = true
			switch {
			case i.doc == nil:
			case a.Thinking:
				i.thought = lastOf(i.thought+a.Text, maxThought)
			default:
				i.doc.Append(a.Text)
			}
		}
	}
}

func (p *chatPane) put(msg view.Message) {
	i := p.index[msg.ID]
	if i == nil {
		i = &item{n: len(p.items)}
		if p.index == nil {
			p.index = map[string]*item{}
		}
		p.index[msg.ID] = i
		p.items = append(p.items, i)
		if !p.follow {
			p.fresh++
		}
		if msg.Kind == view.FromAgent {
			i.doc = markdown.New()
			i.doc.Set(strings.Join(msg.Pieces, ""))
			i.thought = lastOf(strings.Join(msg.Thinking, ""), maxThought)
		}
	}
	if i.doc != nil && msg.State != view.Streaming {
		i.doc.Close()
	}
	i.msg, i.lines = msg, nil
	p.dirty(i)
}

// dirty forgets how high an item is, and where those after it are.
func (p *chatPane) dirty(i *item) {
	i.height = -1
	p.ends = p.ends[:min(i.n, len(p.ends))]
}

// lastOf is the last n bytes of s, or a little fewer: whole letters.
func lastOf(s string, n int) string {
	if len(s) <= n {
		return s
	}
	s = s[len(s)-n:]
	for s != "" && !utf8.RuneStart(s[0]) {
		s = s[1:]
	}
	return s
}

// relayout forgets all pictures, as after a change of size or theme.
func (p *chatPane) relayout() {
	p.padded, p.ends = padder{}, p.ends[:0]
	for _, i := range p.items {
		i.lines, i.height = nil, -1
	}
}

func (p *chatPane) move(by int) {
	p.top = clamp(p.top+by, 0, max(p.total-p.shown, p.top, 0))
	p.follow = p.top >= p.total-p.shown
	if p.follow {
		p.fresh = 0
	}
}

func (p *chatPane) page(by int) { p.move(by * max(p.shown-2, 1)) }

// leap is the part of the pane that is left free below the end when an answer that is still being
// written reaches the bottom.
const leap = 4

// followed is the first line in view of a pane that follows the end; low is the one that puts the
// end on the last line. Text that is being read should stand still: the pane moves by a leap, and
// then not until the free lines are used up. It also saves the terminal most of the bytes.
func (p *chatPane) followed(low int) int {
	free := p.shown / leap
	switch {
	case low == 0:
		return 0
	case p.top >= low && p.top <= low+free:
		return p.top
	case len(p.items) > 0 && p.items[len(p.items)-1].msg.State == view.Streaming:
		return low + free
	}
	return low
}

func (p *chatPane) render(m *Model, w, h int) []string {
	if h <= 0 {
		return nil
	}
	p.measure(m, w)
	foot := 0
	if p.find.on && h > sideRows+1 {
		foot = 1
	}
	p.shown = max(h-sideRows-foot, 1)
	if low := max(p.total-p.shown, 0); p.follow {
		p.top = p.followed(low)
	} else {
		p.top = clamp(p.top, 0, low)
	}
	p.marked = [2]string{p.selected(m), p.concerned(m)}
	right := ""
	if p.top+p.shown >= p.total {
		p.fresh = 0
	} else if !p.follow {
		in, below := m.theme.Accent, m.label("ui.newBelow", "n", strconv.Itoa(p.fresh))
		if p.fresh == 0 {
			in, below = m.theme.Quiet, m.label("ui.moreBelow", "n", strconv.Itoa(p.total-p.top-p.shown))
		}
		right = in.of(below+safe.Safe(" "+m.theme.Down)) + m.theme.pad(1)
	}
	out := make([]string, 0, h+p.shown)
	out = append(out, m.title(onChat, right, w), m.theme.pad(w))
	out = p.window(m, out, w)
	if len(p.items) == 0 && m.state.Seq > 0 {
		out = append(out, m.welcome(w)...)
	}
	for len(out) < h-foot {
		out = append(out, m.theme.pad(w))
	}
	if foot > 0 {
		out = append(out[:h-foot], p.find.line(m, m.theme.ground, w))
	}
	return out[:h]
}

// measure brings the heights up to date.
func (p *chatPane) measure(m *Model, w int) {
	if p.w != w {
		p.w = w
		p.relayout()
	}
	p.total = 0
	if n := len(p.ends); n > 0 {
		p.total = p.ends[n-1]
	}
	for n := len(p.ends); n < len(p.items); n++ {
		i := p.items[n]
		if i.height < 0 {
			i.height = p.body(m, i, w)
		}
		p.total += p.lead(n) + i.height
		p.ends = append(p.ends, p.total)
	}
}

// first is the first item that reaches below a line.
func (p *chatPane) first(line int) int {
	return sort.Search(len(p.ends), func(n int) bool { return p.ends[n] > line })
}

// begin is the line that an item begins at, its lead counted in.
func (p *chatPane) begin(n int) int {
	if n == 0 {
		return 0
	}
	return p.ends[n-1]
}

// body draws or measures what an item holds beside its heading.
func (p *chatPane) body(m *Model, i *item, w int) int {
	inner := w - 2*m.theme.Margin
	if i.doc != nil {
		n := i.doc.Height(inner, m.theme.md)
		if p.tail(m, i) != "" {
			n++
		}
		return n
	}
	if i.open {
		i.lines = m.openCard(i.msg, inner)
	} else {
		i.lines = m.card(i.msg, inner)
	}
	return len(i.lines)
}

// tail is a word below an answer that is not complete.
func (p *chatPane) tail(m *Model, i *item) string {
	switch {
	case i.msg.State == view.Cut:
		return m.text("ui.cut")
	case i.msg.State == view.Streaming && i.doc.Source() == "":
		return m.text("ui.thinking", "thought", i.thought)
	}
	return ""
}

// lead is how many lines stand above an item: a blank one and a heading.
func (p *chatPane) lead(n int) int {
	switch {
	case n == 0:
		return p.heading(n)
	case p.items[n].msg.Kind == view.OfTool && p.items[n-1].msg.Kind == view.OfTool:
		return 0
	case p.items[n].empty() || p.items[n-1].empty():
		return p.heading(n)
	default:
		return 1 + p.heading(n)
	}
}

// empty is an answer that only asked for tools.
func (i *item) empty() bool {
	return i.doc != nil && i.height == 0
}

// heading tells whether an item is headed by who speaks: where the speaker changes.
func (p *chatPane) heading(n int) int {
	i := p.items[n]
	switch i.msg.Kind {
	case view.FromUser:
		return 1
	case view.FromAgent:
		for k := n - 1; k >= 0; k-- {
			switch before := p.items[k].msg; before.Kind {
			case view.FromAgent:
				if before.Run == i.msg.Run {
					return 0
				}
			case view.FromUser:
				return 1
			}
		}
		return 1
	}
	return 0
}
