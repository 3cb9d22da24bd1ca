package tui

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentstudio/engine/words"
)

var update = flag.Bool("update", false, "write the pictures in testdata/golden anew")

// The text of the screens, to be read in the repository: each state, size and language.
func TestGolden(t *testing.T) {
	x := plainTexts()
	for _, name := range append(storyNames(), "help") {
		for _, lang := range words.Languages() {
			for _, size := range [][2]int{{160, 45}, {100, 30}, {80, 24}, {60, 20}} {
				of := name
				if name == "help" {
					of = "idle"
				}
				m := story(of, x).still(setup{w: size[0], h: size[1], lang: lang, theme: "dark"})
				m.panel.since = time.Time{} // the question has stood for a while
				if name == "help" {
					m.cover(&help{})
				}
				compare(t, fmt.Sprintf("%s-%s-%dx%d.txt", name, lang, size[0], size[1]), picture(m))
			}
		}
	}
}

func compare(t *testing.T, name, shown string) {
	t.Helper()
	rows := strings.Split(strings.ReplaceAll(shown, "\u00a0", " "), "\n")
	for i := range rows {
		rows[i] = strings.TrimRight(rows[i], " ")
	}
	got := strings.Join(rows, "\n") + "\n"
	path := filepath.Join("testdata", "golden", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != strings.ReplaceAll(string(want), "\r\n", "\n") {
		t.Errorf("%s has changed (go test ./tui -run Golden -update writes it anew):\n%s", name, got)
	}
}
