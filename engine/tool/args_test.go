package tool

import (
	"encoding/json"
	"strings"
	"testing"

	"agentstudio/engine"
)

func TestArgumentsAreChecked(t *testing.T) {
	d := newDesk(t, map[string]string{"a.txt": "a\nb\n"})
	for _, c := range []struct {
		tool, args string
		code       engine.Code
		says       []string
	}{
		{"read", `{}`, engine.InvalidArguments, []string{`"path" is missing`}},
		{"read", `[]`, engine.InvalidArguments, []string{"one JSON object with path, offset?, limit?"}},
		{"read", `null`, engine.InvalidArguments, []string{"one JSON object"}},
		{"read", `{"path":`, engine.InvalidArguments, []string{"one JSON object"}},
		{"read", `{"path":null}`, engine.InvalidArguments, []string{`"path" must be a text`}},
		{"read", `{"path":""}`, engine.InvalidArguments, []string{`"path" must be a text that is not empty`}},
		{"read", `{"path":"a.txt","line":3}`, engine.InvalidArguments, []string{`read has no field "line"; it takes path, offset?, limit?`}},
		{"read", `{"Path":"a.txt"}`, engine.InvalidArguments, []string{`"path" is missing`}},
		{"read", `{"path":"a.txt","offset":"2"}`, engine.InvalidArguments, []string{`"offset" must be a whole number from 1`, `not "2"`}},
		{"read", `{"path":"a.txt","offset":0}`, engine.InvalidArguments, []string{`"offset" must be`}},
		{"read", `{"path":"a.txt","offset":1.5}`, engine.InvalidArguments, []string{`"offset" must be`}},
		{"read", `{"path":"a.txt","offset":1e300}`, engine.InvalidArguments, []string{`"offset" must be`}},
		{"read", `{"path":"a.txt","limit":2001}`, engine.InvalidArguments, []string{`from 1 to 2000, not 2001`}},
		{"read", `{"path":"a.txt","offset":4}`, engine.InvalidArguments, []string{"a.txt has 2 lines"}},
		{"read", `{"path":"../a.txt"}`, engine.PathOutsideWorkspace, nil},
		{"read", `{"path":"a\u0000"}`, engine.PathMalformed, nil},
		{"read", `{"path":".env"}`, engine.ProtectedPath, nil},
		{"read", `{"path":"b.txt"}`, engine.PathNotFound, nil},
		{"read", `{"path":"."}`, engine.IsAFolder, nil},
		{"grep", `{}`, engine.InvalidArguments, []string{`"pattern" is missing`}},
		{"grep", `{"pattern":"a","context":11}`, engine.InvalidArguments, []string{"from 0 to 10"}},
		{"grep", `{"pattern":"a","fixed":"yes"}`, engine.InvalidArguments, []string{"true or false"}},
		{"grep", `{"pattern":"a","path":"/etc"}`, engine.PathOutsideWorkspace, nil},
		{"grep", `{"pattern":"a","path":"none"}`, engine.PathNotFound, nil},
		{"find", `{"pattern":""}`, engine.InvalidArguments, []string{"pattern"}},
		{"find", `{"pattern":"*","path":"a.txt/x"}`, engine.NotAFolder, nil},
		{"ls", `{"path":7}`, engine.InvalidArguments, []string{`"path" must be a text, not 7`}},
		{"ls", `{"path":"a.txt"}`, engine.NotAFolder, nil},
	} {
		d.fails(t, c.tool, c.args, c.code, c.says...)
	}
	var r ReadData
	for _, args := range []string{`{"path":"a.txt","offset":null,"limit":null}`, `{"path":"a.txt","offset":1.0,"limit":2e0}`} {
		if d.do(t, "read", args, &r); r.EndLine != 2 {
			t.Errorf("%s: %+v", args, r)
		}
	}
}

func TestSpecs(t *testing.T) {
	for name, tool := range newDesk(t, nil).tools {
		spec := tool.Spec()
		var schema struct {
			Type                 string
			AdditionalProperties json.RawMessage
			Properties           map[string]struct{ Description string }
		}
		must(t, json.Unmarshal(spec.Parameters, &schema))
		if spec.Name != name || schema.Type != "object" || len(schema.AdditionalProperties) == 0 || len(strings.TrimSpace(spec.Description)) < 40 {
			t.Errorf("%s: %+v, %s", name, schema, spec.Parameters)
		}
		for field, p := range schema.Properties {
			if p.Description == "" {
				t.Errorf("%s: %s is not described", name, field)
			}
		}
		switch name {
		case "read", "grep", "find", "ls":
			if spec.Policy != engine.Allow || spec.Replay != engine.ReplaySafe {
				t.Errorf("%s: %s, %s", name, spec.Policy, spec.Replay)
			}
		}
	}
}

func TestPlans(t *testing.T) {
	d := newDesk(t, nil)
	for _, c := range []struct{ tool, args, summary, reads string }{
		{"read", `{"path":"./sub/../a.txt"}`, "Reads a.txt", "a.txt"},
		{"read", `{"path":"a.txt","offset":7}`, "Reads a.txt from line 7", "a.txt"},
		{"grep", `{"pattern":"x\u001b y"}`, "Searches . for x␛ y", ""},
		{"find", `{"pattern":"*.md","path":"sub"}`, "Finds *.md in sub", ""},
		{"ls", `{}`, "Lists .", ""},
	} {
		plan, err := d.tools[c.tool].Prepare(t.Context(), json.RawMessage(c.args))
		if err != nil || plan.Summary != c.summary || strings.Join(plan.Reads, " ") != c.reads {
			t.Errorf("%s %s: %+v, %v", c.tool, c.args, plan, err)
		}
	}
	plan, err := d.tools["grep"].Prepare(t.Context(), json.RawMessage(`{"pattern":"`+strings.Repeat("字", 300)+`"}`))
	if err != nil || len([]rune(plan.Summary)) != 200 {
		t.Errorf("%d characters, %v", len([]rune(plan.Summary)), err)
	}
}
