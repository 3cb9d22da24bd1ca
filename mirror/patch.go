package mirror

import (
	"agentstudio/engine"
	"agentstudio/engine/view"
)

// rowText is how much of a text comes with its row; the rest is appended.
const rowText = 32 << 10

// note takes in what a patch changed: cleaned texts, and when each row changed. Called with mu held.
func (f *folder) note(p view.Patch) {
	for range len(f.state.Timeline) - len(f.rows) {
		f.rows = append(f.rows, p.Seq)
	}
	for i := range p.Timeline {
		f.rows[f.timelineAt(p.Timeline[i].Seq)] = p.Seq
	}
	for i := len(f.chat); i < len(f.state.Chat); i++ {
		f.chat = append(f.chat, chatText{})
	}
	for i := range p.Chat {
		f.retell(&p.Chat[i], p.Seq)
	}
	f.noteRest(p)
}

// retell takes in a message that came whole. Its text is cleaned anew only where it cannot have
// grown out of what is kept.
func (f *folder) retell(m *view.Message, seq engine.Seq) {
	c := &f.chat[f.chatAt(m.ID)]
	c.changed = seq
	if m.State == view.Streaming && len(m.Pieces) == 0 {
		*c = chatText{changed: seq}
		return
	}
	if m.Kind == view.FromAgent {
		return // it grew by appends, all of which were taken in; see finish
	}
	c.text = cleanText{}
	for _, piece := range m.Pieces {
		c.text.append(piece)
	}
	c.text.close()
}

func (f *folder) noteRest(p view.Patch) {
	when := func(there bool, at *engine.Seq) {
		if there {
			*at = p.Seq
		}
	}
	when(p.Session != nil, &f.changed.session)
	when(p.Model != nil, &f.changed.model)
	when(p.Status != nil, &f.changed.status)
	when(p.Tools != nil, &f.changed.tools)
	when(p.Attachments != nil, &f.changed.attachments)
	when(p.Artifacts != nil, &f.changed.artifacts)
	when(p.Approvals != nil, &f.changed.approvals)
	when(p.Diagnostics != nil, &f.changed.diagnostics)
	if p.Diagnostics != nil { // a catalogue came: all skills anew
		f.changed.skills = p.Seq
		f.skills = make([]engine.Seq, len(f.state.Skills))
		for i := range f.skills {
			f.skills[i] = p.Seq
		}
		return
	}
	for i := range p.Skills {
		for j := range f.state.Skills {
			if f.state.Skills[j].Path == p.Skills[i].Path {
				f.skills[j] = p.Seq
			}
		}
	}
}

// encode is the frame of one patch. Called with mu held; the result is its own.
func (f *folder) encode(after engine.Seq, p view.Patch) *frame {
	w := &f.writer
	w.begin(after, p.Seq)
	if p.Append != nil {
		f.grow(w, p.Append)
	}
	for i := range p.Chat {
		f.told(w, &p.Chat[i])
	}
	for i := range p.Timeline {
		r := &p.Timeline[i]
		if r.Count > 1 && (r.Kind == "assistant" && r.Args == nil || r.Kind == "reasoning") {
			w.counted(r)
		} else {
			w.row(timelinePane, encode(timelineOf(r)))
		}
	}
	if p.Diagnostics != nil {
		f.goneSkills(w)
	}
	for i := range p.Skills {
		w.row(skillsPane, encode(skillOf(&p.Skills[i])))
	}
	f.lists(w, p.Seq-1)
	return w.end()
}

// grow takes in text and writes what of it is decided.
func (f *folder) grow(w *writer, a *view.Append) {
	c := &f.chat[f.chatAt(a.ID)]
	c.changed = f.state.Seq
	if a.Thinking {
		w.append(a.ID, "appendThinking", c.thinking.append(a.Text))
	} else {
		w.append(a.ID, "append", c.text.append(a.Text))
	}
}

// told writes a message that changed. One whose text grew by appends is sent without it, after what
// was held back of it.
func (f *folder) told(w *writer, m *view.Message) {
	c := &f.chat[f.chatAt(m.ID)]
	if m.Kind == view.FromAgent && m.State != view.Streaming {
		w.append(m.ID, "appendThinking", c.thinking.close())
		w.append(m.ID, "append", c.text.close())
		w.state(m.ID, m.State)
		return
	}
	f.whole(w, m, c, "")
}

// whole writes a message with its text, the rest of a long one as appends. before is the row that a
// reader that lacks it puts it before, "" for the end of the list.
func (f *folder) whole(w *writer, m *view.Message, c *chatText, before string) {
	r := rowOf(m)
	r.Before = before
	text, thinking := c.text.buf, c.thinking.buf
	head, rest := cut(text, rowText)
	first, more := cut(thinking, rowText)
	r.Text, r.Thinking = string(head), string(first)
	w.row(chatPane, encode(r))
	w.appends(m.ID, "append", rest)
	w.appends(m.ID, "appendThinking", more)
}

// lists writes what comes as a whole, as far as it changed after a number.
func (f *folder) lists(w *writer, after engine.Seq) {
	c, s := &f.changed, &f.state
	if c.session > after {
		c := s.Session
		c.Title, c.Workspace, c.Version = inline(c.Title), inline(c.Workspace), inline(c.Version)
		w.field("session", encode(c))
	}
	if c.model > after {
		w.field("model", cleaned(s.Model))
	}
	if c.status > after {
		w.field("status", encode(s.Status))
	}
	if c.tools > after {
		w.field("tools", cleaned(s.Tools))
	}
	if c.diagnostics > after {
		w.field("diagnostics", cleaned(s.Diagnostics))
	}
	if c.attachments > after {
		w.field("attachments", cleaned(s.Attachments))
	}
	if c.artifacts > after {
		w.field("artifacts", cleaned(s.Artifacts))
	}
	if c.approvals > after {
		w.field("approvals", encode(approvalsOf(s.Approvals)))
	}
}

// goneSkills writes the ids of all skills there have been, so that those of a new catalogue stand in its order.
func (f *folder) goneSkills(w *writer) {
	for id := range f.known {
		w.gone = append(w.gone, id)
	}
	for i := range f.state.Skills {
		f.known[skillOf(&f.state.Skills[i]).ID] = true
	}
}

// skillRows are the skills as they are now.
func (f *folder) skillRows() []skillRow {
	f.mu.Lock()
	defer f.mu.Unlock()
	rows := make([]skillRow, len(f.state.Skills))
	for i := range rows {
		rows[i] = skillOf(&f.state.Skills[i])
	}
	return rows
}

func (f *folder) chatAt(id string) int {
	i, _ := f.state.MessageAt(id) // a patch names only messages that are there
	return i
}

func (f *folder) timelineAt(seq engine.Seq) int {
	lo, hi := 0, len(f.state.Timeline)
	if hi > 8 && f.state.Timeline[hi-8].Seq <= seq {
		lo = hi - 8 // nearly always one of the newest
	}
	for lo < hi-1 {
		if mid := (lo + hi) / 2; f.state.Timeline[mid].Seq <= seq {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// cut gives at most n bytes of text, never part of a rune, and the rest.
func cut(text []byte, n int) (head, rest []byte) {
	if len(text) <= n {
		return text, nil
	}
	for n > 0 && text[n]&0xc0 == 0x80 {
		n--
	}
	return text[:n], text[n:]
}
