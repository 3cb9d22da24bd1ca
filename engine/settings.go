package engine

import (
	"fmt"
	"math/big"
	"strings"
	"time"
)

// configure changes the session's settings, between runs only, and keeps them in the log, so that
// a reopened session has them too.
func (s *Session) configure(c Configure) (Receipt, error) {
	if err := s.checkSettings(c); err != nil {
		return Receipt{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return Receipt{}, SessionClosedCode
	case s.stop != nil:
		return Receipt{}, Errorf(SessionBusy, "settings change between runs; wait for the end of this one or cancel it")
	}
	var model Model
	if c.Connection != nil {
		var err error
		if model, err = s.model(*c.Connection); err != nil {
			return Receipt{}, err
		}
	}
	p := SettingsChanged{Budget: c.Budget, Policy: c.Policy, ApprovalExpiry: int(c.ApprovalExpiry / time.Second), By: c.By}
	before := *s.cfg
	s.use(p)
	var entries []entry
	if c.Connection == nil || c.Budget != nil || c.Policy != nil || c.ApprovalExpiry != 0 {
		entries = append(entries, entry{payload: p})
	}
	if model != nil {
		s.redact.Know(c.Connection.Key.Reveal())
		s.cfg.Model = model
		entries = append(entries, s.chosen(model.Info())...)
	}
	if c.Policy != nil {
		entries = append(entries, entry{payload: s.catalog()})
	}
	events, err := s.log.append(entries...)
	if err != nil {
		*s.cfg = before
		return Receipt{}, err
	}
	return Receipt{Seq: events[0].Seq}, nil
}

// chosen tells which model is spoken to from now on, and what of the conversation it will not be
// sent: reasoning belongs to the model that it comes from, and pictures to models that see.
func (s *Session) chosen(now ModelInfo) []entry {
	out := []entry{{payload: ModelConfigured{ModelInfo: now}}}
	reasoned, pictures := 0, 0
	s.log.read(func(f *fold) {
		other := f.model != nil && (f.model.ID != now.ID || f.model.API != now.API || f.model.Host != now.Host)
		for _, m := range f.messages {
			if other && len(m.Continuation) > 0 {
				reasoned++
			}
			if !now.Images && (f.model == nil || f.model.Images) {
				pictures += len(m.Attachments)
			}
		}
	})
	if reasoned > 0 {
		out = append(out, entry{payload: Notice{Code: "REASONING_LEFT_OUT",
			Message: fmt.Sprintf("the reasoning behind earlier answers (%d) belongs to the other model and is not sent to %s; the conversation itself is", reasoned, now.ID)}})
	}
	if pictures > 0 {
		out = append(out, entry{payload: Notice{Code: "PICTURES_LEFT_OUT",
			Message: fmt.Sprintf("%s takes no images; what was attached earlier (%d) is named to it in words", now.ID, pictures)}})
	}
	return out
}

// use makes settings count. Called with mu held or before the session is in use.
func (s *Session) use(p SettingsChanged) {
	if p.Budget != nil {
		s.cfg.Budget = p.Budget.Or(s.given.Budget)
	}
	if p.Policy != nil {
		s.cfg.Policy = append(append(Policy{}, s.given.Policy...), p.Policy...)
	}
	if p.ApprovalExpiry > 0 {
		s.cfg.ApprovalExpiry = min(time.Duration(p.ApprovalExpiry)*time.Second, maxExpiry)
	}
}

func (s *Session) checkSettings(c Configure) error {
	if b := c.Budget; b != nil {
		if b.MaxTurns < 0 || b.MaxTokens < 0 || b.DeadlineS < 0 {
			return Errorf(InvalidCommand, "a budget is above zero, or left out for the default")
		}
		if r, ok := new(big.Rat).SetString(b.MaxCostUSD); b.MaxCostUSD != "" && (!ok || r.Sign() <= 0 || strings.ContainsAny(b.MaxCostUSD, "/eE")) {
			return Errorf(InvalidCommand, "a cost budget is US dollars as a decimal, as in 0.50")
		}
	}
	if c.ApprovalExpiry < 0 || c.ApprovalExpiry%time.Second != 0 || c.ApprovalExpiry > maxExpiry {
		return Errorf(InvalidCommand, "an approval waits for whole seconds, at most an hour")
	}
	for _, r := range c.Policy {
		spec, known := s.spec(r.Tool)
		switch {
		case !known:
			return Errorf(ToolUnknown, "there is no tool %q to make a rule for", r.Tool)
		case r.Verdict != Ask && r.Verdict != Deny:
			return Errorf(InvalidCommand, "a rule says ask or deny")
		case tightness(r.Verdict) < tightness(spec.Policy):
			return Errorf(NotAllowed, "settings can only tighten: %s is under %s already", r.Tool, spec.Policy)
		}
	}
	return nil
}

func (s *Session) spec(name string) (Spec, bool) {
	for _, t := range s.tools {
		if t.spec.Name == name {
			return t.spec, true
		}
	}
	return Spec{}, false
}

// model makes the model of a connection.
func (s *Session) model(c Connection) (Model, error) {
	if s.cfg.Models == nil {
		return nil, Errorf(NotAllowed, "this session's model cannot be changed")
	}
	m, err := s.cfg.Models(c)
	if err == nil && m == nil {
		err = ModelNotConfigured
	}
	return m, err
}
