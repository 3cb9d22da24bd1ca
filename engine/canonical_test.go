package engine_test

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"agentstudio/engine"
)

// From RFC 8785: appendix B (numbers) and section 3.2.3 (order of keys).
func TestCanonicalFollowsTheStandard(t *testing.T) {
	for in, want := range map[string]string{
		`{}`:                                  `{}`,
		` { "b" : 1 , "a" : [ ] } `:           `{"a":[],"b":1}`,
		`{"a":1.0,"b":-0,"c":1e2}`:            `{"a":1,"b":0,"c":100}`,
		`{"n":333333333.33333329}`:            `{"n":333333333.3333333}`,
		`{"n":1E30}`:                          ``, // beyond 2^53
		`{"n":4.50}`:                          `{"n":4.5}`,
		`{"n":2e-3}`:                          `{"n":0.002}`,
		`{"n":0.000000000000000000000000001}`: `{"n":1e-27}`,
		`{"n":1e-7}`:                          `{"n":1e-7}`,
		`{"s":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/"}`:                                            "{\"s\":\"€$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}",
		"{\"\\u20ac\":1,\"\\r\":2,\"\\ufb33\":3,\"1\":4,\"\\ud83d\\ude00\":5,\"\\u0080\":6,\"\\u00f6\":7}": "{\"\\r\":2,\"1\":4,\"\u0080\":6,\"ö\":7,\"€\":1,\"😀\":5,\"\ufb33\":3}",
		`{"h":"<b>&</b>"}`: `{"h":"<b>&</b>"}`,
	} {
		got, err := engine.Canonical([]byte(in))
		if want == "" {
			wantCode(t, err, engine.InvalidArguments)
			continue
		}
		if err != nil || string(got) != want {
			t.Errorf("%s\n got %s (%v)\nwant %s", in, got, err, want)
		}
	}
}

func TestCanonicalIsStableAndMeansTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := map[string]any{}
		for i := range rapid.IntRange(0, 6).Draw(t, "n") {
			key := rapid.String().Draw(t, "key")
			switch i % 4 {
			case 0:
				v[key] = rapid.String().Draw(t, "s")
			case 1:
				v[key] = rapid.Float64Range(-1e9, 1e9).Draw(t, "f") + 0 // no -0, which JSON keeps and the standard does not
			case 2:
				v[key] = []any{rapid.Bool().Draw(t, "b"), nil}
			case 3:
				v[key] = map[string]any{rapid.String().Draw(t, "k2"): rapid.Int32().Draw(t, "i")}
			}
		}
		raw, _ := json.Marshal(v)
		once, err := engine.Canonical(raw)
		if err != nil {
			t.Fatal(err)
		}
		twice, err := engine.Canonical(once)
		if err != nil || string(once) != string(twice) {
			t.Fatalf("%v\n%s\n%s", err, once, twice)
		}
		var a, b any
		if json.Unmarshal(raw, &a) != nil || json.Unmarshal(once, &b) != nil {
			t.Fatal("not JSON")
		}
		x, _ := json.Marshal(a)
		y, _ := json.Marshal(b)
		if string(x) != string(y) {
			t.Fatalf("%s means another thing than %s", once, raw)
		}
	})
}
