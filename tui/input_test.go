package tui

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"charm.land/bubbles/v2/textarea"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/creack/pty"
	"go.uber.org/goleak"
	"pgregory.net/rapid"
)

// chunk is one read, some time after the one before.
type chunk struct {
	after time.Duration
	bytes string
}

// slowKeys gives one chunk a read and moves the clock by its pause; at the end
// it blocks like a terminal until closed.
type slowKeys struct {
	chunks []chunk
	clock  time.Time
	closed chan struct{}
	once   sync.Once
}

func newSlowKeys(chunks ...chunk) *slowKeys {
	return &slowKeys{chunks: chunks, clock: time.Unix(1000, 0), closed: make(chan struct{})}
}

func (k *slowKeys) now() time.Time { return k.clock }
func (k *slowKeys) Close()         { k.once.Do(func() { close(k.closed) }) }

func (k *slowKeys) Read(p []byte) (int, error) {
	if len(k.chunks) == 0 {
		<-k.closed
		return 0, io.EOF
	}
	c := &k.chunks[0]
	k.clock = k.clock.Add(c.after)
	c.after = 0
	n := copy(p, c.bytes)
	if c.bytes = c.bytes[n:]; c.bytes == "" {
		k.chunks = k.chunks[1:]
	}
	return n, nil
}

// editor is the smallest program with a text area in focus.
type editor struct {
	area       textarea.Model
	keys       []string
	background int
	quit       string
	begun      func() // called when the terminal is set up
}

func newEditor() *editor {
	area := textarea.New()
	area.SetVirtualCursor(false) // its blinking outlives the program
	area.Focus()
	return &editor{area: area, quit: "ctrl+q"}
}

func (e *editor) Init() tea.Cmd {
	if e.begun != nil {
		e.begun()
	}
	return nil
}

func (e *editor) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.BackgroundColorMsg:
		e.background++
	case tea.KeyPressMsg:
		if msg.String() == e.quit {
			return e, tea.Quit
		}
		e.keys = append(e.keys, msg.String())
	}
	var cmd tea.Cmd
	e.area, cmd = e.area.Update(msg)
	return e, cmd
}

func (e *editor) View() tea.View { return tea.NewView(e.area.View()) }

// run types the chunks into a program and returns it after it has quit.
func run(t *testing.T, e *editor, chunks ...chunk) *editor {
	t.Helper()
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	keys := newSlowKeys(chunks...)
	defer keys.Close()
	in := &input{src: keys, replyFilter: replyFilter{now: keys.now}}
	p := tea.NewProgram(e, tea.WithInput(in), tea.WithOutput(io.Discard), tea.WithWindowSize(60, 10),
		tea.WithColorProfile(colorprofile.ANSI256), tea.WithoutSignals(), tea.WithContext(t.Context()),
		tea.WithEnvironment([]string{"TERM=xterm-256color"}))
	if _, err := p.Run(); err != nil {
		t.Fatal(err)
	}
	return e
}

const ctrlQ = "\x11"

// Case t-query-replies.
func TestQueryRepliesCase(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join("testdata", "cases", "t-query-replies", "keys.json"))
	if err != nil {
		t.Fatal(err)
	}
	var steps []struct {
		Bytes string
		Pause int
	}
	if err := json.Unmarshal(raw, &steps); err != nil {
		t.Fatal(err)
	}
	var chunks []chunk
	var pause time.Duration
	for _, s := range steps {
		if s.Pause > 0 {
			pause = time.Duration(s.Pause) * time.Millisecond
			continue
		}
		chunks = append(chunks, chunk{pause, s.Bytes})
		pause = 0
	}
	e := run(t, newEditor(), append(chunks, chunk{0, ctrlQ})...)
	if got := e.area.Value(); got != "hello world" {
		t.Errorf("the editor holds %q", got)
	}
	if got := strings.Join(e.keys, ""); got != "hellospaceworld" {
		t.Errorf("keys %q", e.keys)
	}
	if e.background != 2 {
		t.Errorf("%d background colours reached the program, want 2", e.background)
	}
}

func TestEscapeAloneIsAKey(t *testing.T) {
	e := newEditor()
	e.quit = "esc" // Bubble Tea itself decides so, after its 50 ms
	e = run(t, e, chunk{0, "a"}, chunk{0, "\x1b"})
	if got := e.area.Value(); got != "a" {
		t.Errorf("%q", got)
	}
}

