package tui

import (
	"strconv"
	"strings"
	"time"

	"agentstudio/engine"
)

// command is what the session has to know of the form, and whether anything of that was changed.
// It names all of it, since a Configure replaces the one before.
func (s *settings) command(m *Model) (engine.Configure, bool) {
	c := engine.Configure{By: m.me()}
	var budget engine.Budget
	var rules []engine.Rule
	var budgetChanged, rulesChanged bool
	for _, f := range s.fields {
		changed := f.now != f.Value && !f.Fixed
		value := f.now
		if value == "" {
			value = f.Default
		}
		group, name, _ := strings.Cut(f.Key, ".")
		switch {
		case group == "budget":
			budgetChanged = budgetChanged || changed
			limit(&budget, name, value)
		case group == "policy":
			rulesChanged = rulesChanged || changed
			if value != f.Default {
				rules = append(rules, engine.Rule{Tool: name, Verdict: engine.Verdict(value), Source: "settings"})
			}
		case f.Key == "approvalExpiry" && changed:
			c.ApprovalExpiry = seconds(value)
		}
	}
	if budgetChanged {
		c.Budget = &budget
	}
	if rulesChanged {
		c.Policy = append([]engine.Rule{}, rules...)
	}
	return c, budgetChanged || rulesChanged || c.ApprovalExpiry > 0
}

// limit puts one field into a budget.
func limit(b *engine.Budget, name, value string) {
	switch name {
	case "maxTurns":
		b.MaxTurns = whole(value)
	case "maxTokens":
		b.MaxTokens = whole(value)
	case "maxCostUsd":
		b.MaxCostUSD = value
	case "deadline":
		b.DeadlineS = int(seconds(value) / time.Second)
	}
}

// whole and seconds read what the form has checked before.
func whole(value string) int {
	n, err := strconv.Atoi(value)
	if err != nil {
		return 0
	}
	return n
}

func seconds(value string) time.Duration {
	d, err := time.ParseDuration(value)
	if err != nil {
		return 0
	}
	return d
}
