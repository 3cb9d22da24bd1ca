package view

import (
	"math/big"
	"slices"
	"strconv"

	"agentstudio/engine"
)

const (
	pieceBytes   = 4 << 10
	contentBytes = 4 << 10
	dataBytes    = 16 << 10
)

// Apply folds one event into s and tells what it changed. An event already seen changes nothing;
// one that leaves a hole is EVENT_GAP and changes nothing either: ask again from s.Seq.
func (s *State) Apply(e engine.Event) (Patch, error) {
	if e.Seq <= s.Seq {
		return Patch{Seq: s.Seq}, nil
	}
	first := e.Seq
	if d, ok := e.Payload.(engine.JournalDamage); ok {
		first = d.From
	}
	if first > s.Seq+1 {
		return Patch{Seq: s.Seq}, engine.Errorf(engine.EventGap, "event %d came after %d; ask for those in between", e.Seq, s.Seq)
	}
	s.Seq = e.Seq
	f := folding{State: s, e: e, p: Patch{Seq: e.Seq}}
	if s.Status.Phase == "" {
		s.Status.Phase = Idle
	}
	f.row()
	switch e.Payload.(type) {
	case engine.AssistantDelta, engine.ReasoningDelta, engine.AssistantStarted, engine.AssistantCompleted,
		engine.UserMessage, engine.UserDelivered, engine.UserWithdrawn, engine.Notice,
		engine.ModelRetrying, engine.CompactionCompleted, engine.CompactionFailed:
		f.said()
	case engine.RunStarted, engine.TurnStarted, engine.TurnCompleted, engine.RunCompleted, engine.RunFailed, engine.RunCancelledEvent:
		f.ran()
	case engine.ToolRequested, engine.ToolDenied, engine.ToolStarted, engine.ToolCompleted, engine.ToolFailed,
		engine.ApprovalRequired, engine.ApprovalExtended, engine.ApprovalResolved:
		f.called()
	default:
		f.kept()
	}
	f.p.settle()
	return f.p, nil
}

// folding is one Apply under way.
type folding struct {
	*State
	e engine.Event
	p Patch
}

func (f *folding) status() *Status {
	f.p.Status = &f.Status
	return &f.Status
}

// said folds what people and the model say.
func (f *folding) said() {
	switch p := f.e.Payload.(type) {
	case engine.AssistantDelta:
		f.grow(string(p.Message), p.Delta, false)
	case engine.ReasoningDelta:
		f.grow(string(p.Message), p.Delta, true)
	case engine.AssistantStarted:
		f.put(Message{ID: string(p.Message), Kind: FromAgent, State: Streaming})
	case engine.AssistantCompleted:
		f.change(string(p.Message), func(m *Message) {
			m.State = Complete
			if p.Interrupted {
				m.State = Cut
			}
		})
	case engine.UserMessage:
		m := Message{ID: string(p.Message), Kind: FromUser, State: Complete, Pieces: pieces(nil, p.Text), By: &p.By}
		if p.Delivery != "prompt" {
			m.State, m.Delivery = Queued, p.Delivery
		}
		f.put(m)
		if f.Session.Title == "" {
			f.Session.Title = engine.Label(p.Text, 60)
			f.p.Session = &f.Session
		}
	case engine.UserDelivered:
		f.change(string(p.Message), func(m *Message) { m.State = Complete })
	case engine.UserWithdrawn:
		f.change(string(p.Message), func(m *Message) { m.State = Withdrawn })
	case engine.Notice:
		f.note(Message{Code: p.Code, Pieces: []string{p.Message}})
	case engine.ModelRetrying:
		f.tell(p.Code, p.Reason)
	case engine.CompactionFailed:
		f.tell(p.Code, p.Message)
	case engine.CompactionCompleted:
		s := f.status()
		s.Context = p.After
		s.spend(p.Usage)
		f.tell("", "")
	}
}

