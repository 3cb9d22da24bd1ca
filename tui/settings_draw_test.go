package tui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"agentstudio/engine/words"
)

// stillSettings makes the form on a tape.
func stillSettings(set setup) *Model {
	l := story("idle", plainTexts())
	m := l.still(set)
	k := theSettings()
	m.o.Settings = k
	cmd := m.openSettings()
	m.Update(cmd())
	return m
}

// The form fits every terminal, in both languages, and needs no colour.
func TestSweepOfSettings(t *testing.T) {
	for _, lang := range words.Languages() {
		for w := 1; w < 170; w += 7 {
			for _, h := range []int{1, 5, 12, 13, 24, 45} {
				m := stillSettings(setup{w: w, h: h, lang: lang, theme: "dark"})
				for range 12 {
					checkFits(t, m, w, h)
					m.Update(tea.KeyPressMsg{Code: tea.KeyDown})
				}
			}
		}
	}
	m := stillSettings(setup{w: 80, h: 24, lang: words.English, theme: "dark", ascii: true})
	if s := strings.ReplaceAll(picture(m), "\u00a0", " "); strings.ContainsFunc(s, func(r rune) bool { return r > 126 }) {
		t.Errorf("not ASCII:\n%s", s)
	}
	if !strings.Contains(ansi.Strip(m.View().Content), "> language") {
		t.Errorf("the cursor has no sign:\n%s", picture(m))
	}
}

// A click chooses a field, one more its next choice; text is pasted into fields that are typed.
func TestSettingsTakeMouseAndPaste(t *testing.T) {
	m := stillSettings(setup{w: 120, h: 40, lang: words.English, theme: "dark"})
	form, ok := m.top().(*settings)
	if !ok {
		t.Fatal("not open")
	}
	m.View()
	form.click(m, 3, 4) // the title, a blank line, a heading, the first field, the second
	if form.at != 1 {
		t.Fatalf("the cursor is on %d", form.at)
	}
	form.click(m, 3, 4)
	if form.fields[1].now != "light" {
		t.Errorf("the theme is %s", form.fields[1].now)
	}
	form.wheel(m, 3)
	form.at = 5
	m.Update(tea.PasteMsg{Content: " 1\n"})
	if form.fields[5].now != "201" {
		t.Errorf("pasted %q", form.fields[5].now)
	}
}

// Every text of the form is in the catalogue, in both languages.
func TestSettingsHaveWords(t *testing.T) {
	for _, f := range theSettings().all {
		if strings.HasPrefix(f.Key, "policy.") {
			continue
		}
		mustKnow(t, "setting."+f.Key)
		mustKnow(t, "setting.about."+f.Key)
		for _, c := range f.Choices {
			mustKnow(t, "choice."+c)
		}
	}
	for _, key := range []string{"title", "reading", "look", "limits", "policies", "keys", "closes", "saving", "saved", "later", "notSaved", "busy", "default", "byFlag", "fixed", "changed", "wrongNumber", "wrongMoney", "wrongTime", "about.policy"} {
		mustKnow(t, "setting."+key)
	}
}
