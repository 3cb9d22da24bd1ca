package intake

import (
	"bytes"
	"encoding/json"
	"errors"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agentstudio/engine"
)

// expectation is one file of a case's expect.json.
type expectation struct {
	Accepted  bool     `json:"accepted"`
	Reason    string   `json:"reason"`
	Width     int      `json:"width"`
	Height    int      `json:"height"`
	Pixels    [][5]int `json:"pixels"`
	Tolerance int      `json:"tolerance"`
	Forbidden []string `json:"forbidden"`
}

// take hands a file in under a name without an extension.
func take(t *testing.T, file []byte) (Picture, error) {
	t.Helper()
	return New(DefaultLimits()).Image(t.Context(), Source{Body: bytes.NewReader(file)})
}

// decoded decodes what came out with the standard library and checks what was said of it.
func decoded(t *testing.T, p Picture) image.Image {
	t.Helper()
	read := jpeg.Decode
	if p.MIME == "image/png" {
		read = png.Decode
	}
	img, err := read(bytes.NewReader(p.Bytes))
	if err != nil {
		t.Fatalf("what came out does not decode: %v", err)
	}
	if b := img.Bounds(); b.Dx() != p.Width || b.Dy() != p.Height {
		t.Fatalf("said to be %d × %d, is %v", p.Width, p.Height, b)
	}
	return img
}

func nrgba(img image.Image, x, y int) color.NRGBA {
	return color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA)
}

// near tells whether a pixel is opaque and each channel within the tolerance.
func near(c color.NRGBA, want [3]int, tolerance int) bool {
	for i, v := range []uint8{c.R, c.G, c.B} {
		if d := int(v) - want[i]; d > tolerance || -d > tolerance {
			return false
		}
	}
	return c.A == 255
}

