package config

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"agentstudio/engine"

	yaml "go.yaml.in/yaml/v4"
)

// Edit changes keys in a config file's text and leaves the rest as it is, comments and blank lines
// too; "" takes a key out. Comments of a key that goes stay with the next one, or at the end of the
// file. The result is read again before it is given back. Errors: CONFIG_INVALID when the text or a
// value has a fault, or something would be lost.
func Edit(name string, b []byte, changes map[string]string) ([]byte, error) {
	if _, err := Parse(name, b); err != nil {
		return nil, err
	}
	doc := &yaml.Node{Kind: yaml.DocumentNode, Content: []*yaml.Node{{Kind: yaml.MappingNode}}}
	head := marked(b)
	if !bare(b) {
		if err := yaml.Load(head, doc); err != nil {
			return nil, losing(name)
		}
		head = nil
	}
	var out []byte
	left := change(doc.Content[0], changes)
	if len(doc.Content[0].Content) > 0 {
		var err error
		inset := bytes.Contains(b, []byte("\n  - ")) // how this file writes its lists
		if out, err = yaml.Dump(doc, yaml.WithV4Defaults(), yaml.WithCompactSeqIndent(!inset), yaml.WithLineWidth(-1)); err != nil {
			return nil, &engine.Error{Code: engine.ConfigInvalid, Message: name + " cannot be written as YAML", Err: err}
		}
	} else {
		left = slices.Concat([]string{doc.HeadComment, doc.Content[0].HeadComment}, left, []string{doc.Content[0].FootComment, doc.FootComment})
	}
	out = append(out, rest(left)...)
	out = unmarked(append(head, out...))
	return out, took(name, b, out, changes)
}

func losing(name string) error {
	return engine.Errorf(engine.ConfigInvalid, "%s cannot be changed without losing something of it; change it by hand", name)
}

// change makes the changes in a tree. Keys come before others go, so that comments find a new key
// too; left are the comments that found none.
func change(root *yaml.Node, changes map[string]string) (left []string) {
	keys := slices.Sorted(maps.Keys(changes))
	for _, key := range keys {
		group, sub, nested := strings.Cut(key, ".")
		switch text := changes[key]; {
		case text == "":
		case group == "policy":
			setRule(root, sub, text)
		case nested:
			set(within(root, group, yaml.MappingNode), sub, text)
		default:
			set(root, key, text)
		}
	}
	for _, key := range keys {
		if changes[key] == "" {
			left = append(left, unset(root, key)...)
		}
	}
	return left
}

// rest is comments as the end of a file.
func rest(left []string) []byte {
	var n yaml.Node
	lead(&n, slices.DeleteFunc(left, func(s string) bool { return s == "" }))
	text := n.HeadComment
	for strings.HasSuffix(text, "\n"+blank) {
		text = strings.TrimSuffix(text, "\n"+blank)
	}
	if text == "" {
		return nil
	}
	return []byte(text + "\n")
}

// blank stands for an empty line while a tree is made of the text and back, since trees have none.
const blank = "#\u2060"

// marked is the text with a mark in each empty line, and a line end behind the last.
func marked(b []byte) []byte {
	var out bytes.Buffer
	for line := range bytes.Lines(bytes.TrimPrefix(b, []byte(byteOrderMark))) {
		line = bytes.TrimRight(line, "\r\n")
		if len(bytes.TrimSpace(line)) == 0 {
			line = []byte(blank)
		}
		out.Write(line)
		out.WriteByte('\n')
	}
	return out.Bytes()
}

func unmarked(b []byte) []byte {
	var out bytes.Buffer
	for line := range bytes.Lines(b) {
		if string(bytes.TrimSpace(line)) == blank {
			line = []byte("\n")
		}
		out.Write(line)
	}
	return out.Bytes()
}

// took makes sure that the new text says what the old one did, but for the changes, and has all its
// comments.
func took(name string, before, after []byte, changes map[string]string) error {
	was, err := Parse(name, before)
	if err != nil {
		return err
	}
	is, err := Parse(name, after)
	if err != nil {
		return err
	}
	want := map[string]string{}
	for key, v := range was.values {
		want[key] = v.text + strings.Join(v.list, "\n")
	}
	for key, v := range changes {
		if want[key] = v; v == "" {
			delete(want, key)
		}
	}
	have := map[string]string{}
	for key, v := range is.values {
		have[key] = v.text + strings.Join(v.list, "\n")
	}
	if !maps.Equal(want, have) || lost(before, after) {
		return losing(name)
	}
	return nil
}

// set gives a key of a mapping a value.
func set(n *yaml.Node, key, text string) {
	i := find(n, key)
	if i < 0 {
		n.Content = append(n.Content, word(key), word(text))
		return
	}
	old := n.Content[i+1]
	n.Content[i+1] = word(text)
	n.Content[i+1].HeadComment, n.Content[i+1].LineComment, n.Content[i+1].FootComment = old.HeadComment, old.LineComment, old.FootComment
}

// within is the value of a key that holds others, which is made if it is missing.
func within(root *yaml.Node, group string, kind yaml.Kind) *yaml.Node {
	i := find(root, group)
	if i < 0 {
		i = len(root.Content)
		root.Content = append(root.Content, word(group), &yaml.Node{Kind: kind})
	}
	return root.Content[i+1]
}

// setRule gives a tool a rule.
func setRule(root *yaml.Node, tool, verdict string) {
	list := within(root, "policy", yaml.SequenceNode)
	if at := rule(list, tool); at >= 0 {
		set(list.Content[at], "verdict", verdict)
		return
	}
	list.Content = append(list.Content, &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle, Content: []*yaml.Node{word("tool"), word(tool), word("verdict"), word(verdict)}})
}

// rule is where a list of rules has the one for a tool, or -1.
func rule(list *yaml.Node, tool string) int {
	return slices.IndexFunc(list.Content, func(n *yaml.Node) bool {
		k := find(n, "tool")
		return k >= 0 && n.Content[k+1].Value == tool
	})
}

// unset takes a key out, and what held only this one too. It gives the comments that nothing after
// them can have.
func unset(root *yaml.Node, key string) (left []string) {
	group, sub, nested := strings.Cut(key, ".")
	i := find(root, group)
	if i < 0 || !nested {
		return dropAt(root, i, 2)
	}
	in, width := root.Content[i+1], 2
	at := find(in, sub)
	if group == "policy" {
		at, width = rule(in, sub), 1
	}
	if at >= 0 && len(in.Content) == width {
		return drop(root, i, 2)
	}
	if left = dropAt(in, at, width); i+2 < len(root.Content) {
		lead(root.Content[i+2], left)
		return nil
	}
	return left
}

// dropAt is drop, but for what is not there.
func dropAt(n *yaml.Node, i, width int) []string {
	if i < 0 {
		return nil
	}
	return drop(n, i, width)
}

func find(n *yaml.Node, key string) int {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return i
		}
	}
	return -1
}

func word(s string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Value: s} }
