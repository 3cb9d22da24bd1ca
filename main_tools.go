package main

import (
	"context"
	"encoding/json"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"agentstudio/engine"
	"agentstudio/engine/safe"
	"agentstudio/engine/tool"
	"agentstudio/engine/workspace"
)

// toolsCommand shows the closed list of tools, and runs one of them.
func (o *options) toolsCommand() *cobra.Command {
	c := &cobra.Command{Use: "tools", Short: "List the tools with their policies, and run one", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() }}
	var asJSON bool
	list := &cobra.Command{Use: "list", Short: "List the tools", Args: cobra.NoArgs, Example: "  agentstudio tools list --json", RunE: func(c *cobra.Command, _ []string) error {
		return o.withTools(c.Context(), func(tools []engine.Tool) error { return o.listTools(tools, asJSON) })
	}}
	runs := &cobra.Command{Use: "run NAME JSON", Short: "Run one tool in the workspace, as the engine would",
		Long: `run checks the arguments and the policy as the engine would, then runs the tool. A tool whose policy
is ask is refused with APPROVAL_REQUIRED, since here is nobody to ask.`,
		Example: `  agentstudio tools run read '{"path":"README.md"}' --workspace .`,
		Args:    cobra.ExactArgs(2), RunE: func(c *cobra.Command, a []string) error {
			return o.withTools(c.Context(), func(tools []engine.Tool) error { return o.runTool(c.Context(), tools, a[0], a[1], asJSON) })
		}}
	for _, sub := range []*cobra.Command{list, runs} {
		sub.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	}
	c.AddCommand(list, runs)
	return c
}

// withTools opens the workspace and hands over the tools of a session that writes nothing.
func (o *options) withTools(ctx context.Context, do func([]engine.Tool) error) error {
	root, err := o.stateRoot()
	if err != nil {
		return err
	}
	space, _, err := o.workspaceAndSkills(ctx, root)
	if err != nil {
		return err
	}
	defer space.Close()
	return do(tool.All(space, engine.Env{Artifacts: workspace.NewMemArtifacts()}))
}

func (o *options) listTools(tools []engine.Tool, asJSON bool) error {
	specs := make([]engine.Spec, len(tools))
	for i, t := range tools {
		specs[i] = t.Spec()
	}
	if asJSON {
		return printJSON(o.std.out, specs)
	}
	w := tabwriter.NewWriter(o.std.out, 0, 4, 2, ' ', 0)
	for _, s := range specs {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", s.Name, s.Policy, s.Replay, safe.Truncate(safe.Text(s.Description, safe.Inline), 70, "…"))
	}
	return w.Flush()
}

func (o *options) runTool(ctx context.Context, tools []engine.Tool, name, args string, asJSON bool) error {
	conf, err := o.configured()
	if err != nil {
		return err
	}
	res, err := engine.RunTool(ctx, tools, conf.Policy, name, json.RawMessage(args))
	switch {
	case err != nil && asJSON:
		type fault struct {
			Code    engine.Code `json:"code"`
			Message string      `json:"message"`
		}
		if err := printJSON(o.std.out, map[string]fault{"error": {engine.CodeOf(err), engine.MessageOf(err)}}); err != nil {
			return err
		}
		return silent{exitFailed}
	case err != nil:
		fmt.Fprintln(o.std.err, "agentstudio: "+string(safe.Text(o.explain(err), safe.Prose)))
		return silent{exitFailed}
	case asJSON:
		return printJSON(o.std.out, struct {
			Content string          `json:"content"`
			Data    json.RawMessage `json:"data,omitempty"`
			LeftOut *engine.LeftOut `json:"leftOut,omitempty"`
		}{res.Content, res.Data, res.LeftOut})
	}
	_, err = fmt.Fprintln(o.std.out, safe.Text(res.Content, safe.Code))
	return err
}
