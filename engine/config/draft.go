package config

import (
	"bytes"
	"slices"
	"unicode/utf8"

	yaml "go.yaml.in/yaml/v4"
)

// draft is a text that is changed in single places, found by its tree. What a tree doesn't know,
// as blank lines and many comments, stays where it is. A place that isn't found makes it bad.
type draft struct {
	text []byte
	root *yaml.Node // nil when there are only comments
	bad  bool
}

func newDraft(text []byte) *draft {
	d := &draft{text: text}
	if bare(text) {
		return d
	}
	var doc yaml.Node
	if d.bad = yaml.Load(text, &doc) != nil || len(doc.Content) == 0; !d.bad {
		d.root = doc.Content[0]
	}
	return d
}

// put replaces a part of the text. The tree doesn't fit after that.
func (d *draft) put(from, to int, with string) {
	if !d.bad && from >= 0 && from <= to && to <= len(d.text) {
		d.text = slices.Concat(d.text[:from], []byte(with), d.text[to:])
		return
	}
	d.bad = true
}

// start is where a node begins.
func (d *draft) start(n *yaml.Node) int {
	at := 0
	for range n.Line - 1 {
		at = d.after(at)
	}
	for range n.Column - 1 {
		_, size := utf8.DecodeRune(d.text[at:])
		at += size
	}
	return at
}

// end is where a node ends, or -1 for one that is written in a way that nobody needs here.
func (d *draft) end(n *yaml.Node) int {
	at := d.start(n)
	switch {
	case n.Kind == yaml.ScalarNode:
		return d.scalarEnd(at, n.Value)
	case d.flow(n):
		return d.flowEnd(n, at+1)
	case len(n.Content) == 0:
		return -1
	}
	return d.end(n.Content[len(n.Content)-1])
}

func (d *draft) scalarEnd(at int, value string) int {
	rest := d.text[at:]
	if len(rest) == 0 || rest[0] != '"' && rest[0] != '\'' {
		if value == "" || !bytes.HasPrefix(rest, []byte(value)) {
			return -1 // a block, more than one line, or nothing
		}
		return at + len(value)
	}
	for i := 1; i < len(rest); i++ {
		switch {
		case rest[0] == '"' && rest[i] == '\\', rest[0] == '\'' && bytes.HasPrefix(rest[i:], []byte("''")):
			i++
		case rest[i] == rest[0]:
			return at + i + 1
		}
	}
	return -1
}

// flowEnd is behind the bracket that ends a list or mapping.
func (d *draft) flowEnd(n *yaml.Node, at int) int {
	if len(n.Content) > 0 {
		if at = d.end(n.Content[len(n.Content)-1]); at < 0 {
			return -1
		}
	}
	for at < len(d.text) {
		switch c := d.text[at]; {
		case c == '}' || c == ']':
			return at + 1
		case c == '#':
			at = d.after(at)
		case isBlank(c) || c == ',':
			at++
		default:
			return -1
		}
	}
	return -1
}

// flow tells whether a list or mapping stands in brackets.
func (d *draft) flow(n *yaml.Node) bool { return n.Style&yaml.FlowStyle != 0 }

// after is the start of the line behind the one of a place.
func (d *draft) after(at int) int {
	if i := bytes.IndexByte(d.text[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(d.text)
}

// before is the start of the line of a place.
func (d *draft) before(at int) int { return bytes.LastIndexByte(d.text[:at], '\n') + 1 }

// inset is the blanks that begin the line of a place.
func (d *draft) inset(at int) string {
	line := d.text[d.before(at):]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// newline is how lines end in this text.
func (d *draft) newline() string {
	if bytes.Contains(d.text, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

// strike takes the lines of a part of the text out, but for their comments: each gets a line of
// its own, and so stands above what comes next. That is so for one behind a value too, since it
// says why somebody chose it.
func (d *draft) strike(from, to int) {
	if from < 0 || to < 0 {
		d.bad = true
		return
	}
	begin, end := d.before(from), d.after(to)
	var kept []byte
	for _, c := range comments(d.text[begin:end]) {
		kept = append(kept, d.inset(from)+string(d.text[begin+c.from:begin+c.to])+d.newline()...)
	}
	ahead, behind := bytes.TrimSpace(d.text[begin:from]), bytes.TrimSpace(d.text[to:end])
	d.bad = d.bad || len(ahead) > 0 && string(ahead) != "-" || len(behind) > 0 && behind[0] != '#'
	if next := d.after(end); len(kept) == 0 && d.blank(end, next) && (begin == 0 || d.blank(d.before(begin-1), begin)) {
		end = next // of the blank lines around it one is enough
	}
	d.put(begin, end, string(kept))
}

// blank tells whether there are only blanks in a line.
func (d *draft) blank(from, to int) bool {
	return from < to && len(bytes.TrimSpace(d.text[from:to])) == 0
}

// addLine writes a new line at the start of another, or at the end.
func (d *draft) addLine(at int, line string) {
	if at > 0 && d.text[at-1] != '\n' {
		line = d.newline() + line
	}
	d.put(at, at, line+d.newline())
}

// foot is the start of the line behind a group, with the comments that end it, or -1.
func (d *draft) foot(n *yaml.Node) int {
	inset := len(d.inset(d.start(n)))
	at := d.end(n)
	if at < 0 {
		return -1
	}
	at = d.after(at)
	for inset > 0 {
		line := bytes.TrimLeft(d.text[at:], " ")
		if len(d.text)-at-len(line) < inset || !bytes.HasPrefix(line, []byte("#")) {
			break
		}
		at = d.after(at)
	}
	return at
}
