package tui

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"agentstudio/engine/safe"
)

// finder is a search as it is typed and shown: the words looked for, and which of the matches is
// the present one. What a match is, its owner knows.
type finder struct {
	on     bool
	typing bool // takes the letters
	query  string
	at     int // the present match, counted from 0
	count  int
}

const maxQuery = 200

func (f *finder) begin() { f.on, f.typing = true, true }
func (f *finder) end()   { *f = finder{} }

// key takes a key of the line that is typed in; changed tells that other words are looked for now.
func (f *finder) key(k tea.KeyPressMsg) (changed, used bool) {
	switch k.String() {
	case "enter":
		if f.typing = false; f.query == "" {
			f.end()
		}
		return false, true
	case "esc":
		f.end()
		return false, true
	case "backspace":
		_, n := utf8.DecodeLastRuneInString(f.query)
		f.query = f.query[:len(f.query)-n]
		return true, true
	case "ctrl+u":
		f.query = ""
		return true, true
	}
	if k.Text == "" || k.Mod&(tea.ModCtrl|tea.ModAlt) != 0 {
		return false, false
	}
	f.add(k.Text)
	return true, true
}

// add puts text behind the words, in one line.
func (f *finder) add(text string) {
	f.query += strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r < ' ' }), " ")
	if r := []rune(f.query); len(r) > maxQuery {
		f.query = string(r[:maxQuery])
	}
}

// turn goes on by some matches, round at the ends.
func (f *finder) turn(by int) {
	if f.count > 0 {
		f.at = ((f.at+by)%f.count + f.count) % f.count
	}
}

// line is the search in one line: the words, the match among how many, and the keys.
func (f *finder) line(m *Model, g ground, w int) string {
	t := m.theme
	right, in, keys := "", g.Quiet, "ui.findKeys"
	if f.typing {
		keys = "ui.findTyping"
	}
	switch {
	case f.query == "":
	case f.count == 0:
		right, in = m.text("ui.findNone"), g.Amber
	default:
		right = m.text("ui.findCount", "at", strconv.Itoa(f.at+1), "n", strconv.Itoa(f.count))
	}
	told := safe.Text(right, safe.Inline)
	shown, help := safe.Text(f.query, safe.Inline), m.label(keys)
	room := w - safe.Width(told) - 6
	for safe.Width(shown) > max(room, 1) { // the end is what is being typed
		_, n := utf8.DecodeRuneInString(string(shown))
		shown = shown[n:]
	}
	left := g.pad(1) + g.AccentBold.of("/") + g.Text.of(shown)
	if f.typing {
		left += g.Accent.of(safe.Safe(t.Bar))
	}
	tail := in.of(told) + g.pad(1)
	if room-safe.Width(shown) > safe.Width(help)+3 {
		tail = in.of(told) + g.pad(3) + g.Quiet.of(help) + g.pad(1)
	}
	return g.ends(left, tail, w)
}

// occurrences are where words stand in a text, as offsets, whatever their case.
func occurrences(text, words string) (at []int) {
	if words == "" {
		return nil
	}
	text, words = lowered(text), lowered(words)
	for from := 0; ; {
		i := strings.Index(text[from:], words)
		if i < 0 {
			return at
		}
		at = append(at, from+i)
		from += i + len(words)
	}
}

// lowered is s in small letters, each as long as it was, so that offsets stay.
func lowered(s string) string {
	return strings.Map(func(r rune) rune {
		if l := unicode.ToLower(r); utf8.RuneLen(l) == utf8.RuneLen(r) {
			return l
		}
		return r
	}, s)
}
