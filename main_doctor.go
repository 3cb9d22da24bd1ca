package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"agentstudio/engine"
	"agentstudio/engine/journal"
	"agentstudio/engine/safe"
)

// finding is one line of the doctor's report.
type finding struct {
	What   string `json:"what"`
	OK     bool   `json:"ok"`
	Found  string `json:"found"`
	Advice string `json:"advice,omitempty"`
}

// doctorCommand looks at terminal and state directory, and says what to change.
func (o *options) doctorCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{Use: "doctor", Short: "Check the terminal and the state directory, and say what to change", Args: cobra.NoArgs,
		Example: "  agentstudio doctor --state ./state",
		RunE: func(*cobra.Command, []string) error {
			all := []finding{o.terminal(), o.size(), o.colours(), o.stateFinding()}
			if asJSON {
				if err := printJSON(o.std.out, all); err != nil {
					return err
				}
			}
			bad := false
			for _, f := range all {
				bad = bad || !f.OK
				if asJSON {
					continue
				}
				mark := "ok  "
				if !f.OK {
					mark = "fix "
				}
				fmt.Fprintf(o.std.out, "%s %-16s %s\n", mark, f.What, safe.Text(f.Found, safe.Inline))
				if f.Advice != "" {
					fmt.Fprintf(o.std.out, "     %-16s %s\n", "", f.Advice)
				}
			}
			if bad {
				return silent{exitFailed}
			}
			return nil
		}}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func (o *options) terminal() finding {
	f := finding{What: "terminal", OK: true, Found: os.Getenv("TERM")}
	switch out, ok := fileOf(o.std.out); {
	case !ok || !term.IsTerminal(out.Fd()):
		f.Found, f.Advice = "standard output is not a terminal", "agentstudio run works without one"
	case os.Getenv("TERM") == "dumb" || os.Getenv("TERM") == "" && runtime.GOOS != "windows":
		f.OK, f.Advice = false, "set TERM to what your terminal is, as in xterm-256color"
	}
	return f
}

func (o *options) size() finding {
	f := finding{What: "size", OK: true, Found: "unknown"}
	out, ok := fileOf(o.std.out)
	if !ok || !term.IsTerminal(out.Fd()) {
		return f
	}
	w, h, err := term.GetSize(out.Fd())
	if err != nil {
		return f
	}
	f.Found = fmt.Sprintf("%dx%d", w, h)
	if w < 40 || h < 12 {
		f.OK, f.Advice = false, "make the window at least 40x12, better 80x24, or use a smaller font"
	}
	return f
}

func (o *options) colours() finding {
	f := finding{What: "colours", OK: true, Found: "from the terminal's type"}
	switch {
	case os.Getenv("NO_COLOR") != "":
		f.Found = "off by NO_COLOR"
	case strings.Contains(os.Getenv("COLORTERM"), "truecolor") || strings.Contains(os.Getenv("COLORTERM"), "24bit"):
		f.Found = "true colour"
	case strings.Contains(os.Getenv("TERM"), "256color"):
		f.Found = "256"
	}
	return f
}

func (o *options) stateFinding() finding {
	root, err := o.stateRoot()
	if err == nil {
		_, err = journal.Open(root, journal.Options{})
	}
	f := finding{What: "state directory", OK: err == nil, Found: "none"}
	if root != "" {
		f.Found = ownPath(root)
	}
	if err != nil {
		f.Advice = engine.MessageOf(err)
	}
	return f
}
