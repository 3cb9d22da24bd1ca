// Command agentstudio is a terminal studio in which people watch an AI agent work and decide what
// it may do. This file is the wiring: it alone knows every package; each command has a file
// main_NAME.go beside it.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"runtime/debug"
	"sync/atomic"
	"syscall"

	"charm.land/fang/v2"
	"github.com/spf13/cobra"

	"agentstudio/engine"
	"agentstudio/engine/safe"
	"agentstudio/engine/words"
)

func main() {
	debug.SetGCPercent(200) // the start fits into the first 8 MiB: no collection before the first picture
	away := &atomic.Bool{}
	ctx, stop := signals(away)
	code := run(ctx, os.Args[1:], stdio{in: os.Stdin, out: os.Stdout, err: os.Stderr, away: away})
	stop()
	os.Exit(code)
}

// signals ends the context at the first signal that asks the program to end; its cause names the
// signal. While away, the terminal belongs to an editor or a pager, and ^C is meant for that.
func signals(away *atomic.Bool) (context.Context, func()) {
	outer, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGHUP)
	ctx, end := context.WithCancelCause(outer)
	keys := make(chan os.Signal, 1)
	signal.Notify(keys, os.Interrupt)
	go func() {
		for {
			select {
			case <-keys:
				if !away.Load() {
					end(errors.New(os.Interrupt.String() + " signal received"))
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	return ctx, func() { end(nil); stop() }
}

// version is set by the linker for releases.
var version = "dev"

// stdio is where a command reads and writes.
type stdio struct {
	in  io.Reader
	out io.Writer
	err io.Writer
	// ring is the keyring; nil is the system's.
	ring secretStore
	// away is set while another program has the terminal; nil where none can.
	away *atomic.Bool
}

// run executes one command line and gives its exit status.
func run(ctx context.Context, args []string, std stdio) int {
	out := &output{Writer: std.out}
	std.out = out
	o := &options{std: std, vars: variables(), ring: std.ring}
	c := o.command()
	c.SetArgs(args)
	err := fang.Execute(ctx, c, fang.WithoutVersion(), fang.WithErrorHandler(func(w io.Writer, _ fang.Styles, err error) {
		var told silent
		if !errors.As(err, &told) && out.failed == nil {
			fmt.Fprintln(w, "agentstudio: "+string(safe.Text(o.explain(err), safe.Prose)))
		}
	}))
	return out.ended(exitStatus(err), std.err)
}

// command is the tree of all commands.
func (o *options) command() *cobra.Command {
	root := &cobra.Command{
		Use:   "agentstudio",
		Short: "Watch an AI agent work, and decide what it may do",
		Long: `agentstudio opens the studio: skills, chat and timeline of an agent whose every step is an event.
Without a key it plays the demo on a scripted model; no network is needed.

Exit status: 0 done, 2 usage, 3 failed, 4 cancelled, 5 denied or expired.`,
		Example: `  agentstudio                              # the studio, on the demo
  agentstudio --workspace . --theme projector
  agentstudio --resume last
  agentstudio run --scenario ads-report --approve always --json "…"`,
		Args:          noCommand,
		RunE:          func(c *cobra.Command, _ []string) error { return o.studio(c.Context()) },
		SilenceErrors: true, SilenceUsage: true,
	}
	root.SetIn(o.std.in)
	root.SetOut(o.std.out)
	root.SetErr(o.std.err)
	root.SetFlagErrorFunc(flagFault)
	o.bind(root)
	root.AddCommand(o.runCommand(), o.sessionsCommand(), o.skillsCommand(), o.toolsCommand(), o.modelsCommand(), o.scenariosCommand(),
		o.configCommand(), o.mirrorCommand(), o.doctorCommand(), o.versionCommand())
	for _, group := range root.Commands() {
		if group.HasSubCommands() {
			group.Args = noCommand
		}
	}
	return root
}

// The exit statuses, as the help lists them.
const (
	exitDone      = 0
	exitUsage     = 2
	exitFailed    = 3
	exitCancelled = 4
	exitDenied    = 5
)

// silent is an error that has been told already; it only carries a status.
type silent struct{ status int }

func (s silent) Error() string { return fmt.Sprintf("exit status %d", s.status) }

// exitStatus is the one table from errors to exit statuses. What cobra says of the command line
// is no engine.Error and comes from no file, and so is usage.
func exitStatus(err error) int {
	var told silent
	var e *engine.Error
	var c engine.Code
	var file *fs.PathError // as when the output's disk is full
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &told):
		return told.status
	case !errors.As(err, &e) && !errors.As(err, &c):
		if errors.As(err, &file) {
			return exitFailed
		}
		return exitUsage
	}
	switch engine.CodeOf(err) {
	case engine.ConfigInvalid, engine.ScenarioUnknown, engine.EmptyMessage:
		return exitUsage
	case engine.RunCancelled:
		return exitCancelled
	case engine.ApprovalDenied, engine.ApprovalExpired:
		return exitDenied
	}
	return exitFailed
}

// explain is an error in words: what was wrong and what to do, with its code, in the language that was
// asked for. What was said in English stands behind other words, for whoever looks it up.
func (o *options) explain(err error) string {
	var e *engine.Error
	if !errors.As(err, &e) {
		return err.Error()
	}
	lang, unreadable := o.language()
	if unreadable != nil {
		return e.Error()
	}
	return explained(lang, e)
}

func explained(lang words.Lang, e *engine.Error) string {
	if own := sayFault(lang, e); own != e.Message {
		return string(e.Code) + ": " + own + " (" + e.Message + ")"
	}
	return e.Error()
}
