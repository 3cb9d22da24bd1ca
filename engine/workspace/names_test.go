package workspace

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestEscape(t *testing.T) {
	needsUnix(t)
	for name, want := range map[string]string{
		"plain 报表.txt":       "plain 报表.txt",
		"new\nline.txt":      `new\nline.txt`,
		"esc\x1b[2J.txt":     `esc\x1b[2J.txt`,
		"bad\xffbyte.txt":    `bad\xffbyte.txt`,
		`new\nline.txt`:      `new\\nline.txt`,
		"rtl\u202egnp.exe":   `rtl\u202egnp.exe`,
		"c1\u009b2J":         `c1\u009b2J`,
		"tag\U000e0001":      `tag\U000e0001`,
		"real\ufffd":         "real\ufffd",
		"\xe2\x80\xae\x80\t": `\u202e\x80\t`,
	} {
		if got := Escape(name); got != want {
			t.Errorf("Escape(%q) = %q, want %q", name, got, want)
		}
	}
	for _, same := range []string{`\`, `\q`, `\x2e`, `\x2f`, `\x00`, `\x0`, `\u0041`, `\u002f`, `\U00000000`, `\xZZ`, `\u+02e`} {
		if got := Unescape(same); got != same {
			t.Errorf("Unescape(%q) = %q; it is not one of our escapes", same, got)
		}
	}
}

func TestEscapeRoundTrip(t *testing.T) {
	needsUnix(t)
	rapid.Check(t, func(t *rapid.T) {
		name := string(rapid.SliceOf(rapid.ByteRange(1, 255)).Draw(t, "bytes"))
		if rapid.Bool().Draw(t, "text") {
			name = strings.ReplaceAll(rapid.String().Draw(t, "string"), "\x00", "")
		}
		shown := Escape(name)
		if !utf8.ValidString(shown) || strings.ContainsAny(shown, "\n\r\x1b") || Unescape(shown) != name {
			t.Fatalf("%q is shown as %q, which is %q", name, shown, Unescape(shown))
		}
	})
}

// Case f-strange-names.
func TestStrangeNamesOpenBySpelling(t *testing.T) {
	needsUnix(t)
	dir := t.TempDir()
	names := []string{"-rf.txt", "--help", "a:12:b.txt", "$(id).txt", "报表 一.txt", "new\nline.txt", "esc\x1b[2J.txt", "bad\xffbyte.txt"}
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o644); err != nil {
			t.Skip("this disk refuses the name:", err)
		}
	}
	w := open(t, Options{}, Root{Dir: dir})
	entries, total, err := w.ReadDir(context.Background(), ".", 0)
	must(t, err)
	if total != 8 || len(entries) != 8 {
		t.Fatalf("%d of %d entries, want 8", len(entries), total)
	}
	for _, e := range entries {
		got, err := read(w, e.Location.String())
		if err != nil || got != e.Location.Rel() {
			t.Errorf("%q opens %q, %v", e.Location, got, err)
		}
		if strings.ContainsAny(e.Name, "\n\x1b") || !utf8.ValidString(e.Name) {
			t.Errorf("%q is not fit to be shown", e.Name)
		}
		if by, err := read(w, e.Name); err != nil || by != got {
			t.Errorf("the name %q opens %q, %v", e.Name, by, err)
		}
	}
}

func TestDisplay(t *testing.T) {
	home := t.TempDir()
	for path, want := range map[string]string{
		home:                               "~",
		filepath.Join(home, "a", "b"):      "~/a/b",
		filepath.Join(home, "..", "other"): "…/other",
		home + "x":                         "…/" + filepath.Base(home) + "x",
	} {
		if got := Display(home, path); got != want {
			t.Errorf("Display(%q) = %q, want %q", path, got, want)
		}
	}
	if got := Display("", home); got != "…/"+filepath.Base(home) {
		t.Errorf("without a home: %q", got)
	}
}
