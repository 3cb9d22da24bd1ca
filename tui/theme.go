package tui

import (
	"image/color"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"agentstudio/engine/safe"
	"agentstudio/tui/markdown"
)

// palette is the named colours of a theme: one colour a meaning.
type palette struct {
	Back, Panel, Line, Text, Quiet          color.Color
	Accent, Green, Amber, Pink, Violet, Sel color.Color
	OnFill                                  color.Color // text on a filled button
}

func hex(s string) color.Color { return lipgloss.Color("#" + s) }

// The themes. Every pair of text and background is at least 4.5:1, in the projector theme 7:1.
func darkPalette() palette {
	return palette{Back: hex("0f1115"), Panel: hex("151920"), Line: hex("2a313c"), Text: hex("e8ebf0"), Quiet: hex("98a2b3"),
		Accent: hex("35d0e6"), Green: hex("7ddc8f"), Amber: hex("ffcb5c"), Pink: hex("ff6b93"), Violet: hex("bda6ff"), Sel: hex("1f2a36"),
		OnFill: hex("0f1115")}
}

func lightPalette() palette {
	return palette{Back: hex("ffffff"), Panel: hex("f3f5f8"), Line: hex("c9d0d9"), Text: hex("16191f"), Quiet: hex("545d6b"),
		Accent: hex("00606f"), Green: hex("176b2c"), Amber: hex("7a4b00"), Pink: hex("b3003f"), Violet: hex("5b34b0"), Sel: hex("e2eaf5"),
		OnFill: hex("ffffff")}
}

func projectorPalette() palette {
	return palette{Back: hex("ffffff"), Panel: hex("ffffff"), Line: hex("5a5a5a"), Text: hex("000000"), Quiet: hex("3b3b3b"),
		Accent: hex("00458f"), Green: hex("0b5a20"), Amber: hex("7a3d00"), Pink: hex("9d0038"), Violet: hex("4a2199"), Sel: hex("dfe9f7"),
		OnFill: hex("ffffff")}
}

// glyphs are signs that common monospaced fonts draw one cell wide.
type glyphs struct {
	Dot, Open, Half, Running, Wait, Yes, No, Ask, Broken, Tool, Up, Answer, You, Session, Bar string
	Full, Track, Vert, Horiz, Ellipsis, Down, Sep                                             string
	TopLeft, TopRight, BottomLeft, BottomRight                                                string
}

func fineGlyphs() glyphs {
	return glyphs{Dot: "●", Open: "◦", Half: "◔", Running: "◐", Wait: "▲", Yes: "✓", No: "✗", Ask: "?", Broken: "!", Tool: "ƒ", Up: "↑",
		Answer: "▸", You: "›", Session: "◆", Bar: "▌", Full: "█", Track: "━", Vert: "│", Horiz: "─", Ellipsis: "…", Down: "▾", Sep: "·",
		TopLeft: "╭", TopRight: "╮", BottomLeft: "╰", BottomRight: "╯"}
}

func asciiGlyphs() glyphs {
	return glyphs{Dot: "*", Open: "-", Half: "~", Running: "@", Wait: "^", Yes: "+", No: "x", Ask: "?", Broken: "!", Tool: "f", Up: "^",
		Answer: ">", You: ">", Session: "#", Bar: "|", Full: "=", Track: "=", Vert: "|", Horiz: "-", Ellipsis: ".", Down: "v", Sep: "-",
		TopLeft: "+", TopRight: "+", BottomLeft: "+", BottomRight: "+"}
}

// ink draws text in one style. Only cleaned text can be drawn.
type ink struct{ on string }

func (i ink) of(s safe.Safe) string {
	if s == "" {
		return ""
	}
	return i.on + string(s) + "\x1b[m"
}

// theme is everything a screen is drawn with.
type theme struct {
	Name string
	glyphs
	ground  // on the background
	Panel   ground
	Select  ground
	Approve ink // filled buttons
	Deny    ink
	Off     ink
	md      *markdown.Look
}

// ground is the inks on one background.
type ground struct {
	Text, Bold, Quiet, Accent, AccentBold, Green, Amber, AmberBold, Pink, Violet, Line ink
	blank                                                                              string // the background as an SGR prefix
}

func newTheme(name string, dark, ascii bool) *theme {
	p := darkPalette()
	switch {
	case name == "projector":
		p = projectorPalette()
	case name == "light" || name == "" && !dark:
		p = lightPalette()
	}
	t := &theme{Name: name, glyphs: fineGlyphs()}
	if ascii {
		t.glyphs = asciiGlyphs()
	}
	t.ground, t.Panel, t.Select = newGround(p, p.Back), newGround(p, p.Panel), newGround(p, p.Sel)
	fill := func(back color.Color) ink {
		return ink{ansi.NewStyle().Bold().ForegroundColor(p.OnFill).BackgroundColor(back).String()}
	}
	t.Approve, t.Deny, t.Off = fill(p.Green), fill(p.Pink), ink{ansi.NewStyle().ForegroundColor(p.Quiet).BackgroundColor(p.Sel).String()}
	t.md = markdown.NewLook(markdownStyle(p, ascii))
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
		Green: plain(p.Green), Amber: plain(p.Amber), AmberBold: bold(p.Amber), Pink: plain(p.Pink), Violet: plain(p.Violet), Line: plain(p.Line),
		blank: ansi.NewStyle().BackgroundColor(back).String()}
}

func markdownStyle(p palette, ascii bool) markdown.Style {
	s := func(fore color.Color) lipgloss.Style { return lipgloss.NewStyle().Foreground(fore).Background(p.Back) }
	return markdown.Style{Text: s(p.Text), Heading: s(p.Text).Bold(true), Strong: s(p.Text).Bold(true), Emph: s(p.Text).Italic(true),
		Strike: s(p.Quiet).Strikethrough(true), Code: s(p.Accent), CodeBlock: s(p.Text), Keyword: s(p.Violet), String: s(p.Green),
		Comment: s(p.Quiet), Number: s(p.Amber), Quote: s(p.Quiet), Link: s(p.Accent), Address: s(p.Quiet),
		Marker: s(p.Quiet), Rule: s(p.Line), ASCII: ascii}
}

// fit makes a drawn line exactly w cells wide on this background: cut, or filled up.
func (g ground) fit(line string, w int) string {
	n := ansi.StringWidth(line)
	switch {
	case w <= 0:
		return ""
	case n > w:
		line = ansi.Truncate(line, w, "") + "\x1b[m"
		n = ansi.StringWidth(line)
	}
	return line + g.pad(w-n)
}

func (g ground) pad(n int) string {
	if n <= 0 {
		return ""
	}
	return g.blank + strings.Repeat(" ", n) + "\x1b[m"
}

// ends puts left and right at the two ends of a line of w cells; right gives way when both don't fit.
func (g ground) ends(left, right string, w int) string {
	room := w - ansi.StringWidth(right)
	if room < 1 {
		return g.fit(left, w)
	}
	if ansi.StringWidth(left) >= room {
		return g.fit(left, room-1) + g.pad(1) + right
	}
	return g.fit(left, room) + right
}
