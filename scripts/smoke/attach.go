package main

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
)

const ctrlL = "\x0c"

// drawing writes a PNG of 60 by 40 pixels into a folder of its own.
func drawing() (at string, err error) {
	folder, err := os.MkdirTemp("", "smoke-pictures-")
	if err != nil {
		return "", err
	}
	img := image.NewNRGBA(image.Rect(0, 0, 60, 40))
	for y := range 40 {
		for x := range 60 {
			img.SetNRGBA(x, y, color.NRGBA{uint8(4 * x), uint8(6 * y), 180, 255})
		}
	}
	at = filepath.Join(folder, "creative.png")
	f, err := os.Create(at)
	if err != nil {
		return at, err
	}
	return at, errors.Join(png.Encode(f, img), f.Close())
}

// attached are the files of attachments that sessions keep.
func attached(state string, want int) error {
	all, err := filepath.Glob(filepath.Join(state, "sessions", "*", "attachments", "*"))
	if err == nil && len(all) != want {
		err = fmt.Errorf("attachments %v, want %d", all, want)
	}
	return err
}

// sentPicture sends a picture without a screen, and one that is refused.
func sentPicture(binary, state string) error {
	at, err := drawing()
	if err != nil {
		return err
	}
	defer os.RemoveAll(filepath.Dir(at)) //nolint:errcheck // a folder of the system's temporary ones
	out, err := command(binary, state, 0, "run", "--approve", "never", "--attach", at)
	if err = contains(out, err, "60 × 40 pixels"); err != nil {
		return err
	}
	fake := filepath.Join(filepath.Dir(at), "fake.png")
	if err := os.WriteFile(fake, []byte("GIF89a"), 0o600); err != nil {
		return err
	}
	out, err = command(binary, state, 3, "run", "--approve", "never", "--json", "--attach", fake, "look")
	return errors.Join(contains(out, err, `"code":"IMAGE_SIGNATURE_MISMATCH"`), attached(state, 1))
}

// shownPicture pastes a picture's path into the studio, looks at the picture in cells, and sends it.
func shownPicture(binary, state string) error {
	at, err := drawing()
	if err != nil {
		return err
	}
	defer os.RemoveAll(filepath.Dir(at)) //nolint:errcheck // a folder of the system's temporary ones
	t, err := open(binary, state, 120, 32)
	if err != nil {
		return err
	}
	defer t.close()
	for _, step := range []func() error{
		func() error { return t.await("Message", "model ") },
		func() error { return t.press("\x1b[200~" + at + "\x1b[201~") },
		func() error { return t.await("Attach creative.png?") },
		func() error { return t.press(enter) },
		func() error { return t.await("60×40", "^L") },
		func() error {
			return t.insist(ctrlL, func(s string) bool { return shows(s, "Pictures of this session") })
		},
		func() error { return t.press(enter) },
		func() error { return t.await("▀▀▀▀", "waits for the next message") },
		func() error { return t.insist("\x1b", func(s string) bool { return !shows(s, "▀▀▀▀") }) },
		func() error {
			return t.insist("\x1b", func(s string) bool { return !shows(s, "Pictures of this session") })
		},
		func() error { return t.press("What is this?" + enter) },
		func() error { return t.await("60 × 40 pixels", "run completed") },
		func() error { return t.press(ctrlQ) },
		func() error { return ended(t) },
		func() error { return t.restored() },
		func() error { return attached(state, 1) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}
