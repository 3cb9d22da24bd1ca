package main

import (
	"context"
	"strings"

	"agentstudio/engine"
	"agentstudio/engine/config"
	"agentstudio/tui"
)

// keeper is the config file as the settings screen needs it.
type keeper struct{ o *options }

var _ tui.Settings = keeper{}

// Load implements tui.Settings: the file is read anew, since somebody may have changed it.
func (k keeper) Load(context.Context) ([]tui.Setting, error) {
	c, err := k.o.readConfig()
	if err != nil {
		return nil, err
	}
	var all []tui.Setting
	for _, f := range config.Forms() {
		s := setting(c.Setting(f.Key))
		s.Default, s.Choices, s.Kind, s.Most, s.Optional = f.Fallback, f.Choices, f.Kind, f.Most, f.Fallback == ""
		if lang, name := locale(); f.Key == "language" {
			if s.Auto = string(lang); s.Origin == name {
				s.Value = f.Fallback
			}
		}
		all = append(all, s)
	}
	for _, t := range toolSpecs() {
		s := tui.Setting{Key: "policy." + t.Name, Value: string(t.Policy), Default: string(t.Policy), Choices: tighter(t.Policy)}
		if rule := c.Setting(s.Key); rule.Key != "" {
			s.Value, s.Origin = rule.Value, rule.Origin
		}
		all = append(all, s)
	}
	return all, nil
}

// Save implements tui.Settings.
func (k keeper) Save(_ context.Context, changes map[string]string) error {
	at := configPath()
	return config.Save(at, ownPath(at), changes)
}

func setting(s config.Setting) tui.Setting {
	out := tui.Setting{Key: s.Key, Value: s.Value, Origin: s.Origin, Fixed: strings.HasPrefix(s.Origin, "--")}
	if s.Origin == config.Default {
		out.Origin = ""
	}
	return out
}

// tighter is a policy and those that a rule may put in its place.
func tighter(v engine.Verdict) []string {
	all := []string{string(engine.Allow), string(engine.Ask), string(engine.Deny)}
	for len(all) > 1 && all[0] != string(v) {
		all = all[1:]
	}
	return all
}
