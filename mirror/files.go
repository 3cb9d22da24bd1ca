package mirror

import (
	"context"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"time"

	"agentstudio/engine"
)

// mostUploads is how many a device may have under way, each of which holds its bytes in memory.
const mostUploads = 8

// upload is POST /api/attachments: multipart/form-data with one part named file.
func (m *Mirror) upload(v *visit) error {
	if m.o.Intake == nil {
		return engine.Errorf(engine.NotAllowed, "this session takes no uploads")
	}
	if kind, _, err := mime.ParseMediaType(v.r.Header.Get("Content-Type")); err != nil || kind != "multipart/form-data" {
		return engine.Errorf(engine.RequestMalformed, "an upload is multipart/form-data with one part named file")
	}
	id := v.r.Header.Get("X-Client-Id")
	if len(id) > 64 {
		return engine.Errorf(engine.RequestMalformed, "an id has at most 64 characters")
	}
	if named := v.r.Header.Get("X-Session-Id"); named != "" && named != string(m.current().ID()) {
		return elsewhere()
	}
	r := m.uploadAgain(v, id)
	if !r.OK {
		v.json(statusOf(r.Code), struct {
			Error     wireError `json:"error"`
			RequestID string    `json:"requestId"`
		}{wireError{r.Code, r.Message, r.Details}, v.id})
		return nil
	}
	v.json(http.StatusOK, r)
	return nil
}

// uploadAgain takes the place of an upload of the same id that is still under way.
func (m *Mirror) uploadAgain(v *visit, id string) result {
	u := &uploading{body: v.r.Body, rc: http.NewResponseController(v.raw), pace: m.o.pace, until: time.Now().Add(m.o.pace.whole), done: make(chan struct{})}
	v.r.Body = u
	if id != "" {
		key := v.device.id + " " + id
		if err := m.uploads.begin(v.r.Context(), key, u); err != nil {
			return failure(id, err)
		}
		defer m.uploads.finish(key, u)
	}
	defer v.device.uploads.Add(-1) // before the one that took its place goes on
	if v.device.uploads.Add(1) > mostUploads {
		return failure(id, engine.Errorf(engine.RateLimited, "a device sends at most %d uploads at once; wait for the others", mostUploads))
	}
	return m.uploadOnce(v, id)
}

func (m *Mirror) uploadOnce(v *visit, id string) result {
	key := id
	if key != "" {
		key = "upload " + key
	}
	r := v.device.answers.once(v.r.Context(), key, func() result { return m.keep(v, id) })
	if !r.OK { // it was cut on the way, or refused; another try is another upload
		v.device.answers.forget(key)
	}
	return r
}

// keep has the upload's file taken in, for the session that is shown as it begins.
func (m *Mirror) keep(v *visit, id string) result {
	into := m.current()
	parts, err := v.r.MultipartReader()
	if err != nil {
		return failure(id, engine.Errorf(engine.RequestMalformed, "the upload has no parts"))
	}
	part, err := fileIn(parts)
	switch {
	case errors.Is(err, io.EOF):
		return failure(id, engine.Errorf(engine.RequestMalformed, "the upload has no part named file"))
	case err != nil:
		return failure(id, uploadFault(err))
	}
	f := m.folder(ShareAll)
	content := &fault{Reader: &heeded{part, func() error { return m.stillFor(v.device, into) }, func() error { return noOther(parts) }}}
	a, told, err := m.o.Intake(v.r.Context(), m.actor(v.device), engine.Label(inline(part.FileName()), 120), part.Header.Get("Content-Type"), content)
	switch {
	case content.err != nil && err != nil:
		return failure(id, uploadFault(content.err))
	case err != nil:
		return failure(id, uploadFault(err))
	}
	if err := m.allowed(v.device, decide); err != nil { // let out between the last byte and the log
		_, _ = into.Do(context.WithoutCancel(v.r.Context()), engine.Detach{Attachment: a.ID, By: m.o.By})
		return failure(id, err)
	}
	f.reach(m.ctx, told) // it goes with the device's next message
	a.Name = inline(a.Name)
	return result{Type: "result", ID: id, OK: true, Upload: &a}
}

// stillFor refuses an upload whose device may no longer send it, or whose session is shown no more.
func (m *Mirror) stillFor(d *device, into Session) error {
	if m.current() != into {
		return elsewhere()
	}
	return m.allowed(d, decide)
}

// fileIn reads on to the next part named file; io.EOF when there is none.
func fileIn(parts *multipart.Reader) (*multipart.Part, error) {
	for {
		part, err := parts.NextPart()
		if err != nil || part.FormName() == "file" {
			return part, err
		}
	}
}

// noOther refuses a second file behind the first.
func noOther(parts *multipart.Reader) error {
	_, err := fileIn(parts)
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case err == nil:
		return engine.Errorf(engine.RequestMalformed, "an upload has one part named file; send the others by themselves")
	}
	return err
}

// uploadFault gives a cut or too large upload its code.
func uploadFault(err error) error {
	var head textproto.ProtocolError
	var coded *engine.Error
	switch {
	case errors.As(err, &head):
		return engine.Errorf(engine.RequestMalformed, "the head of the upload's part cannot be read; a name with control characters goes in as filename*=UTF-8''… (RFC 8187)")
	case errors.As(err, &coded):
		return err
	}
	return cutShort(err)
}

// picture gives a normalised image: whoever sees everything may see it.
func (m *Mirror) picture(v *visit) error {
	if v.share != ShareAll {
		return engine.Errorf(engine.NotAllowed, "pictures are not shared with viewers")
	}
	if m.o.Picture == nil {
		return engine.Errorf(engine.RefNotFound, "this session has no pictures")
	}
	kind, content, err := m.o.Picture(v.r.Context(), v.r.PathValue("id"))
	if err != nil {
		return err
	}
	if kind != "image/png" && kind != "image/jpeg" {
		_ = content.Close()
		return engine.Errorf(engine.RefNotFound, "there is no picture of this id")
	}
	return v.deliver(kind, "", content)
}

// artifact gives a file that the agent made, to be saved and never shown as it is.
func (m *Mirror) artifact(v *visit) error {
	if v.share != ShareAll {
		return engine.Errorf(engine.NotAllowed, "files are not shared with viewers")
	}
	id := v.r.PathValue("id")
	name, ok := m.folder(ShareAll).artifactName(id)
	if !ok {
		return engine.Errorf(engine.RefNotFound, "there is no file of this id")
	}
	content, err := m.current().Read(v.r.Context(), engine.Ref{Artifact: id})
	if err != nil {
		return err
	}
	return v.deliver("application/octet-stream", name, content)
}

// deliver sends bytes as nothing that a browser would run.
func (v *visit) deliver(kind, name string, content io.ReadCloser) error {
	defer func() { _ = content.Close() }()
	h := v.w.Header()
	h.Set("Content-Type", kind)
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	h.Set("Content-Disposition", "attachment")
	if name != "" {
		h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
	}
	_, err := io.Copy(v.w, content)
	if err != nil && !errors.Is(err, context.Canceled) {
		panic(http.ErrAbortHandler) // the client must not take half a file for the whole
	}
	return nil
}

// artifactName finds the name of a file of the session.
func (f *folder) artifactName(id string) (string, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, a := range f.state.Artifacts {
		if a.ID == id {
			return inline(a.Name), true
		}
	}
	return "", false
}
