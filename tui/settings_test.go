package tui

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"agentstudio/engine"
	"agentstudio/engine/words"
)

// keep is settings in memory.
type keep struct {
	mu    sync.Mutex
	all   []Setting
	saved map[string]string
	err   error
}

func (k *keep) Load(context.Context) ([]Setting, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.all, k.err
}

func (k *keep) Save(_ context.Context, changes map[string]string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.err == nil {
		k.saved = changes
	}
	return k.err
}

func (k *keep) kept() map[string]string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.saved
}

func theSettings() *keep {
	truth := []string{"true", "false"}
	return &keep{all: []Setting{
		{Key: "language", Value: "auto", Origin: "LANG", Default: "auto", Auto: "en", Choices: []string{"auto", "en", "zh"}, Kind: "choice"},
		{Key: "theme", Value: "dark", Origin: "config.yaml:3", Default: "auto", Choices: []string{"auto", "dark", "light", "projector"}, Kind: "choice"},
		{Key: "ascii", Value: "false", Default: "false", Choices: truth, Kind: "choice"},
		{Key: "notifications", Value: "true", Default: "true", Choices: truth, Kind: "choice"},
		{Key: "approvalExpiry", Value: "5m", Default: "5m", Kind: "duration", Most: 3600},
		{Key: "budget.maxTurns", Value: "20", Default: "20", Kind: "number", Most: 1000},
		{Key: "budget.maxTokens", Value: "9000", Origin: "--max-tokens", Fixed: true, Default: "500000", Kind: "number", Most: 1000000},
		{Key: "budget.maxCostUsd", Value: "", Default: "", Kind: "money", Optional: true},
		{Key: "budget.deadline", Value: "10m", Default: "10m", Kind: "duration", Most: 3600},
		{Key: "policy.save", Value: "ask", Default: "ask", Choices: []string{"ask", "deny"}, Kind: "choice"},
	}}
}

func (k *keep) into(o *Options) { o.Settings = k }

// field puts the cursor on a field.
func (s *screen) field(key string) {
	s.t.Helper()
	s.on(func(m *Model) {
		form, ok := m.top().(*settings)
		if !ok {
			s.t.Error("the settings are not open")
			return
		}
		for i, f := range form.fields {
			if f.Key == key {
				form.at = i
			}
		}
	})
}

// What is changed is kept, the session takes it at once, and the rest is left alone.
func TestSettingsAreKept(t *testing.T) {
	k := theSettings()
	cfg := withTools(&saver{})
	s := stage(t, setup{cfg: cfg, options: k.into}, says("ok"))
	s.Shows("F2 settings")
	s.Press("f2")
	s.Shows("Settings", "config.yaml:3", "--max-tokens decides", "language", "automatic", "TOOL POLICIES")
	s.field("budget.maxTurns")
	s.Type("\x15" + "7")
	s.Shows("not saved yet; was 20")
	s.field("policy.save")
	s.Press("right")
	s.field("approvalExpiry")
	s.Type("\x15" + "90s")
	s.field("notifications")
	s.Press("space")
	s.Press("enter")
	s.Shows("Settings saved")
	if got := fmt.Sprint(k.kept()); got != "map[approvalExpiry:90s budget.maxTurns:7 notifications:false policy.save:deny]" {
		t.Errorf("kept %s", got)
	}
	changed, ok := s.events("settings.changed")[len(s.events("settings.changed"))-1].Payload.(engine.SettingsChanged)
	if !ok || changed.Budget.MaxTurns != 7 || changed.Budget.MaxTokens != 9000 || changed.ApprovalExpiry != 90 || len(changed.Policy) != 1 || changed.Policy[0].Verdict != engine.Deny {
		t.Errorf("the session was told %+v", changed)
	}
	s.on(func(m *Model) {
		if m.top() != nil || !m.o.Quiet {
			t.Error("the form is still open, or notifications are on")
		}
	})
}

// Language and theme are tried out at once, and go back on Esc.
func TestSettingsAreTriedOut(t *testing.T) {
	k := theSettings()
	s := stage(t, setup{options: k.into}, says("ok"))
	s.Press("f2")
	s.Shows("LOOK")
	s.Press("left") // from automatic to Chinese
	s.Shows("设置", "外观", "时间线")
	s.Press("down")
	s.Press("right")
	s.Shows("浅色")
	s.on(func(m *Model) {
		if m.theme.name != "light" || m.o.Theme != "light" {
			t.Errorf("the theme is %q", m.theme.name)
		}
	})
	s.Press("esc")
	s.Shows("TIMELINE")
	s.on(func(m *Model) {
		if m.theme.name != "dark" || m.o.Lang != words.English || m.top() != nil {
			t.Errorf("%q, %q", m.theme.name, m.o.Lang)
		}
	})
	if k.kept() != nil {
		t.Errorf("kept %v", k.kept())
	}
	s.Press("f2")
	s.Shows("LOOK")
	s.Press("left")
	s.Press("enter")
	s.Shows("设置已保存")
	if got := fmt.Sprint(k.kept()); got != "map[language:zh]" {
		t.Errorf("kept %s", got)
	}
}

