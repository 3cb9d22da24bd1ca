package tui

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"agentstudio/engine"
)

// KeyFault is one thing wrong with the keys of the config file.
type KeyFault struct {
	ID      string // what the key is for
	Message string
}

// KeyFaults are all of them.
type KeyFaults []KeyFault

// Error gives them one a line.
func (k KeyFaults) Error() string {
	lines := make([]string, len(k))
	for i, f := range k {
		lines[i] = "keys." + f.ID + ": " + f.Message
	}
	return strings.Join(lines, "\n")
}

// CheckKeys finds what is wrong with keys that people give to what the studio can do: ids that are
// not known, keys that no terminal sends, letters that would be missing in the text field, and keys
// that would mean two things in one place. The error is KeyFaults, or nil.
func CheckKeys(keys map[string][]string) error {
	own := bindings()
	ids := make([]string, len(own))
	for i, b := range own {
		ids[i] = b.id
	}
	var all KeyFaults
	all = append(all, unknownIDs(keys, ids)...)
	for i, b := range remapped(own, keys) {
		given, ok := keys[b.id]
		if !ok {
			continue
		}
		for _, k := range given {
			if why := misfit(own[i], k); why != "" {
				all = append(all, KeyFault{b.id, why})
			}
		}
		for _, k := range held(b.id) {
			if !slices.Contains(given, k) {
				all = append(all, KeyFault{b.id, fmt.Sprintf("%s always stays with %s; add it to the list", k, b.id)})
			}
		}
	}
	if all = append(all, clashes(own, keys)...); len(all) == 0 {
		return nil
	}
	return all
}

func unknownIDs(keys map[string][]string, ids []string) (all KeyFaults) {
	for id := range keys {
		if !slices.Contains(ids, id) {
			hint := "; agentstudio's help (F1) lists what has a key"
			if near := engine.Near(id, ids); near != "" {
				hint = " (did you mean " + near + "?)"
			}
			all = append(all, KeyFault{id, fmt.Sprintf("nothing with a key is called %q%s", id, hint)})
		}
	}
	slices.SortFunc(all, func(a, b KeyFault) int { return strings.Compare(a.ID, b.ID) })
	return all
}

// held are the keys that nobody can take away: those that stop a run and leave the program.
func held(id string) []string {
	switch id {
	case "cancel":
		return []string{"ctrl+c"}
	case "quit":
		return []string{"ctrl+q"}
	}
	return nil
}

// misfit says why a key can't be given to a binding, or "".
func misfit(b binding, k string) string {
	if slices.Contains(b.keys, k) {
		return ""
	}
	base, mods, ok := spelling(k)
	switch {
	case !ok:
		return fmt.Sprintf("no key is called %q%s; write it as f9, ctrl+g, alt+x, shift+up or pgdown", k, nearKey(k))
	case (k == "ctrl+c" || k == "ctrl+q") && !slices.Contains(held(b.id), k):
		return k + " always cancels or quits, and can't be given to something else"
	case k == "esc":
		return "esc always goes back, and can't be given to something else"
	case k == "ctrl+j":
		return "ctrl+j begins a new line in the text field, and can't be given to something else"
	case twin(k) != "":
		return "terminals can't tell " + k + " from " + twin(k)
	case !b.in.has(onComposer):
		return ""
	case mods == 0 && len([]rune(base)) == 1:
		return fmt.Sprintf("%q is a letter of the text field, where this works too; use it with ctrl or alt, or a function key", k)
	case slices.Contains(fieldUses(), k):
		return k + " is needed in the text field, where this works too"
	}
	return ""
}

// fieldUses are the keys that move about and edit in the text field.
func fieldUses() []string {
	return []string{"enter", "space", "backspace", "delete", "left", "right", "up", "down", "home", "end", "alt+enter", "shift+enter"}
}

// twin is the key that many terminals send in place of k, or "". A Backspace must never approve.
func twin(k string) string {
	alt := ""
	if rest, ok := strings.CutPrefix(k, "ctrl+alt+"); ok {
		k, alt = "ctrl+"+rest, "alt+"
	}
	same := map[string]string{"ctrl+i": "tab", "ctrl+m": "enter", "ctrl+[": "esc", "ctrl+h": "backspace", "ctrl+?": "backspace",
		"ctrl+@": "ctrl+space", "shift+space": "space", "shift+backspace": "backspace"}[k]
	switch {
	case same == "" || alt == "":
		return same
	case same == "ctrl+space":
		return "ctrl+alt+space"
	}
	return alt + same
}

