package config_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"agentstudio/engine"
	"agentstudio/engine/config"
)

// A key that goes leaves its comments to the next one, or to the end of the file.
func TestCommentsOfAKeyThatGoesStay(t *testing.T) {
	for _, c := range []struct{ before, key, value, after string }{
		{"# My config, keep me\ntheme: dark\nascii: true\n", "theme", "", "# My config, keep me\nascii: true\n"},
		{"# My config\n\ntheme: dark # why\nascii: true # a\n", "theme", "", "# My config\n\n# why\nascii: true # a\n"},
		{"theme: dark\n# foot\n", "theme", "", "# foot\n"},
		{"# head\n\ntheme: dark # why\n\n# foot\n", "theme", "", "# head\n\n# why\n\n# foot\n"},
		{"ascii: true\n\n# about theme\ntheme: dark\n", "theme", "", "ascii: true\n\n# about theme\n"},
		{"ascii: true\n# about theme\ntheme: dark\n# about lang\nlanguage: en\n", "theme", "", "ascii: true\n# about theme\n# about lang\nlanguage: en\n"},
		{"ascii: true\n\ntheme: dark\n\nlanguage: en\n", "theme", "", "ascii: true\n\nlanguage: en\n"},
		{"budget: {maxTurns: 3} # c1\n# c2\n", "budget.maxTurns", "", "# c1\n# c2\n"},
		{"budget: # c0\n  # c1\n  maxTurns: 3 # c2\n  # c3\n  maxTokens: 5 # c4\n  # c5\n", "budget.maxTurns", "", "budget: # c0\n  # c1\n  # c2\n  # c3\n  maxTokens: 5 # c4\n  # c5\n"},
		{"budget:\n  maxTurns: 3\n  # c1\n  maxTokens: 5 # c2\ntheme: dark\n", "budget.maxTokens", "", "budget:\n  maxTurns: 3\n  # c1\n  # c2\ntheme: dark\n"},
		{"budget: # c0\n  # c1\n  maxTurns: 3 # c2\n  # c3\ntheme: dark\n", "budget.maxTurns", "", "# c0\n# c1\n# c2\n# c3\ntheme: dark\n"},
		{"policy: # p0\n  # p1\n  - tool: read # p2\n    # p3\n    verdict: deny # p4\n  # p5\n", "policy.read", "", "# p0\n# p1\n# p2\n# p3\n# p4\n# p5\n"},
		{"policy:\n# p1\n- {tool: read, verdict: deny} # p2\n# p3\n- {tool: ls, verdict: ask} # p4\n", "policy.read", "", "policy:\n# p1\n# p2\n# p3\n- {tool: ls, verdict: ask} # p4\n"},
		{"policy:\n- {tool: read, verdict: deny}\n# p3\n- {tool: ls, verdict: ask} # p4\n", "policy.ls", "", "policy:\n- {tool: read, verdict: deny}\n# p3\n# p4\n"},
		{"# head\ntheme: dark\n", "theme", "light", "# head\ntheme: light\n"},
		{"? theme # a\n: dark # b\n", "theme", "light", "? theme # a\n: light # b\n"},
		{"{theme: dark, # a\n ascii: true # b\n} # c\n", "ascii", "false", "{theme: dark, # a\n ascii: false # b\n} # c\n"},
		{"{theme: dark, ascii: true} # c\n", "theme", "", "{ascii: true} # c\n"},
		{"{theme: dark} # c\n", "budget.maxTurns", "3", "{theme: dark, budget: {maxTurns: 3}} # c\n"},
		{"{theme: dark} # c\n", "policy.a b", "ask", "{theme: dark, policy: [{tool: \"a b\", verdict: ask}]} # c\n"},
		{"policy: [{tool: a, verdict: ask}] # c\n", "policy.b", "ask", "policy: [{tool: a, verdict: ask}, {tool: b, verdict: ask}] # c\n"},
		{"{theme: dark} # c\n", "theme", "", "# c\n"},
		{"budget: # c0\n  maxTurns: 3 # c1\n  # c2\n# c3\n", "budget.deadline", "5m", "budget: # c0\n  maxTurns: 3 # c1\n  # c2\n  deadline: 5m\n# c3\n"},
		{"budget:\n  maxTurns: 3", "budget.maxTurns", "", ""},
		{"budget:\n  maxTurns: 3\n  # c", "budget.maxTurns", "", "# c\n"},
		{"budget:\n  maxTurns: 3 # c\n  ", "budget.deadline", "5m", "budget:\n  maxTurns: 3 # c\n  deadline: 5m\n  "},
		{"theme: dark # c", "theme", "light", "theme: light # c"},
		{"theme: dark # c", "theme", "", "# c\n"},
		{"ascii: true # c", "theme", "light", "ascii: true # c\ntheme: light\n"},
		{"\ufeff# c\n'theme': \"dark\" # d\n", "theme", "light", "\ufeff# c\n'theme': light # d\n"},
		{"keys: {help: 'it''s #1'} # c\ntheme: dark\n", "theme", "", "keys: {help: 'it''s #1'} # c\n"},
	} {
		got, err := config.Edit("c", []byte(c.before), map[string]string{c.key: c.value})
		if err != nil || string(got) != c.after {
			t.Errorf("%q with %s=%q:\n%q, %v, want\n%q", c.before, c.key, c.value, got, err, c.after)
		}
	}
	got, err := config.Edit("c", []byte("# head\ntheme: dark\n"), map[string]string{"theme": "", "ascii": "true"})
	if err != nil || string(got) != "# head\nascii: true\n" {
		t.Errorf("one goes and one comes: %q, %v", got, err)
	}
}

