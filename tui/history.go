package tui

import (
	"strings"

	"agentstudio/engine/view"
)

// recall steps through what people said in this session: up from an empty field, and on as long as
// what stands there has not been changed. It tells whether the key was meant for it.
func (c *composer) recall(m *Model, name string) bool {
	if name != "up" && name != "down" {
		return false
	}
	value := c.value()
	if c.back > 0 && value != c.recalled || c.back == 0 && value != "" {
		c.back = 0
		return false
	}
	to := c.back + 1
	if name == "down" {
		to = c.back - 1
	}
	text := m.said(to)
	if to < 0 || to > 0 && text == "" {
		return true // there is nothing further
	}
	c.blocks = nil
	c.set(c.block(text))
	c.back, c.recalled = to, c.value()
	return true
}

// said is the nth newest message from a person, 1 for the newest; "" when there are not so many. One
// said twice in a row counts once, a picture without words not at all.
func (m *Model) said(n int) string {
	last := ""
	for i := len(m.state.Chat) - 1; i >= 0 && n > 0; i-- {
		msg := m.state.Chat[i]
		if msg.Kind != view.FromUser || msg.State == view.Withdrawn {
			continue
		}
		if text := strings.Join(msg.Pieces, ""); text != "" && text != last {
			last = text
			n--
		}
	}
	if n > 0 {
		return ""
	}
	return last
}
