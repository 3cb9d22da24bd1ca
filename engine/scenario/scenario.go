// Package scenario is the scripted model: a YAML file says what the model says and asks for, and
// everything around it (loop, policy, approvals, budgets, tools) is real.
//
// A file has these keys; the bundled ones in fixtures/scenarios are examples:
//
//	name       what --scenario takes: small letters, digits, hyphens
//	title      one line for lists
//	notes      what to watch, for the hand-out
//	prompt     the prompt that a key fills in
//	model      {id, images, contextWindow}: the facts the engine is told
//	pace       {tokensPerSecond, jitter 0–1}: used only when asked for
//	approvals  {expiry}: how long a person has to decide
//	drill      {answer: approve|deny|wait, ends: run.completed|run.failed|run.cancelled, code}
//	turns      a list of {when, do}: the first whose conditions all hold answers
//	otherwise  a list of actions: answers what no turn matches
//	summary    a list of actions: answers a request for a summary
//
// Conditions (when; none means always): turn (a number, or {from, to}), prompt (words, or a list
// of which one must be there, or {contains, matches: a regular expression}), after (tools that were
// called since the prompt; named twice means twice), last ({tool, is: ok|failed|denied|expired|
// cancelled, code}), image and table (true or false: is one attached).
//
// Actions (do): say, think, call ({tool, args} or {tool, raw}), fail ({status, code, message,
// retryAfter} or {cut: characters} or {stall: duration or true}, each with attempts), repeat
// ({times, size, every, fromPrompt}) and stop (a stop reason).
//
// A text is a string, or {en: …, zh: …}. In say, think and arguments, {{path | format}} puts in a
// value of a tool's newest result; see template.go.
package scenario

import "time"

// Limits of a file, so that a wrong one ends as a fault and never as a hang.
const (
	maxFile     = 256 << 10
	maxDepth    = 24
	maxRendered = 256 << 10
)

// Scenario is one parsed file. It is immutable and safe for concurrent use.
type Scenario struct {
	name      string
	title     text
	notes     text
	prompt    text
	facts     facts
	pace      pace
	expiry    time.Duration
	drill     *Drill
	turns     []turn
	otherwise []action
	summary   []action
}

type facts struct {
	id            string
	images        bool
	contextWindow int
}

type pace struct {
	tokensPerSecond int
	jitter          float64
}

// Drill says how a scenario that fails on purpose is run without people, and how it must end.
type Drill struct {
	Answer string // to an approval: approve, deny or wait (for its expiry)
	Ends   string // the run's last event: run.completed, run.failed or run.cancelled
	Code   string // of a failed run, "" otherwise
}

// Name is what --scenario takes.
func (s *Scenario) Name() string { return s.name }

// Title is one line for lists, in lang ("en" or "zh") or the language there is.
func (s *Scenario) Title(lang string) string {
	if t := s.title.plain(lang); t != "" {
		return t
	}
	return s.name
}

// Notes says what to watch, "" if the file doesn't.
func (s *Scenario) Notes(lang string) string { return s.notes.plain(lang) }

// Prompt is the prompt that a key fills in.
func (s *Scenario) Prompt(lang string) string { return s.prompt.plain(lang) }

// ApprovalExpiry is how long a person has to decide; 0 means that the scenario sets nothing.
func (s *Scenario) ApprovalExpiry() time.Duration { return s.expiry }

// Drill tells how to run the scenario as a check; false when it isn't a drill.
func (s *Scenario) Drill() (Drill, bool) {
	if s.drill == nil {
		return Drill{}, false
	}
	return *s.drill, true
}

// langs are the languages a text may have, the first being the one to fall back to.
func langs() []string { return []string{"en", "zh"} }

// text is words in one or more languages. The key "" holds words for all of them.
type text map[string]*template

func (t text) in(lang string) *template {
	for _, l := range append([]string{lang, ""}, langs()...) {
		if v, ok := t[l]; ok {
			return v
		}
	}
	return nil
}

func (t text) plain(lang string) string {
	if v := t.in(lang); v != nil {
		return v.source
	}
	return ""
}
