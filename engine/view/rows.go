package view

import (
	"slices"
	"strconv"

	"agentstudio/engine"
)

// row adds the event to the timeline. What belongs to one answer shares a row, so that a long
// answer is a count and not a thousand lines.
func (f *folding) row() {
	r := Row{Seq: f.e.Seq, Last: f.e.Seq, Kind: f.e.Kind(), Cause: f.e.Cause, At: engine.Instant{Time: f.e.At},
		Since: -1, Run: f.e.Run, Tone: Plain}
	switch p := f.e.Payload.(type) {
	case engine.AssistantDelta:
		f.merge(string(p.Message), "assistant", 1, nil)
		return
	case engine.AssistantCompleted:
		tone := Quiet
		args := map[string]string{"calls": strconv.Itoa(p.ToolCalls), "stop": string(p.StopReason)}
		if p.Interrupted {
			tone, args["cut"] = Bad, "cut"
		}
		f.merge(string(p.Message), "assistant", 0, func(r *Row) { r.Args, r.Tone = args, tone })
		return
	case engine.ReasoningDelta:
		if f.merge(string(p.Message), "reasoning", 1, nil) {
			return
		}
		r.Kind, r.About, r.Count, r.Tone = "reasoning", string(p.Message), 1, Quiet
	case engine.AssistantStarted:
		r.Kind, r.About, r.Tone = "assistant", string(p.Message), Quiet
	default:
		describe(&r, f.e.Payload)
	}
	if f.e.Run != "" && f.Status.Run == f.e.Run {
		r.Since = f.e.At.Sub(f.Status.RunAt.Time).Milliseconds()
	}
	if _, ok := f.e.Payload.(engine.RunStarted); ok {
		r.Since = 0
	}
	if parent, ok := f.parent(f.e.Cause); ok {
		r.Depth = parent.Depth + 1
		if parent.Kind == "assistant" && r.Kind == "tool.requested" {
			r.Depth-- // a call stands beside the answer that asked for it
		}
		if r.About == "" {
			r.About = parent.About
		}
	}
	f.Timeline = append(f.Timeline, r)
	f.p.Timeline = append(f.p.Timeline, r)
}

// merge counts an event into the newest row of that answer.
func (f *folding) merge(about, kind string, count int, how func(*Row)) bool {
	for i := len(f.Timeline) - 1; i >= max(len(f.Timeline)-8, 0); i-- {
		if r := &f.Timeline[i]; r.Kind == kind && r.About == about {
			r.Last, r.Count = f.e.Seq, r.Count+count
			if how != nil {
				how(r)
			}
			f.p.Timeline = append(f.p.Timeline, *r)
			return true
		}
	}
	return false
}

// parent is the row that holds the event with this number.
func (f *folding) parent(seq engine.Seq) (Row, bool) {
	if seq == 0 {
		return Row{}, false
	}
	i, ok := slices.BinarySearchFunc(f.Timeline, seq, func(r Row, s engine.Seq) int { return int(int64(r.Seq) - int64(s)) })
	if ok {
		return f.Timeline[i], true
	}
	for i--; i >= 0 && i >= len(f.Timeline)-64; i-- {
		if r := f.Timeline[i]; r.Seq < seq && seq <= r.Last {
			return r, true
		}
	}
	return Row{}, false
}
