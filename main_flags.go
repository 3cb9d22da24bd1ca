package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// given tells whether a shared flag stands on the command line.
func (o *options) given(flag string) bool { return o.shared != nil && o.shared.Changed(flag) }

func flagFault(c *cobra.Command, err error) error {
	name, ok := strings.CutPrefix(err.Error(), "unknown flag: --")
	if !ok {
		what, _, _ := strings.Cut(err.Error(), ": strconv.") // how it was parsed helps nobody
		return errors.New(what)
	}
	best, most := "", 3
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if d := distance(name, f.Name); d < most && !f.Hidden {
			best, most = f.Name, d
		}
	})
	if best == "" {
		return fmt.Errorf("there is no flag --%s; %s --help lists them", name, c.CommandPath())
	}
	return fmt.Errorf("there is no flag --%s; did you mean --%s?", name, best)
}

// noCommand refuses arguments where a command is expected, and names the nearest one.
func noCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	c.SuggestionsMinimumDistance = 2
	if near := c.SuggestionsFor(args[0]); len(near) > 0 {
		return fmt.Errorf("there is no command %q; did you mean %s?", args[0], strings.Join(near, " or "))
	}
	return fmt.Errorf("there is no command %q; %s --help lists them", args[0], c.CommandPath())
}

// distance is the number of edits between two words.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			diagonal, row[j] = row[j], min(row[j]+1, row[j-1]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}
