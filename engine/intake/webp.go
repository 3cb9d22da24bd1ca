package intake

import (
	"bytes"
	"encoding/binary"
	"image"
)

// The flags of a VP8X chunk that matter here.
const webpAlpha = 1 << 4

// readWebP walks the chunks of a WebP (RFC 9649) and makes a file of the picture's own chunks alone
// for the decoder, which refuses more flags in the extended header than it has to. Of an animation
// it takes the first frame. Errors: IMAGE_TRUNCATED, IMAGE_CORRUPT.
func readWebP(file []byte) (header, error) {
	size := chunkSize(binary.LittleEndian, file[4:])
	if size > len(file)-8 {
		return header{}, truncated()
	}
	if size < 4 {
		return header{}, corrupt("it has no content")
	}
	var h header
	var picture webpPicture
	err := webpChunks(file[12:8+size], func(name string, data []byte) {
		switch name {
		case "VP8X":
			if len(data) >= 10 && h.canvas == (image.Point{}) {
				h.canvas = image.Pt(1+int24(data[4:]), 1+int24(data[7:]))
			}
		case "ICCP":
			h.icc, h.badProfile = data, len(data) > maxProfile
		case "EXIF":
			if h.exif == nil {
				h.exif = bytes.TrimPrefix(data, []byte("Exif\x00\x00"))
			}
		case "ANMF":
			if !h.animated && picture.data == nil {
				h.frame = picture.fromFrame(data)
			}
			h.animated = true
		default:
			picture.take(name, data)
		}
	})
	if err != nil {
		return header{}, err
	}
	if picture.data == nil {
		return header{}, corrupt("it has no picture in it")
	}
	if h.badProfile {
		h.icc = nil
	}
	h.file, h.lossy = picture.file(), picture.lossy
	return h, nil
}

// webpPicture is the part of a WebP that holds pixels.
type webpPicture struct {
	data, alpha []byte
	lossy       bool
}

// take keeps the first picture and the alpha before it.
func (p *webpPicture) take(name string, data []byte) {
	switch {
	case p.data != nil:
	case name == "ALPH":
		p.alpha = data
	case name == "VP8 ", name == "VP8L":
		p.data, p.lossy = data, name == "VP8 "
	}
}

// fromFrame takes the picture out of an ANMF chunk and tells where on the canvas it lies.
func (p *webpPicture) fromFrame(data []byte) image.Rectangle {
	if len(data) < 16 {
		return image.Rectangle{}
	}
	// What is torn inside a frame shows as a picture that is not there, or as one cut short.
	_ = webpChunks(data[16:], p.take)
	at := image.Pt(2*int24(data), 2*int24(data[3:]))
	return image.Rectangle{at, at.Add(image.Pt(1+int24(data[6:]), 1+int24(data[9:])))}
}

// file is a WebP of nothing but this picture. With alpha beside a lossy picture it needs the
// extended header, whose size is that of the picture.
func (p *webpPicture) file() []byte {
	body := []byte("WEBP")
	name := "VP8L"
	if p.lossy {
		name = "VP8 "
		if size, ok := p.size(); ok && p.alpha != nil {
			extended := make([]byte, 10)
			extended[0] = webpAlpha
			putInt24(extended[4:], size.X-1)
			putInt24(extended[7:], size.Y-1)
			body = appendChunk(appendChunk(body, "VP8X", extended), "ALPH", p.alpha)
		}
	}
	body = appendChunk(body, name, p.data)
	return appendChunk(nil, "RIFF", body)
}

// size reads the size in a lossy picture's own header (RFC 6386, 9.1).
func (p *webpPicture) size() (image.Point, bool) {
	if len(p.data) < 10 {
		return image.Point{}, false
	}
	size := image.Pt(int(binary.LittleEndian.Uint16(p.data[6:])&0x3fff), int(binary.LittleEndian.Uint16(p.data[8:])&0x3fff))
	return size, size.X > 0 && size.Y > 0
}

// webpChunks calls take for each chunk.
func webpChunks(b []byte, take func(name string, data []byte)) error {
	for len(b) >= 8 {
		size := chunkSize(binary.LittleEndian, b[4:])
		if size > len(b)-8 {
			return truncated()
		}
		take(string(b[:4]), b[8:8+size])
		b = b[min(len(b), 8+size+size&1):]
	}
	return nil
}

func appendChunk(b []byte, name string, data []byte) []byte {
	b = binary.LittleEndian.AppendUint32(append(b, name...), uint32(len(data)))
	b = append(b, data...)
	if len(data)%2 == 1 {
		b = append(b, 0)
	}
	return b
}

func int24(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }

func putInt24(b []byte, n int) { b[0], b[1], b[2] = byte(n), byte(n>>8), byte(n>>16) }
