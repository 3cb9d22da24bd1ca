package skillset

import (
	"slices"
	"strings"
	"testing"

	"agentstudio/engine"
)

// file makes a SKILL.md of a frontmatter and a usual body.
func file(frontmatter string) string { return "---\n" + frontmatter + "---\n\nBody.\n" }

func parseText(content, folder string, strict bool) (*parser, engine.Skill) {
	p := newParser(".agents/skills/"+folder+"/SKILL.md", folder, strict)
	p.parse([]byte(content))
	return p, p.skill()
}

func codesOf(list []engine.Diagnostic, severity string) []string {
	out := []string{}
	for _, d := range list {
		if severity == "" || d.Severity == severity {
			out = append(out, d.Code)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// The table of standards.md A5. strict is the codes that are errors there; lenient is what becomes
// of the skill, and its codes. A row without codes is valid, or loads without a word.
func TestConformance(t *testing.T) {
	const load, warn, skip = engine.SkillOK, engine.SkillWarned, engine.SkillBroken
	name := func(n string) string { return file("name: " + n + "\ndescription: Does it.\n") }
	described := func(d string) string { return file("name: a\ndescription: " + d + "\n") }
	plus := func(rest string) string { return file("name: a\ndescription: Does it.\n" + rest) }
	long := strings.Repeat("a", 65)
	for _, c := range []struct {
		id, folder, content string
		strict              string // codes of errors
		lenient             engine.SkillState
		codes               string // of all diagnostics when lenient
	}{
		{"V1", "ok-skill", name("ok-skill"), "", load, ""},
		{"V2", "a1-2b", name("a1-2b"), "", load, ""},
		{"V3", "a", name("a"), "", load, ""},
		{"V4", long[:64], name(long[:64]), "", load, ""},
		{"V5", "a", plus("license: MIT\ncompatibility: any\nmetadata:\n  version: \"1.0\"\nallowed-tools: Read Bash(git:*)\n"), "", load, ""},
		{"V6", "a", described(strings.Repeat("é", 1024)), "", load, ""},
		{"V7", "a", plus("compatibility: " + strings.Repeat("é", 500) + "\n"), "", load, ""},
		{"V8", "a", "---\nname: a\ndescription: x\n---\n \n", "", warn, "BODY_EMPTY"},
		{"V9", "a", strings.ReplaceAll(name("a"), "\n", "\r\n"), "", load, ""},
		{"V10", "a", described(">-\n  two\n  lines"), "", load, ""},
		{"V11", "a", described(`"Use when: x"`), "", load, ""},
		{"V12", "a", plus("metadata:\n  version: 1.0\n"), "", load, ""},
		{"V13", "навык", name("навык"), "NAME_PATTERN", warn, "NAME_PATTERN"},
		{"V14", "a", file("name: a\ndescription: x\n") + "\n---\n\nMore.\n", "", load, ""},
		{"V15", "a", described("a --- b"), "", load, ""},
		{"I1", "a", "# Hello\n", "FRONTMATTER_MISSING", skip, "FRONTMATTER_MISSING"},
		{"I2", "a", "---\nname: a\ndescription: x\n\nBody\n", "FRONTMATTER_UNCLOSED", skip, "FRONTMATTER_UNCLOSED"},
		{"I3", "a", "\xef\xbb\xbf" + name("a"), "BYTE_ORDER_MARK", warn, "BYTE_ORDER_MARK"},
		{"I4", "a", "\n" + name("a"), "FRONTMATTER_MISSING", skip, "FRONTMATTER_MISSING"},
		{"I5", "a", file("- name\n- description\n"), "FRONTMATTER_NOT_A_MAPPING", skip, "FRONTMATTER_NOT_A_MAPPING"},
		{"I6", "a", file("name: [x\ndescription: y\n"), "YAML_INVALID", skip, "YAML_INVALID"},
		{"I7", "a", file("description: x\n"), "NAME_MISSING", skip, "NAME_MISSING"},
		{"I8", "a", file("name: a\n"), "DESCRIPTION_MISSING", skip, "DESCRIPTION_MISSING"},
		{"I9", "a", described(`""`), "DESCRIPTION_MISSING", skip, "DESCRIPTION_MISSING"},
		{"I10", "a", described(`"   "`), "DESCRIPTION_MISSING", skip, "DESCRIPTION_MISSING"},
		{"I11", "Ok-Skill", name("Ok-Skill"), "NAME_PATTERN", warn, "NAME_PATTERN"},
		{"I12", "ok_skill", name("ok_skill"), "NAME_PATTERN", warn, "NAME_PATTERN"},
		{"I13", "-ok", name("-ok"), "NAME_PATTERN", warn, "NAME_PATTERN"},
		{"I14", "ok-", name("ok-"), "NAME_PATTERN", warn, "NAME_PATTERN"},
		{"I15", "ok--x", name("ok--x"), "NAME_PATTERN", warn, "NAME_PATTERN"},
		{"I16", long, name(long), "NAME_TOO_LONG", warn, "NAME_TOO_LONG"},
		{"I17", "other", name("a"), "NAME_NOT_FOLDER", warn, "NAME_NOT_FOLDER"},
		{"I18", "ok skill", name("ok skill"), "NAME_UNUSABLE", skip, "NAME_UNUSABLE"},
		{"I19", "ok.skill", name("ok.skill"), "NAME_UNUSABLE", skip, "NAME_UNUSABLE"},
		{"I20", "a", described(strings.Repeat("é", 1025)), "DESCRIPTION_TOO_LONG", warn, "DESCRIPTION_TOO_LONG"},
		{"I21", "a", plus("compatibility: " + strings.Repeat("é", 501) + "\n"), "COMPATIBILITY_LENGTH", warn, "COMPATIBILITY_LENGTH"},
		{"I22", "a", plus("disable-model-invocation: true\nother: 1\n"), "KEY_UNKNOWN", load, ""},
		{"I23", "a", described("Use when: x"), "YAML_REPAIRED", warn, "YAML_REPAIRED"},
		{"I24", "a", plus("description: Again.\n"), "KEY_DUPLICATE", skip, "KEY_DUPLICATE"},
		{"I25", "a", plus("allowed-tools:\n  - Read\n  - Bash\n"), "", warn, "ALLOWED_TOOLS_LIST"},
		{"I26", "a", plus("allowed-tools: [Read, Bash]\n"), "YAML_FLOW", warn, "YAML_FLOW"},
		{"I27", "123", name("123"), "", load, ""},
		{"I28", "true", name("true"), "", load, ""},
		{"I29", "b", name("a/b"), "NAME_UNUSABLE", skip, "NAME_UNUSABLE"},
		{"I30", "a", plus("metadata: hello\n"), "", warn, "METADATA_NOT_A_MAP"},
		{"I31", "a", file("name: &a a\ndescription: *a\n"), "YAML_ALIAS", skip, "YAML_ALIAS"},
		{"I32", "a", plus("compatibility: \"\"\n"), "COMPATIBILITY_LENGTH", warn, "COMPATIBILITY_LENGTH"},
		{"I33", "a", plus("metadata:\n\tversion: 1\n"), "YAML_INVALID", skip, "YAML_INVALID"},
		{"I34 name", "a", name("\"a\\e[31m\""), "NAME_UNUSABLE", skip, "NAME_UNUSABLE"},
		{"I34 raw name", "a", name("a\x1b"), "CONTROL_CHARACTER NAME_UNUSABLE", skip, "CONTROL_CHARACTER NAME_UNUSABLE"},
		{"I34 description", "a", described(`"Red \e[31m text"`), "CONTROL_CHARACTER", warn, "CONTROL_CHARACTER"},
		{"I34 raw description", "a", described("Red \x1b[31m text"), "CONTROL_CHARACTER", warn, "CONTROL_CHARACTER"},
	} {
		t.Run(c.id, func(t *testing.T) {
			_, strict := parseText(c.content, c.folder, true)
			if got := strings.Join(codesOf(strict.Diagnostics, severityError), " "); got != c.strict {
				t.Errorf("strict: errors %q, want %q", got, c.strict)
			}
			_, lenient := parseText(c.content, c.folder, false)
			if got := strings.Join(codesOf(lenient.Diagnostics, ""), " "); got != c.codes || lenient.State != c.lenient {
				t.Errorf("lenient: %s with %q, want %s with %q", lenient.State, got, c.lenient, c.codes)
			}
			for _, d := range append(strict.Diagnostics, lenient.Diagnostics...) {
				if d.Path == "" || d.Message == "" || d.Line == 0 && d.Code != string(BodyEmpty) {
					t.Errorf("diagnostic without a place: %+v", d)
				}
			}
		})
	}
}

func TestWhatIsLoaded(t *testing.T) {
	for _, c := range []struct {
		name, content string
		check         func(p *parser, s engine.Skill) bool
	}{
		{"folded", file("name: a\ndescription: >-\n  two\n  lines\n"), func(_ *parser, s engine.Skill) bool { return s.Description == "two lines" }},
		{"dashes inside", file("name: a\ndescription: a --- b\n"), func(_ *parser, s engine.Skill) bool { return s.Description == "a --- b" }},
		{"rule in the body", file("name: a\ndescription: x\n") + "---\nMore.\n", func(p *parser, _ engine.Skill) bool { return p.body == "\nBody.\n---\nMore.\n" }},
		{"version as text", file("name: a\ndescription: x\nmetadata:\n  version: 1.0\n"), func(p *parser, _ engine.Skill) bool { return p.metadata["version"] == "1.0" }},
		{"tools joined", file("name: a\ndescription: x\nallowed-tools: [Read, Bash]\n"), func(p *parser, _ engine.Skill) bool { return p.tools == "Read Bash" }},
		{"metadata dropped", file("name: a\ndescription: x\nmetadata: hello\n"), func(p *parser, _ engine.Skill) bool { return p.metadata == nil }},
		{"hidden", file("name: a\ndescription: x\ndisable-model-invocation: true\n"), func(_ *parser, s engine.Skill) bool { return s.Hidden && !s.Offered() }},
		{"not hidden", file("name: a\ndescription: x\ndisable-model-invocation: false\n"), func(_ *parser, s engine.Skill) bool { return !s.Hidden && s.Offered() }},
		{"escape neutral", file("name: a\ndescription: \"Red \\e[31m text\"\n"), func(_ *parser, s engine.Skill) bool { return s.Description == "Red \uFFFD[31m text" }},
		{"cut for the model", file("name: a\ndescription: " + strings.Repeat("é", 1100) + "\n"), func(_ *parser, s engine.Skill) bool { return s.Description == strings.Repeat("é", 1024) }},
		{"cut before a mark", file("name: a\ndescription: " + strings.Repeat("x", 1023) + "e\u0301more\n"), func(_ *parser, s engine.Skill) bool { return s.Description == strings.Repeat("x", 1023) }},
		{"repaired as written", file("name: a\ndescription: Say \"hi\" \\ when: x\n"), func(_ *parser, s engine.Skill) bool { return s.Description == `Say "hi" \ when: x` }},
		{"repaired block", file("name: a\ndescription:\n  Use when: x\n  or y\n"), func(_ *parser, s engine.Skill) bool {
			return s.Description == "Use when: x or y" && s.State == engine.SkillWarned
		}},
		{"colon at the end", file("name: a\ndescription: Use when:\n"), func(_ *parser, s engine.Skill) bool { return s.Description == "Use when:" }},
		{"tokens of the body", file("name: a\ndescription: x\n"), func(_ *parser, s engine.Skill) bool { return s.Tokens == 3 }},
		{"crlf", strings.ReplaceAll(file("name: a\ndescription: x\n"), "\n", "\r\n"), func(p *parser, s engine.Skill) bool {
			return s.Description == "x" && p.body == "\nBody.\n"
		}},
	} {
		p, s := parseText(c.content, "a", false)
		if !c.check(p, s) || p.broken {
			t.Errorf("%s: %+v, body %q, metadata %v, tools %q", c.name, s, p.body, p.metadata, p.tools)
		}
	}
}

func TestPlaces(t *testing.T) {
	for _, c := range []struct {
		name, content, code string
		line, column        int
	}{
		{"colon", file("name: a\ndescription: Use when: x\n"), "YAML_REPAIRED", 3, 22},
		{"colon in a block", file("name: a\ndescription:\n  One line and\n  the next: x\n"), "YAML_REPAIRED", 5, 11},
		{"duplicate", file("name: a\ndescription: x\nlicense: MIT\nname: b\n"), "KEY_DUPLICATE", 5, 1},
		{"tab", file("name: a\ndescription: x\nmetadata:\n\tv: 1\n"), "YAML_INVALID", 5, 1},
		{"name", file("description: x\nname: A\n"), "NAME_PATTERN", 3, 7},
		{"escape", file("name: a\ndescription: x\x1b\n"), "CONTROL_CHARACTER", 3, 15},
		{"not utf-8", file("name: a\ndescription: \xff\n"), "NOT_UTF8", 3, 1},
		{"comment", file("name: a\ndescription: Colour #f00\n"), "DESCRIPTION_COMMENT", 3, 21},
	} {
		_, s := parseText(c.content, "a", false)
		i := slices.IndexFunc(s.Diagnostics, func(d engine.Diagnostic) bool { return d.Code == c.code })
		if i < 0 || s.Diagnostics[i].Line != c.line || s.Diagnostics[i].Column != c.column {
			t.Errorf("%s: %+v, want %s at %d:%d", c.name, s.Diagnostics, c.code, c.line, c.column)
		}
	}
}

func TestHostileYAML(t *testing.T) {
	for name, frontmatter := range map[string]string{
		"brackets":        "name: a\ndescription: " + strings.Repeat("[", 20000) + "\n",
		"braces":          "name: a\ndescription: " + strings.Repeat("{a: ", 5000) + "\n",
		"too large":       "name: a\ndescription: " + strings.Repeat("x", 70<<10) + "\n",
		"self reference":  "name: a\ndescription: x\nmetadata: &m\n  m: *m\n",
		"second document": "name: a\ndescription: x\n...\nname: b\n",
		"complex key":     "? [name]\n: a\ndescription: x\n",
		"only comment":    "# nothing\n",
		"empty":           "",
		"nul":             "name: a\x00\ndescription: x\n",
	} {
		_, s := parseText(file(frontmatter), "a", false)
		if s.State != engine.SkillBroken || len(s.Diagnostics) == 0 || s.Name != "a" {
			t.Errorf("%s: %+v", name, s)
		}
	}
}

func TestEveryCodeHasAMeaning(t *testing.T) {
	seen := map[engine.Code]bool{}
	for _, c := range Codes() {
		if seen[c.Code] || c.Meaning == "" || strings.ToUpper(string(c.Code)) != string(c.Code) {
			t.Errorf("code %+v", c)
		}
		seen[c.Code] = true
	}
	_, s := parseText(file("name: A B\ndescription: [x]\nmetadata: {a: [b]}\ncompatibility: []\nlicense: []\nallowed-tools: {a: b}\nz: !!str 1\n"), "q", true)
	for _, d := range s.Diagnostics {
		if !seen[engine.Code(d.Code)] {
			t.Errorf("%s has no meaning in Codes", d.Code)
		}
	}
	if len(s.Diagnostics) < 7 {
		t.Errorf("only %+v", s.Diagnostics)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		file("name: a\ndescription: x\n"), file("name: a\ndescription: Use when: x\n"), file("name: &a b\ndescription: *a\n"), "---", "---\r\n---", "\xef\xbb\xbf---\n",
		file("name: a\ndescription: >\n  x\n\n  y: z\nmetadata:\n  a: b\nallowed-tools:\n- x\n"), file("name: a\ndescription: \x1b\u202e\n"), "---\nname: a\n...\n---\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, strict := range []bool{false, true} {
			p := newParser("x/SKILL.md", "x", strict)
			p.parse(b)
			s := p.skill()
			lines := strings.Count(string(b), "\n") + 2
			for _, d := range s.Diagnostics {
				if d.Line > lines || d.Line < 0 || d.Message == "" {
					t.Fatalf("diagnostic out of the file (%d lines): %+v", lines, d)
				}
			}
			if s.State != engine.SkillBroken && (s.Description == "" || !usableName(s.Name) || strings.ContainsFunc(s.Description, isControl)) {
				t.Fatalf("offered: %+v", s)
			}
		}
	})
}
