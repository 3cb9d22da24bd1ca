package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"

	"agentstudio/engine"
)

// album is an Intake in memory: a file that begins with "bad" is refused, everything else is a
// picture of ten pixels by ten.
type album struct {
	mu    sync.Mutex
	files map[string][]byte
	size  int64 // what a picture claims to have, 0 for the truth
	n     int
}

func (a *album) Take(_ context.Context, u engine.Upload) (engine.Picture, error) {
	b, err := io.ReadAll(u.Body)
	if err != nil {
		return engine.Picture{}, engine.Errorf(engine.ReadFailed, "unreadable")
	}
	if bytes.HasPrefix(b, []byte("bad")) {
		return engine.Picture{}, engine.Errorf(engine.ImageCorrupt, "the picture is damaged")
	}
	p := engine.Picture{Content: b, Attachment: engine.Attachment{Name: u.Name, MIME: "image/png", Bytes: int64(len(b)), Width: 750, Height: 100, Kind: "image"}}
	if a.size > 0 {
		p.Bytes = a.size
	}
	if bytes.HasPrefix(b, []byte("gif")) {
		p.Notices = []engine.Notice{{Code: "ANIMATION_DROPPED", Message: "only its first frame is used"}}
	}
	return p, nil
}

func (a *album) Put(_ context.Context, p engine.Picture) (engine.Attachment, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.n++
	p.ID = fmt.Sprintf("att_%d", a.n)
	if a.files == nil {
		a.files = map[string][]byte{}
	}
	a.files[p.ID] = p.Content
	return p.Attachment, nil
}

func (a *album) Read(_ context.Context, at engine.Attachment) ([]byte, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if b, ok := a.files[at.ID]; ok {
		return b, nil
	}
	return nil, engine.Errorf(engine.RefNotFound, "no file")
}

func (a *album) Remove(_ context.Context, at engine.Attachment) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.files, at.ID)
	return nil
}

func (a *album) Sweep(_ context.Context, known []engine.Attachment) (missing []engine.Attachment, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for id := range a.files {
		if !slices.ContainsFunc(known, func(k engine.Attachment) bool { return k.ID == id }) {
			delete(a.files, id)
		}
	}
	for _, k := range known {
		if _, ok := a.files[k.ID]; !ok {
			missing = append(missing, k)
		}
	}
	return missing, nil
}

func (a *album) lose(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.files, id)
}

func (a *album) count() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.files)
}

// seer is a model that takes images.
type seer struct{ *script }

func (s seer) Info() engine.ModelInfo {
	i := s.script.Info()
	i.Images = true
	return i
}

// gallery opens a session that takes pictures, on a model that sees.
func gallery(t *testing.T, a *album, turns ...turn) *bench {
	t.Helper()
	model := &script{turns: turns}
	b := open(t, engine.Config{Model: seer{model}, Intake: func(engine.Env) engine.Intake { return a }})
	b.model = model
	return b
}

func (b *bench) attach(name, content string) string {
	b.t.Helper()
	r, err := b.s.Do(b.t.Context(), engine.Attach{Name: name, Body: strings.NewReader(content), By: tester})
	if err != nil {
		b.t.Fatal(err)
	}
	return r.Attachment
}

func (b *bench) with(text string, ids ...string) []engine.Event {
	b.t.Helper()
	r, err := b.s.Do(b.t.Context(), engine.Send{Text: text, Attachments: ids, By: tester})
	if err != nil {
		b.t.Fatal(err)
	}
	return b.untilEnd(r.Run)
}

