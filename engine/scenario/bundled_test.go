package scenario

import (
	"slices"
	"strings"
	"testing"

	"agentstudio/engine"
)

func TestBundledFilesAreWhole(t *testing.T) {
	names := Names(bundled())
	for _, want := range []string{"ads-report", "bench", "budget-stop", "context-full", "context-overflow", "denied", "expired", "malformed-arguments", "path-escape",
		"rate-limited", "stream-cut", "unknown-tool"} {
		if !slices.Contains(names, want) {
			t.Errorf("%s is missing in %v", want, names)
		}
	}
	for _, name := range names {
		s := mustLoad(t, name)
		if s.Name() != name {
			t.Errorf("%s.yaml says that its name is %s", name, s.Name())
		}
		for _, lang := range langs() {
			if s.Title(lang) == "" || s.Title(lang) == name || s.Prompt(lang) == "" || s.Notes(lang) == "" {
				t.Errorf("%s lacks title, prompt or notes in %s", name, lang)
			}
		}
	}
}

func TestAdsReportApproved(t *testing.T) {
	for lang, first := range map[string]string{"en": "First the skill, then the figures.", "zh": "先读取技能，再取数。"} {
		s := mustLoad(t, "ads-report")
		st := &stage{model: s.Model(Options{Lang: lang})}
		var saved string
		last := st.run(t, s.Prompt(lang), 10, tools(t, func(body string) error { saved = body; return nil }))
		if len(st.answers) != 5 || st.answers[0].text != first || last.stop != engine.StopEnd || len(last.calls) != 0 {
			t.Fatalf("%s: %d turns, first %q, last %+v", lang, len(st.answers), st.answers[0].text, last)
		}
		var called []string
		for i, a := range st.answers {
			if strings.Contains(a.text, notThere) || strings.Contains(a.text, "{{") {
				t.Errorf("%s: turn %d says %q", lang, i+1, a.text)
			}
			for _, c := range a.calls {
				called = append(called, c.Tool+string(c.Args))
			}
		}
		want := []string{`read{"path":"skill:ads-analysis/SKILL.md"}`, `mock_ads_metrics{"accountId":"demo-account","days":7}`, `read{"path":"skill:report-writer/SKILL.md"}`}
		if !slices.Equal(called[:3], want) || len(called) != 4 || !strings.HasPrefix(called[3], "save_report_draft{") {
			t.Errorf("%s: calls %v", lang, called)
		}
		analysis := st.answers[2].text
		for _, figure := range []string{"### 账户总结", "¥48,166.94", "**2.33**", "¥61.28", "3.2", "¥196.45", "0.21%", "1.05%", "599,202"} {
			if !strings.Contains(analysis, figure) {
				t.Errorf("%s: the analysis lacks %s:\n%s", lang, figure, analysis)
			}
		}
		checkReport(t, lang, saved)
	}
}

func checkReport(t *testing.T, lang, body string) {
	t.Helper()
	at := 0
	for _, heading := range []string{"## 账户总结\n", "## 关键指标\n", "## 异常 Campaign\n", "## 3 条优化建议\n"} {
		i := strings.Index(body[at:], heading)
		if i < 0 {
			t.Fatalf("%s: the heading %q is missing or out of order in\n%s", lang, heading, body)
		}
		at += i
	}
	for _, figure := range []string{"¥48,166.94", "1,410,056", "14,805", "786", "¥112,343.26", "1.05%", "5.31%", "| Brand-Search | ¥9,095.24 | 6.03% | 7.09% | ¥35.25 | 4.08 |\n| Retargeting |", "¥196.45", "0.80"} {
		if !strings.Contains(body, figure) {
			t.Errorf("%s: the report lacks %s", lang, figure)
		}
	}
	for _, wrong := range []string{"n/a", "{{", "}}", "\n\n\n"} {
		if strings.Contains(body, wrong) {
			t.Errorf("%s: the report has %q:\n%s", lang, wrong, body)
		}
	}
}

