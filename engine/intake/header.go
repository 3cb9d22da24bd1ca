package intake

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"image/jpeg"
	"image/png"
	"io"

	"golang.org/x/image/webp"

	"agentstudio/engine"
)

// maxProfile bounds an ICC profile, once it is unpacked: those of printers have one to three MiB.
const maxProfile = 4 << 20

// header is what can be told of a picture before any pixel is decoded.
type header struct {
	kind          kind
	file          []byte // what the decoder is given
	width, height int
	exif          []byte // TIFF data, nil without
	icc           []byte
	colour        *colourSpace // said by other means than a profile
	packed        []byte       // an iCCP chunk, whose profile is still to be unpacked
	badProfile    bool         // there is a profile, but it cannot be read
	animated      bool
	lossy         bool // the picture comes from a format that has lost detail already
	scans         int  // passes over all pixels that a JPEG asks for
	frame         image.Rectangle
	canvas        image.Point // of an animation whose frame is smaller than it
}

// readHeader reads the container of a file whose kind is known. Width and height are those that the
// decoder itself will go by. Errors: IMAGE_TRUNCATED, IMAGE_CORRUPT, IMAGE_UNSUPPORTED.
func readHeader(k kind, file []byte) (header, error) {
	var h header
	var err error
	switch k {
	case jpegKind:
		h, err = readJPEG(file)
	case pngKind:
		h, err = readPNG(file)
	default:
		h, err = readWebP(file)
	}
	if err != nil {
		return header{}, err
	}
	config, err := h.config(bytes.NewReader(h.file))
	if err != nil {
		return header{}, decodeError(err)
	}
	h.kind, h.width, h.height = k, config.Width, config.Height
	if !h.frame.Empty() {
		// The whole canvas is made, so it is what is held to the limits; no frame is larger.
		if h.frame.Dx() != h.width || h.frame.Dy() != h.height || !h.frame.In(image.Rectangle{Max: h.canvas}) {
			return header{}, corrupt("its first frame does not fit into it")
		}
		h.width, h.height = h.canvas.X, h.canvas.Y
	}
	return h, nil
}

func (h header) config(r io.Reader) (image.Config, error) {
	switch {
	case bytes.HasPrefix(h.file, []byte("\xff\xd8")):
		return jpeg.DecodeConfig(r)
	case bytes.HasPrefix(h.file, []byte("\x89PNG")):
		return png.DecodeConfig(r)
	}
	return webp.DecodeConfig(r)
}

// decodeError puts a decoder's error into the words of this package.
func decodeError(err error) error {
	var jpegUnsupported jpeg.UnsupportedError
	var pngUnsupported png.UnsupportedError
	e := &engine.Error{Code: engine.ImageCorrupt, Message: "the picture is damaged; save it anew and send that", Err: err}
	switch {
	case errors.As(err, &jpegUnsupported), errors.As(err, &pngUnsupported):
		e.Code, e.Message = engine.ImageUnsupported, "this variant of the format is not supported; save the picture anew as JPEG or PNG"
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		e = truncated()
		e.Err = err
	}
	return e
}

func truncated() *engine.Error {
	return engine.Errorf(engine.ImageTruncated, "the picture is cut short; send it again")
}

func corrupt(why string) *engine.Error {
	return engine.Errorf(engine.ImageCorrupt, "the picture is damaged: %s; save it anew and send that", why)
}

// chunkSize reads a length of 32 bits; less than 0 never fits into a file.
func chunkSize(order binary.ByteOrder, b []byte) int {
	n := order.Uint32(b)
	if n > 1<<31-1 {
		return 1<<31 - 1
	}
	return int(n)
}