func TestAPictureIsAttachedSentAndRead(t *testing.T) {
	a := &album{}
	b := gallery(t, a, say("I see"))
	id := b.attach("shot.png", "gif pixels")
	log := b.with("", id)
	want := []string{"session.started", "catalog.loaded", "model.configured", "attachment.added", "notice", "user.message", "run.started"}
	if got := kindsOf(log)[:len(want)]; !slices.Equal(got, want) {
		t.Fatalf("events %v", got)
	}
	if n := find[engine.Notice](t, log); n.Code != "ANIMATION_DROPPED" || n.About != log[3].Seq || log[4].Cause != log[3].Seq {
		t.Errorf("%+v, cause %d", n, log[4].Cause)
	}
	if m := find[engine.UserMessage](t, log); m.Text != "" || len(m.Attachments) != 1 || m.Attachments[0].ID != id || m.Attachments[0].Name != "shot.png" {
		t.Errorf("%+v", m)
	}
	parts := find[engine.TurnStarted](t, log).Parts
	if !slices.Contains(parts, engine.ContextPart{Kind: "images", Tokens: 100}) {
		t.Errorf("parts %+v", parts)
	}
	req := b.model.requests()[0]
	if len(req.Messages) != 1 || len(req.Messages[0].Attachments) != 1 {
		t.Fatalf("%+v", req.Messages)
	}
	content, err := req.Open(t.Context(), req.Messages[0].Attachments[0])
	if err != nil || string(content) != "gif pixels" {
		t.Errorf("%q, %v", content, err)
	}
	r, err := b.s.Read(t.Context(), engine.Ref{Attachment: id})
	if err != nil {
		t.Fatal(err)
	}
	if content, err := io.ReadAll(r); err != nil || string(content) != "gif pixels" {
		t.Errorf("%q, %v", content, err)
	}
	_, err = b.s.Read(t.Context(), engine.Ref{Attachment: "att_99"})
	wantCode(t, err, engine.RefNotFound)
	_, err = b.s.Do(t.Context(), engine.Detach{Attachment: id, By: tester})
	wantCode(t, err, engine.NotAllowed)
	_, err = b.s.Do(t.Context(), engine.Send{Text: "again", Attachments: []string{id}, By: tester})
	wantCode(t, err, engine.NotAllowed)
}

func TestARefusedPictureIsToldAndNotKept(t *testing.T) {
	a := &album{}
	b := gallery(t, a, say("fine"))
	_, err := b.s.Do(t.Context(), engine.Attach{Name: `C:\pics\evil` + "\x1b[2J.png", Body: strings.NewReader("bad"), By: tester})
	wantCode(t, err, engine.ImageCorrupt)
	p := find[engine.AttachmentRejected](t, b.untilKind("attachment.rejected"))
	if p.Name != "evil [2J.png" || p.Code != engine.ImageCorrupt || p.Message != "the picture is damaged" || p.By != tester || a.count() != 0 {
		t.Errorf("%+v, %d kept", p, a.count())
	}
}

func TestADraftHoldsFourPictures(t *testing.T) {
	a := &album{}
	b := gallery(t, a, say("fine"))
	var ids []string
	for i := range 4 {
		ids = append(ids, b.attach(fmt.Sprintf("%d.png", i), "x"))
	}
	_, err := b.s.Do(t.Context(), engine.Attach{Name: "5.png", Body: strings.NewReader("x"), By: tester})
	wantCode(t, err, engine.ImageTooMany)
	if _, err := b.s.Do(t.Context(), engine.Detach{Attachment: ids[1], By: tester}); err != nil || a.count() != 3 {
		t.Fatal(err, a.count())
	}
	_, err = b.s.Do(t.Context(), engine.Detach{Attachment: ids[1], By: tester})
	wantCode(t, err, engine.RefNotFound)
	_, err = b.s.Do(t.Context(), engine.Send{Attachments: []string{ids[0], ids[0]}, By: tester})
	wantCode(t, err, engine.InvalidCommand)
	_, err = b.s.Do(t.Context(), engine.Send{Attachments: []string{ids[1]}, By: tester})
	wantCode(t, err, engine.RefNotFound)
	log := b.with("look", ids[2], ids[0])
	m := find[engine.UserMessage](t, log)
	if len(m.Attachments) != 2 || m.Attachments[0].ID != ids[2] || m.Attachments[1].ID != ids[0] {
		t.Errorf("%+v", m.Attachments)
	}
}

