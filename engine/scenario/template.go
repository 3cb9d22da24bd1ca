package scenario

import (
	"slices"
	"strconv"
	"strings"

	yaml "go.yaml.in/yaml/v4"
)

// A template is text with values in double braces:
//
//	{{path}}  {{path | format}}          a value, or "n/a" where there is none
//	{{for x in path}} … {{end}}          once for each element of a list
//	{{if path}} … {{else}} … {{end}}     also: if not path, if path == word, if path != word
//
// A path begins with a tool's name (its newest good result, if its content is JSON), last (the newest
// result: last.tool, last.code, last.message), prompt, round (how many messages the user has sent,
// this one counted), image and table (the prompt's first one), attachments, or a loop's own name; then keys, list positions from 0, or, in a list of objects,
// an element's name or id: mock_ads_metrics.campaigns.Brand-Search.roas. count is a list's length.
//
// Formats: money (1,234.50), count (1,234), percent and fixed, both with the number of decimals
// behind them (percent 1; two without). They round half up.
//
// A block tag alone on its line takes the line with it.
type template struct {
	source string
	parts  []part
	roots  []root // the first names of all paths, for the checker
}

// root is a name that a path begins with, and where it stands.
type root struct {
	name         string
	line, column int
}

// part is plain text, a value, or a block.
type part struct {
	plain  string
	value  *expression
	loop   string // the loop's name
	over   []string
	cond   *condition
	inner  []part
	orElse []part
}

type expression struct {
	path   []string
	format string
	places int
}

type condition struct {
	path     []string
	negate   bool
	compare  bool
	operand  string
	constant bool
}

// builtins are the names that a path may begin with besides tools and loops.
func builtins() []string { return []string{"last", "prompt", "round", "image", "table", "attachments"} }

func plainTemplate(s string) *template { return &template{source: s, parts: []part{{plain: s}}} }

// templateParser turns one text into parts; tags are already cut out as tokens.
type templateParser struct {
	r      *reader
	node   *yaml.Node
	out    *template
	tokens []token
	at     int
	names  []string // loops around the present place
	depth  int
}

// token is plain text, or the inside of a tag.
type token struct {
	text         string
	tag          bool
	line, column int
}

func (r *reader) template(n *yaml.Node, s string) *template {
	p := &templateParser{r: r, node: n, out: &template{source: s}}
	p.tokens = p.split(s)
	p.out.parts = p.block("")
	return p.out
}

// split cuts the text at its tags. An open tag without end is a fault.
func (p *templateParser) split(s string) []token {
	var out []token
	rest, offset := s, 0
	for {
		open := strings.Index(rest, "{{")
		if open < 0 {
			return append(out, token{text: rest})
		}
		end := strings.Index(rest[open:], "}}")
		line, column := p.place(s, offset+open)
		if end < 0 {
			p.r.at(line, column, "{{ without }}")
			return append(out, token{text: rest})
		}
		inside := strings.TrimSpace(rest[open+2 : open+end])
		before, after := rest[:open], rest[open+end+2:]
		cut := 0
		if isBlockTag(inside) {
			before, cut = ownLine(before, after, len(out) == 0)
		}
		out = append(out, token{text: before}, token{text: inside, tag: true, line: line, column: column})
		offset += open + end + 2 + cut
		rest = s[offset:]
	}
}

func isBlockTag(s string) bool {
	word, _, _ := strings.Cut(s, " ")
	return slices.Contains([]string{"for", "if", "else", "end"}, word)
}

// ownLine takes away the line of a tag that stands alone on it.
func ownLine(before, after string, first bool) (string, int) {
	start := strings.LastIndexByte(before, '\n') + 1
	if strings.TrimLeft(before[start:], " \t") != "" || start == 0 && !first && before != "" {
		return before, 0
	}
	blank := len(after) - len(strings.TrimLeft(after, " \t"))
	if blank == len(after) {
		return before[:start], blank
	}
	if after[blank] == '\n' {
		return before[:start], blank + 1
	}
	return before, 0
}

// place finds a byte of the text in the file: exact in literal blocks (|), else where the text
// begins.
func (p *templateParser) place(s string, offset int) (line, column int) {
	if p.node.Style&yaml.LiteralStyle == 0 {
		return max(p.node.Line, 1), max(p.node.Column, 1)
	}
	line = p.node.Line + 1 + strings.Count(s[:offset], "\n")
	tag := s[offset:min(len(s), offset+8)]
	if line-1 < len(p.r.lines) {
		if at := strings.Index(p.r.lines[line-1], strings.SplitN(tag, "\n", 2)[0]); at >= 0 {
			return line, at + 1
		}
	}
	return line, 1
}

