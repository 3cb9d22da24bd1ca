package tui

import (
	"strings"

	"agentstudio/engine"
	"agentstudio/engine/view"
)

// callLetters gives each tool call of a run a letter, so that the rows of calls that go on at once
// can be told apart.
type callLetters struct {
	seen  int
	of    map[callID]int
	count map[engine.RunID]int
	most  int // calls of one run
}

// callID names a call: ids come from the log, and two runs may use the same.
type callID struct {
	run engine.RunID
	id  string
}

// take looks at the new rows.
func (c *callLetters) take(rows []view.Row) {
	for ; c.seen < len(rows); c.seen++ {
		r := rows[c.seen]
		id := callID{r.Run, r.About}
		if _, known := c.of[id]; known || r.About == "" || !strings.HasPrefix(r.Kind, "tool.") {
			continue
		}
		if c.of == nil {
			c.of, c.count = map[callID]int{}, map[engine.RunID]int{}
		}
		c.of[id] = c.count[r.Run]
		c.count[r.Run]++
		c.most = max(c.most, c.count[r.Run])
	}
}

// letter is that of a row's call, and its number in the run; "" for a row of no call.
func (c *callLetters) letter(r view.Row) (string, int) {
	if n, ok := c.of[callID{r.Run, r.About}]; ok && r.About != "" {
		return letters(n), n
	}
	return "", 0
}

// wide is how many columns the letters take.
func (c *callLetters) wide() int { return len(letters(max(c.most-1, 0))) }

// letters counts a, b … z, aa, ab …
func letters(n int) string {
	s := string(rune('a' + n%26))
	for n = n/26 - 1; n >= 0; n = n/26 - 1 {
		s = string(rune('a'+n%26)) + s
	}
	return s
}
