package intake

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math"

	"agentstudio/engine"
)

const (
	jpegQuality = 85
	fewColours  = 256 // as many as a palette holds
	minSide     = 64  // a picture is not made smaller than this to save bytes
)

// encode writes the picture as PNG when it has transparency or few colours, else as JPEG, and makes
// it smaller until it fits into most bytes of base64. A grey JPEG stays one: its shades are few by
// number only. Errors: RUN_CANCELLED, IMAGE_TOO_LARGE.
func (p *Picture) encode(ctx context.Context, c canvas, lossy bool, most int) error {
	for {
		c = c.cleared()
		file, mime, err := encoded(c, lossy, most)
		if err != nil {
			return &engine.Error{Code: engine.Internal, Message: "the picture could not be encoded", Err: err}
		}
		if ctx.Err() != nil {
			return cancelled(ctx)
		}
		size := base64.StdEncoding.EncodedLen(len(file))
		if size <= most {
			p.Bytes, p.MIME, p.Width, p.Height = file, mime, c.w, c.h
			return nil
		}
		shrink := max(0.5, min(0.9, math.Sqrt(float64(most)/float64(size))*0.95))
		w, h := max(1, int(float64(c.w)*shrink)), max(1, int(float64(c.h)*shrink))
		if max(w, h) < minSide {
			return engine.Errorf(engine.ImageTooLarge, "the picture does not fit into %s as base64; make it smaller", mebibytes(int64(most)))
		}
		c = c.resampled(float64(c.w), float64(c.h), w, h)
	}
}

// encoded picks the format. An opaque PNG that is too large becomes a JPEG.
func encoded(c canvas, lossy bool, most int) (file []byte, mime string, err error) {
	var b bytes.Buffer
	palette := c.palette()
	if !c.opaque || palette != nil && !(lossy && gray(palette)) {
		if err := png.Encode(&b, c.image(palette)); err != nil {
			return nil, "", err
		}
		if !c.opaque || base64.StdEncoding.EncodedLen(b.Len()) <= most {
			return b.Bytes(), "image/png", nil
		}
		b.Reset()
	}
	// An opaque canvas is its own premultiplied form, for which the encoder is quick.
	err = jpeg.Encode(&b, &image.RGBA{Pix: c.pix, Stride: 4 * c.w, Rect: c.bounds()}, &jpeg.Options{Quality: jpegQuality})
	return b.Bytes(), "image/jpeg", err
}

// cleared makes what cannot be seen white, so that nothing hides there and a program that knows no
// transparency shows white instead of black. It finds out whether the canvas is opaque after all.
func (c canvas) cleared() canvas {
	if c.opaque {
		return c
	}
	c.opaque = true
	for p := c.pix; len(p) > 0; p = p[4:] {
		if p[3] < 255 {
			c.opaque = false
			if p[3] == 0 {
				p[0], p[1], p[2] = 255, 255, 255
			}
		}
	}
	return c
}

// palette lists the colours when there are few, in the order in which they come; else it is nil.
func (c canvas) palette() color.Palette {
	seen := map[uint32]bool{}
	var all color.Palette
	var last uint32
	for i := 0; i < len(c.pix); i += 4 {
		p := c.pix[i : i+4]
		v := binary.LittleEndian.Uint32(p)
		if i > 0 && v == last || seen[v] {
			continue
		}
		if len(all) == fewColours {
			return nil
		}
		last, seen[v] = v, true
		all = append(all, color.NRGBA{p[0], p[1], p[2], p[3]})
	}
	return all
}

// image is the canvas for the PNG encoder: with a palette, if there is one.
func (c canvas) image(palette color.Palette) image.Image {
	if palette == nil {
		return &image.NRGBA{Pix: c.pix, Stride: 4 * c.w, Rect: c.bounds()}
	}
	index := map[uint32]byte{}
	for i, p := range palette {
		n := p.(color.NRGBA)
		index[uint32(n.R)|uint32(n.G)<<8|uint32(n.B)<<16|uint32(n.A)<<24] = byte(i)
	}
	out := image.NewPaletted(c.bounds(), palette)
	for i := range out.Pix {
		out.Pix[i] = index[binary.LittleEndian.Uint32(c.pix[4*i:])]
	}
	return out
}

func gray(palette color.Palette) bool {
	for _, p := range palette {
		if n := p.(color.NRGBA); n.R != n.G || n.G != n.B {
			return false
		}
	}
	return true
}
