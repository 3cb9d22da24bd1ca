package markdown

import (
	"slices"
	"sort"

	"github.com/yuin/goldmark/parser"
)

// block is a piece of the text and its picture.
type block struct {
	src     string
	number  int // of a list item
	heading bool
	empty   bool
	spaced  bool
	gap     bool               // a blank line is drawn above it
	live    *openCode          // draws itself
	refs    []parser.Reference // definitions in open text
	asked   map[string]bool    // labels nobody has defined, noted in Doc.missing

	// The picture, for one width and look. Lines may be dropped, their number
	// stays.
	width  int
	look   *Look
	rows   []string
	height int
}

// same reports whether b and c show the same.
func (b *block) same(c *block) bool {
	return b.src == c.src && b.number == c.number && b.spaced == c.spaced && b.live == nil && len(b.refs) == 0
}

// forget drops what was drawn.
func (b *block) forget() { b.look, b.rows, b.asked = nil, nil, nil }

// wants notes that b uses a label that has no definition yet.
func (b *block) wants(d *Doc, label string) {
	if b.asked[label] {
		return
	}
	if b.asked == nil {
		b.asked = map[string]bool{}
	}
	b.asked[label] = true
	d.missing[label] = append(d.missing[label], b)
}

// flow knows what stands above a block, and so whether a blank line goes
// between: where the source has one, always above a heading, never below it.
type flow struct{ any, heading, spaced bool }

func (f *flow) place(b *block) {
	if b.empty {
		f.spaced = f.spaced || b.spaced
		b.gap = false
		return
	}
	b.gap = f.any && !f.heading && (b.heading || b.spaced || f.spaced)
	*f = flow{any: true, heading: b.heading}
}

// view is what is known about the picture at one width and look.
type view struct {
	width int
	look  *Look
	ends  []int // for each finished block, the lines up to its end
	warm  []int // finished blocks that may hold lines
}

// stale makes heights be summed anew.
func (v *view) stale() { v.ends, v.warm = v.ends[:0], v.warm[:0] }

// screens is how many windows above and below the one asked for keep their
// lines.
const screens = 3

// picture returns the lines of b, without the gap.
func (d *Doc) picture(b *block, width int, look *Look) []string {
	if b.live != nil {
		r := &renderer{look: look, width: width}
		fresh := b.width != width || b.look != look
		b.width, b.look = width, look
		rows := b.live.draw(b.src, r, fresh)
		b.height = len(rows)
		return rows
	}
	if b.look != look || b.width != width || b.rows == nil && b.height > 0 {
		b.rows = d.drawBlock(b, width, look)
		b.width, b.look, b.height = width, look, len(b.rows)
	}
	return b.rows
}

// lines returns the number of lines of b, with the gap, drawing it only if it
// never was.
func (d *Doc) lines(b *block, width int, look *Look) int {
	if b.live != nil || b.look != look || b.width != width {
		d.picture(b, width, look)
	}
	if b.gap && b.height > 0 {
		return b.height + 1
	}
	return b.height
}

// measure brings the heights up to date and returns those of finished blocks
// and of all.
func (d *Doc) measure(width int, look *Look) (done, all int) {
	d.sync()
	v := &d.view
	if v.width != width || v.look != look {
		v.width, v.look = width, look
		v.stale()
	}
	if n := len(v.ends); n > 0 {
		done = v.ends[n-1]
	}
	for i := len(v.ends); i < len(d.done); i++ {
		done += d.lines(d.done[i], width, look)
		v.ends = append(v.ends, done)
		if d.done[i].rows != nil {
			v.warm = append(v.warm, i)
		}
	}
	all = done
	for _, b := range d.open {
		all += d.lines(b, width, look)
	}
	return done, all
}

// Height returns the number of lines at the given width, which is at least 1.
func (d *Doc) Height(width int, look *Look) int {
	_, all := d.measure(max(1, width), look)
	return all
}

// Lines returns the whole picture.
func (d *Doc) Lines(width int, look *Look) []string {
	width = max(1, width)
	_, all := d.measure(width, look)
	return d.collect(0, all, width, look)
}

// Window returns the lines from top on, at most rows of them. Pictures farther
// than three windows away are dropped, their heights are not. No line is wider
// than width. The slice is the caller's.
func (d *Doc) Window(top, rows, width int, look *Look) []string {
	width = max(1, width)
	_, all := d.measure(width, look)
	top = min(max(0, top), all)
	out := d.collect(top, min(all, top+max(0, rows)), width, look)
	d.cool(top-screens*rows, top+(1+screens)*rows)
	return out
}

// collect returns the lines [from, to) of a measured picture.
func (d *Doc) collect(from, to, width int, look *Look) []string {
	if from >= to {
		return nil
	}
	out := make([]string, 0, to-from)
	v := &d.view
	first := sort.SearchInts(v.ends, from+1)
	at := 0
	if first > 0 {
		at = v.ends[first-1]
	}
	for i := first; at < to && i < len(d.done)+len(d.open); i++ {
		b := d.at(i)
		if i < len(d.done) && b.rows == nil {
			v.warm = append(v.warm, i)
		}
		if b.gap && b.height > 0 {
			if at >= from {
				out = append(out, "")
			}
			at++
		}
		rows := d.picture(b, width, look)
		lo, hi := max(0, from-at), min(len(rows), to-at)
		if lo < hi {
			out = append(out, rows[lo:hi]...)
		}
		at += len(rows)
	}
	return out
}

func (d *Doc) at(i int) *block {
	if i < len(d.done) {
		return d.done[i]
	}
	return d.open[i-len(d.done)]
}

// cool drops the lines of finished blocks that lie outside of [from, to).
func (d *Doc) cool(from, to int) {
	v := &d.view
	v.warm = slices.DeleteFunc(v.warm, func(i int) bool {
		start := 0
		if i > 0 {
			start = v.ends[i-1]
		}
		if v.ends[i] > from && start < to {
			return false
		}
		d.done[i].rows = nil
		return true
	})
}

// Blocks returns the number of blocks: paragraphs, list items, tables and so
// on of the top level. The last may still be growing.
func (d *Doc) Blocks() int {
	d.sync()
	return len(d.done) + len(d.open)
}

// BlockHeight returns the number of lines of block i, a blank line above it
// included.
func (d *Doc) BlockHeight(i, width int, look *Look) int {
	d.sync()
	return d.lines(d.at(i), max(1, width), look)
}

// Block returns the lines of block i, a blank line above it included.
func (d *Doc) Block(i, width int, look *Look) []string {
	d.sync()
	b := d.at(i)
	rows := d.picture(b, max(1, width), look)
	if b.gap && len(rows) > 0 {
		return append([]string{""}, rows...)
	}
	return slices.Clone(rows)
}
