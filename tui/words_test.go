package tui

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"agentstudio/engine"
	"agentstudio/engine/view"
	"agentstudio/engine/words"
)

// mustKnow fails if the catalogue lacks a key, or has it in English only.
func mustKnow(t *testing.T, key string) {
	t.Helper()
	zh := words.Text(words.Chinese, key, nil)
	switch {
	case !words.Has(key):
		t.Errorf("the catalogue lacks %s", key)
	case !strings.ContainsFunc(zh, func(r rune) bool { return unicode.Is(unicode.Han, r) }) && strings.Trim(zh, " …·") != "": // what is left are values alone
		t.Errorf("%s has no Chinese: %q", key, zh)
	}
}

// Everything that can reach the screen by key has its words in both languages.
func TestEveryKeyHasWords(t *testing.T) {
	for _, c := range engine.Codes() {
		mustKnow(t, "code."+string(c.Code))
	}
	for _, code := range []string{"USAGE_UNKNOWN", "ANSWER_CUT", "ANSWER_EMPTY", "CATALOGUE_CUT", "ANIMATION_DROPPED", "PROFILE_CONVERTED", "PROFILE_IGNORED"} {
		mustKnow(t, "code."+code)
	}
	for _, kind := range append(engine.Kinds(), "assistant", "reasoning") {
		switch kind { // these are in the row of their answer
		case "assistant.started", "assistant.delta", "assistant.completed", "reasoning.delta":
			continue
		}
		mustKnow(t, "event."+kind)
	}
	for _, p := range []view.Phase{view.Idle, view.Running, view.Waiting, view.Failed, view.Cancelled, "cancelling", "readOnly", "noModel"} {
		mustKnow(t, "phase."+string(p))
	}
	for _, s := range []string{view.Queued, view.Withdrawn, view.Asked, view.Awaiting, view.Started, view.Done, view.Refused, view.Wrong} {
		mustKnow(t, "state."+s)
	}
	for _, l := range []view.Light{view.Available, view.Requested, view.Loaded, view.Shadowed, view.Broken} {
		mustKnow(t, "light."+string(l))
	}
	for _, w := range []string{string(engine.Approved), string(engine.Denied), string(engine.Expired), "cancelled", string(engine.Allow), string(engine.Ask), string(engine.Deny),
		"turns", "tokens", "cost", "deadline", "cut", "paired", "refused", "promoted", "changed",
		"changed.viewer", "changed.approver", "changed.presenter", "changed.operator", "revoked"} {
		mustKnow(t, "word."+w)
	}
	for _, b := range bindings() {
		mustKnow(t, "key."+b.id)
		mustKnow(t, "help."+b.id)
	}
}

// Keys written in the source are in the catalogue.
func TestKeysInTheSource(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, f := range files {
		src, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`"((?:ui|phase|light|state|word|key|help|risk|rule|who)\.[A-Za-z]+)"`).FindAllStringSubmatch(string(src), -1) {
			if strings.HasSuffix(f, "_test.go") {
				continue
			}
			n++
			mustKnow(t, m[1])
		}
		for _, m := range regexp.MustCompile(`Risk:\s*"([A-Za-z]+)"`).FindAllStringSubmatch(string(src), -1) {
			mustKnow(t, "risk."+m[1])
		}
	}
	if n < 30 {
		t.Errorf("only %d keys were found", n)
	}
}

// On a Chinese screen no word of ours is English: the story's own texts have no Latin letters, so
// what has, are names, codes and units.
func TestChineseScreens(t *testing.T) {
	x := all("中文")
	allowed := regexp.MustCompile(`Agent Studio|ads-report|report-writer|Writes the account report[^│]*|with its four[^│]*|fixed parts\.|That is all for today\.|SKILL\.md|report\.md|PgDn|PgUp|Tab|Enter|Esc|Home|End|Shift|Alt|Ctrl|F1|\$[A-Z]+|\^[A-Z]|\b[A-Z]+(?:_[A-Z]+)+(?:…)?|\b[A-Z_]+…|KB|MB|\b[0-9.]+k|\bread\b|\brm\b|7f3a91c2|skill:|denied by`)
	for _, name := range append(storyNames(), "help") {
		of := name
		if name == "help" {
			of = "idle"
		}
		m := story(of, x).still(setup{w: 160, h: 45, lang: words.Chinese, theme: "dark"})
		if name == "help" {
			m.cover(&help{})
		}
		for _, line := range strings.Split(picture(m), "\n") {
			if rest := allowed.ReplaceAllString(line, ""); regexp.MustCompile(`[A-Za-z]{2,}`).MatchString(rest) {
				t.Errorf("%s: %q", name, line)
			}
		}
	}
}
