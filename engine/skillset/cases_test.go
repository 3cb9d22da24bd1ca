package skillset

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agentstudio/engine"
)

func TestCases(t *testing.T) {
	for _, name := range []string{"s-bom-crlf", "s-field-rules", "s-unquoted-colon", "s-yaml-values"} {
		t.Run(name, func(t *testing.T) {
			dir := caseFolder(t, name)
			c, roots := Load(t.Context(), Options{Project: filepath.Join(dir, "workspace")})
			b, err := os.ReadFile(filepath.Join(dir, "expect.json"))
			if err != nil {
				t.Fatal(err)
			}
			var want struct {
				Found      int             `json:"found"`
				MustLoad   json.RawMessage `json:"must_load"`
				MustNot    []string        `json:"must_not_load"`
				Diagnostic map[string]struct {
					Line     int
					Mentions string
				} `json:"must_have_diagnostic"`
				Least int `json:"min_diagnostics"`
			}
			if err := json.Unmarshal(b, &want); err != nil {
				t.Fatal(err)
			}
			texts := map[string]string{}
			if err := json.Unmarshal(want.MustLoad, &texts); err != nil {
				var list []string
				if err := json.Unmarshal(want.MustLoad, &list); err != nil {
					t.Fatal(err)
				}
				for _, n := range list {
					texts[n] = ""
				}
			}
			for n, text := range texts {
				s := skillNamed(t, c, n)
				if !s.Offered() || text != "" && s.Description != text {
					t.Errorf("%s: %+v", n, s)
				}
				if got := readable(t, roots, s.Location); !strings.Contains(got, "---") {
					t.Errorf("%s reads as %q", s.Location, got)
				}
			}
			diagnostics := len(c.Diagnostics)
			for _, s := range c.Skills {
				diagnostics += len(s.Diagnostics)
				folder := filepath.Base(filepath.Dir(s.Path))
				if s.Offered() && slices.Contains(want.MustNot, folder) {
					t.Errorf("%s was loaded", folder)
				}
				if d, ok := want.Diagnostic[folder]; ok {
					if len(s.Diagnostics) != 1 || s.Diagnostics[0].Line != d.Line || !strings.Contains(s.Diagnostics[0].Message, d.Mentions) || s.Diagnostics[0].Path != ".agents/skills/"+folder+"/SKILL.md" {
						t.Errorf("%s: %+v, want line %d and %q", folder, s.Diagnostics, d.Line, d.Mentions)
					}
				}
			}
			if want.Found != 0 && len(c.Skills) != want.Found || diagnostics < want.Least {
				t.Errorf("%d skills, %d diagnostics", len(c.Skills), diagnostics)
			}
		})
	}
}

func TestCaseFieldRules(t *testing.T) {
	c, _ := Load(t.Context(), Options{Project: filepath.Join(caseFolder(t, "s-field-rules"), "workspace")})
	long := skillNamed(t, c, "long-desc")
	if n := len([]rune(long.Description)); long.State != engine.SkillWarned || n == 0 || n > 1024 {
		t.Errorf("long-desc: %s, %d characters", long.State, n)
	}
	warned := 0
	for _, s := range c.Skills {
		switch folder := filepath.Base(filepath.Dir(s.Path)); folder {
		case "Upper-Case", "double--dash", "under_score", "other-dir", strings.Repeat("n", 65):
			if warned++; s.State != engine.SkillWarned {
				t.Errorf("%s is %s", folder, s.State)
			}
			if folder == "other-dir" && (!strings.Contains(s.Diagnostics[0].Message, "other-dir") || !strings.Contains(s.Diagnostics[0].Message, s.Name)) {
				t.Errorf("other-dir: %+v", s.Diagnostics)
			}
		}
	}
	if warned != 5 || len(c.Skills) != 11 {
		t.Errorf("%d warned of %v", warned, names(c))
	}
}

func TestCaseYAMLValues(t *testing.T) {
	c, _ := Load(t.Context(), Options{Project: filepath.Join(caseFolder(t, "s-yaml-values"), "workspace")})
	want := []string{"123=warned", "bomb=broken", "desc-list=broken", "dup-key=broken", "folded=ok", "hash=warned", "literal=ok", "quoted=ok", "unknown=ok", "yes=warned"}
	if got := names(c); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if d := skillNamed(t, c, "literal").Description; d != "Line one\nLine two" {
		t.Errorf("literal: %q", d)
	}
	if d := skillNamed(t, c, "hash").Description; d != "Colour" {
		t.Errorf("hash: %q", d)
	}
	if d := skillNamed(t, c, "dup-key").Diagnostics[0]; d.Code != "KEY_DUPLICATE" || d.Line != 4 {
		t.Errorf("dup-key: %+v", d)
	}
}

