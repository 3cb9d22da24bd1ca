package tui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"agentstudio/engine/words"
)

// What people may not do with keys is said, and everything else is let through.
func TestKeysAreChecked(t *testing.T) {
	for _, c := range []struct {
		id   string
		keys []string
		want string // "" for all right
	}{
		{"help", []string{"f9"}, ""},
		{"help", []string{"f1", "ctrl+g", "alt+h", "ctrl+alt+x"}, ""},
		{"settings", []string{"f2"}, ""},
		{"halp", []string{"f9"}, "did you mean help?"},
		{"zzzzzz", []string{"f9"}, "nothing with a key is called"},
		{"help", []string{"f99"}, "no key is called"},
		{"help", []string{"Ctrl+G"}, "no key is called"},
		{"help", []string{"ctrl+G"}, "no key is called"},
		{"help", []string{"shift+a"}, "no key is called"},
		{"help", []string{"pagedown"}, "did you mean pgdown?"},
		{"help", []string{"h"}, "a letter of the text field"},
		{"help", []string{"?"}, "a letter of the text field"},
		{"help", []string{"backspace"}, "needed in the text field"},
		{"send", []string{"left"}, "needed in the text field"},
		{"help", []string{"esc"}, "always goes back"},
		{"help", []string{"ctrl+m"}, "can't tell ctrl+m from enter"},
		{"help", []string{"ctrl+alt+m"}, "can't tell ctrl+alt+m from alt+enter"},
		{"approve", []string{"ctrl+h"}, "can't tell ctrl+h from backspace"},
		{"approve", []string{"ctrl+alt+h"}, "can't tell ctrl+alt+h from alt+backspace"},
		{"approve", []string{"ctrl+?"}, "can't tell ctrl+? from backspace"},
		{"approve", []string{"ctrl+@"}, "can't tell ctrl+@ from ctrl+space"},
		{"approve", []string{"shift+space"}, "can't tell shift+space from space"},
		{"approve", []string{"shift+backspace"}, "can't tell shift+backspace from backspace"},
		{"approve", []string{"ctrl+j"}, "ctrl+j begins a new line in the text field"},
		{"why", []string{"ctrl+j"}, "ctrl+j begins a new line in the text field"},
		{"approve", []string{"ctrl+space"}, ""},
		{"help", []string{"ctrl+alt+shift+f1"}, ""},
		{"help", []string{"ctrl+shift+alt+f1"}, "did you mean ctrl+alt+shift+f1?"},
		{"help", []string{"alt+ctrl+x"}, "did you mean ctrl+alt+x?"},
		{"help", []string{"Ctrl+G"}, "did you mean ctrl+g?"},
		{"help", []string{"shift+alt++"}, "no key is called \"shift+alt++\"; write it as"},
		{"help", []string{"super+f1"}, "no key is called \"super+f1\"; write it as"},
		{"help", []string{"ctrl+ctrl+f1"}, "did you mean ctrl+f1?"},
		{"help", []string{"+"}, "a letter of the text field"},
		{"help", []string{""}, "no key is called \"\"; write it as"},
		{"help", []string{"ctrl+y"}, "the key of approve already"},
		{"approve", []string{"ctrl+n"}, "the key of deny already"},
		{"help", []string{"ctrl+c"}, "always cancels"},
		{"cancel", []string{"f9"}, "ctrl+c always stays with cancel"},
		{"cancel", []string{"f9", "ctrl+c"}, ""},
		{"quit", []string{"ctrl+g"}, "ctrl+q always stays"},
		{"queue", []string{"ctrl+g"}, ""},
	} {
		err := CheckKeys(map[string][]string{c.id: c.keys})
		switch {
		case c.want == "" && err != nil, c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v: %v, want %q", c.id, c.keys, err, c.want)
		}
	}
	if err := CheckKeys(map[string][]string{"approve": {"ctrl+n"}, "deny": {"ctrl+y"}}); err != nil {
		t.Errorf("two keys that change places: %v", err)
	}
	if err := CheckKeys(nil); err != nil {
		t.Errorf("no keys: %v", err)
	}
}

