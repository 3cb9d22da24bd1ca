package markdown

import "strings"

// hold returns as much of the open text as may be shown, and what to put
// behind it so that emphasis and code that are still open show as such. It
// guesses; the finished block is parsed as it is written.
//
// Held back are: a last line that may be or become a mark (a fence, a rule, a
// heading's underline, a bullet), what may be a table until it is one, table
// rows being written, and at the end links, marks and references half written.
func hold(text string) (shown, closing string) {
	last := strings.LastIndexByte(text, '\n') + 1
	line := text[last:]
	if openFence(text[:last]) {
		if line != "" && strings.Trim(line, " >`~") == "" {
			return text[:last], ""
		}
		return text, ""
	}
	para := paragraph(text[:last])
	if at := holdTable(text, para, last); at >= 0 {
		return text[:at], ""
	}
	if holdLine(line) {
		text, line = text[:last], ""
	}
	if line == "" && (para == last || headingLine(text[lineStart(text, last-1):last])) || tableAt(text[para:last]) >= 0 {
		return text, ""
	}
	leaf := leafStart(text, para)
	if overloaded(text[leaf:]) {
		return text, "" // no marks are read in such a block
	}
	for range 8 {
		at, marks := scan(text[leaf:])
		if at < 0 {
			if marks != "" {
				text = strings.TrimRight(text, " \n")
			}
			return text, marks
		}
		text = text[:leaf+at]
	}
	return text, ""
}

// openFence reports whether text, whole lines, ends inside a code block that
// stands in a list or quote.
func openFence(text string) bool {
	var open fence
	for line := range strings.Lines(text) {
		body := unmarked(strings.TrimSuffix(line, "\n"))
		if f, ok := openingFence(body); open.count == 0 && ok {
			open = f
		} else if open.count > 0 && open.closes(body) {
			open = fence{}
		}
	}
	return open.count > 0
}

// unmarked returns line without indent, quote marks and list marks.
func unmarked(line string) string {
	for {
		body := strings.TrimLeft(line, " >")
		if n := bullet(body); n > 0 {
			body = body[n:]
		}
		if body == line {
			return line
		}
		line = body
	}
}

// bullet returns the length of the list mark that line begins with, or 0.
func bullet(line string) int {
	n := 0
	for n < len(line) && n < 9 && line[n] >= '0' && line[n] <= '9' {
		n++
	}
	if n < len(line) && (n == 0 && strings.IndexByte("-+*", line[n]) >= 0 || n > 0 && strings.IndexByte(".)", line[n]) >= 0) {
		if n++; n < len(line) && line[n] == ' ' {
			return n + 1
		}
	}
	return 0
}

// paragraph returns where the lines at the end of text begin that no blank
// line parts.
func paragraph(text string) int {
	at := len(text)
	for at > 0 {
		start := lineStart(text, at-1)
		if strings.Trim(text[start:at], " >\n") == "" {
			break
		}
		at = start
	}
	return at
}

// holdLine reports whether a line that begins like this may still be a mark as
// a whole, or a code block's first line, or a link definition.
func holdLine(line string) bool {
	if line == "" {
		return false
	}
	if strings.Trim(line, " `~*_-=+#|:>") == "" || strings.Trim(strings.TrimRight(line, ".) "), " 0123456789") == "" {
		return true
	}
	body := unmarked(line)
	if strings.HasPrefix(body, "```") || strings.HasPrefix(body, "~~~") {
		_, ok := openingFence(body)
		return ok
	}
	end := strings.Index(body, "]:")
	return body != "" && body[0] == '[' && end > 0 && !strings.Contains(body[:end], "](")
}

// holdTable returns from where on text may be a table or a row not yet whole,
// or -1.
func holdTable(text string, para, last int) int {
	line := text[last:]
	if tableAt(text[para:last]) >= 0 {
		if line == "" {
			return -1
		}
		return last
	}
	if last > para && strings.Trim(line, " |:->") == "" {
		if above := lineStart(text, last-1); strings.Contains(text[above:last], "|") {
			return above
		}
	}
	if strings.Contains(line, "|") {
		return last
	}
	return -1
}

// tableAt returns the place of a table's second line in lines, or -1.
func tableAt(lines string) int {
	at := 0
	for line := range strings.Lines(lines) {
		if at > 0 && strings.ContainsAny(line, "-") && strings.Trim(line, " |:->\n") == "" && strings.Contains(lines[:at], "|") {
			return at
		}
		at += len(line)
	}
	return -1
}

func headingLine(line string) bool {
	return strings.HasPrefix(strings.TrimLeft(line, " >"), "#")
}

// leafStart returns where in text[para:] the last run of sentences begins:
// behind the last list mark or heading.
func leafStart(text string, para int) int {
	leaf, at := para, para
	for line := range strings.Lines(text[para:]) {
		body := unmarked(line)
		if len(body) != len(line) || headingLine(line) {
			leaf = at + len(line) - len(body)
		}
		at += len(line)
		if headingLine(line) && strings.HasSuffix(line, "\n") {
			leaf = at
		}
	}
	return leaf
}
