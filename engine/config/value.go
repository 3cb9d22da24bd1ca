package config

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"
)

// auto leaves a setting to the surroundings: the locale, the terminal's background.
const auto = "auto"

// kind is what a value must be.
type kind int

const (
	choice   kind = iota // one of a closed list of words
	number               // whole, above zero
	money                // US dollars as a decimal, above zero
	duration             // whole seconds, above zero
)

// field is one key of the file as data.
type field struct {
	key      string
	kind     kind
	choices  []string
	most     int // of a number, or of a duration in seconds
	fallback string
}

// fields are the keys with one value each. Beside them the file may have policy and keys.
func fields() []field {
	truth := []string{"true", "false"}
	return []field{
		{key: "language", choices: []string{auto, "en", "zh"}, fallback: auto},
		{key: "theme", choices: []string{auto, "dark", "light", "projector"}, fallback: auto},
		{key: "ascii", choices: truth, fallback: "false"},
		{key: "notifications", choices: truth, fallback: "true"},
		{key: "approvalExpiry", kind: duration, most: 3600, fallback: "5m"},
		{key: "budget.maxTurns", kind: number, most: 1_000_000, fallback: "20"},
		{key: "budget.maxTokens", kind: number, most: 1_000_000_000, fallback: "500000"},
		{key: "budget.maxCostUsd", kind: money, fallback: ""},
		{key: "budget.deadline", kind: duration, most: 7 * 24 * 3600, fallback: "10m"},
	}
}

// String names it for a form.
func (k kind) String() string { return []string{"choice", "number", "money", "duration"}[k] }

// wrong says what is allowed, or "" if the value is.
func (f field) wrong(value string) string {
	switch f.kind {
	case number:
		if n, err := strconv.Atoi(value); err != nil || n < 1 || n > f.most || value != strconv.Itoa(n) {
			return fmt.Sprintf("must be a whole number from 1 to %d", f.most)
		}
	case money:
		r, ok := new(big.Rat).SetString(value)
		if !ok || r.Sign() <= 0 || len(value) > 20 || strings.ContainsAny(value, "/eExXpP_+bBoO") {
			return "must be US dollars as a decimal above zero, as in 0.50"
		}
	case duration:
		d, err := time.ParseDuration(value)
		if most := time.Duration(f.most) * time.Second; err != nil || d < time.Second || d > most || d%time.Second != 0 {
			return fmt.Sprintf("must be whole seconds, above zero and at most %s, as in 90s or 5m", strings.TrimSuffix(most.String(), "0m0s"))
		}
	default:
		if !slices.Contains(f.choices, value) {
			return "must be " + orList(f.choices)
		}
	}
	return ""
}

func fieldOf(key string) (field, bool) {
	for _, f := range fields() {
		if f.key == key {
			return f, true
		}
	}
	return field{}, false
}

// Form is what a form needs to know of a key.
type Form struct {
	Key      string
	Kind     string // choice, number, money or duration
	Choices  []string
	Most     int // of a number, or of a duration in seconds
	Fallback string
}

// Forms lists the keys with one value each, for a form.
func Forms() (all []Form) {
	for _, f := range fields() {
		all = append(all, Form{f.key, f.kind.String(), f.choices, f.most, f.fallback})
	}
	return all
}

func orList(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}
