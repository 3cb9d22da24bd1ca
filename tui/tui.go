// Package tui is the terminal screen: one Bubble Tea model over one view.State. It holds no truth.
// It follows the session's log with a cursor, folds events into the State, draws that, and turns
// keys into engine commands. Panes are plain structs; nothing here reads a file or calls a model.
package tui

import (
	"context"
	"io"
	"iter"
	"time"

	tea "charm.land/bubbletea/v2"

	"agentstudio/engine"
	"agentstudio/engine/view"
	"agentstudio/engine/words"
)

// Session is all that the screen needs of an engine.
type Session interface {
	ID() engine.SessionID
	Do(ctx context.Context, c engine.Command) (engine.Receipt, error)
	Follow(ctx context.Context, after engine.Seq) iter.Seq2[[]engine.Event, error]
	Read(ctx context.Context, ref engine.Ref) (io.ReadCloser, error)
	ReadOnly() error
}

// Options are what a screen is made with.
type Options struct {
	// Session is what is shown; nil if Open gives it.
	Session Session
	// Open opens the session while the screen comes up, so that typing can begin at once. It is
	// called once, on a goroutine that Run waits for; its error ends the screen and is Run's.
	Open  func(ctx context.Context) (Opened, error)
	Lang  words.Lang
	Theme string // dark, light, projector; "" follows the terminal's background
	ASCII bool
	// Prompt is what the demo key fills in, in a language; nil or "" for nothing.
	Prompt func(words.Lang) string
	Script string // name of the scenario, shown beside the model
	Name   string // who sits here, for receipts
	// Sessions are those on disk; nil where none are kept.
	Sessions Sessions
	// Settings are those that are kept; nil where they can't be changed.
	Settings Settings
	// Files are those of this computer that can be attached; nil where none can be.
	Files Files
	// Connections are the models that can be chosen; nil where none can be.
	Connections Connections
	// Mirror is the web mirror; nil where there is none.
	Mirror Mirror
	// Keys are the keys that people have chosen, by what they do; see CheckKeys.
	Keys map[string][]string
	// Quiet turns the bell and the notifications off.
	Quiet bool
	// Away, if set, is told when another program gets the terminal and when it is back. Any goroutine.
	Away func(away bool)
	// Clipboard puts text where other programs paste from; the system's own by default. Any goroutine.
	Clipboard func(text string) error
	// Now is the screen's clock; time.Now by default.
	Now func() time.Time
	// Applied, if set, is called on the screen's goroutine after each batch of events, with the
	// newest sequence that the State holds.
	Applied func(engine.Seq)
	// Fault is told of panics, which the screen never shows; default: nobody. Any goroutine.
	Fault func(where string, err any, stack []byte)
}

// Model is the only tea.Model of the program. It is used by Bubble Tea's goroutine alone.
type Model struct {
	ctx    context.Context
	o      Options
	state  view.State
	theme  *theme
	keys   []binding
	names  map[string]string // of the keys in force, for texts that tell of them
	feet   feet
	width  int
	height int
	focus  focus
	side   focus // the side pane shown beside the chat on a middling screen

	skills   skillsPane
	chat     chatPane
	timeline timelinePane
	composer composer
	panel    approvalPanel
	lent     lent
	mirror   MirrorState
	overlays []overlay // the last one is on top and takes the keys

	panelAt area // where the approval panel was drawn; of no height when it wasn't
	fieldAt int  // first row of the text field
	boxed   area // what the overlay on top has drawn on, its frame not counted

	news      string // about the session that is shown; stands in its chat while it has no model
	flash     string // one line of news in the footer, until the next key
	failed    error  // what ended the following
	crashed   error  // a panic, after which nothing is drawn any more
	refused   error  // why the session could not be opened
	stop      func() // ends the program; nil where there is none
	quitting  bool   // asked whether to quit
	cancelled time.Time
	lastKey   time.Time
	burst     time.Time // when the keys began that have come close to each other until now
	since     time.Time // when the screen was made
	ticking   bool
	reel      reel      // what the pump carries
	in        io.Reader // the terminal's keys, unfiltered; nil in tests
	// execute gives the terminal to another program; tests have no terminal to give.
	execute   func(tea.ExecCommand, tea.ExecCallback) tea.Cmd
	env       tea.EnvMsg      // of the terminal
	inFlight  map[string]bool // pictures that a message has taken along, until the State says so too
	attaching int             // pictures that are being taken in
	away      bool            // the terminal has told that the person looks elsewhere
}

// focus is the pane that takes the keys.
type focus int

const (
	onSkills   focus = iota
	onChat           // the messages
	onComposer       // the text field below them
	onTimeline
	panes
)

type (
	// eventsMsg is a batch of a session's log; one of a session that is shown no more is dropped.
	eventsMsg struct {
		of    Session
		batch []engine.Event
	}
	brokenMsg struct {
		of  Session
		err error
	}
	receiptMsg struct {
		command engine.Command
		receipt engine.Receipt
		err     error
	}
	tickMsg   time.Time
	mirrorMsg MirrorState
	// later is what a Cmd has to tell the screen: it runs on the screen's goroutine.
	later func(*Model) tea.Cmd
)

// New makes the screen of a session.
func New(ctx context.Context, o Options) *Model {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Name == "" {
		o.Name = "terminal"
	}
	if o.Session == nil {
		o.Session = opening{}
	}
	m := &Model{ctx: ctx, o: o, focus: onComposer, side: onTimeline, since: o.Now().Truncate(time.Millisecond), execute: tea.Exec}
	m.theme = newTheme(manner{name: o.Theme, dark: true, ascii: o.ASCII})
	m.keys = remapped(bindings(), o.Keys)
	m.names = m.keyNames()
	m.composer = newComposer()
	m.timeline.follow, m.chat.follow = true, true
	return m
}

// State is what the screen shows now. Only Bubble Tea's goroutine may use it while a program runs.
func (m *Model) State() *view.State { return &m.state }
