package tui

import (
	"image"
	"image/color"
	"strconv"
	"strings"

	"golang.org/x/image/draw"
)

// inCells draws a picture in at most w by h cells, in the middle of each line: a cell is two pixels, one
// above the other, each in its true colour. It is never enlarged. What is transparent shows a board of
// two greys.
func (t *theme) inCells(img *image.NRGBA, w, h int) []string {
	size := fitInto(img.Rect.Size(), w, 2*h)
	small := image.NewRGBA(image.Rectangle{Max: size})
	for y := range size.Y {
		for x := range size.X {
			small.Set(x, y, boardAt(x, y))
		}
	}
	draw.CatmullRom.Scale(small, small.Rect, img, img.Rect, draw.Over, nil)
	left := t.Panel.pad((w - size.X) / 2)
	out := make([]string, 0, (size.Y+1)/2)
	for y := 0; y < size.Y; y += 2 {
		out = append(out, left+t.cellRow(small, y))
	}
	return out
}

func boardAt(x, y int) color.RGBA {
	if (x/4+y/4)%2 == 0 {
		return color.RGBA{0xd8, 0xd8, 0xd8, 0xff}
	}
	return color.RGBA{0xc8, 0xc8, 0xc8, 0xff}
}

// cellRow is the two rows of pixels from y on. A colour is said only where it changes.
func (t *theme) cellRow(img *image.RGBA, y int) string {
	var b strings.Builder
	var above, below color.RGBA
	last := y+1 >= img.Rect.Dy()
	for x := range img.Rect.Dx() {
		up, down := img.RGBAAt(x, y), color.RGBA{}
		if !last {
			down = img.RGBAAt(x, y+1)
		}
		if x == 0 {
			if last {
				b.WriteString(t.Panel.blank)
			}
			above, below = color.RGBA{}, color.RGBA{}
		}
		if up != above {
			sgr(&b, "38", up)
		}
		if !last && down != below {
			sgr(&b, "48", down)
		}
		above, below = up, down
		b.WriteString(t.Upper)
	}
	b.WriteString("\x1b[m")
	return b.String()
}

// sgr sets a colour of what follows: 38 for the text's, 48 for the ground's.
func sgr(b *strings.Builder, which string, c color.RGBA) {
	b.WriteString("\x1b[" + which + ";2;" + strconv.Itoa(int(c.R)) + ";" + strconv.Itoa(int(c.G)) + ";" + strconv.Itoa(int(c.B)) + "m")
}
