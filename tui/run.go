package tui

import (
	"context"
	"io"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// frame is how often batches of events are applied at most; keys paint at Bubble Tea's own rate.
const frame = 33 * time.Millisecond

// Run shows the session until the person quits, the context ends or the terminal is lost. It owns
// one goroutine, which carries events to the screen. The error is engine-coded, or the terminal's.
func Run(ctx context.Context, o Options, in io.Reader, opts ...tea.ProgramOption) (*Model, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	last, kill := context.WithCancel(context.Background())
	defer kill()
	context.AfterFunc(ctx, func() { time.AfterFunc(patience, kill) })
	m := New(ctx, o)
	m.in = in
	defer forget(in)
	return m, m.show(ctx, cancel, tea.NewProgram(m, append([]tea.ProgramOption{tea.WithContext(last), tea.WithInput(newInput(in))}, opts...)...))
}

// patience is how long a program that was told to quit may take. One whose context ends is cut off
// by Bubble Tea in the middle of reading; one that quits has its reader waited for.
const patience = 3 * time.Second

// show runs the program and the pump beside it, and ends both.
func (m *Model) show(ctx context.Context, cancel func(), p *tea.Program) error {
	m.stop = cancel
	o := m.o // the pump's own: the model is the program's
	var pump sync.WaitGroup
	pump.Go(func() { _ = ansi.StringWidthWc("─") }) // its table takes 10 ms to make: not within the first picture
	pump.Go(func() {
		defer caught("events", func(f faultMsg) { p.Send(f) })
		if o.Open != nil {
			opened, err := o.Open(ctx)
			if err != nil {
				p.Send(unopenedMsg{err})
				return
			}
			o.Session = opened.Session
			p.Send(openedMsg{opened: opened})
		}
		for s := o.Session; s != nil; s = m.reel.next(ctx) {
			carry(m.reel.wind(ctx), s, p)
		}
	})
	if o.Mirror != nil {
		pump.Go(func() { followMirror(ctx, o.Mirror, p) })
	}
	pump.Go(func() {
		<-ctx.Done()
		p.Quit()
	})
	_, err := p.Run()
	cancel()
	pump.Wait()
	return m.ending(err)
}

// carry is the event pump: it hands a batch over, then waits out its frame while more gathers.
func carry(ctx context.Context, s Session, p *tea.Program) {
	wait := time.NewTimer(0)
	defer wait.Stop()
	for batch, err := range s.Follow(ctx, 0) {
		if err != nil {
			p.Send(brokenMsg{s, err})
			return
		}
		p.Send(eventsMsg{s, batch})
		if len(batch) >= 256 {
			continue // catching up
		}
		wait.Reset(frame)
		select {
		case <-wait.C:
		case <-ctx.Done():
			return
		}
	}
}

// reel tells the pump which session to carry. The zero reel carries what it was begun with.
type reel struct {
	mu      sync.Mutex
	stop    context.CancelFunc
	waiting Session
	changed chan struct{}
}

// wind gives the context of the session to be carried now.
func (r *reel) wind(ctx context.Context) context.Context {
	ctx, stop := context.WithCancel(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stop = stop
	if r.waiting != nil {
		stop() // another one has been asked for meanwhile
	}
	return ctx
}

// change makes the pump go on with another session. It may be called from any goroutine.
func (r *reel) change(s Session) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waiting = s
	if r.stop != nil {
		r.stop()
	}
	if r.changed != nil {
		close(r.changed)
		r.changed = nil
	}
}

// next waits for another session to be carried; nil when ctx has ended.
func (r *reel) next(ctx context.Context) Session {
	for {
		r.mu.Lock()
		s, changed := r.waiting, make(chan struct{})
		r.waiting, r.changed = nil, changed
		r.stop()
		r.mu.Unlock()
		if s != nil {
			return s
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil
		}
	}
}
