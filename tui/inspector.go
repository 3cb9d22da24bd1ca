package tui

import (
	"bytes"
	"encoding/json"
	"time"

	tea "charm.land/bubbletea/v2"

	"agentstudio/engine"
	"agentstudio/engine/safe"
	"agentstudio/engine/view"
)

// inspector shows one event: what it is, what it was caused by and what it has caused, with a way
// to each of them, and all that stands of it in the log.
type inspector struct {
	seq     engine.Seq
	event   *engine.Event // nil until it has come out of the log
	err     error
	causeAt time.Time // zero until known
	past    []engine.Seq

	links  []link // its cause and then its effects
	looked int    // rows of the timeline looked at for them
	chosen int

	json  string // indented
	lines []safe.Safe
	w     int
	top   int
	rooms inspectorRooms
}

// link is an event that one can go to.
type link struct {
	seq   engine.Seq
	cause bool
}

// inspect opens the inspector at an event.
func (m *Model) inspect(seq engine.Seq) tea.Cmd {
	i := &inspector{}
	m.cover(i)
	return i.show(m, seq)
}

func (*inspector) spacious() bool { return true }

// show goes to an event, and to its row in the timeline.
func (i *inspector) show(m *Model, seq engine.Seq) tea.Cmd {
	*i = inspector{seq: seq, past: i.past, rooms: i.rooms}
	m.timeline.visit(m, seq)
	return m.fetch(seq, func(m *Model, e engine.Event, err error) tea.Cmd {
		if i.seq != seq {
			return nil // gone on since
		}
		if i.err = err; err != nil {
			return nil
		}
		i.event = &e
		i.json = indented(e)
		return i.since(m)
	})
}

// since finds out when the cause was.
func (i *inspector) since(m *Model) tea.Cmd {
	cause, seq := i.event.Cause, i.seq
	if cause == 0 {
		return nil
	}
	if n, ok := rowAt(m.state.Timeline, cause); ok {
		i.causeAt = m.state.Timeline[n].At.Time
		return nil
	}
	return m.fetch(cause, func(_ *Model, e engine.Event, err error) tea.Cmd {
		if err == nil && i.seq == seq {
			i.causeAt = e.At
		}
		return nil
	})
}

// indented is an event's JSON, without what is private to its provider.
func indented(e engine.Event) string {
	raw, err := e.Public().AppendJSON(nil)
	if err != nil {
		return err.Error()
	}
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return string(raw)
	}
	return b.String()
}

// row is the row of the timeline that the event is in.
func (i *inspector) row(m *Model) (view.Row, bool) {
	kind := ""
	if i.event != nil {
		kind = i.event.Kind()
	}
	n, ok := rowHolding(m.state.Timeline, i.seq, kind)
	if !ok {
		return view.Row{}, false
	}
	return m.state.Timeline[n], true
}

// relate finds the cause and the effects, each row being looked at once.
func (i *inspector) relate(m *Model, r view.Row) {
	if i.event == nil {
		return
	}
	if i.looked == 0 {
		if i.event.Cause != 0 {
			i.links = append(i.links, link{i.event.Cause, true})
		}
		i.looked, _ = rowAt(m.state.Timeline, r.Seq)
	}
	rows := m.state.Timeline
	for ; i.looked < len(rows); i.looked++ {
		if c := rows[i.looked].Cause; c >= r.Seq && c <= r.Last {
			i.links = append(i.links, link{rows[i.looked].Seq, false})
		}
	}
}

func (i *inspector) key(m *Model, k tea.KeyPressMsg) tea.Cmd {
	switch k.String() {
	case "esc", "q":
		m.uncover()
	case "up":
		i.chosen = max(i.chosen-1, 0)
	case "down":
		i.chosen = clamp(i.chosen+1, 0, max(len(i.links)-1, 0))
	case "enter":
		return i.follow(m)
	case "backspace":
		return i.back(m)
	case "left":
		return i.step(m, i.seq-1)
	case "right":
		return i.step(m, i.seq+1)
	case "pgup":
		i.top -= max(i.rooms.text-1, 1)
	case "pgdown":
		i.top += max(i.rooms.text-1, 1)
	case "home":
		i.top = 0
	case "end":
		i.top = len(i.lines)
	case "c":
		if i.json != "" {
			return m.copy(i.json)
		}
	}
	return nil
}

// follow goes to the chosen cause or effect.
func (i *inspector) follow(m *Model) tea.Cmd {
	if i.chosen >= len(i.links) {
		return nil
	}
	i.past = append(i.past, i.seq)
	return i.show(m, i.links[i.chosen].seq)
}

// back goes to where the last link was followed.
func (i *inspector) back(m *Model) tea.Cmd {
	n := len(i.past) - 1
	if n < 0 {
		return nil
	}
	seq := i.past[n]
	i.past = i.past[:n]
	return i.show(m, seq)
}

// step goes to the event before or after this one in the log.
func (i *inspector) step(m *Model, seq engine.Seq) tea.Cmd {
	if seq < 1 || seq > m.state.Seq {
		return nil
	}
	return i.show(m, seq)
}

// wheel scrolls the JSON.
func (i *inspector) wheel(_ *Model, by int) { i.top += by }

// click goes to the cause or effect that was clicked.
func (i *inspector) click(m *Model, _, y int) tea.Cmd {
	n := y - i.rooms.linksAt + i.rooms.first
	if y < i.rooms.linksAt || y >= i.rooms.linksAt+i.rooms.links || n >= len(i.links) {
		return nil
	}
	i.chosen = n
	return i.follow(m)
}
