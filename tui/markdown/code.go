package markdown

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"agentstudio/engine/safe"
)

// Code is one code block: the first word of its fence and its text.
type Code struct{ Lang, Text string }

// openCode is a code block of the top level that isn't closed yet. It is read
// line by line without the parser, and each whole line is drawn once, so that
// a long block costs no more a delta than a short one.
type openCode struct {
	fence  fence
	src    strings.Builder // from the opening fence on, whole lines
	spaced bool
	shown  *block

	// The picture so far, for one width and look.
	lexer *lexer
	rows  []string
	whole int // so many of rows show whole lines
	upTo  int // so much of src is in them
}

// beginCode opens a code block if tail[:end] begins with one.
func (d *Doc) beginCode(end int) bool {
	start := 0
	for start < end {
		line, _, whole := strings.Cut(d.tail[start:end], "\n")
		if strings.Trim(line, " ") != "" {
			f, ok := openingFence(line)
			if !ok || !whole {
				return false
			}
			d.code = &openCode{fence: f, spaced: d.spaced || start > 0}
			d.code.src.WriteString(line + "\n")
			d.cut(start + len(line) + 1)
			return true
		}
		start += len(line) + 1
	}
	return false
}

// settleCode moves whole lines from tail to the open code block, and the block
// to done when its closing fence is there.
func (d *Doc) settleCode() bool {
	at := 0
	for at < len(d.tail) {
		line, _, whole := strings.Cut(d.tail[at:], "\n")
		if !whole && !d.closed {
			break
		}
		at = min(len(d.tail), at+len(line)+1)
		d.code.src.WriteString(line + "\n")
		if d.code.fence.closes(line) {
			d.endCode(at)
			return true
		}
	}
	if at > 0 {
		d.cut(at)
	}
	if d.closed {
		d.endCode(0)
	}
	return false
}

func (d *Doc) endCode(n int) {
	d.keep(&block{src: d.code.src.String(), spaced: d.code.spaced})
	d.code = nil
	d.spaced, d.inList = false, false
	d.cut(n)
}

// block returns the block that shows c and tail, the line being written.
func (c *openCode) block(tail string) *block {
	if c.shown == nil {
		c.shown = &block{spaced: c.spaced, live: c}
	}
	c.shown.src = tail
	return c.shown
}

// draw returns the picture of the block, tail included. The slice is valid
// until the next call.
func (c *openCode) draw(tail string, r *renderer, fresh bool) []string {
	if fresh || c.lexer == nil {
		c.whole, c.upTo = 0, strings.IndexByte(c.src.String(), '\n')+1
		c.lexer = newLexer(language(c.fence.info))
	}
	c.rows = c.rows[:c.whole]
	for line := range strings.Lines(c.src.String()[c.upTo:]) {
		c.upTo += len(line)
		c.rows = append(c.rows, r.codeLine(c.lexer, c.fence.content(line[:len(line)-1]))...)
	}
	c.whole = len(c.rows)
	if tail != "" && !c.mayClose(tail) {
		ahead := *c.lexer
		c.rows = append(c.rows, r.codeLine(&ahead, c.fence.content(tail))...)
	}
	return c.rows
}

// mayClose reports whether the line that begins with tail may turn out to be
// the closing fence.
func (c *openCode) mayClose(tail string) bool {
	f := c.fence
	f.count = 1
	return f.closes(tail)
}

// codeLine draws one line of code and takes the lexer past it.
func (r *renderer) codeLine(l *lexer, line string) []string {
	indent := 2
	if r.width < 12 {
		indent = 0
	}
	var f inlines
	for _, s := range l.spans(line) {
		f.add(line[len(f.text):s.end], aCodeBlock|s.attr)
	}
	rows := f.draw(r.look, r.width-indent, safe.HardWrap)
	for i := range rows {
		if rows[i] != "" {
			rows[i] = r.look.gap(indent) + rows[i]
		}
	}
	return rows
}

// CodeBlocks returns the code blocks of the text so far in order, cleaned, for
// copying. It parses everything anew.
func (d *Doc) CodeBlocks() []Code {
	d.sync()
	var all []Code
	for _, b := range d.done {
		all = append(all, d.codeIn(b.src)...)
	}
	if d.code != nil {
		return append(all, d.codeIn(d.code.src.String()+d.tail)...)
	}
	return append(all, d.codeIn(d.tail)...)
}

func (d *Doc) codeIn(src string) (all []Code) {
	if !strings.Contains(src, "```") && !strings.Contains(src, "~~~") {
		return nil
	}
	b := []byte(src)
	root := d.grammar.blocks.Parse(text.NewReader(b))
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if c, ok := n.(*ast.FencedCodeBlock); ok && entering {
			all = append(all, Code{string(c.Language(b)), string(c.Lines().Value(b))})
		}
		return ast.WalkContinue, nil // the callback never fails
	})
	return all
}
