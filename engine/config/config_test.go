package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"agentstudio/engine"
	"agentstudio/engine/config"
)

const whole = `# mine

language: zh   # mother tongue

# look
theme: 'dark'
budget: {maxTurns: 3, maxCostUsd: 0.50}
approvalExpiry: 90s

policy:
  # careful
  - {tool: grep, verdict: ask}
  - tool: read
    verdict: deny
keys:
  send: [ctrl+g, enter]
  help: f9
# the end
`

func parse(t *testing.T, text string) *config.File {
	t.Helper()
	f, err := config.Parse("config.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Flags win over the file, the file over the defaults, and each value knows where it comes from.
func TestEachValueKnowsItsOrigin(t *testing.T) {
	c := config.Merge(parse(t, whole), config.Setting{Key: "theme", Value: "light", Origin: "--theme"})
	for _, want := range []config.Setting{
		{"language", "zh", "config.yaml:3"}, {"theme", "light", "--theme"}, {"ascii", "false", "default"}, {"notifications", "true", "default"},
		{"approvalExpiry", "90s", "config.yaml:8"}, {"budget.maxTurns", "3", "config.yaml:7"}, {"budget.maxTokens", "500000", "default"},
		{"budget.maxCostUsd", "0.50", "config.yaml:7"}, {"budget.deadline", "10m", "default"},
		{"policy.grep", "ask", "config.yaml:12"}, {"policy.read", "deny", "config.yaml:13"}, {"keys.help", "f9", "config.yaml:17"}, {"keys.send", "ctrl+g, enter", "config.yaml:16"},
	} {
		if got := c.Setting(want.Key); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	if b := c.Budget(); b != (engine.Budget{MaxTurns: 3, MaxCostUSD: "0.50"}) {
		t.Errorf("the budget is %+v", b)
	}
	if c.Duration("approvalExpiry") != 90*time.Second || c.Text("language") != "zh" || c.True("ascii") || len(c.Policy) != 2 || c.Policy[0].Source != "config.yaml:12" {
		t.Errorf("%+v", c)
	}
	if !reflect.DeepEqual(c.Keys, map[string][]string{"send": {"ctrl+g", "enter"}, "help": {"f9"}}) {
		t.Errorf("the keys are %v", c.Keys)
	}
	none := config.Merge(parse(t, "# nothing\n\n"))
	if none.Text("theme") != "" || none.Budget() != (engine.Budget{}) || none.Duration("approvalExpiry") != 0 || len(none.Settings()) != 9 {
		t.Errorf("%+v", none)
	}
}

// What is wrong is said with its place and what is allowed.
func TestFaultsHaveTheirPlaces(t *testing.T) {
	for text, want := range map[string]string{
		"them: dark\n":                              "config.yaml:1:1: the config has no key \"them\" (did you mean theme?); expected language, theme,",
		"\n  theme: dak\n":                          "config.yaml:2:10: theme must be auto, dark, light or projector, not \"dak\" (did you mean dark?)",
		"theme:\n":                                  "theme must be auto, dark, light or projector, not nothing",
		"theme: [dark]\n":                           "not a list",
		"ascii: yes\n":                              "1:8: ascii must be true or false, not \"yes\"",
		"budget: 3\n":                               "1:9: budget must be a mapping with maxTurns, maxTokens, maxCostUsd or deadline, not \"3\"",
		"budget: {maxTurn: 3}\n":                    "1:10: budget has no key \"maxTurn\" (did you mean maxTurns?)",
		"budget: {maxTurns: 0}\n":                   "1:20: budget.maxTurns must be a whole number from 1 to 1000000, not \"0\"",
		"budget: {deadline: 5}\n":                   "budget.deadline must be whole seconds, above zero and at most 168h, as in 90s or 5m, not \"5\"",
		"approvalExpiry: 2h\n":                      "at most 1h, as in 90s",
		"budget: {maxCostUsd: -1}":                  "budget.maxCostUsd must be US dollars as a decimal above zero, as in 0.50",
		"policy: {tool: read}\n":                    "1:9: policy must be a list",
		"policy:\n- tool: read\n":                   "2:3: a rule needs both tool and verdict",
		"policy:\n- {tool: read, verdict: allow}\n": "2:25: a rule can only tighten",
		"policy:\n- {tool: read, verdict: den}\n":   "verdict must be ask or deny, not \"den\" (did you mean deny?)",
		"policy:\n- {tool: a, verdict: ask}\n- {tool: a, verdict: deny}\n": "3:10: there is a rule for \"a\" already, in line 2",
		"theme: dark\ntheme: light\n":                                      "2:1:",
		"theme: &a dark\n":                                                 "1:8: anchors and aliases are not allowed",
		"theme: !x dark\n":                                                 "1:8: tags are not allowed",
		"keys: {send: []}\n":                                               "keys.send is an empty list",
		"keys: {send: {a: b}}\n":                                           "keys.send must be a key or a list of keys",
		"a: [\n":                                                           "this is not YAML",
		"- dark\n":                                                         "the config must be a mapping with",
		"a: 1\n---\nb: 2\n":                                                "this is not YAML",
		strings.Repeat("#", 70_000):                                        "over 64 KiB",
	} {
		_, err := config.Parse("config.yaml", []byte(text))
		if engine.CodeOf(err) != engine.ConfigInvalid || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v\nwant %s", text, err, want)
		}
	}
	_, err := config.Parse("config.yaml", []byte("them: dark\nascii: 1\n"))
	if n := strings.Count(err.Error(), "config.yaml:"); n != 2 {
		t.Errorf("%d faults were told, want 2: %v", n, err)
	}
}

// A rule is for a tool that there is, and only tightens.
func TestRulesFitTheTools(t *testing.T) {
	f := parse(t, "policy:\n- {tool: raed, verdict: ask}\n- {tool: rm, verdict: ask}\n- {tool: save, verdict: deny}\n")
	err := f.Refuse(f.CheckTools([]engine.Spec{{Name: "read", Policy: engine.Allow}, {Name: "rm", Policy: engine.Deny}, {Name: "save", Policy: engine.Ask}}))
	want := "config.yaml:2:10: there is no tool \"raed\" (did you mean read?); the tools are read, rm or save\n" +
		"config.yaml:3:10: a rule can only tighten, and rm is denied already"
	if engine.CodeOf(err) != engine.ConfigInvalid || engine.MessageOf(err) != want {
		t.Errorf("%v", err)
	}
	if err := f.Refuse(nil); err != nil {
		t.Error(err)
	}
}

// What is changed is changed, and everything else is as it was.
func TestEditKeepsTheRest(t *testing.T) {
	got, err := config.Edit("config.yaml", []byte(whole), map[string]string{"theme": "light", "budget.maxTurns": "", "budget.deadline": "5m", "policy.grep": "", "policy.ls": "ask",
		"policy.read": "ask", "ascii": "true", "approvalExpiry": ""})
	if err != nil {
		t.Fatal(err)
	}
	want := `# mine

language: zh   # mother tongue

# look
theme: light
budget: {maxCostUsd: 0.50, deadline: 5m}

policy:
  # careful
  - tool: read
    verdict: ask
  - {tool: ls, verdict: ask}
keys:
  send: [ctrl+g, enter]
  help: f9
# the end

ascii: true
`
	if string(got) != want {
		t.Errorf("%s", got)
	}
	for _, c := range []struct{ before, key, value, after string }{
		{"", "theme", "dark", "theme: dark\n"},
		{"# only\n\n", "budget.maxTurns", "5", "# only\n\nbudget:\n  maxTurns: 5\n"},
		{"", "policy.read", "deny", "policy:\n- {tool: read, verdict: deny}\n"},
		{"policy:\n- {tool: read, verdict: deny}\n", "policy.read", "", ""},
		{"budget:\n  maxTurns: 5\n", "budget.maxTurns", "", ""},
		{"theme: dark\r\nascii: true\r\n", "ascii", "false", "theme: dark\r\nascii: false\r\n"},
		{"theme: dark\r\n", "budget.maxTurns", "5", "theme: dark\r\nbudget:\r\n  maxTurns: 5\r\n"},
	} {
		got, err := config.Edit("c", []byte(c.before), map[string]string{c.key: c.value})
		if err != nil || string(got) != c.after {
			t.Errorf("%q with %s=%s: %q, %v", c.before, c.key, c.value, got, err)
		}
	}
	for _, bad := range []map[string]string{{"theme": "pink"}, {"budget.maxTurns": "x"}, {"policy.read": "allow"}, {"no": "x"}} {
		if _, err := config.Edit("c", []byte(whole), bad); engine.CodeOf(err) != engine.ConfigInvalid {
			t.Errorf("%v: %v", bad, err)
		}
	}
}

func TestSaveAndRead(t *testing.T) {
	dir := t.TempDir()
	at := filepath.Join(dir, "new", "config.yaml")
	if f, err := config.Read(at, "config.yaml"); err != nil || len(config.Merge(f).Policy) != 0 {
		t.Fatalf("a missing file: %v", err)
	}
	if err := config.Save(at, "config.yaml", map[string]string{"theme": "dark"}); err != nil {
		t.Fatal(err)
	}
	for name, mode := range map[string]os.FileMode{at: 0o600, filepath.Dir(at): 0o700} {
		if i, err := os.Stat(name); err != nil || i.Mode().Perm() != mode && os.PathSeparator == '/' {
			t.Errorf("%s: %v, %v", name, i.Mode(), err)
		}
	}
	link := filepath.Join(dir, "link.yaml")
	if err := os.Symlink(at, link); err == nil {
		if err := config.Save(link, "link.yaml", map[string]string{"ascii": "true"}); err != nil {
			t.Fatal(err)
		}
		if i, err := os.Lstat(link); err != nil || i.Mode()&os.ModeSymlink == 0 {
			t.Error("the link is gone")
		}
		if err := os.Symlink(filepath.Join(dir, "nothing"), link+"2"); err == nil {
			if err := config.Save(link+"2", "x", map[string]string{"ascii": "true"}); engine.CodeOf(err) != engine.WriteFailed {
				t.Errorf("a link to nothing: %v", err)
			}
		}
		if b, err := os.ReadFile(at); string(b) != "theme: dark\nascii: true\n" {
			t.Errorf("%q, %v", b, err)
		}
	}
	if err := os.WriteFile(at, []byte("theme: [\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := config.Save(at, "config.yaml", map[string]string{"theme": "dark"}); engine.CodeOf(err) != engine.ConfigInvalid {
		t.Errorf("a broken file was saved over: %v", err)
	}
	if b, _ := os.ReadFile(at); string(b) != "theme: [\n" {
		t.Errorf("a broken file is now %q", b)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(at), ".*")); len(left) != 0 {
		t.Errorf("left %v", left)
	}
	if _, err := config.Read(dir, "dir"); engine.CodeOf(err) != engine.ConfigInvalid {
		t.Errorf("a folder was read: %v", err)
	}
}

// Whatever stands in the file, reading and changing it ends, and a change that is taken is there.
func FuzzEdit(f *testing.F) {
	for _, s := range []string{whole, "", "\x00", "a: &a [*a]", "theme: |\n  dark\n\n", "{theme: dark, budget: {maxTurns: 1}}", "\ufefftheme: dark", "? theme\n: dark\n", "\"theme\": \"dark\"\n", "--- \ntheme: dark\n...\n", "theme: dark # x\n\n\n", "keys:\n  a:\n\n  - b\n", "budget:\n  maxTurns: 3\n  ", "policy:\n- {tool: 'a #b', verdict: ask} # c"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		file, err := config.Parse("c", b)
		if err != nil {
			if engine.CodeOf(err) != engine.ConfigInvalid {
				t.Fatal(err)
			}
			return
		}
		all := config.Merge(file)
		none := map[string]string{"theme": "", "budget.maxTurns": "", "ascii": ""}
		for _, r := range all.Policy {
			none["policy."+r.Tool] = ""
		}
		if out, err := config.Edit("c", b, none); err == nil {
			if f, err := config.Parse("c", out); err != nil || len(config.Merge(f).Policy) != 0 {
				t.Fatalf("%q became %q: %v", b, out, err)
			}
		}
		out, err := config.Edit("c", b, map[string]string{"theme": "light", "budget.maxTurns": "7", "policy.read": "deny"})
		if err != nil {
			return // said, and nothing is written
		}
		again, err := config.Parse("c", out)
		if err != nil {
			t.Fatalf("%q became %q: %v", b, out, err)
		}
		if c := config.Merge(again); c.Text("theme") != "light" || c.Budget().MaxTurns != 7 {
			t.Fatalf("%q became %q", b, out)
		}
		if errors.Is(err, engine.ConfigInvalid) {
			t.Fatal(err)
		}
	})
}
