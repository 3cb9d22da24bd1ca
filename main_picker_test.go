package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/adrg/xdg"
	"github.com/spf13/cobra"

	"agentstudio/engine"
	"agentstudio/tui"
)

// shownStudio is a studio on a fresh state directory with its picker, as the screen has it.
func shownStudio(t *testing.T) (*options, *picker) {
	t.Helper()
	std := stdio{in: strings.NewReader(""), out: &strings.Builder{}, err: &strings.Builder{}}
	o := &options{std: std}
	o.bind(&cobra.Command{})
	o.scenario, o.state = "ads-report", t.TempDir()
	s, err := o.assemble(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p := &picker{}
	if _, err := p.List(t.Context()); engine.CodeOf(err) != engine.InvalidCommand {
		t.Errorf("listed before anything is open: %v", err)
	}
	p.begin(s)
	t.Cleanup(s.close)
	return o, p
}

// runOn sends a message and waits for the run's end, approving what is asked.
func runOn(t *testing.T, s *engine.Session, text string) {
	t.Helper()
	by := engine.Actor{Screen: "tui", Name: "test"}
	if _, err := s.Do(t.Context(), engine.Send{Text: text, By: by}); err != nil {
		t.Fatal(err)
	}
	for batch, err := range s.Follow(t.Context(), s.Opened()) {
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range batch {
			switch p := e.Payload.(type) {
			case engine.ApprovalRequired:
				if _, err := s.Do(t.Context(), engine.Decide{Approval: p.Approval, Digest: p.Digest, Approve: true, By: by}); err != nil {
					t.Fatal(err)
				}
			case engine.RunCompleted:
				return
			}
		}
	}
}

// Another session is opened before the shown one is closed, and everything acts on the new one.
func TestAnotherSessionIsShown(t *testing.T) {
	o, p := shownStudio(t)
	first := p.shown
	began := time.Now().Add(-time.Second)
	runOn(t, first, "Use the ads-analysis skill to analyse demo-account over the last 7 days, then have the report-writer skill save a report.")
	if _, err := p.Open(t.Context(), "ses_nothing"); engine.CodeOf(err) != engine.SessionNotFound || p.shown != first {
		t.Fatalf("opened what is not there: %v", err)
	}
	opened, err := p.Open(t.Context(), "")
	if err != nil || opened.Session != p.shown || p.shown == first || opened.Script != "ads-report" || opened.Prompt == nil {
		t.Fatalf("%+v, %v", opened, err)
	}
	if _, err := first.Do(t.Context(), engine.Rename{Title: "late"}); engine.CodeOf(err) != engine.SessionClosedCode {
		t.Errorf("the first session takes commands: %v", err)
	}
	if err := p.Rename(t.Context(), first.ID(), "Monday"); err != nil {
		t.Fatal(err)
	}
	all, err := p.List(t.Context())
	if err != nil || len(all) == 0 || all[len(all)-1].Title != "Monday" || all[len(all)-1].State != "ok" || all[len(all)-1].Updated.IsZero() {
		t.Fatalf("%+v, %v", all, err)
	}
	if err := p.Delete(t.Context(), p.shown.ID()); engine.CodeOf(err) != engine.SessionLocked {
		t.Errorf("deleted the shown session: %v", err)
	}
	s, shown, before := p.end()
	if shown != p.shown || len(before) != 1 || before[0] != first.ID() {
		t.Fatalf("%v, %v", shown.ID(), before)
	}
	if made := o.made(s, before, began); len(made) != 1 || filepath.Base(made[0]) != "report.md" {
		t.Errorf("the report of the first session is not told: %v", made)
	}
	if made := o.made(s, before, time.Now().Add(time.Hour)); len(made) != 0 {
		t.Errorf("old files are told: %v", made)
	}
	if _, err := p.Open(t.Context(), ""); engine.CodeOf(err) != engine.SessionClosedCode {
		t.Errorf("opened after the end: %v", err)
	}
}

func TestASessionIsDeleted(t *testing.T) {
	_, p := shownStudio(t)
	first := p.shown.ID()
	runOn(t, p.shown, "hello")
	if _, err := p.Open(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	if err := p.Delete(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Open(t.Context(), first); engine.CodeOf(err) != engine.SessionNotFound {
		t.Errorf("the session is still there: %v", err)
	}
}

// What the form saves is in the file, and the form has it the next time.
func TestSettingsComeBack(t *testing.T) {
	home := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", home)
	xdg.Reload()
	t.Cleanup(xdg.Reload)
	t.Setenv("LC_ALL", "zh_CN.UTF-8")
	k := keeper{&options{}}
	find := func(key string) (found struct{ Value, Origin, Default, Auto, Choices string }) {
		all, err := k.Load(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range all {
			if s.Key == key {
				found.Value, found.Origin, found.Default, found.Auto, found.Choices = s.Value, s.Origin, s.Default, s.Auto, strings.Join(s.Choices, " ")
			}
		}
		return found
	}
	if got := find("language"); got.Value != "auto" || got.Origin != "LC_ALL" || got.Auto != "zh" {
		t.Errorf("the language is %+v", got)
	}
	if got := find("policy.save_report_draft"); got.Value != "ask" || got.Choices != "ask deny" || got.Origin != "" {
		t.Errorf("the policy is %+v", got)
	}
	if err := k.Save(t.Context(), map[string]string{"theme": "light", "policy.grep": "deny", "budget.maxTurns": "7"}); err != nil {
		t.Fatal(err)
	}
	if got := find("theme"); got.Value != "light" || got.Origin != "config.yaml:5" || got.Default != "auto" {
		t.Errorf("the theme is %+v", got)
	}
	if got := find("policy.grep"); got.Value != "deny" || got.Default != "allow" || got.Choices != "allow ask deny" {
		t.Errorf("the policy is %+v", got)
	}
	if err := k.Save(t.Context(), map[string]string{"theme": "", "policy.grep": "", "budget.maxTurns": ""}); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(filepath.Join(home, "agentstudio", "config.yaml")); err != nil || len(b) != 0 {
		t.Errorf("%q, %v", b, err)
	}
}

// The model that was chosen on the screen is that of the sessions opened after it, too.
func TestAChosenModelStays(t *testing.T) {
	o, p := shownStudio(t)
	c, err := o.connecting()
	if err != nil {
		t.Fatal(err)
	}
	conn, err := c.Use(t.Context(), tui.ConnectionDraft{Provider: engine.ProviderOther, API: engine.APIChat, BaseURL: "http://127.0.0.1:11434/v1", Model: "local-1", Images: "auto", Localhost: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.shown.Do(t.Context(), engine.Configure{Connection: &conn}); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Open(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	var models []string
	for batch, err := range p.shown.Follow(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range batch {
			if m, ok := e.Payload.(engine.ModelConfigured); ok {
				models = append(models, m.ID)
			}
		}
		break
	}
	if n := len(models); n == 0 || models[n-1] != "local-1" {
		t.Errorf("the new session's models are %v", models)
	}
}
