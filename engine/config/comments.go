package config

import "bytes"

// span is a part of a text.
type span struct{ from, to int }

// comments finds the comments in a text. Values are looked at only as far as it takes to know
// that a # in quotes is none.
func comments(b []byte) (all []span) {
	begin := len(b) - len(bytes.TrimPrefix(b, []byte(byteOrderMark)))
	quote, depth := byte(0), 0
	fresh := true // a value may begin here
	for i := begin; i < len(b); i++ {
		c, last := b[i], i+1 == len(b) || isBlank(b[i+1])
		switch {
		case quote == '"' && c == '\\', quote == '\'' && c == quote && !last && b[i+1] == quote:
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '#' && (i == begin || isBlank(b[i-1])):
			line, _, _ := bytes.Cut(b[i:], []byte("\n"))
			line = bytes.TrimRight(line, " \t\r")
			all = append(all, span{i, i + len(line)})
			i += len(line) - 1
		case c == '\n' || c == '\r':
			fresh = true
		case c == ' ' || c == '\t':
		case fresh && (c == '"' || c == '\''):
			quote, fresh = c, false
		case fresh && (c == '[' || c == '{'):
			depth++
		case depth > 0 && (c == ']' || c == '}'):
			depth, fresh = depth-1, false
		case c == ':', c == ',':
			fresh = depth > 0 || c == ':' && last
		default:
			fresh = fresh && last && (c == '-' || c == '?')
		}
	}
	return all
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// lost tells whether a comment of the old text is missing in the new one.
func lost(before, after []byte) bool {
	have := map[string]int{}
	for _, c := range comments(after) {
		have[string(after[c.from:c.to])]++
	}
	for _, c := range comments(before) {
		text := string(before[c.from:c.to])
		if have[text]--; have[text] < 0 {
			return true
		}
	}
	return false
}