// named are the keys that have a name in place of a letter.
func named() []string {
	names := []string{"enter", "tab", "esc", "space", "backspace", "delete", "insert", "up", "down", "left", "right", "home", "end", "pgup", "pgdown"}
	for n := range 20 {
		names = append(names, fmt.Sprintf("f%d", n+1))
	}
	return names
}

// spelling takes a key's name apart: what is pressed, and with how many of ctrl, alt and shift.
func spelling(k string) (base string, mods int, ok bool) {
	base = k
	shift := false
	for _, mod := range []string{"ctrl+", "alt+", "shift+"} {
		if rest, has := strings.CutPrefix(base, mod); has && rest != "" {
			base, mods, shift = rest, mods+1, mod == "shift+"
		}
	}
	if slices.Contains(named(), base) {
		return base, mods, true
	}
	r := []rune(base)
	if len(r) != 1 || !unicode.IsPrint(r[0]) || unicode.IsSpace(r[0]) || shift {
		return base, mods, false // terminals send a shifted letter as the capital
	}
	return base, mods, mods == 0 || !unicode.IsUpper(r[0])
}

// nearKey asks whether another key was meant: its modifiers in the order that keys have them, and
// the nearest name.
func nearKey(k string) string {
	low := strings.ToLower(k)
	at := strings.LastIndex(low[:max(len(low)-1, 0)], "+") + 1 // the last may be the key itself
	meant, base := "", low[at:]
	given := strings.Split(strings.TrimSuffix(low[:at], "+"), "+")
	for _, mod := range []string{"ctrl", "alt", "shift"} {
		if slices.Contains(given, mod) {
			meant += mod + "+"
		}
		given = slices.DeleteFunc(given, func(s string) bool { return s == mod || s == "" })
	}
	if near := engine.Near(base, named()); near != "" && len(base) > 1 {
		base = near
	}
	meant += base
	if _, _, ok := spelling(meant); !ok || len(given) > 0 || meant == k {
		return ""
	}
	return " (did you mean " + meant + "?)"
}

// clashes finds keys that would mean two things in one place. What shares a key from the start is
// told apart by what goes on, and may share others too.
func clashes(own []binding, keys map[string][]string) (all KeyFaults) {
	now := remapped(own, keys)
	for i, a := range now {
		for j, b := range now[:i] {
			if a.in != 0 && b.in != 0 && a.in&b.in == 0 || shared(own[i].keys, own[j].keys) != "" {
				continue
			}
			k := shared(a.keys, b.keys)
			if k == "" {
				continue
			}
			id, other := a.id, b.id
			if _, given := keys[id]; !given {
				id, other = other, id
			}
			if _, given := keys[id]; given {
				all = append(all, KeyFault{id, fmt.Sprintf("%s is the key of %s already; give that another one too", k, other)})
			}
		}
	}
	return all
}

func shared(a, b []string) string {
	for _, k := range a {
		if slices.Contains(b, k) {
			return k
		}
	}
	return ""
}

// remapped gives bindings the keys that people have chosen for them.
func remapped(all []binding, keys map[string][]string) []binding {
	out := slices.Clone(all)
	for i, b := range out {
		if own := keys[b.id]; len(own) > 0 {
			out[i].keys = own
		}
	}
	return out
}

// keyOf is the key in force of a binding, as people write it.
func (m *Model) keyOf(id string) string {
	for _, b := range m.keys {
		if b.id == id {
			return keyName(b.keys[0])
		}
	}
	return ""
}

// opens tells whether a key is one of a binding's, so that an overlay is closed by the key that
// opened it.
func (m *Model) opens(id, name string) bool {
	for _, b := range m.keys {
		if b.id == id && slices.Contains(b.keys, name) {
			return true
		}
	}
	return false
}

// keyNames are the keys in force, by the names that texts have for them.
func (m *Model) keyNames() map[string]string {
	names := make(map[string]string, len(m.keys))
	for _, b := range m.keys {
		names["key."+b.id] = keyName(b.keys[0])
	}
	return names
}

// keyName is how a key is written for people: ^Y, F1, Tab, Alt+x.
func keyName(k string) string {
	base, mods, _ := spelling(k)
	name := base
	switch base {
	case "pgup":
		name = "PgUp"
	case "pgdown":
		name = "PgDn"
	default:
		if len(base) > 1 && base[0] < unicode.MaxASCII {
			name = strings.ToUpper(base[:1]) + base[1:]
		}
	}
	if mods == 1 && strings.HasPrefix(k, "ctrl+") && len(base) == 1 {
		return "^" + strings.ToUpper(base)
	}
	for _, mod := range []string{"shift+", "alt+", "ctrl+"} {
		if strings.Contains(k[:len(k)-len(base)], mod) {
			name = strings.ToUpper(mod[:1]) + mod[1:] + name
		}
	}
	return name
}
