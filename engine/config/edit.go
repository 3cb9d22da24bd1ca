package config

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"agentstudio/engine"

	yaml "go.yaml.in/yaml/v4"
)

// Edit changes keys in a config file's text and leaves the rest as it is, comments and blank lines
// too; "" takes a key out. Comments of a key that goes stay where they are, above the next one or
// at the end. The result is read again before it is given back. Errors: CONFIG_INVALID when the
// text or a value has a fault, or something would be lost.
func Edit(name string, b []byte, changes map[string]string) ([]byte, error) {
	if _, err := Parse(name, b); err != nil {
		return nil, err
	}
	text := bytes.TrimPrefix(b, []byte(byteOrderMark))
	keys := slices.Sorted(maps.Keys(changes))
	slices.SortStableFunc(keys, func(a, b string) int { // a group with a new key needn't go and come
		return strings.Compare(strconv.FormatBool(changes[a] == ""), strconv.FormatBool(changes[b] == ""))
	})
	for _, key := range keys {
		d := newDraft(text)
		d.change(key, changes[key])
		if d.bad {
			return nil, losing(name)
		}
		text = d.text
	}
	text = slices.Concat(b[:len(b)-len(bytes.TrimPrefix(b, []byte(byteOrderMark)))], text)
	return text, took(name, b, text, changes)
}

func losing(name string) error {
	return engine.Errorf(engine.ConfigInvalid, "%s cannot be changed without losing something of it; change it by hand", name)
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
		return cmp.Or(refused(name, changes), losing(name))
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

// refused tells what is wrong with the values alone.
func refused(name string, changes map[string]string) error {
	d := newDraft(nil)
	for key, value := range changes {
		d = newDraft(d.text)
		d.change(key, value)
	}
	_, err := Parse(name, d.text)
	return err
}

// change gives a key a value, or takes it out for "".
func (d *draft) change(key, value string) {
	group, sub, nested := strings.Cut(key, ".")
	var in *yaml.Node
	i := -1
	if d.root != nil {
		if i = find(d.root, group); i >= 0 {
			in = d.root.Content[i+1]
		}
	}
	switch {
	case d.bad || value == "" && i < 0:
	case value == "" && !nested:
		d.drop(d.root, i, 2)
	case value == "":
		d.dropIn(i, group, sub)
	case i < 0:
		d.add(d.root, fresh(group, sub, value, d.root != nil && d.flow(d.root)))
	case !nested:
		d.set(in, value)
	case group == "policy":
		d.setRule(in, sub, value)
	default:
		if at := find(in, sub); at >= 0 {
			d.set(in.Content[at+1], value)
			return
		}
		d.add(in, []string{quoted(sub) + ": " + quoted(value)})
	}
}

// set puts a value in the place of another.
func (d *draft) set(old *yaml.Node, value string) { d.put(d.start(old), d.end(old), quoted(value)) }

func (d *draft) setRule(list *yaml.Node, tool, verdict string) {
	if at := rule(list, tool); at >= 0 {
		r := list.Content[at]
		d.set(r.Content[find(r, "verdict")+1], verdict)
		return
	}
	text := ruleText(tool, verdict)
	if !d.flow(list) {
		text = "- " + text
	}
	d.add(list, []string{text})
}

// dropIn takes a key out of a group, and the group if it was the only one.
func (d *draft) dropIn(i int, group, sub string) {
	in, width := d.root.Content[i+1], 2
	at := find(in, sub)
	if group == "policy" {
		at, width = rule(in, sub), 1
	}
	switch {
	case at < 0:
	case len(in.Content) == width && !d.flow(d.root) && !d.flow(in):
		d.strike(d.start(d.root.Content[i]), len(bytes.TrimRight(d.text[:max(d.foot(in), 0)], "\r\n")))
	case len(in.Content) == width:
		d.drop(d.root, i, 2)
	default:
		d.drop(in, at, width)
	}
}

// drop takes width nodes at i out of a list or mapping.
func (d *draft) drop(n *yaml.Node, i, width int) {
	from, to := d.start(n.Content[i]), d.end(n.Content[i+width-1])
	switch {
	case n == d.root && len(n.Content) == width:
		d.strike(d.start(n), d.end(n))
	case !d.flow(n):
		d.strike(from, to)
	case i+width < len(n.Content):
		d.put(from, d.start(n.Content[i+width]), "")
	case i > 0:
		d.put(d.end(n.Content[i-1]), to, "")
	default:
		d.bad = true
	}
}

// add writes lines as the last of a list or mapping; nil is a file of nothing but comments.
func (d *draft) add(n *yaml.Node, lines []string) {
	if n != nil && d.flow(n) {
		at, text := d.start(n)+1, strings.Join(lines, "")
		if len(n.Content) > 0 {
			at, text = d.end(n.Content[len(n.Content)-1]), ", "+text
		}
		d.put(at, at, text)
		return
	}
	at, inset := len(d.text), ""
	if n != nil {
		inset = d.inset(d.start(n))
	}
	if n != d.root {
		at = d.foot(n)
	} else if last := d.text[d.before(max(at-1, 0)):]; n != nil && bytes.HasPrefix(bytes.TrimSpace(last), []byte("#")) {
		d.addLine(at, "") // or the comment would seem to be about the new key
		at = len(d.text)
	}
	if at < 0 {
		d.bad = true
		return
	}
	d.addLine(at, inset+strings.Join(lines, d.newline()+inset))
}

// fresh is the lines of a new key of the file; in brackets it is one.
func fresh(group, sub, value string, flow bool) []string {
	switch {
	case sub == "":
		return []string{quoted(group) + ": " + quoted(value)}
	case group == "policy" && flow:
		return []string{"policy: [" + ruleText(sub, value) + "]"}
	case group == "policy":
		return []string{"policy:", "- " + ruleText(sub, value)}
	case flow:
		return []string{quoted(group) + ": {" + quoted(sub) + ": " + quoted(value) + "}"}
	}
	return []string{quoted(group) + ":", "  " + quoted(sub) + ": " + quoted(value)}
}

func ruleText(tool, verdict string) string {
	return "{tool: " + quoted(tool) + ", verdict: " + quoted(verdict) + "}"
}

// rule is where a list of rules has the one for a tool, or -1.
func rule(list *yaml.Node, tool string) int {
	return slices.IndexFunc(list.Content, func(n *yaml.Node) bool {
		k := find(n, "tool")
		return k >= 0 && n.Content[k+1].Value == tool
	})
}

func find(n *yaml.Node, key string) int {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return i
		}
	}
	return -1
}

// quoted is a word as YAML has it anywhere, in quotes unless it is plain.
func quoted(s string) string {
	plain := s != "" && s != "null" && !strings.ContainsFunc(s, func(r rune) bool {
		return r != '.' && r != '-' && r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
	if plain && s[0] != '-' && s[0] != '.' {
		return s
	}
	return strconv.Quote(s)
}