func TestASessionHoldsFiftyMiBOfPictures(t *testing.T) {
	a := &album{size: 26 << 20}
	b := gallery(t, a, say("fine"))
	id := b.attach("a.png", "x")
	b.with("", id)
	_, err := b.s.Do(t.Context(), engine.Attach{Name: "b.png", Body: strings.NewReader("x"), By: tester})
	wantCode(t, err, engine.ImageTooLarge)
	if a.count() != 1 || !strings.Contains(err.Error(), "50 MiB") {
		t.Error(a.count(), err)
	}
}

// A model that sees nothing is not sent a picture, nor anything else; the picture goes on waiting, also
// where it would have been queued.
func TestAModelWithoutEyes(t *testing.T) {
	a := &album{}
	hold := make(chan struct{})
	b := open(t, engine.Config{Intake: func(engine.Env) engine.Intake { return a }}, func(ctx context.Context, r engine.Request, yield func(engine.Chunk) bool) error {
		<-hold
		return say("fine")(ctx, r, yield)
	})
	id := b.attach("shot.png", "x")
	_, err := b.s.Do(t.Context(), engine.Send{Text: "look", Attachments: []string{id}, By: tester})
	wantCode(t, err, engine.ModelTakesNoImages)
	run := b.send("hello")
	for _, c := range []engine.Command{engine.FollowUp{Text: "look", Attachments: []string{id}, By: tester}, engine.Steer{Text: "look", Attachments: []string{id}, By: tester}} {
		_, err = b.s.Do(t.Context(), c)
		wantCode(t, err, engine.ModelTakesNoImages)
	}
	close(hold)
	log := b.untilEnd(run)
	if n := len(all[engine.UserMessage](log)); n != 1 || a.count() != 1 {
		t.Errorf("%d messages, %d pictures", n, a.count())
	}
	if _, err := b.s.Do(t.Context(), engine.Detach{Attachment: id, By: tester}); err != nil {
		t.Error(err)
	}
}

// A queued message that is withdrawn gives its pictures back.
func TestAWithdrawnMessageGivesItsPicturesBack(t *testing.T) {
	a := &album{}
	asked, hold := make(chan struct{}), make(chan struct{})
	b := gallery(t, a, func(ctx context.Context, r engine.Request, yield func(engine.Chunk) bool) error {
		close(asked)
		select {
		case <-hold:
		case <-ctx.Done(): // the test has failed
		}
		return say("fine")(ctx, r, yield)
	}, say("I see"))
	id := b.attach("shot.png", "x")
	run := b.send("hello")
	<-asked // what is queued before the first turn is delivered with it
	r, err := b.s.Do(t.Context(), engine.FollowUp{Attachments: []string{id}, By: tester})
	if err != nil {
		t.Fatal(err)
	}
	_, err = b.s.Do(t.Context(), engine.Detach{Attachment: id, By: tester})
	wantCode(t, err, engine.NotAllowed)
	if _, err := b.s.Do(t.Context(), engine.Withdraw{Message: r.Message, By: tester}); err != nil {
		t.Fatal(err)
	}
	close(hold)
	b.untilEnd(run)
	b.with("now", id)
	last := b.model.requests()[1].Messages
	if m := last[len(last)-1]; m.Text != "now" || len(m.Attachments) != 1 {
		t.Errorf("%+v", m)
	}
}

func refuses(code engine.Code, said string) turn {
	return func(context.Context, engine.Request, func(engine.Chunk) bool) error {
		return engine.Errorf(code, "the provider calls the request wrong (400): “%s”; change it", said).With("status", 400).With("providerMessage", said)
	}
}

