package mirror

import (
	"context"
	"sync"

	"agentstudio/engine"
	"agentstudio/engine/safe"
	"agentstudio/engine/view"
)

const (
	keptPatches = 8192
	keptBytes   = 4 << 20
)

// folder folds the log for one share level and encodes each patch once. A connection is a cursor on
// its patches; one that is behind them gets the rows that changed since, whole. All methods may be
// called from any goroutine.
type folder struct {
	share   Share
	session engine.SessionID

	mu      sync.Mutex
	state   view.State
	chat    []chatText   // beside state.Chat
	rows    []engine.Seq // beside state.Timeline: when it changed
	skills  []engine.Seq // beside state.Skills
	known   map[string]bool
	changed changes
	patches []*frame
	size    int
	grown   chan struct{}
	failed  error
	ended   bool
	sum     checksum
	sumAt   engine.Seq
	writer  writer
}

// changes is when what comes as a whole changed.
type changes struct {
	session, model, status, skills, tools, attachments, artifacts, approvals, diagnostics engine.Seq
}

// chatText is the cleaned text of a message, and when the message changed.
type chatText struct {
	changed  engine.Seq
	text     cleanText
	thinking cleanText
}

// cleanText grows by what its stream lets through.
type cleanText struct {
	buf    []byte
	stream *safe.Stream
}

func (c *cleanText) append(s string) []byte {
	if c.stream == nil {
		c.stream = safe.NewStream(safe.Prose)
	}
	n := len(c.buf)
	c.buf = append(c.buf, c.stream.Append(s)...)
	return c.buf[n:]
}

// close lets through what was held back.
func (c *cleanText) close() []byte {
	if c.stream == nil {
		return nil
	}
	n := len(c.buf)
	c.buf = append(c.buf, c.stream.Close()...)
	c.stream = nil
	return c.buf[n:]
}

func newFolder(share Share, session engine.SessionID) *folder {
	return &folder{share: share, session: session, known: map[string]bool{}, grown: make(chan struct{})}
}

// follow folds the session's log until ctx ends or the session is closed.
func (f *folder) follow(ctx context.Context, s Session) {
	for batch, err := range s.Follow(ctx, 0) {
		if err == nil {
			err = f.fold(batch)
		}
		if err != nil {
			f.end(err)
			return
		}
	}
	f.end(nil)
}

func (f *folder) end(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.failed, f.ended = err, true
	close(f.grown)
	f.grown = make(chan struct{})
}

// fold takes a batch in pieces, so that readers are never kept waiting for a long one.
func (f *folder) fold(batch []engine.Event) error {
	const most = 64
	for len(batch) > 0 {
		n := min(len(batch), most)
		if err := f.take(batch[:n]); err != nil {
			return err
		}
		batch = batch[n:]
	}
	return nil
}

func (f *folder) take(batch []engine.Event) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, e := range batch {
		was := f.state.Seq
		p, err := f.state.Apply(f.share.filter(e))
		if err != nil {
			return err
		}
		if f.state.Seq == was {
			continue
		}
		f.note(p)
		fr := f.encode(was, p)
		f.patches = append(f.patches, fr)
		f.size += len(fr.wire)
	}
	if len(f.patches) > 2*keptPatches || f.size > 2*keptBytes {
		f.trim()
	}
	close(f.grown)
	f.grown = make(chan struct{})
	return nil
}

func (f *folder) trim() {
	cut := 0
	for len(f.patches)-cut > keptPatches || f.size > keptBytes {
		f.size -= len(f.patches[cut].wire)
		cut++
	}
	f.patches = append([]*frame(nil), f.patches[cut:]...) // readers hold the old one
}

// since gives the patches after a number, and what to wait on when there are none. behind: the
// patches kept begin later, or the number is from the future; whole must be asked.
func (f *folder) since(after engine.Seq) (patches []*frame, wait <-chan struct{}, behind bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case after == f.state.Seq:
		return nil, f.grown, false
	case after > f.state.Seq || len(f.patches) == 0:
		return nil, f.grown, true
	}
	lo, hi := 0, len(f.patches)
	for lo < hi {
		if mid := (lo + hi) / 2; f.patches[mid].seq <= after {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if f.patches[lo].after > after {
		return nil, f.grown, true
	}
	return f.patches[lo:len(f.patches):len(f.patches)], f.grown, false
}

// sequence is the newest event folded, and whether more may come.
func (f *folder) sequence() (seq engine.Seq, ended bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.state.Seq, f.ended, f.failed
}

// reach waits until a sequence has been folded, or no more will come.
func (f *folder) reach(ctx context.Context, seq engine.Seq) {
	for ctx.Err() == nil {
		f.mu.Lock()
		there, grown := f.state.Seq >= seq || f.ended, f.grown
		f.mu.Unlock()
		if there {
			return
		}
		select {
		case <-grown:
		case <-ctx.Done():
		}
	}
}

// hash is the checksum of all rows as of the newest event.
func (f *folder) hash() (checksum, engine.Seq) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.checksum(), f.state.Seq
}

// checksum is called with mu held. It is worked out once for each sequence that is asked about.
func (f *folder) checksum() checksum {
	if f.sumAt == f.state.Seq && f.sumAt != 0 {
		return f.sum
	}
	c := fnvOffset
	for i := range f.state.Chat {
		m := &f.state.Chat[i]
		c.add(m.ID)
		c.add(string(m.Kind))
		c.add(m.State)
		c.addBytes(f.chat[i].text.buf)
		c.addBytes(f.chat[i].thinking.buf)
		c.addArgs(cleanArgs(m.Args))
	}
	for i := range f.state.Timeline {
		r := &f.state.Timeline[i]
		c.add(timelineID(r.Seq))
		c.add(inline(r.Kind))
		c.add("")
		c.add("")
		c.add("")
		c.addArgs(cleanArgs(r.Args))
	}
	for i := range f.state.Skills {
		s := &f.state.Skills[i]
		c.add(inline(s.Path))
		c.add("skill")
		c.add(string(s.Light))
		c.add("")
		c.add("")
	}
	f.sum, f.sumAt = c, f.state.Seq
	return c
}

// run is the newest run, and whether it is under way.
func (f *folder) run() (engine.RunID, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.state.Status.Run, f.state.Status.Active()
}
