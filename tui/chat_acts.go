package tui

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"agentstudio/engine"
	"agentstudio/engine/view"
	"agentstudio/tui/markdown"
)

// chatKeys are those of the messages while they have the focus.
func chatKeys() []binding {
	chosen := func(m *Model) bool { return m.chat.chosen() >= 0 }
	card := func(m *Model) bool { return chosen(m) && m.chat.items[m.chat.chosen()].msg.Kind == view.OfTool }
	found := func(m *Model) bool { return m.chat.find.on }
	code := func(m *Model) bool { // cheap, since the footer asks for each picture
		if m.focus != onChat || !chosen(m) {
			return false
		}
		doc := m.chat.items[m.chat.chosen()].doc
		return doc != nil && strings.Contains(doc.Source(), "```")
	}
	return []binding{
		{id: "findNext", keys: []string{"n", "enter"}, in: inChat, when: found, do: func(m *Model) tea.Cmd { return m.turnFind(1) }},
		{id: "findBack", keys: []string{"N"}, in: inChat, when: found, do: func(m *Model) tea.Cmd { return m.turnFind(-1) }},
		{id: "unfold", keys: []string{"enter"}, in: inChat, when: card, do: (*Model).enterMessage, foot: always},
		{id: "openMessage", keys: []string{"enter"}, in: inChat, when: chosen, do: (*Model).enterMessage,
			foot: func(m *Model) bool { return !card(m) }},
		{id: "openWhole", keys: []string{"o"}, in: inChat, when: chosen, do: (*Model).openWhole, foot: card},
		{id: "find", keys: []string{"/"}, in: inChat, when: chosen, do: (*Model).beginFind, foot: always},
		{id: "copy", keys: []string{"c"}, in: inChat, when: chosen, do: (*Model).copyMessage, foot: always},
		{id: "copyCode", keys: []string{"C"}, in: inChat, when: chosen, do: (*Model).copyCode, foot: code},
	}
}

// enterMessage unfolds a card and folds it again; anything else is shown over the whole screen.
func (m *Model) enterMessage() tea.Cmd {
	p := &m.chat
	n := p.chosen()
	if n < 0 {
		return nil
	}
	i := p.items[n]
	if i.msg.Kind == view.OfTool {
		p.fold(m, n)
		return nil
	}
	if len(i.msg.Pictures) > 0 {
		return m.openPicture(i.msg.Pictures, 0)
	}
	m.cover(&viewer{title: m.titleOf(i), text: m.source(i), md: i.doc != nil})
	return nil
}

// fold unfolds a card or folds it; its head stays in view.
func (p *chatPane) fold(m *Model, n int) {
	i := p.items[n]
	i.open, i.lines = !i.open, nil
	p.dirty(i)
	p.measure(m, p.w)
	top, end := p.span(n)
	p.follow = false
	if end > p.top+p.shown {
		p.top = min(end-p.shown, top)
	}
	p.top = clamp(p.top, 0, max(min(top, p.total-p.shown), 0))
	if p.sel = n + 1; p.next(n, 1) < 0 && p.top >= p.total-p.shown {
		p.sel, p.follow = 0, true
	}
}

// openWhole shows a card's whole result, and a message in the pager.
func (m *Model) openWhole() tea.Cmd {
	i := m.chat.items[m.chat.chosen()]
	if i.msg.Kind != view.OfTool {
		return m.read(m.titleOf(i), m.source(i))
	}
	c := i.msg.Call
	if text := reportText(c); text != "" {
		m.cover(&viewer{title: m.titleOf(i), text: text, md: true})
		return nil
	}
	v := &viewer{title: m.titleOf(i), head: m.text("ui.arguments") + "\n" + argumentText(c), code: true}
	if c.Error != "" {
		v.head += "\n\n" + codeText(m.o.Lang, i.msg.Code, c.Error) + "  " + string(i.msg.Code)
	}
	m.cover(v)
	if i.msg.State != view.Done {
		return nil
	}
	v.head += "\n\n" + m.text("ui.result")
	return m.whole(c, func(m *Model, text string, err error) tea.Cmd {
		v.fill(text)
		if err != nil {
			v.note = m.text("ui.viewUnread", "why", m.errorText(err))
		}
		return nil
	})
}

// whole tells all that a call has given; what the State holds, if the rest can't be had.
func (m *Model) whole(c *view.Call, then func(m *Model, text string, err error) tea.Cmd) tea.Cmd {
	if c.Bytes <= len(c.Content) {
		return then(m, c.Content, nil)
	}
	return m.fetch(c.ContentSeq, func(m *Model, e engine.Event, err error) tea.Cmd {
		done, ok := e.Payload.(engine.ToolCompleted)
		if !ok {
			done.Content = c.Content
		}
		return then(m, done.Content, err)
	})
}

// titleOf names a message: who and when, or the tool and how it went.
func (m *Model) titleOf(i *item) string {
	who := m.text("ui.agent")
	switch by := i.msg.By; {
	case i.msg.Kind == view.OfTool:
		return i.msg.Call.Tool + "   " + m.cardState(i.msg)
	case i.msg.Kind == view.FromUser && by != nil && by.Screen == "mirror":
		who = by.Name
	case i.msg.Kind == view.FromUser:
		who = m.text("ui.you")
	case i.msg.Kind != view.FromAgent:
		who = string(i.msg.Code)
	}
	return m.text("ui.messageOf", "who", who, "when", i.msg.At.Local().Format("15:04"))
}

// copyMessage copies a message's source, or all that a call has given.
func (m *Model) copyMessage() tea.Cmd {
	i := m.chat.items[m.chat.chosen()]
	if i.msg.Kind != view.OfTool {
		return m.copy(m.source(i))
	}
	c := i.msg.Call
	if text := reportText(c); text != "" {
		return m.copy(text)
	}
	if i.msg.State != view.Done || c.Content == "" {
		return m.copy(m.source(i))
	}
	return m.whole(c, func(m *Model, text string, err error) tea.Cmd {
		if err != nil {
			m.say(m.errorText(err))
			return nil
		}
		return m.copy(text)
	})
}

// copiedCode is which code block was copied last: of which message, counted from its end.
type copiedCode struct {
	of   string
	back int
}

// copyCode copies the last code block of a message; pressed again, the one before.
func (m *Model) copyCode() tea.Cmd {
	p := &m.chat
	i := p.items[p.chosen()]
	doc := i.doc
	if doc == nil {
		doc = markdown.New()
		doc.Set(m.source(i))
	}
	blocks := doc.CodeBlocks()
	if len(blocks) == 0 {
		m.say(m.text("ui.noCode"))
		return nil
	}
	if p.copied.of != i.msg.ID {
		p.copied = copiedCode{of: i.msg.ID}
	}
	n := len(blocks) - 1 - p.copied.back%len(blocks)
	p.copied.back++
	cmd := m.copy(blocks[n].Text)
	m.say(m.text("ui.copiedCode", "at", strconv.Itoa(n+1), "n", strconv.Itoa(len(blocks)), "size", sizeText(int64(len(blocks[n].Text)))))
	return cmd
}
