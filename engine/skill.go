package engine

// SkillState says what can be done with a skill that was found.
type SkillState string

// ok and warned skills are offered to the model; broken and shadowed ones are only listed.
const (
	SkillOK       SkillState = "ok"
	SkillWarned   SkillState = "warned"
	SkillBroken   SkillState = "broken"
	SkillShadowed SkillState = "shadowed"
)

// Diagnostic is one fault or hint about a skill or a root. Line and Column count from 1 from the
// top of the file; 0 means unknown.
type Diagnostic struct {
	Severity string `json:"severity"` // error or warning
	Code     string `json:"code"`
	Message  string `json:"message"`
	Path     string `json:"path"` // display path
	Line     int    `json:"line,omitempty"`
	Column   int    `json:"column,omitempty"`
}

// Skill is one folder with a SKILL.md, as found. It never holds the body: the model reads that.
type Skill struct {
	Name        string       `json:"name"`
	Description string       `json:"description"`
	Source      string       `json:"source"`   // project, extra, user or bundled
	Location    string       `json:"location"` // what `read` takes, as in skill:ads-analysis/SKILL.md; "" if not offered
	Path        string       `json:"path"`     // display path of SKILL.md
	State       SkillState   `json:"state"`
	Tokens      int          `json:"tokens"`           // estimate of the body
	Hidden      bool         `json:"hidden,omitempty"` // disable-model-invocation: listed for people only
	Diagnostics []Diagnostic `json:"diagnostics"`
}

// Offered tells whether the model is told of the skill.
func (s Skill) Offered() bool {
	return (s.State == SkillOK || s.State == SkillWarned) && !s.Hidden
}

// Catalog is the skills of a session, in order of precedence, and what else discovery has to say.
// It is a value: a reload makes a new one.
type Catalog struct {
	Skills      []Skill
	Diagnostics []Diagnostic
}

// AtLocation finds the skill whose SKILL.md has this canonical location.
func (c Catalog) AtLocation(location string) (Skill, bool) {
	for _, s := range c.Skills {
		if s.Location != "" && s.Location == location {
			return s, true
		}
	}
	return Skill{}, false
}
