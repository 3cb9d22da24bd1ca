package intake

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"agentstudio/engine"
)

const mib = 1 << 20

// Pictures that only claim to be huge are refused from the header: at once, and for nothing.
func TestBombs(t *testing.T) {
	for name, size := range map[string]string{"bomb-30000.png": "30000 × 30000", "lie-100000.png": "100000 × 100000",
		"wrap-65536.png": "65536 × 65536", "flood-64250.jpg": "64250 × 64250", "big-8000.webp": "8000 × 8000"} {
		file := load(t, "i-bombs/"+name)
		var err error
		start := time.Now()
		room := allocated(func() { _, err = take(t, file) })
		if !errors.Is(err, engine.ImageTooManyPixels) || !strings.Contains(engine.MessageOf(err), size) || !strings.Contains(engine.MessageOf(err), "8192") {
			t.Errorf("%s: %v", name, err)
		}
		if took := time.Since(start); took > 100*time.Millisecond || room > mib {
			t.Errorf("%s: %v, %d bytes", name, took, room)
		}
	}
}

// Twenty of them at once stop nothing.
func TestBombsAtOnce(t *testing.T) {
	file, good := load(t, "i-bombs/bomb-30000.png"), load(t, "i-png-kinds/rgb16.png")
	in := New(DefaultLimits())
	var all sync.WaitGroup
	room := allocated(func() {
		for range 20 {
			all.Go(func() {
				if _, err := in.Image(t.Context(), Source{Body: bytes.NewReader(file)}); !errors.Is(err, engine.ImageTooManyPixels) {
					t.Error(err)
				}
			})
		}
		all.Wait()
	})
	if room > 64*mib {
		t.Errorf("%d MiB", room/mib)
	}
	if _, err := in.Image(t.Context(), Source{Body: bytes.NewReader(good)}); err != nil {
		t.Error(err)
	}
}

// The sides count, their product counts, and both limits themselves are within.
func TestLimits(t *testing.T) {
	l := DefaultLimits()
	for _, c := range []struct {
		w, h int
		want engine.Code
	}{
		{8192, 1, ""}, {1, 8192, ""}, {8193, 1, engine.ImageTooManyPixels}, {1, 8193, engine.ImageTooManyPixels},
		{8000, 5000, ""}, {8000, 5001, engine.ImageTooManyPixels}, {0, 5, engine.ImageCorrupt}, {5, 0, engine.ImageCorrupt},
		{1 << 31, 1 << 31, engine.ImageTooManyPixels},
	} {
		if err := l.check(c.w, c.h); engine.CodeOf(err) != c.want {
			t.Errorf("%d × %d: %v", c.w, c.h, err)
		}
	}
}

// A header that lies within the limits costs what a whole picture of that size would.
func TestHeaderThatLies(t *testing.T) {
	lie := append([]byte("\x89PNG\r\n\x1a\n"), pngChunk("IHDR", ihdr(8000, 5000, 2))...)
	lie = append(append(lie, pngChunk("IDAT", packed(t, make([]byte, 100)))...), pngChunk("IEND", nil)...)
	flood := asJPEG(t, photo(64, 48))
	at := bytes.Index(flood, []byte{0xff, 0xc0})
	binary.BigEndian.PutUint16(flood[at+5:], 5000)
	binary.BigEndian.PutUint16(flood[at+7:], 8000)
	for name, file := range map[string][]byte{"png": lie, "jpeg": flood} {
		var err error
		room := allocated(func() { _, err = take(t, file) })
		if code := engine.CodeOf(err); code != engine.ImageCorrupt && code != engine.ImageTruncated {
			t.Errorf("%s: %v", name, err)
		}
		if room > 200*mib {
			t.Errorf("%s: %d MiB", name, room/mib)
		}
	}
}

// A small file with many pixels that are really there is taken.
func TestPackedPicture(t *testing.T) {
	m := image.NewPaletted(image.Rect(0, 0, 8000, 500), color.Palette{color.White, color.Black})
	p, err := take(t, asPNG(t, m))
	if err != nil || p.Width != 2000 || p.Height != 125 || len(p.Bytes) > 100_000 {
		t.Fatal(err, p.Width, p.Height, len(p.Bytes))
	}
	decoded(t, p)
}

// A progressive JPEG goes over all its blocks for each scan, and a scan may have next to no bytes.
func TestManyScans(t *testing.T) {
	file := load(t, "i-jpeg-kinds/progressive.jpg")
	at := bytes.Index(file, []byte{0xff, 0xda})
	scans := bytes.Repeat([]byte{0xff, 0xda, 0, 8, 1, 1, 0, 0, 0, 0, 0x55}, maxScans)
	_, err := take(t, append(append(bytes.Clone(file[:at]), scans...), file[at:]...))
	if !errors.Is(err, engine.ImageUnsupported) || !strings.Contains(engine.MessageOf(err), "scans") {
		t.Error(err)
	}
}

