package tui

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/vt"

	"agentstudio/engine"
	"agentstudio/engine/words"
)

// screen is the real program in an emulated terminal. Its methods wait for states, never for time.
type screen struct {
	t       *testing.T
	session *engine.Session
	shown   Session // the session, or a tape
	now     *handNow
	m       *Model

	keys    *io.PipeWriter
	program *tea.Program
	marks   chan struct{} // one for each mark that has passed Update

	mu      sync.Mutex
	em      *vt.Emulator
	raw     strings.Builder
	painted chan struct{} // closed and replaced at every write
	done    chan error
	answers sync.WaitGroup
}

// handNow is the screen's clock, moved by hand.
type handNow struct {
	mu  sync.Mutex
	now time.Time
}

func (c *handNow) get() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *handNow) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

type setup struct {
	w, h  int
	lang  words.Lang
	theme string
	ascii bool
	cfg   engine.Config
	bare  bool // no model is configured
	// options changes what the screen is made with, if set.
	options func(*Options)
	env     []string // more of the terminal's environment
	// colours is what the terminal can show; all of them unless set.
	colours colorprofile.Profile
}

// stage opens a session on a scripted model and shows it.
func stage(t *testing.T, set setup, turns ...reply) *screen {
	t.Helper()
	if set.w == 0 {
		set.w, set.h = 120, 40
	}
	if set.lang == "" {
		set.lang = words.English
	}
	if set.theme == "" {
		set.theme = "dark"
	}
	if set.cfg.Store == nil {
		set.cfg.Store = &engine.MemStore{}
	}
	var n atomic.Int64
	set.cfg.NewID = func(prefix string) string { return fmt.Sprintf("%s_%d", prefix, n.Add(1)) }
	phase := "phase.idle"
	if set.cfg.Model = engine.Model(&player{turns: turns}); set.bare {
		set.cfg.Model, phase = nil, "phase.noModel"
	}
	e := engine.New(set.cfg)
	session, err := e.Open(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	s := &screen{t: t, session: session, now: &handNow{now: time.Now()}, em: vt.NewEmulator(set.w, set.h),
		marks: make(chan struct{}, 64), painted: make(chan struct{}), done: make(chan error, 1)}
	s.shown = session
	s.run(set)
	t.Cleanup(func() {
		s.quit()
		_ = e.Close()
	})
	s.Shows(words.Text(set.lang, phase, nil))
	return s
}

func (s *screen) run(set setup) {
	if set.colours == 0 {
		set.colours = colorprofile.TrueColor
	}
	keys, in := io.Pipe()
	s.keys = in
	s.answer(in)
	o := Options{Session: s.shown, Lang: set.lang, Theme: set.theme, ASCII: set.ascii, Prompt: func(words.Lang) string { return "the demo prompt" }, Script: "test", Now: s.now.get}
	if set.options != nil {
		set.options(&o)
	}
	filter := func(_ tea.Model, msg tea.Msg) tea.Msg {
		if _, ok := msg.(tea.FocusMsg); ok {
			s.marks <- struct{}{}
		}
		return msg
	}
	ctx, cancel := context.WithCancel(context.Background())
	s.t.Cleanup(cancel)
	s.m = New(ctx, o)
	s.m.execute = func(c tea.ExecCommand, done tea.ExecCallback) tea.Cmd { return func() tea.Msg { return done(c.Run()) } }
	s.program = tea.NewProgram(s.m, tea.WithContext(ctx), tea.WithInput(newInput(keys)), tea.WithOutput(s), tea.WithWindowSize(set.w, set.h), tea.WithoutSignals(),
		tea.WithColorProfile(set.colours), tea.WithEnvironment(append([]string{"TERM=xterm-256color"}, set.env...)), tea.WithFilter(filter))
	go func() { s.done <- s.m.show(ctx, cancel, s.program) }()
}

// answer gives the terminal's answers to the program as input. They wait in between, as they do in a
// terminal: whoever answers while it is written to must not wait for the writer to read.
func (s *screen) answer(in io.Writer) {
	waiting := make(chan []byte, 1024)
	s.answers.Go(func() {
		defer close(waiting)
		for {
			buf := make([]byte, 4096)
			n, err := s.em.Read(buf)
			if n > 0 {
				waiting <- buf[:n]
			}
			if err != nil {
				return
			}
		}
	})
	s.answers.Go(func() {
		for b := range waiting {
			_, _ = in.Write(b) // after the end nobody reads
		}
	})
}

// Write takes what the program draws.
func (s *screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.raw.Write(b)
	close(s.painted)
	s.painted = make(chan struct{})
	// Without a tty the program counts on the line discipline to return the carriage.
	_, err := s.em.Write(bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n")))
	return len(b), err
}

func (s *screen) text() (string, chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.em.String(), s.painted
}

// await waits until ok says so of what the screen shows.
func (s *screen) await(what string, ok func(string) bool) string {
	s.t.Helper()
	limit := time.After(20 * time.Second)
	for {
		text, painted := s.text()
		if ok(text) {
			return text
		}
		select {
		case <-painted:
		case <-limit:
			s.t.Fatalf("%s; the screen shows\n%s", what, text)
		}
	}
}

// Shows waits until the screen shows each of the texts.
func (s *screen) Shows(texts ...string) {
	s.t.Helper()
	s.await(fmt.Sprintf("never showed %q", texts), func(on string) bool {
		for _, x := range texts {
			if !strings.Contains(squeezed(on), squeezed(x)) {
				return false
			}
		}
		return true
	})
}

// Lacks waits until the screen does not show the text.
func (s *screen) Lacks(text string) {
	s.t.Helper()
	s.await(fmt.Sprintf("still shows %q", text), func(on string) bool { return !strings.Contains(squeezed(on), squeezed(text)) })
}

// squeezed leaves out the blank cell that the emulator keeps behind each wide character.
func squeezed(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, " ", ""), "\u00a0", "")
}

