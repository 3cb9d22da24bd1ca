package mirror

import (
	"agentstudio/engine"
)

const (
	// partBytes is about how large a part of a whole view is, so that a slow phone gets each within
	// the write deadline, and takes each in between two frames of its screen.
	partBytes = 48 << 10
	// screenful is how many of the newest rows of the chat and of the timeline go ahead of a long history.
	screenful = 40
	// long is how many events make a history long.
	long = 4 * screenful
)

// catchUp sends the rows that changed, whole; of a long history the newest first.
func (f *feed) catchUp(c *carrying) error {
	if seq, _, _ := c.folder.sequence(); c.cursor > seq {
		c.cursor = 0
		if err := f.sink.write([]*frame{resetFrame()}); err != nil {
			return err
		}
	}
	var given ahead
	if c.cursor == 0 {
		var parts []*frame
		parts, given = c.folder.newest()
		if err := f.each(parts); err != nil {
			return err
		}
	}
	parts, upto := c.folder.changes(c.cursor, given)
	c.cursor = upto
	return f.each(parts)
}

// each sends the parts of a view, each with its own deadline.
func (f *feed) each(parts []*frame) error {
	for _, p := range parts {
		if err := f.sink.write([]*frame{p}); err != nil {
			return err
		}
	}
	return nil
}

func resetFrame() *frame {
	return controlFrame(struct {
		Type string `json:"type"`
	}{"reset"})
}

// ahead is what a reader was given before the rest: the rows from these on, as of a sequence. The zero
// value is nothing.
type ahead struct {
	at             engine.Seq
	chat, timeline int
}

// since is the number after which a row of a list must have changed to be given once more.
func (a ahead) since(i, from int, after engine.Seq) engine.Seq {
	if i >= from {
		return max(after, a.at)
	}
	return after
}

// newest is the end of a long history, and all lists, so that a reader of a whole view sees where things
// stand before the rest is even encoded. It begins with a reset: a reader that was cut off after what
// goes ahead would have a gap in its rows otherwise. Of a short history it is nothing.
func (f *folder) newest() (parts []*frame, given ahead) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.state.Seq < long {
		return nil, ahead{}
	}
	given = ahead{at: f.state.Seq, chat: len(f.state.Chat), timeline: max(0, len(f.state.Timeline)-screenful)}
	for size := 0; given.chat > 0 && len(f.state.Chat)-given.chat < screenful && size < partBytes; size += len(f.chat[given.chat].text.buf) {
		given.chat--
	}
	parts = append(parts, resetFrame())
	w := &writer{}
	w.parts(0, &parts)
	f.rowsAfter(w, 0, given.chat, given.timeline, ahead{})
	f.listsAfter(w, 0)
	return append(parts, w.end()), given
}

// changes are the rows changed after a number, whole, in parts of which only the last moves the
// reader on to the newest event. With after 0 it is everything there is. What was given is left out
// unless it has changed since.
func (f *folder) changes(after engine.Seq, given ahead) (parts []*frame, upto engine.Seq) {
	f.mu.Lock()
	defer f.mu.Unlock()
	w := &writer{}
	w.parts(after, &parts)
	f.changedAfter(w, after, given)
	return append(parts, w.end()), w.to
}

// parts begins a patch that is split when enough has come.
func (w *writer) parts(after engine.Seq, into *[]*frame) {
	w.begin(after, after)
	w.full = func() {
		*into = append(*into, w.end())
		w.begin(after, after)
	}
}

// view is everything there is as one patch from nothing, and its checksum.
func (f *folder) view() ([]byte, checksum) {
	f.mu.Lock()
	defer f.mu.Unlock()
	w := &writer{}
	w.begin(0, 0)
	f.changedAfter(w, 0, ahead{})
	return w.end().body, f.checksum()
}

// changedAfter writes the rows and lists that changed after a number. Called with mu held.
func (f *folder) changedAfter(w *writer, after engine.Seq, given ahead) {
	f.rowsAfter(w, after, 0, 0, given)
	f.listsAfter(w, max(after, given.at))
	w.to = f.state.Seq
}

// rowsAfter writes the changed rows of the chat and the timeline from two places on. Those before what
// was given are put before it.
func (f *folder) rowsAfter(w *writer, after engine.Seq, chat, timeline int, given ahead) {
	for i := chat; i < len(f.state.Chat); i++ {
		if f.chat[i].changed > given.since(i, given.chat, after) {
			before := ""
			if i < given.chat && given.chat < len(f.state.Chat) {
				before = f.state.Chat[given.chat].ID
			}
			f.whole(w, &f.state.Chat[i], &f.chat[i], before)
		}
	}
	for i := timeline; i < len(f.state.Timeline); i++ {
		if f.rows[i] > given.since(i, given.timeline, after) {
			r := timelineOf(&f.state.Timeline[i])
			if i < given.timeline {
				r.Before = timelineID(f.state.Timeline[given.timeline].Seq)
			}
			w.row(timelinePane, encode(r))
		}
	}
}

// listsAfter writes skills and what comes as a whole, as far as it changed after a number.
func (f *folder) listsAfter(w *writer, after engine.Seq) {
	if f.changed.skills > after && after > 0 {
		f.goneSkills(w)
	}
	for i := range f.state.Skills {
		if f.skills[i] > after {
			w.row(skillsPane, encode(skillOf(&f.state.Skills[i])))
		}
	}
	f.lists(w, after)
}