// How many scans are taken goes by how many pixels each of them goes over.
func TestScansOfManyPixels(t *testing.T) {
	file := load(t, "i-jpeg-kinds/progressive.jpg")
	size := bytes.Index(file, []byte{0xff, 0xc2}) + 5 // height and width (T.81 B.2.2)
	copy(file[size:], []byte{5000 >> 8, 5000 & 255, 8000 >> 8, 8000 & 255})
	at := bytes.Index(file, []byte{0xff, 0xda})
	more := bytes.Repeat([]byte{0xff, 0xda, 0, 8, 1, 1, 0, 0, 0, 0, 0x55}, 17)
	_, err := take(t, append(append(bytes.Clone(file[:at]), more...), file[at:]...))
	if !errors.Is(err, engine.ImageUnsupported) || !strings.Contains(engine.MessageOf(err), "scans of 8000 × 5000 pixels") {
		t.Error(err)
	}
	for _, c := range []struct {
		scans, width, height int
		ok                   bool
	}{{16, 8000, 5000, true}, {17, 8000, 5000, false}, {100, 3200, 2000, true}, {100, 3201, 2000, false}} {
		if err := (&header{scans: c.scans, width: c.width, height: c.height}).passable(); (err == nil) != c.ok {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// endless gives bytes for ever and counts them.
type endless struct{ n int64 }

func (e *endless) Read(p []byte) (int, error) { e.n += int64(len(p)); return len(p), nil }

func TestBody(t *testing.T) {
	in := New(DefaultLimits())
	body := &endless{}
	_, err := in.Image(t.Context(), Source{Body: body})
	if !errors.Is(err, engine.ImageTooLarge) || !strings.Contains(engine.MessageOf(err), "5 MiB") || body.n > 5*mib+1 {
		t.Errorf("%v after %d bytes", err, body.n)
	}
	good := asPNG(t, photo(20, 10))
	l := DefaultLimits()
	l.Bytes = int64(len(good))
	if _, err := New(l).Image(t.Context(), Source{Body: bytes.NewReader(good)}); err != nil {
		t.Errorf("as long as the limit: %v", err)
	}
	if _, err := New(l).Image(t.Context(), Source{Body: bytes.NewReader(append(good, 0))}); !errors.Is(err, engine.ImageTooLarge) {
		t.Errorf("a byte more: %v", err)
	}
	if _, err := in.Image(t.Context(), Source{Body: strings.NewReader("")}); !errors.Is(err, engine.ImageEmpty) {
		t.Error(err)
	}
	torn := io.MultiReader(bytes.NewReader(good), &torn{})
	if _, err := in.Image(t.Context(), Source{Body: torn}); !errors.Is(err, engine.ReadFailed) {
		t.Error(err)
	}
}

type torn struct{}

func (*torn) Read([]byte) (int, error) { return 0, errors.New("connection reset") }

// The second picture waits for the first, and can be called off while it waits.
func TestOneAtATime(t *testing.T) {
	in := New(DefaultLimits())
	in.turn <- struct{}{} // somebody decodes
	ctx, cancel := context.WithCancel(t.Context())
	good := asPNG(t, photo(20, 10))
	read := make(chan struct{})
	done := make(chan error)
	go func() {
		_, err := in.Image(ctx, Source{Body: io.MultiReader(bytes.NewReader(good), &signal{read})})
		done <- err
	}()
	<-read
	cancel()
	if err := <-done; !errors.Is(err, engine.RunCancelled) {
		t.Error(err)
	}
	<-in.turn
	if _, err := in.Image(t.Context(), Source{Body: bytes.NewReader(good)}); err != nil {
		t.Error(err)
	}
	if len(in.turn) != 0 {
		t.Error("the turn was not given back")
	}
}

// signal closes its channel when it is read.
type signal struct{ read chan struct{} }

func (s *signal) Read([]byte) (int, error) { close(s.read); return 0, io.EOF }

// A decoder stops between two reads.
func TestDecodingStops(t *testing.T) {
	file := asJPEG(t, photo(640, 480))
	h, err := readHeader(jpegKind, file)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if img, err := decode(ctx, h); img != nil || !errors.Is(err, engine.RunCancelled) {
		t.Error(err)
	}
}

// A photo of twelve megapixels with an orientation and a profile stays within 160 MiB, and that is
// everything it ever makes room for.
func TestMemoryOfAPhoto(t *testing.T) {
	m := image.NewYCbCr(image.Rect(0, 0, 4032, 3024), image.YCbCrSubsampleRatio420)
	for i := range m.Y {
		m.Y[i] = byte(i % 4032 / 16)
	}
	for i := range m.Cb {
		m.Cb[i], m.Cr[i] = byte(i%2016/8), byte(i/2016/6)
	}
	file := withSegment(withSegment(asJPEG(t, m), 0xe1, "Exif\x00\x00"+string(exif(binary.LittleEndian, 6))),
		0xe2, "ICC_PROFILE\x00\x01\x01"+string(displayP3()))
	var p Picture
	var err error
	room := allocated(func() { p, err = take(t, file) })
	if err != nil || p.Width != 1500 || p.Height != 2000 {
		t.Fatal(err, p.Width, p.Height)
	}
	if room > 160*mib {
		t.Errorf("%d MiB", room/mib)
	}
}
