package tool

import (
	"encoding/json"
	"strings"
)

// Limits of one answer, in bytes. Room is left below 32 and 64 KiB for notes and for what is
// around the items.
const (
	maxText   = 30 << 10
	maxAnswer = 58 << 10 // text and data together, as JSON
)

// answer collects lines of text and the items that stand for them in the data, up to the limits.
type answer struct {
	text  strings.Builder
	size  int
	full  bool
	items int
	most  int
}

// add takes one line and its item, unless it is over a limit; from then on it takes nothing, so
// that what is shown has no holes.
func (a *answer) add(text string, item any) bool {
	if a.full || a.items >= a.most {
		a.full = true
		return false
	}
	size := jsonSize(text) + jsonSize(item) + 2
	if a.text.Len()+len(text)+1 > maxText || a.size+size > maxAnswer {
		a.full = true
		return false
	}
	a.size += size
	a.items++
	a.text.WriteString(text)
	a.text.WriteByte('\n')
	return true
}

// jsonSize is what a value takes in JSON, with the escapes that the most careful encoder makes.
func jsonSize(v any) int {
	if v == nil {
		return 0
	}
	data, err := json.Marshal(v)
	if err != nil {
		return maxAnswer
	}
	return len(data)
}

// withNotes puts our remarks behind the text of an answer.
func withNotes(text string, notes []string) string {
	if len(notes) == 0 {
		return strings.TrimSuffix(text, "\n")
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	if text != "" {
		text += "\n"
	}
	return text + strings.Join(notes, "\n")
}
