package config

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"agentstudio/engine"

	yaml "go.yaml.in/yaml/v4"
)

const (
	maxDepth = 8
	maxRules = 100
)

// reader walks a YAML tree and gathers every fault instead of stopping at the first.
type reader struct {
	file   *File
	faults []Fault
}

// Parse reads a config file's text; name is what faults call it. Errors: CONFIG_INVALID with every
// fault and its place.
func Parse(name string, b []byte) (*File, error) {
	r := &reader{file: &File{name: name, values: map[string]value{}}}
	if root := r.load(b); root != nil {
		r.root(root)
	}
	if err := refusal(r.faults); err != nil {
		return nil, err
	}
	return r.file, nil
}

// load makes the tree; nil for a file of nothing but comments, and when the YAML itself is broken.
func (r *reader) load(b []byte) *yaml.Node {
	if len(b) > maxFile {
		r.at(1, 1, "the file is over %d KiB", maxFile>>10)
		return nil
	}
	if bare(b) {
		return nil
	}
	var doc yaml.Node
	if err := yaml.Load(bytes.TrimPrefix(b, []byte(byteOrderMark)), &doc); err != nil {
		line, column, message := 1, 1, err.Error()
		var one *yaml.LoadError
		if errors.As(err, &one) {
			message = strings.TrimPrefix(one.Message, "yaml: ")
			line, column = max(one.Mark.Line, 1), max(one.Mark.Column, 1)
		}
		r.at(line, column, "this is not YAML: %s", strings.ToValidUTF8(message, "\uFFFD"))
		return nil
	}
	if len(doc.Content) == 0 || !r.plain(doc.Content[0], 0) {
		return nil
	}
	return doc.Content[0]
}

const byteOrderMark = "\xef\xbb\xbf"

// bare tells that there are only comments and blanks.
func bare(b []byte) bool {
	for line := range bytes.Lines(bytes.TrimPrefix(b, []byte(byteOrderMark))) {
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '#' {
			return false
		}
	}
	return true
}

func (r *reader) at(line, column int, format string, args ...any) {
	r.faults = append(r.faults, Fault{r.file.name, line, column, fmt.Sprintf(format, args...)})
}

func (r *reader) fault(n *yaml.Node, format string, args ...any) {
	r.at(max(n.Line, 1), max(n.Column, 1), format, args...)
}

// plain refuses what a config has no use for and what would make a small file huge.
func (r *reader) plain(n *yaml.Node, depth int) bool {
	switch {
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		r.fault(n, "anchors and aliases are not allowed; write the value out")
		return false
	case n.Style&yaml.TaggedStyle != 0:
		r.fault(n, "tags are not allowed")
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

// fields reads a mapping that may have only these keys.
func (r *reader) fields(n *yaml.Node, what string, allowed []string, take func(key, v *yaml.Node)) {
	if n.Kind != yaml.MappingNode {
		with := ""
		if allowed != nil {
			with = " with " + orList(allowed)
		}
		r.fault(n, "%s must be a mapping%s, not %s", what, with, shown(n))
		return
	}
	seen := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, v := n.Content[i], n.Content[i+1]
		switch {
		case allowed != nil && !slices.Contains(allowed, key.Value):
			r.fault(key, "%s has no key %q%s; expected %s", what, clip(key.Value), didYouMean(key.Value, allowed), orList(allowed))
		case seen[key.Value] > 0:
			r.fault(key, "%q is there twice; the first is in line %d", clip(key.Value), seen[key.Value])
		default:
			seen[key.Value] = max(key.Line, 1)
			take(key, v)
		}
	}
}

// root reads the whole file.
func (r *reader) root(n *yaml.Node) {
	var top, budget []string
	for _, f := range fields() {
		if sub, ok := strings.CutPrefix(f.key, "budget."); ok {
			budget = append(budget, sub)
		} else {
			top = append(top, f.key)
		}
	}
	r.fields(n, "the config", append(top, "budget", "policy", "keys"), func(key, v *yaml.Node) {
		switch key.Value {
		case "budget":
			r.fields(v, "budget", budget, func(key, v *yaml.Node) { r.scalar("budget."+key.Value, v) })
		case "policy":
			r.policy(v)
		case "keys":
			r.fields(v, "keys", nil, func(key, v *yaml.Node) { r.keys(key, v) })
		default:
			r.scalar(key.Value, v)
		}
	})
}

func (r *reader) scalar(key string, n *yaml.Node) {
	f, _ := fieldOf(key)
	wrong := f.wrong(n.Value)
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" || wrong != "" {
		if wrong == "" {
			wrong = "must have a value"
		}
		hint := ""
		if n.Kind == yaml.ScalarNode {
			hint = didYouMean(n.Value, f.choices)
		}
		r.fault(n, "%s %s, not %s%s", key, wrong, shown(n), hint)
		return
	}
	r.file.values[key] = value{text: n.Value, line: n.Line, column: n.Column}
}

// policy reads the list of rules.
func (r *reader) policy(n *yaml.Node) {
	if n.Kind != yaml.SequenceNode || len(n.Content) > maxRules {
		r.fault(n, "policy must be a list of at most %d rules, as in {tool: grep, verdict: ask}, not %s", maxRules, shown(n))
		return
	}
	for _, item := range n.Content {
		var tool, verdict *yaml.Node
		r.fields(item, "a rule", []string{"tool", "verdict"}, func(key, v *yaml.Node) {
			switch {
			case v.Kind != yaml.ScalarNode || v.Tag == "!!null" || v.Value == "":
				r.fault(v, "%s must be text, not %s", key.Value, shown(v))
			case key.Value == "tool":
				tool = v
			default:
				verdict = v
			}
		})
		if item.Kind == yaml.MappingNode && (tool == nil || verdict == nil) {
			r.fault(item, "a rule needs both tool and verdict, as in {tool: grep, verdict: ask}")
		}
		if tool != nil && verdict != nil {
			r.rule(tool, verdict)
		}
	}
}

func (r *reader) rule(tool, verdict *yaml.Node) {
	key := "policy." + tool.Value
	switch had, twice := r.file.values[key]; {
	case verdict.Value == string(engine.Allow):
		r.fault(verdict, "a rule can only tighten: verdict is ask or deny, not allow; leave the rule out to keep the tool's own policy")
	case verdict.Value != string(engine.Ask) && verdict.Value != string(engine.Deny):
		r.fault(verdict, "verdict must be ask or deny, not %s%s", shown(verdict), didYouMean(verdict.Value, []string{"ask", "deny"}))
	case twice:
		r.fault(tool, "there is a rule for %q already, in line %d", clip(tool.Value), had.line)
	default:
		r.file.values[key] = value{text: verdict.Value, line: tool.Line, column: tool.Column}
	}
}

// keys reads what keys something gets: one, or a list.
func (r *reader) keys(key, n *yaml.Node) {
	items := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		items = n.Content
	}
	v := value{line: key.Line, column: key.Column}
	for _, item := range items {
		if item.Kind != yaml.ScalarNode || item.Tag == "!!null" || item.Value == "" {
			r.fault(item, "keys.%s must be a key or a list of keys, as in ctrl+g or [ctrl+g, f9], not %s", clip(key.Value), shown(item))
			return
		}
		v.list = append(v.list, item.Value)
	}
	if len(v.list) == 0 {
		r.fault(n, "keys.%s is an empty list; leave it out to keep its own key", clip(key.Value))
		return
	}
	r.file.values["keys."+key.Value] = v
}

// shown is a node as faults name it.
func shown(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "a mapping"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.Tag == "!!null":
		return "nothing"
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
