package markdown

import (
	"html"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"

	"agentstudio/engine/safe"
)

// inlines is a run of sentences with their looks: clean text, LF where a line
// must end, and from where to where each attr reaches.
type inlines struct {
	text  []byte
	spans []span
}

// span gives the text up to end, from the span before on, the look attr.
type span struct {
	end  int
	attr attr
}

func (f *inlines) add(s string, a attr) {
	if s == "" {
		return
	}
	f.text = append(f.text, s...)
	if n := len(f.spans); n > 0 && f.spans[n-1].attr == a {
		f.spans[n-1].end = len(f.text)
		return
	}
	f.spans = append(f.spans, span{len(f.text), a})
}

// draw lays the text out in lines no wider than width.
func (f *inlines) draw(look *Look, width int, wrap func(safe.Safe, int) []safe.Safe) []string {
	text := string(f.text)
	lines := wrap(safe.Safe(text), width)
	out := make([]string, len(lines))
	if width < 2 { // signs may have been replaced: no telling which is which
		for i, l := range lines {
			out[i] = look.paint(0, strings.TrimRight(string(l), " "))
		}
		return out
	}
	at, next := 0, 0
	for i, l := range lines {
		out[i], next = f.paint(look, text, at, at+len(l), next)
		if at += len(l); at < len(text) && text[at] == '\n' {
			at++
		}
	}
	return out
}

// paint styles text[from:to], of which spans[next] is the first to count, and
// returns the first to count behind it. A look changes only between two signs:
// inside of one the codes would part it, and both halves have other widths.
func (f *inlines) paint(look *Look, text string, from, to, next int) (string, int) {
	var b strings.Builder
	line := strings.TrimRight(text[from:to], " ")
	at := 0
	for next < len(f.spans) && at < len(line) {
		s := f.spans[next]
		end := min(len(line), max(at, s.end-from))
		end = boundary(line, at, end)
		b.WriteString(look.paint(s.attr, line[at:end]))
		at = end
		if s.end > to {
			break
		}
		next++
	}
	for next < len(f.spans) && f.spans[next].end <= to {
		next++
	}
	return b.String(), next
}

// boundary returns the first place at or behind end where two signs of line
// meet; at is such a place before it.
func boundary(line string, at, end int) int {
	if end == 0 || end >= len(line) || line[end] < utf8.RuneSelf && line[end-1] < utf8.RuneSelf {
		return end
	}
	for at < end {
		g, _ := ansi.FirstGraphemeCluster(line[at:], ansi.GraphemeWidth)
		at += len(g)
	}
	return at
}

// inline adds the sentences below n.
func (r *renderer) inline(f *inlines, n ast.Node, a attr) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		r.inlineNode(f, c, a)
	}
}

func (r *renderer) inlineNode(f *inlines, n ast.Node, a attr) {
	switch n := n.(type) {
	case *ast.Text:
		s := string(n.Segment.Value(r.src))
		if !n.IsRaw() {
			s = decode(s)
		}
		f.add(s, a)
		if n.SoftLineBreak() || n.HardLineBreak() {
			f.add("\n", a)
		}
	case *ast.String:
		f.add(string(safe.Text(string(n.Value), safe.Prose)), a)
	case *ast.CodeSpan:
		r.codeSpan(f, n, a)
	case *ast.Emphasis:
		if n.Level == 1 {
			r.inline(f, n, a|aEmph)
		} else {
			r.inline(f, n, a|aStrong)
		}
	case *east.Strikethrough:
		r.inline(f, n, a|aStrike)
	case *ast.Link:
		start := len(f.text)
		r.inline(f, n, a|aLink)
		address(f, string(f.text[start:]), n.Destination, n.Title, a)
	case *ast.Image: // named, never fetched
		f.add("[", a)
		start := len(f.text)
		r.inline(f, n, a)
		alt := string(f.text[start:])
		f.add("]", a)
		address(f, alt, n.Destination, n.Title, a)
	case *ast.AutoLink:
		f.add(string(n.Label(r.src)), a|aLink)
	case *ast.RawHTML:
		for i := range n.Segments.Len() {
			s := n.Segments.At(i)
			f.add(string(s.Value(r.src)), a)
		}
	case *east.TaskCheckBox:
		if n.IsChecked {
			f.add("[x] ", a|aMarker)
		} else {
			f.add("[ ] ", a|aMarker)
		}
	default:
		r.inline(f, n, a)
	}
}

// codeSpan keeps the backticks where the look has nothing else to tell code by.
func (r *renderer) codeSpan(f *inlines, n *ast.CodeSpan, a attr) {
	quote := ""
	if r.look.codes(a|aCode) == r.look.codes(a) {
		quote = "`"
	}
	f.add(quote, a|aCode)
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			f.add(strings.ReplaceAll(string(t.Segment.Value(r.src)), "\n", " "), a|aCode)
		}
	}
	f.add(quote, a|aCode)
}

// address shows where a link leads, unless its text says so.
func address(f *inlines, label string, dest, title []byte, a attr) {
	to := decode(string(dest))
	same := to == label
	for _, prefix := range []string{"http://", "https://", "mailto:"} {
		same = same || strings.TrimSuffix(to, "/") == prefix+label
	}
	what := to
	if len(title) > 0 {
		what += ` "` + strings.ReplaceAll(decode(string(title)), "\n", " ") + `"`
		same = false
	}
	if !same && what != "" {
		f.add(" ("+what+")", a|aAddress)
	}
}

// decode resolves backslashes and character references. What they stand for
// was hidden from the sanitiser, so it sees the result.
func decode(s string) string {
	if !strings.ContainsAny(s, `\&`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s) && isPunct(s[i+1]):
			i++
			b.WriteByte(s[i])
		case s[i] == '&':
			end := strings.IndexByte(s[i:], ';')
			if end < 0 || end > 33 || strings.ContainsAny(s[i+1:i+end], `& \`) {
				b.WriteByte('&')
				continue
			}
			b.WriteString(html.UnescapeString(s[i : i+end+1]))
			i += end
		default:
			b.WriteByte(s[i])
		}
	}
	return string(safe.Text(b.String(), safe.Inline))
}

func isPunct(c byte) bool {
	return c > ' ' && c < 0x7f && !(c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z')
}
