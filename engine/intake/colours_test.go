package intake

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"agentstudio/engine"
)

// p3ToSRGB is the definition, apart from the code: the curve of sRGB around the matrix from light of
// Display P3 to light of sRGB (both under D65).
func p3ToSRGB(c [3]float64) [3]float64 {
	for i, v := range c {
		c[i] = srgbToLight(v)
	}
	return [3]float64{
		lightToSRGB(1.2249*c[0] - 0.2247*c[1]),
		lightToSRGB(-0.0420*c[0] + 1.0419*c[1]),
		lightToSRGB(-0.0197*c[0] - 0.0786*c[1] + 1.0979*c[2]),
	}
}

// What becomes of Display P3 is within two steps of 255 of the definition, at random colours; a cube,
// which stands in for profiles that are no matrix, is near it where sRGB is not left.
func TestDisplayP3(t *testing.T) {
	turn, err := openProfile(displayP3(), 3)
	if err != nil {
		t.Fatal(err)
	}
	f := func(r, g, b float64) (float64, float64, float64) {
		out := turn([4]float64{r, g, b})
		return out[0], out[1], out[2]
	}
	exact, changes := newShaper(f)
	if exact == nil || !changes {
		t.Fatal(exact != nil, changes)
	}
	near, _ := newCube(f)
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	for range 50_000 {
		in := [4]byte{byte(random.Uint32()), byte(random.Uint32()), byte(random.Uint32()), 7}
		want := p3ToSRGB([3]float64{float64(in[0]) / 255, float64(in[1]) / 255, float64(in[2]) / 255})
		one, two := in, in
		exact.apply(one[:])
		near.apply(two[:])
		for i, w := range want {
			w = min(max(w, 0), 1) * 255
			if d := math.Abs(float64(one[i]) - w); d > 1.6 {
				t.Fatalf("%v: channel %d is %d, want %.1f (seed %d)", in, i, one[i], w, seed)
			}
			if d := math.Abs(float64(two[i]) - w); w > 64 && d > 4 {
				t.Fatalf("%v: channel %d of the cube is %d, want %.1f (seed %d)", in, i, two[i], w, seed)
			}
		}
		if one[3] != 7 || two[3] != 7 {
			t.Fatal("alpha was touched")
		}
	}
}

// The table of a function that changes nothing gives every value back.
func TestCubeOfNothing(t *testing.T) {
	table, changes := newCube(func(r, g, b float64) (float64, float64, float64) { return r, g, b })
	if changes {
		t.Error("it changes nothing")
	}
	for v := range 256 {
		x, y := byte(v), byte(v*7)
		if r, g, b := table.at(x, y, 255-x); r != x || g != y || b != 255-x {
			t.Errorf("%d, %d, %d became %d, %d, %d", x, y, 255-x, r, g, b)
		}
	}
}

// What is no matrix is seen to be none.
func TestNoShaper(t *testing.T) {
	swap := func(r, g, b float64) (float64, float64, float64) { return r * g, g * b, b * r }
	if s, _ := newShaper(swap); s != nil {
		t.Error("colours that multiply are no light that adds")
	}
	table, changes := newTable(swap)
	if _, ok := table.(*cube); !ok || !changes {
		t.Errorf("%T, %v", table, changes)
	}
}

// A picture of another space comes out as sRGB shows the same colour, with a notice.
func TestWideGamut(t *testing.T) {
	in := color.NRGBA{200, 80, 60, 255}
	exact := p3ToSRGB([3]float64{200. / 255, 80. / 255, 60. / 255})
	p3 := [3]int{int(exact[0]*255 + 0.5), int(exact[1]*255 + 0.5), int(exact[2]*255 + 0.5)}
	gammas := func(g uint32) []byte { return binary.BigEndian.AppendUint32(nil, g) }
	flat := asPNG(t, plain(16, 16, in))
	for name, c := range map[string]struct {
		file []byte
		want [3]int
		says engine.Code
	}{
		"JPEG with Display P3":    {withSegment(asJPEG(t, plain(16, 16, in)), 0xe2, "ICC_PROFILE\x00\x01\x01"+string(displayP3())), p3, ProfileConverted},
		"PNG with Display P3":     {withChunk(flat, "iCCP", iccp(t, displayP3())), p3, ProfileConverted},
		"PNG with code points":    {withChunk(flat, "cICP", []byte{12, 13, 0, 1}), p3, ProfileConverted},
		"code points before ICC":  {withChunk(withChunk(flat, "iCCP", iccp(t, displayP3())), "cICP", []byte{1, 13, 0, 1}), [3]int{200, 80, 60}, ""},
		"PQ":                      {withChunk(flat, "cICP", []byte{9, 16, 0, 1}), [3]int{200, 80, 60}, ProfileIgnored},
		"linear light":            {withChunk(flat, "gAMA", gammas(100_000)), [3]int{229, 151, 132}, ProfileConverted},
		"sRGB by gamma":           {withChunk(flat, "gAMA", gammas(45_455)), [3]int{200, 80, 60}, ""},
		"gamma, but said sRGB":    {withChunk(withChunk(flat, "gAMA", gammas(100_000)), "sRGB", []byte{0}), [3]int{200, 80, 60}, ""},
		"a gamma of 0":            {withChunk(flat, "gAMA", gammas(0)), [3]int{200, 80, 60}, ProfileIgnored},
		"impossible primaries":    {withChunk(withChunk(flat, "gAMA", gammas(45_455)), "cHRM", make([]byte, 32)), [3]int{200, 80, 60}, ProfileIgnored},
		"nothing":                 {flat, [3]int{200, 80, 60}, ""},
		"a profile that is noise": {withChunk(flat, "iCCP", iccp(t, []byte("noise"))), [3]int{200, 80, 60}, ProfileIgnored},
		"a profile that is torn":  {withChunk(flat, "iCCP", iccp(t, displayP3())[:60]), [3]int{200, 80, 60}, ProfileIgnored},
		"a profile with a gap":    {withSegment(asJPEG(t, plain(16, 16, in)), 0xe2, "ICC_PROFILE\x00\x02\x02"+string(displayP3())), [3]int{200, 80, 60}, ProfileIgnored},
		"a profile for printers":  {withChunk(flat, "iCCP", iccp(t, inks())), [3]int{200, 80, 60}, ProfileIgnored},
	} {
		p, err := take(t, c.file)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := nrgba(decoded(t, p), 8, 8); !near(got, c.want, 3) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
		if says := codes(p); c.says == "" && says != nil || c.says != "" && (len(says) != 1 || says[0] != c.says) {
			t.Errorf("%s: notices %v, want %q", name, says, c.says)
		}
	}
}