// Type sends bytes as a terminal would, and waits until all of them have been handled.
func (s *screen) Type(bytes string) {
	s.t.Helper()
	if _, err := io.WriteString(s.keys, bytes); err != nil {
		s.t.Fatal(err)
	}
	s.settle()
}

// settle waits until everything typed so far has passed Update: a focus report is typed behind it.
func (s *screen) settle() {
	s.t.Helper()
	if _, err := io.WriteString(s.keys, "\x1b[I"); err != nil {
		s.t.Fatal(err)
	}
	select {
	case <-s.marks:
	case <-time.After(20 * time.Second):
		s.t.Fatal("keys are not handled any more")
	}
}

// Press sends one key, well after the one before.
func (s *screen) Press(key string) {
	s.t.Helper()
	s.now.advance(time.Second)
	s.Type(keyBytes(key))
}

func keyBytes(key string) string {
	if c, ok := strings.CutPrefix(key, "ctrl+"); ok {
		return string(rune(c[0] - 'a' + 1))
	}
	return map[string]string{"enter": "\r", "tab": "\t", "shift+tab": "\x1b[Z", "esc": "\x1b", "up": "\x1b[A", "down": "\x1b[B", "home": "\x1b[H", "end": "\x1b[F",
		"pgup": "\x1b[5~", "pgdown": "\x1b[6~", "f1": "\x1bOP", "f2": "\x1bOQ", "f3": "\x1bOR", "f4": "\x1bOS", "f9": "\x1b[20~", "left": "\x1b[D", "right": "\x1b[C", "delete": "\x1b[3~", "insert": "\x1b[2~", "space": " ", "alt+enter": "\x1b\r", "backspace": "\x7f"}[key]
}

