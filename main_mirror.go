package main

import (
	"context"
	"encoding/json"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"agentstudio/engine"
	"agentstudio/mirror"
)

// mirrorCommand serves a session to browsers without a terminal screen.
func (o *options) mirrorCommand() *cobra.Command {
	var flags mirrorFlags
	var asJSON bool
	c := &cobra.Command{
		Use:   "mirror",
		Short: "Serve a session to browsers, without a terminal screen",
		Long: `mirror opens a session and serves the web mirror until it is told to end. On a terminal it prints the codes by
which phones join, and takes lines: the four digits that a phone shows, refuse to let it not in, code for another
approver's code, class for another class code, hide to let nobody join by it any more, devices, revoke ID,
role ID ROLE, share LEVEL, quit. Without a terminal on standard input only --mirror-token-file lets in.
docs/mirror.md has the rest.`,
		Example: `  agentstudio mirror --scenario ads-report
  agentstudio mirror --mirror-lan 192.168.1.20 --mirror-tls self
  agentstudio mirror --mirror-token-file tokens --json`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return o.serveMirror(c.Context(), flags, asJSON) },
	}
	flags.bind(c.Flags())
	c.Flags().StringVar(&o.resume, "resume", "", "serve the session with this id; last for the newest")
	c.Flags().BoolVar(&asJSON, "json", false, "print the addresses and the session as one line of JSON")
	return c
}

func (o *options) serveMirror(ctx context.Context, flags mirrorFlags, asJSON bool) error {
	in, ok := fileOf(o.std.in)
	people := ok && term.IsTerminal(in.Fd())
	if !people && flags.tokens == "" {
		return engine.Errorf(engine.ConfigInvalid, "without a terminal nobody can type the digits, so only --mirror-token-file lets in; name one")
	}
	root, err := o.stateRoot()
	if err != nil {
		return err
	}
	mo, err := flags.options(o.kept(root))
	if err != nil {
		return err
	}
	o.pace, o.modelless = true, true
	s, err := o.assemble(ctx)
	if err != nil {
		return err
	}
	defer s.close()
	h := &hall{session: s.session, out: o.std.out, lang: s.lang, changed: make(chan struct{}, 1)}
	mo.Session, mo.By, mo.Changed, mo.Log = s.session, engine.Actor{Screen: "cli", Name: "terminal"}, h.wake, o.logLine(root)
	filed(&mo, func() *engine.Session { return s.session })
	m, err := mirror.New(mo)
	if err != nil {
		return err
	}
	defer func() { _ = m.Close() }()
	h.mirror = m
	if asJSON {
		if err := json.NewEncoder(o.std.out).Encode(struct {
			Addresses []string         `json:"addresses"`
			Session   engine.SessionID `json:"sessionId"`
		}{m.State().Addresses, s.session.ID()}); err != nil {
			return err
		}
	}
	if people {
		err = h.serve(ctx, o.std.in)
	} else {
		<-ctx.Done()
	}
	if ctx.Err() != nil {
		_, _ = s.session.Do(context.Background(), signalled(ctx, "cli"))
	}
	return err
}

// kept is the state directory, "" with --no-save.
func (o *options) kept(root string) string {
	if o.noSave {
		return ""
	}
	return root
}
