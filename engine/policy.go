package engine

// Rule tightens the policy of one tool.
type Rule struct {
	Tool    string  `json:"tool"`
	Verdict Verdict `json:"verdict"`
	Source  string  `json:"source"` // where the rule is written, in words for people
}

// Policy is the rules of a session, read in order; the tightest verdict that matches counts.
// It can only tighten what a tool's Spec says: allow, then ask, then deny.
type Policy []Rule

// Judgement is a verdict with its reason: the answer to "why was I asked?".
type Judgement struct {
	Verdict Verdict `json:"verdict"`
	Rule    string  `json:"rule"`    // the rule that made it, in words
	Source  string  `json:"source"`  // where that rule is written
	Matched string  `json:"matched"` // what of the call it matched
}

// Judge says what becomes of a call to the tool named. known is false for a tool not on the list.
func (p Policy) Judge(name string, spec Spec, known bool) Judgement {
	if !known {
		return Judgement{Deny, "only tools on the closed list run", "built in", "toolName = " + name}
	}
	j := Judgement{spec.Policy, string(spec.Policy) + " " + name, "built in: the tool's own policy", "toolName = " + name}
	for _, r := range p {
		if r.Tool == name && tightness(r.Verdict) > tightness(j.Verdict) {
			j = Judgement{r.Verdict, string(r.Verdict) + " " + name, r.Source, "toolName = " + name}
		}
	}
	return j
}

func tightness(v Verdict) int {
	switch v {
	case Allow:
		return 0
	case Ask:
		return 1
	}
	return 2
}
