package tui

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"agentstudio/engine"
	"agentstudio/engine/words"
)

// cabinet is saved sessions in memory.
type cabinet struct {
	mu     sync.Mutex
	all    []Saved
	opens  map[engine.SessionID]Opened
	did    []string
	refuse error
}

func (c *cabinet) List(context.Context) ([]Saved, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]Saved{}, c.all...), nil
}

func (c *cabinet) done(what string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.refuse == nil {
		c.did = append(c.did, what)
	}
	return c.refuse
}

func (c *cabinet) told() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return strings.Join(c.did, "; ")
}

func (c *cabinet) Open(_ context.Context, id engine.SessionID) (Opened, error) {
	err := c.done("open " + string(id))
	return c.opens[id], err
}

func (c *cabinet) Rename(_ context.Context, id engine.SessionID, title string) error {
	if err := c.done("rename " + string(id) + " " + title); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, s := range c.all {
		if s.ID == id {
			c.all[i].Title = title
		}
	}
	return nil
}

func (c *cabinet) Delete(_ context.Context, id engine.SessionID) error {
	if err := c.done("delete " + string(id)); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, s := range c.all {
		if s.ID == id {
			c.all = append(c.all[:i:i], c.all[i+1:]...)
			break
		}
	}
	return nil
}

func theCabinet(shown engine.SessionID, now time.Time) *cabinet {
	other := newTape()
	x := plainTexts()
	x.title, x.workspace = "Monday", "elsewhere"
	other.opening(x)
	return &cabinet{opens: map[engine.SessionID]Opened{"ses_mon": {Session: other, Prompt: func(words.Lang) string { return "p" }, Script: "monday-script"}, "": {Session: other, Script: "fresh-script"}},
		all: []Saved{
			{ID: shown, Title: "demo", State: "locked", Updated: now, Events: 3},
			{ID: "ses_mon", Title: "Monday report", State: "ok", Updated: now.Add(-3 * time.Hour), Events: 120},
			{ID: "ses_tue", Title: "Tuesday 周二", State: "interrupted", Updated: now.Add(-50 * time.Hour), Events: 1},
			{ID: "ses_bad", Title: "\x1b[31mred", State: "damaged", Events: 9},
		}}
}

func library(t *testing.T, turns ...reply) (*screen, *cabinet) {
	t.Helper()
	var c *cabinet
	s := stage(t, setup{options: func(o *Options) {
		c = theCabinet(o.Session.ID(), time.Now())
		o.Sessions = c
	}}, turns...)
	return s, c
}

// The list shows each session's state in words, the shown one is marked, and Enter opens another.
func TestSessionsAreListedAndOpened(t *testing.T) {
	s, c := library(t, says("ok"))
	s.Type("a draft")
	s.Press("f4")
	s.Shows("Sessions", "shown now", "✓ complete", "Monday report", "120 events", "3 h ago", "◔ interrupted", "2 days ago", "1 event", "! damaged", "[31mred")
	s.Type("MON")
	s.Lacks("Tuesday")
	s.Press("enter")
	s.Shows("monday-script")
	if got := c.told(); got != "open ses_mon" {
		t.Errorf("did %s", got)
	}
	s.on(func(m *Model) {
		if m.top() != nil || m.state.Session.Workspace != "elsewhere" {
			t.Errorf("shows %+v", m.state.Session)
		}
	})
	if d := s.Draft(); d != "a draft" {
		t.Errorf("the draft is %q", d)
	}
}

// A new session is begun from the list.
func TestNewSessionFromTheList(t *testing.T) {
	s, c := library(t, says("ok"))
	s.Press("f4")
	s.Shows("Monday report")
	s.Press("ctrl+a")
	s.Shows("fresh-script")
	if got := c.told(); got != "open " {
		t.Errorf("did %q", got)
	}
}

// While a run is active no other session is opened, which is said.
func TestNoOtherSessionDuringARun(t *testing.T) {
	gate := make(chan struct{})
	s, c := library(t, waits(gate, says("done")))
	s.Type("go")
	s.Press("enter")
	s.Shows("running")
	s.Press("f4")
	s.Shows("Monday report")
	s.Press("down")
	s.Press("enter")
	s.Shows("! a run is active")
	s.Press("insert")
	s.Shows("! a run is active")
	close(gate)
	s.events("run.completed")
	s.Press("esc")
	if got := c.told(); got != "" {
		t.Errorf("did %s", got)
	}
}

// A title is typed and kept; Esc leaves the old one.
func TestRenamingASession(t *testing.T) {
	s, c := library(t, says("ok"))
	s.Press("f4")
	s.Shows("Monday report")
	s.Press("down")
	s.Press("f2")
	s.Shows("New title: Monday report")
	s.Type("s\x7f (final)")
	s.Press("enter")
	s.Shows("renamed", "Monday report (final)")
	s.Press("f2")
	s.Type("x")
	s.Press("esc")
	s.Lacks("New title")
	s.Press("f2")
	s.Type("\x15")
	s.Press("enter")
	s.Lacks("New title")
	if got := c.told(); got != "rename ses_mon Monday report (final)" {
		t.Errorf("did %s", got)
	}
}

