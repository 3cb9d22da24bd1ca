package scenario

import (
	"regexp"
	"slices"
	"strings"

	"agentstudio/engine"

	yaml "go.yaml.in/yaml/v4"
)

// turn is one branch: what must hold, and what is done then.
type turn struct {
	when when
	do   []action
}

// when is a set of conditions that must all hold. Its zero value always does.
type when struct {
	from, to int            // turn since the prompt; 0 is no limit
	contains []string       // small letters; one of them is in the prompt
	matches  *regexp.Regexp // of the prompt
	after    []*yaml.Node   // tools called since the prompt
	last     *last
	image    *bool
	table    *bool
}

// last is a condition on the newest result, of one tool or of any.
type last struct {
	tool *yaml.Node
	is   string
	code string
}

func (r *reader) turn(n *yaml.Node) turn {
	m := r.fields(n, "a turn", "when", "do")
	var t turn
	if v := m["when"]; v != nil {
		t.when = r.when(v)
	}
	switch v := m["do"]; {
	case v != nil:
		t.do = r.actions(v, "do")
	case n.Kind == yaml.MappingNode:
		r.fault(n, "do is missing: the list of what the model does in this turn")
	}
	return t
}

func (r *reader) when(n *yaml.Node) when {
	m := r.fields(n, "when", "turn", "prompt", "after", "last", "image", "table")
	var w when
	if v := m["turn"]; v != nil {
		w.from, w.to = r.turns(v)
	}
	if v := m["prompt"]; v != nil {
		w.contains, w.matches = r.promptWords(v)
	}
	if v := m["after"]; v != nil {
		w.after = []*yaml.Node{v}
		if v.Kind != yaml.ScalarNode {
			w.after = r.list(v, "after")
		}
		for _, tool := range w.after {
			r.str(tool, "a tool of after")
		}
	}
	if v := m["last"]; v != nil {
		w.last = r.last(v)
	}
	if v := m["image"]; v != nil {
		b := r.truth(v, "image")
		w.image = &b
	}
	if v := m["table"]; v != nil {
		b := r.truth(v, "table")
		w.table = &b
	}
	if n.Kind == yaml.MappingNode && len(n.Content) == 0 {
		r.fault(n, "when is empty; leave it out for a turn without conditions")
	}
	return w
}

func (r *reader) turns(n *yaml.Node) (from, to int) {
	if n.Kind != yaml.MappingNode {
		v := r.number(n, "turn", 1, 10_000)
		return v, v
	}
	m := r.fields(n, "turn", "from", "to")
	if v := m["from"]; v != nil {
		from = r.number(v, "turn.from", 1, 10_000)
	}
	if v := m["to"]; v != nil {
		if to = r.number(v, "turn.to", 1, 10_000); to < from {
			r.fault(v, "turn.to is before turn.from")
		}
	}
	return from, to
}

func (r *reader) promptWords(n *yaml.Node) (contains []string, matches *regexp.Regexp) {
	words := func(v *yaml.Node) {
		nodes := []*yaml.Node{v}
		if v.Kind != yaml.ScalarNode {
			nodes = r.list(v, "prompt")
		}
		for _, w := range nodes {
			if s := r.str(w, "a word of prompt"); s != "" {
				contains = append(contains, strings.ToLower(s))
			}
		}
	}
	if n.Kind != yaml.MappingNode {
		words(n)
		return contains, nil
	}
	m := r.fields(n, "prompt", "contains", "matches")
	if v := m["contains"]; v != nil {
		words(v)
	}
	if v := m["matches"]; v != nil {
		re, err := regexp.Compile(r.str(v, "prompt.matches"))
		if err != nil {
			r.fault(v, "prompt.matches is no regular expression: %s", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
		}
		matches = re
	}
	return contains, matches
}

func (r *reader) last(n *yaml.Node) *last {
	m := r.fields(n, "last", "tool", "is", "code")
	l := &last{tool: m["tool"]}
	if l.tool != nil {
		r.str(l.tool, "last.tool")
	}
	if v := m["is"]; v != nil {
		l.is = r.oneOf(v, "last.is", "ok", "failed", "denied", "expired", "cancelled")
	}
	if v := m["code"]; v != nil {
		l.code = r.str(v, "last.code")
	}
	if n.Kind == yaml.MappingNode && len(n.Content) == 0 {
		r.fault(n, "last is empty; expected tool, is or code")
	}
	return l
}

// always tells that there is no condition.
func (w when) always() bool {
	return w.from == 0 && w.to == 0 && w.contains == nil && w.matches == nil && w.after == nil && w.last == nil && w.image == nil && w.table == nil
}

// tools are the tool names that the conditions speak of.
func (w when) tools() []*yaml.Node {
	if w.last != nil && w.last.tool != nil {
		return append(slices.Clone(w.after), w.last.tool)
	}
	return w.after
}

// holds tells whether all conditions do.
func (w when) holds(s situation) bool {
	if s.turn < w.from || w.to > 0 && s.turn > w.to {
		return false
	}
	low := strings.ToLower(s.prompt.Text)
	if len(w.contains) > 0 && !slices.ContainsFunc(w.contains, func(word string) bool { return strings.Contains(low, word) }) {
		return false
	}
	if w.matches != nil && !w.matches.MatchString(s.prompt.Text) {
		return false
	}
	if w.image != nil && *w.image != s.attached("image") || w.table != nil && *w.table != s.attached("table") {
		return false
	}
	called := map[string]int{}
	for _, c := range s.calls {
		called[c.tool]++
	}
	for _, tool := range w.after {
		if called[tool.Value]--; called[tool.Value] < 0 {
			return false
		}
	}
	return w.last == nil || w.last.holds(s)
}

func (l last) holds(s situation) bool {
	tool := ""
	if l.tool != nil {
		tool = l.tool.Value
	}
	m, ok := s.newest(tool)
	if !ok {
		return false
	}
	return (l.is == "" || isOutcome(m, l.is)) && (l.code == "" || string(m.Code) == l.code)
}

// isOutcome tells how a call ended. denied, expired and cancelled are kinds of failed.
func isOutcome(m engine.Message, is string) bool {
	switch is {
	case "ok":
		return !m.Failed
	case "denied":
		return m.Failed && (m.Code == engine.ApprovalDenied || m.Code == engine.PolicyDenied || m.Code == engine.ToolUnknown)
	case "expired":
		return m.Failed && m.Code == engine.ApprovalExpired
	case "cancelled":
		return m.Failed && (m.Code == engine.ApprovalCancelled || m.Code == engine.RunCancelled)
	}
	return m.Failed
}
