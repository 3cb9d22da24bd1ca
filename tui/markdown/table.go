package markdown

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
	east "github.com/yuin/goldmark/extension/ast"

	"agentstudio/engine/safe"
)

// minColumn is the least width of a column; a table that has not so much is
// shown as a list of its rows.
const minColumn = 4

// table draws a table as wide as it needs, at most as wide as there is room.
func (r *renderer) table(n *east.Table, a attr) []string {
	var cells [][]inlines
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		look := a
		if _, head := row.(*east.TableHeader); head {
			look |= aStrong
		}
		var line []inlines
		for c := row.FirstChild(); c != nil && len(line) < len(n.Alignments); c = c.NextSibling() {
			var f inlines
			r.inline(&f, c, look)
			line = append(line, f)
		}
		for len(line) < len(n.Alignments) {
			line = append(line, inlines{})
		}
		cells = append(cells, line)
	}
	widths, fits := r.columns(cells, len(n.Alignments))
	if !fits {
		return r.records(cells)
	}
	var rows []string
	for i, line := range cells {
		rows = append(rows, r.tableRow(line, widths, n.Alignments)...)
		if i == 0 {
			rows = append(rows, r.tableRule(widths))
		}
	}
	return rows
}

// columns shares the room out: each column gets what it needs, and if that is
// too much, the widest ones give way.
func (r *renderer) columns(cells [][]inlines, n int) ([]int, bool) {
	widths := make([]int, n)
	for _, line := range cells {
		for i := range line {
			widths[i] = max(widths[i], 1, safe.Width(safe.Safe(line[i].text)))
		}
	}
	room := r.width - 3*(n-1)
	total := 0
	for _, w := range widths {
		total += w
	}
	if total <= room {
		return widths, n > 0
	}
	if room < n*minColumn {
		return nil, false
	}
	// The widest columns get an equal limit, so that narrow ones stay whole.
	sorted := slices.Sorted(slices.Values(widths))
	left := room
	limit := 0
	for i, w := range sorted {
		share := left / (n - i)
		if w > share {
			limit = share
			break
		}
		left -= w
	}
	spare := room
	for i := range widths {
		widths[i] = min(widths[i], limit)
		spare -= widths[i]
	}
	for i := 0; spare > 0 && i < n; i++ { // what the division left over
		if widths[i] == limit {
			widths[i]++
			spare--
		}
	}
	return widths, true
}

func (r *renderer) tableRow(line []inlines, widths []int, align []east.Alignment) []string {
	drawn := make([][]string, len(line))
	height := 0
	for i := range line {
		drawn[i] = line[i].draw(r.look, widths[i], safe.Wrap)
		height = max(height, len(drawn[i]))
	}
	column := r.look.gap(1) + r.look.paint(aRule, r.look.glyphs.column)
	rows := make([]string, height)
	for y := range rows {
		var b strings.Builder
		for i := range line {
			cell := ""
			if y < len(drawn[i]) {
				cell = drawn[i][y]
			}
			last := i == len(line)-1
			if i > 0 {
				b.WriteString(column)
				if !last || cell != "" {
					b.WriteString(r.look.gap(1))
				}
			}
			if !last || cell != "" {
				b.WriteString(r.pad(cell, widths[i], align[i], last))
			}
		}
		rows[y] = b.String()
	}
	return rows
}

// pad aligns a cell; blanks at the end of a line are left out.
func (r *renderer) pad(cell string, width int, align east.Alignment, last bool) string {
	free := max(0, width-ansi.StringWidth(cell))
	left := 0
	switch align {
	case east.AlignRight:
		left = free
	case east.AlignCenter:
		left = free / 2
	}
	right := free - left
	if last {
		right = 0
	}
	return r.look.gap(left) + cell + r.look.gap(right)
}

func (r *renderer) tableRule(widths []int) string {
	parts := make([]string, len(widths))
	for i, w := range widths {
		parts[i] = strings.Repeat(r.look.glyphs.rule, w)
	}
	g := r.look.glyphs
	return r.look.paint(aRule, strings.Join(parts, g.rule+g.cross+g.rule))
}

// records shows a table for which there is no room: each row as lines of
// "head: value".
func (r *renderer) records(cells [][]inlines) []string {
	var rows []string
	for _, line := range cells[1:] {
		if len(rows) > 0 {
			rows = append(rows, "")
		}
		for i := range line {
			var f inlines
			f.append(cells[0][i])
			f.add(": ", aStrong)
			f.append(line[i])
			rows = append(rows, f.draw(r.look, r.width, safe.Wrap)...)
		}
	}
	if len(cells) == 1 {
		for i := range cells[0] {
			rows = append(rows, cells[0][i].draw(r.look, r.width, safe.Wrap)...)
		}
	}
	return rows
}

// append adds g behind f.
func (f *inlines) append(g inlines) {
	at := 0
	for _, s := range g.spans {
		f.add(string(g.text[at:s.end]), s.attr)
		at = s.end
	}
}
