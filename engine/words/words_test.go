package words_test

import (
	"strings"
	"testing"
	"unicode"

	"agentstudio/engine/words"
)

// chinese tells whether a text has a Chinese sign.
func chinese(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.Is(unicode.Han, r) })
}

func TestText(t *testing.T) {
	for _, c := range []struct {
		lang words.Lang
		key  string
		args map[string]string
		want string
	}{
		{words.English, "ui.oneOf", map[string]string{"n": "3"}, "1 of 3"},
		{words.Chinese, "ui.oneOf", map[string]string{"n": "3"}, "第 1 个，共 3 个"},
		{words.English, "ui.runCancelled", nil, "The run was cancelled"},
		{words.English, "ui.runCancelled", map[string]string{"by": "Lena"}, "The run was cancelled by Lena"},
		{words.English, "no.such.key", nil, "no.such.key"},
	} {
		if got := words.Text(c.lang, c.key, c.args); got != c.want {
			t.Errorf("%s %s: %q, want %q", c.lang, c.key, got, c.want)
		}
	}
}

// A caption's braces are not read again: what a file is called is no template.
func TestValuesAreNoTemplates(t *testing.T) {
	if got := words.Caption(words.English, "artifact.ready", map[string]string{"name": "{bytes}[x]"}); got != "{bytes}[x] saved" {
		t.Error(got)
	}
}

func TestCaption(t *testing.T) {
	for _, c := range []struct {
		kind       string
		args       map[string]string
		want, then string
	}{
		{"tool.requested", map[string]string{"tool": "read", "verdict": "allow"}, "read", "read"},
		{"tool.requested", map[string]string{"tool": "save", "verdict": "ask"}, "save · asks", "save · 需询问"},
		{"approval.resolved", map[string]string{"status": "expired", "by": "expiry"}, "expired · expiry", "已过期 · 超时"},
		{"approval.resolved", map[string]string{"status": "denied", "by": "Lena"}, "denied · Lena", "已拒绝 · Lena"},
		{"assistant", map[string]string{"count": "3", "cut": "cut"}, "answer ×3 · cut off", "回答 ×3 · 被截断"},
		{"from.the.future", nil, "from.the.future", "from.the.future"},
	} {
		if got := words.Caption(words.English, c.kind, c.args); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
		if got := words.Caption(words.Chinese, c.kind, c.args); got != c.then {
			t.Errorf("%q, want %q", got, c.then)
		}
	}
}

func TestFrom(t *testing.T) {
	for locale, want := range map[string]words.Lang{"zh_CN.UTF-8": words.Chinese, "zh": words.Chinese, "en_US.UTF-8": words.English, "C": words.English, "": words.English} {
		if got := words.From(locale); got != want {
			t.Errorf("%q: %s", locale, got)
		}
	}
}

// A Chinese text has Chinese in it.
func TestChineseIsChinese(t *testing.T) {
	for _, key := range []string{"code.MODEL_QUOTA", "ui.hint", "event.run.started", "key.send", "help.send"} {
		if !words.Has(key) || !chinese(words.Text(words.Chinese, key, nil)) {
			t.Errorf("%s: %q", key, words.Text(words.Chinese, key, nil))
		}
	}
}
