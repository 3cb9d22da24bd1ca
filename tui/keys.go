package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"agentstudio/engine/words"
)

// binding is one key as data: footer, help, palette and docs/keys.md are made from these.
type binding struct {
	id   string   // "key." + id is its name in the words catalogue, "help." + id says what it does
	keys []string // as Bubble Tea spells them, the first one named to people
	in   places   // where it works; nowhere means everywhere
	when func(*Model) bool
	do   func(*Model) tea.Cmd
	foot func(*Model) bool // shown in the footer, while it works; nil for never
}

// places is a set of panes that may have the focus.
type places uint8

const (
	inSkills places = 1 << iota
	inChat
	inComposer
	inTimeline
)

// has tells whether the pane is one of them.
func (p places) has(f focus) bool { return p == 0 || p>>f&1 == 1 }

// live tells whether a key does something now.
func (b binding) live(m *Model) bool { return b.in.has(m.focus) && b.when(m) }

func always(*Model) bool { return true }

// section is where keys work, for whoever looks them up.
type section struct {
	name  string // key of its words
	keys  []binding
	field []fieldKey // those that panes and the text field handle themselves
}

type fieldKey struct{ keys, id string }

// sections are all keys. In the footer they stand in this order, as many as there is room for.
func sections() []section {
	return []section{
		{"place.field", composerKeys(), []fieldKey{{"Alt+Enter Shift+Enter ^J", "newline"}, {"↑", "history"}, {"/ @ Tab", "complete"}}},
		{"place.approval", panelKeys(), nil},
		{"place.chat", chatKeys(), nil},
		{"place.skills", skillsKeys(), nil},
		{"place.timeline", timelineKeys(), nil},
		{"place.anywhere", studioKeys(), []fieldKey{{"↑ ↓", "move"}, {"Home End", "ends"}, {"Esc", "escape"}}},
	}
}

// bindings are the keys of the studio, which win over those of the text field. A Model makes them
// once.
func bindings() (all []binding) {
	for _, s := range sections() {
		all = append(all, s.keys...)
	}
	return all
}

// studioKeys work wherever the focus is.
func studioKeys() []binding {
	active := func(m *Model) bool { return m.state.Status.Active() }
	return []binding{
		{id: "demo", keys: []string{"ctrl+d"}, when: func(m *Model) bool { return m.prompt() != "" && !active(m) }, do: (*Model).demo, foot: always},
		{id: "pane", keys: []string{"tab"}, when: always, do: func(m *Model) tea.Cmd { m.turn(1); return nil }, foot: always},
		{id: "paneBack", keys: []string{"shift+tab"}, when: always, do: func(m *Model) tea.Cmd { m.turn(-1); return nil }},
		{id: "pageUp", keys: []string{"pgup"}, when: always, do: func(m *Model) tea.Cmd { m.page(-1); return nil }},
		{id: "pageDown", keys: []string{"pgdown"}, when: always, do: func(m *Model) tea.Cmd { m.page(1); return nil }},
		{id: "cancel", keys: []string{"ctrl+c"}, when: always, do: (*Model).cancel, foot: active},
		{id: "help", keys: []string{"f1"}, when: always, do: func(m *Model) tea.Cmd { m.cover(&help{}); return nil }, foot: always},
		{id: "quit", keys: []string{"ctrl+q"}, when: always, do: (*Model).quit, foot: always},
		{id: "commands", keys: []string{"ctrl+p"}, when: always, do: func(m *Model) tea.Cmd { m.cover(&commandList{}); return nil }, foot: always},
		{id: "settings", keys: []string{"f2"}, when: func(m *Model) bool { return m.o.Settings != nil }, do: (*Model).openSettings, foot: always},
		{id: "pictures", keys: []string{"ctrl+l"}, when: func(m *Model) bool { return len(m.state.Attachments) > 0 }, do: (*Model).openPictures, foot: (*Model).drafted},
		{id: "mirror", keys: []string{"f3"}, when: func(m *Model) bool { return m.o.Mirror != nil }, do: (*Model).openMirror, foot: func(m *Model) bool { return m.mirror.On }},
		{id: "sessions", keys: []string{"f4"}, when: always, do: (*Model).openSessions, foot: func(m *Model) bool { return m.o.Sessions != nil }},
	}
}

