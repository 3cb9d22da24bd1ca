package scenario

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"agentstudio/engine"

	yaml "go.yaml.in/yaml/v4"
)

// Fault is one thing wrong with a file, with its place counted from 1.
type Fault struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Message string `json:"message"`
}

// String gives the fault as file:line:column: message.
func (f Fault) String() string {
	return fmt.Sprintf("%s:%d:%d: %s", f.File, f.Line, f.Column, f.Message)
}

// reader walks a YAML tree and gathers every fault instead of stopping at the first.
type reader struct {
	file   string
	lines  []string
	faults []Fault
	calls  []string // the tools that the file calls
}

// load makes the tree, or one fault when the YAML itself is broken.
func (r *reader) load(b []byte) *yaml.Node {
	r.lines = strings.Split(string(b), "\n")
	if len(b) > maxFile {
		r.at(1, 1, "the file is over %d KiB", maxFile>>10)
		return nil
	}
	b = bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))
	var doc yaml.Node
	if err := yaml.Load(b, &doc); err != nil {
		line, column, message := 1, 1, err.Error()
		var one *yaml.LoadError
		if errors.As(err, &one) {
			message = strings.TrimPrefix(one.Message, "yaml: ")
			line, column = max(one.Mark.Line, 1), max(one.Mark.Column, 1)
		}
		r.at(line, column, "this is not YAML: %s", message)
		return nil
	}
	if len(doc.Content) == 0 {
		r.at(1, 1, "the file is empty")
		return nil
	}
	return doc.Content[0]
}

func (r *reader) at(line, column int, format string, args ...any) {
	r.faults = append(r.faults, Fault{r.file, line, column, fmt.Sprintf(format, args...)})
}

func (r *reader) fault(n *yaml.Node, format string, args ...any) {
	r.at(max(n.Line, 1), max(n.Column, 1), format, args...)
}

// plain refuses what a scenario has no use for and what would make a small file huge.
func (r *reader) plain(n *yaml.Node, depth int) bool {
	switch {
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		r.fault(n, "anchors and aliases are not allowed; write the value out")
		return false
	case depth > maxDepth:
		r.fault(n, "nested deeper than %d levels", maxDepth)
		return false
	}
	ok := true
	for _, c := range n.Content {
		ok = r.plain(c, depth+1) && ok
	}
	return ok
}

// fields reads a mapping that may have only these keys. A missing value is nil.
func (r *reader) fields(n *yaml.Node, what string, allowed ...string) map[string]*yaml.Node {
	out := map[string]*yaml.Node{}
	if n.Kind != yaml.MappingNode {
		r.fault(n, "%s must be a mapping with %s, not %s", what, orList(allowed), kind(n))
		return out
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		switch {
		case !slices.Contains(allowed, key.Value):
			r.fault(key, "%s has no key %q%s; expected %s", what, clip(key.Value), didYouMean(key.Value, allowed), orList(allowed))
		case out[key.Value] != nil:
			r.fault(key, "%q is there twice; the first is in line %d", key.Value, out[key.Value].Line)
		default:
			out[key.Value] = value
		}
	}
	return out
}

func (r *reader) list(n *yaml.Node, what string) []*yaml.Node {
	if n.Kind != yaml.SequenceNode {
		r.fault(n, "%s must be a list, not %s", what, kind(n))
		return nil
	}
	if len(n.Content) == 0 {
		r.fault(n, "%s is an empty list", what)
	}
	return n.Content
}

func (r *reader) str(n *yaml.Node, what string) string {
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		r.fault(n, "%s must be text, not %s", what, kind(n))
		return ""
	}
	return n.Value
}

// oneOf reads a word of a closed list.
func (r *reader) oneOf(n *yaml.Node, what string, words ...string) string {
	s := r.str(n, what)
	if s != "" && !slices.Contains(words, s) {
		r.fault(n, "%s can't be %q%s; expected %s", what, clip(s), didYouMean(s, words), orList(words))
		return ""
	}
	return s
}

func (r *reader) number(n *yaml.Node, what string, low, high int) int {
	v, err := strconv.Atoi(n.Value)
	if n.Kind != yaml.ScalarNode || err != nil || v < low || v > high {
		r.fault(n, "%s must be a whole number from %d to %d, not %s", what, low, high, shown(n))
		return low
	}
	return v
}

func (r *reader) truth(n *yaml.Node, what string) bool {
	if n.Kind != yaml.ScalarNode || n.Value != "true" && n.Value != "false" {
		r.fault(n, "%s must be true or false, not %s", what, shown(n))
		return false
	}
	return n.Value == "true"
}

func (r *reader) duration(n *yaml.Node, what string, low, high time.Duration) time.Duration {
	d, err := time.ParseDuration(n.Value)
	if n.Kind != yaml.ScalarNode || err != nil || d < low || d > high {
		r.fault(n, "%s must be a time from %s to %s, as in 2s or 500ms, not %s", what, low, high, shown(n))
		return low
	}
	return d
}

// err gives all faults as one SCENARIO_INVALID, or nil.
func (r *reader) err() error {
	if len(r.faults) == 0 {
		return nil
	}
	slices.SortStableFunc(r.faults, func(a, b Fault) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		if a.Column != b.Column {
			return a.Column - b.Column
		}
		return strings.Compare(a.Message, b.Message)
	})
	rows := make([]string, len(r.faults))
	for i, f := range r.faults {
		rows[i] = f.String()
	}
	return engine.Errorf(engine.ScenarioInvalid, "%s", strings.Join(rows, "\n")).With("faults", r.faults)
}

func kind(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	if n.Tag == "!!null" {
		return "nothing"
	}
	return "a single value"
}

func shown(n *yaml.Node) string {
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		return kind(n)
	}
	return strconv.Quote(clip(n.Value))
}

func clip(s string) string {
	if r := []rune(s); len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return s
}

func didYouMean(word string, list []string) string {
	if n := engine.Near(word, list); n != "" {
		return " (did you mean " + n + "?)"
	}
	return ""
}

func orList(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}
