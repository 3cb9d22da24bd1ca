package intake

import (
	"bytes"
	"fmt"

	"agentstudio/engine"
)

// maxScans bounds the passes over a progressive JPEG: each goes over all its blocks, however few
// bytes it has. Encoders use about ten.
const maxScans = 100

// maxPasses bounds the scans of a JPEG times its pixels: 16 passes over 40 megapixels, some two seconds.
const maxPasses = 16 * 40_000_000

// readJPEG walks the segments of a JPEG (ITU-T T.81 B.1.1) for the orientation, the profile and
// what the decoder cannot do. It trusts no size: the decoder's own are asked later.
func readJPEG(file []byte) (header, error) {
	w := jpegWalk{header: header{file: file, lossy: true}}
	for at := 2; at < len(file); {
		next, err := w.segment(at)
		if err != nil {
			return header{}, err
		}
		if next == 0 {
			break
		}
		at = next
	}
	if w.scans > maxScans {
		return header{}, unsupportedJPEG(fmt.Sprintf("it has %d scans, more than %d", w.scans, maxScans))
	}
	w.icc = w.profile()
	return w.header, nil
}

// passable refuses a JPEG whose scans would go over its pixels for many seconds.
func (h *header) passable() error {
	if passes := int64(h.scans) * int64(h.width) * int64(h.height); passes > maxPasses {
		return unsupportedJPEG(fmt.Sprintf("its %d scans of %d × %d pixels would take too long", h.scans, h.width, h.height))
	}
	return nil
}

// jpegWalk is what has been found on the way.
type jpegWalk struct {
	header
	pieces map[byte][]byte // of the profile, by their number
}

// segment looks at the marker that is next after at, and gives where to go on; 0 at the end.
func (w *jpegWalk) segment(at int) (next int, err error) {
	skip := bytes.IndexByte(w.file[at:], 0xff)
	if skip < 0 || at+skip+1 >= len(w.file) {
		return 0, nil
	}
	at += skip + 1
	marker := w.file[at]
	switch {
	case marker == 0xff:
		return at, nil // fill bytes
	case marker == 0, marker == 1, marker >= 0xd0 && marker <= 0xd8:
		return at + 1, nil // bytes of a scan, or markers without a segment
	case marker == 0xd9:
		return 0, nil
	case at+3 > len(w.file):
		return 0, nil
	}
	end := at + 1 + int(w.file[at+1])<<8 + int(w.file[at+2])
	if end < at+3 || end > len(w.file) {
		return 0, nil // the decoder will say so
	}
	return end, w.take(marker, w.file[at+3:end])
}

// take notes what one segment says.
func (w *jpegWalk) take(marker byte, data []byte) error {
	switch {
	case marker == 0xda:
		w.scans++
	case marker >= 0xc3 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc:
		return unsupportedJPEG(frameKind(marker))
	case marker >= 0xc0 && marker <= 0xc2 && len(data) > 0 && data[0] != 8:
		return unsupportedJPEG(fmt.Sprintf("it has %d bits a colour instead of 8", data[0]))
	case marker == 0xe1 && w.exif == nil && bytes.HasPrefix(data, []byte("Exif\x00\x00")):
		w.exif = data[6:]
	case marker == 0xe2 && len(data) >= 14 && bytes.HasPrefix(data, []byte("ICC_PROFILE\x00")):
		if w.pieces == nil {
			w.pieces = map[byte][]byte{}
		}
		if w.pieces[data[12]] == nil {
			w.pieces[data[12]] = data[14:]
		}
	}
	return nil
}

// profile puts the ICC profile's pieces together (ICC.1 B.4); one with a gap is bad.
func (w *jpegWalk) profile() []byte {
	var all []byte
	for n := range len(w.pieces) {
		piece, ok := w.pieces[byte(n+1)]
		if !ok || len(all)+len(piece) > maxProfile {
			w.badProfile = true
			return nil
		}
		all = append(all, piece...)
	}
	return all
}

// frameKind names the JPEG processes that few programs read, by their frame's marker.
func frameKind(marker byte) string {
	switch {
	case marker >= 0xc9:
		return "it uses arithmetic coding"
	case marker == 0xc3:
		return "it is lossless"
	}
	return "it is hierarchical"
}

func unsupportedJPEG(why string) error {
	return engine.Errorf(engine.ImageUnsupported, "this kind of JPEG is not supported: %s; save the picture anew as an ordinary JPEG or PNG", why)
}
