package tui

import (
	tea "charm.land/bubbletea/v2"

	"agentstudio/engine"
	"agentstudio/engine/safe"
	"agentstudio/engine/view"
)

// pictureList is the session's pictures: those that wait first, to be looked at or removed.
type pictureList struct{ at, top int }

func (m *Model) openPictures() tea.Cmd {
	m.cover(&pictureList{})
	return nil
}

// all are the pictures in the order they are listed.
func (l *pictureList) all(m *Model) []view.Attachment {
	list := m.state.Draft()
	for _, a := range m.state.Attachments {
		if a.Message != "" {
			list = append(list, a)
		}
	}
	l.at = clamp(l.at, 0, max(len(list)-1, 0))
	return list
}

func (l *pictureList) key(m *Model, k tea.KeyPressMsg) tea.Cmd {
	list := l.all(m)
	name := k.String()
	switch {
	case name == "esc" || name == "q" || m.opens("pictures", name):
		m.uncover()
	case name == "up":
		l.at--
	case name == "down":
		l.at++
	case name == "home":
		l.at = 0
	case name == "end":
		l.at = len(list) - 1
	case len(list) == 0:
	case name == "enter" || name == "space":
		ids := make([]string, len(list))
		for i, a := range list {
			ids[i] = a.ID
		}
		return m.openPicture(ids, l.at)
	case name == "x" || name == "delete":
		if a := list[l.at]; a.Message == "" {
			return m.do(engine.Detach{Attachment: a.ID, By: m.me()})
		}
		m.say(m.text("ui.pictureSentStays"))
	}
	l.at = clamp(l.at, 0, max(len(list)-1, 0))
	return nil
}

func (l *pictureList) wheel(m *Model, by int) {
	l.at += by
	l.all(m)
}

func (l *pictureList) render(m *Model, w, h int) []string {
	t, g := m.theme, m.theme.Panel
	list := l.all(m)
	out := []string{g.Bold.of(t.cut(m.label("ui.pictures"), w)), ""}
	rows := max(h-4, 1)
	l.top = clamp(l.top, max(l.at-rows+1, 0), l.at)
	for i := l.top; i < min(l.top+rows, len(list)); i++ {
		on, mark := g, safe.Safe(" ")
		if i == l.at {
			on, mark = t.Select, safe.Safe(t.You)
		}
		a := list[i]
		state := on.Quiet.of(m.label("ui.pictureSent"))
		if a.Message == "" {
			state = on.Amber.of(m.label("ui.pictureWaits"))
		}
		out = append(out, on.ends(on.AccentBold.of(mark)+on.pad(1)+m.pictureLine(on, a), state+on.pad(1), w))
	}
	if len(list) == 0 {
		out = append(out, g.Quiet.of(t.cut(m.label("ui.noPictures"), w)))
	}
	foot := g.Quiet.of(t.cut(m.label("ui.picturesKeys"), w))
	if m.flash != "" {
		foot = g.Amber.of(t.cut(safe.Text(m.flash, safe.Inline), w))
	}
	return append(out, "", foot)[:min(len(out)+2, max(h, 0))]
}
