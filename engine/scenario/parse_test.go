package scenario

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"agentstudio/engine"
)

const small = `name: t
prompt: go
turns:
  - do:
      - say: hello
`

func TestFaultsNamePlaceAndExpectation(t *testing.T) {
	for _, c := range []struct{ name, yaml, want string }{
		{"unknown key", strings.Replace(small, "prompt: go", "promt: go", 1), `t.yaml:2:1: a scenario has no key "promt" (did you mean prompt?)`},
		{"missing", "name: t\nturns:\n  - do: [{say: x}]\n", "t.yaml:1:1: prompt is missing"},
		{"twice", small + "name: u\n", `t.yaml:6:1: "name" is there twice; the first is in line 1`},
		{"no yaml", "name: [x\n", "t.yaml:2:1: this is not YAML"},
		{"empty", "", "t.yaml:1:1: "},
		{"a list", "- a\n", "t.yaml:1:1: a scenario must be a mapping"},
		{"bad name", strings.Replace(small, "name: t", "name: T_1", 1), "t.yaml:1:7: name must be small letters"},
		{"alias", "name: &a t\nprompt: *a\nturns: []\n", "t.yaml:1:7: anchors and aliases are not allowed"},
		{"turns no list", "name: t\nprompt: p\nturns: 3\n", "t.yaml:3:8: turns must be a list, not a single value"},
		{"no do", "name: t\nprompt: p\nturns:\n  - when: {turn: 1}\n", "t.yaml:4:5: do is missing"},
		{"two keys", "name: t\nprompt: p\nturns:\n  - do:\n      - say: a\n        think: b\n", "t.yaml:5:9: an action has exactly one key"},
		{"action", "name: t\nprompt: p\nturns:\n  - do: [{sya: a}]\n", `t.yaml:4:11: an action has no key "sya" (did you mean say?)`},
		{"unreachable", small + "  - do:\n      - say: never\n", "t.yaml:6:5: this turn is never reached"},
		{"stop reason", strings.Replace(small, "say: hello", "stop: halt", 1), `t.yaml:5:15: stop can't be "halt"`},
		{"regex", "name: t\nprompt: p\nturns:\n  - when: {prompt: {matches: '('}}\n    do: [{say: a}]\n", "t.yaml:4:30: prompt.matches is no regular expression: missing closing )"},
		{"outcome", "name: t\nprompt: p\nturns:\n  - when: {last: {is: expird}}\n    do: [{say: a}]\n", "t.yaml:4:23: last.is can't be \"expird\" (did you mean expired?)"},
		{"tool never called", "name: t\nprompt: p\nturns:\n  - when: {after: [raed]}\n    do: [{call: {tool: read}}]\n", `t.yaml:4:20: no turn of this file calls "raed" (did you mean read?)`},
		{"raw and args", "name: t\nprompt: p\nturns:\n  - do: [{call: {tool: read, args: {}, raw: x}}]\n", "a call has either args or raw"},
		{"fail kinds", "name: t\nprompt: p\nturns:\n  - do: [{fail: {status: 429, cut: 3}}]\n", "t.yaml:4:17: fail needs exactly one of"},
		{"status", "name: t\nprompt: p\nturns:\n  - do: [{fail: {status: 200}}]\n", `fail.status must be a whole number from 400 to 599, not "200"`},
		{"expiry", small + "approvals: {expiry: soon}\n", "t.yaml:6:21: approvals.expiry must be a time from 1s to 24h0m0s"},
		{"language", "name: t\nprompt: {fr: p}\nturns:\n  - do: [{say: a}]\n", `t.yaml:2:10: prompt has no key "fr"`},
		{"truth", small + "model: {images: yes}\n", `t.yaml:6:17: model.images must be true or false, not "yes"`},
		{"jitter", small + "pace: {jitter: 2}\n", "t.yaml:6:16: pace.jitter must be a number from 0 to 1"},
		{"huge", "name: t" + strings.Repeat(" ", maxFile), "t.yaml:1:1: the file is over 256 KiB"},
		{"deep", "name: " + strings.Repeat("[", 40) + strings.Repeat("]", 40) + "\n", "nested deeper"},
	} {
		_, err := Parse("t.yaml", []byte(c.yaml))
		if err == nil || !strings.Contains(engine.MessageOf(err), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
}

func TestTemplateFaults(t *testing.T) {
	for tag, want := range map[string]string{
		"{{prompt":                        "t.yaml:6:13: {{ without }}",
		"{{promt}}":                       `t.yaml:6:13: "promt" is neither a tool that this file calls nor last, prompt, round, image, table or attachments (did you mean prompt?)`,
		"{{prompt | mony}}":               `t.yaml:6:13: there is no format "mony"`,
		"{{prompt | money 3}}":            "only percent and fixed take a number",
		"{{prompt | fixed 99}}":           "only percent and fixed take a number",
		"{{end}}":                         "{{end}} without a block",
		"{{else}}":                        "{{else}} without a block",
		"{{if prompt}}x":                  "has no {{end}}",
		"{{for a of attachments}}{{end}}": "expected {{for NAME in PATH}}",
		"{{if a b c d}}{{end}}":           "is not understood",
		"{{a..b}}":                        "is no path",
		"{{}}":                            "is no path",
		"{{for a in attachments}}{{end}}{{a.name}}": `"a" is neither a tool`,
	} {
		_, err := Parse("t.yaml", []byte("name: t\nprompt: p\nturns:\n  - do:\n    - say: |\n        hey "+tag+"\n"))
		if err == nil || !strings.Contains(engine.MessageOf(err), want) {
			t.Errorf("%s: %v, want %s", tag, err, want)
		}
	}
}

func TestAllFaultsAtOnceInOrder(t *testing.T) {
	_, err := Parse("t.yaml", []byte("nmae: t\nprompt: p\npace: {tokensPerSecond: 0}\nturns:\n  - do:\n      - say: \"{{x}}\"\n      - stop: now\n"))
	faults := faultsOf(t, err)
	if len(faults) != 5 {
		t.Fatalf("%d faults: %v", len(faults), faults)
	}
	for i := 1; i < len(faults); i++ {
		if faults[i].Line < faults[i-1].Line {
			t.Errorf("out of order: %v", faults)
		}
	}
	if !errors.Is(err, engine.ScenarioInvalid) || strings.Count(engine.MessageOf(err), "\n") != 4 {
		t.Errorf("error %v", err)
	}
}

func TestLoad(t *testing.T) {
	fsys := fstest.MapFS{"ads-report.yaml": {Data: []byte(small)}, "denied.yaml": {Data: []byte("x: 1")}}
	if s, err := Load("ads-report", fsys); err != nil || s.Name() != "t" || s.Prompt("zh") != "go" || s.Title("en") != "t" {
		t.Errorf("%+v, %v", s, err)
	}
	_, err := Load("adsreport", fsys)
	if !errors.Is(err, engine.ScenarioUnknown) || !strings.Contains(err.Error(), "Did you mean ads-report? Bundled: ads-report, denied.") {
		t.Errorf("unknown: %v", err)
	}
	if _, err := Load("denied", fsys); !strings.Contains(err.Error(), `denied.yaml:1:1: a scenario has no key "x"`) {
		t.Errorf("faulty: %v", err)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "mine.yaml")
	if err := os.WriteFile(file, []byte("\xef\xbb\xbf"+small), 0o600); err != nil {
		t.Fatal(err)
	}
	if s, err := Load(file, fsys); err != nil || s.Name() != "t" {
		t.Errorf("file: %v", err)
	}
	if _, err := Load(dir, fsys); !errors.Is(err, engine.ScenarioUnknown) {
		t.Errorf("folder: %v", err)
	}
	if strings.Contains(func() string { _, err := Load(filepath.Join(dir, "bad"), fsys); return err.Error() }(), "no such file") {
		t.Error("the message holds the system's own words")
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(small))
	f.Add([]byte("name: t\nprompt: {en: a, zh: b}\nturns:\n  - when: {turn: {from: 2}, prompt: {matches: 'a+'}, image: true}\n    do:\n      - say: |\n          {{for a in attachments}}\n          {{if a.name == x}}y{{else}}z{{end}}\n          {{end}}\n      - call: {tool: read, args: {a: [1, {b: 'x{{prompt | money}}'}], c: {en: 1, zh: 2}}}\n"))
	f.Add([]byte("a: &a [*a]\n"))
	f.Add([]byte("turns: [{do: [{repeat: {times: 3}}, {fail: {cut: 2}}, {stop: length}]}]\nname: x\nprompt: y\n"))
	for _, name := range Names(bundled()) {
		b, err := os.ReadFile("../../fixtures/scenarios/" + name + ".yaml")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := Parse("f.yaml", b)
		if err != nil {
			for _, fault := range faultsOf(t, err) {
				if fault.Line < 1 || fault.Column < 1 || fault.Message == "" {
					t.Fatalf("fault without a place: %+v", fault)
				}
			}
			return
		}
		for _, d := range s.turns {
			for _, a := range d.do {
				if a.repeat != nil || a.fail != nil && a.fail.stall {
					return // long or endless by intent
				}
			}
		}
		for _, prompt := range []string{"go", "开始"} {
			a := ask(t, s.Model(Options{}), engine.Request{Turn: 1, Messages: []engine.Message{{Role: engine.RoleUser, Text: prompt}}})
			if a.err == nil && a.stop == "" && s.Prompt("en") != "" {
				cut := false
				for _, d := range s.turns {
					for _, act := range d.do {
						cut = cut || act.fail != nil && act.fail.cut > 0
					}
				}
				if !cut {
					t.Fatal("the stream ended without a stop")
				}
			}
		}
	})
}
