package tui

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/atotto/clipboard"

	"agentstudio/engine/safe"
)

// maxOSC is how many letters of base64 terminals are known to take for their clipboard.
const maxOSC = 74_994

// copy puts text where other programs paste from: by the terminal, which also works from afar, and
// by the system's own clipboard. That either is missing is no error; what is too long for a
// terminal goes to the other one alone, and then it is said whether that has worked.
func (m *Model) copy(text string) tea.Cmd {
	text = forOthers(text)
	put := m.o.Clipboard
	if put == nil {
		put = clipboard.WriteAll
	}
	size, fits := sizeText(int64(len(text))), base64.StdEncoding.EncodedLen(len(text)) <= maxOSC
	native := func() tea.Msg {
		err := put(text)
		return later(func(m *Model) tea.Cmd {
			switch {
			case fits:
			case err != nil:
				m.say(m.text("ui.copyFailed", "size", size))
			default:
				m.say(m.text("ui.copiedHere", "size", size))
			}
			return nil
		})
	}
	if !fits {
		return native
	}
	m.say(m.text("ui.copied", "size", size))
	return tea.Batch(tea.SetClipboard(text), native)
}

// forOthers is text made safe for another program: as the screen would show it, but with its tabs,
// and no line cut.
func forOthers(text string) string {
	const piece = 32 << 10 // the sanitiser cuts longer lines
	var b strings.Builder
	for i, part := range strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\t") {
		if i > 0 {
			b.WriteByte('\t')
		}
		for len(part) > piece {
			n := piece
			for n > 0 && !utf8.RuneStart(part[n]) {
				n--
			}
			if n == 0 {
				n = piece // no letters at all
			}
			b.WriteString(string(safe.Text(part[:n], safe.Prose)))
			part = part[n:]
		}
		b.WriteString(string(safe.Text(part, safe.Prose)))
	}
	return b.String()
}
