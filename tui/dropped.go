package tui

import (
	"net/url"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"agentstudio/engine"
	"agentstudio/engine/safe"
)

// dropped is a paste that names pictures: files that were dragged onto the terminal, or a copied path.
// They are offered as attachments until somebody says what was meant.
type dropped struct {
	text  string // as it was pasted
	paths []string
	seen  bool // the files are there
	eager bool // it was accepted before that was known
}

const maxDropped = 8 << 10 // bytes; a longer paste is a text

// dropped begins the offer for a paste, nil if it is none. A paste that follows an open one keeps that
// as text; the same one again means just that.
func (c *composer) droppedPaste(m *Model, text string) (tea.Cmd, bool) {
	if d := c.drop; d != nil {
		c.keepText()
		if d.text == text {
			return nil, true
		}
	}
	if !canAttach(m) || len(text) > maxDropped {
		return nil, false
	}
	paths := droppedPaths(text)
	if len(paths) == 0 {
		return nil, false
	}
	d := &dropped{text: text, paths: paths}
	c.drop = d
	m.focus = onComposer
	ctx, files := m.ctx, m.o.Files
	return func() tea.Msg {
		there := !slices.ContainsFunc(paths, func(p string) bool { return !files.Picture(ctx, p) })
		return later(func(m *Model) tea.Cmd {
			c := &m.composer
			switch {
			case c.drop != d:
			case !there:
				c.keepText()
			case d.eager:
				return c.takeDropped(m)
			default:
				d.seen = true
			}
			return nil
		})
	}, true
}

// keepText puts the paste into the draft after all.
func (c *composer) keepText() {
	if d := c.drop; d != nil {
		c.drop = nil
		c.typed.WriteString(c.block(d.text))
	}
}

// takeDropped attaches what was offered.
func (c *composer) takeDropped(m *Model) tea.Cmd {
	var all []tea.Cmd
	for _, p := range c.drop.paths {
		all = append(all, m.attach(p, func(*Model) {}))
	}
	c.drop = nil
	return tea.Sequence(all...) // in the order they were named
}

// dropping tells whether the offer takes keys now.
func (c *composer) dropping(m *Model) bool {
	return c.drop != nil && m.focus == onComposer && m.top() == nil && !(m.panel.asking && m.panel.open(m))
}

// answerDrop takes the keys that answer the offer.
func (c *composer) answerDrop(m *Model, name string) (tea.Cmd, bool) {
	switch name {
	case "enter", "tab":
		if !c.drop.seen {
			c.drop.eager = true
			return nil, true
		}
		return c.takeDropped(m), true
	case "esc":
		c.keepText()
		return nil, true
	}
	return nil, false
}

// dropRow draws the offer.
func (c *composer) dropRow(m *Model, w int) []string {
	if c.drop == nil || !c.drop.seen {
		return nil
	}
	t := m.theme
	name := filepath.Base(c.drop.paths[0])
	asks := m.label("ui.dropOne", "name", name)
	if n := len(c.drop.paths); n > 1 {
		asks = m.label("ui.dropMany", "name", name, "n", strconv.Itoa(n))
	}
	g, keys := t.Panel, m.label("ui.dropKeys")
	wide := w - 2*t.Margin
	row := func(line string) string { return t.pad(t.Margin) + g.fit(g.pad(1)+line, wide) + t.pad(t.Margin) }
	head := g.AccentBold.of(safe.Safe(t.Picture)) + g.pad(1) + g.Bold.of(t.cut(asks, wide-4))
	if safe.Width(asks)+safe.Width(keys)+8 <= wide {
		return []string{row(head + g.pad(3) + g.Quiet.of(keys))}
	}
	return []string{row(head), row(g.pad(2) + g.Quiet.of(t.cut(keys, wide-4)))}
}

// droppedPaths are the files that a paste names, if it names pictures by their whole paths and nothing
// else.
func droppedPaths(text string) []string {
	text = strings.TrimSpace(text)
	paths := splitPaths(text)
	if !allPictures(paths) {
		paths = []string{text} // some terminals neither quote nor escape blanks
	}
	if !allPictures(paths) || len(paths) > engine.MaxPictures {
		return nil
	}
	return paths
}

func allPictures(paths []string) bool {
	return len(paths) > 0 && !slices.ContainsFunc(paths, func(p string) bool { return !wholePicture(p) })
}

// wholePicture tells whether a path begins at a root and ends like a picture's name: also of kinds that
// are refused, which is said when they are attached.
func wholePicture(p string) bool {
	kinds := []string{".png", ".jpg", ".jpeg", ".jfif", ".webp", ".gif", ".heic", ".heif", ".avif", ".bmp", ".tif", ".tiff", ".svg"}
	if strings.ContainsAny(p, "\n\x00") || !slices.Contains(kinds, strings.ToLower(filepath.Ext(p))) {
		return false
	}
	drive := len(p) > 2 && p[1] == ':' && (p[2] == '\\' || p[2] == '/')
	return strings.HasPrefix(p, "/") || strings.HasPrefix(p, "~/") || drive || strings.HasPrefix(p, `\\`)
}

// splitPaths parts what a terminal pastes for dragged files: words between blanks, quoted or escaped as
// in a shell, or file: addresses, one a line.
func splitPaths(text string) (paths []string) {
	escapes := runtime.GOOS != "windows"
	var word strings.Builder
	quote, begun := rune(0), false
	end := func() {
		if begun {
			paths = append(paths, fromAddress(word.String()))
		}
		word.Reset()
		begun = false
	}
	runes := []rune(text)
	for i := 0; i < len(runes); i++ {
		r := runes[i]
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, begun = r, true
		case r == '\\' && escapes && i+1 < len(runes):
			i++
			word.WriteRune(runes[i])
			begun = true
		case r == ' ' || r == '\n' || r == '\r' || r == '\t':
			end()
		default:
			word.WriteRune(r)
			begun = true
		}
	}
	end()
	return paths
}

// fromAddress is the path of a file: address; anything else is a path already.
func fromAddress(s string) string {
	if !strings.HasPrefix(s, "file:") {
		return s
	}
	u, err := url.Parse(s)
	if err != nil || u.Host != "" && u.Host != "localhost" || u.Path == "" {
		return s
	}
	if runtime.GOOS == "windows" {
		return strings.TrimPrefix(u.Path, "/")
	}
	return u.Path
}