func (f *folding) note(m Message) {
	m.ID, m.Kind, m.State = "notice"+strconv.FormatUint(uint64(f.e.Seq), 10), OfNotice, Complete
	f.put(m)
}

// tell puts an event of the model's calls into the chat, with what its row of the timeline names.
func (f *folding) tell(code engine.Code, text string) {
	m := Message{Code: code, Event: f.e.Kind(), Args: f.Timeline[len(f.Timeline)-1].Args}
	if text != "" {
		m.Pieces = []string{text}
	}
	f.note(m)
}

// ran folds a run's course.
func (f *folding) ran() {
	s := f.status()
	switch p := f.e.Payload.(type) {
	case engine.RunStarted:
		*s = Status{Phase: Running, Run: p.Run, RunSeq: f.e.Seq, RunAt: engine.Instant{Time: f.e.At}, Budget: p.Budget, Context: s.Context}
	case engine.TurnStarted:
		s.Turn, s.Context = p.Turn, p.ContextTokens
	case engine.TurnCompleted:
		s.spend(p.Usage)
	case engine.RunCompleted:
		s.Phase = Idle
		if p.Usage.CostUSD != nil {
			s.CostUSD = *p.Usage.CostUSD
		}
	case engine.RunFailed:
		s.Phase, s.Code = Failed, p.Code
		f.put(Message{ID: "end" + string(f.e.Run), Kind: OfEnd, State: Wrong, Code: p.Code, Pieces: []string{p.Message}})
	case engine.RunCancelledEvent:
		s.Phase = Cancelled
		f.put(Message{ID: "end" + string(f.e.Run), Kind: OfEnd, State: string(Cancelled), Code: engine.RunCancelled, By: &p.By})
	}
}

// spend counts what a call has used. Money is added up exactly.
func (s *Status) spend(u engine.Usage) {
	if u.InputTokens != nil {
		s.Tokens += *u.InputTokens
	}
	if u.OutputTokens != nil {
		s.Tokens += *u.OutputTokens
	}
	s.Estimated = s.Estimated || u.Estimated
	if u.CostUSD == nil {
		return
	}
	sum, ok := new(big.Rat).SetString(*u.CostUSD)
	if !ok {
		return
	}
	if was, ok := new(big.Rat).SetString(s.CostUSD); ok {
		sum.Add(sum, was)
	}
	s.CostUSD = sum.FloatString(6)
}

// kept folds what the session has and is.
func (f *folding) kept() {
	switch p := f.e.Payload.(type) {
	case engine.SessionStarted:
		f.Session = Session{ID: f.e.Session, Title: p.Title, Workspace: p.Workspace, Version: p.Version}
		f.p.Session, _ = &f.Session, f.status()
	case engine.SessionResumed:
		f.Session.Closed = false
		f.p.Session = &f.Session
	case engine.SessionClosed:
		f.Session.Closed = true
		f.p.Session = &f.Session
	case engine.SessionRenamed:
		f.Session.Title = p.Title
		f.p.Session = &f.Session
	case engine.JournalDamage:
		f.Session.Damaged = true
		f.p.Session = &f.Session
		f.put(Message{ID: "hole" + strconv.FormatUint(uint64(p.From), 10), Kind: OfNotice, State: Complete,
			Code: engine.JournalDamaged, Pieces: []string{p.Reason}})
	case engine.ModelConfigured:
		m := p.ModelInfo
		f.Model, f.p.Model = &m, &m
	case engine.ModelCleared:
		f.Model, f.p.Model = nil, &engine.ModelInfo{}
	case engine.CatalogLoaded:
		f.catalog(p)
	case engine.SkillRequested:
		f.light(p.Name, Requested)
	case engine.SkillLoaded:
		f.light(p.Name, Loaded)
	case engine.AttachmentAdded:
		f.Attachments = append(f.Attachments, p.Attachment)
		f.p.Attachments = &f.Attachments
	case engine.AttachmentRemoved:
		f.Attachments = without(f.Attachments, func(a engine.Attachment) bool { return a.ID == p.ID })
		f.p.Attachments = &f.Attachments
	case engine.ArtifactReady:
		f.Artifacts = append(without(f.Artifacts, func(a engine.Artifact) bool { return a.Name == p.Name }), p.Artifact)
		f.p.Artifacts = &f.Artifacts
	}
}

