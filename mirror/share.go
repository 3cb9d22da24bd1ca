package mirror

import (
	"encoding/json"

	"agentstudio/engine"
)

// Share is how much of the session viewers are shown. Approvers, presenters and operators always
// see everything.
type Share string

// The levels: all is what the terminal shows; names leaves out arguments, results, previews, reasoning and
// everything else that tools have seen, but keeps what is said and what things are called; none keeps
// only that something happens: kinds, states, times and counts.
const (
	ShareNone  Share = "none"
	ShareNames Share = "names"
	ShareAll   Share = "all"
)

func (s Share) valid() bool { return s == ShareNone || s == ShareNames || s == ShareAll }

// filter is the event as this level may see it. It is applied before anything is folded or sent, so
// that no route can show more than another. Ids, codes, counts and times stay.
func (s Share) filter(e engine.Event) engine.Event {
	if s == ShareAll {
		if p, ok := e.Payload.(engine.ModelConfigured); ok {
			p.KeyHint = "" // the end of a key is for whoever sits at the machine
			e.Payload = p
		}
		return e.Public()
	}
	e.Payload = s.payload(e.Payload)
	return e
}

// payload names what may be seen, so that a new event shows nothing until somebody says what.
func (s Share) payload(p engine.Payload) engine.Payload {
	named := s == ShareNames
	switch p := p.(type) {
	case engine.SessionStarted:
		return engine.SessionStarted{Title: only(named, p.Title), Version: p.Version}
	case engine.SessionResumed, engine.SessionClosed, engine.ModelCleared, engine.RunCompleted, engine.BudgetWarned,
		engine.AssistantStarted, engine.TurnCompleted, engine.TurnStarted, engine.UserDelivered, engine.CompactionStarted:
		return p
	case engine.AssistantCompleted:
		p.Continuation = nil
		return p
	case engine.AssistantDelta:
		return engine.AssistantDelta{Message: p.Message, Delta: only(named, p.Delta)}
	case engine.ReasoningDelta:
		return engine.ReasoningDelta{Message: p.Message}
	case engine.UserMessage:
		return engine.UserMessage{Message: p.Message, Text: only(named, p.Text), Delivery: p.Delivery, By: s.actor(p.By)}
	case engine.UserWithdrawn:
		return engine.UserWithdrawn{Message: p.Message, By: s.actor(p.By), Reason: p.Reason}
	case engine.RunStarted:
		return engine.RunStarted{Run: p.Run, Budget: p.Budget, Model: only(named, p.Model), Resumes: p.Resumes}
	case engine.RunFailed:
		return engine.RunFailed{Code: p.Code, Retryable: p.Retryable}
	case engine.RunCancelledEvent:
		return engine.RunCancelledEvent{Reason: p.Reason, By: s.actor(p.By)}
	case engine.ModelRetrying:
		return engine.ModelRetrying{Attempt: p.Attempt, DelayMS: p.DelayMS, Code: p.Code, Status: p.Status}
	case engine.CompactionCompleted:
		return engine.CompactionCompleted{FirstKept: p.FirstKept, Before: p.Before, After: p.After, Usage: p.Usage}
	case engine.CompactionFailed:
		return engine.CompactionFailed{Code: p.Code}
	case engine.Notice:
		return engine.Notice{Code: p.Code, About: p.About}
	case engine.JournalDamage:
		return engine.JournalDamage{From: p.From, To: p.To}
	}
	return s.work(p)
}

// work is the part of payload that is about tools, skills, files and devices.
func (s Share) work(p engine.Payload) engine.Payload {
	named := s == ShareNames
	switch p := p.(type) {
	case engine.ToolRequested:
		return engine.ToolRequested{Call: p.Call, Tool: only(named, p.Tool), Policy: engine.Judgement{Verdict: p.Policy.Verdict}}
	case engine.ToolDenied:
		return engine.ToolDenied{Call: p.Call, Tool: only(named, p.Tool), Code: p.Code}
	case engine.ToolStarted:
		return engine.ToolStarted{Call: p.Call, Tool: only(named, p.Tool)}
	case engine.ToolCompleted:
		return engine.ToolCompleted{Call: p.Call, Tool: only(named, p.Tool), DurationMS: p.DurationMS, Repeats: p.Repeats}
	case engine.ToolFailed:
		return engine.ToolFailed{Call: p.Call, Tool: only(named, p.Tool), Code: p.Code, DurationMS: p.DurationMS}
	case engine.ApprovalRequired:
		return engine.ApprovalRequired{Approval: p.Approval, Call: p.Call, Tool: only(named, p.Tool), Arguments: json.RawMessage("{}"), ExpiresAt: p.ExpiresAt}
	case engine.ApprovalExtended:
		return engine.ApprovalExtended{Approval: p.Approval, ExpiresAt: p.ExpiresAt, By: s.actor(p.By)}
	case engine.ApprovalResolved:
		return engine.ApprovalResolved{Approval: p.Approval, Status: p.Status, By: s.actor(p.By), WaitedMS: p.WaitedMS}
	}
	if !named {
		return bare(p)
	}
	switch p := p.(type) {
	case engine.SessionRenamed, engine.SkillRequested, engine.SkillLoaded, engine.MirrorDevice, engine.GateWaiting, engine.GateReleased,
		engine.ArtifactReady, engine.AttachmentRemoved:
		return p
	case engine.AttachmentAdded:
		p.SHA256 = "" // it would tell who has the picture as well
		return p
	case engine.ModelConfigured:
		return engine.ModelConfigured{ModelInfo: engine.ModelInfo{Provider: p.Provider, ID: p.ID, ContextWindow: p.ContextWindow}}
	case engine.AttachmentRejected:
		return engine.AttachmentRejected{Name: p.Name, Code: p.Code, By: p.By}
	case engine.CatalogLoaded:
		c := engine.CatalogLoaded{Skills: make([]engine.Skill, 0, len(p.Skills)), Diagnostics: []engine.Diagnostic{}, Tools: p.Tools}
		for _, k := range p.Skills {
			c.Skills = append(c.Skills, engine.Skill{Name: k.Name, Description: k.Description, Source: k.Source, Path: k.Path, State: k.State, Diagnostics: []engine.Diagnostic{}})
		}
		return c
	}
	return bare(p)
}

func (s Share) actor(a engine.Actor) engine.Actor {
	if s == ShareNames {
		return a
	}
	return engine.Actor{Screen: a.Screen}
}

// bare is that an event of this kind came, and nothing else of it.
func bare(p engine.Payload) engine.Payload {
	return engine.Unknown{Type: engine.KindOf(p), Raw: json.RawMessage("{}")}
}

func only(named bool, s string) string {
	if named {
		return s
	}
	return ""
}