// The tree of s-nested-and-loops, which has links and so is built here.
func TestCaseNestedAndLoops(t *testing.T) {
	d := t.TempDir()
	w := filepath.Join(d, "workspace/.agents/skills")
	makeSkill(t, filepath.Join(w, "good-one"), "good-one")
	makeSkill(t, filepath.Join(w, "toolkit"), "toolkit")
	makeSkill(t, filepath.Join(w, "toolkit/sources/x"), "x")
	makeSkill(t, filepath.Join(w, "toolkit/node_modules/y"), "y")
	makeSkill(t, filepath.Join(d, "elsewhere/linked"), "linked")
	link(t, filepath.Join(d, "elsewhere/linked"), filepath.Join(w, "linked"))
	link(t, w, filepath.Join(w, "loop"))
	link(t, filepath.Join(w, "b"), filepath.Join(w, "a/b"))
	link(t, filepath.Join(w, "a"), filepath.Join(w, "b/a"))
	link(t, "/nonexistent/skill", filepath.Join(w, "dangling"))
	makeSkill(t, filepath.Join(w, ".git/z"), "z")
	makeSkill(t, filepath.Join(w, ".hidden/z"), "z")
	makeSkill(t, filepath.Join(w, "node_modules/y"), "y")
	if err := os.MkdirAll(filepath.Join(w, "group"), 0o755); err != nil {
		t.Fatal(err)
	}
	c, roots := Load(t.Context(), Options{Project: filepath.Join(d, "workspace")})
	if got := names(c); !slices.Equal(got, []string{"good-one=ok", "linked=ok", "toolkit=ok"}) {
		t.Errorf("found %v", got)
	}
	if len(c.Diagnostics) != 1 || c.Diagnostics[0].Code != "LINK_BROKEN" || c.Diagnostics[0].Path != ".agents/skills/dangling" {
		t.Errorf("diagnostics %+v", c.Diagnostics)
	}
	strict := Check(t.Context(), Options{}, w) // X3, X4: the same search, and nothing else to say
	if len(strict) != 1 || strict[0].Code != "LINK_BROKEN" {
		t.Errorf("strict: %+v", strict)
	}
	linked := skillNamed(t, c, "linked")
	if linked.Path != ".agents/skills/linked/SKILL.md" || linked.Location != "skill:linked/SKILL.md" || !strings.Contains(readable(t, roots, linked.Location), "linked skill.") {
		t.Errorf("linked: %+v", linked)
	}
	if !strings.Contains(readable(t, roots, "skill:toolkit/sources/x/SKILL.md"), "x skill.") {
		t.Error("what is below a skill is not its own")
	}
}

func TestCaseDirsVariable(t *testing.T) {
	base := caseFolder(t, "s-dirs-variable")
	sep := string(os.PathListSeparator)
	for _, c := range []struct {
		value string
		one   bool
		code  string
	}{
		{"T/extra", true, ""}, {"T/extra" + sep, true, ""}, {sep + "T/extra", true, ""}, {"T/extra" + sep + sep + "T/extra", true, ""}, {"T/extra/", true, ""},
		{"T/nowhere", false, "ROOT_NOT_FOUND"}, {"T/notes.txt", false, "ROOT_NOT_A_FOLDER"}, {"../extra", true, ""}, {"~/x", false, "ROOT_NOT_FOUND"},
		{"T/extra/one", true, ""}, {"", false, ""},
	} {
		o := Options{Project: filepath.Join(base, "workspace"), Start: filepath.Join(base, "workspace"), Home: t.TempDir(), Environment: strings.ReplaceAll(c.value, "T", base)}
		got, _ := Load(t.Context(), o)
		want := []string{"good-one=ok"}
		if c.one {
			want = append(want, "one=ok")
		}
		codes := strings.Join(codesOf(got.Diagnostics, ""), " ")
		if !slices.Equal(names(got), want) || codes != c.code {
			t.Errorf("%q: %v and %q, want %v and %q", c.value, names(got), codes, want, c.code)
		}
		if c.code != "" && (got.Diagnostics[0].Path == "" || strings.Contains(got.Diagnostics[0].Path, base)) {
			t.Errorf("%q: path %q", c.value, got.Diagnostics[0].Path)
		}
		if c.one {
			if s := skillNamed(t, got, "one"); s.Source != SourceExtra || !strings.HasSuffix(s.Path, "one/SKILL.md") {
				t.Errorf("%q: %+v", c.value, s)
			}
		}
	}
}
