package skillset

import (
	"context"
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
	strict := Check(t.Context(), Options{}, filepath.Join(project, ".pi")) // X2: each name once here
	if len(strict) != 0 {
		t.Errorf("strict: %+v", strict)
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
	if got := names(c); !slices.Equal(got, []string{"inner=ok", "out=broken", "real=ok"}) {
		t.Errorf("found %v", got)
	}
	if out := skillNamed(t, c, "out"); out.Diagnostics[0].Code != "SKILL_FILE_LINK" || out.Location != "" {
		t.Errorf("out: %+v", out)
	}
	strict := Check(t.Context(), Options{Start: d}, ".agents/skills")
	if codes := codesOf(strict, severityError); !slices.Equal(codes, []string{"SKILL_FILE_LINK"}) {
		t.Errorf("strict: %+v", strict)
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
	o := Options{Start: d}
	makeSkill(t, filepath.Join(d, "skills/good"), "good")
	write(t, filepath.Join(d, "skills/bad/SKILL.md"), file("name: bad\ndescription: x\nextra: 1\n"))
	write(t, filepath.Join(d, "skills/small/skill.md"), file("name: small\ndescription: x\n"))
	if got := Check(t.Context(), o, "skills/good"); len(got) != 0 {
		t.Errorf("good: %+v", got)
	}
	got := Check(t.Context(), o, "skills/")
	if codes := codesOf(got, severityError); !slices.Equal(codes, []string{"KEY_UNKNOWN"}) || got[1].Path != "skills/bad/SKILL.md" || got[1].Line != 4 {
		t.Errorf("errors %+v", got)
	}
	if codes := codesOf(got, severityWarning); !slices.Equal(codes, []string{"SKILL_FILE_CASE"}) {
		t.Errorf("warnings %+v", got)
	}
	if got := Check(t.Context(), o, filepath.Join(d, "skills/bad")); len(got) != 1 || got[0].Path != "…/bad/SKILL.md" {
		t.Errorf("absolute: %+v", got)
	}
	if got := Check(t.Context(), o, "nowhere"); len(got) != 1 || got[0].Code != "ROOT_NOT_FOUND" {
		t.Errorf("nowhere: %+v", got)
	}
	if got := Check(t.Context(), o, t.TempDir()); len(got) != 1 || got[0].Code != "NO_SKILLS" || got[0].Severity != severityError {
		t.Errorf("empty: %+v", got)
	}
	o.Start = filepath.Join(d, "skills/good")
	if got := Check(t.Context(), o, "."); len(got) != 0 {
		t.Errorf("the current folder: %+v", got)
	}
	if got := Check(t.Context(), o, "../good"); len(got) != 0 {
		t.Errorf("by a way round: %+v", got)
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
