package mirror

import (
	"strconv"

	"agentstudio/engine"
	"agentstudio/engine/view"
)

// pane is a list of rows of the page.
type pane int

const (
	chatPane pane = iota
	timelinePane
	skillsPane
	panes
)

// writer builds one patch frame: rows by pane, and what comes as a whole. It may be used again
// after end.
type writer struct {
	after, to engine.Seq
	rows      [panes][]byte
	fields    []byte
	gone      []string
	full      func() // called between rows when enough for a part has come; nil for a single frame
}

func (w *writer) begin(after, to engine.Seq) {
	w.after, w.to = after, to
	for i := range w.rows {
		w.rows[i] = w.rows[i][:0]
	}
	w.fields, w.gone = w.fields[:0], nil
}

// row adds a row of which the JSON is given.
func (w *writer) row(p pane, row []byte) {
	w.rows[p] = append(w.next(p), row...)
	w.check()
}

// next is the pane's buffer, ready for another row.
func (w *writer) next(p pane) []byte {
	b := w.rows[p]
	if len(b) > 0 {
		b = append(b, ',')
	}
	return b
}

func (w *writer) check() {
	if w.full != nil && len(w.rows[chatPane])+len(w.rows[timelinePane])+len(w.rows[skillsPane]) >= partBytes {
		w.full()
	}
}

// append adds text to a row that the reader has. Nothing decided is nothing to say.
func (w *writer) append(id, field string, text []byte) {
	if len(text) == 0 {
		return
	}
	b := append(w.next(chatPane), `{"id":`...)
	b = appendText(b, id)
	b = append(append(append(b, `,"`...), field...), `":`...)
	w.rows[chatPane] = append(appendText(b, text), '}')
	w.check()
}

// appends is append of a text that may be long.
func (w *writer) appends(id, field string, text []byte) {
	for len(text) > 0 {
		head, rest := cut(text, rowText)
		w.append(id, field, head)
		text = rest
	}
}

// state changes the state of a message that the reader has.
func (w *writer) state(id, state string) {
	b := appendText(append(w.next(chatPane), `{"id":`...), id)
	b = appendText(append(b, `,"state":`...), state)
	w.rows[chatPane] = append(b, '}')
}

// counted says how many pieces an answer's row of the timeline stands for now.
func (w *writer) counted(r *view.Row) {
	b := append(w.next(timelinePane), `{"id":"`...)
	b = strconv.AppendUint(b, uint64(r.Seq), 10)
	b = append(b, `","last":`...)
	b = strconv.AppendUint(b, uint64(r.Last), 10)
	b = append(b, `,"count":`...)
	b = strconv.AppendInt(b, int64(r.Count), 10)
	w.rows[timelinePane] = append(b, '}')
}

func (w *writer) field(name string, value []byte) {
	w.fields = append(append(append(w.fields, `,"`...), name...), `":`...)
	w.fields = append(w.fields, value...)
}

// end is the frame; it is the caller's.
func (w *writer) end() *frame {
	n := frameHeader + 96 + len(w.fields)
	for _, r := range w.rows {
		n += len(r)
	}
	b := append(make([]byte, frameHeader, n), `{"type":"patch","after":`...)
	b = strconv.AppendUint(b, uint64(w.after), 10)
	b = append(b, `,"sequence":`...)
	b = strconv.AppendUint(b, uint64(w.to), 10)
	if len(w.gone) > 0 {
		b = append(append(b, `,"gone":`...), encode(w.gone)...)
	}
	open := `,"rows":{"`
	for i, name := range [panes]string{"chat", "timeline", "skills"} {
		if len(w.rows[i]) == 0 {
			continue
		}
		b = append(append(append(b, open...), name...), `":[`...)
		b = append(append(b, w.rows[i]...), ']')
		open = `,"`
	}
	if open == `,"` {
		b = append(b, '}')
	}
	b = append(b, w.fields...)
	return newFrame(w.after, w.to, append(b, '}'))
}
