package tui

import (
	"strings"
	"unicode/utf8"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textarea"
	tea "charm.land/bubbletea/v2"

	"agentstudio/engine/safe"
)

const maxFieldRows = 6

// composer is the text field. It owns the draft, which survives everything but sending.
type composer struct {
	field textarea.Model
	typed strings.Builder // letters not yet in the field: it lays a whole line out again for each insertion
	w     int

	blocks   []string // long pastes; each stands in the field as one letter, see blockOf
	recalled string   // what was put there then
	back     int      // how far back in the session's messages the draft was taken from; 0 for not
	drop     *dropped // a paste that names pictures, until it is said what was meant; nil for none
	offers   offers   // what the word at the cursor could become
}

func newComposer() composer {
	f := textarea.New()
	f.Prompt = ""
	f.ShowLineNumbers = false
	f.EndOfBufferCharacter = ' '
	f.CharLimit = 0
	f.MaxHeight = 0
	f.MaxContentHeight = 1 << 16
	f.SetVirtualCursor(false)
	f.KeyMap.InsertNewline = key.NewBinding(key.WithKeys("shift+enter", "alt+enter", "ctrl+j"))
	f.SetHeight(1)
	f.Focus()
	return composer{field: f}
}

// dress gives the field the theme and the width.
func (c *composer) dress(m *Model) {
	_, chat, _ := m.areas()
	if chat.w > 0 {
		c.w = chat.w
	}
	c.field.SetWidth(max(c.w-8, 8))
}

// composerKeys are those of the text field, which come before its own.
func composerKeys() []binding {
	return []binding{
		{id: "send", keys: []string{"enter"}, in: inComposer, when: canSend, do: (*Model).send, foot: always},
		{id: "queue", keys: []string{"enter"}, in: inComposer, when: canQueue, do: (*Model).queue, foot: always},
		{id: "steer", keys: []string{"ctrl+s"}, in: inComposer, when: canQueue, do: (*Model).steer, foot: always},
		{id: "editor", keys: []string{"ctrl+o"}, in: inComposer, when: always, do: (*Model).edit},
		{id: "takeBack", keys: []string{"ctrl+r"}, when: func(m *Model) bool { return m.queued() != "" }, do: (*Model).takeBack, foot: always},
	}
}

// value is what stands in the field, with all that was typed in it. See text for the draft.
func (c *composer) value() string {
	if c.typed.Len() > 0 {
		c.field.InsertString(c.typed.String())
		c.typed.Reset()
	}
	return c.field.Value()
}

// text is the draft: the field's text with the long pastes in their places.
func (c *composer) text() string { return c.expand(c.value()) }

func (c *composer) filled() bool { return strings.TrimSpace(c.value()) != "" }

func (c *composer) set(text string) {
	c.typed.Reset()
	c.offers = offers{}
	c.field.SetValue(text)
	c.field.MoveToEnd()
}

// take gives the draft and empties the field.
func (c *composer) take() string {
	text := c.text()
	c.set("")
	c.blocks, c.back = nil, 0
	return text
}

// restore puts text back that was not delivered, before whatever was typed since.
func (c *composer) restore(text string) {
	if text == "" {
		return
	}
	text = c.block(text)
	if now := c.value(); now != "" {
		text += "\n" + now
	}
	c.set(text)
}

// paste puts pasted text into the reason being given, or into the draft. It never decides.
func (c *composer) paste(m *Model, text string) tea.Cmd {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	switch {
	case m.panel.asking && m.panel.open(m):
		m.panel.add(strings.Join(strings.Fields(text), " "))
	case m.top() != nil:
		if p, ok := m.top().(paster); ok {
			p.paste(m, text)
		}
	default:
		if cmd, ours := c.droppedPaste(m, text); ours {
			return cmd
		}
		m.focus = onComposer
		c.typed.WriteString(c.block(text))
	}
	return nil
}

// key takes a key that is no binding: a letter, a step through what is offered or through what was
// said before, or one of the text field's own.
func (c *composer) key(m *Model, k tea.KeyPressMsg) tea.Cmd {
	if k.Text != "" && k.Mod&(tea.ModCtrl|tea.ModAlt) == 0 {
		c.typed.WriteString(unmarked(k.Text))
		return c.look(m, k.Text)
	}
	name := k.String()
	if name == "enter" || c.recall(m, name) {
		return nil
	}
	var cmd tea.Cmd
	c.value()
	c.field, cmd = c.field.Update(k)
	return tea.Batch(cmd, c.look(m, ""))
}

