package tui

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"agentstudio/engine"
)

// fields are those of the form in its order; "connect." and the name is its label, "connect.about."
// and the name says what it is. A model without thinking levels has no such field.
func (c *connect) fields() []string {
	all := []string{"preset", "provider", "api", "baseURL", "model", "images", "contextWindow", "thinking", "key", "localhost", "private", "remember"}
	if len(c.levels()) == 0 {
		return slices.DeleteFunc(all, func(f string) bool { return f == "thinking" })
	}
	return all
}

// levels are the thinking levels of the model in the form.
func (c *connect) levels() []string {
	if i := slices.IndexFunc(c.known, func(k KnownModel) bool { return k.ID == c.draft.Model }); i >= 0 {
		return c.known[i].Levels
	}
	if was := c.form.Draft; was.Model == c.draft.Model && was.BaseURL == c.draft.BaseURL && was.Provider == c.draft.Provider {
		return c.form.Levels
	}
	return nil
}

// on is the field under the cursor.
func (c *connect) on() string { return c.fields()[min(c.at, len(c.fields())-1)] }

// Most runes that a field takes.
const (
	maxAddress = 2048
	maxModelID = 256
	maxWindow  = 9
	maxKey     = 4096
)

// typed is the text of a field that is typed and how much it takes; nil for any other.
func (c *connect) typed(field string) (*string, int) {
	switch field {
	case "baseURL":
		return &c.draft.BaseURL, maxAddress
	case "model":
		return &c.draft.Model, maxModelID
	case "contextWindow":
		return &c.draft.ContextWindow, maxWindow
	}
	return nil, 0
}

// chosen is the text of a field that is chosen from a list, and the list.
func (c *connect) chosen(field string) (*string, []string) {
	with := func(list []string, now string) []string {
		if now != "" && !slices.Contains(list, now) {
			list = append([]string{now}, list...)
		}
		return list
	}
	switch field {
	case "provider":
		list := []string{}
		for _, p := range c.presets() {
			if !slices.Contains(list, p.Draft.Provider) {
				list = append(list, p.Draft.Provider)
			}
		}
		return &c.draft.Provider, with(list, c.draft.Provider)
	case "api":
		return &c.draft.API, with(slices.Clone(c.form.APIs), c.draft.API)
	case "images":
		return &c.draft.Images, []string{"auto", "true", "false"}
	case "thinking":
		return &c.draft.Thinking, append([]string{""}, c.levels()...)
	}
	return nil, nil
}

// switched is a field that is on or off.
func (c *connect) switched(field string) *bool {
	switch field {
	case "localhost":
		return &c.draft.Localhost
	case "private":
		return &c.draft.Private
	case "remember":
		if c.form.Keeper != "" {
			return &c.draft.Remember
		}
	}
	return nil
}

// presets are those of the port, and one of nothing for any other server.
func (c *connect) presets() []Preset {
	if slices.ContainsFunc(c.form.Presets, func(p Preset) bool { return p.Draft.BaseURL == "" }) {
		return c.form.Presets
	}
	other := ConnectionDraft{Provider: engine.ProviderOther, Images: "auto"}
	if len(c.form.APIs) > 0 {
		other.API = c.form.APIs[0]
	}
	return append(slices.Clone(c.form.Presets), Preset{Draft: other})
}

// presetOf is the preset that the draft has its address from, else the one for any other server; -1
// as long as there is no address.
func (c *connect) presetOf() int {
	if c.draft.Provider == "" && c.draft.BaseURL == "" {
		return -1
	}
	all, origin := c.presets(), engine.OriginOf(c.draft.BaseURL)
	if i := slices.IndexFunc(all, func(p Preset) bool {
		return p.Draft.Provider == c.draft.Provider && engine.OriginOf(p.Draft.BaseURL) == origin
	}); i >= 0 || c.draft.BaseURL == "" {
		return i
	}
	return slices.IndexFunc(all, func(p Preset) bool { return p.Draft.BaseURL == "" })
}

