// Package markdown draws Markdown that is still being written.
//
// A [Doc] takes an answer's text as it comes and gives its lines for a width
// and a [Look]. Blocks that can't change any more are parsed and drawn once
// and kept; only the open block at the end is drawn again. What is half
// written (a fence, a table's head, emphasis) is shown as what it will be or
// held back for a moment, so that lines don't jump. Once closed, the picture
// is that of the whole text, however it was cut.
//
// The text is cleaned by package safe before it is parsed, and what character
// references stand for once more; all control sequences in the result are of
// the Look. Nothing is fetched, HTML is shown as it is written.
//
// A Doc and its Looks belong to one goroutine.
package markdown

import (
	"strings"

	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/util"

	"agentstudio/engine/safe"
)

// Doc is one Markdown text that grows at its end. Make it with New.
type Doc struct {
	grammar *grammar
	raw     strings.Builder
	clean   *safe.Stream
	closed  bool

	done   []*block  // what can't change, but for a definition still to come
	tail   string    // cleaned text after done
	parsed int       // so much of tail has been looked at for finished blocks
	spaced bool      // a blank line stands above tail
	inList bool      // tail begins with a list's second or later item
	number int       // that item's number, if ordered
	code   *openCode // tail continues this code block
	above  flow      // what stands above tail

	open  []*block // drawn from tail as far as it is shown
	fresh bool     // open is made from the present tail

	refs    map[string]parser.Reference // definitions in done
	missing map[string][]*block         // blocks that use a label nobody has defined yet
	view    view
}

// New returns an empty document.
func New() *Doc {
	return &Doc{
		grammar: newGrammar(),
		clean:   safe.NewStream(safe.Prose),
		refs:    map[string]parser.Reference{},
		missing: map[string][]*block{},
	}
}

// Append adds raw text, cut anywhere. It only cleans; parsing waits until
// lines are asked for. After Close it has no effect.
func (d *Doc) Append(delta string) {
	if d.closed || delta == "" {
		return
	}
	d.raw.WriteString(delta)
	d.grow(string(d.clean.Append(delta)))
}

// Set makes text the whole raw text. If it begins with the present one, the
// rest is appended and nothing drawn is lost; else the document begins anew,
// also after Close.
func (d *Doc) Set(text string) {
	if rest, ok := strings.CutPrefix(text, d.raw.String()); ok && (!d.closed || rest == "") {
		d.Append(rest)
		return
	}
	g := d.grammar
	*d = *New()
	d.grammar = g
	d.Append(text)
}

// Close says that no more text will come, whatever the reason. The open block
// becomes final: what was held back is shown, what was never closed is text.
func (d *Doc) Close() {
	if d.closed {
		return
	}
	d.grow(string(d.clean.Close()))
	d.closed, d.fresh = true, false
	d.sync()
}

// Source returns the raw text so far.
func (d *Doc) Source() string { return d.raw.String() }

// grow adds cleaned text to the tail.
func (d *Doc) grow(s string) {
	if s == "" {
		return
	}
	d.fresh = false
	at := len(d.tail)
	d.tail += s
	d.tail = defuse(d.tail, lineStart(d.tail, at))
}

// maxMarks is how many quote and list marks may begin a line. The parser's time
// grows with the square of them; from the ninth level on all is plain text
// anyway.
const maxMarks = 200

// defuse puts a backslash before lines of s, from the line at from on, that
// begin with more quote and list marks than a person could mean.
func defuse(s string, from int) string {
	if len(s)-from <= 2*maxMarks {
		return s
	}
	var b strings.Builder
	b.WriteString(s[:from])
	for line := range strings.Lines(s[from:]) {
		marks := line[:len(line)-len(strings.TrimLeft(line, "> -+*.)0123456789"))]
		if len(marks) > maxMarks && strings.Count(marks, ">")+strings.Count(marks, " ") > maxMarks {
			b.WriteByte('\\')
		}
		b.WriteString(line)
	}
	return b.String()
}

// sync brings the blocks up to date with the text.
func (d *Doc) sync() {
	if d.fresh {
		return
	}
	d.fresh = true
	for d.settle() {
	}
	d.present()
}

// settle moves finished blocks from tail to done, and reports whether another
// look may find more. Only whole lines count, since a half one may still turn
// into anything.
func (d *Doc) settle() bool {
	if d.code != nil {
		return d.settleCode()
	}
	end := strings.LastIndexByte(d.tail, '\n') + 1
	if d.closed {
		end = len(d.tail)
	} else if end <= d.parsed {
		return false
	}
	if end == 0 {
		return false
	}
	d.parsed = end
	if d.beginCode(end) {
		return true
	}
	pieces, _ := d.grammar.split(d.tail[:end])
	final := len(pieces)
	if final > 0 && !d.closed && !(pieces[final-1].ends && blankAbove(d.tail, end)) {
		final--
	}
	for i := range final {
		stop := end
		if i+1 < len(pieces) {
			stop = pieces[i+1].start
		}
		d.keep(d.block(pieces[i], d.tail[pieces[i].start:stop]))
	}
	if d.closed {
		d.tail = ""
		return false
	}
	switch {
	case final == 0:
	case final == len(pieces):
		d.number, d.spaced, d.inList = 0, true, false
		d.cut(end)
	default:
		next := pieces[final]
		d.number = d.numberOf(next)
		d.spaced, d.inList = next.spaced, next.item > 0
		d.cut(next.start)
	}
	return final > 0 // what tail begins with now may be a code block
}

// cut drops the first n bytes of tail, which are done with.
func (d *Doc) cut(n int) {
	d.tail = strings.Clone(d.tail[n:])
	d.parsed = 0
}

// block makes a block of a piece of the present tail.
func (d *Doc) block(p piece, src string) *block {
	b := &block{src: src, number: d.numberOf(p), heading: p.heading, empty: p.empty, spaced: p.spaced}
	if p.start == 0 {
		b.spaced = d.spaced
	}
	return b
}

// numberOf returns the number of a list item. The list that tail begins in the
// middle of goes on counting, whatever numbers its items carry.
func (d *Doc) numberOf(p piece) int {
	if p.first && d.inList && p.number > 0 {
		return d.number + p.item
	}
	return p.number
}

// keep adds a finished block. A definition in it may change blocks above that
// used its label: those are drawn once more.
func (d *Doc) keep(b *block) {
	d.above.place(b)
	d.done = append(d.done, b)
	if !strings.Contains(b.src, "]:") {
		return
	}
	_, refs := d.grammar.split(b.src)
	for _, r := range refs {
		label := util.ToLinkReference(r.Label())
		if _, ok := d.refs[label]; ok {
			continue // the first definition wins
		}
		d.refs[label] = r
		for _, user := range d.missing[label] {
			user.forget()
			d.view.stale()
		}
		delete(d.missing, label)
	}
}

// present makes the blocks that show the tail.
func (d *Doc) present() {
	before := d.open
	d.open = nil
	if d.code != nil {
		d.open = append(d.open, d.code.block(d.tail))
		above := d.above
		above.place(d.open[0])
		return
	}
	src, closing := hold(d.tail)
	src += closing
	pieces, refs := d.grammar.split(src)
	above := d.above
	for i, p := range pieces {
		stop := len(src)
		if i+1 < len(pieces) {
			stop = pieces[i+1].start
		}
		b := d.block(p, src[p.start:stop])
		if len(refs) == 0 && i < len(before) && before[i].same(b) {
			b = before[i]
		}
		b.refs = refs
		above.place(b)
		d.open = append(d.open, b)
	}
}
