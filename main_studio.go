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
	"agentstudio/tui"
)

// studio opens the terminal screen.
func (o *options) studio(ctx context.Context) error {
	if err := o.checkScreen(); err != nil {
		return err
	}
	o.pace = true
	began := time.Now().Add(-time.Second) // file systems keep coarse times
	lang, err := o.language()
	if err != nil {
		return err
	}
	root, err := o.stateRoot()
	if err != nil {
		return err
	}
	var s *studio // opened while the screen comes up; nobody else looks before Run has returned
	open := func(ctx context.Context) (tui.Opened, error) {
		var err error
		if s, err = o.assemble(ctx); err != nil {
			return tui.Opened{}, err
		}
		return tui.Opened{Session: s.session, Prompt: s.scenario.Prompt(string(s.lang)), Script: s.scenario.Name()}, nil
	}
	screen, _ := fileOf(o.std.out)
	m, err := tui.Run(ctx, tui.Options{Open: open, Lang: lang, Theme: o.theme, ASCII: o.ascii, Fault: o.fault(root)},
		o.std.in, tea.WithOutput(screen), tea.WithoutSignalHandler())
	if s != nil {
		defer s.close()
		if ctx.Err() != nil { // a signal; a run that nobody cancelled says so
			_, _ = s.session.Do(context.Background(), signalled(ctx, "tui"))
		}
	}
	if err != nil {
		return err
	}
	for _, a := range m.State().Artifacts {
		if at := o.artifactPath(s, a.Name, began); at != "" {
			fmt.Fprintln(o.std.out, safe.Text(at, safe.Inline))
		}
	}
	return nil
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
func (o *options) artifactPath(s *studio, name string, began time.Time) string {
	root, err := o.stateRoot()
	if err != nil || s.store == nil {
		return ""
	}
	at := filepath.Join(root, "sessions", string(s.session.ID()), "artifacts", name)
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
