package engine

import (
	"context"
	"io"
)

// What one message and one session may hold.
const (
	MaxPictures     = 4        // of a message
	MaxPictureBytes = 50 << 20 // of all pictures that a session keeps
)

// Attachment is what events and requests say of an uploaded image or table: never its content.
type Attachment struct {
	ID     string `json:"attachmentId"`
	Name   string `json:"name"` // a label, cleaned when made
	MIME   string `json:"mime"`
	Bytes  int64  `json:"bytes"`
	Width  int    `json:"width,omitempty"`
	Height int    `json:"height,omitempty"`
	Kind   string `json:"kind"`             // image or table
	SHA256 string `json:"sha256,omitempty"` // of an image's bytes as they are kept, in hex
}

// Upload is a file as somebody hands it in. Name and MIME are what the sender says of it, which is
// compared and never trusted; MIME may be empty.
type Upload struct {
	Name string
	MIME string
	Body io.Reader
}

// Picture is an upload made fit to be kept and sent. Its Attachment has no ID yet.
type Picture struct {
	Attachment
	Content []byte
	Notices []Notice // what a person should know of how it was taken
}

// Intake is the port to what takes pictures in and keeps those of one session. All methods may be
// called at the same time.
type Intake interface {
	// Take reads, checks and normalises an upload on the caller's goroutine, and keeps nothing
	// (the IMAGE codes, READ_FAILED, RUN_CANCELLED).
	Take(ctx context.Context, u Upload) (Picture, error)
	// Put keeps a picture durably under an id that nobody can guess; after an error nothing of it is
	// left (WRITE_FAILED, RUN_CANCELLED).
	Put(ctx context.Context, p Picture) (Attachment, error)
	// Read gives a picture's bytes as they were put (REF_NOT_FOUND, READ_FAILED).
	Read(ctx context.Context, a Attachment) ([]byte, error)
	// Remove removes a picture; it is no error that there is none (WRITE_FAILED).
	Remove(ctx context.Context, a Attachment) error
	// Sweep removes every file but those of the attachments given, and tells which of these have
	// none (READ_FAILED, WRITE_FAILED).
	Sweep(ctx context.Context, known []Attachment) (missing []Attachment, err error)
}

// AttachmentFiles keep the attachments of one session by their file's name.
type AttachmentFiles interface {
	ArtifactStore
	// Remove removes a file and returns when that is durable; it is no error that there is none
	// (WRITE_FAILED).
	Remove(ctx context.Context, name string) error
	// Names are those of all files, sorted (READ_FAILED).
	Names(ctx context.Context) ([]string, error)
}

// Opener reads the bytes of an attached picture as they were kept (REF_NOT_FOUND, READ_FAILED). It
// may be called from any goroutine.
type Opener func(ctx context.Context, a Attachment) ([]byte, error)

const imageKind = "image"

// imageTokens guesses what a picture costs: a token for 750 pixels, at most what a picture of the
// largest size that models look at costs.
func imageTokens(a Attachment) int {
	const pixels, least, most = 750, 64, 1600
	if a.Kind != imageKind {
		return 0
	}
	return min(max(a.Width*a.Height/pixels, least), most)
}

func images(list []Attachment) (n int) {
	for _, a := range list {
		if a.Kind == imageKind {
			n++
		}
	}
	return n
}
