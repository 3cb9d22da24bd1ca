package tui

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/charmbracelet/colorprofile"

	"agentstudio/engine"
	"agentstudio/engine/words"
)

// album takes whatever begins like a PNG for a picture of 40 by 20 pixels, and keeps it in memory.
type album struct {
	mu    sync.Mutex
	files map[string][]byte
	hold  chan struct{} // Take waits for it, if set
}

func (a *album) Take(ctx context.Context, u engine.Upload) (engine.Picture, error) {
	if a.hold != nil {
		select {
		case <-a.hold:
		case <-ctx.Done():
			return engine.Picture{}, engine.Errorf(engine.RunCancelled, "called off")
		}
	}
	b, err := io.ReadAll(u.Body)
	if err != nil || !bytes.HasPrefix(b, []byte("\x89PNG")) {
		return engine.Picture{}, engine.Errorf(engine.ImageUnsupported, "this is no picture; send JPEG, PNG or WebP")
	}
	return engine.Picture{Content: b, Attachment: engine.Attachment{Name: u.Name, MIME: "image/png", Bytes: int64(len(b)), Width: 40, Height: 20, Kind: "image"}}, nil
}

func (a *album) Put(_ context.Context, p engine.Picture) (engine.Attachment, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.files == nil {
		a.files = map[string][]byte{}
	}
	p.ID = fmt.Sprintf("att_%d", len(a.files)+1)
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
	a.files[at.ID] = nil
	return nil
}

func (a *album) Sweep(context.Context, []engine.Attachment) ([]engine.Attachment, error) {
	return nil, nil
}

// desk is a computer with a few files.
type desk map[string][]byte

func (d desk) Open(_ context.Context, path string) (io.ReadCloser, error) {
	b, ok := d[path]
	if !ok {
		return nil, engine.Errorf(engine.PathNotFound, "there is no file %s", path[strings.LastIndex(path, "/")+1:])
	}
	return io.NopCloser(bytes.NewReader(b)), nil
}

func (d desk) Picture(_ context.Context, path string) bool { _, ok := d[path]; return ok }

func (d desk) List(_ context.Context, folder string) ([]string, error) {
	if folder != "/pics/" {
		return nil, engine.Errorf(engine.PathNotFound, "no folder")
	}
	return []string{"cat.png", "my dog.png", "old/"}, nil
}