// fill takes a preset. A key that was typed for another origin goes.
func (c *connect) fill(m *Model, by int) {
	all := c.presets()
	if c.preset < 0 && by < 0 {
		c.preset = 0
	}
	was, key := c.draft, c.draft.Key
	if c.preset == c.presetOf() { // what was changed in a preset is there again when it comes by
		if c.left == nil {
			c.left = map[int]ConnectionDraft{}
		}
		c.left[c.preset] = was
	}
	c.preset = (c.preset + by + len(all)) % len(all)
	c.draft, c.sought = all[c.preset].Draft, false
	if before, ok := c.left[c.preset]; ok {
		c.draft = before
	}
	c.draft.Key, c.draft.Remember = engine.Secret{}, was.Remember
	c.draft.Private = was.Private || c.draft.Private
	c.draft.Localhost = c.draft.Localhost || c.form.Draft.Localhost
	if c.draft.Images == "" {
		c.draft.Images = "auto"
	}
	switch same := engine.OriginOf(c.draft.BaseURL) == engine.OriginOf(was.BaseURL); {
	case same:
		c.draft.Key = key
	case !key.Empty():
		c.say(plainNews, m.text("connect.keyDropped"))
	}
}

// change is a key for the field under the cursor.
func (c *connect) change(m *Model, name, text string) tea.Cmd {
	c.alter(m, name, text)
	return c.look(m)
}

func (c *connect) alter(m *Model, name, text string) {
	c.pick = -1
	by := map[string]int{"left": -1, "right": 1, "space": 1}[name]
	field := c.on()
	if now, list := c.chosen(field); now != nil {
		if by != 0 && len(list) > 0 {
			*now = list[(max(slices.Index(list, *now), 0)+by+len(list))%len(list)]
			c.preset = c.presetOf()
		}
		return
	}
	if on := c.switched(field); on != nil {
		if by != 0 {
			*on = !*on
		}
		return
	}
	switch field {
	case "preset":
		if by != 0 {
			c.fill(m, by)
		}
	case "key":
		c.draft.Key = engine.NewSecret(edited(c.draft.Key.Reveal(), name, text, maxKey))
	case "remember": // there is no keeper
	default:
		into, most := c.typed(field)
		*into = edited(*into, name, text, most)
		switch field {
		case "baseURL":
			c.preset = c.presetOf()
		case "model":
			c.sought = true
		}
	}
}

// edited is a text after a key, or after what was pasted. No field takes blanks or controls.
func edited(now, name, text string, most int) string {
	switch name {
	case "backspace":
		_, n := utf8.DecodeLastRuneInString(now)
		return now[:len(now)-n]
	case "ctrl+u":
		return ""
	}
	text = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.IsControl(r) || r == utf8.RuneError {
			return -1
		}
		return r
	}, text)
	if utf8.RuneCountInString(now)+utf8.RuneCountInString(text) > most {
		return now
	}
	return now + text
}

func (c *connect) paste(m *Model, text string) {
	if c.ready && c.doing == "" && !c.sure {
		c.alter(m, "", text)
	}
}

// sameOrigin tells that the draft goes where the connection in force goes, so that an empty key
// field keeps its key.
func (c *connect) sameOrigin() bool {
	was, now := c.form.Draft, c.draft
	if was.BaseURL == "" && now.BaseURL == "" {
		return was.Provider == now.Provider
	}
	return engine.OriginOf(was.BaseURL) == engine.OriginOf(now.BaseURL)
}

// origin says where a field's value comes from.
func (c *connect) origin(m *Model, field string) string {
	was := connect{draft: c.form.Draft, form: c.form}
	var changed bool
	if now, _ := c.typed(field); now != nil {
		before, _ := was.typed(field)
		changed = *now != *before
	} else if now, _ := c.chosen(field); now != nil {
		before, _ := was.chosen(field)
		changed = *now != *before
	} else if on := c.switched(field); on != nil {
		changed = *on != *was.switched(field)
	}
	switch {
	case field == "key" && !c.draft.Key.Empty(), changed:
		return m.text("connect.changed")
	case field == "key" && !c.sameOrigin():
		return ""
	}
	switch from := c.form.Origins[field]; from { // what is no name of a flag or a variable
	case "saved":
		return m.text("connect.from.saved")
	case "default":
		return m.text("connect.from.default")
	case "this session":
		return m.text("connect.from.session")
	default:
		return from
	}
}
