// Command agentstudio is a terminal studio in which people watch an AI agent work and decide what
// it may do. This file is the wiring: the only one that knows every package.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"agentstudio/engine"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGHUP)
	code := run(ctx, os.Args[1:], stdio{os.Stdin, os.Stdout, os.Stderr})
	stop()
	os.Exit(code)
}

// stdio is where a command reads and writes.
type stdio struct {
	in  io.Reader
	out io.Writer
	err io.Writer
}

// run executes one command line and gives its exit status.
func run(ctx context.Context, args []string, io stdio) int {
	c := command(io)
	c.SetArgs(args)
	err := c.ExecuteContext(ctx)
	if err != nil {
		var quiet silent
		if !errors.As(err, &quiet) {
			fmt.Fprintln(io.err, "agentstudio: "+plain(err))
		}
	}
	return exitStatus(err)
}

// The exit statuses, as `agentstudio help` lists them.
const (
	exitDone      = 0
	exitUsage     = 2
	exitFailed    = 3
	exitCancelled = 4
	exitDenied    = 5
)

// silent is an error that has been told already; it only carries a status.
type silent struct{ status int }

func (silent) Error() string { return "" }

// usage is a fault of the command line.
type usage struct{ err error }

func (u usage) Error() string { return u.err.Error() }
func (u usage) Unwrap() error { return u.err }

// exitStatus is the one table from errors to exit statuses.
func exitStatus(err error) int {
	var s silent
	var u usage
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &s):
		return s.status
	case errors.As(err, &u):
		return exitUsage
	}
	switch engine.CodeOf(err) {
	case engine.ScenarioUnknown, engine.ScenarioInvalid, engine.ConfigInvalid, engine.EmptyMessage, engine.NotAFolder:
		return exitUsage
	case engine.RunCancelled:
		return exitCancelled
	case engine.ApprovalDenied, engine.ApprovalExpired:
		return exitDenied
	}
	return exitFailed
}