// redAndBlue is a picture with a red upper half and a blue lower one.
func redAndBlue(t *testing.T) []byte {
	t.Helper()
	img := image.NewNRGBA(image.Rect(0, 0, 40, 20))
	for y := range 20 {
		for x := range 40 {
			c := color.NRGBA{255, 0, 0, 255}
			if y >= 10 {
				c = color.NRGBA{0, 0, 255, 255}
			}
			img.SetNRGBA(x, y, c)
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// seeing is a player that takes images.
type seeing struct{ *player }

func (s seeing) Info() engine.ModelInfo {
	i := s.player.Info()
	i.Images = true
	return i
}

// pictured shows a session that takes pictures, on a model that sees or not.
func pictured(t *testing.T, set setup, a *album, blind bool, turns ...reply) *screen {
	t.Helper()
	set.cfg.Intake = func(engine.Env) engine.Intake { return a }
	if !blind {
		set.cfg.Models = func(engine.Connection) (engine.Model, error) { return seeing{&player{turns: turns}}, nil }
	}
	files := desk{"/pics/cat.png": redAndBlue(t), "/pics/my dog.png": redAndBlue(t), "/pics/fake.png": []byte("GIF89a")}
	more := set.options
	set.options = func(o *Options) {
		o.Files = files
		if more != nil {
			more(o)
		}
	}
	s := stage(t, set, turns...)
	if !blind {
		if _, err := s.session.Do(t.Context(), engine.Configure{Connection: &engine.Connection{}, By: engine.Actor{Screen: "tui", Name: "test"}}); err != nil {
			t.Fatal(err)
		}
		s.await("the model that sees", func(string) bool {
			var sees bool
			s.on(func(m *Model) { sees = m.state.Model != nil && m.state.Model.Images })
			return sees
		})
	}
	return s
}

func (s *screen) paste(text string) { s.t.Helper(); s.Type("\x1b[200~" + text + "\x1b[201~") }

func (s *screen) attached() (names []string) {
	s.t.Helper()
	s.on(func(m *Model) {
		for _, a := range m.state.Draft() {
			names = append(names, a.Name)
		}
	})
	return names
}

func TestAPictureIsAttachedByItsPath(t *testing.T) {
	s := pictured(t, setup{}, &album{}, false, says("I see"))
	s.Type("/attach /pics/")
	s.Shows("/attach /pics/cat.png", "/attach /pics/my dog.png", "/attach /pics/old/")
	s.Press("down")
	s.Press("enter")
	if d := s.Draft(); d != "/attach /pics/my dog.png" {
		t.Fatalf("the draft is %q", d)
	}
	s.Press("enter")
	s.Shows("my dog.png  40×20", "^L shows", "^L pictures")
	s.Type("what is it?")
	s.Press("enter")
	log := s.events("run.completed")
	for _, e := range log {
		if p, ok := e.Payload.(engine.UserMessage); ok && (p.Text != "what is it?" || len(p.Attachments) != 1 || p.Attachments[0].Name != "my dog.png") {
			t.Errorf("%+v", p)
		}
	}
	s.Lacks("^L shows")
	s.Shows("what is it?", "my dog.png  40×20")
}

func TestAPictureAloneIsAMessage(t *testing.T) {
	s := pictured(t, setup{}, &album{}, false, says("I see"))
	s.Press("enter")
	if len(s.sent()) != 0 {
		t.Fatal("nothing was sent")
	}
	s.Type("/attach /pics/cat.png")
	s.Press("enter")
	s.Shows("^L shows")
	s.Press("enter")
	s.events("run.completed")
	if got := s.sent(); !slices.Equal(got, []string{""}) {
		t.Fatalf("sent %q", got)
	}
	s.Type("words")
	s.Press("enter")
	s.await("both messages", func(string) bool { return len(s.sent()) == 2 })
	s.Type("/attach /pics/cat.png")
	s.Press("enter")
	s.Shows("^L shows")
	s.Press("enter")
	s.await("all messages", func(string) bool { return len(s.sent()) == 3 })
	s.Press("up")
	if d := s.Draft(); d != "words" {
		t.Errorf("the draft is %q", d)
	}
}

func TestWhatCannotBeAttachedIsSaid(t *testing.T) {
	s := pictured(t, setup{}, &album{}, false, says("fine"))
	for typed, said := range map[string]string{
		"/attach /pics/fake.png": "fake.png: this is no picture; send JPEG, PNG or WebP",
		"/attach /pics/none.png": "there is no file none.png",
	} {
		s.on(func(m *Model) { m.composer.set(typed) })
		s.Press("enter")
		s.Shows(said)
		if d := s.Draft(); d != typed {
			t.Errorf("the draft is %q", d)
		}
	}
	s.events("attachment.rejected")
	if a := s.attached(); len(a) != 0 {
		t.Errorf("attached %q", a)
	}
}

func TestAPastedPathIsOffered(t *testing.T) {
	s := pictured(t, setup{}, &album{}, false, says("fine"))
	s.paste("'/pics/my dog.png'")
	s.Shows("Attach my dog.png?", "Enter attaches")
	s.Type("look: ")
	s.Press("enter")
	s.Shows("my dog.png  40×20")
	s.Lacks("Attach my dog.png?")
	if d := s.Draft(); d != "look: " || len(s.sent()) != 0 {
		t.Fatalf("the draft is %q", d)
	}
	s.paste("/pics/cat.png")
	s.Shows("Attach cat.png?")
	s.Press("esc")
	s.Lacks("Attach cat.png?")
	if d := s.Draft(); d != "look: /pics/cat.png" {
		t.Fatalf("the draft is %q", d)
	}
	s.on(func(m *Model) { m.composer.set("") })
	s.paste("/pics/cat.png")
	s.Shows("Attach cat.png?")
	s.paste("/pics/cat.png")
	s.Lacks("Attach cat.png?")
	if d := s.Draft(); d != "/pics/cat.png" {
		t.Fatalf("the draft is %q", d)
	}
	s.on(func(m *Model) { m.composer.set("") })
	s.paste("/pics/none.png")
	s.await("the text of a path that isn't there", func(string) bool { return s.Draft() == "/pics/none.png" })
	if got := s.attached(); !slices.Equal(got, []string{"my dog.png"}) {
		t.Errorf("attached %q", got)
	}
}

// Enter that comes before the disk has answered still answers the question.
func TestSeveralDroppedFiles(t *testing.T) {
	s := pictured(t, setup{}, &album{}, false, says("fine"))
	s.paste(`/pics/cat.png "/pics/my dog.png"`)
	s.Press("enter")
	s.await("both pictures", func(string) bool { return slices.Equal(s.attached(), []string{"cat.png", "my dog.png"}) })
	if d := s.Draft(); d != "" {
		t.Fatalf("the draft is %q", d)
	}
}

func TestDroppedPaths(t *testing.T) {
	for text, want := range map[string][]string{
		"/a/b.png":                              {"/a/b.png"},
		" '/a/b c.PNG' ":                        {"/a/b c.PNG"},
		`"/a/b c.jpeg"`:                         {"/a/b c.jpeg"},
		"/a/b c.png":                            {"/a/b c.png"},
		"file:///a/b%20c.webp\r\nfile:///d.jpg": {"/a/b c.webp", "/d.jpg"},
		"/a.png /b.gif":                         {"/a.png", "/b.gif"},
		"~/x.heic":                              {"~/x.heic"},
		"see /a/b.png please":                   nil,
		"/a/b.txt":                              nil,
		"b.png":                                 nil,
		"":                                      nil,
		"/a.png and /b.png":                     {"/a.png and /b.png"}, // one file of that name, if it is there
		"/1.png /2.png /3.png /4.png /5.png":    nil,
		"file://elsewhere/a.png":                nil,
	} {
		if got := droppedPaths(text); !slices.Equal(got, want) {
			t.Errorf("%q gives %q, want %q", text, got, want)
		}
	}
	if runtime.GOOS != "windows" {
		if got := droppedPaths(`/a/b\ c\'s.png`); !slices.Equal(got, []string{"/a/b c's.png"}) {
			t.Errorf("%q", got)
		}
	}
	if got := droppedPaths(`C:\Users\me\a.png`); runtime.GOOS == "windows" && !slices.Equal(got, []string{`C:\Users\me\a.png`}) {
		t.Errorf("%q", got)
	}
}

func TestAModelThatSeesNothing(t *testing.T) {
	s := pictured(t, setup{}, &album{}, true, says("fine"))
	s.Type("/attach /pics/cat.png")
	s.Press("enter")
	s.Shows("fake takes no images: change the model, or remove it")
	s.Type("look")
	s.Press("enter")
	s.Shows("fake is not known to take images")
	if d := s.Draft(); d != "look" || len(s.sent()) != 0 || len(s.attached()) != 1 {
		t.Fatalf("the draft is %q, sent %q, attached %q", d, s.sent(), s.attached())
	}
}

func TestAMessageWaitsForThePictureThatIsRead(t *testing.T) {
	a := &album{hold: make(chan struct{})}
	s := pictured(t, setup{}, a, false, says("fine"))
	s.Type("/attach /pics/cat.png")
	s.Press("enter")
	s.Shows("taking in a picture")
	s.Type("look")
	s.Press("enter")
	s.Shows("a picture is still being taken in")
	if len(s.sent()) != 0 {
		t.Fatal("sent without the picture")
	}
	close(a.hold)
	s.Shows("cat.png  40×20")
	s.Press("enter")
	s.events("run.completed")
	if got := s.sent(); !slices.Equal(got, []string{"look"}) {
		t.Fatalf("sent %q", got)
	}
}

func TestPicturesAreListedSeenAndRemoved(t *testing.T) {
	s := pictured(t, setup{}, &album{}, false, says("I see"))
	for _, name := range []string{"cat.png", "my dog.png"} {
		s.Type("/attach /pics/" + name)
		s.Press("enter")
		s.Shows(name + "  40×20")
	}
	s.Press("ctrl+l")
	s.Shows("Pictures of this session", "waits for the next message")
	s.Press("down")
	s.Press("enter")
	s.Shows("2 of 2", "x removes it")
	s.await("the picture in its colours", func(string) bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return strings.Contains(s.raw.String(), "38;2;255;0;0") && strings.Contains(s.raw.String(), "48;2;0;0;255")
	})
	s.Press("left")
	s.Shows("1 of 2", "cat.png")
	s.Type("x")
	s.await("one picture less", func(string) bool { return slices.Equal(s.attached(), []string{"my dog.png"}) })
	s.Press("esc")
	s.Lacks("Pictures of this session")
	s.Press("enter")
	s.events("run.completed")
	s.Press("ctrl+l") // nothing waits, but there is one
	s.Shows("sent")
	s.Type("x")
	s.Shows("it has been sent")
	s.Press("esc")
	s.on(func(m *Model) { m.focus = onChat; m.chat.key(m, "home") })
	s.Press("enter")
	s.Shows("my dog.png", "sent · by you · png", "Esc closes")
}

func TestAPictureInWords(t *testing.T) {
	for name, set := range map[string]setup{"ascii": {ascii: true}, "16 colours": {colours: colorprofile.ANSI}, "none": {colours: colorprofile.ASCII}} {
		s := pictured(t, set, &album{}, false, says("I see"))
		s.Type("/attach /pics/cat.png")
		s.Press("enter")
		s.Shows("106 B", "^L shows")
		s.Press("ctrl+l")
		s.Press("enter")
		s.Shows("cat.png is 40 by 20 pixels. It is not drawn here")
		text, _ := s.text()
		for _, r := range text {
			if set.ascii && r > 0x7e && r != '\u00a0' {
				t.Errorf("%s: %q is no ASCII", name, r)
				break
			}
		}
		s.quit()
	}
}

// What another screen has attached is shown with who it was, and goes with the message.
func TestAPictureOfSomebodyElse(t *testing.T) {
	s := pictured(t, setup{lang: words.Chinese}, &album{}, false, says("I see"))
	_, err := s.session.Do(t.Context(), engine.Attach{Name: "phone.png", Body: bytes.NewReader(redAndBlue(t)), By: engine.Actor{Screen: "mirror", Device: "dev_1", Name: "Lin's phone"}})
	if err != nil {
		t.Fatal(err)
	}
	s.Shows("phone.png  40×20", "来自 Lin's phone")
	s.Press("enter")
	log := s.events("run.completed")
	i := slices.IndexFunc(log, func(e engine.Event) bool { return e.Kind() == "user.message" })
	if p := log[i].Payload.(engine.UserMessage); len(p.Attachments) != 1 || p.Attachments[0].Name != "phone.png" {
		t.Errorf("%+v", p)
	}
}

// A picture is drawn within the space there is, whatever that is, and every line is as wide.
func TestPicturesFitIntoCells(t *testing.T) {
	th := newTheme(manner{name: "dark"})
	for _, size := range [][2]int{{1, 1}, {40, 20}, {1, 300}, {300, 1}, {639, 480}, {7, 640}} {
		img := image.NewNRGBA(image.Rect(0, 0, size[0], size[1]))
		for _, room := range [][2]int{{1, 1}, {2, 1}, {80, 20}, {33, 7}} {
			lines := th.inCells(img, room[0], room[1])
			if len(lines) == 0 || len(lines) > room[1] {
				t.Errorf("%v in %v: %d lines", size, room, len(lines))
			}
			for _, l := range lines {
				if n := strings.Count(l, "▀"); n == 0 || n > room[0] {
					t.Errorf("%v in %v: %d cells", size, room, n)
				}
			}
		}
	}
}

// Who reads Chinese is told which picture was refused, and the provider's own words, too.
func TestARefusedPictureIsNamedInChinese(t *testing.T) {
	s := pictured(t, setup{lang: words.Chinese}, &album{}, false, says("fine"))
	s.Type("/attach /pics/cat.png")
	s.Press("enter")
	s.Shows("cat.png  40×20")
	s.Press("enter")
	s.Shows("运行完成 · 1 轮")
	s.on(func(m *Model) {
		id := m.state.Attachments[0].ID
		seq := m.state.Seq + 1
		m.apply([]engine.Event{{ID: "evt_x", Session: m.o.Session.ID(), Seq: seq, At: s.now.get(), Payload: engine.Notice{Code: engine.ImageLeftOut,
			Message: "refused", Attachments: []string{id}, Said: "Could not process image"}}})
	})
	s.Shows("服务商拒绝了含图片的请求；不再发送 cat.png", "Could not process image", "不再发送：服务商拒绝了它")
}

// A paste that was still being asked about is not lost with the session that is left.
func TestAnOfferedPasteStaysInTheDraft(t *testing.T) {
	s := pictured(t, setup{}, &album{}, false, says("fine"))
	s.paste("/pics/cat.png")
	s.Shows("Attach cat.png?")
	s.on(func(m *Model) { m.reset() })
	if d := s.Draft(); d != "/pics/cat.png" {
		t.Errorf("the draft is %q", d)
	}
}
