package intake

import (
	"fmt"
	"mime"
	"strings"

	"agentstudio/engine"
)

const maxLabel = 80 // characters

// Label makes of a client's file name what is shown and kept of it: its last part, without control
// characters, 80 characters at most. It is never part of a path. A name of nothing is "image".
func Label(name string) string {
	label := engine.Label(base(name), maxLabel)
	if label == "" {
		return "image"
	}
	return label
}

// base is what follows the last separator, of any system.
func base(name string) string { return name[strings.LastIndexAny(name, `/\`)+1:] }

// agree refuses a file whose content, name and declared type say different things
// (IMAGE_SIGNATURE_MISMATCH), and one of a kind that is not taken (IMAGE_UNSUPPORTED). A name
// without an extension and a type that says nothing (none, application/octet-stream) agree with all.
func agree(found kind, name, declared string) error {
	ext, byName := nameKind(name)
	byType, says := typeKind(declared)
	nameFits := ext == "" || byName == found && found != unknown
	typeFits := !says || byType == found && found != unknown
	switch {
	case nameFits && typeFits && found.accepted():
		return nil
	case nameFits && typeFits, found == unknown && !byName.accepted() && !byType.accepted():
		return engine.Errorf(engine.ImageUnsupported, "%s is not taken; %s", subject(found), found.advice()).With("content", found.name())
	}
	message := "the content is " + found.name()
	if !nameFits {
		message += ", the name says " + said(ext, byName)
	}
	if !typeFits {
		message += ", the declared type says " + saidType(declared, byType, says)
	}
	switch {
	case !found.accepted():
		message += "; " + found.advice()
	case nameFits:
		message += "; declare it as that"
	default:
		message += "; rename it to fit its content"
	}
	return engine.Errorf(engine.ImageSignatureMismatch, "%s", message).
		With("content", found.name()).With("name", said(ext, byName)).With("declared", saidType(declared, byType, says))
}

func subject(k kind) string {
	if k == unknown {
		return "this file"
	}
	return string(k)
}

// said is what the name says, for a sentence.
func said(ext string, k kind) string {
	switch {
	case ext == "":
		return "nothing"
	case k == unknown:
		return fmt.Sprintf("%q", ext)
	}
	return string(k)
}

// saidType is what the declared type says, for a sentence.
func saidType(declared string, k kind, says bool) string {
	switch {
	case !says:
		return "nothing"
	case k == unknown:
		return fmt.Sprintf("%q", engine.Label(declared, maxLabel))
	}
	return string(k)
}

// nameKind is what a name's extension says. A dot that no word follows ("10.30", "v1. final") begins
// no extension.
func nameKind(name string) (ext string, k kind) {
	name = strings.TrimRight(engine.Label(base(name), 4096), ". ")
	dot := strings.LastIndexByte(name, '.')
	if dot < 0 {
		return "", unknown
	}
	ext = strings.ToLower(name[dot:])
	word := strings.Trim(ext[1:], "abcdefghijklmnopqrstuvwxyz0123456789") == ""
	if !word || len(ext) > 11 || strings.Trim(ext[1:], "0123456789") == "" {
		return "", unknown
	}
	switch ext {
	case ".jpg", ".jpeg", ".jpe", ".jfif", ".pjpeg", ".pjp":
		return ext, jpegKind
	case ".png", ".apng":
		return ext, pngKind
	case ".webp":
		return ext, webpKind
	case ".heic", ".heif", ".hif":
		return ext, "HEIC"
	case ".tif", ".tiff":
		return ext, "TIFF"
	case ".jxl":
		return ext, "JPEG XL"
	case ".jp2", ".j2k":
		return ext, "JPEG 2000"
	case ".gif", ".svg", ".avif", ".bmp", ".pdf", ".ico", ".psd", ".zip":
		return ext, kind(strings.ToUpper(ext[1:]))
	}
	return ext, unknown
}

// typeKind is what a declared media type says; says is false for one that says nothing.
func typeKind(declared string) (k kind, says bool) {
	media, _, err := mime.ParseMediaType(declared)
	if err != nil {
		media = strings.ToLower(strings.TrimSpace(strings.SplitN(declared, ";", 2)[0]))
	}
	switch media {
	case "", "application/octet-stream", "binary/octet-stream":
		return unknown, false
	case "image/jpeg", "image/jpg", "image/pjpeg":
		return jpegKind, true
	case "image/png", "image/x-png", "image/apng", "image/vnd.mozilla.apng":
		return pngKind, true
	case "image/webp":
		return webpKind, true
	case "image/heic", "image/heif", "image/heic-sequence", "image/heif-sequence":
		return "HEIC", true
	case "image/gif", "image/avif", "image/bmp", "image/tiff":
		return kind(strings.ToUpper(strings.TrimPrefix(media, "image/"))), true
	case "image/svg+xml":
		return "SVG", true
	case "application/pdf":
		return "PDF", true
	case "image/jxl":
		return "JPEG XL", true
	case "image/jp2":
		return "JPEG 2000", true
	case "image/x-ms-bmp", "image/x-bmp":
		return "BMP", true
	}
	return unknown, true
}
