package tui

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"agentstudio/engine/words"
)

var update = flag.Bool("update", false, "write the pictures in testdata/golden anew")

// overTop are the overlays, each opened over a story.
func overTop() map[string]struct {
	story string
	open  func(*Model) tea.Cmd
} {
	type over = struct {
		story string
		open  func(*Model) tea.Cmd
	}
	at := time.Date(2026, 3, 4, 9, 0, 0, 0, time.UTC)
	return map[string]over{
		"help":     {"idle", func(m *Model) tea.Cmd { m.cover(&help{}); return nil }},
		"commands": {"idle", func(m *Model) tea.Cmd { m.cover(&commandList{}); return nil }},
		"settings": {"idle", func(m *Model) tea.Cmd { m.o.Settings = theSettings(); return m.openSettings() }},
		"sessions": {"idle", func(m *Model) tea.Cmd {
			m.o.Sessions = &cabinet{all: []Saved{
				{ID: "ses_3", Title: "Use the ads-analysis skill", State: "ok", Updated: at, Events: 188},
				{ID: "ses_1", Title: "分析 demo-account 账户", State: "interrupted", Updated: at.Add(-26 * time.Hour), Events: 61},
				{ID: "ses_0", State: "damaged", Updated: at.Add(-72 * time.Hour), Events: 7},
			}}
			return m.openSessions()
		}},
		"connect": {"idle", func(m *Model) tea.Cmd { m.o.Connections = theConnections(); return m.openConnect() }},
		"connect-models": {"idle", func(m *Model) tea.Cmd {
			m.o.Connections = theConnections()
			m.Update(m.openConnect()())
			for m.top().(*connect).on() != "baseURL" {
				m.Update(tea.KeyPressMsg{Code: tea.KeyDown})
			}
			_, cmd := m.Update(tea.KeyPressMsg{Code: tea.KeyDown})
			return cmd
		}},
		"inspector": {"approval", func(m *Model) tea.Cmd { return m.inspect(52) }},
		"viewer": {"approved", func(m *Model) tea.Cmd {
			m.cover(&viewer{title: "notes.txt", text: strings.Repeat("A line of a file that is looked at.\n", 60)})
			return nil
		}},
	}
}

// The text of the screens, to be read in the repository: each state, size and language.
func TestGolden(t *testing.T) {
	overlays := overTop()
	for _, name := range append(storyNames(), slices.Sorted(maps.Keys(overlays))...) {
		for _, lang := range words.Languages() {
			for _, size := range [][2]int{{160, 45}, {100, 30}, {80, 24}, {60, 20}} {
				of, over := name, overlays[name]
				if over.open != nil {
					of = over.story
				}
				m := story(of, plainTexts()).still(setup{w: size[0], h: size[1], lang: lang, theme: "dark"})
				m.panel.since = time.Time{} // the question has stood for a while
				if over.open != nil {
					if cmd := over.open(m); cmd != nil {
						m.Update(cmd())
					}
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
