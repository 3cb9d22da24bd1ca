// Package intake takes in what people hand to a session. A picture is sniffed, held to limits before
// a pixel of it is decoded, turned upright, brought to sRGB, reduced and encoded anew, so that what
// is kept and sent to a model is a plain JPEG or PNG of known size with nothing else in it.
package intake

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"agentstudio/engine"
)

// Limits are what a picture may be. See DefaultLimits.
type Limits struct {
	Bytes     int64 // of the file as it comes
	Side      int   // pixels of width and of height
	Pixels    int64 // width times height
	OutSide   int   // the longest side of what comes out
	OutBase64 int   // bytes of what comes out, as base64
}

// DefaultLimits are the product's: 5 MiB a file, 8,192 pixels a side, 40 megapixels; what comes out
// is at most 2,000 pixels long and 4.5 MiB as base64, which every provider takes.
func DefaultLimits() Limits {
	return Limits{Bytes: 5 << 20, Side: 8192, Pixels: 40_000_000, OutSide: 2000, OutBase64: 4608 << 10}
}

// Source is a file as it was handed in. Name and MIME are what the sender says of it: they are
// compared with the content, never trusted. MIME may be empty.
type Source struct {
	Name string
	MIME string
	Body io.Reader
}

// Picture is a normalised picture. Bytes is a JPEG or a PNG without metadata.
type Picture struct {
	Name          string // a label: the last part of the given name, cleaned, 80 characters at most
	MIME          string // image/jpeg or image/png
	Bytes         []byte
	Width, Height int
	SHA256        string // of Bytes, in hex
	Original      Original
	Notices       []Notice
}

// Original is what a picture was before.
type Original struct {
	Kind          string // JPEG, PNG or WebP
	Bytes         int64
	Width, Height int // as stored, before it was turned upright
}

// Notice is what a person should know of a picture that was taken: ANIMATION_DROPPED,
// PROFILE_CONVERTED or PROFILE_IGNORED.
type Notice struct {
	Code    engine.Code
	Message string
}

// The codes of notices. They are no errors.
const (
	AnimationDropped engine.Code = "ANIMATION_DROPPED"
	ProfileConverted engine.Code = "PROFILE_CONVERTED"
	ProfileIgnored   engine.Code = "PROFILE_IGNORED"
)

// Intake takes pictures, decoding one at a time. It may be used by many goroutines at once.
type Intake struct {
	limits Limits
	turn   chan struct{} // holds one token while a picture is decoded
}

// New makes an Intake with these limits.
func New(limits Limits) *Intake {
	return &Intake{limits: limits, turn: make(chan struct{}, 1)}
}

// Image reads, checks and normalises one picture. It reads at most one byte more than the limit and
// leaves nothing behind when it refuses: nothing is written anywhere. Memory follows from the limit
// in pixels: at most 32 bytes for each (a progressive JPEG of four components) and 64 MiB besides.
// It stops when ctx ends; a Body that blocks has to be unblocked by its owner.
//
// Errors: IMAGE_EMPTY, IMAGE_TOO_LARGE, IMAGE_SIGNATURE_MISMATCH, IMAGE_UNSUPPORTED,
// IMAGE_TRUNCATED, IMAGE_CORRUPT, IMAGE_TOO_MANY_PIXELS, READ_FAILED, RUN_CANCELLED. Messages say
// what was found and what to do; the texts of others in them are quoted and short.
func (t *Intake) Image(ctx context.Context, from Source) (Picture, error) {
	file, err := t.read(ctx, from.Body)
	if err != nil {
		return Picture{}, err
	}
	found := sniff(file)
	if err := agree(found, from.Name, from.MIME); err != nil {
		return Picture{}, err
	}
	h, err := readHeader(found, file)
	if err != nil {
		return Picture{}, err
	}
	if err := cmp.Or(t.limits.check(h.width, h.height), h.passable()); err != nil {
		return Picture{}, err
	}
	select {
	case t.turn <- struct{}{}:
		defer func() { <-t.turn }()
	case <-ctx.Done():
		return Picture{}, cancelled(ctx)
	}
	p, err := t.normalise(ctx, h)
	if err != nil {
		return Picture{}, err
	}
	p.Name = Label(from.Name)
	p.Original = Original{Kind: found.name(), Bytes: int64(len(file)), Width: h.width, Height: h.height}
	sum := sha256.Sum256(p.Bytes)
	p.SHA256 = hex.EncodeToString(sum[:])
	return p, nil
}

// read takes the body up to the limit.
func (t *Intake) read(ctx context.Context, body io.Reader) ([]byte, error) {
	file, err := io.ReadAll(io.LimitReader(&stoppable{ctx, body}, t.limits.Bytes+1))
	switch {
	case ctx.Err() != nil:
		return nil, cancelled(ctx)
	case err != nil:
		return nil, &engine.Error{Code: engine.ReadFailed, Message: "the file could not be read to its end; send it again", Err: err}
	case len(file) == 0:
		return nil, engine.Errorf(engine.ImageEmpty, "the file is empty; choose another")
	case int64(len(file)) > t.limits.Bytes:
		return nil, engine.Errorf(engine.ImageTooLarge, "the file is larger than %s; make it smaller or save it as JPEG", mebibytes(t.limits.Bytes)).
			With("limit", t.limits.Bytes).With("most", mebibytes(t.limits.Bytes))
	}
	return file, nil
}

// check holds the size that a header gives to the limits.
func (l Limits) check(width, height int) error {
	if width < 1 || height < 1 {
		return engine.Errorf(engine.ImageCorrupt, "the picture says that it is %d × %d pixels; save it anew and send that", width, height)
	}
	pixels := int64(width) * int64(height)
	if width <= l.Side && height <= l.Side && pixels <= l.Pixels {
		return nil
	}
	return engine.Errorf(engine.ImageTooManyPixels, "the picture is %d × %d pixels; at most %d a side and %d megapixels are taken, so make it smaller",
		width, height, l.Side, l.Pixels/1_000_000).With("width", width).With("height", height).With("side", l.Side).With("pixels", l.Pixels)
}

// normalise decodes what the header describes and makes the picture that is kept.
func (t *Intake) normalise(ctx context.Context, h header) (Picture, error) {
	img, err := decode(ctx, h)
	if err != nil {
		return Picture{}, err
	}
	colours, notice := coloursOf(h, img)
	p := Picture{Notices: notice}
	if h.animated {
		p.Notices = append(p.Notices, Notice{AnimationDropped, "the picture is animated; only its first frame is used"})
	}
	c := reduce(img, t.limits.OutSide, colours)
	img = nil // the decoded one is large, and not needed any more
	if ctx.Err() != nil {
		return Picture{}, cancelled(ctx)
	}
	c = c.turned(orientation(h.exif))
	if err := p.encode(ctx, c, h.lossy, t.limits.OutBase64); err != nil {
		return Picture{}, err
	}
	return p, nil
}

// stoppable is a reader that ends with its context, which stops a decoder between two reads.
type stoppable struct {
	ctx context.Context
	r   io.Reader
}

func (s *stoppable) Read(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.r.Read(p)
}

func cancelled(ctx context.Context) error {
	message := "the picture was not taken: it was cancelled"
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		message = "the picture was not taken: its time was over"
	}
	return &engine.Error{Code: engine.RunCancelled, Message: message, Err: context.Cause(ctx)}
}

func mebibytes(n int64) string { return fmt.Sprintf("%.4g MiB", float64(n)/(1<<20)) }
