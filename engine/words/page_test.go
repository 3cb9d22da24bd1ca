package words_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"agentstudio/engine/words"
)

// The page is given every text of the prefixes it needs, in both languages.
func TestPageHasEveryText(t *testing.T) {
	pages := map[words.Lang]map[string]string{words.English: words.Page(words.English), words.Chinese: words.Page(words.Chinese)}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range regexp.MustCompile(`(?m)^\tcase (".*"):$`).FindAllStringSubmatch(string(b), -1) {
			for key := range strings.SplitSeq(line[1], ", ") {
				key = strings.Trim(key, `"`)
				prefix, _, _ := strings.Cut(key, ".")
				if !strings.Contains(" arg code event label light phase phrase retry risk rule source state who why word ", " "+prefix+" ") {
					continue
				}
				seen++
				for lang, page := range pages {
					if page[key] == "" || page[key] == key {
						t.Errorf("the page has no %s text for %s", lang, key)
					}
				}
			}
		}
	}
	if seen < 150 {
		t.Errorf("only %d keys were found in the tables", seen)
	}
}
