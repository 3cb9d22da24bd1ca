package tui

import (
	"strconv"
	"strings"

	"agentstudio/engine"
	"agentstudio/engine/safe"
	"agentstudio/engine/view"
	"agentstudio/engine/words"
)

// speaker is the heading of a message: who, and when.
func (m *Model) speaker(msg view.Message) string {
	t := m.theme
	who, in := m.text("ui.agent"), t.GreenBold
	if msg.Kind == view.FromUser {
		who, in = m.text("ui.you"), t.AccentBold
		if by := msg.By; by != nil && by.Screen == "mirror" {
			who = by.Name
		}
	}
	line := in.of(t.cut(safe.Text(who, safe.Inline), 40)) + t.pad(2) + t.Quiet.of(safe.Safe(msg.At.Local().Format("15:04")))
	if msg.State == view.Queued || msg.State == view.Withdrawn {
		state := "state." + msg.State
		if msg.State == view.Queued && msg.Delivery == "steer" {
			state = "state.steers"
		}
		line += t.pad(2) + t.Amber.of(safe.Text(m.text(state), safe.Inline))
	}
	return line
}

// welcome stands in a chat in which nothing has been said: how to begin.
func (m *Model) welcome(w int) (out []string) {
	t := m.theme
	switch {
	case m.state.Model == nil && m.state.Seq > 0:
		text := m.text("ui.welcomeNoModel")
		if m.news != "" {
			text = m.news + "\n" + text
		}
		return append(out, t.indent(t.Amber, safe.Text(text, safe.Prose), t.Margin, w, 8)...)
	case m.prompt() != "":
		out = append(out, t.indent(t.Quiet, safe.Text(m.text("ui.welcomeDemo"), safe.Inline), t.Margin, w, 3)...)
	}
	return append(out, t.indent(t.Quiet, safe.Text(m.text("ui.welcome"), safe.Inline), t.Margin, w, 3)...)
}

// mostSaid is how many lines of a person's message are shown at once.
const mostSaid = 16

// card draws what is not an agent's message.
func (m *Model) card(msg view.Message, w int) []string {
	t := m.theme
	switch msg.Kind {
	case view.FromUser:
		return append(m.saidText(strings.Join(msg.Pieces, ""), w), m.pictureRows(msg.Pictures, w)...)
	case view.OfTool:
		return m.toolCard(msg, w)
	case view.OfEnd:
		text := m.text("ui.runFailed", "why", codeText(m.o.Lang, msg.Code, strings.Join(msg.Pieces, "")), "code", string(msg.Code))
		if msg.State == string(view.Cancelled) {
			by := ""
			if msg.By != nil {
				by = m.who(*msg.By)
			}
			text = m.text("ui.runCancelled", "by", by)
		}
		return drawn(t.Pink, safe.Wrap(safe.Safe(t.No+" ")+safe.Text(text, safe.Inline), w))
	}
	text := codeText(m.o.Lang, msg.Code, strings.Join(msg.Pieces, ""))
	if msg.Code == engine.JournalDamaged {
		text = m.text("ui.hole", "why", strings.Join(msg.Pieces, ""))
	}
	if key := "code." + string(msg.Code); msg.Event == "" && msg.Args != nil && m.o.Lang != words.English && words.Has(key) {
		text = words.Text(m.o.Lang, key, msg.Args)
	}
	if msg.Event != "" {
		text = m.modelNote(msg, text)
	}
	if msg.Event == "compaction.completed" {
		return drawn(t.Quiet, safe.Wrap(safe.Safe(t.Sep+" ")+safe.Text(text, safe.Inline), w))
	}
	return drawn(t.Amber, safe.Wrap(safe.Safe(t.Broken+" ")+safe.Text(text, safe.Inline), w))
}

// saidText is what a person said.
func (m *Model) saidText(text string, w int) []string {
	t := m.theme
	if text == "" {
		return nil
	}
	lines := safe.Wrap(safe.Text(text, safe.Prose), w)
	if n := len(lines) - mostSaid; n > 1 { // Enter opens it whole
		return append(drawn(t.Text, lines[:mostSaid]), t.Quiet.of(m.label("ui.moreText", "n", strconv.Itoa(n))))
	}
	return drawn(t.Text, lines)
}

// modelNote tells of a call to the model that is tried again, or of messages that were summarised.
func (m *Model) modelNote(msg view.Message, why string) string {
	if key := "retry." + string(msg.Code); words.Has(key) {
		why = m.text(key)
	}
	args := []string{"why", why}
	for name, value := range msg.Args {
		if name == "before" || name == "after" {
			value = thousands(atoi(value))
		}
		args = append(args, name, value)
	}
	return m.text("chat."+msg.Event, args...)
}

// who is a person or a screen by name; the program's own names in the language of the screen.
func (m *Model) who(by engine.Actor) string { return words.Who(m.o.Lang, by.Name) }

func drawn(in ink, lines []safe.Safe) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = in.of(l)
	}
	return out
}
