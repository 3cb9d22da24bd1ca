package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// The codes of notices about pictures that are not sent any more. They are no errors.
const (
	ImageLeftOut    Code = "IMAGE_LEFT_OUT"   // a provider has refused it
	ImageUnreadable Code = "IMAGE_UNREADABLE" // its file is gone or changed
)

// applyPicture folds what becomes of attachments.
func (f *fold) applyPicture(e Event) {
	switch p := e.Payload.(type) {
	case AttachmentAdded:
		f.attached = append(f.attached, &attachState{Attachment: p.Attachment, seq: e.Seq})
	case AttachmentRemoved:
		f.attached = slices.DeleteFunc(f.attached, func(a *attachState) bool { return a.ID == p.ID })
	case Notice:
		if len(p.Attachments) > 0 {
			f.leaveOut(p.Attachments, p.Code)
		}
	}
}

// attachment is what is known of one, nil for an unknown id.
func (f *fold) attachment(id string) *attachState {
	if i := slices.IndexFunc(f.attached, func(a *attachState) bool { return a.ID == id }); i >= 0 {
		return f.attached[i]
	}
	return nil
}

// enclosed notes the message that attachments belong to; "" puts them back into the draft.
func (f *fold) enclosed(list []Attachment, m MessageID) {
	for _, a := range list {
		if at := f.attachment(a.ID); at != nil {
			at.message = m
		}
	}
}

// leaveOut puts words in the place of pictures for every later request. What was said with them stays.
func (f *fold) leaveOut(ids []string, why Code) {
	words := "[picture removed: provider refused it (%s)]"
	if why != ImageLeftOut {
		words = "[picture removed: its file cannot be read (%s)]"
	}
	for _, id := range ids {
		if at := f.attachment(id); at != nil {
			at.left = why
		}
	}
	for i := range f.messages {
		m := &f.messages[i]
		var stay []Attachment
		for _, a := range m.Attachments {
			if !slices.Contains(ids, a.ID) {
				stay = append(stay, a)
				continue
			}
			m.Text = strings.TrimLeft(m.Text+"\n"+fmt.Sprintf(words, a.Name), "\n")
		}
		m.Attachments = stay
	}
	f.untried = slices.DeleteFunc(f.untried, func(id string) bool { return slices.Contains(ids, id) })
}

// unreadable gathers the pictures of a request whose files could not be read.
type unreadable struct {
	mu  sync.Mutex
	ids []string
}

func (u *unreadable) list() []string {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.ids
}

// opener reads pictures for the model, and notes those that cannot be read.
func (r *run) opener(lost *unreadable) Opener {
	if r.intake == nil {
		return nil
	}
	return func(ctx context.Context, a Attachment) ([]byte, error) {
		content, err := r.intake.Read(ctx, a)
		if err != nil && ctx.Err() == nil {
			lost.mu.Lock()
			defer lost.mu.Unlock()
			if !slices.Contains(lost.ids, a.ID) {
				lost.ids = append(lost.ids, a.ID)
			}
		}
		return content, err
	}
}

// pictured tells of the pictures that were lost on the way, and of those that the provider refused: a
// request that it calls wrong is blamed on the pictures that no answered request has held yet. They
// are marked in the log, so that nothing that is sent later holds them; the error names them. An error
// that speaks of pictures while all of them are old is blamed on all.
func (r *run) pictured(req Request, lost *unreadable, a *heard) error {
	if ids := lost.list(); len(ids) > 0 {
		if _, err := r.leaveOut(req, ids, ImageUnreadable, ""); err != nil {
			return err
		}
	}
	if a.err == nil || a.begun || !r.cfg.Model.Info().Images {
		return nil
	}
	said, _ := DetailsOf(a.err)["providerMessage"].(string)
	code, _ := DetailsOf(a.err)["providerCode"].(string)
	spoken := speaksOfPictures(strings.ReplaceAll(said+" "+code, r.cfg.Model.Info().ID, ""))
	switch CodeOf(a.err) {
	case ModelBadRequest, ModelTooLarge:
	case ModelNotFound, ModelProtocol, ContextOverflow: // some say so of a model that sees nothing
		if !spoken {
			return nil
		}
	default:
		return nil // a wrong key, a limit, an overload: no refusal, whatever words come with it
	}
	var ids []string
	r.log.read(func(f *fold) { ids = slices.Clone(f.untried) })
	if len(ids) == 0 && spoken {
		for _, m := range req.Messages {
			for _, p := range m.Attachments {
				ids = append(ids, p.ID)
			}
		}
	}
	if len(ids) == 0 {
		return nil
	}
	names, err := r.leaveOut(req, ids, ImageLeftOut, said)
	if err != nil || names == "" {
		return err
	}
	e := &Error{Code: CodeOf(a.err), Err: a.err, Message: MessageOf(a.err) + ". Sent with it and not sent again: " + names}
	for key, value := range DetailsOf(a.err) {
		_ = e.With(key, value)
	}
	a.err = e.With("pictures", names)
	return nil
}

// leaveOut marks pictures in the log, message by message, and gives their names.
func (r *run) leaveOut(req Request, ids []string, why Code, said string) (string, error) {
	var all []string
	for _, m := range req.Messages {
		n := Notice{Code: why, About: m.Seq, Said: r.redact.Text(said)}
		var names []string
		for _, a := range m.Attachments {
			if slices.Contains(ids, a.ID) {
				n.Attachments, names = append(n.Attachments, a.ID), append(names, a.Name)
			}
		}
		if len(names) == 0 {
			continue
		}
		n.Message = "the provider refused the request that held " + strings.Join(names, ", ") + "; it is not sent again, and the conversation goes on without it"
		if why == ImageUnreadable {
			n.Message = strings.Join(names, ", ") + " cannot be read any more, so the model is told of it in words"
		}
		if _, err := r.emit(m.Seq, n); err != nil {
			return "", err
		}
		all = append(all, names...)
	}
	return strings.Join(all, ", "), nil
}

// speaksOfPictures tells whether a provider's words blame a picture.
func speaksOfPictures(said string) bool {
	low := strings.ToLower(said)
	for _, word := range []string{"image", "picture", "multimodal", "multi-modal", "base64", "图片", "图像"} {
		if strings.Contains(low, word) {
			return true
		}
	}
	return false
}
