package main

import (
	"fmt"
	"io/fs"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"agentstudio/engine"
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
		Example: "  agentstudio scenarios list --lang zh",
		RunE:    func(*cobra.Command, []string) error { return o.listScenarios(asJSON) }}
	check := &cobra.Command{Use: "check FILE…", Short: "Check scenario files", Args: cobra.MinimumNArgs(1),
		Long:    `check reads scenario files and tells each fault as file:line:column. The status is 3 when there is one.`,
		Example: "  agentstudio scenarios check my-scenario.yaml",
		RunE:    func(_ *cobra.Command, args []string) error { return o.checkScenarios(args, asJSON) }}
	show := &cobra.Command{Use: "show NAME", Short: "Print a scenario's file", Args: cobra.ExactArgs(1),
		Example: "  agentstudio scenarios show ads-report > my-scenario.yaml",
		RunE:    func(_ *cobra.Command, args []string) error { return o.showScenario(args[0], asJSON) }}
	for _, sub := range []*cobra.Command{list, check, show} {
		sub.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	}
	c.AddCommand(list, check, show)
	return c
}

// checkScenarios tells every fault of every file, not only of the first with one.
func (o *options) checkScenarios(names []string, asJSON bool) error {
	type checked struct {
		File   string   `json:"file"`
		OK     bool     `json:"ok"`
		Faults []string `json:"faults"`
	}
	all, bad := []checked{}, false
	for _, name := range names {
		c := checked{File: name, OK: true, Faults: []string{}}
		if _, err := scenario.Load(name, fixtures.Scenarios()); err != nil {
			c.OK, bad = false, true
			c.Faults = strings.Split(engine.MessageOf(err), "\n")
		}
		all = append(all, c)
		if asJSON {
			continue
		}
		for _, f := range c.Faults {
			fmt.Fprintln(o.std.err, safe.Text(f, safe.Inline))
		}
		if c.OK {
			fmt.Fprintf(o.std.out, "%s: no faults\n", safe.Text(name, safe.Inline))
		}
	}
	var err error
	if asJSON {
		err = printJSON(o.std.out, all)
	}
	if err == nil && bad {
		err = silent{exitFailed}
	}
	return err
}

// showScenario prints a file as it is: it is a start for writing another one.
func (o *options) showScenario(name string, asJSON bool) error {
	lang, err := o.language()
	if err != nil {
		return err
	}
	sc, err := scenario.Load(name, fixtures.Scenarios())
	if err != nil {
		return err
	}
	b, err := fs.ReadFile(fixtures.Scenarios(), name+".yaml")
	if err != nil {
		b, err = os.ReadFile(name)
	}
	if err != nil {
		return &engine.Error{Code: engine.ReadFailed, Message: name + " could not be read", Err: err}
	}
	if asJSON {
		return printJSON(o.std.out, map[string]string{"name": sc.Name(), "title": sc.Title(string(lang)), "prompt": sc.Prompt(string(lang)), "yaml": string(b)})
	}
	_, err = fmt.Fprint(o.std.out, safe.Text(string(b), safe.Code))
	return err
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
