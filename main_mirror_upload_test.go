package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	_ "image/jpeg"
	_ "image/png"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"agentstudio/engine"
)

// Every picture of the cases ends through the upload as it should: upright, of its size, with its
// pixels, and without what else was in its file; or refused for the right reason.
func TestUploadedPictures(t *testing.T) {
	c := uploads(t)
	files, err := filepath.Glob(pictureCases + "/*/expect.json")
	if err != nil || len(files) != 6 {
		t.Fatal(files, err)
	}
	reasons := map[string]engine.Code{"too_many_pixels": engine.ImageTooManyPixels, "invalid": engine.ImageCorrupt}
	for _, at := range files {
		var expect map[string]expectedPicture
		b, err := os.ReadFile(at)
		if err != nil || json.Unmarshal(b, &expect) != nil || len(expect) == 0 {
			t.Fatal(at, err)
		}
		for _, name := range slices.Sorted(maps.Keys(expect)) {
			file, err := os.ReadFile(filepath.Join(filepath.Dir(at), name))
			if err != nil {
				t.Fatal(err)
			}
			want := expect[name]
			o := c.upload(name, "", file, func(a engine.Attachment) { want.check(t, name, a, c.served(a, name)) })
			if o.OK != want.Accepted || !o.OK && (o.Error.Code != reasons[want.Reason] || o.status != http.StatusUnprocessableEntity) {
				t.Errorf("%s: %+v, want %+v", name, o, want)
			}
			if o.Error.Code == engine.ImageTooManyPixels && strings.Count(o.Error.Message, "×") == 0 {
				t.Errorf("%s: %q names no size", name, o.Error.Message)
			}
		}
	}
	for name, code := range map[string]engine.Code{"i-jpeg-kinds/arithmetic.jpg": engine.ImageUnsupported, "i-jpeg-kinds/no-eoi.jpg": engine.ImageTruncated} {
		file, err := os.ReadFile(filepath.Join(pictureCases, name))
		if err != nil {
			t.Fatal(err)
		}
		if o := c.upload(filepath.Base(name), "image/jpeg", file, func(engine.Attachment) {}); o.Error.Code != code || o.status != http.StatusUnprocessableEntity {
			t.Errorf("%s: %+v", name, o)
		}
	}
	if left := stored(t, c.state); len(left) != 0 {
		t.Errorf("left are %v", left)
	}
}

// expectedPicture is one file of a case's expect.json.
type expectedPicture struct {
	Accepted      bool
	Reason        string
	Width, Height int
	Pixels        [][5]int
	Tolerance     int
	Forbidden     []string
}

func (want expectedPicture) check(t *testing.T, name string, a engine.Attachment, served []byte) {
	t.Helper()
	img, kind, err := image.Decode(bytes.NewReader(served))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if size := img.Bounds().Size(); size != (image.Point{want.Width, want.Height}) || a.Width != want.Width || a.Height != want.Height || a.MIME != "image/"+kind {
		t.Errorf("%s: %v, %+v", name, size, a)
	}
	for _, px := range want.Pixels {
		c := color.NRGBAModel.Convert(img.At(px[0], px[1])).(color.NRGBA)
		for i, v := range []uint8{c.R, c.G, c.B} {
			if d := int(v) - px[2+i]; d > want.Tolerance || -d > want.Tolerance || c.A != 255 {
				t.Errorf("%s: pixel %v is %v", name, px, c)
			}
		}
	}
	for _, word := range append(want.Forbidden, "PK\x03\x04", "Exif", "ICC_PROFILE", "<x:xmpmeta") {
		if bytes.Contains(served, []byte(word)) {
			t.Errorf("%s: %q is in what came out", name, word)
		}
	}
}

