package intake

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"io"
)

const pngSignature = 8

// readPNG walks the chunks of a PNG (W3C PNG, third edition, 5.2) up to IEND; what follows is left
// out. Errors: IMAGE_TRUNCATED.
func readPNG(file []byte) (header, error) {
	w := pngWalk{header: header{file: file}}
	for at := pngSignature; ; {
		if at+12 > len(file) {
			return header{}, truncated()
		}
		size := chunkSize(binary.BigEndian, file[at:])
		if size > len(file)-at-12 {
			return header{}, truncated()
		}
		name := string(file[at+4 : at+8])
		w.take(name, file[at+8:at+8+size])
		at += 12 + size
		if name == "IEND" {
			w.file = file[:at]
			break
		}
	}
	w.colour = w.space()
	return w.header, nil
}

// pngWalk is what has been found on the way.
type pngWalk struct {
	header
	data, srgb bool
	cicp       []byte
	gamma      []byte
	chroma     []byte
}

// take notes what one chunk says. Those of colours and animation count before the data only.
func (w *pngWalk) take(name string, data []byte) {
	switch name {
	case "IDAT":
		w.data = true
		return
	case "eXIf":
		if w.exif == nil {
			w.exif = bytes.TrimPrefix(data, []byte("Exif\x00\x00"))
		}
		return
	}
	if w.data {
		return
	}
	switch name {
	case "acTL":
		w.animated = true
	case "sRGB":
		w.srgb = true
	case "cICP":
		w.cicp = data
	case "gAMA":
		w.gamma = data
	case "cHRM":
		w.chroma = data
	case "iCCP":
		if w.packed == nil { // there may be one (5.6), and it is unpacked once the picture is known to be small enough
			w.packed = data
		}
	}
}

// unpackProfile is the profile of an iCCP chunk: a name, NUL, 0 for zlib, the packed profile.
func unpackProfile(data []byte) ([]byte, error) {
	end := bytes.IndexByte(data, 0)
	if end < 0 || end+2 > len(data) || data[end+1] != 0 {
		return nil, io.ErrUnexpectedEOF
	}
	z, err := zlib.NewReader(bytes.NewReader(data[end+2:]))
	if err != nil {
		return nil, err
	}
	profile, err := io.ReadAll(io.LimitReader(z, maxProfile+1))
	if err != nil || len(profile) > maxProfile {
		return nil, io.ErrUnexpectedEOF
	}
	return profile, nil
}

// space is what the chunks beside a profile say of colours, in the order in which they count: cICP
// before iCCP before sRGB before gAMA and cHRM (4.3). Nil is sRGB, or the profile's own.
func (w *pngWalk) space() *colourSpace {
	switch {
	case len(w.cicp) == 4:
		w.packed = nil
		return cicpSpace([4]byte(w.cicp))
	case w.packed != nil, w.srgb:
		return nil
	}
	return gammaSpace(w.gamma, w.chroma)
}
