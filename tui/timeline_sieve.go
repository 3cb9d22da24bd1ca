package tui

import (
	"slices"
	"strconv"
	"strings"

	"agentstudio/engine"
	"agentstudio/engine/safe"
	"agentstudio/engine/view"
)

// rowKind is a kind of rows that can be asked for.
type rowKind int

const (
	allRows rowKind = iota
	modelRows
	toolRows
	skillRows
	approvalRows
	rowKinds
)

// kindOf is the kind of a row, allRows for one that is of no kind.
func kindOf(r view.Row) rowKind {
	group, _, _ := strings.Cut(r.Kind, ".")
	switch group {
	case "turn", "model", "assistant", "reasoning", "prompt", "compaction":
		return modelRows
	case "tool", "artifact":
		return toolRows
	case "skill", "catalog":
		return skillRows
	case "approval", "gate":
		return approvalRows
	}
	return allRows
}

// wanted is what a person wants to see of the timeline.
type wanted struct {
	kind rowKind
	bad  bool   // only what went wrong
	text string // that the caption holds, in capitals or not
}

// sieve picks the rows of the timeline that are shown. It looks at a row when it is new and again
// when it changes, but at all of them only when something else is wanted.
type sieve struct {
	wanted
	folded bool // a finished run is one row

	seen  int   // rows looked at, from the first one
	shown []int // those that pass, by their place in the timeline
	runs  map[engine.RunID]*runRows
}

// runRows is where a run lies in the timeline.
type runRows struct {
	head, end int // its first row, and the one it ended with; -1 while it goes on
	count     int
}

// folds tells whether finished runs are one row each: not while a text is looked for, which may
// stand in any of theirs.
func (s *sieve) folds() bool { return s.folded && s.text == "" }

// restart makes the sieve look at every row again.
func (s *sieve) restart() { s.seen, s.shown, s.runs = 0, s.shown[:0], nil }

// take looks at the new rows and tells whether there are any.
func (s *sieve) take(m *Model) bool {
	rows, began := m.state.Timeline, s.seen
	for ; s.seen < len(rows); s.seen++ {
		i := s.seen
		run, ended := s.note(rows[i], i)
		switch {
		case ended && s.folds():
			s.fold(m, run.head, i)
		case s.passes(m, i):
			s.shown = append(s.shown, i)
		case run != nil && run.end >= 0 && s.folds():
			s.check(m, run.head) // it stands for one row more now
		}
	}
	return s.seen > began
}

// note counts a row into its run, and tells whether the run ends with it.
func (s *sieve) note(r view.Row, i int) (run *runRows, ended bool) {
	if r.Run == "" {
		return nil, false
	}
	if run = s.runs[r.Run]; run == nil {
		if s.runs == nil {
			s.runs = map[engine.RunID]*runRows{}
		}
		run = &runRows{head: i, end: -1}
		s.runs[r.Run] = run
	}
	run.count++
	switch r.Kind {
	case "run.completed", "run.failed", "run.cancelled":
		if run.end < 0 {
			run.end = i
			return run, true
		}
	}
	return run, false
}

// fold looks again at the rows from a run's first to its last, of which one is left.
func (s *sieve) fold(m *Model, head, end int) {
	at, _ := slices.BinarySearch(s.shown, head)
	s.shown = s.shown[:at]
	for i := head; i <= end; i++ {
		if s.passes(m, i) {
			s.shown = append(s.shown, i)
		}
	}
}

// change looks again at the row with this number, and tells whether that concerns what is shown.
func (s *sieve) change(m *Model, seq engine.Seq) bool {
	i, ok := rowAt(m.state.Timeline[:s.seen], seq)
	return ok && s.check(m, i)
}

func (s *sieve) check(m *Model, i int) bool {
	at, was := slices.BinarySearch(s.shown, i)
	is := s.passes(m, i)
	switch {
	case is && !was:
		s.shown = slices.Insert(s.shown, at, i)
	case was && !is:
		s.shown = slices.Delete(s.shown, at, at+1)
	}
	return was || is
}

func (s *sieve) passes(m *Model, i int) bool {
	r := m.state.Timeline[i]
	run := s.inFolded(r)
	switch {
	case run == nil:
		if s.kind != allRows && s.kind != kindOf(r) {
			return false
		}
	case i != run.head:
		return false
	default: // it stands for rows of every kind
		r = m.state.Timeline[run.end]
	}
	if s.bad && r.Tone != view.Bad {
		return false
	}
	if s.text == "" {
		return true
	}
	text := m.rowText(r)
	if run != nil {
		text += " " + m.times(run)
	}
	return strings.Contains(strings.ToLower(string(text)), strings.ToLower(s.text))
}

// inFolded is the run that a row is hidden in or stands for; nil for a row that stands for itself.
func (s *sieve) inFolded(r view.Row) *runRows {
	if !s.folds() || r.Run == "" {
		return nil
	}
	if run := s.runs[r.Run]; run != nil && run.end >= 0 {
		return run
	}
	return nil
}

// near is the place among the rows shown of a row of the timeline, or of the nearest before it.
func (s *sieve) near(row int) int {
	at, ok := slices.BinarySearch(s.shown, row)
	if !ok {
		at--
	}
	return max(at, 0)
}

// rowAt is the place of the row with this number.
func rowAt(rows []view.Row, seq engine.Seq) (int, bool) {
	return slices.BinarySearchFunc(rows, seq, func(r view.Row, s engine.Seq) int { return int(int64(r.Seq) - int64(s)) })
}

// rowHolding is the place of the row that an event is in. Where the rows of an answer and of its
// reasoning overlap, kind says which one; "" takes the nearer.
func rowHolding(rows []view.Row, seq engine.Seq, kind string) (int, bool) {
	i, ok := rowAt(rows, seq)
	if ok {
		return i, true
	}
	found := -1
	for i--; i >= 0; i-- {
		if r := rows[i]; seq <= r.Last {
			if kind == "" || strings.HasPrefix(kind, r.Kind+".") {
				return i, true
			}
			found = i
		}
		if rows[i].Kind == "turn.started" || rows[i].Kind == "run.started" {
			break // an answer lies in its turn
		}
	}
	return found, found >= 0
}

// rowText is what a row says on this screen.
func (m *Model) rowText(r view.Row) safe.Safe {
	text := captionOf(m.o.Lang, r)
	if m.o.ASCII {
		text = spelled(text)
	}
	return safe.Text(text, safe.Inline)
}

// times is how many rows a folded run's row stands for, as answers count their pieces.
func (m *Model) times(run *runRows) safe.Safe {
	text := "×" + strconv.Itoa(run.count)
	if m.o.ASCII {
		text = spelled(text)
	}
	return safe.Text(text, safe.Inline)
}