// pictures are the ids of all that a request holds, and its words.
func pictures(r engine.Request) (ids []string, words string) {
	for _, m := range r.Messages {
		words += m.Text + "\n"
		for _, a := range m.Attachments {
			ids = append(ids, a.ID)
		}
	}
	return ids, words
}

// One bad picture must not make a session useless: case i-poisoned-history.
func TestPoisonedHistory(t *testing.T) {
	a := &album{}
	store := &engine.MemStore{}
	said := "messages.2.content.1.image.source.base64.data: Could not process image"
	model := &script{turns: []turn{say("hi"), refuses(engine.ModelBadRequest, said), say("never mind"), say("still here"), say("the summary of it all")}}
	cfg := engine.Config{Model: seer{model}, Store: store, NewID: counter(), Intake: func(engine.Env) engine.Intake { return a }}
	b := open(t, cfg)
	b.model = model
	b.untilEnd(b.send("hello"))
	id := b.attach("cat.png", "x")
	log := b.with("what is this?", id)
	failed := find[engine.RunFailed](t, log)
	if failed.Code != engine.ModelBadRequest || !strings.Contains(failed.Message, said) || !strings.Contains(failed.Message, "cat.png") {
		t.Errorf("%+v", failed)
	}
	notice := find[engine.Notice](t, slices.DeleteFunc(slices.Clone(log), func(e engine.Event) bool {
		n, ok := e.Payload.(engine.Notice)
		return ok && n.Code != engine.ImageLeftOut
	}))
	asked := all[engine.UserMessage](log)[1]
	var about engine.UserMessage
	for _, e := range log {
		if e.Seq == notice.About {
			about = e.Payload.(engine.UserMessage)
		}
	}
	if !slices.Equal(notice.Attachments, []string{id}) || notice.Said != said || about.Message != asked.Message {
		t.Errorf("%+v", notice)
	}
	if len(model.requests()) != 2 {
		t.Errorf("%d requests: it was sent again by itself", len(model.requests()))
	}
	check := func(r engine.Request, want string) {
		t.Helper()
		ids, words := pictures(r)
		if len(ids) != 0 || !strings.Contains(words, "what is this?\n[picture removed: provider refused it (cat.png)]") || !strings.Contains(words, want) {
			t.Errorf("sent %v with %q", ids, words)
		}
	}
	b.untilEnd(b.send("never mind"))
	check(model.requests()[2], "never mind")
	if err := b.s.Close(); err != nil {
		t.Fatal(err)
	}
	s, err := b.engine.Open(t.Context(), b.s.ID())
	if err != nil {
		t.Fatal(err)
	}
	b.s = s
	b.untilEnd(b.send("still there?"))
	check(model.requests()[3], "still there?")
}

// Only pictures that no answered request held are blamed, unless the provider's words speak of them.
func TestWhoIsBlamedForARefusal(t *testing.T) {
	a := &album{}
	b := gallery(t, a, say("I see"), refuses(engine.ModelBadRequest, "max_tokens is too large"), refuses(engine.ModelNotFound, "No endpoints found that support image input"), say("fine"))
	old := b.attach("old.png", "x")
	b.with("", old)
	b.with("and now?")
	if ids, _ := pictures(b.model.requests()[1]); !slices.Equal(ids, []string{old}) {
		t.Fatalf("%v", ids)
	}
	b.with("once more")
	if ids, _ := pictures(b.model.requests()[2]); !slices.Equal(ids, []string{old}) {
		t.Fatalf("%v: blamed for what isn't its fault", ids)
	}
	requests := len(b.model.requests())
	b.with("and again")
	if ids, words := pictures(b.model.requests()[requests]); len(ids) != 0 || !strings.Contains(words, "[picture removed: provider refused it (old.png)]") {
		t.Errorf("%v with %q", ids, words)
	}
}

