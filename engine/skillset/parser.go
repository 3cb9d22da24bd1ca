package skillset

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"agentstudio/engine"
)

const maxFrontmatter = 64 << 10

// parser reads one SKILL.md. Lines are counted from the top of the file.
type parser struct {
	path   string
	folder string // "" when there is none to compare with
	strict bool

	name        string
	description string
	metadata    map[string]string
	tools       string
	hidden      bool
	body        string
	broken      bool
	diagnostics []engine.Diagnostic
}

func newParser(path, folder string, strict bool) *parser {
	return &parser{path: path, folder: folder, strict: strict, diagnostics: []engine.Diagnostic{}}
}

// fatal is a fault with which the skill cannot be used, in either mode.
func (p *parser) fatal(line, column int, code engine.Code, format string, args ...any) {
	p.broken = true
	p.say(severityError, line, column, code, format, args...)
}

// flaw breaks the specification, but the skill can be used.
func (p *parser) flaw(line, column int, code engine.Code, format string, args ...any) {
	severity := severityWarning
	if p.strict {
		severity = severityError
	}
	p.say(severity, line, column, code, format, args...)
}

// hint is worth saying and breaks nothing.
func (p *parser) hint(line, column int, code engine.Code, format string, args ...any) {
	p.say(severityWarning, line, column, code, format, args...)
}

func (p *parser) say(severity string, line, column int, code engine.Code, format string, args ...any) {
	p.diagnostics = append(p.diagnostics, engine.Diagnostic{
		Severity: severity, Code: string(code), Message: fmt.Sprintf(format, args...), Path: p.path, Line: line, Column: column,
	})
}

// skill is what came of it. A broken one is listed by its folder's name.
func (p *parser) skill() engine.Skill {
	s := engine.Skill{
		Name: p.name, Description: cut(p.description, maxDescription), Path: p.path, Hidden: p.hidden,
		State: engine.SkillOK, Tokens: engine.EstimateTokens(p.body), Diagnostics: p.diagnostics,
	}
	switch {
	case p.broken:
		s.State = engine.SkillBroken
		if !usableName(s.Name) {
			s.Name = p.folder
		}
	case len(p.diagnostics) > 0:
		s.State = engine.SkillWarned
	}
	return s
}

// parse reads a whole file.
func (p *parser) parse(content []byte) {
	if rest, ok := bytes.CutPrefix(content, []byte("\xef\xbb\xbf")); ok {
		p.flaw(1, 1, ByteOrderMark, "the file begins with a byte order mark; save it as UTF-8 without one")
		content = rest
	}
	lines, body, ok := p.split(content)
	if !ok {
		return
	}
	for i, line := range lines {
		if !utf8.ValidString(line) {
			p.fatal(i+2, 1, NotUTF8, "this line is not UTF-8; save the file in that encoding")
			return
		}
	}
	p.body = body
	if !utf8.ValidString(body) {
		p.hint(0, 0, NotUTF8, "the instructions are not UTF-8 throughout; save the file in that encoding")
	}
	if strings.TrimSpace(body) == "" {
		p.hint(0, 0, BodyEmpty, "there are no instructions below the frontmatter")
	}
	p.frontmatter(lines)
}

// split parts the frontmatter's lines from the body, by lines and never by the text "---", which
// a description may hold.
func (p *parser) split(content []byte) (lines []string, body string, ok bool) {
	first, rest := cutLine(content)
	if !isFence(first) {
		if first == "" && isFence(strings.TrimRight(firstFilled(content), " \t")) {
			p.fatal(1, 1, FrontmatterMissing, "the first line must be ---; take out the blank lines before it")
			return nil, "", false
		}
		p.fatal(1, 1, FrontmatterMissing, "the first line must be ---, then come name and description, then --- again")
		return nil, "", false
	}
	size := 0
	for len(rest) > 0 {
		line, after := cutLine(rest)
		if isFence(line) {
			return lines, strings.ReplaceAll(string(after), "\r\n", "\n"), true
		}
		if size += len(rest) - len(after); size > maxFrontmatter {
			p.fatal(len(lines)+2, 1, FrontmatterTooLarge, "the frontmatter is over %d KiB, or the line --- that ends it is missing", maxFrontmatter>>10)
			return nil, "", false
		}
		lines, rest = append(lines, line), after
	}
	p.fatal(1, 1, FrontmatterUnclosed, "the line --- that ends the frontmatter is missing")
	return nil, "", false
}

func cutLine(b []byte) (line string, rest []byte) {
	i := bytes.IndexByte(b, '\n')
	if i < 0 {
		return strings.TrimSuffix(string(b), "\r"), nil
	}
	return strings.TrimSuffix(string(b[:i]), "\r"), b[i+1:]
}

func isFence(line string) bool {
	return strings.HasPrefix(line, "---") && strings.Trim(line[3:], " \t") == ""
}

func firstFilled(content []byte) string {
	for len(content) > 0 {
		line, rest := cutLine(content)
		if strings.TrimSpace(line) != "" {
			return line
		}
		content = rest
	}
	return ""
}