// Deleting asks first, any other key keeps, and the shown session stays.
func TestDeletingASession(t *testing.T) {
	s, c := library(t, says("ok"))
	s.Press("f4")
	s.Shows("Monday report")
	s.Press("delete")
	s.Shows("this session is shown now")
	s.Press("down")
	s.Press("ctrl+x")
	s.Shows("y deletes Monday report for good, any other key keeps it")
	s.Press("enter")
	s.Shows("kept", "Monday report")
	s.Press("delete")
	s.Shows("for good,")
	s.Type("y")
	s.Shows("deleted")
	s.Lacks("Monday report")
	if got := c.told(); got != "delete ses_mon" {
		t.Errorf("did %s", got)
	}
	c.mu.Lock()
	c.refuse = engine.Errorf(engine.SessionLocked, "held by another")
	c.mu.Unlock()
	s.Press("delete")
	s.Type("y")
	s.Shows("! held by another", "Tuesday")
	s.Press("enter")
	s.Shows("! held by another")
	s.Press("esc")
	s.Lacks("Tuesday")
}

// Without saved sessions the key says why there is no list.
func TestNoSessionsAreKept(t *testing.T) {
	s := stage(t, setup{}, says("ok"))
	s.Press("f4")
	s.Shows("started with --no-save")
	s.on(func(m *Model) {
		if m.top() != nil {
			t.Error("a list is open")
		}
	})
}

// The list fits every terminal whatever the titles, and needs no colour.
func TestSweepOfSessions(t *testing.T) {
	open := func(set setup) *Model {
		l := story("idle", plainTexts())
		m := l.still(set)
		c := theCabinet("ses_1", l.at)
		for _, title := range []string{strings.Repeat("中", 100), strings.Repeat("\u0301", 50), "a\tb\nc", "👩‍👩‍👧‍👦 family", strings.Repeat("x", 300)} {
			c.all = append(c.all, Saved{ID: engine.SessionID("ses_" + title), Title: title, State: "from the future", Updated: l.at.Add(-10_000 * time.Hour), Events: 1 << 40})
		}
		m.o.Sessions = c
		m.Update(m.openSessions()())
		return m
	}
	for _, lang := range words.Languages() {
		for w := 1; w < 170; w += 7 {
			for _, h := range []int{1, 5, 12, 13, 24, 45} {
				m := open(setup{w: w, h: h, lang: lang, theme: "dark"})
				for _, key := range []rune{tea.KeyDown, tea.KeyDown, tea.KeyEnd, tea.KeyF2, tea.KeyEscape, tea.KeyDelete, 'n', 'x', tea.KeyHome} {
					k := tea.KeyPressMsg{Code: key}
					if key < 128 && key > 32 {
						k.Text = string(key)
					}
					m.Update(k)
					checkFits(t, m, w, h)
				}
			}
		}
	}
	m := open(setup{w: 80, h: 24, lang: words.English, theme: "dark", ascii: true})
	l, ok := m.top().(*sessionList)
	if !ok {
		t.Fatal("not open")
	}
	l.all = l.all[:2]
	if s := strings.ReplaceAll(picture(m), "\u00a0", " "); strings.ContainsFunc(s, func(r rune) bool { return r > 126 }) || !strings.Contains(s, "+ complete") || !strings.Contains(s, "> * shown now") {
		t.Errorf("not ASCII, or without signs:\n%s", s)
	}
	m.View()
	l.click(m, 4, 3)
	if l.at != 1 {
		t.Errorf("a click went to %d", l.at)
	}
	if cmd := l.click(m, 4, 3); cmd == nil || !l.busy {
		t.Error("a second click opens nothing")
	}
	l.busy = false
	m.Update(tea.PasteMsg{Content: "monday\n"})
	if l.typed != "monday" || len(l.found()) != 1 {
		t.Errorf("pasted %q", l.typed)
	}
}

// Every state of a session and every text of the list is in the catalogue, in both languages.
func TestSessionsHaveWords(t *testing.T) {
	for _, key := range []string{"title", "none", "reading", "empty", "notFound", "keys", "opening", "busy", "shownStays", "deleteAsk", "kept", "deleted", "renamed", "newTitle", "events", "shown",
		"ok", "running", "interrupted", "locked", "damaged", "newer"} {
		mustKnow(t, "saved."+key)
	}
	for _, key := range []string{"age.now", "age.minutes", "age.hours", "age.days"} {
		mustKnow(t, key)
	}
}
