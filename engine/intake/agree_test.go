package intake

import (
	"testing"

	"agentstudio/engine"
)

// A mismatch names what does not fit, and nothing that does or that nobody said.
func TestAMismatchNamesWhatDoesNotFit(t *testing.T) {
	for _, c := range []struct {
		found          kind
		name, declared string
		says           string
	}{
		{jpegKind, "photo.png", "", "the content is JPEG, the name says PNG; rename it to fit its content"},
		{jpegKind, "photo", "image/png", "the content is JPEG, the declared type says PNG; declare it as that"},
		{jpegKind, "photo.webp", "image/png", "the content is JPEG, the name says WebP, the declared type says PNG; rename it to fit its content"},
		{pngKind, "notes.txt", "image/png", `the content is PNG, the name says ".txt"; rename it to fit its content`},
	} {
		err := agree(c.found, c.name, c.declared)
		if engine.CodeOf(err) != engine.ImageSignatureMismatch || engine.MessageOf(err) != c.says {
			t.Errorf("%s as %q, %q: %v", c.found, c.name, c.declared, err)
		}
	}
}
