package intake

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"agentstudio/engine"
)

// What a message and a session may hold.
const (
	MaxPerMessage = 4        // pictures
	MaxPerSession = 50 << 20 // bytes of normalised pictures
)

// CheckMessage refuses a message with more than MaxPerMessage pictures (IMAGE_TOO_MANY).
func CheckMessage(pictures int) error {
	if pictures <= MaxPerMessage {
		return nil
	}
	return engine.Errorf(engine.ImageTooMany, "a message takes %d pictures at most; send the others with the next one", MaxPerMessage).
		With("limit", MaxPerMessage)
}

// CheckSession refuses a picture of size bytes when the session, which has kept bytes of them, would
// have more than MaxPerSession (IMAGE_TOO_LARGE).
func CheckSession(kept, size int64) error {
	if kept+size <= MaxPerSession {
		return nil
	}
	return engine.Errorf(engine.ImageTooLarge, "the session's pictures would have more than %s; remove some, or go on in a new session", mebibytes(MaxPerSession)).
		With("limit", int64(MaxPerSession)).With("kept", kept)
}

// Files keeps one session's files by name, each replaced as a whole: workspace.Artifacts over the
// session's folder attachments, workspace.MemArtifacts for one that is not saved.
type Files interface {
	engine.ArtifactWriter
	// Read gives a file's content (REF_NOT_FOUND, READ_FAILED).
	Read(ctx context.Context, name string) ([]byte, error)
	// Remove removes a file; it is no error that there is none (WRITE_FAILED).
	Remove(ctx context.Context, name string) error
}

// Store keeps one session's pictures, each as attachmentId.png or .jpg. It may be used by many
// goroutines at once.
type Store struct {
	files Files
	newID func() string
}

// NewStore makes a store of these files. newID gives an id that nobody can guess, in letters,
// digits and _; it has nothing of what the sender said.
func NewStore(files Files, newID func() string) *Store { return &Store{files, newID} }

// Put keeps a picture and gives what events say of it. It returns when the file is durable; after an
// error no file is left (WRITE_FAILED, RUN_CANCELLED).
func (s *Store) Put(ctx context.Context, p Picture) (engine.Attachment, error) {
	a := engine.Attachment{ID: s.newID(), Name: p.Name, MIME: p.MIME, Bytes: int64(len(p.Bytes)),
		Width: p.Width, Height: p.Height, Kind: "image", SHA256: p.SHA256}
	if _, err := s.files.WriteArtifact(ctx, fileName(a), a.MIME, p.Bytes); err != nil {
		// The file may be there although its folder could not be synced. That it could not be
		// written is what counts.
		_ = s.files.Remove(context.WithoutCancel(ctx), fileName(a))
		return engine.Attachment{}, err
	}
	return a, nil
}

// Read gives a picture's bytes. Errors: REF_NOT_FOUND, READ_FAILED, also when the file is not what
// was put.
func (s *Store) Read(ctx context.Context, a engine.Attachment) ([]byte, error) {
	content, err := s.files.Read(ctx, fileName(a))
	if err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(content); hex.EncodeToString(sum[:]) != a.SHA256 {
		return nil, engine.Errorf(engine.ReadFailed, "the file of picture %s is not what was kept; attach it again", a.ID)
	}
	return content, nil
}

// Remove removes a picture's file. It is no error that it has gone already (WRITE_FAILED).
func (s *Store) Remove(ctx context.Context, a engine.Attachment) error {
	return s.files.Remove(ctx, fileName(a))
}

func fileName(a engine.Attachment) string {
	if a.MIME == "image/png" {
		return a.ID + ".png"
	}
	return a.ID + ".jpg"
}