// What is wrong is said beside the field, and nothing is kept.
func TestWrongSettingsAreSaidAndNotKept(t *testing.T) {
	k := theSettings()
	s := stage(t, setup{options: k.into}, says("ok"))
	for field, bad := range map[string][]string{"budget.maxTurns": {"0", "x", "1001"}, "budget.maxCostUsd": {"-1", "1/2", "much"}, "budget.deadline": {"5", "2h", "1.5s"}} {
		want := map[string]string{"budget.maxTurns": "a whole number from 1 to 1000", "budget.maxCostUsd": "US dollars above zero", "budget.deadline": "a time as 90s or 5m, at most 1h"}[field]
		for _, text := range bad {
			s.Press("f2")
			s.Shows("LOOK")
			s.field(field)
			s.Type("\x15" + text)
			s.Shows("! " + want)
			s.field("language")
			s.Press("enter")
			s.Shows("! " + want)
			s.on(func(m *Model) {
				if form := m.top().(*settings); form.fields[form.at].Key != field {
					t.Errorf("the cursor is on %s, not on %s", form.fields[form.at].Key, field)
				}
			})
			s.Press("esc")
			s.Lacks("LOOK")
		}
	}
	if k.kept() != nil {
		t.Errorf("kept %v", k.kept())
	}
}

// What a flag decides can't be changed here, which is said.
func TestFlagsDecide(t *testing.T) {
	k := theSettings()
	s := stage(t, setup{options: k.into}, says("ok"))
	s.Press("f2")
	s.Shows("LOOK")
	s.field("budget.maxTokens")
	s.Type("5")
	s.Shows("--max-tokens decides this now")
	s.Press("enter")
	s.Lacks("LOOK")
	if k.kept() != nil {
		t.Errorf("kept %v", k.kept())
	}
}

// While a run is active limits stay as they are, and the form stays too; the look can be kept.
func TestLimitsChangeBetweenRuns(t *testing.T) {
	k := theSettings()
	gate := make(chan struct{})
	s := stage(t, setup{options: k.into}, waits(gate, says("done")))
	s.Type("go")
	s.Press("enter")
	s.Shows("running")
	s.Press("f2")
	s.Shows("LOOK")
	s.field("budget.maxTurns")
	s.Type("0")
	s.Press("enter")
	s.Shows("limits and policies change between runs", "not saved yet")
	if k.kept() != nil {
		t.Errorf("kept %v", k.kept())
	}
	s.Press("backspace")
	s.field("ascii")
	s.Press("right")
	s.Press("enter")
	s.Shows("Settings saved")
	if got := fmt.Sprint(k.kept()); got != "map[ascii:true]" {
		t.Errorf("kept %s", got)
	}
	close(gate)
	s.events("run.completed")
}

// A disk that refuses is told of, and the form keeps what was typed.
func TestSettingsThatCannotBeKept(t *testing.T) {
	k := theSettings()
	s := stage(t, setup{options: k.into}, says("ok"))
	s.Press("f2")
	s.Shows("LOOK")
	k.mu.Lock()
	k.err = engine.Errorf(engine.WriteFailed, "no room")
	k.mu.Unlock()
	s.Press("right")
	s.Press("enter")
	s.Shows("Not saved: no room", "not saved yet")
	s.Press("esc")
	s.Lacks("LOOK")
	k.mu.Lock()
	k.err = engine.Errorf(engine.ConfigInvalid, "~/.config/config.yaml:3:1: no such key\nand more")
	k.mu.Unlock()
	s.Press("f2")
	s.Shows("! ~/.config/config.yaml:3:1: no such key", "Esc closes")
	s.Press("esc")
	s.Lacks("no such key")
	s.on(func(m *Model) { m.o.Lang = words.Chinese; m.repaint() })
	s.Press("f2")
	s.Shows("配置或参数有误", "config.yaml:3:1: no such key")
	s.Press("esc")
	s.Lacks("no such key")
}

// What is loosened is kept, with the word that the session may stay stricter.
func TestLooserSettingsMayCountLater(t *testing.T) {
	k := theSettings()
	k.all[9].Value, k.all[9].Origin = "deny", "config.yaml:4"
	s := stage(t, setup{cfg: withTools(&saver{}), options: k.into}, says("ok"))
	s.Press("f2")
	s.Shows("LOOK")
	s.field("policy.save")
	s.Press("left")
	s.Press("enter")
	s.Shows("may count only from the next start")
	if got := fmt.Sprint(k.kept()); got != "map[policy.save:]" {
		t.Errorf("kept %s", got)
	}
}
