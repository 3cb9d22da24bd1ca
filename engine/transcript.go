package engine

import (
	"slices"
	"strings"
)

// fold is what the engine itself needs to know of its log: the transcript for the model, what is
// still open, and the ledger of acts. Owned by the log, changed only by apply.
type fold struct {
	title    string
	messages []Message
	results  map[CallID]Message
	calls    map[CallID]*callState
	order    []CallID
	skills   map[CallID]skillRead
	queued   []queued        // not delivered yet, in order
	ledger   map[string]done // by idempotency key
	prompt   *PromptChanged
	replay   map[string]Replay // by tool, of the newest catalogue
	settings []SettingsChanged
	model    *ModelInfo // in use, nil for none yet

	run       RunID
	runSeq    Seq
	turn      int
	turnSeq   Seq
	answer    MessageID // open answer
	text      []string  // its deltas, which the events hold anyway; joined when it is wanted
	newest    []string  // the text of the newest message, not yet joined
	bytes     int       // of text
	approvals map[ApprovalID]openApproval
	resolved  map[ApprovalID]ApprovalResolved
	artifacts map[string]Artifact
	attached  []*attachState // in the order they were added
	untried   []string       // pictures that no answered request has held yet
}

type callState struct {
	tool    string
	seq     Seq // of its tool.requested
	key     string
	started bool
	ended   bool
}

type openApproval struct {
	seq  Seq
	call CallID
	at   Instant
}

// queued is a message that waits, with the number of its user.message.
type queued struct {
	UserMessage
	seq Seq
}

// done is a completed act of the ledger.
type done struct {
	seq     Seq
	content string
	data    []byte
	leftOut *LeftOut
}

func newFold() *fold {
	return &fold{skills: map[CallID]skillRead{}, results: map[CallID]Message{}, calls: map[CallID]*callState{},
		ledger: map[string]done{}, replay: map[string]Replay{}, approvals: map[ApprovalID]openApproval{}, resolved: map[ApprovalID]ApprovalResolved{}, artifacts: map[string]Artifact{}}
}

func (f *fold) apply(e Event) {
	switch p := e.Payload.(type) {
	case AssistantDelta:
		if p.Message == f.answer {
			f.text = append(f.text, p.Delta)
			f.bytes += len(p.Delta)
		}
	case SessionStarted:
		f.title = p.Title
	case SessionRenamed:
		f.title = p.Title
	case CatalogLoaded:
		for _, t := range p.Tools {
			f.replay[t.Name] = t.Replay
		}
	case UserMessage:
		f.enclosed(p.Attachments, p.Message)
		if p.Delivery != prompt {
			f.queued = append(f.queued, queued{p, e.Seq})
			break
		}
		f.say(p, e.Seq)
	case UserDelivered:
		if m, ok := f.unqueue(p.Message); ok {
			f.say(m, e.Seq)
		}
	case UserWithdrawn:
		if m, ok := f.unqueue(p.Message); ok {
			f.enclosed(m.Attachments, "") // they wait in the draft again
		}
	case SettingsChanged:
		f.settings = append(f.settings, p)
	case ModelConfigured:
		f.model = &p.ModelInfo
	case PromptChanged:
		f.prompt = &p
	case RunStarted:
		f.run, f.runSeq = p.Run, e.Seq
	case TurnStarted:
		f.turn, f.turnSeq = p.Turn, e.Seq
	case TurnCompleted:
		f.turnSeq = 0
	case AssistantStarted:
		f.answer = p.Message
		f.text, f.bytes, f.untried = nil, 0, nil
	case AssistantCompleted:
		f.completed(p, e.Seq)
	case CompactionCompleted:
		f.summarised(p)
	case RunCompleted, RunFailed, RunCancelledEvent:
		f.run, f.runSeq = "", 0
	case ApprovalRequired:
		f.approvals[p.Approval] = openApproval{e.Seq, p.Call, Instant{e.At}}
	case ApprovalResolved:
		delete(f.approvals, p.Approval)
		f.resolved[p.Approval] = p
	case ArtifactReady:
		f.artifacts[p.ID] = p.Artifact
	case AttachmentAdded, AttachmentRemoved, Notice:
		f.applyPicture(e)
	default:
		f.applyTool(e)
	}
}

func (f *fold) applyTool(e Event) {
	switch p := e.Payload.(type) {
	case ToolRequested:
		f.calls[p.Call] = &callState{tool: p.Tool, seq: e.Seq}
		f.order = append(f.order, p.Call)
		if path := skillPath(p.Arguments); path != "" {
			f.skills[p.Call] = skillRead{path, e.Seq}
		}
		if n := len(f.messages); n > 0 && f.messages[n-1].Role == RoleAssistant {
			args := p.Arguments
			if args == nil {
				args = []byte("{}") // what the model sent was no object; a request must hold one
			}
			f.messages[n-1].Calls = append(f.messages[n-1].Calls, Call{p.Call, p.Tool, args})
		}
	case ToolStarted:
		if c := f.calls[p.Call]; c != nil {
			c.started, c.key = true, p.IdempotencyKey
		}
	case ToolCompleted:
		f.result(p.Call, Message{Text: p.Content, Seq: e.Seq})
		if c := f.calls[p.Call]; c != nil && c.key != "" {
			f.ledger[c.key] = done{e.Seq, p.Content, p.Data, p.LeftOut}
		}
	case ToolFailed:
		f.result(p.Call, Message{Text: "failed: " + string(p.Code) + ": " + p.Message, Failed: true, Code: p.Code, Seq: e.Seq})
	case ToolDenied:
		f.result(p.Call, Message{Text: "not run: " + string(p.Code) + ": " + p.Message, Failed: true, Code: p.Code, Seq: e.Seq})
	}
}

