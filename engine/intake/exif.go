package intake

import "encoding/binary"

const (
	maxExif        = 64 << 10
	maxExifEntries = 64
	orientationTag = 0x0112
)

// orientation reads the one tag of Exif data (CIPA DC-008, TIFF 6.0) that changes how a picture is
// seen: 1 to 8. Whatever cannot be read, or is odd, is 1, upright. It looks at 64 KiB, at the first
// directory and at 64 entries.
func orientation(exif []byte) int {
	exif = exif[:min(len(exif), maxExif)]
	if len(exif) < 8 {
		return 1
	}
	var order binary.ByteOrder
	switch string(exif[:4]) {
	case "II*\x00":
		order = binary.LittleEndian
	case "MM\x00*":
		order = binary.BigEndian
	default:
		return 1
	}
	at := chunkSize(order, exif[4:])
	if at > len(exif)-2 {
		return 1
	}
	count := int(order.Uint16(exif[at:]))
	entries := exif[at+2:]
	for range min(count, maxExifEntries) {
		if len(entries) < 12 {
			return 1
		}
		const short = 3
		if order.Uint16(entries) == orientationTag {
			value := int(order.Uint16(entries[8:]))
			if order.Uint16(entries[2:]) != short || order.Uint32(entries[4:]) != 1 || value < 1 || value > 8 {
				return 1
			}
			return value
		}
		entries = entries[12:]
	}
	return 1
}