// Pane is what the screen shows of one pane.
func (s *screen) Pane(of focus) string {
	s.t.Helper()
	var in area
	s.on(func(m *Model) {
		skills, chat, timeline := m.areas()
		in = map[focus]area{onSkills: skills, onChat: chat, onTimeline: timeline}[of]
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	var b strings.Builder
	for y := in.y; y < in.y+in.h; y++ {
		for x := in.x; x < in.x+in.w; x++ {
			if c := s.em.CellAt(x, y); c != nil {
				b.WriteString(c.Content)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// Resize changes the terminal's size.
func (s *screen) Resize(w, h int) {
	s.mu.Lock()
	s.em.Resize(w, h)
	s.mu.Unlock()
	s.program.Send(tea.WindowSizeMsg{Width: w, Height: h})
}

// Draft is what stands in the composer.
func (s *screen) Draft() string {
	s.t.Helper()
	var text string
	s.on(func(m *Model) { text = m.composer.value() })
	return text
}

// on runs f on the screen's goroutine.
func (s *screen) on(f func(*Model)) {
	s.t.Helper()
	done := make(chan struct{})
	s.program.Send(later(func(m *Model) tea.Cmd { f(m); close(done); return nil }))
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		s.t.Fatal("the screen's goroutine does not answer")
	}
}

// quit ends the program, and waits for it.
func (s *screen) quit() {
	select {
	case err := <-s.done: // it has quit itself
		s.done <- err
	default:
		s.settle() // what arrives after the end would keep Bubble Tea's reader waiting for ever
	}
	s.program.Quit()
	select {
	case err := <-s.done:
		if err != nil {
			s.t.Errorf("the program ended with %v", err)
		}
		s.done <- nil
	case <-time.After(20 * time.Second):
		s.t.Error("the program does not end")
	}
	_ = s.keys.Close()
	if c, ok := s.em.InputPipe().(io.Closer); ok {
		_ = c.Close()
	}
	s.answers.Wait()
}

// events gives the log up to and with the first event of a kind.
func (s *screen) events(kind string) (log []engine.Event) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), 20*time.Second)
	defer cancel()
	for batch, err := range s.session.Follow(ctx, 0) {
		if err != nil {
			s.t.Fatal(err)
		}
		for _, e := range batch {
			if log = append(log, e); e.Kind() == kind {
				return log
			}
		}
	}
	s.t.Fatalf("no %s", kind)
	return nil
}

// decisions counts what has been decided by anybody so far.
func (s *screen) decisions() (n int) {
	s.t.Helper()
	s.on(func(m *Model) {
		for _, r := range m.state.Timeline {
			if r.Kind == "approval.resolved" {
				n++
			}
		}
	})
	return n
}

// reply is one answer of the model.
type reply func(ctx context.Context, r engine.Request, yield func(engine.Chunk) bool)

// player is a model that answers by the number of its call.
type player struct {
	mu    sync.Mutex
	n     int
	turns []reply
}

func (p *player) Info() engine.ModelInfo {
	return engine.ModelInfo{Provider: "scripted", ID: "fake", ContextWindow: 32000}
}

func (p *player) Stream(ctx context.Context, r engine.Request) iter.Seq2[engine.Chunk, error] {
	return func(yield func(engine.Chunk, error) bool) {
		p.mu.Lock()
		turn := p.turns[min(p.n, len(p.turns)-1)]
		p.n++
		p.mu.Unlock()
		turn(ctx, r, func(c engine.Chunk) bool { return yield(c, nil) })
	}
}

func says(text string) reply {
	return func(_ context.Context, _ engine.Request, yield func(engine.Chunk) bool) {
		n := 1
		_ = yield(engine.Text(text)) && yield(engine.Usage{InputTokens: &n, OutputTokens: &n}) && yield(engine.Stop{Reason: engine.StopEnd})
	}
}

func calls(tool, args string) reply {
	return func(_ context.Context, _ engine.Request, yield func(engine.Chunk) bool) {
		n := 1
		_ = yield(engine.ToolCall{ID: "call_x", Tool: tool, Args: json.RawMessage(args)}) && yield(engine.Usage{InputTokens: &n, OutputTokens: &n}) && yield(engine.Stop{Reason: engine.StopToolUse})
	}
}

// waits holds the answer back until the channel is closed or the run is cancelled.
func waits(until <-chan struct{}, then reply) reply {
	return func(ctx context.Context, r engine.Request, yield func(engine.Chunk) bool) {
		select {
		case <-until:
			then(ctx, r, yield)
		case <-ctx.Done():
		}
	}
}

// saver is a tool that asks.
type saver struct {
	preview string
	content string
	ran     atomic.Int32
}

func (s *saver) Spec() engine.Spec {
	return engine.Spec{Name: "save", Parameters: json.RawMessage(`{"type":"object"}`), Policy: engine.Ask, Replay: engine.ReplayNever}
}

func (s *saver) Prepare(context.Context, json.RawMessage) (engine.Plan, error) {
	return engine.Plan{Summary: "writes a file", Risk: "writesReport", Preview: s.preview}, nil
}

func (s *saver) Run(context.Context, engine.Call) (engine.Result, error) {
	s.ran.Add(1)
	return engine.Result{Content: s.content, Artifacts: []engine.Artifact{{Name: "report.md", Bytes: 12}}}, nil
}

func withTools(tools ...engine.Tool) engine.Config {
	return engine.Config{Tools: func(engine.Env) []engine.Tool { return tools }}
}
