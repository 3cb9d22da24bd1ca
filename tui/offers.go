package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"agentstudio/engine"
	"agentstudio/engine/safe"
)

// offers are what the word before the cursor could become: a command after a slash, or a path of
// the workspace after an @.
type offers struct {
	all    []offer
	at     int
	word   string // what is replaced
	closed string // the word for which Esc closed the list
	folder string // whose entries are here
	inside []string
}

type offer struct {
	text string // what the word becomes
	note string // true text beside it
	done bool   // nothing more is to be typed: Enter does it
}

const (
	maxOffers  = 200
	offersRows = 6
	maxLooked  = 4 << 10 // a longer burst of letters is a paste in disguise
)

func (c *composer) offering(m *Model) bool {
	return len(c.offers.all) > 0 && m.focus == onComposer && m.top() == nil && !(m.panel.asking && m.panel.open(m))
}

// look finds anew what can be offered, after the letters typed. It asks for a folder's entries if
// it has to, and is called again when they have come.
func (c *composer) look(m *Model, typed string) tea.Cmd {
	if c.typed.Len() > maxLooked || len(c.offers.all) == 0 && c.offers.word == "" && typed != "/" && typed != "@" && !strings.HasSuffix(typed, "@") {
		return nil
	}
	word := c.word()
	was := c.offers
	c.offers = offers{word: word, closed: was.closed, folder: was.folder, inside: was.inside}
	if word == "" || word == was.closed {
		return nil
	}
	c.offers.closed = ""
	if rest, ok := strings.CutPrefix(word, attachWord); ok {
		return c.lookFiles(m, rest, was)
	}
	if word[0] == '/' {
		c.offers.all = m.commandOffers(word[1:])
		return nil
	}
	dir := word[1 : 1+strings.LastIndex(word[1:], "/")+1]
	if dir != was.folder || was.inside == nil {
		return c.list(m, dir)
	}
	c.offers.all = pathOffers(dir, word[1+len(dir):], was.inside)
	return nil
}

// word is what stands before the cursor and may be completed; "" for nothing.
func (c *composer) word() string {
	value := c.value()
	lines := strings.Split(value, "\n")
	line := []rune(lines[min(c.field.Line(), len(lines)-1)])
	left := string(line[:min(c.field.Column(), len(line))])
	if strings.HasPrefix(left, attachWord) && len(lines) == 1 && len(left) == len(value) {
		return left
	}
	if strings.HasPrefix(left, "/") && len(lines) == 1 && len(left) == len(value) && !strings.ContainsAny(left[1:], " /") {
		return left
	}
	left = left[strings.LastIndexAny(left, " \t")+1:]
	if strings.HasPrefix(left, "@") {
		return left
	}
	return ""
}

func (m *Model) commandOffers(begun string) (all []offer) {
	for _, c := range m.commands() {
		if !strings.HasPrefix(c.name, begun) || !c.when(m) {
			continue
		}
		o := offer{text: "/" + c.name, note: m.text("help." + c.id), done: c.arg == ""}
		if c.arg != "" {
			o.text += " "
			o.note = m.text(c.arg) + " · " + o.note
		}
		all = append(all, o)
	}
	return all
}

func pathOffers(dir, begun string, entries []string) (all []offer) {
	begun = strings.ToLower(begun)
	for _, e := range entries {
		if strings.HasPrefix(strings.ToLower(e), begun) && len(all) < maxOffers && dir+e != dir+begun {
			all = append(all, offer{text: "@" + dir + e})
		}
	}
	return all
}

// attachWord begins the command whose argument is a path of this computer.
const attachWord = "/attach "

// lookFiles offers what may follow in a path of this computer.
func (c *composer) lookFiles(m *Model, rest string, was offers) tea.Cmd {
	if !canAttach(m) {
		return nil
	}
	dir := rest[:strings.LastIndex(rest, "/")+1]
	if folder := attachWord + dir; folder != was.folder || was.inside == nil {
		ctx, files := m.ctx, m.o.Files
		at := dir
		if at == "" {
			at = "."
		}
		return func() tea.Msg {
			names, err := files.List(ctx, at)
			return later(func(m *Model) tea.Cmd { return m.composer.listed(m, folder, names, err) })
		}
	}
	for _, o := range pathOffers(dir, rest[len(dir):], was.inside) {
		c.offers.all = append(c.offers.all, offer{text: attachWord + o.text[1:]})
	}
	return nil
}

