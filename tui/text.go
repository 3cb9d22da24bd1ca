package tui

import (
	"strings"

	"agentstudio/engine/safe"
	"agentstudio/engine/words"
)

// text is a text of the catalogue. One that takes no values of its own may tell of {key.ID}, the key
// in force. Where only ASCII can be shown, its signs are spelled with that.
func (m *Model) text(key string, args ...string) string {
	with := m.names // most texts take nothing else
	if len(args) > 0 {
		with = pairs(args)
	}
	t := words.Text(m.o.Lang, key, with)
	if m.o.ASCII {
		t = spelled(t)
	}
	return t
}

// label is a text made ready for one line.
func (m *Model) label(key string, args ...string) safe.Safe {
	return safe.Text(m.text(key, args...), safe.Inline)
}

// spelled replaces the signs of our own texts by ASCII.
func spelled(s string) string {
	return strings.NewReplacer("·", "-", "—", "-", "–", "-", "…", "...", "×", "x", "“", `"`, "”", `"`, "↑", "Up", "↓", "Down", "←", "Left", "→", "Right").Replace(s)
}

func pairs(args []string) map[string]string {
	if len(args) == 0 {
		return nil
	}
	p := make(map[string]string, len(args)/2)
	for i := 0; i+1 < len(args); i += 2 {
		p[args[i]] = args[i+1]
	}
	return p
}
