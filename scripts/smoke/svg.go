package main

import (
	"fmt"
	"html"
	"image/color"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
)

// The size of a cell in a picture, in pixels.
const (
	cellW = 8
	cellH = 17
)

// svg draws the screen as it is: runs of cells of one style, each as wide as its cells.
func (t *terminal) svg() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	w, h := t.screen.Width(), t.screen.Height()
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,'Noto Sans Mono CJK SC',monospace" font-size="13">`+"\n", w*cellW, h*cellH)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" fill="#000"/>`+"\n")
	for y := range h {
		t.row(&b, y, w)
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// row draws the backgrounds of a row and then its text.
func (t *terminal) row(b *strings.Builder, y, w int) {
	var text strings.Builder
	for x := 0; x < w; {
		first := t.screen.CellAt(x, y)
		from, said := x, ""
		for x < w {
			c := t.screen.CellAt(x, y)
			if !alike(first, c) || len(said) > 0 && (wide(c) || wide(first)) {
				break
			}
			if c != nil {
				said += strings.ReplaceAll(c.Content, "\u00a0", " ")
			}
			x += max(width(c), 1)
		}
		if first == nil {
			continue
		}
		if first.Style.Bg != nil {
			fmt.Fprintf(b, `<rect x="%d" y="%d" width="%d" height="%d" fill="%s"/>`+"\n", from*cellW, y*cellH, (x-from)*cellW, cellH, hex(first.Style.Bg))
		}
		if strings.TrimSpace(said) != "" {
			weight := ""
			if first.Style.Attrs&uv.AttrBold != 0 {
				weight = ` font-weight="bold"`
			}
			fmt.Fprintf(&text, `<text x="%d" y="%d" fill="%s"%s textLength="%d" xml:space="preserve">%s</text>`+"\n",
				from*cellW, y*cellH+13, hex(first.Style.Fg), weight, (x-from)*cellW, html.EscapeString(said))
		}
	}
	b.WriteString(text.String())
}

func alike(a, b *uv.Cell) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Style.Equal(&b.Style)
}

func width(c *uv.Cell) int {
	if c == nil {
		return 1
	}
	return c.Width
}

func wide(c *uv.Cell) bool { return width(c) > 1 }

func hex(c color.Color) string {
	if c == nil {
		return "#ddd"
	}
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}
