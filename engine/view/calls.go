package view

import (
	"unicode/utf8"

	"agentstudio/engine"
)

// called folds a tool call and its approval.
func (f *folding) called() {
	switch p := f.e.Payload.(type) {
	case engine.ToolRequested:
		f.put(Message{ID: string(p.Call), Kind: OfTool, State: Asked,
			Call: &Call{Tool: p.Tool, Policy: p.Policy, Arguments: p.Arguments, Raw: p.RawArguments}})
		for i := range f.Tools {
			if f.Tools[i].Name == p.Tool {
				f.Tools[i].Calls++
				f.p.Tools = append(f.p.Tools, f.Tools[i])
			}
		}
	case engine.ToolStarted:
		f.call(p.Call, Started, func(*Call) {})
	case engine.ToolCompleted:
		f.call(p.Call, Done, func(c *Call) {
			c.Content, c.Bytes, c.ContentSeq = head(p.Content), len(p.Content), f.e.Seq
			c.DurationMS, c.LeftOut, c.Repeats = p.DurationMS, p.LeftOut, p.Repeats
			if len(p.Data) <= dataBytes {
				c.Data = p.Data
			}
		})
	case engine.ToolFailed:
		f.call(p.Call, Wrong, func(c *Call) { c.Error, c.DurationMS = p.Message, p.DurationMS })
		f.change(string(p.Call), func(m *Message) { m.Code = p.Code })
	case engine.ToolDenied:
		f.call(p.Call, Refused, func(c *Call) { c.Error = p.Message })
		f.change(string(p.Call), func(m *Message) { m.Code = p.Code })
	case engine.ApprovalRequired:
		a := Approval{ApprovalRequired: p, Seq: f.e.Seq, At: engine.Instant{Time: f.e.At}}
		f.call(p.Call, Awaiting, func(c *Call) { a.Policy = c.Policy })
		f.Approvals = append(f.Approvals[:len(f.Approvals):len(f.Approvals)], a)
		f.p.Approvals = &f.Approvals
		f.status().Phase = Waiting
	case engine.ApprovalExtended:
		f.Approvals = append([]Approval(nil), f.Approvals...)
		for i := range f.Approvals {
			if f.Approvals[i].Approval == p.Approval {
				f.Approvals[i].ExpiresAt = p.ExpiresAt
			}
		}
		f.p.Approvals = &f.Approvals
	case engine.ApprovalResolved:
		f.resolved(p)
	}
}

func (f *folding) resolved(p engine.ApprovalResolved) {
	for _, a := range f.Approvals {
		if a.Approval == p.Approval {
			f.call(a.Call, Asked, func(c *Call) {
				c.Decision, c.DecidedBy, c.DecidedAt = p.Status, &p.By, engine.Instant{Time: f.e.At}
				c.Digest, c.Reason = a.Digest, p.Reason
			})
		}
	}
	f.Approvals = without(f.Approvals, func(a Approval) bool { return a.Approval == p.Approval })
	f.p.Approvals = &f.Approvals
	if len(f.Approvals) == 0 && f.Status.Phase == Waiting {
		f.status().Phase = Running
	}
}

// call changes a tool call. The Call is copied, since patches already given hold the old one.
func (f *folding) call(id engine.CallID, state string, how func(*Call)) {
	f.change(string(id), func(m *Message) {
		if m.Call == nil {
			return
		}
		c := *m.Call
		how(&c)
		m.Call, m.State = &c, state
	})
}

func head(s string) string {
	if len(s) <= contentBytes {
		return s
	}
	n := contentBytes
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