// render draws the box, with at most so many rows of text, and says where the cursor is.
func (c *composer) render(m *Model, w, most int) ([]string, *tea.Cursor) {
	if w != c.w {
		c.w = w
		c.field.SetWidth(max(w-8, 8))
	}
	t := m.theme
	rows, x, y := c.draft(m, clamp(most, 1, maxFieldRows))
	edge := t.Line
	if m.focus == onComposer && m.top() == nil {
		edge = t.Accent
	}
	bar := strings.Repeat(t.Horiz, max(w-4, 0))
	out := []string{t.pad(1) + edge.of(safe.Safe(t.TopLeft+bar+t.TopRight)) + t.pad(1)}
	for i, r := range rows {
		sign := t.pad(1)
		if i == 0 {
			sign = t.Accent.of(safe.Safe(t.You))
		}
		out = append(out, t.pad(1)+edge.of(safe.Safe(t.Vert))+t.pad(1)+sign+t.pad(1)+t.fit(r, w-8)+t.pad(1)+edge.of(safe.Safe(t.Vert))+t.pad(1))
	}
	out = append(out, t.pad(1)+edge.of(safe.Safe(t.BottomLeft+bar+t.BottomRight))+t.pad(1))
	if m.focus != onComposer || m.top() != nil || m.panel.asking && m.panel.open(m) {
		return out, nil
	}
	return out, tea.NewCursor(5+x, 1+y)
}

// draft is the field's text, wrapped, or what stands in an empty field; and the cursor's place.
func (c *composer) draft(m *Model, most int) (rows []string, x, y int) {
	t := m.theme
	value := c.value()
	if value == "" {
		hint := "ui.hint"
		switch {
		case m.panel.asking && m.panel.open(m):
			return []string{""}, 0, 0 // the panel says what the keys mean now
		case m.o.Session.ReadOnly() != nil:
			hint = "ui.hintReadOnly"
		case m.state.Model == nil && m.state.Seq > 0:
			hint = "ui.hintNoModel"
		case m.state.Status.Active():
			hint = "ui.hintBusy"
		}
		return []string{t.Quiet.of(safe.Truncate(safe.Text(m.text(hint), safe.Inline), max(c.w-8, 1), safe.Safe(t.Ellipsis)))}, 0, 0
	}
	width := max(c.w-8, 1)
	line, col := c.field.Line(), c.field.Column()
	for n, l := range strings.Split(value, "\n") {
		wrapped := fieldRows(safe.Text(c.label(m, l), safe.Code), width)
		if n == line {
			before := safe.Text(c.label(m, string([]rune(l)[:min(col, len([]rune(l)))])), safe.Code)
			x, y = place(wrapped, len(before))
			if y += len(rows); x >= width {
				x, y = 0, y+1
			}
		}
		for _, r := range wrapped {
			rows = append(rows, t.Text.of(r))
		}
	}
	if y >= len(rows) {
		rows = append(rows, "")
	}
	if top := max(y-most+1, 0); len(rows) > most {
		rows, y = rows[top:min(top+most, len(rows))], y-top
	}
	return rows, x, y
}

// fieldRows breaks a line of the draft between words, and within one only where it is longer than a
// row. Put together the rows are the line, blanks and all: the cursor goes by that.
func fieldRows(line safe.Safe, width int) (rows []safe.Safe) {
	const most = 32 // bytes of the longest sign that takes a cell, roughly
	for {
		near := line
		if end := width*most + 1; len(near) > end {
			for end < len(line) && !utf8.RuneStart(line[end]) {
				end++
			}
			near = line[:end]
		}
		row := safe.HardWrap(near, width)[0]
		rest := line[len(row):]
		if rest == "" {
			return append(rows, row)
		}
		if i := strings.LastIndexByte(string(row), ' '); i > 0 && rest[0] != ' ' {
			row = row[:i+1]
		}
		rows, line = append(rows, row), line[len(row):]
	}
}

// place is where in the rows of a line so many bytes end.
func place(rows []safe.Safe, before int) (x, y int) {
	for y, r := range rows {
		if before < len(r) || y == len(rows)-1 {
			return safe.Width(r[:min(before, len(r))]), y
		}
		before -= len(r)
	}
	return 0, 0
}
