package intake

import (
	"bytes"
	"errors"
	"testing"

	"agentstudio/engine"
)

// A picture that is cut anywhere is refused as cut short, and costs no more than the whole one.
func TestCutAnywhere(t *testing.T) {
	for _, name := range []string{"i-exif-eight/orient-6.jpg", "i-jpeg-kinds/progressive.jpg", "i-jpeg-kinds/restart-420.jpg",
		"i-jpeg-kinds/gray-17x9.jpg", "i-exif-png-webp/a.png", "i-png-kinds/interlaced.png", "i-png-kinds/rgb16.png",
		"i-png-kinds/palette-trns.png", "i-exif-png-webp/b.webp", "i-type-mismatch/webp.bin"} {
		file := load(t, name)
		whole := allocated(func() {
			if _, err := take(t, file); err != nil {
				t.Fatal(err)
			}
		})
		for n := 12; n < len(file); n++ {
			var err error
			if room := allocated(func() { _, err = take(t, file[:n]) }); room > whole+mib/4 {
				t.Errorf("%s cut to %d: %d bytes, the whole one %d", name, n, room, whole)
			}
			if !errors.Is(err, engine.ImageTruncated) {
				t.Errorf("%s cut to %d of %d: %v", name, n, len(file), err)
			}
		}
	}
}

// A picture with a byte changed is refused in words or comes out whole; nothing panics.
func TestBytesChanged(t *testing.T) {
	l := DefaultLimits()
	l.Pixels = 100_000 // a size that was changed would take its time
	in := New(l)
	for _, name := range []string{"i-exif-eight/orient-5.jpg", "i-jpeg-kinds/progressive.jpg", "i-exif-png-webp/a.png", "i-exif-png-webp/c.webp"} {
		file := load(t, name)
		for at := range file {
			changed := bytes.Clone(file)
			changed[at] ^= []byte{0x01, 0x80, 0xff}[at%3]
			p, err := in.Image(t.Context(), Source{Body: bytes.NewReader(changed)})
			checkEnd(t, p, err)
		}
	}
}

// checkEnd holds whatever came of a picture to what is promised.
func checkEnd(t testing.TB, p Picture, err error) {
	t.Helper()
	if err == nil {
		if len(p.Bytes) == 0 || p.Width < 1 || p.Height < 1 || len(p.SHA256) != 64 {
			t.Errorf("taken, but %+v", p)
		}
		return
	}
	switch engine.CodeOf(err) {
	case engine.ImageEmpty, engine.ImageTooLarge, engine.ImageSignatureMismatch, engine.ImageUnsupported,
		engine.ImageTruncated, engine.ImageCorrupt, engine.ImageTooManyPixels:
	default:
		t.Errorf("refused with %v", err)
	}
	if errors.Is(err, errPanic) {
		t.Errorf("a decoder panicked: %v", err)
	}
	if p.Bytes != nil {
		t.Error("refused, but bytes came out")
	}
}

func TestWrongContent(t *testing.T) {
	for _, c := range []struct {
		name, file, declared string
		want                 engine.Code
		says                 string
	}{
		{"a.svg", `<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><script>x</script></svg>`, "image/svg+xml", engine.ImageUnsupported, "SVG"},
		{"a.png", "\xef\xbb\xbf  <SVG>", "image/png", engine.ImageSignatureMismatch, "the content is SVG"},
		{"a.tiff", "II*\x00\x08\x00\x00\x00", "image/tiff", engine.ImageUnsupported, "TIFF"},
		{"a.tif", "MM\x00*\x00\x00\x00\x08", "", engine.ImageUnsupported, "TIFF"},
		{"a.pdf", "%PDF-1.7\n", "application/pdf", engine.ImageUnsupported, "save the page as PNG"},
		{"", "%PDF-1.7\n", "", engine.ImageUnsupported, "PDF"},
		{"a.avif", "\x00\x00\x00\x20ftypavif\x00\x00\x00\x00avifmif1", "image/avif", engine.ImageUnsupported, "AVIF"},
		{"a.heif", "\x00\x00\x00\x18ftypmif1\x00\x00\x00\x00heic", "image/heif", engine.ImageUnsupported, "HEIC"},
		{"a.jxl", "\xff\x0a\x00\x00", "image/jxl", engine.ImageUnsupported, "JPEG XL"},
		{"a.ico", "\x00\x00\x01\x00\x01\x00", "", engine.ImageUnsupported, "ICO"},
		{"a.jpg", "<!DOCTYPE html><html>", "image/jpeg", engine.ImageSignatureMismatch, "HTML"},
		{"a.jpg", "hello, world", "image/jpeg", engine.ImageSignatureMismatch, "of an unknown kind"},
		{"notes.txt", "hello, world", "text/plain", engine.ImageUnsupported, "send a JPEG, PNG or WebP"},
		{"a.jpg", "\xff\xd8\xff", "", engine.ImageTruncated, "cut short"},
		{"a.png", "\x89PNG\r\n\x1a\n", "", engine.ImageTruncated, "cut short"},
		{"a.webp", "RIFF\x04\x00\x00\x00WEBP", "", engine.ImageCorrupt, "no picture"},
		{"a.webp", "RIFF\x00\x00\x00\x00WEBP", "", engine.ImageCorrupt, "no content"},
	} {
		p, err := New(DefaultLimits()).Image(t.Context(), Source{Name: c.name, MIME: c.declared, Body: bytes.NewReader([]byte(c.file))})
		if !errors.Is(err, c.want) || !bytes.Contains([]byte(engine.MessageOf(err)), []byte(c.says)) || p.Bytes != nil {
			t.Errorf("%s %.20q: %v, want %s with %q", c.name, c.file, err, c.want, c.says)
		}
	}
}

// A dot that no word follows begins no extension, and a foreign path is no part of the label.
func TestNames(t *testing.T) {
	for name, label := range map[string]string{
		"Screenshot 2026-11-30 at 10.30.15": "Screenshot 2026-11-30 at 10.30.15", `C:\fakepath\a.png`: "a.png", "/tmp/x/": "image",
		"": "image", "日本 語.png": "日本 語.png", "a.png. ": "a.png.", "v1. final": "v1. final", "a\u2028b.PNG": "a b.PNG",
	} {
		p, err := New(DefaultLimits()).Image(t.Context(), Source{Name: name, Body: bytes.NewReader(load(t, "i-type-mismatch/png.bin"))})
		if err != nil || p.Name != label {
			t.Errorf("%q: %q, %v", name, p.Name, err)
		}
	}
}
