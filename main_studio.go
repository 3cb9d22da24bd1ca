package main

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"agentstudio/tui"
)

// studio opens the terminal screen.
func (o *options) studio(ctx context.Context) error {
	o.pace = true
	s, err := o.assemble(ctx)
	if err != nil {
		return err
	}
	defer s.close()
	m, err := tui.Run(ctx, tui.Options{Session: s.session, Lang: s.lang, Theme: o.theme, ASCII: o.ascii,
		Prompt: s.scenario.Prompt(string(s.lang)), Script: s.scenario.Name()}, o.std.in, tea.WithOutput(o.std.out), tea.WithoutSignalHandler())
	if err != nil {
		return err
	}
	for _, a := range m.State().Artifacts {
		fmt.Fprintln(o.std.out, o.artifactPath(s, a.Name))
	}
	return nil
}

// artifactPath is where a file of the session lies, as people may be shown it.
func (o *options) artifactPath(s *studio, name string) string { return name }