func (f *folding) catalog(p engine.CatalogLoaded) {
	was := map[string]Skill{}
	for _, s := range f.Skills {
		was[s.Path] = s
	}
	f.Skills = make([]Skill, 0, len(p.Skills))
	for _, s := range p.Skills {
		n := Skill{Skill: s, Light: Available}
		switch {
		case s.State == engine.SkillBroken:
			n.Light = Broken
		case s.State == engine.SkillShadowed:
			n.Light = Shadowed
		case was[s.Path].At != 0:
			n.Light, n.At = was[s.Path].Light, was[s.Path].At
		}
		f.Skills = append(f.Skills, n)
	}
	calls := map[string]int{}
	for _, t := range f.Tools {
		calls[t.Name] = t.Calls
	}
	f.Tools = make([]Tool, 0, len(p.Tools))
	for _, t := range p.Tools {
		f.Tools = append(f.Tools, Tool{t, calls[t.Name]})
	}
	f.Diagnostics = p.Diagnostics
	f.p.Skills, f.p.Tools, f.p.Diagnostics = slices.Clone(f.Skills), slices.Clone(f.Tools), &f.Diagnostics
}

// light sets the light of the skill that is offered under a name. A loaded skill stays loaded.
func (f *folding) light(name string, l Light) {
	for i := range f.Skills {
		s := &f.Skills[i]
		if s.Name == name && s.Light != Shadowed && s.Light != Broken && !(s.Light == Loaded && l == Requested) {
			s.Light, s.At = l, f.e.Seq
			f.p.Skills = append(f.p.Skills, *s)
		}
	}
}

// put adds a message, or replaces the one of the same id.
func (f *folding) put(m Message) {
	m.Seq, m.At, m.Run = f.e.Seq, engine.Instant{Time: f.e.At}, f.e.Run
	if i, ok := f.find(m.ID); ok {
		f.Chat[i] = m
	} else {
		f.chat[m.ID] = len(f.Chat)
		f.Chat = append(f.Chat, m)
	}
	f.p.Chat = append(f.p.Chat, m.apart())
}

func (f *folding) change(id string, how func(*Message)) {
	if i, ok := f.find(id); ok {
		how(&f.Chat[i])
		f.p.Chat = append(f.p.Chat, f.Chat[i].apart())
	}
}

func (f *folding) grow(id, text string, thinking bool) {
	i, ok := f.find(id)
	if !ok {
		return
	}
	if m := &f.Chat[i]; thinking {
		m.Thinking = pieces(m.Thinking, text)
	} else {
		m.Pieces = pieces(m.Pieces, text)
	}
	f.p.Append = &Append{ID: id, Text: text, Thinking: thinking}
}

// MessageAt is the place in Chat of the message of an id.
func (s *State) MessageAt(id string) (int, bool) { return s.find(id) }

func (s *State) find(id string) (int, bool) {
	if s.chat == nil {
		s.chat = make(map[string]int, len(s.Chat))
		for i, m := range s.Chat {
			s.chat[m.ID] = i
		}
	}
	i, ok := s.chat[id]
	return i, ok
}

// pieces appends text, filling the last piece up to 4 KiB so that growing stays cheap.
func pieces(list []string, text string) []string {
	if n := len(list); n > 0 && len(list[n-1])+len(text) <= pieceBytes {
		list[n-1] += text
		return list
	}
	return append(list, text)
}

func without[T any](list []T, gone func(T) bool) []T {
	kept := make([]T, 0, len(list))
	for _, x := range list {
		if !gone(x) {
			kept = append(kept, x)
		}
	}
	return kept
}
