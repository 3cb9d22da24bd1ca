package tui

import (
	"image/color"

	"charm.land/lipgloss/v2"
)

// palette is the named colours of a theme: one colour a meaning.
type palette struct {
	Back, Panel, Line, Text, Quiet          color.Color
	Accent, Green, Amber, Pink, Violet, Sel color.Color
	OnFill                                  color.Color // text on a filled button
}

func hex(s string) color.Color { return lipgloss.Color("#" + s) }

// The themes. Every pair of text and background is at least 4.5:1, in the projector theme 7:1;
// TestContrast computes them all.
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
	return palette{Back: hex("ffffff"), Panel: hex("ffffff"), Line: hex("555555"), Text: hex("000000"), Quiet: hex("3b3b3b"),
		Accent: hex("00458f"), Green: hex("0b5a20"), Amber: hex("7a3d00"), Pink: hex("9d0038"), Violet: hex("4a2199"), Sel: hex("e6eefa"),
		OnFill: hex("ffffff")}
}

// glyphs are signs that common monospaced fonts draw one cell wide.
type glyphs struct {
	Dot, Open, Half, Running, Wait, Yes, No, Ask, Broken, Tool, Up, Answer, You, Session, Bar string
	Full, Track, Vert, Horiz, Ellipsis, Down, Sep                                             string
	Picture, Upper                                                                            string // of an attached picture; the upper half of a cell
	Used, Free, About, Hidden                                                                 string // of a gauge, of an estimate, of a key's letter
	TopLeft, TopRight, BottomLeft, BottomRight                                                string
}

func fineGlyphs() glyphs {
	return glyphs{Dot: "●", Open: "◦", Half: "◔", Running: "◐", Wait: "▲", Yes: "✓", No: "✗", Ask: "?", Broken: "!", Tool: "ƒ", Up: "↑",
		Answer: "▸", You: "›", Session: "◆", Bar: "▌", Full: "█", Track: "━", Vert: "│", Horiz: "─", Ellipsis: "…", Down: "▾", Sep: "·",
		Picture: "■", Upper: "▀", Used: "━", Free: "─", About: "≈", Hidden: "•",
		TopLeft: "╭", TopRight: "╮", BottomLeft: "╰", BottomRight: "╯"}
}

// thickGlyphs are those of a projector: lines that are seen from the last row.
func thickGlyphs() glyphs {
	g := fineGlyphs()
	g.Vert, g.Horiz, g.Bar = "┃", "━", "█"
	g.TopLeft, g.TopRight, g.BottomLeft, g.BottomRight = "┏", "┓", "┗", "┛"
	return g
}

func asciiGlyphs() glyphs {
	return glyphs{Dot: "*", Open: "-", Half: "~", Running: "@", Wait: "^", Yes: "+", No: "x", Ask: "?", Broken: "!", Tool: "f", Up: "^",
		Answer: ">", You: ">", Session: "#", Bar: "|", Full: "=", Track: "=", Vert: "|", Horiz: "-", Ellipsis: ".", Down: "v", Sep: "-",
		Picture: "%", Upper: "^", Used: "=", Free: "-", About: "~", Hidden: "*",
		TopLeft: "+", TopRight: "+", BottomLeft: "+", BottomRight: "+"}
}
