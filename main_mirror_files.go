package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strings"

	"agentstudio/engine"
	"agentstudio/engine/page"
	"agentstudio/mirror"
)

// filed gives the mirror its page, and pictures to and from the session that it serves.
func filed(o *mirror.Options, serves func() *engine.Session) {
	o.Page = page.Files()
	o.Intake = func(ctx context.Context, by engine.Actor, name, mime string, content io.Reader) (engine.Attachment, engine.Seq, error) {
		return takeIn(ctx, serves(), engine.Attach{Name: name, MIME: mime, Body: content, By: by})
	}
	o.Picture = func(ctx context.Context, id string) (string, io.ReadCloser, error) {
		return picture(ctx, serves(), id)
	}
}

// takeIn attaches a picture to the draft and gives it as the log has it, with the number of its event.
func takeIn(ctx context.Context, s *engine.Session, c engine.Attach) (engine.Attachment, engine.Seq, error) {
	r, err := s.Do(ctx, c)
	if err != nil {
		return engine.Attachment{}, 0, err
	}
	for batch, err := range s.Follow(ctx, r.Seq-1) {
		if err != nil {
			return engine.Attachment{}, 0, err
		}
		for _, e := range batch {
			if p, ok := e.Payload.(engine.AttachmentAdded); ok && p.ID == r.Attachment {
				return p.Attachment, e.Seq, nil
			}
		}
	}
	return engine.Attachment{}, 0, engine.Errorf(engine.SessionClosedCode, "the session was closed meanwhile")
}

// picture opens a picture of the session, with its type by its own first bytes.
func picture(ctx context.Context, s *engine.Session, id string) (string, io.ReadCloser, error) {
	r, err := s.Read(ctx, engine.Ref{Attachment: id})
	if err != nil {
		return "", nil, err
	}
	content := bufio.NewReader(r)
	head, _ := content.Peek(512) // a short one is whole
	kind := http.DetectContentType(head)
	if !strings.HasPrefix(kind, "image/") {
		_ = r.Close()
		return "", nil, engine.Errorf(engine.RefNotFound, "there is no picture of that id")
	}
	return kind, struct {
		io.Reader
		io.Closer
	}{content, r}, nil
}
