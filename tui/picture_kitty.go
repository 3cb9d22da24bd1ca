package tui

import (
	"bytes"
	"image"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi/kitty"
)

// kittyID names our one picture in the terminal. It is small enough to be a colour of the 256 too.
const kittyID = 73

// speaksKitty tells whether the terminal draws pictures at placeholders, which move and go with the
// cells that they stand in (kitty, ghostty). It goes by what the terminal says of itself in the
// environment: an answer to a question would come among the keys. Inside tmux and screen nothing is
// said for sure.
// Source: sw.kovidgoyal.net/kitty/graphics-protocol/#unicode-placeholders
func speaksKitty(env tea.EnvMsg) bool {
	term := env.Getenv("TERM")
	if env.Getenv("TMUX") != "" || strings.HasPrefix(term, "screen") || strings.HasPrefix(term, "tmux") {
		return false
	}
	return term == "xterm-kitty" || term == "xterm-ghostty" || env.Getenv("KITTY_WINDOW_ID") != "" || env.Getenv("TERM_PROGRAM") == "ghostty"
}

// cellShape is how many times as high as wide a cell is taken to be; the terminal keeps the picture's
// own shape within its cells.
const cellShape = 2

// kittyCells is how many cells a picture takes at most: as many as there are signs that number them.
func kittyCells(size image.Point, w, h int) image.Point {
	const most = 200
	fit := fitInto(image.Pt(size.X, size.Y/cellShape), min(w, most), min(h, most))
	return image.Pt(max(fit.X, 1), max(fit.Y, 1))
}

// kittyShow is the sequence that hands a picture over, to be drawn in so many cells; nothing is answered.
func kittyShow(img image.Image, cells image.Point) (string, error) {
	var out bytes.Buffer
	o := &kitty.Options{Action: kitty.TransmitAndPut, Quiet: 2, ID: kittyID, Format: kitty.PNG, Transmission: kitty.Direct, Chunk: true,
		VirtualPlacement: true, Columns: cells.X, Rows: cells.Y}
	err := kitty.EncodeGraphics(&out, img, o)
	return out.String(), err
}

// kittyGone is the sequence that makes the terminal forget the picture.
func kittyGone() tea.Cmd {
	return tea.Raw("\x1b_Ga=d,d=I,q=2,i=" + strconv.Itoa(kittyID) + "\x1b\\")
}

// inPlaceholders is the text that stands where the picture is drawn.
func (t *theme) inPlaceholders(cells image.Point, w int) []string {
	left := t.Panel.pad((w - cells.X) / 2)
	out := make([]string, cells.Y)
	for y := range out {
		var b strings.Builder
		b.WriteString(left + t.Panel.blank + "\x1b[38;5;" + strconv.Itoa(kittyID) + "m") // the colour is its number
		for x := range cells.X {
			b.WriteRune(kitty.Placeholder)
			b.WriteRune(kitty.Diacritic(y))
			b.WriteRune(kitty.Diacritic(x))
		}
		out[y] = b.String() + "\x1b[m"
	}
	return out
}
