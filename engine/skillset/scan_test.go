package skillset

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"agentstudio/engine"
	"agentstudio/engine/workspace"
)

func write(t testing.TB, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func makeSkill(t testing.TB, folder, name string) {
	write(t, filepath.Join(folder, "SKILL.md"), file("name: "+name+"\ndescription: "+name+" skill.\n"))
}

func link(t testing.TB, to, at string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(to, at); err != nil {
		t.Skip("no links here: ", err)
	}
}

// names gives the skills as name=state, sorted.
func names(c engine.Catalog) []string {
	out := []string{}
	for _, s := range c.Skills {
		out = append(out, s.Name+"="+string(s.State))
	}
	slices.Sort(out)
	return out
}

func skillNamed(t testing.TB, c engine.Catalog, name string) engine.Skill {
	t.Helper()
	for _, s := range c.Skills {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("no skill %s in %v", name, names(c))
	return engine.Skill{}
}

func caseFolder(t testing.TB, name string) string {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func readable(t testing.TB, roots []workspace.Root, location string) string {
	t.Helper()
	w, err := workspace.Open(workspace.Options{}, roots...)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close() //nolint:errcheck // nothing was written
	f, _, err := w.OpenFile(t.Context(), location)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // nothing was written
	b, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

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
		o := Options{Project: filepath.Join(base, "workspace"), Start: filepath.Join(base, "workspace"), Home: t.TempDir(), Dirs: strings.ReplaceAll(c.value, "T", base)}
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

func TestOrderAndShadows(t *testing.T) {
	d := t.TempDir()
	home, project := filepath.Join(d, "home"), filepath.Join(d, "project")
	makeSkill(t, filepath.Join(project, ".claude/skills/same"), "same")
	makeSkill(t, filepath.Join(project, ".pi/skills/same"), "same")
	makeSkill(t, filepath.Join(d, "extra/same"), "same")
	makeSkill(t, filepath.Join(home, ".agents/skills/same"), "same")
	makeSkill(t, filepath.Join(home, ".agents/skills/mine"), "mine")
	write(t, filepath.Join(project, ".agents/skills/same/SKILL.md"), "no frontmatter")
	bundle := fstest.MapFS{"same/SKILL.md": {Data: []byte(file("name: same\ndescription: x\n"))}, "bundled/SKILL.md": {Data: []byte(file("name: bundled\ndescription: x\n"))}}
	o := Options{Project: project, Start: d, Home: home, Extra: []string{"extra"}, Bundled: bundle}
	c, roots := Load(t.Context(), o)
	var order []string
	for _, s := range c.Skills {
		order = append(order, s.Path+" "+string(s.State))
	}
	want := []string{".agents/skills/same/SKILL.md broken", ".pi/skills/same/SKILL.md ok", ".claude/skills/same/SKILL.md shadowed", "…/extra/same/SKILL.md shadowed", "skills/bundled/SKILL.md ok", "skills/same/SKILL.md shadowed"}
	if !slices.Equal(order, want) {
		t.Errorf("order\n%v\nwant\n%v", order, want)
	}
	if len(roots) != 2 || roots[0].Name != "skill:same" || roots[1].Name != "skill:bundled" || roots[1].FS == nil {
		t.Errorf("roots %+v", roots)
	}
	shadow := c.Skills[2]
	if len(shadow.Diagnostics) != 1 || !strings.Contains(shadow.Diagnostics[0].Message, ".claude/skills/same/SKILL.md") || !strings.Contains(shadow.Diagnostics[0].Message, ".pi/skills/same/SKILL.md") || shadow.Location != "" {
		t.Errorf("shadowed: %+v", shadow)
	}
	if len(c.Diagnostics) != 1 || c.Diagnostics[0].Code != "BUNDLED_HIDDEN" || c.Diagnostics[0].Path != ".pi/skills/same/SKILL.md" {
		t.Errorf("diagnostics %+v", c.Diagnostics)
	}
	o.User = true
	c, _ = Load(t.Context(), o)
	if mine := skillNamed(t, c, "mine"); mine.Source != SourceUser || mine.Path != "~/.agents/skills/mine/SKILL.md" {
		t.Errorf("user skill %+v", mine)
	}
	if s, ok := c.AtLocation("skill:bundled/SKILL.md"); !ok || s.Source != SourceBundled {
		t.Errorf("bundled at its location: %+v", s)
	}
}

func TestLinksAndLetters(t *testing.T) {
	d := t.TempDir()
	w := filepath.Join(d, ".agents/skills")
	write(t, filepath.Join(d, "outside.md"), file("name: out\ndescription: x\n"))
	link(t, filepath.Join(d, "outside.md"), filepath.Join(w, "out/SKILL.md")) // X1
	write(t, filepath.Join(w, "small/skill.md"), file("name: small\ndescription: x\n"))
	makeSkill(t, filepath.Join(w, "group/inner"), "inner")
	makeSkill(t, filepath.Join(w, "real"), "real")
	link(t, filepath.Join(w, "real"), filepath.Join(w, "alias"))
	c, _ := Load(t.Context(), Options{Project: d})
	if got := names(c); !slices.Equal(got, []string{"inner=ok", "out=broken", "real=warned"}) && !slices.Equal(got, []string{"inner=ok", "out=broken", "real=ok"}) {
		t.Errorf("found %v", got)
	}
	if out := skillNamed(t, c, "out"); out.Diagnostics[0].Code != "SKILL_FILE_LINK" || out.Location != "" {
		t.Errorf("out: %+v", out)
	}
	if len(c.Diagnostics) != 1 || c.Diagnostics[0].Code != "SKILL_FILE_CASE" || c.Diagnostics[0].Path != ".agents/skills/small/skill.md" {
		t.Errorf("diagnostics %+v", c.Diagnostics)
	}
}

func TestLinkedRootAndSameRootTwice(t *testing.T) {
	d := t.TempDir()
	makeSkill(t, filepath.Join(d, "shared/one"), "one")
	link(t, filepath.Join(d, "shared"), filepath.Join(d, "p/.agents/skills"))
	link(t, filepath.Join(d, "shared"), filepath.Join(d, "p/.pi/skills"))
	c, roots := Load(t.Context(), Options{Project: filepath.Join(d, "p"), Extra: []string{filepath.Join(d, "shared")}})
	if got := names(c); !slices.Equal(got, []string{"one=ok"}) || len(roots) != 1 || len(c.Diagnostics) != 0 {
		t.Errorf("%v, %d roots, %+v", got, len(roots), c.Diagnostics)
	}
}

func TestLimits(t *testing.T) {
	d := t.TempDir()
	w := filepath.Join(d, ".agents/skills")
	for i := range maxFolders + 50 {
		if err := os.MkdirAll(filepath.Join(w, fmt.Sprintf("f%05d", i)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	makeSkill(t, filepath.Join(w, "a"), "a")
	makeSkill(t, filepath.Join(w, "b/1/2/3/4/5/deep"), "deep")
	write(t, filepath.Join(w, "c/SKILL.md"), file("name: c\ndescription: x\n")+strings.Repeat("x", maxFile))
	makeSkill(t, filepath.Join(w, "zz"), "zz")
	c, _ := Load(t.Context(), Options{Project: d})
	if got := names(c); !slices.Equal(got, []string{"a=ok", "c=broken"}) {
		t.Errorf("found %v", got)
	}
	if codes := codesOf(c.Diagnostics, ""); !slices.Equal(codes, []string{"SCAN_LIMIT"}) || len(c.Diagnostics) != 1 {
		t.Errorf("diagnostics %+v", c.Diagnostics)
	}
	if s := skillNamed(t, c, "c"); s.Diagnostics[0].Code != "SKILL_FILE_TOO_LARGE" {
		t.Errorf("c: %+v", s)
	}
}

func TestUnreadable(t *testing.T) {
	if os.Getuid() == 0 || runtime.GOOS == "windows" {
		t.Skip("nothing is unreadable here")
	}
	d := t.TempDir()
	makeSkill(t, filepath.Join(d, ".agents/skills/a"), "a")
	makeSkill(t, filepath.Join(d, ".agents/skills/b"), "b")
	if err := os.Chmod(filepath.Join(d, ".agents/skills/a"), 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(filepath.Join(d, ".agents/skills/a"), 0o700) }) //nolint:errcheck // the temporary folder
	c, _ := Load(t.Context(), Options{Project: d})
	if !slices.Equal(names(c), []string{"b=ok"}) || len(c.Diagnostics) != 1 || c.Diagnostics[0].Code != "FOLDER_UNREADABLE" {
		t.Errorf("%v %+v", names(c), c.Diagnostics)
	}
}

func TestCheck(t *testing.T) {
	d := t.TempDir()
	makeSkill(t, filepath.Join(d, "skills/good"), "good")
	write(t, filepath.Join(d, "skills/bad/SKILL.md"), file("name: bad\ndescription: x\nextra: 1\n"))
	write(t, filepath.Join(d, "skills/small/skill.md"), file("name: small\ndescription: x\n"))
	o := Options{Start: d}
	if got := Check(t.Context(), o, "skills/good"); len(got) != 0 {
		t.Errorf("good: %+v", got)
	}
	got := Check(t.Context(), o, filepath.Join(d, "skills"))
	if codes := codesOf(got, severityError); !slices.Equal(codes, []string{"KEY_UNKNOWN"}) {
		t.Errorf("errors %+v", got)
	}
	if codes := codesOf(got, severityWarning); !slices.Equal(codes, []string{"SKILL_FILE_CASE"}) {
		t.Errorf("warnings %+v", got)
	}
	if got := Check(t.Context(), o, "nowhere"); len(got) != 1 || got[0].Code != "ROOT_NOT_FOUND" {
		t.Errorf("nowhere: %+v", got)
	}
	if got := Check(t.Context(), o, t.TempDir()); len(got) != 1 || got[0].Code != "NO_SKILLS" || got[0].Severity != severityError {
		t.Errorf("empty: %+v", got)
	}
}

// The skills that ship hold themselves to the specification and to what the studio asks of them.
func TestBundledSkills(t *testing.T) {
	fsys := os.DirFS("../../skills")
	for _, d := range CheckFS(t.Context(), fsys) {
		t.Errorf("%s:%d %s %s", d.Path, d.Line, d.Code, d.Message)
	}
	c, roots := Load(t.Context(), Options{Bundled: fsys})
	analysis := readable(t, roots, skillNamed(t, c, "ads-analysis").Location)
	if !strings.Contains(analysis, "Call `mock_ads_metrics` first") || !strings.Contains(analysis, "made up for teaching") {
		t.Error("ads-analysis must call mock_ads_metrics first and say that the data is for teaching")
	}
	writer := readable(t, roots, skillNamed(t, c, "report-writer").Location)
	for _, heading := range []string{"## 账户总结", "## 关键指标", "## 异常 Campaign", "## 3 条优化建议", "save_report_draft"} {
		if !strings.Contains(writer, heading) {
			t.Errorf("report-writer lacks %s", heading)
		}
	}
}

func TestCancelledLoadEnds(t *testing.T) {
	d := t.TempDir()
	makeSkill(t, filepath.Join(d, ".agents/skills/a"), "a")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c, roots := Load(ctx, Options{Project: d})
	if len(c.Skills) != 0 || len(roots) != 0 || len(c.Diagnostics) != 0 {
		t.Errorf("%+v", c)
	}
}
