package intake

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"agentstudio/engine"
)

// The longest side is 2,000 at most, and nothing is made larger.
func TestSizes(t *testing.T) {
	for _, c := range [][4]int{{2000, 10, 2000, 10}, {2001, 100, 2000, 100}, {10, 2000, 10, 2000}, {4032, 12, 2000, 6}, {8192, 1, 2000, 1}, {1, 8192, 1, 2000}, {3999, 7, 2000, 4}, {1, 1, 1, 1}} {
		p, err := take(t, asPNG(t, photo(c[0], c[1])))
		if err != nil || p.Width != c[2] || p.Height != c[3] {
			t.Errorf("%d × %d: %d × %d, %v", c[0], c[1], p.Width, p.Height, err)
			continue
		}
		decoded(t, p)
		if p.Original != (Original{"PNG", p.Original.Bytes, c[0], c[1]}) || p.Original.Bytes == 0 {
			t.Errorf("original %+v", p.Original)
		}
	}
}

// A gradient stays one: what comes out is the colour at that place, so nothing shifts or rings.
func TestReducedGradient(t *testing.T) {
	for _, w := range []int{2016, 2999, 4032, 6001} {
		img := image.NewGray(image.Rect(0, 0, w, 8))
		for x := range w {
			for y := range 8 {
				img.Pix[y*img.Stride+x] = byte(255 * x / (w - 1))
			}
		}
		c := reduce(img, 2000, colours{})
		for x := range c.w {
			want := 255 * (float64(x) + 0.5) / float64(c.w)
			if got := float64(c.row(c.h / 2)[4*x]); got-want > 1.6 || want-got > 1.6 {
				t.Fatalf("%d wide: at %d it is %v, want %.1f", w, x, got, want)
			}
		}
	}
}

// Where a picture is transparent its colour does not count: the edge of a red disc on transparent
// black stays red, whatever the reduction, and nothing transparent turns dark.
func TestTransparentEdges(t *testing.T) {
	for _, side := range []int{100, 225, 500} { // reduced by 5, by 2 and something, not at all
		m := image.NewNRGBA(image.Rect(0, 0, 500, 500))
		for y := range 500 {
			for x := range 500 {
				if dx, dy := x-250, y-250; dx*dx+dy*dy < 200*200 {
					m.SetNRGBA(x, y, color.NRGBA{255, 0, 0, 255})
				}
			}
		}
		l := DefaultLimits()
		l.OutSide = side
		p, err := New(l).Image(t.Context(), Source{Body: bytes.NewReader(asPNG(t, m))})
		if err != nil || p.MIME != "image/png" || p.Width != side {
			t.Fatal(err, p.MIME, p.Width)
		}
		img := decoded(t, p)
		for y := range side {
			for x := range side {
				c := nrgba(img, x, y)
				if c.A == 0 && c != (color.NRGBA{255, 255, 255, 0}) || c.A > 0 && (c.R < 250 || c.G > 4 || c.B > 4) {
					t.Fatalf("side %d: %v at %d, %d", side, c, x, y)
				}
			}
		}
		if c := nrgba(img, side/2, side/2); c.A != 255 {
			t.Errorf("the middle is %v", c)
		}
	}
}

// PNG for transparency and for few colours, JPEG for the rest; an alpha channel that hides nothing
// is none, and a grey JPEG stays a JPEG.
func TestFormats(t *testing.T) {
	glass := photo(64, 64)
	glass.Pix[3] = 254
	gray := image.NewGray(image.Rect(0, 0, 64, 64))
	for i := range gray.Pix {
		gray.Pix[i] = byte(i)
	}
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"photo": {asPNG(t, photo(64, 64)), "image/jpeg"}, "photo as JPEG": {asJPEG(t, photo(64, 64)), "image/jpeg"},
		"glass": {asPNG(t, glass), "image/png"}, "one colour": {asPNG(t, plain(64, 64, color.White)), "image/png"},
		"grey": {asPNG(t, gray), "image/png"}, "grey as JPEG": {asJPEG(t, gray), "image/jpeg"},
		"two colours as JPEG": {asJPEG(t, plain(64, 64, color.NRGBA{255, 0, 0, 255})), "image/png"},
	} {
		p, err := take(t, c.file)
		if err != nil || p.MIME != c.want {
			t.Errorf("%s: %s, %v", name, p.MIME, err)
			continue
		}
		decoded(t, p)
	}
}

// What does not fit as base64 is made smaller until it does; an opaque PNG becomes a JPEG first.
func TestBase64(t *testing.T) {
	noise := image.NewNRGBA(image.Rect(0, 0, 600, 400))
	random := rand.New(rand.NewPCG(1, 2))
	for i := range noise.Pix {
		noise.Pix[i] = byte(random.Uint32())
	}
	l := DefaultLimits()
	l.OutBase64 = 100_000
	p, err := New(l).Image(t.Context(), Source{Body: bytes.NewReader(asPNG(t, noise))})
	if err != nil || base64.StdEncoding.EncodedLen(len(p.Bytes)) > l.OutBase64 || p.MIME != "image/png" || p.Width >= 600 || p.Width < 100 {
		t.Fatal(err, len(p.Bytes), p.MIME, p.Width)
	}
	decoded(t, p)
	if ratio := float64(p.Width) / float64(p.Height); ratio < 1.47 || ratio > 1.53 {
		t.Errorf("%d × %d is of another shape", p.Width, p.Height)
	}
	gray := image.NewGray(image.Rect(0, 0, 600, 400))
	for i := range gray.Pix {
		gray.Pix[i] = byte(random.Uint32() & 0x3f)
	}
	l.OutBase64 = 200_000
	p, err = New(l).Image(t.Context(), Source{Body: bytes.NewReader(asPNG(t, gray))})
	if err != nil || p.MIME != "image/jpeg" || p.Width != 600 || base64.StdEncoding.EncodedLen(len(p.Bytes)) > l.OutBase64 {
		t.Error(err, p.MIME, p.Width, len(p.Bytes))
	}
	l.OutBase64 = 100
	if _, err := New(l).Image(t.Context(), Source{Body: bytes.NewReader(asPNG(t, noise))}); engine.CodeOf(err) != engine.ImageTooLarge {
		t.Error(err)
	}
}

