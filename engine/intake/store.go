package intake

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"

	"agentstudio/engine"
)

// Store takes in the pictures of one session and keeps each as attachmentId.png or .jpg. It may be
// used by many goroutines at once.
type Store struct {
	take  *Intake
	files engine.AttachmentFiles
	newID func() string
}

var _ engine.Intake = (*Store)(nil)

// NewStore makes the intake of a session with these files. newID gives an id that nobody can guess, in
// letters, digits and _; it has nothing of what the sender said.
func NewStore(take *Intake, files engine.AttachmentFiles, newID func() string) *Store {
	return &Store{take, files, newID}
}

// Take implements engine.Intake: see Image for its errors.
func (s *Store) Take(ctx context.Context, u engine.Upload) (engine.Picture, error) {
	p, err := s.take.Image(ctx, Source(u))
	if err != nil {
		return engine.Picture{}, err
	}
	return kept(p), nil
}

// kept is a picture as the engine keeps it.
func kept(p Picture) engine.Picture {
	out := engine.Picture{Content: p.Bytes, Attachment: engine.Attachment{Name: p.Name, MIME: p.MIME, Bytes: int64(len(p.Bytes)),
		Width: p.Width, Height: p.Height, Kind: "image", SHA256: p.SHA256}}
	for _, n := range p.Notices {
		out.Notices = append(out.Notices, engine.Notice{Code: n.Code, Message: p.Name + ": " + n.Message})
	}
	return out
}

// Put keeps a picture and gives what events say of it. It returns when the file is durable; after an
// error no file is left (WRITE_FAILED, RUN_CANCELLED).
func (s *Store) Put(ctx context.Context, p engine.Picture) (engine.Attachment, error) {
	a := p.Attachment
	a.ID = s.newID()
	if _, err := s.files.WriteArtifact(ctx, fileName(a), a.MIME, p.Content); err != nil {
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

// Sweep implements engine.Intake.
func (s *Store) Sweep(ctx context.Context, known []engine.Attachment) (missing []engine.Attachment, err error) {
	names, err := s.files.Names(ctx)
	if err != nil {
		return nil, err
	}
	there := map[string]bool{}
	for _, name := range names {
		there[name] = true
	}
	for _, a := range known {
		if !there[fileName(a)] {
			missing = append(missing, a)
		}
		delete(there, fileName(a))
	}
	for _, name := range names {
		if there[name] {
			err = errors.Join(err, s.files.Remove(ctx, name))
		}
	}
	return missing, err
}

func fileName(a engine.Attachment) string {
	if a.MIME == "image/png" {
		return a.ID + ".png"
	}
	return a.ID + ".jpg"
}
