package skillset

import (
	"errors"
	"slices"
	"strings"

	yaml "go.yaml.in/yaml/v4"
)

// frontmatter reads the lines between the fences into p.
func (p *parser) frontmatter(lines []string) {
	lines = p.printable(lines)
	root, err := tree(lines)
	if repaired, at := repair(lines); len(at) > 0 && (err != nil || !isText(root, "description")) {
		if again, err2 := tree(repaired); err2 == nil {
			for _, r := range at {
				p.flaw(r.line, r.column, YAMLRepaired, "%s has a colon that YAML would read as a key; put the value in quotes: %s: \"…\"", r.key, r.key)
			}
			root, err, lines = again, nil, repaired
		}
	}
	if err != nil {
		p.notYAML(err)
		return
	}
	if root == nil || root.Kind != yaml.MappingNode {
		p.fatal(2, 1, FrontmatterNotMapping, "the frontmatter must have a line name: … and a line description: …")
		return
	}
	if !p.tame(root) {
		return
	}
	fields, ok := p.fields(root)
	p.named(fields["name"])
	p.described(fields["description"], lines)
	p.others(fields)
	if !ok {
		p.broken = true
	}
}

// tree parses the lines, with the first fence as a blank line so that positions are the file's.
func tree(lines []string) (*yaml.Node, error) {
	var doc yaml.Node
	if err := yaml.Load([]byte("\n"+strings.Join(lines, "\n")+"\n"), &doc); err != nil {
		return nil, err
	}
	if len(doc.Content) == 0 {
		return nil, nil
	}
	return doc.Content[0], nil
}

func (p *parser) notYAML(err error) {
	line, column, message := 2, 1, err.Error()
	var one *yaml.LoadError
	if errors.As(err, &one) {
		message = strings.TrimPrefix(one.Message, "yaml: ")
		if one.Mark.Line > 0 {
			line, column = one.Mark.Line, max(one.Mark.Column, 1)
		}
	}
	if strings.Contains(message, "no documents") {
		p.fatal(2, 1, FrontmatterNotMapping, "the frontmatter is empty; it must have a line name: … and a line description: …")
		return
	}
	p.fatal(line, column, YAMLInvalid, "the frontmatter is not YAML: %s. Indent with blanks, not tabs, and put values with special characters in quotes", message)
}

// printable replaces control characters, which YAML refuses without saying where.
func (p *parser) printable(lines []string) []string {
	out := slices.Clone(lines)
	for i, line := range lines {
		if at := strings.IndexFunc(line, isControl); at >= 0 {
			out[i] = neutral(line)
			p.flaw(i+2, len([]rune(line[:at]))+1, ControlCharacter, "a control character was replaced; take it out")
		}
	}
	return out
}

// tame refuses what makes YAML more than text: aliases (which can make a small file huge), and
// says what the specification's parser would refuse.
func (p *parser) tame(n *yaml.Node) bool {
	if n.Kind == yaml.AliasNode || n.Anchor != "" {
		p.fatal(n.Line, n.Column, YAMLAlias, "anchors and aliases are not allowed; write the value out")
		return false
	}
	if n.Style&yaml.TaggedStyle != 0 {
		p.flaw(n.Line, n.Column, YAMLTag, "the tag %s is ignored; take it out", n.Tag)
	}
	for _, c := range n.Content {
		if !p.tame(c) {
			return false
		}
	}
	return true
}

// fields gives the values by key; false when a key is there twice, so that nobody has to guess
// which one was meant.
func (p *parser) fields(root *yaml.Node) (map[string]*yaml.Node, bool) {
	known := []string{"name", "description", "license", "compatibility", "metadata", "allowed-tools"}
	out, ok := map[string]*yaml.Node{}, true
	for i := 0; i+1 < len(root.Content); i += 2 {
		key, value := root.Content[i], root.Content[i+1]
		if first := out[key.Value]; first != nil {
			p.fatal(key.Line, key.Column, KeyDuplicate, "%s is there twice, first in line %d; keep one", key.Value, first.Line)
			ok = false
			continue
		}
		out[key.Value] = value
		if p.strict && !slices.Contains(known, key.Value) {
			p.flaw(key.Line, key.Column, KeyUnknown, "the specification has no key %q; put it under metadata", cut(key.Value, 64))
		}
	}
	return out, ok
}

// repaired is a value that was read as it is written.
type repaired struct {
	key          string
	line, column int
}

// repair puts the plain values of text fields that hold a colon in quotes, over as many lines as
// they have. The number of lines stays, so that positions do.
func repair(lines []string) ([]string, []repaired) {
	textFields := []string{"name", "description", "license", "compatibility", "allowed-tools"}
	out := slices.Clone(lines)
	var done []repaired
	for i := 0; i < len(lines); i++ {
		key, first, ok := strings.Cut(lines[i], ":")
		if !ok || !slices.Contains(textFields, key) || first != "" && !strings.HasPrefix(first, " ") {
			continue
		}
		end := i + 1
		for end < len(lines) && (lines[end] == "" || lines[end][0] == ' ' || lines[end][0] == '\t') {
			end++
		}
		value := append([]string{first}, lines[i+1:end]...)
		at, column := colonIn(value)
		if at >= 0 && isPlain(value) {
			if at == 0 {
				column += len(key) + 1
			}
			done = append(done, repaired{key, i + at + 2, column + 1})
			out[i] = key + ": " + quoted(value)
			for j := i + 1; j < end; j++ {
				out[j] = ""
			}
		}
		i = end - 1
	}
	return out, done
}

// isPlain tells that a value is no quoted text, block, list or other special form.
func isPlain(value []string) bool {
	for _, v := range value {
		if v = strings.TrimSpace(v); v != "" {
			return !strings.ContainsRune("\"'|>[{&*!%@`#", rune(v[0])) && !strings.HasPrefix(v, "- ")
		}
	}
	return false
}

// colonIn finds the first colon that YAML would take for the end of a key; at is -1 for none.
func colonIn(value []string) (at, column int) {
	for i, v := range value {
		if c := strings.Index(strings.TrimRight(v, " \t")+" ", ": "); c >= 0 {
			return i, len([]rune(v[:c]))
		}
	}
	return -1, 0
}

// quoted folds the lines as YAML does: a line end is a blank, a blank line is a line end.
func quoted(value []string) string {
	var words []string
	for _, v := range value {
		if v = strings.TrimSpace(v); v != "" {
			words = append(words, v)
		}
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(strings.Join(words, " ")) + `"`
}

func isText(root *yaml.Node, key string) bool {
	if root == nil || root.Kind != yaml.MappingNode {
		return true
	}
	for i := 0; i+1 < len(root.Content); i += 2 {
		if root.Content[i].Value == key {
			return root.Content[i+1].Kind != yaml.MappingNode
		}
	}
	return true
}
