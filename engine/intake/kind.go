package intake

import (
	"bytes"
	"slices"
)

// kind is what a file is by its first bytes, or by what somebody says of it.
type kind string

const (
	jpegKind kind = "JPEG"
	pngKind  kind = "PNG"
	webpKind kind = "WebP"
	unknown  kind = "" // nothing this knows
)

// accepted tells whether pictures of this kind are taken.
func (k kind) accepted() bool { return k == jpegKind || k == pngKind || k == webpKind }

// name is the kind for a sentence.
func (k kind) name() string {
	if k == unknown {
		return "of an unknown kind"
	}
	return string(k)
}

// advice is what to do with a file of a kind that is not taken.
func (k kind) advice() string {
	switch k {
	case "HEIC":
		return "choose JPEG when sharing the photo, or set the camera to its most compatible format"
	case "GIF":
		return "save one frame of it as PNG"
	case "SVG":
		return "export it as PNG"
	case "PDF":
		return "save the page as PNG"
	case "AVIF", "TIFF", "BMP", "JPEG XL", "JPEG 2000", "ICO", "PSD":
		return "save it as JPEG or PNG"
	}
	return "send a JPEG, PNG or WebP picture"
}

// sniff tells the kind by the first bytes alone, as the WHATWG's MIME Sniffing does for pictures.
func sniff(b []byte) kind {
	if k := sniffRIFF(b); k != unknown {
		return k
	}
	if k := sniffBoxes(b); k != unknown {
		return k
	}
	for _, s := range []struct {
		magic string
		kind  kind
	}{
		{"\xff\xd8\xff", jpegKind}, {"\x89PNG\r\n\x1a\n", pngKind},
		{"GIF87a", "GIF"}, {"GIF89a", "GIF"}, {"BM", "BMP"}, {"%PDF-", "PDF"}, {"8BPS", "PSD"},
		{"II*\x00", "TIFF"}, {"MM\x00*", "TIFF"}, {"II+\x00", "TIFF"}, {"MM\x00+", "TIFF"},
		{"\x00\x00\x01\x00", "ICO"}, {"\xff\x0a", "JPEG XL"}, {"\xff\x4f\xff\x51", "JPEG 2000"},
		{"PK\x03\x04", "ZIP"},
	} {
		if bytes.HasPrefix(b, []byte(s.magic)) {
			return s.kind
		}
	}
	return sniffText(b)
}

func sniffRIFF(b []byte) kind {
	if len(b) >= 12 && string(b[:4]) == "RIFF" && string(b[8:12]) == "WEBP" {
		return webpKind
	}
	return unknown
}

// sniffBoxes tells files of boxes (ISO/IEC 14496-12) apart by the brands of the first one.
func sniffBoxes(b []byte) kind {
	if len(b) < 12 {
		return unknown
	}
	switch string(b[4:8]) {
	case "JXL ":
		return "JPEG XL"
	case "jP  ":
		return "JPEG 2000"
	case "ftyp":
	default:
		return unknown
	}
	end := min(len(b), 8+4*32, max(12, int(b[2])<<8|int(b[3])))
	var brands []string
	for at := 8; at+4 <= end; at += 4 {
		brands = append(brands, string(b[at:at+4]))
	}
	has := func(names ...string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return slices.Contains(brands, n) })
	}
	switch {
	case has("avif", "avis"):
		return "AVIF"
	case has("heic", "heix", "hevc", "hevx", "heim", "heis", "mif1", "msf1"):
		return "HEIC"
	}
	return "MP4"
}

// sniffText finds SVG and web pages in what begins as text.
func sniffText(b []byte) kind {
	head := bytes.ToLower(bytes.TrimLeft(bytes.TrimPrefix(b[:min(len(b), 4096)], []byte("\xef\xbb\xbf")), " \t\r\n"))
	switch {
	case !bytes.HasPrefix(head, []byte("<")):
		return unknown
	case bytes.Contains(head, []byte("<svg")):
		return "SVG"
	case bytes.Contains(head, []byte("<html")), bytes.Contains(head, []byte("<!doctype html")):
		return "HTML"
	}
	return unknown
}
