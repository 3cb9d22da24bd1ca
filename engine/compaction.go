package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

const (
	mostReserve = 16384 // tokens kept free for the answer, or a quarter of the window if that is less
	mostRecent  = 20000 // tokens that stay word for word, or half of the window
	maxSummary  = 32 << 10
)

const summaryPart = `You summarise the work of an agent so that it can go on without the messages that you are shown.
Write five short parts: the goal; constraints and decisions of people; evidence, each figure with the number of the event it comes from, as in (#27);
what was done, denied or failed; what is left to do. Use only what stands below. Quote figures and names exactly. Write in the language of the user's messages.`

// compact summarises the older messages between runs. It holds the session as a run does.
func (s *Session) compact() (Receipt, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return Receipt{}, SessionClosedCode
	case s.stop != nil:
		return Receipt{}, Errorf(SessionBusy, "a run is active; wait for its end or cancel it")
	case s.cfg.Model == nil:
		return Receipt{}, Errorf(ModelNotConfigured, "no model is configured that could summarise")
	}
	r := &run{cfg: s.cfg, log: s.log, redact: s.redact, tools: s.tools, budget: s.cfg.Budget}
	var messages []Message
	var older bool
	s.log.read(func(f *fold) {
		messages = f.transcript()
		old, _ := f.older(room(r.window("manual", tokensOf(messages)), 0))
		older = len(old) > 0
	})
	if !older {
		return Receipt{}, Errorf(InvalidCommand, "there is nothing to summarise yet: all messages are recent")
	}
	ctx, stop := context.WithCancelCause(context.Background())
	s.stop = stop
	s.spawn(func() {
		_, _ = r.condense(ctx, 0, "manual", tokensOf(messages)) // what became of it is in the log
		s.mu.Lock()
		defer s.mu.Unlock()
		s.stop(nil)
		s.stop = nil
	})
	return Receipt{}, nil
}

// recent is how many tokens stay word for word.
func recent(window int) int {
	if window <= 0 {
		return mostRecent
	}
	return min(mostRecent, window/2)
}

// window is the size of the model's window, as far as anything is known of it: the provider has just
// refused a request of so many tokens, or a person wants less than that.
func (r *run) window(reason string, before int) int {
	w := r.cfg.Model.Info().ContextWindow
	if reason == "overflow" && (w <= 0 || before < w) || reason == "manual" && w <= 0 {
		return before
	}
	return w
}

// room is how many tokens of messages stay when the rest of a request, which no summary makes
// smaller, takes so many: system prompt and tools may fill most of a small window.
func room(window, rest int) int {
	if window <= 0 {
		return recent(window)
	}
	return max(min(recent(window), (threshold(window)-rest)*2/3), 0)
}

// threshold is the size of a request from which on older messages are summarised; 0 for never.
func threshold(window int) int {
	if window <= 0 {
		return 0
	}
	return window - min(mostReserve, window/4)
}

// condense summarises the older messages so that the next request is smaller. Only what the log or a
// cancellation says is an error; a summary that fails is told and changes nothing.
func (r *run) condense(ctx context.Context, cause Seq, reason string, before int) (done bool, err error) {
	window := r.window(reason, before)
	var older []Message
	var first Seq
	var skills string
	r.log.read(func(f *fold) {
		keep := room(window, before-tokensOf(f.transcript()))
		older, first = f.older(keep)
		skills = f.bodies(first, min(keep, tokensOf(older))/2)
	})
	if len(older) == 0 {
		return false, nil // all there is, is recent
	}
	began, err := r.emit(cause, CompactionStarted{Reason: reason, Before: before})
	if err != nil {
		return false, err
	}
	summary, usage, err := r.summarise(ctx, began, older, window)
	if ctx.Err() != nil {
		return false, context.Cause(ctx)
	}
	usage = r.priced(usage)
	r.spent.add(usage)
	summary = r.redact.Text(summary + skills)
	if is, was := EstimateTokens(summary), tokensOf(older); err == nil && is >= was {
		err = Errorf(ContextOverflow, "the summary (about %d tokens) is no shorter than the messages it would stand for (%d), so they stay; begin a new session, or choose a model with a larger window", is, was)
	}
	if err != nil {
		r.whole = true
		_, err = r.emit(began, CompactionFailed{Code: CodeOf(err), Message: r.redact.Text(MessageOf(err))})
		return false, err
	}
	after := max(before-tokensOf(older)+EstimateTokens(summary), 0)
	_, err = r.emit(began, CompactionCompleted{Summary: summary, FirstKept: first, Before: before, After: after, Usage: usage})
	return err == nil, err
}

// summarise asks the model for a summary, with the tries of any other call.
func (r *run) summarise(ctx context.Context, cause Seq, older []Message, window int) (string, Usage, error) {
	size := 3 * mostRecent // bytes, as EstimateTokens counts them
	if window > 0 {
		size = 3 * (window - min(mostReserve, window/4)) * 3 / 4
	}
	req := Request{Session: r.log.session, Purpose: PurposeSummary, Turn: r.spent.turns, Attempt: 1, System: []SystemPart{{"role", "agentstudio", summaryPart}},
		Messages: []Message{{Role: RoleUser, Text: script(older, size)}}}
	for {
		text, usage, err := r.hearSummary(ctx, req)
		if err == nil && strings.TrimSpace(text) == "" {
			err = Errorf(ModelProtocol, "the model gave no summary")
		}
		if err == nil || ctx.Err() != nil || req.Attempt >= maxTries || !retryable(err) {
			return strings.TrimSpace(text), usage, err
		}
		req.Attempt++
		if err := r.retry(ctx, cause, req.Attempt, err); err != nil {
			return "", usage, err
		}
	}
}