// listed takes in the entries of a folder.
func (c *composer) listed(m *Model, folder string, names []string, err error) tea.Cmd {
	c.offers.folder, c.offers.inside = folder, []string{}
	if err == nil {
		c.offers.inside = names
	}
	if c.word() == c.offers.word && c.offers.word != "" {
		return c.look(m, "")
	}
	return nil
}

// list asks for the entries of a folder of the workspace. A folder that can't be listed offers
// nothing: the word may be no path at all.
func (c *composer) list(m *Model, dir string) tea.Cmd {
	at := strings.TrimSuffix(dir, "/")
	if at == "" {
		at = "."
	}
	return m.readRef(engine.Ref{Folder: at}, func(m *Model, text string, _ bool, err error) tea.Cmd {
		return m.composer.listed(m, dir, strings.Split(strings.TrimSuffix(text, "\n"), "\n"), err)
	})
}

// choose takes the keys of the list while it is open, and tells whether the key was one.
func (c *composer) choose(m *Model, name string) (tea.Cmd, bool) {
	o := &c.offers
	n := len(o.all)
	switch name {
	case "up":
		o.at = (o.at + n - 1) % n
	case "down":
		o.at = (o.at + 1) % n
	case "esc":
		o.all, o.closed = nil, o.word
	case "tab":
		return c.accept(m), true
	case "enter":
		if now := o.all[o.at]; now.text == o.word {
			o.all = nil
			return nil, false // it is complete: Enter sends
		} else if now.done {
			name, arg, _ := m.typedCommand(now.text)
			return m.perform(name, arg), true
		}
		return c.accept(m), true
	default:
		return nil, false
	}
	return nil, true
}

// accept puts the chosen text in the word's place.
func (c *composer) accept(m *Model) tea.Cmd {
	o := c.offers.all[c.offers.at]
	for range []rune(c.offers.word) {
		c.field, _ = c.field.Update(tea.KeyPressMsg{Code: tea.KeyBackspace})
	}
	c.field.InsertString(unmarked(o.text))
	if c.offers.word[0] == '@' && !strings.HasSuffix(o.text, "/") {
		c.field.InsertString(" ")
	}
	return c.look(m, "")
}

// offered draws the list, with at most so many rows.
func (c *composer) offered(m *Model, w, most int) (out []string) {
	if !c.offering(m) || most <= 0 {
		return nil
	}
	t, o := m.theme, c.offers
	rows := min(offersRows, most, len(o.all))
	top := clamp(o.at-rows+1, 0, len(o.all)-rows)
	wide := 0
	for _, x := range o.all {
		wide = max(wide, safe.Width(safe.Text(x.text, safe.Inline)))
	}
	if slices.ContainsFunc(o.all, func(x offer) bool { return x.note != "" }) {
		wide = min(wide, max(w*2/5, 8)) // what it does is to be read, too
	}
	for i, x := range o.all[top : top+rows] {
		g, mark := t.Panel, safe.Safe(" ")
		if top+i == o.at {
			g, mark = t.Select, safe.Safe(t.You)
		}
		line := g.Accent.of(mark) + g.pad(1) + g.fit(g.Text.of(t.cut(safe.Text(x.text, safe.Inline), wide)), wide)
		line += g.pad(2) + g.Quiet.of(t.cut(safe.Text(m.sayable(x.note), safe.Inline), max(w-wide-2*t.Margin-6, 0)))
		out = append(out, t.pad(t.Margin)+g.fit(line, w-2*t.Margin)+t.pad(t.Margin))
	}
	return slices.Clip(out)
}

// sayable is a text as this terminal can show it.
func (m *Model) sayable(text string) string {
	if m.o.ASCII {
		return spelled(text)
	}
	return text
}
