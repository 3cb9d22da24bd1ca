package tui

import (
	"context"
	"io"

	tea "charm.land/bubbletea/v2"

	"agentstudio/engine"
)

// maxShown bounds how much of a file is taken in to be shown; the rest is said to be left out.
const maxShown = 1 << 20

// readRef reads what the log names and then tells it on the screen's goroutine, unless another
// session is shown by then. At most maxShown bytes are read; left tells whether there are more.
func (m *Model) readRef(ref engine.Ref, then func(m *Model, text string, left bool, err error) tea.Cmd) tea.Cmd {
	ctx, s := m.ctx, m.o.Session
	return func() tea.Msg {
		text, left, err := readText(func() (io.ReadCloser, error) { return s.Read(ctx, ref) })
		return later(func(m *Model) tea.Cmd {
			if m.o.Session != s {
				return nil
			}
			return then(m, text, left, err)
		})
	}
}

func readText(open func() (io.ReadCloser, error)) (text string, left bool, err error) {
	r, err := open()
	if err != nil {
		return "", false, err
	}
	defer r.Close()
	b, err := io.ReadAll(io.LimitReader(r, maxShown+1))
	if len(b) > maxShown {
		b, left = b[:maxShown], true
	}
	return string(b), left, err
}

// fetch gets one event from the log again, which the State holds only in part, and then tells it
// on the screen's goroutine, unless another session is shown by then.
func (m *Model) fetch(seq engine.Seq, then func(m *Model, e engine.Event, err error) tea.Cmd) tea.Cmd {
	ctx, s := m.ctx, m.o.Session
	return func() tea.Msg {
		e, err := eventAt(ctx, s, seq)
		return later(func(m *Model) tea.Cmd {
			if m.o.Session != s {
				return nil
			}
			return then(m, e, err)
		})
	}
}

func eventAt(ctx context.Context, s Session, seq engine.Seq) (engine.Event, error) {
	for batch, err := range s.Follow(ctx, seq-1) {
		if err != nil {
			return engine.Event{}, err
		}
		if batch[0].Seq == seq {
			return batch[0], nil
		}
		break
	}
	return engine.Event{}, engine.Errorf(engine.EventGap, "the event %d is not in the log any more", seq)
}