func TestArrowCutAfterEscapeIsAnArrow(t *testing.T) {
	e := run(t, newEditor(), chunk{0, "ac"}, chunk{0, "\x1b"}, chunk{0, "[D"}, chunk{0, "b"}, chunk{0, ctrlQ})
	if got := e.area.Value(); got != "abc" {
		t.Errorf("%q, keys %q", got, e.keys)
	}
}

func TestPasteWithEscapesEnds(t *testing.T) {
	e := run(t, newEditor(),
		chunk{0, "\x1b[200~one\r"}, chunk{0, "\x1b]0;\xe4"}, chunk{900 * time.Millisecond, "\xb8\xad\x9d rm\x1b[20"},
		chunk{time.Second, "1~"}, chunk{0, "!"}, chunk{0, ctrlQ})
	if got, want := e.area.Value(), `one|␛]0;中\x9d rm!`; strings.ReplaceAll(got, "\n", "|") != want {
		t.Errorf("%q, want %q", got, want)
	}
	e = run(t, newEditor(), chunk{0, "\x1b[200~a\x1b[201~\x11b\x1b[200~c\x1b[201~"}, chunk{0, "d" + ctrlQ})
	if got, want := e.area.Value(), "a␛[201~b␛[200~cd"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// feed returns what passes of the chunks.
func feed(chunks ...chunk) string {
	clock := time.Unix(0, 0)
	f := replyFilter{now: func() time.Time { return clock }}
	var out []byte
	for _, c := range chunks {
		clock = clock.Add(c.after)
		out = f.feed(out, []byte(c.bytes))
	}
	return string(out)
}

func TestReplyFilter(t *testing.T) {
	const ms = time.Millisecond
	osc := "\x1b]11;rgb:1414/1414/1414\x1b\\"
	for _, c := range []struct {
		name string
		in   []chunk
		want string
	}{
		{"whole replies pass", []chunk{{0, osc + "\x1b[?62;22c\x1b[?1u\x1bP>|term 1\x1b\\\x1b_Gi=1;OK\x1b\\"}}, osc + "\x1b[?62;22c\x1b[?1u\x1bP>|term 1\x1b\\\x1b_Gi=1;OK\x1b\\"},
		{"cut reply is joined", []chunk{{0, osc[:9]}, {60 * ms, osc[9:24]}, {60 * ms, osc[24:]}, {0, "x"}}, osc + "x"},
		{"cut in its end", []chunk{{0, osc[:len(osc)-1]}, {200 * ms, "\\y"}}, osc + "y"},
		{"cut CSI", []chunk{{0, "\x1b[?62"}, {60 * ms, ";22c"}}, "\x1b[?62;22c"},
		{"unfinished for 250 ms", []chunk{{0, "a\x1b]11;rgb"}, {100 * ms, ":14"}, {150 * ms, "b"}}, "ab"},
		{"unfinished CSI", []chunk{{0, "\x1b[?62;"}, {250 * ms, "b"}}, "b"},
		{"long reply goes on", []chunk{{0, "\x1b]52;c;"}, {240 * ms, "QUJDREVGR0hJSktM"}, {240 * ms, "QUJDREVGR0hJSktM\a"}, {0, "z"}}, "\x1b]52;c;QUJDREVGR0hJSktMQUJDREVGR0hJSktM\az"},
		{"overlong reply is swallowed", []chunk{{0, "\x1b]52;c;" + strings.Repeat("A", 2000) + "\ax"}}, "x"},
		{"reply with hidden end is swallowed", []chunk{{0, "\x1b]l\xe6\x9c\x9crm\x1b\\x"}}, "x"},
		{"aborted by CAN", []chunk{{0, "\x1b]11;r\x18x"}}, "x"},
		{"aborted by a key", []chunk{{0, "\x1b]11;r\x1b[Ax"}}, "\x1b[Ax"},
		{"first row report", []chunk{{0, "\x1b[1;1R\x1b[1;16R\x1b[2;1R"}}, "\x1b[?1;1R\x1b[?1;16R\x1b[2;1R"},
		{"F3 passes", []chunk{{0, "\x1bOR\x1b[13~\x1b[R"}}, "\x1bOR\x1b[13~\x1b[R"},
		{"Esc passes at once", []chunk{{0, "\x1b"}}, "\x1b"},
		{"Esc then a letter", []chunk{{0, "\x1b"}, {100 * ms, "["}, {100 * ms, "q"}}, "\x1b[q"},
		{"Esc then a reply", []chunk{{0, "\x1b"}, {60 * ms, osc[1:]}}, "\x1b" + osc},
		{"cut after ESC at once", []chunk{{0, "\x1b"}, {5 * ms, osc[1:]}}, osc},
		{"cut after ESC and again", []chunk{{0, "\x1b"}, {5 * ms, osc[1:9]}, {60 * ms, osc[9:]}}, "\x1b" + osc},
		{"double Esc", []chunk{{0, "\x1b\x1b[A"}}, "\x1b\x1b[A"},
		{"alt key", []chunk{{0, "\x1ba\x1b中"}}, "\x1ba\x1b中"},
		{"mouse", []chunk{{0, "\x1b[<0;10"}, {60 * ms, ";5M\x1b[<0;10;5m"}}, "\x1b[<0;10;5M\x1b[<0;10;5m"},
		{"linux console F1", []chunk{{0, "\x1b[[A"}}, "\x1b[[A"},
		{"paste", []chunk{{0, "\x1b[200~a\r\n\tb"}, {time.Second, "\x1b[201~c"}}, "\x1b[200~a\r\n\tb\x1b[201~c"},
		{"paste begun after a lone ESC", []chunk{{0, "\x1b"}, {60 * ms, "[200~\r"}, {0, "\x1b[201~"}}, "\x1b\x1b[200~\r\x1b[201~"},
		{"text", []chunk{{0, "héllo 中文\r\n\x7f"}}, "héllo 中文\r\n\x7f"},
	} {
		if got := feed(c.in...); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// However the terminal's bytes are cut (without long pauses), the same passes.
func TestReplyFilterIgnoresCuts(t *testing.T) {
	piece := rapid.SampledFrom([]string{
		"a", "中", "\r", "\x1b[A", "\x1b[1;5C", "\x1bOR", "\x1b]11;rgb:1/2/3\a", "\x1b]10;rgb:1/2/3\x1b\\", "\x1b[?62;22c", "\x1b[1;1R",
		"\x1b[<0;10;5M", "\x1bP>|x\x1b\\", "\x1b_Gi=1;OK\x1b\\", "\x1b[200~x\x1b[y\r中\x1b[201~", "\x1bx", "\x1b[I",
	})
	rapid.Check(t, func(t *rapid.T) {
		whole := strings.Join(rapid.SliceOfN(piece, 1, 12).Draw(t, "input"), "") + "."
		one := strings.Count(whole, pasteEnd) < 2 // two ends in one read are one paste on purpose
		var chunks []chunk
		for rest := whole; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "cut")
			chunks = append(chunks, chunk{0, rest[:n]})
			rest = rest[n:]
		}
		if got, want := feed(chunks...), feed(chunk{0, whole}); one && got != want {
			t.Fatalf("%q, in one read %q", got, want)
		}
	})
}

func TestInputReadsThroughSmallBuffers(t *testing.T) {
	keys := newSlowKeys(chunk{0, "ab\x1b]11;rgb:1/2/3\acd"})
	keys.Close()
	in := newInput(keys)
	var got []byte
	p := make([]byte, 3)
	for {
		n, err := in.Read(p)
		got = append(got, p[:n]...)
		if err == io.EOF {
			break
		}
	}
	if want := "ab\x1b]11;rgb:1/2/3\acd"; string(got) != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// With a real terminal: raw mode is set through the wrapper, keys arrive, and
// the program ends without leaving a reader behind.
func TestInputOnTerminal(t *testing.T) {
	master, slave, err := pty.Open()
	if err != nil {
		t.Skip("no pseudo terminal:", err)
	}
	defer master.Close()
	defer slave.Close()
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	e := newEditor()
	p := tea.NewProgram(e, tea.WithInput(newInput(slave)), tea.WithOutput(io.Discard), tea.WithWindowSize(60, 10),
		tea.WithoutSignals(), tea.WithContext(t.Context()), tea.WithEnvironment([]string{"TERM=xterm-256color"}))
	e.begun = func() {
		for _, s := range []string{"hi\x1b]11;rgb:14", "14/1414/1414\a", "!", ctrlQ} { // ^Q is a key only in raw mode
			if _, err := io.WriteString(master, s); err != nil {
				t.Error(err)
			}
		}
	}
	if _, err := p.Run(); err != nil {
		t.Fatal(err)
	}
	if got := e.area.Value(); got != "hi!" {
		t.Errorf("%q", got)
	}
}
