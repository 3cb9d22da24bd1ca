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

// source is the script before it is made small.
func source(t *testing.T) string {
	t.Helper()
	b, err := page.Source()
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// The script is all parts there are, nothing else is given out, and a phone has no more to load than it
// may have.
func TestFiles(t *testing.T) {
	const most = 60 << 10
	script, source := read(t, "page.js"), source(t)
	parts, err := filepath.Glob("js/*.js")
	if err != nil || len(parts) == 0 {
		t.Fatal("no parts", err)
	}
	for _, p := range parts {
		b, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(source, string(b)) {
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
	if size >= most || len(script) > len(source)*3/4 {
		t.Errorf("the page has %d bytes in all, which may be less than %d; its script %d of %d", size, most, len(script), len(source))
	}
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
		texts := []string{read(t, name)}
		if name == "page.js" {
			texts = append(texts, source(t))
		}
		for _, text := range texts {
			if found := regexp.MustCompile(never).FindAllString(text, -1); len(found) > 0 {
				t.Errorf("%s has %q", name, found)
			}
		}
	}
}

// Every text that the page names is there in both languages, and every one of its own is used.
func TestWords(t *testing.T) {
	source := source(t) + read(t, "index.html")
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
