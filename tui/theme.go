package tui

import (
	"image/color"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"agentstudio/engine/safe"
	"agentstudio/tui/markdown"
)

// ink draws text in one style. Only cleaned text can be drawn.
type ink struct{ on string }

func (i ink) of(s safe.Safe) string {
	if s == "" {
		return ""
	}
	return i.on + string(s) + "\x1b[m"
}

// manner is what a theme is chosen by.
type manner struct {
	name  string // dark, light, projector; "" goes by the background
	dark  bool   // the terminal's background
	ascii bool
	plain bool // 16 colours or none: signs must say what a background would
}

// theme is everything a screen is drawn with.
type theme struct {
	manner
	glyphs
	ground  // on the background
	Panel   ground
	Select  ground
	Approve ink // filled buttons
	Deny    ink
	Off     ink
	Margin  int // blank columns left and right of what is read
	md      *markdown.Look
	edges   [2]string // what closes a line: on the background, on the panel
}

// ground is the inks on one background.
type ground struct {
	Text, Bold, Quiet, Accent, AccentBold, Green, GreenBold, Amber, AmberBold, Pink, Violet, Line ink
	blank                                                                                         string // the background as an SGR prefix
}

func newTheme(how manner) *theme {
	p := darkPalette()
	t := &theme{manner: how, glyphs: fineGlyphs(), Margin: 1}
	switch {
	case how.name == "projector":
		p = projectorPalette()
		t.glyphs, t.Margin = thickGlyphs(), 2
	case how.name == "light" || how.name == "" && !how.dark:
		p = lightPalette()
	}
	if how.ascii {
		t.glyphs = asciiGlyphs()
	}
	t.ground, t.Panel, t.Select = newGround(p, p.Back), newGround(p, p.Panel), newGround(p, p.Sel)
	fill := func(back color.Color) ink {
		return ink{ansi.NewStyle().Bold().ForegroundColor(p.OnFill).BackgroundColor(back).String()}
	}
	t.Approve, t.Deny, t.Off = fill(p.Green), fill(p.Pink), ink{ansi.NewStyle().ForegroundColor(p.Quiet).BackgroundColor(p.Sel).String()}
	t.md = markdown.NewLook(markdownStyle(p, how.ascii))
	end := safe.Safe("\u00a0")
	if how.ascii {
		end = " "
	}
	t.edges = [2]string{t.Text.of(end), t.Panel.Text.of(end)}
	return t
}

func newGround(p palette, back color.Color) ground {
	plain := func(fore color.Color) ink {
		return ink{ansi.NewStyle().ForegroundColor(fore).BackgroundColor(back).String()}
	}
	bold := func(fore color.Color) ink {
		return ink{ansi.NewStyle().Bold().ForegroundColor(fore).BackgroundColor(back).String()}
	}
	return ground{Text: plain(p.Text), Bold: bold(p.Text), Quiet: plain(p.Quiet), Accent: plain(p.Accent), AccentBold: bold(p.Accent),
		Green: plain(p.Green), GreenBold: bold(p.Green), Amber: plain(p.Amber), AmberBold: bold(p.Amber), Pink: plain(p.Pink),
		Violet: plain(p.Violet), Line: plain(p.Line), blank: ansi.NewStyle().BackgroundColor(back).String()}
}

func markdownStyle(p palette, ascii bool) markdown.Style {
	s := func(fore color.Color) lipgloss.Style { return lipgloss.NewStyle().Foreground(fore).Background(p.Back) }
	return markdown.Style{Text: s(p.Text), Heading: s(p.Text).Bold(true), Strong: s(p.Text).Bold(true), Emph: s(p.Text).Italic(true),
		Strike: s(p.Quiet).Strikethrough(true), Code: s(p.Accent), CodeBlock: s(p.Text), Keyword: s(p.Violet), String: s(p.Green),
		Comment: s(p.Quiet), Number: s(p.Amber), Quote: s(p.Quiet), Link: s(p.Accent), Address: s(p.Quiet),
		Marker: s(p.Quiet), Bar: s(p.Line), Rule: s(p.Line), ASCII: ascii}
}

// fit makes a drawn line exactly w cells wide on this background: cut, or filled up.
func (g ground) fit(line string, w int) string {
	if w <= 0 {
		return ""
	}
	n := ansi.StringWidth(line)
	if n > w {
		line, _ = cutAt(line, w)
		n = ansi.StringWidth(line)
	}
	return line + g.pad(w-n)
}

// blanks is cut up for padding, so that no frame makes its own.
const blanks = "                                                                                                    "

func (g ground) pad(n int) string {
	switch {
	case n <= 0:
		return ""
	case n > len(blanks):
		return g.blank + strings.Repeat(" ", n) + "\x1b[m"
	}
	return g.blank + blanks[:n] + "\x1b[m"
}

// ends puts left and right at the two ends of a line of w cells; left is cut when both don't fit,
// and right goes when there is no room for it alone.
func (g ground) ends(left, right string, w int) string {
	room := w - ansi.StringWidth(right)
	if room < 2 {
		return g.fit(left, w)
	}
	if ansi.StringWidth(left) >= room {
		return g.fit(left, room-1) + g.pad(1) + right
	}
	return g.fit(left, room) + right
}

// cut shortens text to some cells, with an ellipsis where it was cut.
func (t *theme) cut(s safe.Safe, cells int) safe.Safe {
	if cells <= 0 {
		return ""
	}
	return safe.Truncate(s, cells, safe.Safe(t.Ellipsis))
}

// padder keeps lines that were made as wide as a pane, by what they were made from. Most lines of
// a frame were in the one before, and measuring is what costs.
type padder struct {
	w    int
	made map[string]string
}

const maxPadded = 2048

// line is l between margins, w cells wide in all.
func (p *padder) line(t *theme, l string, w int) string {
	if p.w != w || len(p.made) > maxPadded {
		p.w, p.made = w, nil
	}
	if out, ok := p.made[l]; ok {
		return out
	}
	if p.made == nil {
		p.made = map[string]string{}
	}
	out := t.pad(t.Margin) + t.fit(l, w-2*t.Margin) + t.pad(t.Margin)
	p.made[l] = out
	return out
}
