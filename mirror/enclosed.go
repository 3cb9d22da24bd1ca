package mirror

import (
	"context"
	"slices"

	"agentstudio/engine"
	"agentstudio/engine/view"
)

// enclosed are the pictures that go with a device's message: those that it names, else all that it
// has uploaded and that still wait.
func (m *Mirror) enclosed(f *folder, d *device, o order) (ids []string) {
	if o.Attachments != nil {
		return *o.Attachments
	}
	for _, a := range f.draft() {
		if a.By.Device == d.id {
			ids = append(ids, a.ID)
		}
	}
	return ids
}

// send says something as the device's person, with the pictures that go with it. The folder has heard
// of it before the answer is given, so that the next message does not name the same pictures.
func (m *Mirror) send(ctx context.Context, d *device, o order) result {
	if o.Session != "" && o.Session != m.current().ID() {
		return failure(o.ID, elsewhere())
	}
	f := m.folder(ShareAll)
	with := m.enclosed(f, d, o)
	var c engine.Command
	switch o.Delivery {
	case "", "prompt":
		c = engine.Send{Text: o.Text, Attachments: with, By: m.actor(d)}
	case "followUp":
		c = engine.FollowUp{Text: o.Text, Attachments: with, By: m.actor(d)}
	case "steer":
		c = engine.Steer{Text: o.Text, Attachments: with, By: m.actor(d)}
	default:
		return failure(o.ID, engine.Errorf(engine.RequestMalformed, "delivery is prompt, followUp or steer, not %q", inline(o.Delivery)))
	}
	r, err := m.current().Do(ctx, c)
	if err == nil && len(with) > 0 {
		f.reach(m.ctx, r.Seq)
	}
	return outcome(o.ID, r, err)
}

// elsewhere refuses what was meant for a session that is shown no more (SESSION_CLOSED).
func elsewhere() error {
	return engine.Errorf(engine.SessionClosedCode, "this was for a session that is not shown any more; look at the one that is, and send it again if it still fits")
}

// takeBack removes a picture that waits, for the device that uploaded it and no other.
func (m *Mirror) takeBack(ctx context.Context, d *device, o order) result {
	f := m.folder(ShareAll)
	waiting := f.draft()
	i := slices.IndexFunc(waiting, func(a view.Attachment) bool { return a.ID == o.Attachment })
	switch {
	case i < 0:
		return failure(o.ID, engine.Errorf(engine.RefNotFound, "no picture of this id waits to be sent"))
	case waiting[i].By.Device != d.id:
		return failure(o.ID, engine.Errorf(engine.NotAllowed, "a picture is taken back by the device that uploaded it, or at the terminal"))
	}
	r, err := m.current().Do(ctx, engine.Detach{Attachment: o.Attachment, By: m.actor(d)})
	if err == nil {
		f.reach(m.ctx, r.Seq)
	}
	return outcome(o.ID, r, err)
}

// draft are the pictures that wait for a message, in the order they were added.
func (f *folder) draft() []view.Attachment {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.state.Draft()
}
