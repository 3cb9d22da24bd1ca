package mirror_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
	_ "golang.org/x/image/webp"

	"agentstudio/engine"
	"agentstudio/mirror"
)

// desk takes uploads in place of the session's intake: pictures of at most most pixels on a side.
type desk struct {
	mu    sync.Mutex
	most  int
	names []string
	kinds []string
	last  []byte
}

func (d *desk) options(o *mirror.Options) {
	o.Intake, o.Picture = d.take, d.picture
}

func (d *desk) take(_ context.Context, _ engine.Actor, name, _ string, content io.Reader) (engine.Attachment, engine.Seq, error) {
	b, err := io.ReadAll(content)
	if err != nil {
		return engine.Attachment{}, 0, err
	}
	c, kind, err := image.DecodeConfig(bytes.NewReader(b))
	if err != nil {
		return engine.Attachment{}, 0, engine.Errorf("IMAGE_CORRUPT", "the picture cannot be read")
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.names, d.kinds = append(d.names, name), append(d.kinds, kind)
	if max(c.Width, c.Height) > d.most {
		return engine.Attachment{}, 0, engine.Errorf("IMAGE_TOO_MANY_PIXELS", "the picture is %d×%d, more than is taken", c.Width, c.Height)
	}
	d.last = b
	return engine.Attachment{ID: fmt.Sprintf("att_%d", len(d.names)), Name: name, MIME: "image/" + kind, Bytes: int64(len(b)), Width: c.Width, Height: c.Height, Kind: "image"}, 0, nil
}

func (d *desk) picture(context.Context, string) (string, io.ReadCloser, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return "image/png", io.NopCloser(bytes.NewReader(d.last)), nil
}

// photo writes a picture of a size and gives its path.
func photo(t testing.TB, name string, w, h int) string {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, w, h))
	for x := range w {
		m.Set(x, x%h, color.RGBA{uint8(x), 90, 200, 255})
	}
	var b bytes.Buffer
	var err error
	if filepath.Ext(name) == ".jpg" {
		err = jpeg.Encode(&b, m, nil)
	} else {
		err = png.Encode(&b, m)
	}
	path := filepath.Join(t.TempDir(), name)
	if err == nil {
		err = os.WriteFile(path, b.Bytes(), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// upload sends photos by the file input; the preview is of what the server made of them.
func (b *browser) upload(t *testing.T) {
	d := &desk{most: 5000}
	s := b.served(t, d.options)
	p := b.tab(t, 390, 844)
	p.enter(s, mirror.Approver)
	for i, name := range []string{"a photo.png", "b.jpg"} {
		p.do(chromedp.SetUploadFiles(chromedp.ID("photo"), []string{photo(t, name, 64, 48)}))
		p.until(fmt.Sprintf("document.querySelectorAll('#tray li')[%d]?.textContent.includes('taken in · 64×48')", i))
		p.until(fmt.Sprintf("(i => i && i.src.startsWith('blob:') && i.naturalWidth === 64)(document.querySelectorAll('#tray li')[%d].querySelector('img'))", i))
	}
	p.picture("uploaded-390")
	if got := fmt.Sprint(d.names, d.kinds); got != "[a photo.png b.jpg] [png jpeg]" {
		t.Errorf("what came is %s", got)
	}
	path := filepath.Join(t.TempDir(), "fake.png")
	if err := os.WriteFile(path, []byte("<svg onload=alert(1)>"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.do(chromedp.SetUploadFiles(chromedp.ID("photo"), []string{path}))
	p.until("document.querySelectorAll('#tray li')[2]?.querySelector('.wrong')?.textContent === 'the picture cannot be read'")
}

// tooLarge offers to send a photo smaller, which is then a JPEG of at most 4,096 pixels.
func (b *browser) tooLarge(t *testing.T) {
	d := &desk{most: 4500}
	s := b.served(t, d.options)
	p := b.tab(t, 390, 844)
	p.enter(s, mirror.Approver)
	p.do(chromedp.SetUploadFiles(chromedp.ID("photo"), []string{photo(t, "wide.png", 5000, 50)}))
	p.until("document.querySelector('#tray .wrong')?.textContent.includes('more than is taken')")
	p.until("document.querySelector('#tray button')?.textContent === 'Send it smaller'")
	p.picture("too-large-390")
	p.do(chromedp.Click(chromedp.CSS("#tray button")))
	p.until("document.querySelector('#tray li')?.textContent.includes('taken in · 4096×41')")
	if got := fmt.Sprint(d.names, d.kinds); got != "[wide.png wide.jpg] [png jpeg]" {
		t.Errorf("what came is %s", got)
	}
}

// otherWays are dropping a file, pasting a picture, a WebP, and a name with signs that no header may hold.
func (b *browser) otherWays(t *testing.T) {
	d := &desk{most: 5000}
	s := b.served(t, d.options)
	p := b.tab(t, 1280, 800)
	p.enter(s, mirror.Approver)
	taken := func(n int, size string) {
		t.Helper()
		p.until(fmt.Sprintf("document.querySelectorAll('#tray li').length === %d && document.querySelector('#tray li:last-child').textContent.includes('taken in · %s')", n, size))
	}
	p.must(p.Drop(photo(t, "dropped.png", 64, 48)))
	taken(1, "64×48")
	p.js(`(async () => {
		const canvas = Object.assign(document.createElement('canvas'), { width: 30, height: 20 });
		const blob = await new Promise((done) => canvas.toBlob(done));
		const clipboardData = new DataTransfer();
		clipboardData.items.add(new File([blob], 'image.png', { type: 'image/png' }));
		document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }));
	})()`)
	taken(2, "30×20")
	webp, err := filepath.Abs(filepath.Join("testdata", "page", "photo.webp"))
	if err != nil {
		t.Fatal(err)
	}
	p.do(chromedp.SetUploadFiles(chromedp.ID("photo"), []string{webp}))
	taken(3, "24×40") // this desk turns nothing
	strange := filepath.Join(filepath.Dir(photo(t, "plain.png", 8, 8)), "a\x1b[2J\nb.png")
	if err := os.Link(filepath.Join(filepath.Dir(strange), "plain.png"), strange); err != nil {
		t.Skip("this system has no such names: ", err)
	}
	p.do(chromedp.SetUploadFiles(chromedp.ID("photo"), []string{strange}))
	taken(4, "8×8")
	if got := fmt.Sprintf("%q %v", d.names, d.kinds); got != `["dropped.png" "image.png" "photo.webp" "a[2Jb.png"] [png png webp png]` {
		t.Errorf("what came is %s", got)
	}
	text := filepath.Join(t.TempDir(), "notes.txt")
	if err := os.WriteFile(text, []byte("no picture"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.must(p.Drop(text)) // leaves the page where it is
	p.until("document.querySelectorAll('#tray li').length >= 4 && document.getElementById('link').textContent.includes('live')")
	p.picture("ways-1280")
}