// A comment that the new text would be without is a reason to write nothing, and so is what isn't
// found in the text.
func TestALostCommentIsRefused(t *testing.T) {
	for _, c := range []struct{ text, key, value string }{
		{"? theme # a\n: dark # b\nascii: true\n", "theme", ""},
		{"{theme: dark, # a\n ascii: true}\n", "theme", ""},
		{"policy: [{tool: a, verdict: ask}, # a\n {tool: b, verdict: ask}]\n", "policy.b", ""},
		{"policy:\n- # a\n  tool: a\n  verdict: ask\n- {tool: b, verdict: ask}\n", "policy.a", ""},
		{"theme: >-\n  dark\n", "theme", "light"},
		{"# a\rtheme: dark\r", "theme", "light"},
	} {
		if got, err := config.Edit("c", []byte(c.text), map[string]string{c.key: c.value}); engine.CodeOf(err) != engine.ConfigInvalid ||
			!strings.Contains(err.Error(), "c cannot be changed without losing something of it; change it by hand") {
			t.Errorf("%q: %q, %v", c.text, got, err)
		}
	}
	// What only looks like a comment may go.
	for _, text := range []string{"policy:\n- {tool: 'a #b', verdict: ask}\n", "policy:\n- tool: \"a\\\" #b\"\n  verdict: ask\n", "policy:\n- tool: a#b'\n  verdict: ask\n"} {
		f := parse(t, text)
		if got, err := config.Edit("c", []byte(text), map[string]string{"policy." + config.Merge(f).Policy[0].Tool: ""}); err != nil || len(got) != 0 {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}

// paper is a config file that is made up, with comments everywhere they may stand.
type paper struct {
	*rapid.T
	strings.Builder
	n    int      // comments so far
	keys []string // that stand in it
}

func (p *paper) chance(of int) bool { return rapid.IntRange(1, of).Draw(p.T, "chance") == 1 }

func (p *paper) remark() string {
	p.n++
	return fmt.Sprintf("# c%d.", p.n)
}

// above writes blank lines and comments that stand on their own.
func (p *paper) above(inset string) {
	for p.chance(3) {
		if p.chance(3) {
			p.WriteByte('\n')
		}
		p.WriteString(inset + p.remark() + "\n")
	}
	if p.chance(4) {
		p.WriteByte('\n')
	}
}

// line writes one line, maybe with a comment behind it.
func (p *paper) line(text string) {
	if p.WriteString(text); p.chance(3) {
		p.WriteString(" " + p.remark())
	}
	p.WriteByte('\n')
}

// some of the words, at least one, in any order.
func (p *paper) some(words ...string) []string {
	return rapid.Permutation(words).Draw(p.T, "order")[:rapid.IntRange(1, len(words)).Draw(p.T, "some")]
}

func values() map[string][]string {
	return map[string][]string{
		"language": {"en", "zh"}, "theme": {"dark", "light"}, "ascii": {"true", "false"}, "notifications": {"true", "false"}, "approvalExpiry": {"90s", "5m"},
		"budget.maxTurns": {"3", "9"}, "budget.maxTokens": {"5", "100"}, "budget.maxCostUsd": {"0.50", "2"}, "budget.deadline": {"5m", "1h"},
		"policy.read": {"ask", "deny"}, "policy.grep": {"ask", "deny"}, "policy.ls": {"ask", "deny"},
	}
}

func (p *paper) value(key string) string {
	p.keys = append(p.keys, key)
	return rapid.SampledFrom(values()[key]).Draw(p.T, key)
}

func (p *paper) group(inset, name string, keys []string, flow bool, row func(string) string) {
	if flow {
		for i, k := range keys {
			keys[i] = row(k)
		}
		p.line(name + ": {" + strings.Join(keys, ", ") + "}")
		return
	}
	p.line(name + ":")
	for _, k := range keys {
		p.above(inset)
		p.line(inset + row(k))
	}
}

func (p *paper) policy(inset string) {
	p.line("policy:")
	for _, tool := range p.some("read", "grep", "ls") {
		p.above(inset)
		verdict := p.value("policy." + tool)
		if p.chance(2) {
			p.line(inset + "- {tool: " + tool + ", verdict: " + verdict + "}")
			continue
		}
		p.line(inset + "- tool: " + tool)
		p.above(inset + "  ")
		p.line(inset + "  verdict: " + verdict)
	}
}

func drawFile(t *rapid.T) *paper {
	p := &paper{T: t}
	inset := rapid.SampledFrom([]string{"  ", "    "}).Draw(t, "inset")
	for _, key := range p.some("language", "theme", "ascii", "notifications", "approvalExpiry", "budget", "policy", "keys") {
		p.above("")
		switch key {
		case "budget":
			p.group(inset, key, p.some("maxTurns", "maxTokens", "maxCostUsd", "deadline"), p.chance(3), func(k string) string { return k + ": " + p.value("budget."+k) })
		case "policy":
			p.policy(rapid.SampledFrom([]string{"", "  "}).Draw(t, "of the list"))
		case "keys":
			p.group(inset, key, p.some("help", "send"), p.chance(3), func(k string) string { return k + ": [ctrl+g, 'f9']" })
		default:
			p.line(key + ": " + p.value(key))
		}
	}
	p.above("")
	return p
}

// Whatever is changed in whatever file, no comment is lost or told twice, and what is not changed
// stays as it was.
func TestEveryCommentSurvives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawFile(t)
		text := p.String()
		before, err := config.Parse("c", []byte(text))
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		changes := map[string]string{}
		for key, all := range values() {
			if had := slices.Contains(p.keys, key); p.chance(3) {
				changes[key] = rapid.SampledFrom(all).Draw(t, "new "+key)
			} else if had && p.chance(2) {
				changes[key] = ""
			}
		}
		out, err := config.Edit("c", []byte(text), changes)
		if err != nil {
			t.Fatalf("%v: %v\n%s", changes, err, text)
		}
		if same, err := config.Edit("c", out, nil); err != nil || string(same) != string(out) {
			t.Fatalf("changed without a change: %v\n%s", err, same)
		}
		for n := range p.n {
			if c := fmt.Sprintf("# c%d.", n+1); strings.Count(string(out), c+"\n") != 1 {
				t.Fatalf("%q is not there once; %v made\n%s\n---\n%s", c, changes, text, out)
			}
		}
		after, err := config.Parse("c", out)
		if err != nil {
			t.Fatal(err)
		}
		was, is := config.Merge(before), config.Merge(after)
		for key := range values() {
			want, changed := changes[key]
			if !changed {
				want = was.Setting(key).Value
			} else if want == "" {
				want = config.Merge(&config.File{}).Setting(key).Value
			}
			if got := is.Setting(key).Value; got != want {
				t.Fatalf("%s is %q, want %q:\n%s", key, got, want, out)
			}
		}
		if fmt.Sprint(was.Keys) != fmt.Sprint(is.Keys) {
			t.Fatalf("the keys were %v and are %v", was.Keys, is.Keys)
		}
	})
}
