package tui

import (
	"image"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/kitty"
)

func TestWhoSpeaksKitty(t *testing.T) {
	for env, want := range map[string]bool{
		"TERM=xterm-kitty":                              true,
		"TERM=xterm-ghostty":                            true,
		"TERM=xterm-256color KITTY_WINDOW_ID=1":         true,
		"TERM=xterm-256color TERM_PROGRAM=ghostty":      true,
		"TERM=xterm-256color":                           false,
		"TERM=xterm-256color TERM_PROGRAM=WezTerm":      false,
		"TERM=tmux-256color KITTY_WINDOW_ID=1":          false,
		"TERM=xterm-kitty TMUX=/tmp/tmux-0/default,1,0": false,
		"TERM=screen-256color TERM_PROGRAM=ghostty":     false,
	} {
		if got := speaksKitty(tea.EnvMsg(strings.Fields(env))); got != want {
			t.Errorf("%s: %v", env, got)
		}
	}
}

// The placeholders are as wide as the picture's cells, whatever the room, and number them.
func TestPlaceholders(t *testing.T) {
	th := newTheme(manner{name: "dark"})
	for _, size := range []image.Point{{1, 1}, {40, 20}, {1, 600}, {640, 1}, {639, 480}} {
		for _, room := range []image.Point{{1, 1}, {80, 20}, {33, 7}, {500, 300}} {
			cells := kittyCells(size, room.X, room.Y)
			lines := th.inPlaceholders(cells, room.X)
			if cells.X > room.X || cells.Y > room.Y || len(lines) != cells.Y {
				t.Fatalf("%v in %v: %v, %d lines", size, room, cells, len(lines))
			}
			for y, l := range lines {
				plain := strings.TrimLeft(ansi.Strip(l), " ")
				if ansi.StringWidth(plain) != cells.X || strings.Count(plain, string(kitty.Placeholder)) != cells.X {
					t.Errorf("%v in %v: %d cells wide, want %d", size, room, ansi.StringWidth(plain), cells.X)
				}
				if want := string([]rune{kitty.Placeholder, kitty.Diacritic(y), kitty.Diacritic(0)}); !strings.HasPrefix(plain, want) {
					t.Errorf("line %d begins with %q", y, plain[:min(len(plain), 12)])
				}
			}
		}
	}
}

// A terminal that draws pictures itself is handed the picture once, without asking for an answer, gets
// placeholders in its place, half blocks after its size has changed, and forgets it in the end.
func TestThePictureOfATerminalThatDraws(t *testing.T) {
	s := pictured(t, setup{env: []string{"TERM=xterm-kitty"}}, &album{}, false, says("I see"))
	raw := func(what string, ok func(string) bool) {
		t.Helper()
		s.await(what, func(string) bool {
			s.mu.Lock()
			defer s.mu.Unlock()
			return ok(s.raw.String())
		})
	}
	s.Type("/attach /pics/cat.png")
	s.Press("enter")
	s.Shows("cat.png  40×20")
	s.Press("ctrl+l")
	s.Press("enter")
	raw("the picture", func(all string) bool {
		head, _, _ := strings.Cut(all[max(strings.Index(all, "\x1b_G"), 0):], ";")
		for _, option := range []string{"a=T", "q=2", "i=73", "f=100", "U=1", "c=40", "r=10"} {
			if !strings.Contains(head, option) {
				return false
			}
		}
		return strings.Count(all, "\x1b_G") >= 1 && strings.Contains(all, string(kitty.Placeholder))
	})
	s.Resize(100, 30)
	raw("half blocks", func(all string) bool { return strings.Contains(all, "38;2;255;0;0") })
	s.Press("esc")
	raw("that it is forgotten", func(all string) bool { return strings.Contains(all, "\x1b_Ga=d,d=I,q=2,i=73\x1b\\") })
}
