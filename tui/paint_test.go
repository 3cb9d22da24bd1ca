package tui

import (
	"fmt"
	"image/color"
	"testing"

	uv "github.com/charmbracelet/ultraviolet"

	"agentstudio/engine/words"
)

// cells calls f for each cell of the emulator's screen.
func (s *screen) cells(f func(x, y int, c *uv.Cell)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for y := range s.em.Height() {
		for x := range s.em.Width() {
			f(x, y, s.em.CellAt(x, y))
		}
	}
}

func rgb(c color.Color) string {
	if c == nil {
		return "none"
	}
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("%02x%02x%02x", r>>8, g>>8, b>>8)
}

// Every cell is painted with a background of the theme: on a projector a hole is a black spot.
func TestSweepOfCells(t *testing.T) {
	palettes := map[string]palette{"dark": darkPalette(), "light": lightPalette(), "projector": projectorPalette()}
	x := plainTexts()
	x.answer += "> a quote\n>\n> - in it\n\n1. one\n   more of it\n\n   ```py\n   def x(): pass\n   ```\n2. two\n\n| a | b |\n|---|---|\n| 1 |  |\n\n---\n\n    indented\n\n[link](https://example.com/a)\n"
	for theme, p := range palettes {
		grounds := map[string]bool{}
		for _, c := range []color.Color{p.Back, p.Panel, p.Sel, p.Green, p.Pink} {
			grounds[rgb(c)] = true
		}
		for _, size := range [][2]int{{160, 45}, {80, 24}} {
			for _, name := range storyNames() {
				s := play(t, setup{w: size[0], h: size[1], lang: words.English, theme: theme}, story(name, x))
				for _, key := range []string{"", "tab", "f1"} {
					if key != "" {
						s.Press(key)
					}
					s.allPainted(t, fmt.Sprintf("%s %v %s %s", theme, size, name, key), grounds)
				}
			}
		}
	}
}

// allPainted waits for a frame in which every cell has one of the grounds.
func (s *screen) allPainted(t *testing.T, what string, grounds map[string]bool) {
	t.Helper()
	s.await(what+": a cell has another background", func(string) bool {
		bad := ""
		s.cells(func(x, y int, c *uv.Cell) {
			if c == nil || c.Width == 0 { // the second half of a wide sign
				return
			}
			if g := rgb(c.Style.Bg); !grounds[g] {
				bad = fmt.Sprintf("%d,%d has %s", x, y, g)
			}
		})
		return bad == ""
	})
}
