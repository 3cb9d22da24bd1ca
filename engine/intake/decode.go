package intake

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"

	"golang.org/x/image/webp"

	"agentstudio/engine"
)

// decode decodes all pixels. A decoder that panics has met a damaged picture. Errors: those of
// readHeader, and RUN_CANCELLED.
func decode(ctx context.Context, h header) (img image.Image, err error) {
	defer func() {
		if r := recover(); r != nil {
			img, err = nil, &engine.Error{Code: engine.ImageCorrupt, Message: "the picture is damaged; save it anew and send that", Err: fmt.Errorf("%w: %v", errPanic, r)}
		}
	}()
	body := &stoppable{ctx, bytes.NewReader(h.file)}
	switch h.kind {
	case jpegKind:
		img, err = jpeg.Decode(body)
	case pngKind:
		img, err = png.Decode(body)
	default:
		img, err = webp.Decode(body)
	}
	switch {
	case ctx.Err() != nil:
		return nil, cancelled(ctx)
	case err != nil && body.r.(*bytes.Reader).Len() == 0:
		return nil, cutShort(h, err)
	case err != nil:
		return nil, decodeError(err)
	}
	if h.kind == webpKind {
		img = fullRange(img)
		if !h.frame.Empty() {
			img = &placed{img, h.frame.Min, h.canvas}
		}
	}
	if size := img.Bounds().Size(); size.X != h.width || size.Y != h.height {
		return nil, corrupt("it is of another size than it says")
	}
	return img, nil
}

// errPanic marks what a decoder did; tests look for it.
var errPanic = errors.New("the decoder panicked")

// cutShort is the error of a decoder that read to the last byte and wanted more: decoders call that
// by many names. A PNG has been seen to be whole, and a WebP's chunks too, so those are damaged.
func cutShort(h header, err error) error {
	e := decodeError(err)
	if h.kind == jpegKind && errors.Is(e, engine.ImageCorrupt) && !bytes.HasSuffix(h.file, []byte("\xff\xd9")) {
		return &engine.Error{Code: engine.ImageTruncated, Message: truncated().Message, Err: err}
	}
	return e
}

// fullRange stretches the colours of a lossy WebP, which lie in 16 to 235 and 16 to 240 (RFC 6386,
// 9.2), to those that image.YCbCr stands for. Without it, pictures look washed out.
func fullRange(img image.Image) image.Image {
	var planes *image.YCbCr
	switch m := img.(type) {
	case *image.YCbCr:
		planes = m
	case *image.NYCbCrA:
		planes = &m.YCbCr
	default:
		return img
	}
	var luma, chroma [256]byte
	for v := range 256 {
		luma[v] = clamp((float32(v) - 16) * 255 / 219)
		chroma[v] = clamp((float32(v)-128)*255/224 + 128)
	}
	for _, p := range []struct {
		plane []byte
		table *[256]byte
	}{{planes.Y, &luma}, {planes.Cb, &chroma}, {planes.Cr, &chroma}} {
		for i, v := range p.plane {
			p.plane[i] = p.table[v]
		}
	}
	return img
}

// placed is a picture that lies somewhere on a larger, transparent canvas.
type placed struct {
	image.Image
	at   image.Point
	size image.Point
}

func (p *placed) Bounds() image.Rectangle { return image.Rectangle{Max: p.size} }

// clamp rounds to a byte.
func clamp(v float32) byte {
	switch {
	case v <= 0:
		return 0
	case v >= 255:
		return 255
	}
	return byte(v + 0.5)
}
