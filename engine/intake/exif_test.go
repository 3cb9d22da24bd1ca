package intake

import (
	"bytes"
	"encoding/binary"
	"image/color"
	"strings"
	"testing"
)

func TestOrientation(t *testing.T) {
	for v := range uint16(10) {
		want := int(v)
		if v < 1 || v > 8 {
			want = 1
		}
		if got := orientation(exif(binary.LittleEndian, v)); got != want {
			t.Errorf("II %d: %d", v, got)
		}
		if got := orientation(exif(binary.BigEndian, v)); got != want {
			t.Errorf("MM %d: %d", v, got)
		}
	}
	good := exif(binary.BigEndian, 6)
	change := func(at int, b ...byte) []byte {
		c := bytes.Clone(good)
		copy(c[at:], b)
		return c
	}
	many := append([]byte("II*\x00\x08\x00\x00\x00\x42\x00"), bytes.Repeat(make([]byte, 12), 65)...)
	copy(many[10+12*64:], "\x12\x01\x03\x00\x01\x00\x00\x00\x06\x00\x00\x00")
	far := append([]byte("II*\x00\x00\x00\x01\x00"), make([]byte, maxExif)...)
	far = append(far, "\x01\x00\x12\x01\x03\x00\x01\x00\x00\x00\x06\x00\x00\x00"...)
	for name, odd := range map[string][]byte{
		"nothing": nil, "half a header": good[:6], "no entries": good[:10], "a torn entry": good[:20], "another order": change(0, 'X'),
		"a directory beyond the end": change(4, 0xff, 0xff, 0xff, 0xff), "another type": change(13, 4), "two values": change(17, 2),
		"the 65th entry": many, "beyond 64 KiB": far, "a directory at the very end": change(4, 0, 0, 0, byte(len(good)-2)),
	} {
		if got := orientation(odd); got != 1 {
			t.Errorf("%s: %d", name, got)
		}
	}
}

// A damaged Exif block does not keep a picture out; it counts as upright.
func TestDamagedExif(t *testing.T) {
	file := withSegment(asJPEG(t, photo(40, 24)), 0xe1, "Exif\x00\x00MM\x00*\xff\xff\xff\xff")
	if p, err := take(t, file); err != nil || p.Width != 40 || p.Height != 24 {
		t.Error(err, p.Width, p.Height)
	}
}

// Each orientation moves every pixel to where it belongs, compared with the definition: the stored
// first row is at the top, bottom, left or right.
func TestTurned(t *testing.T) {
	const w, h = 5, 3
	c := newCanvas(w, h, true)
	for i := range w * h {
		c.pix[4*i], c.pix[4*i+3] = byte(i), 255
	}
	// where gives, for the stored x and y, the place on the upright picture.
	for o, where := range map[int]func(x, y int) (int, int){
		1: func(x, y int) (int, int) { return x, y }, 2: func(x, y int) (int, int) { return w - 1 - x, y },
		3: func(x, y int) (int, int) { return w - 1 - x, h - 1 - y }, 4: func(x, y int) (int, int) { return x, h - 1 - y },
		5: func(x, y int) (int, int) { return y, x }, 6: func(x, y int) (int, int) { return h - 1 - y, x },
		7: func(x, y int) (int, int) { return h - 1 - y, w - 1 - x }, 8: func(x, y int) (int, int) { return y, w - 1 - x },
	} {
		out := c.turned(o)
		if o >= 5 && (out.w != h || out.h != w) || o < 5 && (out.w != w || out.h != h) {
			t.Errorf("%d: %d × %d", o, out.w, out.h)
		}
		for y := range h {
			for x := range w {
				if ux, uy := where(x, y); out.row(uy)[4*ux] != byte(y*w+x) {
					t.Errorf("%d: pixel %d, %d is not at %d, %d", o, x, y, ux, uy)
				}
			}
		}
	}
}

// Orientation in the chunks of a PNG and of a WebP counts, in either byte order, with the prefix of
// JPEG or without.
func TestOrientationElsewhere(t *testing.T) {
	upright := photo(30, 10)
	webp := load(t, "i-exif-png-webp/c.webp")
	for _, prefix := range []string{"", "Exif\x00\x00"} {
		for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
			block := append([]byte(prefix), exif(order, 8)...)
			p, err := take(t, withChunk(asPNG(t, upright), "eXIf", block))
			if err != nil || p.Width != 10 || p.Height != 30 {
				t.Errorf("PNG: %v, %d × %d", err, p.Width, p.Height)
				continue
			}
			// The stored top right corner comes to the top left one.
			if c := nrgba(decoded(t, p), 0, 0); !near(c, [3]int{246, 0, 180}, 16) {
				t.Errorf("PNG: %v", c)
			}
			body := appendChunk(bytes.Clone(webp[12:bytes.Index(webp, []byte("EXIF"))]), "EXIF", block)
			p, err = take(t, appendChunk(nil, "RIFF", append([]byte("WEBP"), body...)))
			if err != nil || p.Width != 40 || p.Height != 24 {
				t.Errorf("WebP: %v, %d × %d", err, p.Width, p.Height)
			}
		}
	}
}

// Nothing of what was beside the pixels is in what comes out.
func TestOnlyThePictureIsLeft(t *testing.T) {
	const secret = "MARKER-SECRET"
	block := string(exif(binary.LittleEndian, 1)) + secret
	xmp := "http://ns.adobe.com/xap/1.0/\x00<x:xmpmeta>" + secret
	photoJPEG := asJPEG(t, photo(40, 24))
	for _, s := range []struct {
		marker byte
		data   string
	}{{0xe1, "Exif\x00\x00" + block}, {0xe1, xmp}, {0xe2, "ICC_PROFILE\x00\x01\x01" + string(displayP3()) + secret},
		{0xfe, secret}, {0xed, "Photoshop 3.0\x00" + secret}, {0xe2, "MPF\x00" + secret}} {
		photoJPEG = withSegment(photoJPEG, s.marker, s.data)
	}
	drawing := asPNG(t, plain(8, 8, color.NRGBA{0, 0, 255, 128}))
	for name, data := range map[string]string{"tEXt": "Comment\x00" + secret, "eXIf": block, "prVt": secret, "iTXt": "XML:com.adobe.xmp\x00\x00\x00\x00\x00" + secret} {
		drawing = withChunk(drawing, name, []byte(data))
	}
	webp := load(t, "i-exif-png-webp/c.webp")
	webp = appendChunk(appendChunk(bytes.Clone(webp[12:]), "XMP ", []byte(xmp)), "EXIF", []byte(block))
	for name, file := range map[string][]byte{"JPEG": photoJPEG, "PNG": drawing, "WebP": appendChunk(nil, "RIFF", append([]byte("WEBP"), webp...))} {
		file = append(file, secret+"<script>PK\x03\x04"...)
		p, err := take(t, file)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		decoded(t, p)
		for _, word := range []string{secret, "Exif", "GPSLatitude", "xmpmeta", "ICC_PROFILE", "eXIf", "iCCP", "<script", "PK\x03\x04", "Photoshop"} {
			if strings.Contains(string(p.Bytes), word) {
				t.Errorf("%s: %q is still in it", name, word)
			}
		}
	}
}
