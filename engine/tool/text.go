package tool

import (
	"bytes"
	"encoding/binary"
	"iter"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"agentstudio/engine"
	"agentstudio/engine/workspace"
)

// maxFile is the largest file that read and grep take, in bytes.
const maxFile = 32 << 20

// document is a text file: valid UTF-8 without BOM, still with its control characters.
type document struct {
	text   string
	sep    string // what its lines are split by
	ending string // LF, CRLF, CR, mixed or none
	lines  int
	notes  []string // what was changed to make it text
}

// parse decodes a file. What is not text is BINARY_FILE, with a hint where it is an image.
func parse(loc workspace.Location, data []byte) (document, error) {
	text, notes, ok := decodeText(data)
	if !ok {
		return document{}, binaryError(loc, data)
	}
	d := document{text: text, sep: "\n", notes: notes}
	feeds, pairs := strings.Count(text, "\n"), strings.Count(text, "\r\n")
	switch {
	case feeds == 0 && strings.Contains(text, "\r"):
		d.sep, d.ending = "\r", "CR"
	case feeds == 0:
		d.ending = "none"
	case pairs == 0:
		d.ending = "LF"
	case pairs == feeds:
		d.ending = "CRLF"
	default:
		d.ending = "mixed"
	}
	d.lines = strings.Count(text, d.sep)
	if text != "" && !strings.HasSuffix(text, d.sep) {
		d.lines++
	}
	return d, nil
}

// line is one line of a document without its end. next is where the following one starts.
type line struct {
	number int // from 1
	text   string
	next   int
}

// each goes through the lines without holding them all.
func (d document) each() iter.Seq[line] {
	return func(yield func(line) bool) {
		number := 0
		for at := 0; at < len(d.text); {
			end, next := len(d.text), len(d.text)
			if i := strings.Index(d.text[at:], d.sep); i >= 0 {
				end, next = at+i, at+i+len(d.sep)
			}
			number++
			text := d.text[at:end]
			if d.sep == "\n" && next > end {
				text = strings.TrimSuffix(text, "\r")
			}
			if !yield(line{number, text, next}) {
				return
			}
			at = next
		}
	}
}

// decodeText makes UTF-8 of a file, and says what it changed; ok is false for what is not text.
func decodeText(data []byte) (text string, notes []string, ok bool) {
	if order, ok := utf16Order(data); ok {
		text = fromUTF16(data[2:], order)
		return text, []string{"decoded from UTF-16"}, !strings.Contains(text, "\x00")
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if bytes.IndexByte(data, 0) >= 0 || imageKind(data) != "" {
		return "", nil, false
	}
	if utf8.Valid(data) {
		return string(data), nil, true
	}
	if mostlyControl(data) {
		return "", nil, false
	}
	return validUTF8(data), []string{"not valid UTF-8: what cannot be decoded is shown as U+FFFD"}, true
}

func utf16Order(data []byte) (binary.ByteOrder, bool) {
	switch {
	case len(data) >= 4 && bytes.HasPrefix(data, []byte{0xff, 0xfe, 0, 0}):
		return nil, false // UTF-32
	case bytes.HasPrefix(data, []byte{0xff, 0xfe}):
		return binary.LittleEndian, true
	case bytes.HasPrefix(data, []byte{0xfe, 0xff}):
		return binary.BigEndian, true
	}
	return nil, false
}

func fromUTF16(data []byte, order binary.ByteOrder) string {
	units := make([]uint16, 0, len(data)/2)
	for ; len(data) >= 2; data = data[2:] {
		units = append(units, order.Uint16(data))
	}
	text := string(utf16.Decode(units))
	if len(data) == 1 {
		text += "\ufffd" // half a unit at the end
	}
	return text
}

// validUTF8 puts one U+FFFD in the place of each bad byte, so that columns stay countable.
func validUTF8(data []byte) string {
	var b strings.Builder
	b.Grow(len(data) + len(data)/8)
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		b.WriteRune(r)
		data = data[size:]
	}
	return b.String()
}

// mostlyControl tells binary data that happens to hold no NUL from text in another encoding.
func mostlyControl(data []byte) bool {
	head := data[:min(len(data), 8<<10)]
	control := 0
	for _, c := range head {
		if c < 0x20 && !strings.ContainsRune("\t\n\r\f\b\x1b", rune(c)) {
			control++
		}
	}
	return control*20 > len(head)
}

func binaryError(loc workspace.Location, data []byte) error {
	if kind := imageKind(data); kind != "" {
		return engine.Errorf(engine.BinaryFile,
			"%s is a %s image of %d bytes; read takes text only. To look at it, a person has to attach it to a message", loc, kind, len(data)).
			With("path", loc.String()).With("bytes", len(data)).With("image", kind)
	}
	return engine.Errorf(engine.BinaryFile, "%s is a binary file, %d bytes; only text can be read", loc, len(data)).
		With("path", loc.String()).With("bytes", len(data))
}

// imageKind knows the usual images by their first bytes.
func imageKind(data []byte) string {
	has := func(at int, magic string) bool {
		return len(data) >= at+len(magic) && string(data[at:at+len(magic)]) == magic
	}
	switch {
	case has(0, "\x89PNG\r\n\x1a\n"):
		return "PNG"
	case has(0, "\xff\xd8\xff"):
		return "JPEG"
	case has(0, "GIF87a"), has(0, "GIF89a"):
		return "GIF"
	case has(0, "RIFF") && has(8, "WEBP"):
		return "WebP"
	case has(0, "BM") && has(6, "\x00\x00\x00\x00"):
		return "BMP"
	case has(0, "II*\x00"), has(0, "MM\x00*"):
		return "TIFF"
	case has(4, "ftypheic"), has(4, "ftypheif"), has(4, "ftypmif1"), has(4, "ftypavif"):
		return "HEIF"
	}
	return ""
}

// mark shows control characters as one visible character each: ␛ for ESC and so on, ␡ for DEL, ␦
// for those of U+0080 to U+009F. Newline and tab stay.
func mark(s string) string {
	if !strings.ContainsFunc(s, isControl) {
		return s
	}
	return strings.Map(func(r rune) rune {
		switch {
		case !isControl(r):
			return r
		case r < 0x20:
			return 0x2400 + r
		case r == 0x7f:
			return '␡'
		}
		return '␦'
	}, s)
}

func isControl(r rune) bool {
	return r < 0x20 && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0
}
