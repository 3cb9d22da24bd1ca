package intake

import (
	"image"
	"image/color"
	"image/draw"
)

// rowsOf tells how to read a decoded picture row by row, as 8 bits of red, green, blue and alpha,
// and whether it is opaque. read fills dst with row y, counted from the top of the picture.
func rowsOf(img image.Image) (read func(y int, dst []byte), opaque bool) {
	b := img.Bounds()
	switch m := img.(type) {
	case *image.NRGBA:
		return func(y int, dst []byte) { copy(dst, m.Pix[m.PixOffset(b.Min.X, b.Min.Y+y):]) }, m.Opaque()
	case *image.RGBA: // decoders give it for opaque pictures only
		if m.Opaque() {
			return func(y int, dst []byte) { copy(dst, m.Pix[m.PixOffset(b.Min.X, b.Min.Y+y):]) }, true
		}
	case *image.NRGBA64:
		return func(y int, dst []byte) { highBytes(dst, m.Pix[m.PixOffset(b.Min.X, b.Min.Y+y):]) }, m.Opaque()
	case *image.RGBA64:
		if m.Opaque() {
			return func(y int, dst []byte) { highBytes(dst, m.Pix[m.PixOffset(b.Min.X, b.Min.Y+y):]) }, true
		}
	case *image.Gray16:
		return func(y int, dst []byte) {
			row := m.Pix[m.PixOffset(b.Min.X, b.Min.Y+y):]
			for x := 0; x < len(dst); x += 4 {
				v := row[x/2]
				dst[x], dst[x+1], dst[x+2], dst[x+3] = v, v, v, 255
			}
		}, true
	case *image.Paletted:
		return palettedRows(m)
	case *image.NYCbCrA:
		read, _ := rowsOf(&m.YCbCr)
		return func(y int, dst []byte) {
			read(y, dst)
			alpha := m.A[m.AOffset(b.Min.X, b.Min.Y+y):]
			for x := 0; x < len(dst); x += 4 {
				dst[x+3] = alpha[x/4]
			}
		}, m.Opaque()
	case *image.YCbCr, *image.Gray, *image.CMYK:
		return func(y int, dst []byte) { // opaque, and the standard library is quick at them
			to := &image.RGBA{Pix: dst, Stride: len(dst), Rect: image.Rect(0, 0, b.Dx(), 1)}
			draw.Draw(to, to.Rect, img, image.Pt(b.Min.X, b.Min.Y+y), draw.Src)
		}, true
	case *placed:
		return m.rows()
	}
	return anyRows(img), false
}

// highBytes takes the upper half of each 16 bits.
func highBytes(dst, src []byte) {
	for i := range dst {
		dst[i] = src[2*i]
	}
}

func palettedRows(m *image.Paletted) (read func(y int, dst []byte), opaque bool) {
	var table [256][4]byte // an index beyond the palette is transparent
	for i, c := range m.Palette {
		n := color.NRGBAModel.Convert(c).(color.NRGBA)
		table[i] = [4]byte{n.R, n.G, n.B, n.A}
	}
	b := m.Bounds()
	return func(y int, dst []byte) {
		row := m.Pix[m.PixOffset(b.Min.X, b.Min.Y+y):]
		for x := 0; x < len(dst); x += 4 {
			copy(dst[x:], table[row[x/4]][:])
		}
	}, m.Opaque()
}

// rows are those of the canvas, which is transparent beside the picture.
func (p *placed) rows() (read func(y int, dst []byte), opaque bool) {
	inner, opaque := rowsOf(p.Image)
	size := p.Image.Bounds().Size()
	return func(y int, dst []byte) {
		clear(dst)
		if y -= p.at.Y; y >= 0 && y < size.Y {
			inner(y, dst[4*p.at.X:4*(p.at.X+size.X)])
		}
	}, opaque && size == p.size
}

// anyRows reads a picture of a type that no decoder here gives today.
func anyRows(img image.Image) func(y int, dst []byte) {
	b := img.Bounds()
	return func(y int, dst []byte) {
		for x := 0; x < len(dst); x += 4 {
			n := color.NRGBAModel.Convert(img.At(b.Min.X+x/4, b.Min.Y+y)).(color.NRGBA)
			dst[x], dst[x+1], dst[x+2], dst[x+3] = n.R, n.G, n.B, n.A
		}
	}
}
