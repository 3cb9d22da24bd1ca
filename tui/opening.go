package tui

import (
	"context"
	"io"
	"iter"
	"time"

	"agentstudio/engine"
	"agentstudio/engine/view"
	"agentstudio/engine/words"
)

// Opened is a session that has been opened while the screen was coming up, and what belongs to it.
type Opened struct {
	Session Session
	Prompt  func(words.Lang) string // see Options.Prompt
	Script  string                  // see Options.Script
	News    string                  // a line for the footer, until the next key
}

// opening stands in for a session that is still being opened: there is nothing in it, and it takes
// no commands. What is typed meanwhile stays in the draft.
type opening struct{}

func (opening) ID() engine.SessionID { return "" }
func (opening) ReadOnly() error      { return nil }

func (opening) Do(context.Context, engine.Command) (engine.Receipt, error) {
	return engine.Receipt{}, engine.Errorf(engine.InvalidCommand, "the session is still being opened")
}

func (opening) Follow(context.Context, engine.Seq) iter.Seq2[[]engine.Event, error] {
	return func(func([]engine.Event, error) bool) {}
}

func (opening) Read(context.Context, engine.Ref) (io.ReadCloser, error) {
	return nil, engine.Errorf(engine.RefNotFound, "the session is still being opened")
}

// Sessions are the saved sessions. Its methods are called on goroutines of their own.
type Sessions interface {
	// List gives all of them, the newest first.
	List(ctx context.Context) ([]Saved, error)
	// Open closes the session that is shown and opens another, a new one for the id "". On an error
	// the shown one stays open (SESSION_NOT_FOUND, SESSION_LOCKED, SESSION_BUSY while a run is active).
	Open(ctx context.Context, id engine.SessionID) (Opened, error)
	Rename(ctx context.Context, id engine.SessionID, title string) error
	// Delete removes a session with all its files; not the one that is shown.
	Delete(ctx context.Context, id engine.SessionID) error
}

// Saved is a session on disk as its list shows it.
type Saved struct {
	ID      engine.SessionID
	Title   string // true text
	State   string // complete, interrupted, damaged and such, as sessions list has it
	Updated time.Time
	Events  int
}

type (
	openedMsg struct {
		opened Opened
		err    error // of another session; the shown one stays
	}
	unopenedMsg struct{ err error }
)

// opened makes the session that was opened the screen's.
func (m *Model) opened(msg openedMsg) {
	if msg.err != nil {
		m.say(m.errorText(msg.err))
		return
	}
	_, first := m.o.Session.(opening)
	o := msg.opened
	m.o.Session, m.o.Prompt, m.o.Script = o.Session, o.Prompt, o.Script
	if !first {
		m.reset()
		m.reel.change(o.Session)
		if m.mirror.On {
			m.cover(&mirrorAsk{since: m.o.Now()})
		}
	}
	if m.news = o.News; o.News != "" {
		m.say(o.News)
	}
	m.repaint()
}

// reset forgets all that was shown of the session before; the draft stays.
func (m *Model) reset() {
	m.state, m.overlays, m.failed, m.flash = view.State{}, nil, nil, ""
	m.attaching, m.inFlight = 0, nil
	m.composer.keepText() // it was pasted for the session before
	m.cancelled, m.since = time.Time{}, m.o.Now().Truncate(time.Millisecond)
	m.skills, m.chat, m.timeline, m.panel = skillsPane{}, chatPane{}, timelinePane{}, approvalPanel{}
	m.chat.follow, m.timeline.follow = true, true
}

// unopened ends the screen; Run returns why.
func (m *Model) unopened(err error) {
	m.refused = err
	if m.stop != nil {
		m.stop()
	}
}