// A key that is called wrong is never answered with the same name again.
func TestNoKeyIsItsOwnHint(t *testing.T) {
	for _, base := range append(named(), "a", "A", "+", "你", "", "f99", "pgdn") {
		for _, mods := range []string{"", "shift+", "alt+shift+", "shift+alt+", "ctrl+shift+", "shift+ctrl+alt+", "Alt+", "ctrl+ctrl+", "+"} {
			k := mods + base
			hint, ok := strings.CutPrefix(nearKey(k), " (did you mean ")
			hint = strings.TrimSuffix(hint, "?)")
			if _, _, known := spelling(hint); ok && (hint == k || !known) {
				t.Errorf("%q is answered with %q", k, hint)
			}
		}
	}
}

// The keys that come with the studio obey the same rules.
func TestOwnKeysObeyTheRules(t *testing.T) {
	for i, a := range bindings() {
		for _, k := range a.keys {
			if _, _, ok := spelling(k); !ok {
				t.Errorf("%s: %q is no key", a.id, k)
			}
			if a.in.has(onComposer) && len(k) == 1 {
				t.Errorf("%s takes the letter %q from the text field", a.id, k)
			}
			for _, b := range bindings()[:i] {
				if b.id == a.id {
					t.Errorf("%s is there twice", a.id)
				}
			}
		}
	}
}

func TestKeyNames(t *testing.T) {
	for k, want := range map[string]string{"ctrl+y": "^Y", "f1": "F1", "tab": "Tab", "shift+tab": "Shift+Tab", "pgup": "PgUp", "pgdown": "PgDn", "ctrl+f5": "Ctrl+F5",
		"alt+x": "Alt+x", "ctrl+alt+x": "Ctrl+Alt+x", "c": "c", "C": "C", "/": "/", "1": "1", "": "", "enter": "Enter", "alt++": "Alt++"} {
		if got := keyName(k); got != want {
			t.Errorf("%q is written %q, want %q", k, got, want)
		}
	}
}

// Chosen keys do what they stand for, the old ones nothing any more, and everything that tells of
// keys tells the new ones.
func TestChosenKeysAreInForce(t *testing.T) {
	tool := &saver{preview: "the report", content: "saved"}
	set := setup{w: 150, h: 40, cfg: withTools(tool), options: func(o *Options) {
		o.Keys = map[string][]string{"help": {"f9"}, "approve": {"ctrl+g"}, "demo": {"alt+d"}, "cancel": {"ctrl+c"}, "queue": {"ctrl+e"}}
	}}
	s := stage(t, set, calls("save", `{}`), says("done"))
	s.Shows("Alt+d demo prompt", "F9 help")
	s.Press("f1")
	s.Lacks("Esc closes")
	s.Press("f9")
	s.Shows("Esc closes")
	s.Press("pgdown")
	s.Shows("^G", "Approve exactly")
	s.Press("f9")
	s.Lacks("Esc closes")
	s.Type("go")
	s.Press("enter")
	s.Shows("^G approve", "^N deny", "^E queues")
	s.now.advance(2 * settle)
	s.Press("ctrl+y")
	s.Shows("^G approve")
	s.Press("ctrl+n")
	s.Press("ctrl+g") // while a reason is typed it decides nothing
	s.Shows("Reason")
	s.Press("esc")
	s.Lacks("Reason")
	s.Press("ctrl+g")
	s.events("run.completed")
	if n := tool.ran.Load(); n != 1 {
		t.Errorf("the tool ran %d times", n)
	}
}

// A text of the catalogue that tells of a key tells the one in force.
func TestTextsTellOfTheKeysInForce(t *testing.T) {
	m := New(t.Context(), Options{Keys: map[string][]string{"cancel": {"f9", "ctrl+c"}}, Lang: words.English})
	m.Update(tea.WindowSizeMsg{Width: 100, Height: 30})
	m.Update(tea.KeyPressMsg{Code: tea.KeyF9})
	if m.flash != "F9 again quits" {
		t.Errorf("said %q", m.flash)
	}
}
