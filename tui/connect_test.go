package tui

import (
	"context"
	"fmt"
	"iter"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"agentstudio/engine"
	"agentstudio/engine/words"
)

// links is a port in memory.
type links struct {
	mu     sync.Mutex
	form   ConnectionForm
	known  []KnownModel
	report TestReport
	hold   chan struct{} // a test waits for it, if set
	err    error
	tested []ConnectionDraft
	used   []ConnectionDraft
	forgot int
}

func (l *links) Load(context.Context) (ConnectionForm, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.form, l.err
}

func (l *links) Known(_ context.Context, _, baseURL string) []KnownModel {
	l.mu.Lock()
	defer l.mu.Unlock()
	if strings.Contains(baseURL, "127.0.0.1") {
		return nil
	}
	return l.known
}

func (l *links) Test(ctx context.Context, d ConnectionDraft) TestReport {
	l.mu.Lock()
	hold := l.hold
	l.tested = append(l.tested, d)
	l.mu.Unlock()
	if hold != nil {
		select {
		case <-hold:
		case <-ctx.Done():
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.report
}

func (l *links) Use(_ context.Context, d ConnectionDraft) (engine.Connection, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.used = append(l.used, d)
	return engine.Connection{Provider: d.Provider, API: d.API, BaseURL: d.BaseURL, Model: d.Model, Key: d.Key}, l.err
}

func (l *links) Forget(context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.forgot++
	l.form.KeyHint, l.form.Kept = "", false
	return l.err
}

func (l *links) set(how func(*links)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	how(l)
}

// last is the newest draft that was used, and how many there were.
func (l *links) last() (ConnectionDraft, int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.used) == 0 {
		return ConnectionDraft{}, 0
	}
	return l.used[len(l.used)-1], len(l.used)
}

func (l *links) into(o *Options) { o.Connections, o.Settings = l, theSettings() }

func theConnections() *links {
	chat := func(provider, url, model string) ConnectionDraft {
		return ConnectionDraft{Provider: provider, API: engine.APIChat, BaseURL: url, Model: model, Images: "auto"}
	}
	ollama := chat("other", "http://127.0.0.1:11434/v1", "")
	ollama.Localhost = true
	return &links{
		form: ConnectionForm{Draft: chat("other", "https://api.deepseek.com/v1", "deepseek-chat"), KeyHint: "••••wxyz", APIs: []string{engine.APIChat}, Keeper: "file", Kept: true,
			Origins: map[string]string{"provider": "saved", "api": "default", "baseURL": "saved", "model": "--model", "key": "LLM_API_KEY"},
			Presets: []Preset{{"OpenAI", chat("openai", "https://api.openai.com/v1", "")}, {"DeepSeek", chat("other", "https://api.deepseek.com/v1", "deepseek-chat")}, {"Ollama", ollama}}},
		known: []KnownModel{{"deepseek-reasoner", "Reasoner", 128000, false, []string{"low", "high"}, "$0.28/$0.42"}, {"deepseek-chat", "Chat", 128000, false, nil, ""}, {"seek-vision", "Sees", 64000, true, nil, "$1/$2"}},
	}
}

// linked makes models of connections.
func linked(cfg engine.Config, turns ...reply) engine.Config {
	cfg.Models = func(c engine.Connection) (engine.Model, error) {
		return chosenModel{&player{turns: turns}, engine.ModelInfo{Provider: c.Provider, API: c.API, ID: c.Model, Host: "api.example.com", ContextWindow: 64000}}, nil
	}
	return cfg
}

type chosenModel struct {
	*player
	info engine.ModelInfo
}

func (n chosenModel) Info() engine.ModelInfo { return n.info }

func (n chosenModel) Stream(ctx context.Context, r engine.Request) iter.Seq2[engine.Chunk, error] {
	return n.player.Stream(ctx, r)
}

// to puts the cursor on a field of the form.
func (s *screen) to(field string) {
	s.t.Helper()
	var down int
	s.on(func(m *Model) {
		c, ok := m.top().(*connect)
		if !ok {
			s.t.Fatal("the form is not open")
		}
		c.pick = -1
		for i, f := range c.fields() {
			if f == field {
				down = i - c.at
			}
		}
	})
	for ; down > 0; down-- {
		s.Type("\t")
	}
	for ; down < 0; down++ {
		s.Type(keyBytes("shift+tab"))
	}
}

// Without a model the settings begin at the line that gives one, and sending works at once after that.
func TestAModelIsConnected(t *testing.T) {
	l := theConnections()
	l.form.Draft, l.form.KeyHint, l.form.Origins = ConnectionDraft{Images: "auto"}, "", nil
	s := stage(t, setup{bare: true, cfg: linked(engine.Config{}, says("hello there")), options: l.into})
	s.Shows("no model", "F2 opens the settings")
	s.Press("f2")
	s.Shows("Model: no model", "Enter changes")
	s.Press("enter")
	s.Shows("Model connection", "choose one")
	s.Press("right")
	s.Shows("< OpenAI >", "https://api.openai.com/v1")
	s.to("model")
	s.Type("gpt-x")
	s.to("key")
	s.Type("sk-secret-0123456789")
	s.Shows("••••••••••••••••••••", "sent to https://api.openai.com:443 and nowhere else")
	s.Press("enter")
	s.Shows("The model is gpt-x now", "api.example.com")
	d, n := l.last()
	if n != 1 || d.Provider != "openai" || d.Model != "gpt-x" || d.Key.Reveal() != "sk-secret-0123456789" || d.Remember {
		t.Errorf("used %d times with %+v", n, d)
	}
	s.Press("esc") // the settings
	s.Type("hi")
	s.Press("enter")
	s.Shows("hello there")
}

// A key reaches nothing that is written: not the terminal, not an event, whatever becomes of it.
func TestKeysAreNotShown(t *testing.T) {
	l := theConnections()
	l.report = TestReport{Step: "auth", Says: "the server says: bad key PLANTED-KEY-1234"}
	s := stage(t, setup{cfg: linked(engine.Config{}, says("ok")), options: l.into}, says("ok"))
	s.Type("/model")
	s.Press("enter")
	s.Shows("base URL")
	s.to("key")
	s.Type("\x1b[200~  PLANTED-KEY\n-1234 \x1b[201~")
	s.Shows("••••••••••••••••", "changed")
	s.Press("ctrl+t")
	s.Shows("bad key ••••1234")
	l.set(func(l *links) { l.err = engine.Errorf(engine.ModelNotConfigured, "PLANTED-KEY-1234 is no key") })
	s.Press("enter")
	s.Shows("••••1234 is no key")
	l.set(func(l *links) { l.err = nil })
	s.Press("enter")
	s.Shows("The model is deepseek-chat now")
	for _, e := range s.events("model.configured") {
		if text := fmt.Sprintf("%+v", e.Payload); strings.Contains(text, "PLANTED") {
			t.Errorf("an event holds %s", text)
		}
	}
	s.mu.Lock()
	raw := s.raw.String()
	s.mu.Unlock()
	plain := sequence.ReplaceAllString(raw, "")
	for _, part := range []string{"PLANTED", "LANTE", "KEY-1"} {
		if strings.Contains(raw, part) || strings.Contains(plain, part) {
			t.Errorf("the terminal was sent %q", part)
		}
	}
	s.on(func(m *Model) {
		if text := fmt.Sprintf("%+v %#v", m.overlays, m.composer.value()); strings.Contains(text, "PLANTED") {
			t.Error("the screen prints with the key")
		}
	})
}

// A key belongs to an origin: the form says whose the one in force is.
func TestWhoseTheKeyIs(t *testing.T) {
	l := theConnections()
	s := stage(t, setup{options: l.into}, says("ok"))
	s.on(func(m *Model) { m.Update(m.openConnect()()) })
	s.to("key")
	s.Shows("Empty keeps ••••wxyz, which belongs to https://api.deepseek.com:443", "LLM_API_KEY")
	s.to("baseURL")
	s.Press("ctrl+u")
	s.Type("https://elsewhere.example/v1")
	s.to("key")
	s.Shows("The key ••••wxyz belongs to https://api.deepseek.com:443", "is not sent to", "https://elsewhere.example:443, which needs its own")
	s.to("preset")
	s.Shows("< other… >")
	s.to("key")
	s.Type("abc")
	s.to("preset")
	s.Press("left")
	s.Shows("meant for another address and is gone")
	s.Press("esc")
	s.Lacks("base URL")
	if _, n := l.last(); n != 0 {
		t.Errorf("used %d times", n)
	}
}

func TestKnownModelsAreFiltered(t *testing.T) {
	l := theConnections()
	s := stage(t, setup{cfg: linked(engine.Config{}, says("ok")), options: l.into}, says("ok"))
	s.on(func(m *Model) { m.Update(m.openConnect()()) })
	s.to("model")
	s.Shows("3 known", "deepseek-reasoner", "128.0k", "$0.28/$0.42", "vision")
	s.Press("ctrl+u")
	s.Type("vis")
	s.Shows("1 known", "seek-vision")
	s.Lacks("deepseek-reasoner")
	s.Press("down")
	s.Shows("› seek-vision")
	s.Press("enter")
	s.Shows("seek-vision", "3 known")
	s.Press("enter")
	s.Shows("The model is seek-vision now")
	if d, _ := l.last(); d.Model != "seek-vision" {
		t.Errorf("used %q", d.Model)
	}
	s.Type("/model")
	s.Press("enter")
	s.Shows("base URL")
	s.to("model")
	s.Shows("deepseek-reasoner")
	s.Press("down")
	s.Shows("› deepseek-chat") // the one that stands there
	s.Press("down")
	s.Press("down") // past the last
	s.on(func(m *Model) {
		if c := m.top().(*connect); c.on() != "images" || c.pick != -1 {
			t.Errorf("the cursor is on %s, %d", c.on(), c.pick)
		}
	})
}

// A name that is typed narrows the list also when it is the whole name of a model; one that stands
// there leaves all to choose from, beginning with it.
func TestATypedNameNarrows(t *testing.T) {
	l := theConnections()
	l.known = []KnownModel{{ID: "alpha"}, {ID: "deepseek-chat"}, {ID: "deepseek-chat-2"}}
	s := stage(t, setup{cfg: linked(engine.Config{}, says("fine")), options: l.into})
	s.Type("/model\r")
	s.Shows("Model connection", "deepseek-chat")
	s.to("model")
	s.Shows("alpha", "deepseek-chat-2")
	s.Press("down")
	s.Press("down")
	s.Press("enter")
	model := func() (id string) {
		s.on(func(m *Model) { id = m.top().(*connect).draft.Model })
		return id
	}
	if got := model(); got != "deepseek-chat-2" {
		t.Fatalf("one below the model that stands there is %q", got)
	}
	s.Type("\x15deepseek-chat")
	s.Lacks("alpha")
	s.Press("down")
	s.Press("enter")
	if got := model(); got != "deepseek-chat" {
		t.Fatalf("the first of what the name finds is %q", got)
	}
}

// Another preset and back leaves what stood there, but for the key.
func TestAPresetComesBack(t *testing.T) {
	l := theConnections()
	l.form.Draft.Model = "deepseek-reasoner"
	s := stage(t, setup{cfg: linked(engine.Config{}, says("fine")), options: l.into})
	s.Type("/model\r")
	s.Shows("Model connection", "< DeepSeek >", "deepseek-reasoner")
	s.Press("right")
	s.Shows("< Ollama >")
	s.Lacks("deepseek-reasoner")
	s.Press("left")
	s.Shows("< DeepSeek >", "deepseek-reasoner")
}

// What was allowed when the form was opened stays so, whichever presets come by; what only a preset
// allowed goes with it.
func TestPresetsTakeNothingBack(t *testing.T) {
	for _, opened := range []bool{true, false} {
		l := theConnections()
		l.form.Draft.Localhost = opened
		s := stage(t, setup{cfg: linked(engine.Config{}, says("fine")), options: l.into})
		s.Type("/model\r")
		for _, name := range []string{"DeepSeek", "Ollama", "other…", "OpenAI"} {
			s.Shows("< " + name + " >")
			s.on(func(m *Model) {
				if got := m.top().(*connect).draft.Localhost; got != (opened || name == "Ollama") {
					t.Errorf("opened with %v: in %s it is %v", opened, name, got)
				}
			})
			s.Press("right")
		}
	}
}

func TestConnectionsAreTested(t *testing.T) {
	l := theConnections()
	l.hold = make(chan struct{})
	l.report = TestReport{Step: "auth", Says: "The key was refused: check it"}
	s := stage(t, setup{options: l.into}, says("ok"))
	s.on(func(m *Model) { m.Update(m.openConnect()()) })
	s.Press("ctrl+t")
	s.Shows("testing…")
	s.Press("esc")
	s.Shows("Stopped; nothing was changed", "base URL")
	s.Press("ctrl+t")
	s.Shows("testing…")
	close(l.hold)
	s.Shows("! The key was refused: check it")
	l.set(func(l *links) { l.report = TestReport{OK: true, Says: "It works"} })
	s.Press("ctrl+t")
	s.Shows("✓ It works")
	l.set(func(l *links) {
		if len(l.tested) != 3 || l.tested[0].Model != "deepseek-chat" || !l.tested[0].Key.Empty() {
			t.Errorf("tested %+v", l.tested)
		}
	})
}

// A model changes between runs: the form says so and stays.
func TestModelsChangeBetweenRuns(t *testing.T) {
	l := theConnections()
	gate := make(chan struct{})
	s := stage(t, setup{cfg: linked(engine.Config{}, says("ok")), options: l.into}, waits(gate, says("done")))
	s.Type("go")
	s.Press("enter")
	s.Shows("running")
	s.on(func(m *Model) { m.Update(m.openConnect()()) })
	s.Press("enter")
	s.Shows("the model changes between runs", "base URL")
	if _, n := l.last(); n != 0 {
		t.Errorf("used %d times", n)
	}
	close(gate)
	s.events("run.completed")
	s.Shows("idle")
	s.Press("enter")
	s.Shows("The model is deepseek-chat now")
}

func TestForgettingAsksFirst(t *testing.T) {
	l := theConnections()
	s := stage(t, setup{options: l.into}, says("ok"))
	s.on(func(m *Model) { m.Update(m.openConnect()()) })
	s.Shows("••••wxyz")
	s.Press("ctrl+x")
	s.Shows("y removes")
	s.Type("n")
	s.Lacks("y removes")
	l.set(func(l *links) {
		if l.forgot != 0 {
			t.Error("removed without a yes")
		}
	})
	s.Press("ctrl+x")
	s.Shows("y removes")
	s.Type("y")
	s.Shows("Nothing is kept on this computer any more")
	s.Lacks("••••wxyz")
	l.set(func(l *links) {
		if l.forgot != 1 {
			t.Errorf("removed %d times", l.forgot)
		}
	})
}

// What the switches open and where things are kept is said in a sentence.
func TestSwitchesSayWhatTheyOpen(t *testing.T) {
	l := theConnections()
	s := stage(t, setup{options: l.into, w: 160, h: 45}, says("ok"))
	s.on(func(m *Model) { m.Update(m.openConnect()()) })
	s.to("localhost")
	s.Shows("models be reached on this machine")
	s.to("private")
	s.Shows("reached in private networks")
	s.to("remember")
	s.Shows("as plain text, protected", "by your account only")
	s.Press("space")
	s.Shows("< on >")
	for _, c := range []struct{ keeper, says string }{{"keyring", "its key in the keyring"}, {"", "Nothing can be kept"}} {
		s.on(func(m *Model) { m.top().(*connect).form.Keeper = c.keeper })
		s.Shows(c.says)
	}
	s.Press("space") // there is no keeper
	s.on(func(m *Model) {
		if c := m.top().(*connect); !c.draft.Remember {
			t.Error("a switch was changed that can't be")
		}
	})
	s.to("preset")
	s.Press("right")
	s.Shows("< Ollama >", "http://127.0.0.1:11434/v1")
	s.on(func(m *Model) {
		if !m.top().(*connect).draft.Localhost {
			t.Error("the preset of this machine does not open it")
		}
	})
	s.Press("right")
	s.Shows("< other… >")
	s.Press("right")
	s.Shows("< OpenAI >")
}

func TestAConnectionThatCannotBeRead(t *testing.T) {
	l := theConnections()
	l.err = engine.Errorf(engine.ConfigInvalid, "connection.json: unknown field")
	s := stage(t, setup{options: l.into}, says("ok"))
	s.on(func(m *Model) { m.Update(m.openConnect()()) })
	s.Shows("! connection.json: unknown field")
	s.Press("enter")
	s.Press("esc")
	s.Lacks("unknown field")
}

// The form fits any size, in any look, in both languages, and has only ASCII where that is asked for.
func TestSweepOfTheForm(t *testing.T) {
	x := plainTexts()
	for _, lang := range words.Languages() {
		for _, ascii := range []bool{false, true} {
			m := story("idle", x).still(setup{w: 80, h: 24, lang: lang, theme: "projector", ascii: ascii})
			l := theConnections()
			l.form.Draft.BaseURL = "https://例子.example/" + strings.Repeat("长", 80)
			l.known[0].ID = strings.Repeat("模型", 60)
			m.o.Connections = l
			m.Update(m.openConnect()())
			for range 15 { // all fields, and over the end
				for w := 1; w <= 161; w += 8 {
					for _, h := range []int{1, 12, 13, 18, 24, 45} {
						m.Update(tea.WindowSizeMsg{Width: w, Height: h})
						checkFits(failing{t, fmt.Sprint(lang, ascii, w, h)}, m, w, h)
					}
				}
				m.Update(tea.WindowSizeMsg{Width: 100, Height: 30})
				if shown := picture(m); ascii && lang == words.English && regexp.MustCompile(`[^\x00-\x7f例子长模型]`).MatchString(shown) {
					t.Errorf("not only ASCII: %s", shown)
				}
				_, cmd := m.Update(tea.KeyPressMsg{Code: tea.KeyDown})
				if cmd != nil {
					m.Update(cmd())
				}
			}
		}
	}
}

// Where colours can't tell, signs do.
func TestTheFormWithoutColours(t *testing.T) {
	l := theConnections()
	l.report = TestReport{Step: "dns", Says: "no such name"}
	s := stage(t, setup{options: l.into, lang: words.Chinese, colours: colorprofile.ASCII}, says("ok"))
	s.on(func(m *Model) { m.Update(m.openConnect()()) })
	s.Shows("模型连接", "▸ 预设", "< DeepSeek >", "已保存")
	s.Press("ctrl+t")
	s.Shows("! no such name")
	s.to("model")
	s.Press("down")
	s.Shows("› deepseek-chat")
}

// A model that has thinking levels has a field for them; one that has none shows none, and a level
// that was chosen for another goes nowhere.
func TestThinkingInTheForm(t *testing.T) {
	l := theConnections()
	s := stage(t, setup{bare: true, cfg: linked(engine.Config{}, says("hello there")), options: l.into})
	s.on(func(m *Model) { m.Update(m.openConnect()()) })
	s.Shows("context window")
	s.Lacks("thinking")
	s.to("model")
	s.Press("ctrl+u")
	s.Type("reasoner")
	s.Press("down")
	s.Press("enter")
	s.Shows("deepseek-reasoner", "thinking")
	s.to("thinking")
	s.Shows("< automatic >")
	s.Press("right")
	s.Press("right")
	s.Shows("< high >", "How much the model thinks")
	s.Press("ctrl+t")
	s.until("the test", func() bool { l.mu.Lock(); defer l.mu.Unlock(); return len(l.tested) == 1 })
	if d := l.tested[0]; d.Model != "deepseek-reasoner" || d.Thinking != "high" {
		t.Errorf("tested %+v", d)
	}
	s.to("model")
	s.Press("ctrl+u")
	s.Type("deepseek-chat")
	s.Lacks("thinking")
	s.Press("enter")
	s.until("its use", func() bool { _, n := l.last(); return n == 1 })
	if d, _ := l.last(); d.Model != "deepseek-chat" || d.Thinking != "" {
		t.Errorf("used %+v", d)
	}
}

// Every text of the form is there in both languages.
func TestWordsOfTheForm(t *testing.T) {
	for _, f := range (&connect{form: ConnectionForm{Levels: []string{"high"}}}).fields() {
		mustKnow(t, "connect."+f)
		mustKnow(t, "connect.about."+f)
	}
	mustKnow(t, "key.model")
	mustKnow(t, "help.model")
	for _, file := range []string{"connect.go", "connect_act.go", "connect_draw.go", "connect_fields.go", "settings_draw.go"} {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range regexp.MustCompile(`"(connect\.[A-Za-z.]+[A-Za-z])"`).FindAllStringSubmatch(string(src), -1) {
			mustKnow(t, k[1])
		}
	}
	for _, key := range []string{"remember.keyring", "remember.file"} {
		mustKnow(t, "connect.about."+key)
	}
	for _, kind := range []string{"model.retrying", "compaction.completed", "compaction.failed"} {
		mustKnow(t, "chat."+kind)
	}
	for _, from := range []string{"saved", "default", "session"} {
		mustKnow(t, "connect.from."+from)
	}
}

// The settings lead to the model by the line above the first field.
func TestSettingsLeadToTheModel(t *testing.T) {
	l := theConnections()
	s := stage(t, setup{options: l.into}, says("ok"))
	s.Press("f2")
	s.Shows("Model: fake (scripted)", "Enter changes", "▸ language")
	s.Press("up")
	s.Shows("▸ Model: fake", "Which model is spoken to")
	s.Press("right") // nothing to choose from
	s.Press("up")
	s.Press("down")
	s.Shows("▸ language")
	s.Press("pgup")
	s.Press("enter")
	s.Shows("base URL")
	s.Press("esc")
	s.Lacks("base URL")
	s.Shows("▸ Model: fake")
	s.Type("\x1b[200~pasted\x1b[201~")
	s.Press("esc")
	s.Lacks("LOOK")
}

// Who has no model is told why and what to do for as long as that is so, and again by the key that
// would send.
func TestNobodyToSendTo(t *testing.T) {
	s := stage(t, setup{bare: true})
	s.on(func(m *Model) {
		m.news = "a key for https://api.openai.com is missing; use OPENAI_API_KEY"
		m.chat.relayout()
	})
	s.Shows("a key for https://api.openai.com is missing", "No model is connected. /model opens the form")
	s.Type("hello")
	s.Press("enter")
	s.Shows("No model: /model connects one")
	if d := s.Draft(); d != "hello" {
		t.Errorf("the draft is %q", d)
	}
	s.Lacks("fills in the demo prompt")
}

// In Chinese a failure says what the provider said as well, which nobody translates.
func TestTheProvidersWordsInChinese(t *testing.T) {
	got := codeText(words.Chinese, engine.ModelBadRequest, "the provider calls the request wrong (400): “no thinking here”; choose another")
	if want := words.Text(words.Chinese, "code.MODEL_BAD_REQUEST", nil) + "：“no thinking here”"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
