package main

import (
	"fmt"
	"os"

	"go.yaml.in/yaml/v4"

	"agentstudio/engine"
)

// approvals are the decisions of a file: the first rule for a tool counts, others are denied.
type approvals []struct {
	Tool     string `yaml:"tool"`
	Decision string `yaml:"decision"` // approve or deny
	Reason   string `yaml:"reason"`
}

func readApprovals(file string) (approvals, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, engine.Errorf(engine.ConfigInvalid, "--approve takes ask, always, never or a readable file; %q is none of them", file)
	}
	defer f.Close()
	var rules approvals
	d := yaml.NewDecoder(f)
	d.KnownFields(true)
	if err := d.Decode(&rules); err != nil {
		return nil, engine.Errorf(engine.ConfigInvalid, "%s is not a list of {tool, decision}: %v", file, err)
	}
	for i, r := range rules {
		if r.Tool == "" || r.Decision != "approve" && r.Decision != "deny" {
			return nil, engine.Errorf(engine.ConfigInvalid, "%s: entry %d needs a tool and the decision approve or deny", file, i+1)
		}
	}
	return rules, nil
}

func (a approvals) verdict(p engine.ApprovalRequired) (bool, string) {
	for _, r := range a {
		if r.Tool == p.Tool {
			return r.Decision == "approve", r.Reason
		}
	}
	return false, fmt.Sprintf("the approvals file has no rule for %s", p.Tool)
}