// frames is an animated WebP on a canvas of this size, from the picture of a still one.
func frames(t *testing.T, w, h, x, y, fw, fh int) []byte {
	still := load(t, "i-type-mismatch/webp.bin")
	vp8x, anmf := make([]byte, 10), make([]byte, 16)
	vp8x[0] = 1<<1 | webpAlpha
	putInt24(vp8x[4:], w-1)
	putInt24(vp8x[7:], h-1)
	putInt24(anmf, x/2)
	putInt24(anmf[3:], y/2)
	putInt24(anmf[6:], fw-1)
	putInt24(anmf[9:], fh-1)
	frame := append(anmf, still[12:]...)
	body := appendChunk(appendChunk([]byte("WEBP"), "VP8X", vp8x), "ANIM", make([]byte, 6))
	return appendChunk(nil, "RIFF", appendChunk(appendChunk(body, "ANMF", frame), "ANMF", frame))
}

// Of an animation the first frame is taken, where it lies on its canvas, with a notice.
func TestAnimations(t *testing.T) {
	still, err := take(t, load(t, "i-type-mismatch/webp.bin"))
	if err != nil {
		t.Fatal(err)
	}
	w, h := still.Width, still.Height
	p, err := take(t, frames(t, w+10, h+6, 4, 2, w, h))
	if err != nil || p.Width != w+10 || p.Height != h+6 || p.MIME != "image/png" {
		t.Fatal(err, p.Width, p.Height, p.MIME)
	}
	img, first := decoded(t, p), decoded(t, still)
	if c := nrgba(img, 0, 0); c.A != 0 {
		t.Errorf("beside the frame: %v", c)
	}
	if got, want := nrgba(img, 4+2, 2+2), nrgba(first, 2, 2); !near(got, [3]int{int(want.R), int(want.G), int(want.B)}, 12) {
		t.Errorf("in the frame: %v, want %v", got, want)
	}
	apng := withChunk(asPNG(t, photo(20, 10)), "acTL", []byte{0, 0, 0, 2, 0, 0, 0, 0})
	q, err := take(t, apng)
	if err != nil || q.Width != 20 {
		t.Fatal(err)
	}
	for _, notices := range [][]engine.Code{codes(p), codes(q)} {
		if len(notices) != 1 || notices[0] != AnimationDropped {
			t.Errorf("notices %v", notices)
		}
	}
	for name, odd := range map[string]struct {
		file []byte
		want engine.Code
	}{
		"a frame beyond its canvas":  {frames(t, w, h, 2, 0, w, h), engine.ImageCorrupt},
		"a frame of another size":    {frames(t, w+10, h+10, 0, 0, w+1, h), engine.ImageCorrupt},
		"a canvas beyond the limits": {frames(t, 16_000, 16_000, 0, 0, w, h), engine.ImageTooManyPixels},
	} {
		if _, err := take(t, odd.file); engine.CodeOf(err) != odd.want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Whatever the type and size of a picture, what comes out decodes to the size that is said, has the
// shape of the original, and about its mean colour.
func TestAnyPicture(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		w, h := rapid.IntRange(1, 90).Draw(r, "w"), rapid.IntRange(1, 90).Draw(r, "h")
		c := color.NRGBA{rapid.Byte().Draw(r, "r"), rapid.Byte().Draw(r, "g"), rapid.Byte().Draw(r, "b"), 255}
		m := anyImage(rapid.IntRange(0, 5).Draw(r, "type"), w, h, c)
		var b bytes.Buffer
		if err := png.Encode(&b, m); err != nil {
			r.Fatal(err)
		}
		l := DefaultLimits()
		l.OutSide = rapid.IntRange(1, 64).Draw(r, "side")
		p, err := New(l).Image(t.Context(), Source{Body: &b})
		if err != nil {
			r.Fatal(err)
		}
		img := decoded(t, p)
		if longest := max(p.Width, p.Height); longest != min(l.OutSide, max(w, h)) {
			r.Fatalf("%d × %d became %d × %d at %d", w, h, p.Width, p.Height, l.OutSide)
		}
		want := nrgba(m, 0, 0)
		if got := nrgba(img, p.Width/2, p.Height/2); !near(got, [3]int{int(want.R), int(want.G), int(want.B)}, 4) {
			r.Fatalf("%v became %v", want, got)
		}
	})
}

// anyImage is a picture of one colour in one of the types that a PNG can hold.
func anyImage(kind, w, h int, c color.NRGBA) image.Image {
	at := image.Rect(0, 0, w, h)
	var m interface {
		image.Image
		Set(x, y int, c color.Color)
	}
	switch kind {
	case 0:
		m = image.NewGray(at)
	case 1:
		m = image.NewGray16(at)
	case 2:
		m = image.NewPaletted(at, color.Palette{c, color.Transparent})
	case 3:
		m = image.NewRGBA64(at)
	case 4:
		m = image.NewNRGBA64(at)
	default:
		m = image.NewNRGBA(at)
	}
	for y := range h {
		for x := range w {
			m.Set(x, y, c)
		}
	}
	return m
}
