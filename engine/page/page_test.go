package page_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"agentstudio/engine/page"
	"agentstudio/engine/words"
)

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := fs.ReadFile(page.Files(), name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// The script is all parts there are, and nothing else is given out.
func TestFiles(t *testing.T) {
	script := read(t, "page.js")
	parts, err := filepath.Glob("js/*.js")
	if err != nil || len(parts) == 0 {
		t.Fatal("no parts", err)
	}
	for _, p := range parts {
		b, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(string(b)), "\n")
		if last := strings.TrimLeft(lines[len(lines)-1], " "); !strings.Contains(script, last+"\n") {
			t.Errorf("page.js lacks %s", p)
		}
	}
	if info, err := fs.Stat(page.Files(), "page.js"); err != nil || info.Size() != int64(len(script)) || info.IsDir() {
		t.Errorf("page.js is said to be %v, %v", info, err)
	}
	size := len(script)
	for _, name := range []string{"index.html", "page.css", "favicon.svg"} {
		size += len(read(t, name))
	}
	t.Logf("%d bytes in all", size)
	if _, err := fs.ReadFile(page.Files(), "nothing"); err == nil {
		t.Error("there is a file that there isn't")
	}
}

// Nothing comes from elsewhere, nothing is inline, and text never becomes HTML or script.
func TestNothingForeign(t *testing.T) {
	for name, never := range map[string]string{
		"index.html": `(?i)https?:|style=|<style|\son\w+=|<script(?: defer)?>|javascript:`,
		"page.css":   `(?i)https?:|@import|url\(`,
		"page.js":    `innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|createContextualFragment|DOMParser|setAttribute\("(?:on|style|src|href)|"https?://`,
	} {
		if found := regexp.MustCompile(never).FindAllString(read(t, name), -1); len(found) > 0 {
			t.Errorf("%s has %q", name, found)
		}
	}
}

// Every text that the page names is there in both languages, and every one of its own is used.
func TestWords(t *testing.T) {
	source := read(t, "page.js") + read(t, "index.html")
	english, chinese := words.Page(words.English), words.Page(words.Chinese)
	var used, families []string
	for _, m := range regexp.MustCompile(`"((?:page|ui|role|state|phase|light|rule|label|event|code)\.[A-Za-z._]*)"`).FindAllStringSubmatch(source, -1) {
		if strings.HasSuffix(m[1], ".") {
			families = append(families, m[1])
			continue
		}
		used = append(used, m[1])
	}
	families = append(families, "page.chat", "page.timeline", "page.skills") // named by their lists
	if len(used) < 80 {
		t.Errorf("only %d keys were found", len(used))
	}
	for _, key := range used {
		if english[key] == "" || chinese[key] == "" {
			t.Errorf("there is no text for %s", key)
		}
	}
	for key := range english {
		if !strings.HasPrefix(key, "page.") || slices.Contains(used, key) {
			continue
		}
		if !slices.ContainsFunc(families, func(f string) bool { return f != "page." && strings.HasPrefix(key, f) }) {
			t.Errorf("nothing uses %s", key)
		}
	}
}
