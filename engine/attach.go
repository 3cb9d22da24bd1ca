package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// attachState is what has become of an attachment.
type attachState struct {
	Attachment
	seq     Seq       // of its attachment.added
	message MessageID // that it was sent with, "" while it waits in the draft
	left    Code      // why it is not sent any more, "" for no reason
}

// attach takes a picture into the session's draft. What is refused is told by an event and kept
// nowhere. Reading and decoding go on while the session does other things; the file is kept and told
// of in one step, so that none comes between.
func (s *Session) attach(ctx context.Context, c Attach) (Receipt, error) {
	if s.intake == nil {
		return Receipt{}, Errorf(NotAllowed, "this session takes no attachments")
	}
	s.mu.Lock()
	closed := s.closed
	s.mu.Unlock()
	if closed {
		return Receipt{}, SessionClosedCode
	}
	if err := s.room(0); err != nil {
		return Receipt{}, s.reject(c, err)
	}
	p, err := s.intake.Take(ctx, Upload{c.Name, c.MIME, c.Body})
	if err != nil {
		return Receipt{}, s.reject(c, err)
	}
	return s.keep(ctx, c, p)
}

// keep puts a picture into the draft: the file first, then its event.
func (s *Session) keep(ctx context.Context, c Attach, p Picture) (Receipt, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return Receipt{}, SessionClosedCode
	}
	if err := s.room(p.Bytes); err != nil {
		return Receipt{}, s.reject(c, err)
	}
	if err := s.log.settle(); err != nil { // a file must not lie where no session can be opened
		return Receipt{}, err
	}
	p.Name = s.redact.Text(p.Name)
	a, err := s.intake.Put(ctx, p)
	if err != nil {
		return Receipt{}, err
	}
	events, err := s.log.append(entry{payload: AttachmentAdded{Attachment: a, By: c.By}})
	if err != nil {
		return Receipt{}, errors.Join(err, s.intake.Remove(context.WithoutCancel(ctx), a))
	}
	seq := events[0].Seq
	for _, n := range p.Notices {
		n.About = seq
		if _, err := s.log.append(entry{cause: seq, payload: n}); err != nil {
			return Receipt{}, err
		}
	}
	return Receipt{Seq: seq, Attachment: a.ID}, nil
}

// room tells whether the draft and the session have room for one more picture of so many bytes.
func (s *Session) room(bytes int64) error {
	drafts, kept := 0, int64(0)
	s.log.read(func(f *fold) {
		for _, a := range f.attached {
			if kept += a.Bytes; a.message == "" {
				drafts++
			}
		}
	})
	if drafts >= MaxPictures {
		return tooMany()
	}
	if kept+bytes > MaxPictureBytes {
		return Errorf(ImageTooLarge, "the session's pictures would have more than %d MiB; remove some, or go on in a new session", MaxPictureBytes>>20).
			With("limit", int64(MaxPictureBytes)).With("kept", kept).With("all", fmt.Sprintf("%d MiB", MaxPictureBytes>>20))
	}
	return nil
}

func tooMany() error {
	return Errorf(ImageTooMany, "a message takes %d pictures at most; send the others with the next one", MaxPictures).With("limit", MaxPictures)
}

// reject tells of a refused file and gives the reason back. What somebody called off is no refusal.
func (s *Session) reject(c Attach, why error) error {
	if CodeOf(why) == RunCancelled {
		return why
	}
	const longest = 80
	name := Label(c.Name[strings.LastIndexAny(c.Name, `/\`)+1:], longest)
	_, err := s.log.append(entry{payload: AttachmentRejected{Name: s.redact.Text(name), Code: CodeOf(why), Message: s.redact.Text(MessageOf(why)), By: c.By}})
	if err != nil {
		return err
	}
	return why
}

// detach takes a picture out of the draft and removes its file.
func (s *Session) detach(ctx context.Context, c Detach) (Receipt, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return Receipt{}, SessionClosedCode
	}
	a, err := s.waits(c.Attachment)
	if err != nil {
		return Receipt{}, err
	}
	if err := s.intake.Remove(ctx, a.Attachment); err != nil {
		return Receipt{}, err
	}
	events, err := s.log.append(entry{cause: a.seq, payload: AttachmentRemoved{ID: a.ID, By: c.By}})
	if err != nil {
		return Receipt{}, err
	}
	return Receipt{Seq: events[0].Seq, Attachment: a.ID}, nil
}

// waits gives a picture of the draft (REF_NOT_FOUND, NOT_ALLOWED when it has been sent).
func (s *Session) waits(id string) (a attachState, err error) {
	var known *attachState
	s.log.read(func(f *fold) {
		if at := f.attachment(id); at != nil {
			a, known = *at, at
		}
	})
	switch {
	case known == nil || s.intake == nil:
		return a, Errorf(RefNotFound, "this session has no attachment %.80q", id)
	case a.message != "":
		return a, Errorf(NotAllowed, "%s has been sent with a message already", a.Name)
	}
	return a, nil
}

// enclose gives the pictures of the draft that go with a message, each once, in the order named. It
// refuses those that cannot be sent, before anything is.
func (s *Session) enclose(ctx context.Context, ids []string) (list []Attachment, err error) {
	for _, id := range ids {
		a, err := s.waits(id)
		if err != nil {
			return nil, err
		}
		for _, had := range list {
			if had.ID == id {
				return nil, Errorf(InvalidCommand, "the attachment %.80q is named twice", id)
			}
		}
		list = append(list, a.Attachment)
	}
	switch n := images(list); {
	case n > MaxPictures:
		return nil, tooMany()
	case n > 0 && !s.cfg.Model.Info().Images:
		return nil, Errorf(ModelTakesNoImages, "%s is not known to take images; nothing was sent. Remove the picture, choose another model, or set images to true (/model, --images)", s.cfg.Model.Info().ID)
	}
	for _, a := range list {
		if _, err := s.intake.Read(ctx, a); err != nil {
			return nil, Errorf(CodeOf(err), "%s cannot be read any more; remove it and attach it again", a.Name)
		}
	}
	return list, nil
}

// sweep brings the files of attachments and the log into line, after a process that was killed
// between the two: a file without an event goes, and a draft without a file is told to be gone.
func (s *Session) sweep(ctx context.Context) (out []entry) {
	if s.intake == nil {
		return nil
	}
	var known []Attachment
	s.log.read(func(f *fold) {
		for _, a := range f.attached {
			known = append(known, a.Attachment)
		}
	})
	missing, err := s.intake.Sweep(ctx, known)
	if err != nil {
		s.cfg.Fault("attachments", err, nil) // what is left does no harm, and goes with the session
	}
	for _, a := range missing {
		if at, err := s.waits(a.ID); err == nil {
			out = append(out, entry{cause: at.seq, payload: AttachmentRemoved{ID: a.ID, By: Actor{Screen: "policy", Name: "recovery"}}})
		}
	}
	return out
}
