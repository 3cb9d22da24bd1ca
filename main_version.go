package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"
)

// versionCommand prints what this program is.
func (o *options) versionCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{Use: "version", Short: "Print the version", Args: cobra.NoArgs, Example: "  agentstudio version --json", RunE: func(*cobra.Command, []string) error {
		if asJSON {
			return printJSON(o.std.out, map[string]string{"version": version, "go": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH})
		}
		_, err := fmt.Fprintf(o.std.out, "agentstudio %s (%s, %s/%s)\n", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
		return err
	}}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}
