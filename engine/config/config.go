// Package config reads and writes agentstudio/config.yaml, puts flags over it, and says of every
// value where it comes from. It knows no screen and no tool: what those allow is checked by
// whoever wires them.
package config

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"agentstudio/engine"
)

// Setting is one key with its value in force.
type Setting struct {
	Key    string `json:"key"`    // as in budget.maxTurns; policy.TOOL and keys.ID for what is named by people
	Value  string `json:"value"`  // "" for none
	Origin string `json:"origin"` // default, a flag, a variable, or the file with its line
}

// Default is the origin of what nobody has set.
const Default = "default"

// Config is every setting with its value in force. It is not changed once it is made.
type Config struct {
	settings []Setting
	// Policy is the rules of the file, with where each is written.
	Policy []engine.Rule
	// Keys are the keys that the file gives to what the studio can do, by its id.
	Keys map[string][]string
}

// Merge puts what flags and the environment say over the file, and both over the defaults.
func Merge(f *File, over ...Setting) *Config {
	c := &Config{Policy: f.policy(), Keys: f.bindings()}
	for _, d := range fields() {
		s := Setting{d.key, d.fallback, Default}
		if v, ok := f.values[d.key]; ok {
			s.Value, s.Origin = v.text, f.origin(d.key)
		}
		for _, o := range over {
			if o.Key == d.key {
				s = o
			}
		}
		c.settings = append(c.settings, s)
	}
	for _, r := range c.Policy {
		c.settings = append(c.settings, Setting{"policy." + r.Tool, string(r.Verdict), r.Source})
	}
	for _, id := range slices.Sorted(maps.Keys(c.Keys)) {
		c.settings = append(c.settings, Setting{"keys." + id, strings.Join(c.Keys[id], ", "), f.origin("keys." + id)})
	}
	return c
}

// Settings lists all of them, in the order of the documentation.
func (c *Config) Settings() []Setting { return slices.Clone(c.settings) }

// Setting gives one by its key; the zero Setting for one that is not there.
func (c *Config) Setting(key string) Setting {
	for _, s := range c.settings {
		if s.Key == key {
			return s
		}
	}
	return Setting{}
}

// Text is the value of a key; "" for auto, which leaves it to the surroundings.
func (c *Config) Text(key string) string {
	if v := c.Setting(key).Value; v != auto {
		return v
	}
	return ""
}

// True tells whether a key is on.
func (c *Config) True(key string) bool { return c.Setting(key).Value == "true" }

// Duration is the value of a key that holds a time; 0 unless somebody has set it.
func (c *Config) Duration(key string) time.Duration {
	s := c.Setting(key)
	if s.Origin == Default {
		return 0
	}
	d, err := time.ParseDuration(s.Value)
	if err != nil {
		return 0 // it was checked when it was read
	}
	return d
}

// Budget is what a run may use; fields that nobody has set are zero.
func (c *Config) Budget() engine.Budget {
	b := engine.Budget{DeadlineS: int(c.Duration("budget.deadline") / time.Second), MaxCostUSD: c.Setting("budget.maxCostUsd").Value}
	for key, into := range map[string]*int{"budget.maxTurns": &b.MaxTurns, "budget.maxTokens": &b.MaxTokens} {
		if s := c.Setting(key); s.Origin != Default {
			n, err := strconv.Atoi(s.Value)
			if err == nil {
				*into = n
			}
		}
	}
	return b
}

// policy is the rules in the order of their lines.
func (f *File) policy() (rules []engine.Rule) {
	for key, v := range f.values {
		if tool, ok := strings.CutPrefix(key, "policy."); ok {
			rules = append(rules, engine.Rule{Tool: tool, Verdict: engine.Verdict(v.text), Source: f.origin(key)})
		}
	}
	slices.SortFunc(rules, func(a, b engine.Rule) int {
		return cmp.Compare(f.values["policy."+a.Tool].line, f.values["policy."+b.Tool].line)
	})
	return rules
}

func (f *File) bindings() map[string][]string {
	keys := map[string][]string{}
	for key, v := range f.values {
		if id, ok := strings.CutPrefix(key, "keys."); ok {
			keys[id] = v.list
		}
	}
	return keys
}
