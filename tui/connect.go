package tui

import (
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"agentstudio/engine"
)

// connect is the form by which a person chooses the model. A key is held as engine.Secret from its
// first letter on, so that nothing can show it.
type connect struct {
	form    ConnectionForm
	draft   ConnectionDraft
	ready   bool // the form has been read
	at      int  // index of fields
	top     int
	rows    int // of the form in view
	preset  int // -1 for none yet
	known   []KnownModel
	knownOf string                  // what known was asked for
	pick    int                     // of the models found; -1 while the cursor is on the field
	sought  bool                    // the model's name is being typed, so that it narrows the list
	left    map[int]ConnectionDraft // what stood there when a preset was left, without the key
	asked   int                     // counts what was asked of the port, so that late answers are dropped
	doing   string                  // key of the words for what is under way; "" for nothing
	stop    context.CancelFunc
	sure    bool // asked whether to forget
	news    string
	kind    newsKind
}

// newsKind is how news is meant.
type newsKind int

const (
	plainNews newsKind = iota
	goodNews
	badNews
)

// openConnect shows the form, which is filled once the port has given what is in force.
func (m *Model) openConnect() tea.Cmd {
	c := &connect{preset: -1, pick: -1}
	m.cover(c)
	return c.load(m)
}

// load reads what is in force; what has been typed already stays.
func (c *connect) load(m *Model) tea.Cmd {
	port := m.o.Connections
	return c.ask(m, "connect.reading", func(ctx context.Context) func(*Model) {
		form, err := port.Load(ctx)
		return func(m *Model) {
			if err != nil {
				c.say(badNews, m.faultText(err))
				return
			}
			if !c.ready {
				c.draft = form.Draft
				c.draft.Key = engine.Secret{}
			}
			c.form, c.ready = form, true
			c.form.Draft.Key = engine.Secret{} // the one in force is none of the form's business
			c.preset = c.presetOf()
		}
	})
}

// ask does something on the port, and tells what came of it unless the form has moved on.
func (c *connect) ask(m *Model, doing string, do func(context.Context) func(*Model)) tea.Cmd {
	ctx, stop := context.WithCancel(m.ctx)
	c.asked++
	n := c.asked
	c.doing, c.stop = doing, stop
	return func() tea.Msg {
		defer stop()
		then := do(ctx)
		return later(func(m *Model) tea.Cmd {
			if c.asked == n {
				c.doing, c.stop = "", nil
				then(m)
			}
			return nil
		})
	}
}

// drop ends what is under way; its answer is not waited for.
func (c *connect) drop() {
	if c.stop != nil {
		c.stop()
	}
	c.asked++
	c.doing, c.stop = "", nil
}

// leastKey is the length from which on a key is looked for in news; a shorter one is part of any word.
const leastKey = 4

// say puts news below the form. A key that somebody put into it is not shown.
func (c *connect) say(kind newsKind, text string) {
	if key := c.draft.Key.Reveal(); len(key) >= leastKey {
		text = strings.ReplaceAll(text, key, c.draft.Key.Hint())
	}
	c.news, c.kind = text, kind
}

func (c *connect) key(m *Model, k tea.KeyPressMsg) tea.Cmd {
	name := k.String()
	switch {
	case c.doing == "connect.using":
		return nil // for a moment, until it is known what became of it
	case c.doing != "" && name == "esc" && c.ready:
		c.drop()
		c.say(plainNews, m.text("connect.stopped"))
		return nil
	case c.sure:
		return c.answerForget(m, name)
	case name == "esc":
		c.drop()
		m.uncover()
		return nil
	case c.doing != "" || !c.ready:
		return nil
	}
	c.say(plainNews, "")
	switch name {
	case "enter":
		return c.enter(m)
	case "ctrl+t":
		return c.test(m)
	case "ctrl+x":
		c.sure = true
		return nil
	case "up", "shift+tab":
		return c.move(m, -1, name == "up")
	case "down", "tab":
		return c.move(m, 1, name == "down")
	case "home":
		return c.move(m, -len(c.fields()), false)
	case "end":
		return c.move(m, len(c.fields()), false)
	}
	return c.change(m, name, k.Text)
}

// move goes to another field, or through the models found while the cursor is among them.
func (c *connect) move(m *Model, by int, within bool) tea.Cmd {
	if n := len(c.found()); within && c.on() == "model" && n > 0 && c.pick+by >= -1 && c.pick+by < n {
		if c.pick < 0 && by > 0 { // from the field it goes to the model that stands there
			c.pick = max(c.named(), 0)
		} else {
			c.pick += by
		}
		return nil
	}
	c.pick = -1
	c.at = clamp(c.at+by, 0, len(c.fields())-1)
	return c.look(m)
}

func (c *connect) wheel(m *Model, by int) {
	if c.ready && c.doing == "" {
		c.pick = -1
		c.at = clamp(c.at+clamp(by, -1, 1), 0, len(c.fields())-1)
	}
}

// look asks for the models of the address as soon as the cursor comes to their field.
func (c *connect) look(m *Model) tea.Cmd {
	of := c.draft.Provider + " " + c.draft.BaseURL
	if c.on() != "model" || c.knownOf == of {
		return nil
	}
	c.known, c.knownOf = nil, of
	ctx, port, d := m.ctx, m.o.Connections, c.draft
	return func() tea.Msg {
		known := port.Known(ctx, d.Provider, d.BaseURL)
		return later(func(*Model) tea.Cmd {
			if c.knownOf == of {
				c.known = known
			}
			return nil
		})
	}
}

// named is the index in what is found of the model that stands in the field, -1 if none has its name.
func (c *connect) named() int {
	return slices.IndexFunc(c.found(), func(k KnownModel) bool { return k.ID == c.draft.Model })
}

// found are the known models that have every word of what is typed; all of them as long as a name
// stands there that nobody has just typed.
func (c *connect) found() []KnownModel {
	typed := strings.Fields(strings.ToLower(c.draft.Model))
	if !c.sought && slices.ContainsFunc(c.known, func(k KnownModel) bool { return k.ID == c.draft.Model }) {
		return c.known
	}
	var out []KnownModel
	for _, k := range c.known {
		text := strings.ToLower(k.ID + " " + k.Name)
		if !slices.ContainsFunc(typed, func(w string) bool { return !strings.Contains(text, w) }) {
			out = append(out, k)
		}
	}
	return out
}

// enter takes the model under the cursor, else uses what stands in the form.
func (c *connect) enter(m *Model) tea.Cmd {
	if found := c.found(); c.on() == "model" && c.pick >= 0 && c.pick < len(found) {
		c.draft.Model, c.draft.Thinking, c.pick, c.sought = found[c.pick].ID, "", -1, false
		return nil
	}
	return c.use(m)
}