func TestAdsReportNotApproved(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{engine.Errorf(engine.ApprovalDenied, "denied by Lee at the mirror: wrong period"), "denied by Lee at the mirror: wrong period"},
		{engine.Errorf(engine.ApprovalExpired, "nobody decided in time"), "Nobody decided in time"},
		{engine.Errorf(engine.WriteFailed, "no space left"), "no space left"},
	} {
		s := mustLoad(t, "ads-report")
		st := &stage{model: s.Model(Options{})}
		last := st.run(t, s.Prompt("en"), 10, tools(t, func(string) error { return c.err }))
		if !strings.Contains(last.text, c.want) || !strings.Contains(last.text, "**not saved**") || strings.Contains(last.text, "has been saved") || last.stop != engine.StopEnd {
			t.Errorf("%v: %q", c.err, last.text)
		}
	}
}

func TestAdsReportAgainAndOtherwise(t *testing.T) {
	s := mustLoad(t, "ads-report")
	st := &stage{model: s.Model(Options{})}
	approve := tools(t, func(string) error { return nil })
	if a := st.run(t, "hello there", 10, approve); !strings.Contains(a.text, "Ctrl+D") || !strings.Contains(a.text, "script") {
		t.Errorf("otherwise: %q", a.text)
	}
	if a := st.run(t, "你好", 10, approve); !strings.Contains(a.text, "Ctrl+D") || !strings.Contains(a.text, "脚本") {
		t.Errorf("otherwise in Chinese: %q", a.text)
	}
	st.run(t, s.Prompt("en"), 10, approve)
	st.answers = nil
	st.run(t, s.Prompt("en"), 10, approve)
	if len(st.answers) != 5 {
		t.Errorf("the second prompt took %d turns: the scenario must start anew", len(st.answers))
	}
	sum := ask(t, st.model, engine.Request{Purpose: engine.PurposeSummary, Messages: st.messages})
	if !strings.Contains(sum.text, s.Prompt("en")) || len(sum.calls) != 0 {
		t.Errorf("summary %+v", sum)
	}
}

func TestDrills(t *testing.T) {
	for _, c := range []struct {
		name  string
		save  error
		turns int
		last  string
	}{
		{"denied", engine.Errorf(engine.ApprovalDenied, "no figures"), 2, "“no figures”"},
		{"expired", engine.Errorf(engine.ApprovalExpired, "nobody decided"), 2, "Nobody decided in time"},
		{"unknown-tool", nil, 3, "changed nothing"},
		{"path-escape", nil, 2, "PATH_OUTSIDE_WORKSPACE"},
		{"malformed-arguments", nil, 4, "ROAS 2.33 over 7 days"},
		{"budget-stop", nil, 20, "again"},
	} {
		s := mustLoad(t, c.name)
		st := &stage{model: s.Model(Options{})}
		last := st.run(t, s.Prompt("en"), 20, tools(t, func(string) error { return c.save }))
		if len(st.answers) != c.turns || !strings.Contains(last.text, c.last) || strings.Contains(last.text, "n/a") {
			t.Errorf("%s: %d turns, last %q", c.name, len(st.answers), last.text)
		}
		if _, ok := s.Drill(); !ok {
			t.Errorf("%s says nothing about how it must end", c.name)
		}
	}
	if d, _ := mustLoad(t, "budget-stop").Drill(); d != (Drill{Answer: "approve", Ends: "run.failed", Code: "BUDGET_EXCEEDED"}) {
		t.Errorf("budget-stop ends as %+v", d)
	}
	if e := mustLoad(t, "expired").ApprovalExpiry().Seconds(); e != 8 {
		t.Errorf("expired gives %v s to decide", e)
	}
}

func TestBenchIsWhatThePromptSays(t *testing.T) {
	m := mustLoad(t, "bench").Model(Options{})
	for prompt, want := range map[string][2]int{"bench 2000x20": {2000, 20}, "bench 5": {5, 20}, "bench": {1000, 20}, "bench 7x3@5ms": {7, 3}, "bench 0x0": {1, 1}} {
		a := ask(t, m, engine.Request{Turn: 1, Messages: []engine.Message{{Role: engine.RoleUser, Text: prompt}}})
		if a.pieces != want[0] || len(a.text) != want[0]*want[1] || a.stop != engine.StopEnd {
			t.Errorf("%s: %d pieces, %d bytes, stop %s", prompt, a.pieces, len(a.text), a.stop)
		}
	}
}
