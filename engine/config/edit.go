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
// too; "" takes a key out. The result is read again before it is given back. Errors: CONFIG_INVALID
// when the text or a value has a fault.
func Edit(name string, b []byte, changes map[string]string) ([]byte, error) {
	if _, err := Parse(name, b); err != nil {
		return nil, err
	}
	doc := &yaml.Node{Kind: yaml.DocumentNode, Content: []*yaml.Node{{Kind: yaml.MappingNode}}}
	head := marked(b)
	if !bare(b) {
		if err := yaml.Load(head, doc); err != nil {
			return nil, engine.Errorf(engine.ConfigInvalid, "%s cannot be changed without losing something of it; change it by hand", name)
		}
		head = nil
	}
	root := doc.Content[0]
	for _, key := range slices.Sorted(maps.Keys(changes)) {
		group, sub, nested := strings.Cut(key, ".")
		switch {
		case group == "policy":
			setRule(root, sub, changes[key])
		case nested:
			setIn(root, group, sub, changes[key])
		default:
			set(root, key, changes[key])
		}
	}
	var out []byte
	if len(root.Content) > 0 {
		var err error
		inset := bytes.Contains(b, []byte("\n  - ")) // how this file writes its lists
		if out, err = yaml.Dump(doc, yaml.WithV4Defaults(), yaml.WithCompactSeqIndent(!inset), yaml.WithLineWidth(-1)); err != nil {
			return nil, &engine.Error{Code: engine.ConfigInvalid, Message: name + " cannot be written as YAML", Err: err}
		}
	}
	out = unmarked(append(head, out...))
	return out, took(name, b, out, changes)
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

// took makes sure that the new text says what the old one did, but for the changes.
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
	if !maps.Equal(want, have) {
		return engine.Errorf(engine.ConfigInvalid, "%s cannot be changed without losing something of it; change it by hand", name)
	}
	return nil
}

// set gives a key of a mapping a value, or takes it out.
func set(n *yaml.Node, key, text string) {
	i := find(n, key)
	switch {
	case text == "" && i >= 0:
		n.Content = slices.Delete(n.Content, i, i+2)
	case text == "":
	case i < 0:
		n.Content = append(n.Content, word(key), word(text))
	default:
		old := n.Content[i+1]
		n.Content[i+1] = word(text)
		n.Content[i+1].HeadComment, n.Content[i+1].LineComment, n.Content[i+1].FootComment = old.HeadComment, old.LineComment, old.FootComment
	}
}

// setIn is set in a mapping inside another, which comes and goes with what is in it.
func setIn(root *yaml.Node, group, key, text string) {
	i := find(root, group)
	if i < 0 {
		if text == "" {
			return
		}
		i = len(root.Content)
		root.Content = append(root.Content, word(group), &yaml.Node{Kind: yaml.MappingNode})
	}
	set(root.Content[i+1], key, text)
	if len(root.Content[i+1].Content) == 0 {
		root.Content = slices.Delete(root.Content, i, i+2)
	}
}

// setRule gives a tool a rule, or takes its rule out.
func setRule(root *yaml.Node, tool, verdict string) {
	i := find(root, "policy")
	if i < 0 {
		if verdict == "" {
			return
		}
		i = len(root.Content)
		root.Content = append(root.Content, word("policy"), &yaml.Node{Kind: yaml.SequenceNode})
	}
	list := root.Content[i+1]
	at := slices.IndexFunc(list.Content, func(n *yaml.Node) bool {
		k := find(n, "tool")
		return k >= 0 && n.Content[k+1].Value == tool
	})
	switch {
	case verdict == "" && at >= 0:
		list.Content = slices.Delete(list.Content, at, at+1)
	case verdict == "":
	case at >= 0:
		set(list.Content[at], "verdict", verdict)
	default:
		list.Content = append(list.Content, &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle, Content: []*yaml.Node{word("tool"), word(tool), word("verdict"), word(verdict)}})
	}
	if len(list.Content) == 0 {
		root.Content = slices.Delete(root.Content, i, i+2)
	}
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