// result keeps the first result of a known call; a result without a call is left out.
func (f *fold) result(id CallID, m Message) {
	c := f.calls[id]
	if c == nil || c.ended {
		return
	}
	c.ended = true
	m.Role, m.Reply, m.Tool = RoleTool, id, c.tool
	f.results[id] = m
}

func (f *fold) say(p UserMessage, seq Seq) {
	f.settle()
	for _, a := range p.Attachments {
		f.untried = append(f.untried, a.ID)
	}
	f.messages = append(f.messages, Message{Role: RoleUser, Text: p.Text, Attachments: p.Attachments, Seq: seq})
}

func (f *fold) completed(p AssistantCompleted, seq Seq) {
	text, said := f.text, f.bytes > 0
	f.answer, f.text, f.bytes = "", nil, 0
	f.settle()
	if said || p.ToolCalls > 0 {
		f.messages = append(f.messages, Message{Role: RoleAssistant, Continuation: Continuation(p.Continuation), Seq: seq})
		f.newest = text
	}
	if p.Interrupted && said && p.ToolCalls == 0 {
		f.settle()
		f.messages = append(f.messages, Message{Role: RoleUser, Seq: seq,
			Text: "[Note by the studio: the answer above was cut off before its end.]"})
	}
}

// settle joins the text of the newest message. It is put off until somebody wants it: the events hold
// the same text in pieces, and a run that ends with a long answer never does.
func (f *fold) settle() {
	if n := len(f.messages); n > 0 && f.newest != nil {
		f.messages[n-1].Text = strings.Join(f.newest, "")
	}
	f.newest = nil
}

// transcript is what the model is sent: each call is followed by exactly one result, in call
// order; a stand-in where none is known.
func (f *fold) transcript() []Message {
	f.settle()
	out := make([]Message, 0, len(f.messages)+len(f.results))
	for _, m := range f.messages {
		if m.Role == RoleAssistant && m.Text == "" && len(m.Calls) == 0 {
			continue // its calls were lost with the power; a request must not hold an empty answer
		}
		m.Calls = slices.Clone(m.Calls)
		out = append(out, m)
		for _, c := range m.Calls {
			r, ok := f.results[c.ID]
			if !ok {
				r = Message{Role: RoleTool, Reply: c.ID, Tool: c.Tool, Failed: true, Code: Interrupted, Seq: m.Seq,
					Text: "interrupted; it is not known whether it ran"}
			}
			out = append(out, r)
		}
	}
	return out
}

// ending says how what is open ends: with what code a call that was never started, that was
// started and may be repeated, and that was started and must not.
type ending struct{ unstarted, safe, never error }

// unqueue takes a message out of the queue.
func (f *fold) unqueue(id MessageID) (UserMessage, bool) {
	i := slices.IndexFunc(f.queued, func(m queued) bool { return m.Message == id })
	if i < 0 {
		return UserMessage{}, false
	}
	m := f.queued[i].UserMessage
	f.queued = slices.Delete(slices.Clone(f.queued), i, i+1)
	return m, true
}

// closing makes the events that end everything open but the run itself, in order.
func (f *fold) closing(run RunID, stop StopReason, how ending, by Actor, now Instant) (out []entry) {
	if f.answer != "" {
		out = append(out, entry{run, f.turnSeq, AssistantCompleted{Message: f.answer, StopReason: stop,
			TextBytes: f.bytes, Interrupted: true}})
	}
	if f.turnSeq != 0 {
		out = append(out, entry{run, f.turnSeq, TurnCompleted{Turn: f.turn, StopReason: stop}})
	}
	open := make([]ApprovalID, 0, len(f.approvals))
	for id := range f.approvals {
		open = append(open, id)
	}
	slices.Sort(open)
	for _, id := range open {
		a := f.approvals[id]
		out = append(out, entry{run, a.seq, ApprovalResolved{Approval: id, Status: Cancelled, By: by,
			WaitedMS: now.Sub(a.at.Time).Milliseconds()}})
	}
	for _, id := range f.order {
		if c := f.calls[id]; !c.ended {
			out = append(out, entry{run, c.seq, c.end(id, f.replay[c.tool], how)})
		}
	}
	for _, m := range f.queued {
		out = append(out, entry{run, m.seq, UserWithdrawn{Message: m.Message, By: by, Reason: "runEnded"}})
	}
	return out
}

func (c *callState) end(id CallID, replay Replay, how ending) Payload {
	err := how.unstarted
	switch {
	case c.started && replay == ReplayNever:
		err = how.never
	case c.started:
		err = how.safe
	}
	if c.started || CodeOf(err) == Interrupted {
		return ToolFailed{Call: id, Tool: c.tool, Code: CodeOf(err), Message: MessageOf(err)}
	}
	return ToolDenied{Call: id, Tool: c.tool, Code: CodeOf(err), Message: MessageOf(err)}
}