// What passes or can be mended is no refusal of a picture, whatever words come with it: the picture goes
// again with the next message.
func TestWhatIsNoRefusalOfAPicture(t *testing.T) {
	for text, code := range map[string]engine.Code{
		"You do not have access to model gpt-4-vision-preview":                 engine.ModelAuth,
		"Model llama-3.2-90b-vision-instruct is overloaded":                    engine.ModelOverloaded,
		"You exceeded images per minute":                                       engine.ModelRateLimited,
		"Insufficient credits to use image models":                             engine.ModelQuota,
		"Your provisioned throughput is exceeded, the image server slows down": engine.ModelServer,
		"the model fake does not exist":                                        engine.ModelNotFound,
	} {
		a := &album{}
		refuse := refuses(code, text)
		b := gallery(t, a, refuse, refuse, refuse, say("I see"))
		id := b.attach("new.png", "x")
		b.with("", id)
		for range 3 {
			b.with("again")
		}
		last := b.model.requests()[len(b.model.requests())-1]
		if ids, words := pictures(last); !slices.Equal(ids, []string{id}) {
			t.Errorf("%s: %v with %q", text, ids, words)
		}
	}
}

// A file that was lost stops nothing: the model is told in words, people by a notice.
func TestALostPicture(t *testing.T) {
	a := &album{}
	reads := func(ctx context.Context, r engine.Request, yield func(engine.Chunk) bool) error {
		for _, m := range r.Messages {
			for _, p := range m.Attachments {
				if _, err := r.Open(ctx, p); err == nil {
					return errors.New("it is there")
				}
			}
		}
		return say("fine")(ctx, r, yield)
	}
	b := gallery(t, a, say("I see"), reads, say("fine"))
	id := b.attach("a.png", "x")
	b.with("", id)
	a.lose(id)
	log := b.with("and now?")
	if n := find[engine.Notice](t, log[slices.IndexFunc(log, func(e engine.Event) bool {
		return e.Kind() == "notice" && e.Payload.(engine.Notice).Code == engine.ImageUnreadable
	}):]); !slices.Equal(n.Attachments, []string{id}) {
		t.Errorf("%+v", n)
	}
	b.with("once more")
	if ids, words := pictures(b.model.requests()[2]); len(ids) != 0 || !strings.Contains(words, "its file cannot be read (a.png)") {
		t.Errorf("%v with %q", ids, words)
	}
	lost := b.attach("b.png", "x")
	a.lose(lost)
	_, err := b.s.Do(t.Context(), engine.Send{Text: "look", Attachments: []string{lost}, By: tester})
	wantCode(t, err, engine.RefNotFound)
}

// A process that was killed between file and event leaves neither without the other.
func TestReopeningBringsFilesAndLogIntoLine(t *testing.T) {
	a := &album{}
	b := gallery(t, a, say("fine"))
	kept, lost := b.attach("kept.png", "x"), b.attach("lost.png", "x")
	a.lose(lost)
	orphan, err := a.Put(t.Context(), engine.Picture{Content: []byte("x")})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.s.Close(); err != nil {
		t.Fatal(err)
	}
	s, err := b.engine.Open(t.Context(), b.s.ID())
	if err != nil {
		t.Fatal(err)
	}
	b.s = s
	log := b.with("look", kept)
	if removed := all[engine.AttachmentRemoved](log); len(removed) != 1 || removed[0].ID != lost || removed[0].By.Name != "recovery" {
		t.Errorf("%+v", removed)
	}
	if _, err := a.Read(t.Context(), orphan); a.count() != 1 || err == nil {
		t.Errorf("%d files", a.count())
	}
}

