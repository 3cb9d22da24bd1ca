package main

import (
	"fmt"
	"io/fs"
	"os"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"agentstudio/engine/safe"
	"agentstudio/engine/scenario"
	"agentstudio/fixtures"
)

// scenariosCommand lists, checks and shows scripts of the scripted model.
func (o *options) scenariosCommand() *cobra.Command {
	c := &cobra.Command{Use: "scenarios", Short: "List, check and show scenarios", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() }}
	var asJSON bool
	list := &cobra.Command{Use: "list", Short: "List the bundled scenarios", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return o.listScenarios(asJSON) }}
	list.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	check := &cobra.Command{Use: "check FILE…", Short: "Check scenario files", Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			for _, name := range args {
				if _, err := scenario.Load(name, fixtures.Scenarios()); err != nil {
					return err
				}
				fmt.Fprintf(o.std.out, "%s: no faults\n", safe.Text(name, safe.Inline))
			}
			return nil
		}}
	show := &cobra.Command{Use: "show NAME", Short: "Print a scenario's file", Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			sc, err := scenario.Load(args[0], fixtures.Scenarios())
			if err != nil {
				return err
			}
			b, err := fs.ReadFile(fixtures.Scenarios(), sc.Name()+".yaml")
			if err != nil || sc.Name() != args[0] {
				b, err = os.ReadFile(args[0])
			}
			if err == nil {
				_, err = fmt.Fprint(o.std.out, safe.Text(string(b), safe.Code))
			}
			return err
		}}
	c.AddCommand(list, check, show)
	return c
}

func (o *options) listScenarios(asJSON bool) error {
	lang, err := o.language()
	if err != nil {
		return err
	}
	type item struct {
		Name  string `json:"name"`
		Title string `json:"title"`
		Drill bool   `json:"drill"`
	}
	items := []item{}
	for _, name := range scenario.Names(fixtures.Scenarios()) {
		sc, err := scenario.Load(name, fixtures.Scenarios())
		if err != nil {
			return err
		}
		_, drill := sc.Drill()
		items = append(items, item{name, sc.Title(string(lang)), drill})
	}
	if asJSON {
		return printJSON(o.std.out, items)
	}
	w := tabwriter.NewWriter(o.std.out, 0, 4, 2, ' ', 0)
	for _, i := range items {
		fmt.Fprintf(w, "%s\t%s\n", i.Name, i.Title)
	}
	return w.Flush()
}