// A profile in pieces that stand in another order is put together by their numbers.
func TestProfileInPieces(t *testing.T) {
	whole := string(displayP3())
	file := withSegment(asJPEG(t, plain(16, 16, color.NRGBA{200, 80, 60, 255})), 0xe2, "ICC_PROFILE\x00\x01\x02"+whole[:200])
	p, err := take(t, withSegment(file, 0xe2, "ICC_PROFILE\x00\x02\x02"+whole[200:]))
	if says := codes(p); err != nil || len(says) != 1 || says[0] != ProfileConverted {
		t.Error(err, says)
	}
}

// sRGB as most programs write it is left alone in silence.
func TestProfileOfSRGB(t *testing.T) {
	srgb := iccProfile("RGB ", "XYZ ", "wtpt", xyzTag(0.9642, 1, 0.8249),
		"rXYZ", xyzTag(0.43607, 0.22249, 0.01392), "gXYZ", xyzTag(0.38515, 0.71687, 0.09708), "bXYZ", xyzTag(0.14307, 0.06061, 0.71410),
		"rTRC", srgbCurve(), "gTRC", srgbCurve(), "bTRC", srgbCurve())
	p, err := take(t, withChunk(asPNG(t, photo(16, 16)), "iCCP", iccp(t, srgb)))
	if err != nil || len(p.Notices) > 0 {
		t.Error(err, p.Notices)
	}
}

func TestGrayProfile(t *testing.T) {
	m := image.NewGray(image.Rect(0, 0, 16, 16))
	for i := range m.Pix {
		m.Pix[i] = 128
	}
	linear := iccProfile("GRAY", "XYZ ", "wtpt", xyzTag(0.9642, 1, 0.8249), "kTRC", gammaCurve(1))
	p, err := take(t, withChunk(asPNG(t, m), "iCCP", iccp(t, linear)))
	if err != nil {
		t.Fatal(err)
	}
	if c := nrgba(decoded(t, p), 3, 3); !near(c, [3]int{188, 188, 188}, 2) {
		t.Errorf("linear grey became %v", c)
	}
	// A profile of colours leaves grey grey, by its curve.
	p, err = take(t, withChunk(asPNG(t, m), "iCCP", iccp(t, displayP3())))
	if err != nil || len(p.Notices) != 1 || p.Notices[0].Code != ProfileConverted {
		t.Fatal(err, p.Notices)
	}
	if c := nrgba(decoded(t, p), 3, 3); !near(c, [3]int{128, 128, 128}, 1) {
		t.Errorf("grey in Display P3 became %v", c)
	}
}

// inks is a profile of a printer whose paper is white and whose inks are all Lab 50, 40, 0.
func inks() []byte {
	lut := "mft1\x00\x00\x00\x00\x04\x03\x02\x00"
	for i := range 9 {
		lut += string(fixed(map[bool]float64{true: 1}[i%4 == 0]))
	}
	line := make([]byte, 256)
	for i := range line {
		line[i] = byte(i)
	}
	lut += strings.Repeat(string(line), 4) + "\xff\x80\x80" + strings.Repeat("\x80\xa8\x80", 15) + strings.Repeat(string(line), 3)
	return iccProfile("CMYK", "Lab ", "wtpt", xyzTag(0.9642, 1, 0.8249), "A2B0", lut)
}