// block reads parts up to the tag that ends it ("" for the whole text).
func (p *templateParser) block(until string) []part {
	var parts []part
	for p.at < len(p.tokens) {
		t := p.tokens[p.at]
		p.at++
		if !t.tag {
			if t.text != "" {
				parts = append(parts, part{plain: t.text})
			}
			continue
		}
		word, rest, _ := strings.Cut(t.text, " ")
		switch word {
		case "end", "else":
			if until == "" || word == "else" && until != "if" {
				p.r.at(t.line, t.column, "{{%s}} without a block to belong to", word)
				continue
			}
			p.at--
			return parts
		case "for", "if":
			if p.depth++; p.depth > maxDepth {
				p.r.at(t.line, t.column, "blocks nested deeper than %d levels", maxDepth)
				p.at = len(p.tokens)
				return parts
			}
			if word == "for" {
				parts = append(parts, p.loop(t, rest))
			} else {
				parts = append(parts, p.branch(t, rest))
			}
			p.depth--
		default:
			parts = append(parts, part{value: p.expression(t)})
		}
	}
	if until != "" {
		p.r.at(max(p.node.Line, 1), max(p.node.Column, 1), "a {{%s}} of this text has no {{end}}", until)
	}
	return parts
}

func (p *templateParser) loop(t token, rest string) part {
	words := strings.Fields(rest)
	if len(words) != 3 || words[1] != "in" {
		p.r.at(t.line, t.column, "{{for %s}} is not understood; expected {{for NAME in PATH}}", clip(rest))
		words = []string{"x", "in", "attachments"}
	}
	out := part{loop: words[0], over: p.path(t, words[2])}
	p.names = append(p.names, out.loop)
	out.inner = p.block("for")
	p.names = p.names[:len(p.names)-1]
	p.at++ // its {{end}}
	return out
}

func (p *templateParser) branch(t token, rest string) part {
	out := part{cond: p.condition(t, rest)}
	out.inner = p.block("if")
	if p.at < len(p.tokens) && p.tokens[p.at].text == "else" {
		p.at++
		out.orElse = p.block("if")
		if p.at < len(p.tokens) && p.tokens[p.at].text == "else" {
			p.r.at(p.tokens[p.at].line, p.tokens[p.at].column, "a second {{else}}")
		}
	}
	p.at++ // its {{end}}
	return out
}

func (p *templateParser) condition(t token, rest string) *condition {
	words := strings.Fields(rest)
	c := &condition{}
	if len(words) == 2 && words[0] == "not" {
		c.negate, words = true, words[1:]
	}
	switch {
	case len(words) == 1:
	case len(words) >= 3 && (words[1] == "==" || words[1] == "!="):
		c.compare, c.negate = true, words[1] == "!="
		c.operand = strings.Trim(strings.Join(words[2:], " "), `"'`)
	default:
		p.r.at(t.line, t.column, "{{if %s}} is not understood; expected PATH, not PATH, PATH == WORD or PATH != WORD", clip(rest))
		return &condition{constant: true}
	}
	c.path = p.path(t, words[0])
	return c
}

func (p *templateParser) expression(t token) *expression {
	path, format, formatted := strings.Cut(t.text, "|")
	e := &expression{path: p.path(t, strings.TrimSpace(path)), places: 2}
	words := strings.Fields(format)
	if !formatted {
		return e
	}
	formats := []string{"money", "count", "percent", "fixed"}
	if len(words) == 0 || len(words) > 2 || !slices.Contains(formats, words[0]) {
		p.r.at(t.line, t.column, "there is no format %q; expected %s", clip(strings.TrimSpace(format)), orList(formats))
		return e
	}
	e.format = words[0]
	if len(words) == 2 {
		n, err := strconv.Atoi(words[1])
		if err != nil || n < 0 || n > 9 || e.format == "money" || e.format == "count" {
			p.r.at(t.line, t.column, "%q: only percent and fixed take a number, from 0 to 9", clip(strings.TrimSpace(format)))
			return e
		}
		e.places = n
	}
	return e
}

// path takes a.b.c apart and notes its first name for the checker.
func (p *templateParser) path(t token, s string) []string {
	path := strings.Split(s, ".")
	if s == "" || slices.Contains(path, "") || strings.ContainsAny(s, " \t\n") {
		p.r.at(t.line, t.column, "%q is no path; expected names with dots between them", clip(s))
		return []string{"prompt"}
	}
	if !slices.Contains(p.names, path[0]) {
		p.out.roots = append(p.out.roots, root{path[0], t.line, t.column})
	}
	return path
}
