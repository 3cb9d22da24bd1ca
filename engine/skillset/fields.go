package skillset

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	yaml "go.yaml.in/yaml/v4"
)

const (
	maxName          = 64
	maxNameAtAll     = 120 // what a root and a command can still be called
	maxDescription   = 1024
	maxCompatibility = 500
)

// named checks the name. It stays the text that is written: 123 and true are names like others.
func (p *parser) named(n *yaml.Node) {
	if n == nil || n.Kind == yaml.ScalarNode && strings.TrimSpace(n.Value) == "" {
		line, column := place(n)
		p.fatal(line, column, NameMissing, "name is missing; give the skill the name of its folder")
		return
	}
	if n.Kind != yaml.ScalarNode {
		p.fatal(n.Line, n.Column, NameUnusable, "name must be text, not %s", kind(n))
		return
	}
	name := strings.TrimSpace(n.Value)
	length := utf8.RuneCountInString(name)
	if !usableName(name) {
		p.fatal(n.Line, n.Column, NameUnusable, "the name %q can't be used; take a-z, 0-9 and single hyphens, at most %d", cut(neutral(name), maxName), maxName)
		return
	}
	p.name = name
	if length > maxName {
		p.flaw(n.Line, n.Column, NameTooLong, "the name has %d characters; %d are allowed", length, maxName)
	}
	if !regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`).MatchString(name) {
		p.flaw(n.Line, n.Column, NamePattern, "the name %s should be a-z, 0-9 and single hyphens, none at the ends", name)
	}
	if p.folder != "" && name != p.folder {
		p.flaw(n.Line, n.Column, NameNotFolder, "the name is %s, but the folder is %s; make them equal", name, p.folder)
	}
}

// usableName tells that a name can stand in a command and a path: letters, digits, - and _.
func usableName(name string) bool {
	return name != "" && utf8.ValidString(name) && utf8.RuneCountInString(name) <= maxNameAtAll && len(name) <= 2*maxNameAtAll &&
		!strings.ContainsFunc(name, func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && r != '-' && r != '_'
		})
}

func (p *parser) described(n *yaml.Node, lines []string) {
	if n == nil || n.Kind == yaml.ScalarNode && strings.TrimSpace(n.Value) == "" {
		line, column := place(n)
		p.fatal(line, column, DescriptionMissing, "description is missing or blank; say what the skill does and when to use it")
		return
	}
	if n.Kind != yaml.ScalarNode {
		p.fatal(n.Line, n.Column, DescriptionNotText, "description must be text, not %s; put it in quotes", kind(n))
		return
	}
	if length := utf8.RuneCountInString(n.Value); length > maxDescription {
		p.flaw(n.Line, n.Column, DescriptionTooLong, "the description has %d characters; %d are allowed, so the model is shown it cut", length, maxDescription)
	}
	text := neutral(n.Value)
	if text != n.Value {
		p.flaw(n.Line, n.Column, ControlCharacter, "a control character in the description was replaced; take it out")
	}
	p.description = strings.TrimSpace(text)
	if n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) == 0 && n.Line >= 2 && n.Line-2 < len(lines) {
		if at := strings.Index(lines[n.Line-2], " #"); at >= 0 {
			p.hint(n.Line, len([]rune(lines[n.Line-2][:at]))+2, DescriptionComment, "what follows # is a YAML comment and not part of the description; put the value in quotes to keep it")
		}
	}
}

// others checks the optional fields. The studio uses none of them but the switch that hides a
// skill from the model, which is not in the specification.
func (p *parser) others(f map[string]*yaml.Node) {
	if n := f["license"]; n != nil && n.Kind != yaml.ScalarNode {
		p.hint(n.Line, n.Column, FieldNotText, "license should be text, not %s", kind(n))
	}
	if n := f["compatibility"]; n != nil {
		length := utf8.RuneCountInString(n.Value)
		switch {
		case n.Kind != yaml.ScalarNode:
			p.flaw(n.Line, n.Column, FieldNotText, "compatibility must be text, not %s", kind(n))
		case length == 0 || length > maxCompatibility:
			p.flaw(n.Line, n.Column, CompatibilityLength, "compatibility has %d characters; 1 to %d are allowed", length, maxCompatibility)
		}
	}
	if n := f["metadata"]; n != nil {
		p.readMetadata(n)
	}
	if n := f["allowed-tools"]; n != nil {
		p.readTools(n)
	}
	if n := f["disable-model-invocation"]; n != nil {
		p.hidden = n.Kind == yaml.ScalarNode && n.Value == "true"
	}
}

func (p *parser) readMetadata(n *yaml.Node) {
	if n.Kind != yaml.MappingNode {
		p.hint(n.Line, n.Column, MetadataNotMap, "metadata should be lines of key: value, not %s; it is left out", kind(n))
		return
	}
	if n.Style&yaml.FlowStyle != 0 {
		p.flaw(n.Line, n.Column, YAMLFlow, "write metadata as lines of key: value, without braces")
	}
	p.metadata = map[string]string{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if value.Kind != yaml.ScalarNode {
			p.hint(value.Line, value.Column, FieldNotText, "metadata.%s should be text, not %s", cut(key.Value, maxName), kind(value))
			continue
		}
		if _, twice := p.metadata[key.Value]; twice {
			p.flaw(key.Line, key.Column, KeyDuplicate, "metadata.%s is there twice", cut(key.Value, maxName))
		}
		p.metadata[key.Value] = value.Value
	}
}

func (p *parser) readTools(n *yaml.Node) {
	switch {
	case n.Kind == yaml.ScalarNode:
		p.tools = n.Value
		return
	case n.Kind != yaml.SequenceNode:
		p.flaw(n.Line, n.Column, FieldNotText, "allowed-tools must be text, not %s", kind(n))
		return
	case n.Style&yaml.FlowStyle != 0:
		p.flaw(n.Line, n.Column, YAMLFlow, "write allowed-tools as one line with blanks, without brackets")
	default:
		p.hint(n.Line, n.Column, AllowedToolsList, "write allowed-tools as one line with blanks; the list was joined")
	}
	var words []string
	for _, c := range n.Content {
		words = append(words, c.Value)
	}
	p.tools = strings.Join(words, " ")
}

func place(n *yaml.Node) (line, column int) {
	if n == nil {
		return 2, 1
	}
	return n.Line, n.Column
}

func kind(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	return "a single value"
}

// isControl tells characters that would act on a screen instead of being seen: C0, C1, and those
// that turn the direction of writing. Tabs and line ends are text.
func isControl(r rune) bool {
	return r < ' ' && r != '\t' && r != '\n' || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0xfeff
}

func neutral(s string) string {
	return strings.Map(func(r rune) rune {
		if isControl(r) {
			return utf8.RuneError
		}
		return r
	}, s)
}

// cut keeps at most limit characters, and no letter without the marks that belong to it.
func cut(s string, limit int) string {
	runes := []rune(s)
	if len(runes) <= limit {
		return s
	}
	end := limit
	for end > 0 && (unicode.IsMark(runes[end]) || runes[end] == 0x200d || runes[end-1] == 0x200d) {
		end--
	}
	return string(runes[:end])
}
