package main

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"agentstudio/engine"
	"agentstudio/engine/safe"
	"agentstudio/engine/words"
	"agentstudio/tui"
)

// modelsCommand lists known models and tests the connection in force.
func (o *options) modelsCommand() *cobra.Command {
	c := &cobra.Command{Use: "models", Short: "List known models, and test the connection", Args: cobra.NoArgs,
		Long: `A connection comes whole from the first of these that names a provider, base URL or model: the flags, the
environment (AGENT_PROVIDER, AGENT_MODEL, LLM_API, LLM_BASE_URL), what was saved. Without any the scripted model plays.

A key is sent to one server only: OPENAI_API_KEY and ANTHROPIC_API_KEY to the maker's own, or to that of LLM_BASE_URL
where it is set too; LLM_API_KEY to that of LLM_BASE_URL; the first line of --key-file to that of --base-url, else to the provider's own.`,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() }}
	var asJSON bool
	list := &cobra.Command{Use: "list", Short: "List the models that are known for the address of the connection", Args: cobra.NoArgs,
		Example: "  agentstudio models list --provider openai --json",
		RunE:    func(c *cobra.Command, _ []string) error { return o.listModels(c.Context(), asJSON) }}
	test := &cobra.Command{Use: "test", Short: "Make the smallest real call, and say which step failed", Args: cobra.NoArgs,
		Long:    "test makes one call of a few words with the connection in force, at most 15 seconds. The status is 3 when it fails.",
		Example: "  agentstudio models test --base-url http://127.0.0.1:11434/v1 --model qwen3 --allow-localhost-models",
		RunE:    func(c *cobra.Command, _ []string) error { return o.testModel(c.Context(), asJSON) }}
	for _, sub := range []*cobra.Command{list, test} {
		sub.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	}
	c.AddCommand(list, test)
	return c
}

func (o *options) listModels(ctx context.Context, asJSON bool) error {
	c, err := o.connecting()
	if err != nil {
		return err
	}
	in, err := c.inForce(ctx)
	if engine.CodeOf(err) == engine.ConfigInvalid {
		return err
	}
	who := in.Provider
	if in.scripted() {
		who = engine.ProviderOpenAI
		fmt.Fprintln(o.std.err, words.Text(c.lang, "connection.listsOpenAI", nil))
	}
	all := c.Known(ctx, who, in.BaseURL)
	if asJSON {
		type item struct {
			ID            string `json:"id"`
			Name          string `json:"name"`
			ContextWindow int    `json:"contextWindow,omitempty"`
			Images        bool   `json:"supportsImages"`
			Price         string `json:"price,omitempty"`
		}
		items := []item{}
		for _, m := range all {
			items = append(items, item{m.ID, m.Name, m.ContextWindow, m.Images, m.Price})
		}
		return printJSON(o.std.out, items)
	}
	if len(all) == 0 {
		fmt.Fprintln(o.std.err, words.Text(c.lang, "connection.noCatalogue", nil))
	}
	w := tabwriter.NewWriter(o.std.out, 0, 4, 2, ' ', 0)
	for _, m := range all {
		window := "–"
		if m.ContextWindow > 0 {
			window = strconv.Itoa(m.ContextWindow)
		}
		images := "–"
		if m.Images {
			images = "images"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", safe.Text(m.ID, safe.Inline), window, images, safe.Text(cmp.Or(m.Price, "–"), safe.Inline))
	}
	return w.Flush()
}

func (o *options) testModel(ctx context.Context, asJSON bool) error {
	c, err := o.connecting()
	if err != nil {
		return err
	}
	var r tui.TestReport
	in, err := c.inForce(ctx)
	for _, w := range c.warnings(in.Connection) {
		fmt.Fprintln(o.std.err, safe.Text(w, safe.Inline))
	}
	switch {
	case engine.CodeOf(err) == engine.ConfigInvalid:
		return err
	case err != nil:
		r = c.unready(err)
	default:
		r = c.probe(ctx, in, c.policy(), maxProbe)
	}
	if asJSON {
		err = printJSON(o.std.out, struct {
			OK       bool   `json:"ok"`
			Step     string `json:"step,omitempty"`
			Says     string `json:"says"`
			Provider string `json:"provider"`
			API      string `json:"api"`
			BaseURL  string `json:"baseUrl,omitempty"`
			Model    string `json:"modelId,omitempty"`
			KeyHint  string `json:"keyHint,omitempty"`
		}{r.OK, r.Step, r.Says, in.Provider, in.API, in.BaseURL, in.Model, in.Key.Hint()})
	} else {
		to := o.std.out
		if !r.OK {
			to = o.std.err
		}
		_, err = fmt.Fprintln(to, safe.Text(r.Says, safe.Prose))
	}
	if err == nil && !r.OK {
		err = silent{exitFailed}
	}
	return err
}
