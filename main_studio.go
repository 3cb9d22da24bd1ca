package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/term"

	"agentstudio/engine"
	"agentstudio/engine/safe"
	"agentstudio/engine/words"
	"agentstudio/mirror"
	"agentstudio/tui"
)

// studio opens the terminal screen.
func (o *options) studio(ctx context.Context) error {
	if o.plain {
		return o.plainly(ctx)
	}
	if err := o.checkScreen(); err != nil {
		return err
	}
	o.pace, o.modelless = true, true
	began := time.Now().Add(-time.Second) // file systems keep coarse times
	lang, err := o.language()
	if err != nil {
		return err
	}
	root, err := o.stateRoot()
	if err != nil {
		return err
	}
	if _, err := o.connecting(); err != nil {
		return err
	}
	hideKeys() // they have been read
	p := &picker{}
	r := &remote{shown: p.now, options: func() (mirror.Options, error) {
		mo, err := o.mirrors.options(o.kept(root))
		mo.By, mo.Log = engine.Actor{Screen: "tui", Name: "terminal"}, o.logLine(root)
		return mo, err
	}}
	if _, err := r.options(); err != nil { // flags are wrong now, not when F3 is pressed
		return err
	}
	defer r.close()
	open := func(ctx context.Context) (tui.Opened, error) {
		s, err := o.assemble(ctx)
		if err != nil {
			return tui.Opened{}, err
		}
		p.begin(s)
		opened := s.opened(s.session)
		if o.mirror {
			if err := r.Start(ctx); err != nil {
				opened.News = strings.TrimPrefix(opened.News+"\n"+engine.MessageOf(err), "\n")
			}
		}
		return opened, nil
	}
	screen, _ := fileOf(o.std.out)
	m, err := tui.Run(ctx, o.screenOptions(lang, root, open, p, r), o.std.in, tea.WithOutput(screen), tea.WithoutSignalHandler())
	r.close() // before the session it serves
	s, shown, before := p.end()
	if s != nil {
		defer s.close()
		if ctx.Err() != nil { // a signal; a run that nobody cancelled says so
			_, _ = shown.Do(context.Background(), signalled(ctx, "tui"))
		}
	}
	if err != nil || s == nil {
		return err
	}
	paths := o.made(s, before, began)
	for _, a := range m.State().Artifacts {
		if at := o.artifactPath(s, shown.ID(), a.Name, began); at != "" {
			paths = append(paths, at)
		}
	}
	for _, at := range paths {
		fmt.Fprintln(o.std.out, safe.Text(at, safe.Inline))
	}
	return nil
}

// screenOptions is what the screen is made with, as flags and config file say.
func (o *options) screenOptions(lang words.Lang, root string, open func(context.Context) (tui.Opened, error), p *picker, r *remote) tui.Options {
	t := tui.Options{Open: open, Lang: lang, Theme: o.config.Text("theme"), ASCII: o.config.True("ascii"), Keys: o.config.Keys,
		Quiet: !o.config.True("notifications"), Settings: keeper{o}, Connections: o.connections, Files: o.files(), Mirror: r, Fault: o.fault(root)}
	if !o.noSave {
		t.Sessions = p
	}
	if o.std.away != nil {
		t.Away = o.std.away.Store
	}
	return t
}

// opened is a session for the screen, with what belongs to it.
func (s *studio) opened(session *engine.Session) tui.Opened {
	o := tui.Opened{Session: session, Prompt: func(l words.Lang) string { return s.scenario.Prompt(string(l)) }, News: s.news}
	if !s.real {
		o.Script = s.scenario.Name()
	}
	return o
}

// checkScreen says what is missing before anything is opened.
func (o *options) checkScreen() error {
	if !slices.Contains([]string{"", "dark", "light", "projector"}, o.theme) {
		return engine.Errorf(engine.ConfigInvalid, "--theme takes dark, light or projector, not %q", o.theme)
	}
	for _, end := range []any{o.std.in, o.std.out} {
		if f, ok := fileOf(end); !ok || !term.IsTerminal(f.Fd()) {
			return engine.Errorf(engine.ConfigInvalid, "the studio needs a terminal on standard input and output; agentstudio run works without one")
		}
	}
	return nil
}

// artifactPath is where a file of the session lies, for whoever sits at the terminal; "" if it was
// kept in memory only, or is older than began.
func (o *options) artifactPath(s *studio, id engine.SessionID, name string, began time.Time) string {
	root, err := o.stateRoot()
	if err != nil || s.store == nil {
		return ""
	}
	at := filepath.Join(root, "sessions", string(id), "artifacts", name)
	if i, err := os.Stat(at); err != nil || i.ModTime().Before(began) {
		return ""
	}
	return ownPath(at)
}

// ownPath is a path for whoever sits at this machine: whole, with ~ for the home folder.
func ownPath(at string) string {
	if home, err := os.UserHomeDir(); err == nil {
		if rest, ok := strings.CutPrefix(at, filepath.Clean(home)+string(filepath.Separator)); ok {
			return filepath.Join("~", rest)
		}
	}
	return at
}
