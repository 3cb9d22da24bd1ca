package engine

import (
	"fmt"
	"log/slog"
	"strings"
	"unicode/utf8"
)

// Secret is a key that shows itself to nobody who does not ask for it by Reveal: not to fmt with
// any verb, not to JSON, not to slog, and not as a field of another struct, which is why it is held
// by a function. The zero Secret is no key. It is immutable and may be used from any goroutine.
type Secret struct{ text func() string }

// NewSecret keeps a key; blanks around it, as pasting leaves them, are dropped.
func NewSecret(key string) Secret {
	key = strings.TrimSpace(key)
	if key == "" {
		return Secret{}
	}
	return Secret{func() string { return key }}
}

// Reveal is the key itself, for the one place that sends it.
func (s Secret) Reveal() string {
	if s.text == nil {
		return ""
	}
	return s.text()
}

// Empty tells that there is no key.
func (s Secret) Empty() bool { return s.text == nil }

// Equal tells whether two keys are the same.
func (s Secret) Equal(other Secret) bool { return s.Reveal() == other.Reveal() }

// Hint is how people recognise the key: its last four characters, nothing of a key so short that
// they would be much of it, "" if there is none.
func (s Secret) Hint() string {
	const shown, least = 4, 12
	key := s.Reveal()
	if key == "" {
		return ""
	}
	if n := utf8.RuneCountInString(key); n >= least {
		r := []rune(key)
		return "••••" + string(r[n-shown:])
	}
	return "••••"
}

// String is the hint.
func (s Secret) String() string { return s.Hint() }

// Format shows the hint for every verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(s.Hint())) }

// MarshalText is the hint, for JSON, YAML and whatever else writes values.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.Hint()), nil }

// LogValue is the hint.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.Hint()) }
