package view

import (
	"math/big"
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
		for _, a := range p.Attachments {
			m.Pictures = append(m.Pictures, a.ID)
		}
		f.put(m)
		f.attached(m.Pictures, func(a *Attachment) { a.Message = p.Message })
		if f.Session.Title == "" {
			f.Session.Title = engine.Label(title(p), 60)
			f.p.Session = &f.Session
		}
	case engine.UserDelivered:
		f.change(string(p.Message), func(m *Message) { m.State = Complete })
	case engine.UserWithdrawn:
		f.change(string(p.Message), func(m *Message) {
			m.State = Withdrawn
			f.attached(m.Pictures, func(a *Attachment) { a.Message = "" })
		})
	case engine.Notice:
		f.noticed(p)
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