func (r *run) hearSummary(ctx context.Context, req Request) (text string, usage Usage, err error) {
	defer r.guard("model", &err)
	var b strings.Builder
	var stop Stop
	for chunk, err := range r.cfg.Model.Stream(ctx, req) {
		if err != nil {
			return "", usage, err
		}
		switch c := chunk.(type) {
		case Text:
			if b.Len() < maxSummary {
				b.WriteString(string(c))
			}
		case Usage:
			usage = c
		case Stop:
			stop = c
		}
	}
	if stop.Reason != StopEnd && stop.Reason != StopLength {
		return "", usage, Errorf(ModelStreamCut, "the summary was cut off")
	}
	return b.String(), usage, nil
}

// older gives the messages, each call followed by its result, that a compaction drops so that about
// keep tokens stay, and the sequence from which on they stay. None when everything is recent.
func (f *fold) older(keep int) ([]Message, Seq) {
	f.settle()
	used, first := 0, len(f.messages)
	for i := len(f.messages) - 1; i > 0; i-- {
		used += tokensOf(f.group(i))
		if first < len(f.messages) && used > keep {
			break
		}
		first = i
	}
	for first > 0 && first < len(f.messages) && f.messages[first].Seq == f.messages[first-1].Seq {
		first-- // the note about a cut stays with its answer
	}
	if first <= 0 || first >= len(f.messages) {
		return nil, 0
	}
	var out []Message
	for i := range first {
		out = append(out, f.group(i)...)
	}
	return out, f.messages[first].Seq
}

// group is a message with the results of its calls.
func (f *fold) group(i int) []Message {
	out := []Message{f.messages[i]}
	for _, c := range f.messages[i].Calls {
		if r, ok := f.results[c.ID]; ok {
			out = append(out, r)
		}
	}
	return out
}

// summarised puts a summary in the place of what it sums up.
func (f *fold) summarised(p CompactionCompleted) {
	f.settle()
	kept := slices.DeleteFunc(slices.Clone(f.messages), func(m Message) bool { return m.Seq < p.FirstKept })
	note := Message{Role: RoleUser, Seq: p.FirstKept - 1, Text: "[Summary by the studio of everything before this point]\n" + p.Summary}
	f.messages = append([]Message{note}, kept...)
}

func tokensOf(messages []Message) (n int) {
	for _, m := range messages {
		n += EstimateTokens(m.Text)
		for _, a := range m.Attachments {
			n += imageTokens(a)
		}
		for _, c := range m.Calls {
			n += EstimateTokens(c.Tool) + EstimateTokens(string(c.Args))
		}
	}
	return n
}

// script writes messages as one text of at most about room bytes: no call stands alone in it, and
// every result is named by its event. Long results give way first, then the oldest lines.
func script(messages []Message, room int) string {
	const least, header = 400, "Summarise this:\n\n"
	each := max(room/max(len(messages), 1), least)
	parts := make([]string, len(messages))
	for i, m := range messages {
		parts[i] = scriptPart(m, each)
	}
	total := len(header)
	for _, p := range parts {
		total += len(p)
	}
	if total <= room || len(parts) < 3 {
		return header + strings.Join(parts, "")
	}
	const note = "[%d messages after it are left out: there was no room for them]\n"
	first, used := len(parts), len(header)+len(parts[0])+len(note) // what it all began with stays
	for first > 1 && used+len(parts[first-1]) <= room {
		first--
		used += len(parts[first])
	}
	return header + parts[0] + fmt.Sprintf(note, first-1) + strings.Join(parts[first:], "")
}

// scriptPart is one message in a script, with at most about room bytes of its text.
func scriptPart(m Message, room int) string {
	var b strings.Builder
	who := string(m.Role)
	if m.Role == RoleTool {
		who = "result of " + m.Tool
	}
	text := m.Text
	if len(text) > room {
		text = cutText(text, room) + fmt.Sprintf(" […%d bytes left out]", len(m.Text)-room)
	}
	fmt.Fprintf(&b, "(#%d) %s: %s\n", m.Seq, who, text)
	for _, a := range m.Attachments {
		fmt.Fprintf(&b, "(#%d) %s attached the %s %s\n", m.Seq, who, a.Kind, a.Name)
	}
	for _, c := range m.Calls {
		fmt.Fprintf(&b, "(#%d) %s calls %s %s\n", m.Seq, who, c.Tool, cutText(string(c.Args), room))
	}
	return b.String()
}

// skillRead is a skill's file that the model has read.
type skillRead struct {
	path string
	seq  Seq // of the call
}

// bodies are the skills that were read before the first message that stays, by this compaction or
// an earlier one: the newest word for word while they fit into room tokens, the others by name.
func (f *fold) bodies(first Seq, room int) string {
	var whole, left strings.Builder
	seen := map[string]bool{}
	for _, id := range slices.Backward(f.order) {
		read, ok := f.skills[id]
		body := f.results[id]
		if !ok || body.Failed || body.Text == "" || seen[read.path] {
			continue
		}
		seen[read.path] = true
		if read.seq >= first {
			continue // it stays where it is
		}
		if n := EstimateTokens(body.Text); n <= room {
			room -= n
			fmt.Fprintf(&whole, "\n\n[%s, word for word]\n%s", read.path, body.Text)
		} else {
			fmt.Fprintf(&left, "\n[%s was read and is left out here; read it again before you go by it]", read.path)
		}
	}
	return whole.String() + left.String()
}

// skillPath is the skill's file that a call reads; "" for any other call.
func skillPath(args json.RawMessage) string {
	var a struct {
		Path string `json:"path"`
	}
	if json.Unmarshal(args, &a) != nil || !strings.HasPrefix(a.Path, "skill:") {
		return ""
	}
	return a.Path
}
