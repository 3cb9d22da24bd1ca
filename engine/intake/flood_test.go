package intake

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"os"
	"testing"
)

// A profile whose curves claim to have more points than there are bytes makes nobody make room for
// them: the picture is taken, without its profile.
func TestLyingCurves(t *testing.T) {
	for _, name := range []string{"profile-curve-lies.png", "profile-curve-in-mab-lies.png", "profile-curve-lies.jpg"} {
		content, err := os.ReadFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		var got Picture
		used := allocated(func() {
			got, err = New(DefaultLimits()).Image(t.Context(), Source{Name: name, Body: bytes.NewReader(content)})
		})
		if err != nil || used > 64<<20 || len(got.Notices) != 1 || got.Notices[0].Code != ProfileIgnored {
			t.Errorf("%s: %d bytes, %+v, %v", name, used, got.Notices, err)
		}
	}
}

// Of many profiles none is unpacked before the size is known to be allowed, and only one afterwards.
func TestAFloodOfProfiles(t *testing.T) {
	var packed bytes.Buffer
	packed.WriteString("p\x00\x00")
	z := zlib.NewWriter(&packed)
	_, _ = z.Write(make([]byte, 4<<20))
	_ = z.Close()
	head := make([]byte, 13)
	binary.BigEndian.PutUint32(head, 100_000)
	binary.BigEndian.PutUint32(head[4:], 100_000)
	head[8], head[9] = 8, 2
	file := []byte("\x89PNG\r\n\x1a\n")
	chunk := func(name string, data []byte) {
		body := append([]byte(name), data...)
		file = binary.BigEndian.AppendUint32(file, uint32(len(data)))
		file = binary.BigEndian.AppendUint32(append(file, body...), crc32.ChecksumIEEE(body))
	}
	chunk("IHDR", head)
	for range 200 {
		chunk("iCCP", packed.Bytes())
	}
	chunk("IDAT", []byte{0x78, 0x9c, 0x03, 0, 0, 0, 0, 1})
	chunk("IEND", nil)
	used := allocated(func() {
		if _, err := New(DefaultLimits()).Image(t.Context(), Source{Name: "flood.png", Body: bytes.NewReader(file)}); err == nil {
			t.Error("it was taken")
		}
	})
	if used > 16<<20 {
		t.Errorf("%d bytes were allocated", used)
	}
}
