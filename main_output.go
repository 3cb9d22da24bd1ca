package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
)

// output is standard output with its first failure, so that no command can end well after what it
// printed got lost.
type output struct {
	io.Writer
	failed error
}

// Write implements io.Writer.
func (o *output) Write(b []byte) (int, error) {
	n, err := o.Writer.Write(b)
	if err != nil && o.failed == nil {
		o.failed = err
	}
	return n, err
}

// ended is the exit status of a command that has otherwise ended with status. A reader that has
// gone away needs no message.
func (o *output) ended(status int, stderr io.Writer) int {
	if o.failed == nil {
		return status
	}
	if !errors.Is(o.failed, syscall.EPIPE) {
		fmt.Fprintf(stderr, "agentstudio: the output could not be written (%s); what was printed is not whole\n", cause(o.failed))
	}
	return max(status, exitFailed)
}

// cause is an error of the system without the path it speaks of.
func cause(err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// fileOf is the file behind a reader or a writer of a command, if it is one.
func fileOf(end any) (*os.File, bool) {
	if o, ok := end.(*output); ok {
		end = o.Writer
	}
	f, ok := end.(*os.File)
	return f, ok
}
