package scenario

import (
	"regexp"
	"slices"
	"time"

	yaml "go.yaml.in/yaml/v4"
)

// Parse reads and checks one file. All its faults are reported at once: SCENARIO_INVALID, whose
// message has a line for each ("file:line:column: what") and whose details hold them as
// "faults", a []Fault. The file name is used for messages only.
func Parse(file string, b []byte) (*Scenario, error) {
	r := &reader{file: file}
	root := r.load(b)
	if root == nil || !r.plain(root, 0) {
		return nil, r.err()
	}
	s := r.scenario(root)
	if err := r.err(); err != nil {
		return nil, err
	}
	return s, nil
}

func (r *reader) scenario(root *yaml.Node) *Scenario {
	f := r.fields(root, "a scenario", "name", "title", "notes", "prompt", "model", "pace", "approvals", "drill", "turns", "otherwise", "summary")
	s := &Scenario{
		facts: facts{id: "scripted", images: true, contextWindow: 32000}, pace: pace{tokensPerSecond: 60},
		otherwise: standardOtherwise(), summary: standardSummary(),
	}
	for _, needed := range []string{"name", "prompt", "turns"} {
		if f[needed] == nil && root.Kind == yaml.MappingNode {
			r.fault(root, "%s is missing", needed)
		}
	}
	r.head(s, f)
	if n := f["turns"]; n != nil {
		for i, t := range r.list(n, "turns") {
			s.turns = append(s.turns, r.turn(t))
			if s.turns[i].when.always() && i < len(n.Content)-1 {
				r.fault(n.Content[i+1], "this turn is never reached: the one before has no conditions")
			}
		}
	}
	if n := f["otherwise"]; n != nil {
		s.otherwise = r.actions(n, "otherwise")
	}
	if n := f["summary"]; n != nil {
		s.summary = r.actions(n, "summary")
	}
	r.names(s)
	return s
}

// head reads everything but what the model does.
func (r *reader) head(s *Scenario, f map[string]*yaml.Node) {
	if n := f["name"]; n != nil {
		if s.name = r.str(n, "name"); s.name != "" && !regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`).MatchString(s.name) {
			r.fault(n, "name must be small letters, digits and single hyphens, not %s", shown(n))
		}
	}
	for key, to := range map[string]*text{"title": &s.title, "notes": &s.notes, "prompt": &s.prompt} {
		if n := f[key]; n != nil {
			*to = r.text(n, key, false)
		}
	}
	if n := f["model"]; n != nil {
		m := r.fields(n, "model", "id", "images", "contextWindow")
		if v := m["id"]; v != nil {
			s.facts.id = r.str(v, "model.id")
		}
		if v := m["images"]; v != nil {
			s.facts.images = r.truth(v, "model.images")
		}
		if v := m["contextWindow"]; v != nil {
			s.facts.contextWindow = r.number(v, "model.contextWindow", 1000, 10_000_000)
		}
	}
	if n := f["pace"]; n != nil {
		m := r.fields(n, "pace", "tokensPerSecond", "jitter")
		if v := m["tokensPerSecond"]; v != nil {
			s.pace.tokensPerSecond = r.number(v, "pace.tokensPerSecond", 1, 100_000)
		}
		if v := m["jitter"]; v != nil {
			s.pace.jitter = r.fraction(v, "pace.jitter")
		}
	}
	if n := f["approvals"]; n != nil {
		if v := r.fields(n, "approvals", "expiry")["expiry"]; v != nil {
			s.expiry = r.duration(v, "approvals.expiry", time.Second, 24*time.Hour)
		}
	}
	if n := f["drill"]; n != nil {
		s.drill = r.drill(n)
	}
}

func (r *reader) drill(n *yaml.Node) *Drill {
	m := r.fields(n, "drill", "answer", "ends", "code")
	d := &Drill{Answer: "approve", Ends: "run.completed"}
	if v := m["answer"]; v != nil {
		d.Answer = r.oneOf(v, "drill.answer", "approve", "deny", "wait")
	}
	if v := m["ends"]; v != nil {
		d.Ends = r.oneOf(v, "drill.ends", "run.completed", "run.failed", "run.cancelled")
	}
	if v := m["code"]; v != nil {
		d.Code = r.str(v, "drill.code")
	}
	return d
}

func (r *reader) fraction(n *yaml.Node, what string) float64 {
	var v float64
	if n.Kind != yaml.ScalarNode || n.Decode(&v) != nil || !(v >= 0 && v <= 1) {
		r.fault(n, "%s must be a number from 0 to 1, not %s", what, shown(n))
		return 0
	}
	return v
}

// text reads a string, or one a language.
func (r *reader) text(n *yaml.Node, what string, templated bool) text {
	parse := func(v *yaml.Node, what string) *template {
		s := r.str(v, what)
		if !templated {
			return &template{source: s}
		}
		return r.template(v, s)
	}
	if n.Kind != yaml.MappingNode {
		t := parse(n, what)
		if t.source == "" && n.Kind == yaml.ScalarNode && n.Tag != "!!null" {
			r.fault(n, "%s is empty", what)
		}
		return text{"": t}
	}
	out := text{}
	for lang, v := range r.fields(n, what, langs()...) {
		out[lang] = parse(v, what+"."+lang)
	}
	return out
}

// names checks that templates speak only of tools that the file calls, since a wrong name would
// show up on stage only.
func (r *reader) names(s *Scenario) {
	known := builtins()
	known = append(known, r.calls...)
	every := slices.Concat(s.otherwise, s.summary)
	for _, t := range s.turns {
		every = slices.Concat(every, t.do)
		for _, tool := range t.when.tools() {
			if !slices.Contains(r.calls, tool.Value) {
				r.fault(tool, "no turn of this file calls %q%s", clip(tool.Value), didYouMean(tool.Value, known))
			}
		}
	}
	for _, a := range every {
		for _, t := range a.templates() {
			for _, p := range t.roots {
				if !slices.Contains(known, p.name) {
					r.at(p.line, p.column, "%q is neither a tool that this file calls nor %s%s", clip(p.name), orList(builtins()), didYouMean(p.name, known))
				}
			}
		}
	}
}