// KeyDoc is a row of docs/keys.md.
type KeyDoc struct {
	Section string // where it works, in words
	ID      string // what the key is called in config.yaml; "" for one that can't be changed
	Keys    string
	Name    string
	Help    string
}

// Keys lists every key with its words, for the documentation.
func Keys(lang words.Lang) []KeyDoc { return keyDocs(lang, bindings()) }

// keyDocs lists the keys in force by where they work: what works everywhere comes first.
func keyDocs(lang words.Lang, inForce []binding) (rows []KeyDoc) {
	all := sections()
	all = append(all[len(all)-1:], all[:len(all)-1]...)
	for _, s := range all {
		add := func(id, of, keys string) {
			rows = append(rows, KeyDoc{words.Text(lang, s.name, nil), id, keys, words.Text(lang, "key."+of, nil), words.Text(lang, "help."+of, nil)})
		}
		for _, b := range s.keys {
			if i := slices.IndexFunc(inForce, func(f binding) bool { return f.id == b.id }); i >= 0 {
				add(b.id, b.id, keyName(inForce[i].keys[0]))
			}
		}
		for _, k := range s.field {
			add("", k.id, k.keys)
		}
	}
	return rows
}

// typist is a pane with a line of its own to type in. It takes letters before they can mean
// anything else.
type typist interface {
	typed(m *Model, k tea.KeyPressMsg) (cmd tea.Cmd, used bool)
	pasted(m *Model, text string)
}

// typist is the pane with the focus while such a line is open in it, else nil.
func (m *Model) typist() typist {
	if m.focus == onChat && m.chat.find.typing {
		return &m.chat
	}
	if m.focus == onTimeline && m.timeline.typing {
		return &m.timeline
	}
	return nil
}

// leaves tells whether a key cancels or quits.
func (m *Model) leaves(name string) bool {
	return slices.ContainsFunc(m.keys, func(b binding) bool { return (b.id == "cancel" || b.id == "quit") && slices.Contains(b.keys, name) })
}

// press handles one key: the open question about quitting, then the overlay on top, the reason of a
// denial, the studio's keys, and at last the pane that has the focus.
func (m *Model) press(k tea.KeyPressMsg) tea.Cmd {
	now := m.o.Now()
	if now.Sub(m.lastKey) >= afterKey {
		m.burst = now
	}
	defer func() { m.lastKey = now }()
	name := k.String()
	m.flash, m.panel.armed = "", ""
	if m.quitting {
		return m.answerQuit(name)
	}
	if m.small() && !m.leaves(name) {
		return nil // what a key would do can't be seen
	}
	if name == "esc" { // it counts in three seconds, whatever else is open
		if cmd, used := m.stopHeld(); used {
			return cmd
		}
	}
	if top := m.top(); top != nil && name != "ctrl+c" && name != "ctrl+q" {
		return top.key(m, k)
	}
	if m.panel.asking && m.panel.open(m) {
		if cmd, used := m.panel.key(m, k); used {
			return cmd
		}
	}
	if name == "esc" && m.panel.open(m) && m.panel.why {
		m.panel.turn()
		return nil
	}
	if m.composer.dropping(m) {
		if cmd, used := m.composer.answerDrop(m, name); used {
			return cmd
		}
	}
	if m.composer.offering(m) {
		if cmd, used := m.composer.choose(m, name); used {
			return cmd
		}
	}
	if t := m.typist(); t != nil {
		if cmd, used := t.typed(m, k); used {
			return cmd
		}
	}
	for _, b := range m.keys {
		if slices.Contains(b.keys, name) && b.live(m) {
			return b.do(m)
		}
	}
	if k.Text != "" && k.Mod&(tea.ModCtrl|tea.ModAlt) == 0 {
		m.focus = onComposer // a letter that no pane knows is meant for the message
	}
	switch m.focus {
	case onSkills:
		m.skills.key(m, name)
	case onChat:
		m.chat.key(m, name)
	case onTimeline:
		m.timeline.key(m, name)
	case onComposer:
		return m.composer.key(m, k)
	}
	return nil
}