// What attaches while others remove, send and close never leaves a file without its event.
func TestAttachingRaces(t *testing.T) {
	a := &album{}
	b := gallery(t, a, say("fine"))
	var all sync.WaitGroup
	for n := range 8 {
		all.Go(func() {
			for i := range 5 {
				r, err := b.s.Do(t.Context(), engine.Attach{Name: "a.png", Body: strings.NewReader("x"), By: tester})
				if err == nil && (n+i)%2 == 0 {
					_, _ = b.s.Do(t.Context(), engine.Detach{Attachment: r.Attachment, By: tester})
				}
			}
		})
	}
	all.Wait()
	if err := b.s.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := b.s.Do(t.Context(), engine.Attach{Name: "late.png", Body: strings.NewReader("x"), By: tester})
	wantCode(t, err, engine.SessionClosedCode)
	known := map[string]bool{}
	for batch, err := range b.s.Follow(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range batch {
			switch p := e.Payload.(type) {
			case engine.AttachmentAdded:
				known[p.ID] = true
			case engine.AttachmentRemoved:
				delete(known, p.ID)
			}
		}
	}
	if len(known) != a.count() || len(known) > engine.MaxPictures {
		t.Errorf("%d in the log, %d files", len(known), a.count())
	}
}

// A journal that refuses the event of a picture leaves no file of it.
func TestAPictureWithoutItsEventIsNotKept(t *testing.T) {
	a := &album{}
	store := &faultStore{fail: func(step string, events []engine.Event) error {
		if step == "append" && slices.ContainsFunc(events, func(e engine.Event) bool { return e.Kind() == "attachment.added" }) {
			return errDisk
		}
		return nil
	}}
	b := open(t, engine.Config{Store: store, Intake: func(engine.Env) engine.Intake { return a }}, say("fine"))
	_, err := b.s.Do(t.Context(), engine.Attach{Name: "a.png", Body: strings.NewReader("x"), By: tester})
	wantCode(t, err, engine.JournalFailed)
	if a.count() != 0 {
		t.Errorf("%d files", a.count())
	}
}

// A disk that can't make the session's folder takes no picture either.
func TestAPictureNeedsItsSession(t *testing.T) {
	a := &album{}
	store := &faultStore{fail: func(step string, _ []engine.Event) error {
		if step == "sync" {
			return errDisk
		}
		return nil
	}}
	b := open(t, engine.Config{Store: store, Intake: func(engine.Env) engine.Intake { return a }}, say("fine"))
	_, err := b.s.Do(t.Context(), engine.Attach{Name: "a.png", Body: strings.NewReader("x"), By: tester})
	wantCode(t, err, engine.JournalFailed)
	if a.n != 0 {
		t.Errorf("%d were put", a.n)
	}
}

// A summary is asked for in words alone, which name the pictures.
func TestASummaryHoldsNoPicture(t *testing.T) {
	a := &album{}
	b := gallery(t, a, say("a long answer "+strings.Repeat("about the cat ", 2500)), say("the cat, in short"))
	b.with("look", b.attach("cat.png", "x"))
	b.untilEnd(b.send("and now?")) // the answer has filled the window
	all := b.model.requests()
	r := all[slices.IndexFunc(all, func(r engine.Request) bool { return r.Purpose == engine.PurposeSummary })]
	ids, words := pictures(r)
	if len(ids) != 0 || r.Open != nil || !strings.Contains(words, "user attached the image cat.png") {
		t.Errorf("%v: %.300q", ids, words)
	}
}

// A provider that echoes the key says it in no event.
func TestWhatAProviderSaysIsRedacted(t *testing.T) {
	key := "planted-key-0123456789"
	said := "Could not process image for " + key
	model := &script{turns: []turn{refuses(engine.ModelBadRequest, said)}}
	a := &album{}
	b := open(t, engine.Config{Model: seer{model}, Key: engine.NewSecret(key), Intake: func(engine.Env) engine.Intake { return a }})
	log := b.with("look", b.attach("a.png", "x"))
	for _, e := range log {
		line, err := e.AppendJSON(nil)
		if err != nil || bytes.Contains(line, []byte(key)) {
			t.Errorf("%v: %s", err, line)
		}
	}
	if n := all[engine.Notice](log); len(n) == 0 || !strings.HasPrefix(n[len(n)-1].Said, "Could not process image for") {
		t.Errorf("%+v", n)
	}
}
