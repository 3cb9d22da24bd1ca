package tui

import (
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"agentstudio/engine/words"
)

// Setting is one field of the settings, as it is kept.
type Setting struct {
	Key      string   // as in the config file; policy.TOOL for the policy of a tool
	Value    string   // in force; "" for none
	Origin   string   // where the value comes from; "" if nobody has set it
	Fixed    bool     // decided by a flag, so that what is saved doesn't count now
	Default  string   // what counts when nothing is saved
	Auto     string   // of a language: what automatic comes to here
	Choices  []string // all that it may be; nil for what is typed
	Kind     string   // of what is typed: number, money or duration
	Most     int      // of a number, or of a duration in seconds
	Optional bool     // it may be left empty
}

// field is a setting being changed.
type field struct {
	Setting
	now string // what stands in the form
}

const maxTyped = 20

// label is the field's name.
func (f *field) label(m *Model) string {
	if tool, ok := strings.CutPrefix(f.Key, "policy."); ok {
		return tool
	}
	return m.text("setting." + f.Key)
}

// shown is a value in words.
func (f *field) shown(m *Model, value string) string {
	switch {
	case strings.HasPrefix(f.Key, "policy."):
		return m.text("word." + value)
	case f.Choices != nil && words.Has("choice."+value):
		return m.text("choice." + value)
	case value == "" && f.Optional:
		return m.text("choice.none")
	}
	return value
}

// step goes to another choice.
func (f *field) step(by int) {
	if n := len(f.Choices); n > 0 {
		f.now = f.Choices[(max(slices.Index(f.Choices, f.now), 0)+by+n)%n]
	}
}

// add types into the field.
func (f *field) add(text string) {
	text = strings.Join(strings.Fields(text), "")
	if f.Choices == nil && utf8.RuneCountInString(f.now)+utf8.RuneCountInString(text) <= maxTyped {
		f.now += text
	}
}

// back takes the last letter away.
func (f *field) back() {
	if r := []rune(f.now); f.Choices == nil && len(r) > 0 {
		f.now = string(r[:len(r)-1])
	}
}

// wrong is the key of the words that say what the field may be; "" if it is right.
func (f *field) wrong() string {
	if f.Choices != nil || f.now == f.Value || f.now == "" && f.Optional {
		return ""
	}
	switch f.Kind {
	case "number":
		if n, err := strconv.Atoi(f.now); err != nil || n < 1 || n > f.Most {
			return "setting.wrongNumber"
		}
	case "money":
		if r, ok := new(big.Rat).SetString(f.now); !ok || r.Sign() <= 0 || strings.Trim(f.now, "0123456789.") != "" {
			return "setting.wrongMoney"
		}
	case "duration":
		d, err := time.ParseDuration(f.now)
		if err != nil || d < time.Second || d%time.Second != 0 || d > time.Duration(f.Most)*time.Second {
			return "setting.wrongTime"
		}
	}
	return ""
}

// limit is the most that the field takes, as people write it.
func (f *field) limit() string {
	if f.Kind == "duration" {
		return strings.TrimSuffix((time.Duration(f.Most) * time.Second).String(), "0m0s")
	}
	return strconv.Itoa(f.Most)
}

// saved is what the config file is to say: nothing for what counts anyway.
func (f *field) saved() string {
	if f.now == f.Default {
		return ""
	}
	return f.now
}
