package provider

import (
	"context"
	"encoding/base64"
	"fmt"

	"agentstudio/engine"
	"agentstudio/engine/safe"
)

const (
	maxImages     = 20
	maxImageBytes = 4<<20 + 512<<10 // of base64
)

// picture is an attached image as it is sent, or the words that stand in its place.
type picture struct {
	mime, base64 string
	instead      string
}

func (p picture) url() string { return "data:" + p.mime + ";base64," + p.base64 }

// gallery gives out the pictures of one request, from its first message to its last.
type gallery struct {
	open engine.Opener
	sees bool // the model does
	skip int  // older ones that are left out
}

func newGallery(r engine.Request, model engine.ModelInfo) *gallery {
	return &gallery{open: r.Open, sees: model.Images, skip: images(r.Messages) - maxImages}
}

// give hands over each image of a message, in order. Images beyond the newest twenty of a request,
// those that the model can't see and those that can't be read are named in words. Errors: MODEL_TOO_LARGE,
// the cause of ctx where that ended.
func (g *gallery) give(ctx context.Context, msg engine.Message, to func(picture)) error {
	for _, a := range msg.Attachments {
		if a.Kind != "image" {
			continue
		}
		g.skip--
		why := ""
		switch {
		case g.skip >= 0:
			why = fmt.Sprintf("only the newest %d are sent", maxImages)
		case !g.sees:
			why = "this model takes no images"
		case g.open == nil:
			why = "it cannot be read"
		}
		var content []byte
		if why == "" {
			var err error
			if content, err = g.open(ctx, a); err != nil {
				why = "it cannot be read"
			}
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
		}
		name := safe.Text(a.Name, safe.Inline)
		if why != "" {
			to(picture{instead: fmt.Sprintf("[The image %s is left out: %s.]", name, why)})
			continue
		}
		if base64.StdEncoding.EncodedLen(len(content)) > maxImageBytes {
			return engine.Errorf(engine.ModelTooLarge, "the image %s is too large to be sent; make it smaller", name)
		}
		to(picture{mime: a.MIME, base64: base64.StdEncoding.EncodeToString(content)})
	}
	return nil
}

func images(messages []engine.Message) (n int) {
	for _, m := range messages {
		for _, a := range m.Attachments {
			if a.Kind == "image" {
				n++
			}
		}
	}
	return n
}
