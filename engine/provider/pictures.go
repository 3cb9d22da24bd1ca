package provider

import (
	"context"
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

// pictures gives each image of a message, in order. Images beyond the newest twenty of a request, of
// which skip are to come, and those that the model can't see, are named in words. Errors: what image
// says, MODEL_TOO_LARGE.
func pictures(ctx context.Context, image func(context.Context, engine.Attachment) (string, string, error), seen bool, msg engine.Message, skip *int, give func(picture)) error {
	for _, a := range msg.Attachments {
		if a.Kind != "image" {
			continue
		}
		left := *skip > 0
		*skip--
		if left || !seen {
			why := "this model takes no images"
			if left {
				why = fmt.Sprintf("only the newest %d are sent", maxImages)
			}
			give(picture{instead: fmt.Sprintf("[The image %s is left out: %s.]", safe.Text(a.Name, safe.Inline), why)})
			continue
		}
		mime, data, err := image(ctx, a)
		if err != nil {
			return err
		}
		if len(data) > maxImageBytes {
			return engine.Errorf(engine.ModelTooLarge, "the image %s is too large to be sent; make it smaller", safe.Text(a.Name, safe.Inline))
		}
		give(picture{mime: mime, base64: data})
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