// CMYK, which Adobe writes upside down, and YCCK come out as the inks look.
func TestFourInks(t *testing.T) {
	inked := func(c, m, y, k byte) [4]byte { return [4]byte{255 - c, 255 - m, 255 - y, 255 - k} }
	cmyk := fourColours(0, inked(255, 0, 0, 0), inked(0, 0, 255, 0), inked(0, 0, 0, 0), inked(0, 0, 0, 255), inked(0, 128, 0, 64))
	// The first three of YCCK give cyan, magenta and yellow where YCbCr gives red, green and blue (as
	// in libjpeg, once Adobe's inversion is undone); the fourth is black, upside down.
	ycck := fourColours(2, [4]byte{150, 44, 21, 255}, [4]byte{0, 128, 128, 255}, [4]byte{0, 128, 128, 0}, [4]byte{0, 128, 128, 127})
	for name, c := range map[string]struct {
		file []byte
		want [][3]int
	}{
		"CMYK": {cmyk, [][3]int{{0, 255, 255}, {255, 255, 0}, {255, 255, 255}, {0, 0, 0}, {191, 95, 191}}},
		"YCCK": {ycck, [][3]int{{255, 0, 254}, {255, 255, 255}, {0, 0, 0}, {127, 127, 127}}},
	} {
		p, err := take(t, c.file)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		img := decoded(t, p)
		for i, want := range c.want {
			if got := nrgba(img, 8*i+4, 4); !near(got, want, 5) {
				t.Errorf("%s: block %d is %v, want %v", name, i, got, want)
			}
		}
	}
	p, err := take(t, withSegment(cmyk, 0xe2, "ICC_PROFILE\x00\x01\x01"+string(inks())))
	if err != nil || len(p.Notices) != 1 || p.Notices[0].Code != ProfileConverted {
		t.Fatal(err, p.Notices)
	}
	img := decoded(t, p)
	// Lab 50, 40, 0 under D50 is this in sRGB.
	if paper, ink := nrgba(img, 20, 4), nrgba(img, 4, 4); !near(paper, [3]int{255, 255, 255}, 5) || !near(ink, [3]int{186, 88, 118}, 8) {
		t.Errorf("by profile: paper %v, ink %v", paper, ink)
	}
	if _, err := take(t, fourColours(-1, inked(0, 0, 0, 0))); engine.CodeOf(err) != engine.ImageUnsupported {
		t.Errorf("without Adobe's segment: %v", err)
	}
}

// A profile that claims sizes it does not have costs nothing.
func TestHostileProfiles(t *testing.T) {
	change := func(p []byte, at int, v uint32) []byte {
		c := bytes.Clone(p)
		binary.BigEndian.PutUint32(c[at:], v)
		return c
	}
	table := "mAB \x00\x00\x00\x00\x03\x03\x00\x00" + string(binary.BigEndian.AppendUint32(make([]byte, 12), 32)) + "\x00\x00\x00\x00\x00\x00\x00\x00" +
		strings.Repeat("\xff", 16) + "\x00\x00\x00\x00" + strings.Repeat("\x00", 32)
	for name, p := range map[string][]byte{
		"tags without number": change(displayP3(), 128, math.MaxUint32), "no tags": change(displayP3(), 128, 0),
		"a tag of 4 GiB": change(displayP3(), 140, math.MaxUint32), "a tag far off": change(displayP3(), 136, 0x7fffffff),
		"a tag in the header": change(displayP3(), 136, 4), "a table without width": iccProfile("RGB ", "XYZ ", "A2B0", table),
		"a bomb": make([]byte, 16*mib), "empty": {}, "curves of the wrong type": iccProfile("RGB ", "XYZ ", "rTRC", xyzTag(0, 0, 0), "rXYZ", gammaCurve(1)),
	} {
		file := withChunk(asPNG(t, photo(16, 16)), "iCCP", iccp(t, p))
		var got Picture
		var err error
		room := allocated(func() { got, err = take(t, file) })
		if says := codes(got); err != nil || len(says) != 1 || says[0] != ProfileIgnored {
			t.Errorf("%s: %v, %v", name, err, says)
		}
		if room > 32*mib {
			t.Errorf("%s: %d MiB", name, room/mib)
		}
	}
}

// The colours of a lossy WebP lie in a narrower range; as they stand they would look washed out.
func TestWebPRange(t *testing.T) {
	p, err := take(t, load(t, "i-type-mismatch/webp.bin"))
	if err != nil {
		t.Fatal(err)
	}
	m := image.NewYCbCr(image.Rect(0, 0, 4, 4), image.YCbCrSubsampleRatio420)
	for i := range m.Y {
		m.Y[i] = []byte{16, 235, 126, 81}[i%4]
	}
	for i := range m.Cb {
		m.Cb[i], m.Cr[i] = 128, 128
	}
	wide := fullRange(m).(*image.YCbCr)
	for i, want := range []byte{0, 255, 128, 76} {
		if wide.Y[i] != want || wide.Cb[0] != 128 {
			t.Errorf("luma %d: %d, want %d", i, wide.Y[i], want)
		}
	}
	decoded(t, p)
}