func TestCases(t *testing.T) {
	reasons := map[string]engine.Code{"too_many_pixels": engine.ImageTooManyPixels, "invalid": engine.ImageCorrupt}
	files, err := filepath.Glob("testdata/cases/*/expect.json")
	if err != nil || len(files) != 6 {
		t.Fatal(files, err)
	}
	for _, at := range files {
		var expect map[string]expectation
		b, err := os.ReadFile(at)
		if err != nil || json.Unmarshal(b, &expect) != nil || len(expect) == 0 {
			t.Fatal(at, err)
		}
		for _, name := range slices.Sorted(maps.Keys(expect)) {
			want := expect[name]
			t.Run(name, func(t *testing.T) {
				file, err := os.ReadFile(filepath.Join(filepath.Dir(at), name))
				if err != nil {
					t.Fatal(err)
				}
				p, err := take(t, file)
				if !want.Accepted {
					if engine.CodeOf(err) != reasons[want.Reason] || p.Bytes != nil {
						t.Fatalf("%v, want %s", err, want.Reason)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				checkPicture(t, p, want)
			})
		}
	}
}

func checkPicture(t *testing.T, p Picture, want expectation) {
	t.Helper()
	img := decoded(t, p)
	if p.Width != want.Width || p.Height != want.Height {
		t.Errorf("%d × %d, want %d × %d", p.Width, p.Height, want.Width, want.Height)
	}
	for _, px := range want.Pixels {
		if c := nrgba(img, px[0], px[1]); !near(c, [3]int(px[2:]), want.Tolerance) {
			t.Errorf("pixel %d, %d is %v, want %v", px[0], px[1], c, px[2:])
		}
	}
	for _, word := range append(want.Forbidden, "PK\x03\x04", "Exif", "ICC_PROFILE", "<x:xmpmeta") {
		if bytes.Contains(p.Bytes, []byte(word)) {
			t.Errorf("%q is in what came out", word)
		}
	}
}

// The rest of what the cases say in words.
func TestCasesInWords(t *testing.T) {
	read := func(name string) []byte {
		file, err := os.ReadFile("testdata/cases/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return file
	}
	picture := func(name string) image.Image {
		p, err := take(t, read(name))
		if err != nil {
			t.Fatal(name, err)
		}
		return decoded(t, p)
	}
	for name, points := range map[string][]image.Point{
		"i-png-kinds/palette-trns.png": {{0, 0}, {1, 0}, {0, 1}, {1, 1}},
		"i-png-kinds/gray-alpha.png":   {{0, 0}, {3, 3}, {2, 1}},
	} {
		img := picture(name)
		for _, at := range points {
			if c := nrgba(img, at.X, at.Y); c != (color.NRGBA{255, 255, 255, 0}) {
				t.Errorf("%s at %v: %v, want transparent white", name, at, c)
			}
		}
	}
	bits := picture("i-png-kinds/one-bit.png")
	for x := range 10 {
		if top, low := nrgba(bits, x, 0), nrgba(bits, x, 1); top != (color.NRGBA{255, 255, 255, 255}) || low != (color.NRGBA{0, 0, 0, 255}) {
			t.Errorf("column %d: %v over %v", x, top, low)
		}
	}
	if c := nrgba(picture("i-jpeg-kinds/gray-17x9.jpg"), 8, 4); !near(c, [3]int{90, 90, 90}, 6) {
		t.Errorf("grey is %v", c)
	}
	_, err := take(t, read("i-jpeg-kinds/arithmetic.jpg"))
	if !errors.Is(err, engine.ImageUnsupported) || !strings.Contains(engine.MessageOf(err), "this kind of JPEG is not supported") {
		t.Errorf("arithmetic: %v", err)
	}
	if _, err := take(t, read("i-jpeg-kinds/no-eoi.jpg")); !errors.Is(err, engine.ImageTruncated) {
		t.Errorf("no end marker: %v", err)
	}
}

// Every mixture of content, name and declared type has the right end, with all three in the message.
func TestUploads(t *testing.T) {
	var uploads []struct{ Bytes, Name, Declared, Result, Detail string }
	b, err := os.ReadFile("testdata/cases/i-type-mismatch/uploads.json")
	if err != nil || json.Unmarshal(b, &uploads) != nil || len(uploads) != 24 {
		t.Fatal(err, len(uploads))
	}
	for _, u := range uploads {
		file, err := os.ReadFile("testdata/cases/i-type-mismatch/" + u.Bytes)
		if err != nil {
			t.Fatal(err)
		}
		name := u.Name
		if strings.HasSuffix(name, " (300 x)") {
			name = strings.Repeat("x", 300) + ".png"
		}
		name = strings.NewReplacer(`\x1b`, "\x1b", `\n`, "\n").Replace(name)
		p, err := New(DefaultLimits()).Image(t.Context(), Source{Name: name, MIME: u.Declared, Body: bytes.NewReader(file)})
		if (err == nil) != (u.Result == "accept") {
			t.Errorf("%q as %s: %v, want %s", name, u.Declared, err, u.Detail)
			continue
		}
		t.Logf("%.20q %s %s: %v", name, u.Declared, u.Bytes, err)
		if err == nil {
			if strings.ContainsAny(p.Name, "/\x1b\n") || p.Name == "" || len([]rune(p.Name)) > maxLabel {
				t.Errorf("label %q", p.Name)
			}
			continue
		}
		checkRefusal(t, err, u.Detail)
	}
}

func checkRefusal(t *testing.T, err error, detail string) {
	t.Helper()
	message := engine.MessageOf(err)
	for _, word := range []string{"JPEG", "PNG", "GIF", "HEIC", "AVIF", "WebP", ".exe"} {
		if strings.Contains(detail, word) && !strings.Contains(message, word) {
			t.Errorf("%q does not name %s", message, word)
		}
	}
	code := engine.ImageUnsupported
	if strings.Contains(detail, "content is") || strings.Contains(detail, "extension") {
		code = engine.ImageSignatureMismatch
	}
	if !errors.Is(err, code) {
		t.Errorf("%v, want %s", err, code)
	}
}
