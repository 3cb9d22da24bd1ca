package intake

import (
	"bytes"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"testing"

	"agentstudio/engine/workspace"
)

// FuzzImage hands any bytes under any name through the whole intake: no panic, no room beyond what
// the limit in pixels allows, what comes out decodes, and no file is anywhere but in the session's
// folder, none for what is refused.
func FuzzImage(f *testing.F) {
	seeds, err := filepath.Glob("testdata/cases/*/*")
	if err != nil || len(seeds) < 40 {
		f.Fatal(seeds, err)
	}
	for _, at := range seeds {
		b, err := os.ReadFile(at)
		if err != nil {
			f.Fatal(err)
		}
		if filepath.Ext(at) != ".json" {
			f.Add(b, filepath.Base(at), "")
			f.Add(b, "picture", "image/png")
		}
	}
	f.Add(withChunk(asPNG(f, photo(16, 16)), "iCCP", iccp(f, displayP3())), "a.png", "image/png")
	f.Add(withChunk(asPNG(f, photo(16, 16)), "cICP", []byte{12, 13, 0, 1}), "a.png", "")
	f.Add(withSegment(asJPEG(f, photo(16, 16)), 0xe2, "ICC_PROFILE\x00\x01\x01"+string(displayP3())), "a.jpg", "image/jpeg")
	f.Add(withSegment(fourColours(2, [4]byte{1, 2, 3, 4}), 0xe2, "ICC_PROFILE\x00\x01\x01"+string(inks())), "a.jpg", "")
	limits := Limits{Bytes: 1 << 20, Side: 2048, Pixels: 1_000_000, OutSide: 300, OutBase64: 200_000}
	f.Fuzz(func(t *testing.T, file []byte, name, declared string) {
		top := t.TempDir()
		n := 0
		store := NewStore(nil, workspace.NewArtifacts(filepath.Join(top, "ses_1", "attachments"), workspace.ArtifactOptions{}),
			func() string { n++; return fmt.Sprintf("att_%d", n) })
		var p Picture
		var err error
		room := allocated(func() {
			p, err = New(limits).Image(t.Context(), Source{Name: name, MIME: declared, Body: bytes.NewReader(file)})
		})
		checkEnd(t, p, err)
		if most := uint64(64*mib + 32*limits.Pixels); room > most {
			t.Errorf("%d MiB, more than %d", room/mib, most/mib)
		}
		want := 0
		if err == nil {
			decoded(t, p)
			if a, err := store.Put(t.Context(), kept(p)); err != nil || a.ID != "att_1" || max(p.Width, p.Height) > limits.OutSide {
				t.Error(a, err, p.Width, p.Height)
			}
			want = 1
		}
		all, err := filepath.Glob(filepath.Join(top, "*", "*", "*"))
		outside, err2 := filepath.Glob(filepath.Join(top, "*"))
		if err != nil || err2 != nil || len(all) != want || len(outside) != want {
			t.Errorf("files %v beside %v", all, outside)
		}
	})
}

// FuzzProfile reads any bytes as a profile: no panic, and no room beyond a few times its own size.
func FuzzProfile(f *testing.F) {
	f.Add(displayP3(), byte(3))
	f.Add(inks(), byte(4))
	f.Add(iccProfile("GRAY", "XYZ ", "wtpt", xyzTag(0.9642, 1, 0.8249), "kTRC", gammaCurve(2.2)), byte(1))
	f.Fuzz(func(t *testing.T, profile []byte, channels byte) {
		at := image.Rect(0, 0, 2, 2)
		img, ok := map[byte]image.Image{1: image.NewGray(at), 3: image.NewNRGBA(at), 4: image.NewCMYK(at)}[channels]
		if !ok {
			return
		}
		var notices []Notice
		room := allocated(func() { _, notices = coloursOf(header{icc: profile}, img) })
		if room > uint64(64*mib+40*len(profile)) {
			t.Errorf("%d MiB for %d bytes", room/mib, len(profile))
		}
		for _, n := range notices {
			if n.Code != ProfileConverted && n.Code != ProfileIgnored {
				t.Errorf("%v", n)
			}
		}
	})
}
