package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"agentstudio/engine"
	"agentstudio/engine/safe"
	"agentstudio/engine/skillset"
)

// skillsCommand shows which skills are found, and checks skill folders strictly.
func (o *options) skillsCommand() *cobra.Command {
	c := &cobra.Command{Use: "skills", Short: "List skills, and check skill folders", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() }}
	var asJSON bool
	list := &cobra.Command{Use: "list", Short: "List every skill that is found, with what is wrong with it", Args: cobra.NoArgs,
		Example: "  agentstudio skills list --skills ./my-skills",
		RunE:    func(c *cobra.Command, _ []string) error { return o.listSkills(c.Context(), asJSON) }}
	check := &cobra.Command{Use: "check DIR…", Short: "Check skill folders strictly, by the Agent Skills specification", Args: cobra.MinimumNArgs(1),
		Long: `check reads skill folders, or folders of them, as strictly as the Agent Skills specification does.
Each fault is told as file:line:column. The status is 3 when one of them is an error, 0 with warnings only.`,
		Example: "  agentstudio skills check ./my-skills/ads-analysis",
		RunE:    func(c *cobra.Command, dirs []string) error { return o.checkSkills(c.Context(), dirs, asJSON) }}
	for _, sub := range []*cobra.Command{list, check} {
		sub.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	}
	c.AddCommand(list, check)
	return c
}

func (o *options) listSkills(ctx context.Context, asJSON bool) error {
	root, err := o.stateRoot()
	if err != nil {
		return err
	}
	space, catalog, err := o.workspaceAndSkills(ctx, root)
	if err != nil {
		return err
	}
	defer space.Close()
	if asJSON {
		return printJSON(o.std.out, struct {
			Skills      []engine.Skill      `json:"skills"`
			Diagnostics []engine.Diagnostic `json:"diagnostics"`
		}{append([]engine.Skill{}, catalog.Skills...), append([]engine.Diagnostic{}, catalog.Diagnostics...)})
	}
	w := tabwriter.NewWriter(o.std.out, 0, 4, 2, ' ', 0)
	for _, s := range catalog.Skills {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", safe.Text(s.Name, safe.Inline), s.State, s.Source, safe.Truncate(safe.Text(s.Description, safe.Inline), 70, "…"))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, s := range catalog.Skills {
		o.tellFaults(s.Diagnostics)
	}
	o.tellFaults(catalog.Diagnostics)
	return nil
}

func (o *options) tellFaults(faults []engine.Diagnostic) {
	for _, d := range faults {
		where := d.Path
		if d.Line > 0 {
			where = fmt.Sprintf("%s:%d:%d", d.Path, d.Line, max(d.Column, 1))
		}
		fmt.Fprintf(o.std.err, "%s: %s: %s\n", safe.Text(where, safe.Inline), d.Severity, safe.Text(d.Message, safe.Inline))
	}
}

func (o *options) checkSkills(ctx context.Context, dirs []string, asJSON bool) error {
	home, _ := os.UserHomeDir()
	here, err := os.Getwd()
	if err != nil {
		return err
	}
	all := []engine.Diagnostic{}
	for _, dir := range dirs {
		all = append(all, skillset.Check(ctx, skillset.Options{Start: here, Home: home}, dir)...)
	}
	if asJSON {
		if err := printJSON(o.std.out, all); err != nil {
			return err
		}
	} else {
		o.tellFaults(all)
	}
	if slices.ContainsFunc(all, func(d engine.Diagnostic) bool { return d.Severity == "error" }) {
		return silent{exitFailed}
	}
	if !asJSON && len(all) == 0 {
		fmt.Fprintln(o.std.out, "no faults")
	}
	return nil
}
