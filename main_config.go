package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"text/tabwriter"

	"github.com/adrg/xdg"
	"github.com/spf13/cobra"

	"agentstudio/engine"
	"agentstudio/engine/config"
	"agentstudio/engine/safe"
	"agentstudio/engine/tool"
	"agentstudio/engine/words"
	"agentstudio/engine/workspace"
	"agentstudio/tui"
)

// configPath is where the config file belongs; "" without a home folder.
func configPath() string {
	if home, err := os.UserHomeDir(); (err != nil || !filepath.IsAbs(home)) && !filepath.IsAbs(os.Getenv("XDG_CONFIG_HOME")) {
		return "" // the system's default would be the root of the file system, or here
	}
	return filepath.Join(xdg.ConfigHome, "agentstudio", "config.yaml")
}

// configured reads the config file once, checks all of it, and puts flags and locale over it.
func (o *options) configured() (*config.Config, error) {
	if o.config != nil {
		return o.config, nil
	}
	c, err := o.readConfig()
	if err != nil {
		return nil, err
	}
	o.config = c
	return c, nil
}

func (o *options) readConfig() (*config.Config, error) {
	at := configPath()
	f, err := config.Read(at, ownPath(at))
	if err == nil {
		err = f.Refuse(complaints(f))
	}
	if err != nil {
		return nil, engine.At("config.read", err)
	}
	over := o.flagSettings()
	if config.Merge(f, over...).Text("language") == "" {
		if lang, name := locale(); name != "" {
			over = append(over, config.Setting{Key: "language", Value: string(lang), Origin: name})
		}
	}
	return config.Merge(f, over...), nil
}

// complaints is what tools and screen have against a file. They are asked only about what is in it,
// since making tools takes time at every start.
func complaints(f *config.File) (all []config.Complaint) {
	said := config.Merge(f)
	if len(said.Policy) > 0 {
		all = f.CheckTools(toolSpecs())
	}
	if len(said.Keys) > 0 {
		all = append(all, keyFaults(said.Keys)...)
	}
	return all
}

// flagSettings is what stands on the command line of what the config file could say too.
func (o *options) flagSettings() (over []config.Setting) {
	for _, s := range []struct{ key, flag, value string }{
		{"language", "lang", o.lang}, {"theme", "theme", o.theme}, {"approvalExpiry", "approval-expiry", o.expiry.String()},
		{"budget.maxTurns", "max-turns", fmt.Sprint(o.maxTurns)}, {"budget.maxTokens", "max-tokens", fmt.Sprint(o.maxTokens)},
		{"budget.maxCostUsd", "max-cost", o.maxCost}, {"budget.deadline", "deadline", o.deadline.String()}, {"ascii", "ascii", fmt.Sprint(o.ascii)},
	} {
		if (o.given(s.flag) || o.screen != nil && o.screen.Changed(s.flag)) && s.value != "" {
			over = append(over, config.Setting{Key: s.key, Value: s.value, Origin: "--" + s.flag})
		}
	}
	return over
}

// locale is the language of the surroundings, and the variable that says so.
func locale() (words.Lang, string) {
	for _, v := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		if s := os.Getenv(v); s != "" {
			return words.From(s), v
		}
	}
	return words.English, ""
}

// toolSpecs is the closed list, without a workspace to run it in.
func toolSpecs() (all []engine.Spec) {
	for _, t := range tool.All(nil, engine.Env{Artifacts: workspace.NewMemArtifacts()}) {
		all = append(all, t.Spec())
	}
	return all
}

// keyFaults is what the screen has against the file's keys.
func keyFaults(keys map[string][]string) (all []config.Complaint) {
	var faults tui.KeyFaults
	if errors.As(tui.CheckKeys(keys), &faults) {
		for _, f := range faults {
			all = append(all, config.Complaint{Key: "keys." + f.ID, Message: f.Message})
		}
	}
	return all
}

// configCommand shows what is configured, and where.
func (o *options) configCommand() *cobra.Command {
	c := &cobra.Command{Use: "config", Short: "Show the settings in force, and where the config file is", Args: cobra.NoArgs,
		Long: `The config file is YAML; agentstudio config path says where it belongs. Flags win over it. Its keys, all optional:
  language: auto, en or zh
  theme: auto, dark, light or projector
  ascii: true or false
  notifications: true or false
  approvalExpiry: 5m
  budget: {maxTurns: 20, maxTokens: 500000, maxCostUsd: 0.50, deadline: 10m}
  policy: a list of {tool: grep, verdict: ask}; verdict is ask or deny, and only tightens what a tool says of itself
  keys: what a key does, with one key or a list, as in {help: [f1, ctrl+g]}; the help lists them all`,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() }}
	var asJSON bool
	show := &cobra.Command{Use: "show", Short: "Print every setting with its value and where it comes from", Args: cobra.NoArgs,
		Example: "  agentstudio config show\n  agentstudio config show --json --max-turns 5",
		RunE:    func(*cobra.Command, []string) error { return o.showConfig(asJSON) }}
	path := &cobra.Command{Use: "path", Short: "Print where the config file belongs", Args: cobra.NoArgs, Example: "  agentstudio config path",
		RunE: func(*cobra.Command, []string) error { return o.showConfigPath(asJSON) }}
	for _, sub := range []*cobra.Command{show, path} {
		sub.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	}
	c.AddCommand(show, path)
	return c
}

func (o *options) showConfig(asJSON bool) error {
	if err := o.checkFlags(); err != nil {
		return err
	}
	c, err := o.configured()
	if err != nil {
		return err
	}
	if asJSON {
		return printJSON(o.std.out, c.Settings())
	}
	w := tabwriter.NewWriter(o.std.out, 0, 4, 2, ' ', 0)
	for _, s := range c.Settings() {
		fmt.Fprintf(w, "%s\t%s\t%s\n", safe.Text(s.Key, safe.Inline), safe.Text(cmp.Or(s.Value, "none"), safe.Inline), safe.Text(s.Origin, safe.Inline))
	}
	return w.Flush()
}

func (o *options) showConfigPath(asJSON bool) error {
	at := configPath()
	if at == "" {
		return engine.Errorf(engine.ConfigInvalid, "there is no home folder for a config file; set XDG_CONFIG_HOME to a folder")
	}
	if asJSON {
		_, err := os.Stat(at)
		return printJSON(o.std.out, struct {
			Path   string `json:"path"`
			Exists bool   `json:"exists"`
		}{at, err == nil})
	}
	_, err := fmt.Fprintln(o.std.out, safe.Text(at, safe.Inline))
	return err
}
