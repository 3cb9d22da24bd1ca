package intake

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"os"
	"runtime"
	"testing"

	"go.uber.org/goleak"

	"agentstudio/engine"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func load(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile("testdata/cases/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// plain is a picture of one colour.
func plain(w, h int, c color.Color) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, w, h))
	n := color.NRGBAModel.Convert(c).(color.NRGBA)
	for p := m.Pix; len(p) > 0; p = p[4:] {
		p[0], p[1], p[2], p[3] = n.R, n.G, n.B, n.A
	}
	return m
}

// photo is a picture with many colours, each smooth.
func photo(w, h int) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			m.SetNRGBA(x, y, color.NRGBA{byte(255 * x / w), byte(255 * y / h), byte(255 * (x + y) / (w + h)), 255})
		}
	}
	return m
}

func asJPEG(t testing.TB, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, &jpeg.Options{Quality: 95}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func asPNG(t testing.TB, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// withSegment puts a segment right behind a JPEG's first marker.
func withSegment(file []byte, marker byte, data string) []byte {
	head := append(bytes.Clone(file[:2]), 0xff, marker, byte((len(data)+2)>>8), byte(len(data)+2))
	return append(append(head, data...), file[2:]...)
}

// withChunk puts a chunk right behind a PNG's first one.
func withChunk(file []byte, name string, data []byte) []byte {
	const first = 8 + 12 + 13
	return append(append(bytes.Clone(file[:first]), pngChunk(name, data)...), file[first:]...)
}

func pngChunk(name string, data []byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	b = append(append(b, name...), data...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:]))
}

// header of a PNG of 8 bits and this colour type.
func ihdr(w, h int, colourType byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(w))
	b = binary.BigEndian.AppendUint32(b, uint32(h))
	return append(b, 8, colourType, 0, 0, 0)
}

func packed(t testing.TB, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	if _, err := z.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// iccp is the chunk for a profile.
func iccp(t testing.TB, profile []byte) []byte {
	return append([]byte("p\x00\x00"), packed(t, profile)...)
}

// exif is Exif data with an orientation and a place.
func exif(order binary.AppendByteOrder, orientation uint16) []byte {
	b := []byte("II*\x00")
	if order == binary.AppendByteOrder(binary.BigEndian) {
		b = []byte("MM\x00*")
	}
	b = order.AppendUint32(b, 8)
	b = order.AppendUint16(b, 2)
	for _, e := range [][2]uint16{{0x0112, orientation}, {0x8825, 99}} {
		b = order.AppendUint16(order.AppendUint16(b, e[0]), 3)
		b = order.AppendUint32(b, 1)
		b = order.AppendUint16(order.AppendUint16(b, e[1]), 0)
	}
	return append(b, "GPSLatitude 48.2082"...)
}

// fixed is an s15Fixed16Number of ICC.
func fixed(v float64) []byte { return binary.BigEndian.AppendUint32(nil, uint32(int32(v*65536+0.5))) }

// iccProfile puts a profile together from its tags, in order: name, content.
func iccProfile(space, pcs string, tags ...string) []byte {
	p := make([]byte, 128)
	copy(p[8:], "\x04\x20\x00\x00mntr"+space+pcs)
	copy(p[36:], "acsp")
	copy(p[68:], bytes.Join([][]byte{fixed(0.9642), fixed(1), fixed(0.8249)}, nil))
	p = binary.BigEndian.AppendUint32(p, uint32(len(tags)/2))
	at := len(p) + 12*len(tags)/2
	var data []byte
	for i := 0; i < len(tags); i += 2 {
		p = binary.BigEndian.AppendUint32(append(p, tags[i]...), uint32(at+len(data)))
		p = binary.BigEndian.AppendUint32(p, uint32(len(tags[i+1])))
		data = append(data, tags[i+1]...)
		data = append(data, make([]byte, -len(data)&3)...)
	}
	p = append(p, data...)
	binary.BigEndian.PutUint32(p, uint32(len(p)))
	return p
}

func xyzTag(x, y, z float64) string {
	return "XYZ \x00\x00\x00\x00" + string(fixed(x)) + string(fixed(y)) + string(fixed(z))
}

// srgbCurve is the parametric curve of sRGB and Display P3; gammaCurve a power.
func srgbCurve() string {
	s := "para\x00\x00\x00\x00\x00\x03\x00\x00"
	for _, v := range []float64{2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045} {
		s += string(fixed(v))
	}
	return s
}

func gammaCurve(g float64) string {
	return "curv\x00\x00\x00\x00\x00\x00\x00\x01" + string(binary.BigEndian.AppendUint16(nil, uint16(g*256+0.5)))
}

// displayP3 is Display P3, with its primaries as they are seen under D50.
func displayP3() []byte {
	return iccProfile("RGB ", "XYZ ", "wtpt", xyzTag(0.9642, 1, 0.8249),
		"rXYZ", xyzTag(0.51512, 0.24120, -0.00105), "gXYZ", xyzTag(0.29198, 0.69225, 0.04189), "bXYZ", xyzTag(0.15710, 0.06657, 0.78407),
		"rTRC", srgbCurve(), "gTRC", srgbCurve(), "bTRC", srgbCurve())
}

// fourColours is a baseline JPEG of four channels, a block of 8 × 8 for each colour. transform is
// what its Adobe segment says; below 0 there is none.
func fourColours(transform int, blocks ...[4]byte) []byte {
	b := []byte("\xff\xd8")
	segment := func(marker byte, data ...byte) {
		b = append(append(b, 0xff, marker, byte((len(data)+2)>>8), byte(len(data)+2)), data...)
	}
	if transform >= 0 {
		segment(0xee, append([]byte("Adobe\x00\x64\x00\x00\x00\x00"), byte(transform))...)
	}
	segment(0xdb, append([]byte{0}, bytes.Repeat([]byte{1}, 64)...)...)
	segment(0xc0, 8, 0, 8, 0, byte(8*len(blocks)), 4, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0, 4, 0x11, 0)
	segment(0xc4, append([]byte{0x00, 0, 0, 0, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)...)
	segment(0xc4, append([]byte{0x10, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 0)...)
	segment(0xda, 4, 1, 0, 2, 0, 3, 0, 4, 0, 0, 63, 0)
	var bits []byte
	put := func(v, n int) {
		for i := n - 1; i >= 0; i-- {
			bits = append(bits, byte(v>>i&1))
		}
	}
	var before [4]int
	for _, block := range blocks {
		for i, v := range block {
			diff := 8*(int(v)-128) - before[i]
			before[i] += diff
			size := 0
			for d := max(diff, -diff); d > 0; d >>= 1 {
				size++
			}
			put(size, 4)
			if diff < 0 {
				diff += 1<<size - 1
			}
			put(diff, size)
			put(0, 1) // end of block
		}
	}
	for len(bits)%8 != 0 {
		bits = append(bits, 1)
	}
	for ; len(bits) > 0; bits = bits[8:] {
		var v byte
		for _, bit := range bits[:8] {
			v = v<<1 | bit
		}
		if b = append(b, v); v == 0xff {
			b = append(b, 0)
		}
	}
	return append(b, 0xff, 0xd9)
}

// allocated is how many bytes do makes room for, all in all.
func allocated(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func codes(p Picture) (all []engine.Code) {
	for _, n := range p.Notices {
		all = append(all, n.Code)
	}
	return all
}