// Content, name and declared type in all mixes: case i-type-mismatch. No name leads anywhere, or has
// signs that a terminal or a header would obey.
func TestUploadedMixtures(t *testing.T) {
	c := uploads(t)
	var rows []struct{ Bytes, Name, Declared, Result, Detail string }
	b, err := os.ReadFile(pictureCases + "/i-type-mismatch/uploads.json")
	if err != nil || json.Unmarshal(b, &rows) != nil || len(rows) != 24 {
		t.Fatal(err, len(rows))
	}
	for _, row := range rows {
		file, err := os.ReadFile(filepath.Join(pictureCases, "i-type-mismatch", row.Bytes))
		if err != nil {
			t.Fatal(err)
		}
		name := row.Name
		if strings.HasSuffix(name, " (300 x)") {
			name = strings.Repeat("x", 300) + ".png"
		}
		name = strings.NewReplacer(`\x1b`, "\x1b", `\n`, "\n").Replace(name)
		o := c.upload(name, row.Declared, file, func(a engine.Attachment) {
			c.served(a, name)
			if a.Name == "" || len([]rune(a.Name)) > 120 || strings.ContainsAny(a.Name, "/\\\x1b\n\r") {
				t.Errorf("%q is shown as %q", name, a.Name)
			}
		})
		if o.OK != (row.Result == "accept") || !o.OK && o.status != http.StatusUnprocessableEntity {
			t.Errorf("%q as %q: %+v, want %s", name, row.Declared, o, row.Detail)
		}
		for _, word := range []string{"JPEG", "PNG", "GIF", "HEIC", "AVIF", "WebP", ".exe"} {
			if !o.OK && strings.Contains(row.Detail, word) && !strings.Contains(o.Error.Message, word) {
				t.Errorf("%q: %q does not name %s", name, o.Error.Message, word)
			}
		}
	}
	for at, content := range filesIn(t, c.state) {
		if strings.Contains(content, "\x1b") || strings.ContainsAny(at, "\x1b\n") || strings.HasSuffix(at, "x.png") {
			t.Errorf("%q has what it may not have", at)
		}
	}
}

// Twenty bombs at the same time are all refused, and the next picture is taken: case i-bombs.
func TestUploadedBombs(t *testing.T) {
	c := uploads(t)
	names := []string{"bomb-30000.png", "lie-100000.png", "wrap-65536.png", "flood-64250.jpg", "big-8000.webp"}
	var all [20]outcome
	var work sync.WaitGroup
	for i := range all {
		file, err := os.ReadFile(filepath.Join(pictureCases, "i-bombs", names[i%len(names)]))
		if err != nil {
			t.Fatal(err)
		}
		work.Go(func() {
			o, err := c.post(fmt.Sprint("bomb", i), names[i%len(names)], "", file)
			if all[i] = o; err != nil {
				t.Error(err)
			}
		})
	}
	work.Wait()
	for i, o := range all {
		if o.Error.Code != engine.ImageTooManyPixels || o.status != http.StatusUnprocessableEntity {
			t.Errorf("%s: %+v", names[i%len(names)], o)
		}
	}
	file, err := os.ReadFile(pictureCases + "/i-png-kinds/rgb16.png")
	if err != nil {
		t.Fatal(err)
	}
	if o := c.upload("after.png", "image/png", file, func(a engine.Attachment) { c.served(a, "after.png") }); !o.OK {
		t.Errorf("afterwards: %+v", o)
	}
}

// A provider that cannot read an uploaded picture says so by its name, is not sent it again, also after
// the session was opened again, and the talk goes on: case i-poisoned-history.
func TestUploadedPoison(t *testing.T) {
	server := record(t, func(n int, w http.ResponseWriter, _ *http.Request) {
		if n == 1 {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, badImage)
			return
		}
		chat(w, text("fine"), stopped)
	})
	flags := []string{"--provider", "other", "--base-url", server.URL + "/v1", "--model", "m", "--images", "true", "--allow-localhost-models"}
	c := uploads(t, flags...)
	if got := c.says("hello"); got != "run.completed" {
		t.Errorf("hello: %s", got)
	}
	file, err := os.ReadFile(pictureCases + "/i-png-kinds/rgb16.png")
	if err != nil {
		t.Fatal(err)
	}
	o, err := c.post("poison", "beach.png", "image/png", file)
	if err != nil || !o.OK {
		t.Fatal(o, err)
	}
	if got := c.says("what is this?", o.Picked.ID); !strings.Contains(got, "Could not process image") || !strings.Contains(got, "beach.png") {
		t.Errorf("the picture: %s", got)
	}
	if got := c.says("never mind"); got != "run.completed" {
		t.Errorf("never mind: %s", got)
	}
	if err := c.s.session.Close(); err != nil {
		t.Fatal(err)
	}
	if status, _, said := asked(t, append([]string{"run", "--state", c.state, "--approve", "never", "--resume", "last", "still there?"}, flags...)...); status != exitDone {
		t.Errorf("still there: %d %s", status, said)
	}
	sent, _ := server.seen()
	for i, want := range []int{0, 1, 0, 0} {
		if i >= len(sent) {
			t.Fatalf("%d requests", len(sent))
		}
		found := inRequest[engine.APIChat].FindAllSubmatch(sent[i], -1)
		removed := bytes.Contains(sent[i], []byte("[picture removed: provider refused it (beach.png)]"))
		if len(found) != want || removed != (i > 1) || bytes.Contains(sent[i], []byte("what is this?")) != (i > 0) {
			t.Errorf("request %d has %d pictures: %s", i, len(found), sent[i])
		}
	}
}
