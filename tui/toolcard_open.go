package tui

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"agentstudio/engine/safe"
	"agentstudio/engine/view"
	"agentstudio/tui/markdown"
)

const (
	openRows   = 20 // of a result, on an unfolded card
	reportRows = 6  // of a saved report, on a folded one
	maxArgRows = 200
)

// openCard is a call unfolded: all its arguments, then the result, or the error whole.
func (m *Model) openCard(msg view.Message, w int) []string {
	t, c := m.theme, msg.Call
	if msg.Kind == view.FromUser {
		return drawn(t.Text, safe.Wrap(safe.Text(strings.Join(msg.Pieces, ""), safe.Prose), w))
	}
	if c == nil {
		return nil
	}
	glyph, in := m.cardSign(msg)
	out := []string{m.cardHead(msg, in.of(safe.Safe(glyph)), w)}
	if c.Error != "" {
		text := m.whyNot(msg) + "  " + string(msg.Code)
		out = append(out, t.indent(t.Pink, safe.Text(text, safe.Prose), 2, w, 1<<16)...)
	}
	if text := reportText(c); text != "" && msg.State == view.Done {
		return append(out, m.report(text, w, 1<<16)...)
	}
	if c.Tool == "mock_ads_metrics" && msg.State == view.Done {
		out = append(out, m.metrics(c.Data, w)...)
	}
	out = append(out, m.argumentRows(c, w)...)
	if msg.State == view.Done && c.Content != "" {
		out = append(out, "")
		out = append(out, m.wholeResult(c, w)...)
	}
	return out
}

// argumentRows are the arguments, one below the other; a value of several lines stands below its
// name.
func (m *Model) argumentRows(c *view.Call, w int) (out []string) {
	t := m.theme
	for _, a := range argumentsOf(c) {
		name, value := safe.Text(a.name, safe.Inline), safe.Text(a.value, safe.Code)
		if a.name == "" {
			out = append(out, shifted(t, 2, drawn(t.Text, safe.HardWrap(value, max(w-2, 1))))...)
			continue
		}
		if room := w - safe.Width(name) - 4; !strings.Contains(string(value), "\n") && safe.Width(value) <= room {
			out = append(out, t.pad(2)+t.Quiet.of(name)+t.pad(2)+t.Text.of(value))
			continue
		}
		out = append(out, t.pad(2)+t.Quiet.of(t.cut(name, w-2)))
		out = append(out, shifted(t, 4, drawn(t.Text, safe.HardWrap(value, max(w-4, 1))))...)
	}
	if over := len(out) - maxArgRows; over > 0 {
		out = append(out[:maxArgRows], t.pad(2)+t.Quiet.of(m.label("ui.moreText", "n", strconv.Itoa(over))))
	}
	return out
}

// wholeResult is the first lines of what a tool gave, wrapped, and how much more there is.
func (m *Model) wholeResult(c *view.Call, w int) []string {
	t := m.theme
	lines := safe.HardWrap(safe.Text(strings.TrimRight(c.Content, "\n"), safe.Code), max(w-2, 1))
	shown := lines[:min(openRows, len(lines))]
	out := shifted(t, 2, drawn(t.Text, shown))
	more := ""
	switch {
	case c.Bytes > len(c.Content):
		n := 0
		for _, l := range shown {
			n += len(l) + 1
		}
		more = m.text("ui.moreBytes", "size", sizeText(int64(max(c.Bytes-n, 1))))
	case len(lines) > len(shown):
		more = m.text("ui.moreText", "n", strconv.Itoa(len(lines)-len(shown)))
	default:
		return out
	}
	more += "  " + t.Sep + "  " + m.text("ui.openWhole")
	return append(out, t.pad(2)+t.Quiet.of(t.cut(safe.Text(more, safe.Inline), w-2)))
}

func shifted(t *theme, by int, lines []string) []string {
	for i := range lines {
		lines[i] = t.pad(by) + lines[i]
	}
	return lines
}

// report is a saved report as it reads: its first rows, beside a line.
func (m *Model) report(text string, w, rows int) (out []string) {
	t := m.theme
	doc := markdown.New()
	doc.Set(text)
	doc.Close()
	room := max(w-4, 1)
	lines := doc.Window(0, rows, room, t.md)
	hidden := doc.Height(room, t.md) - len(lines)
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	edge := t.pad(2) + t.Line.of(safe.Safe(t.Vert)) + t.pad(1)
	for _, l := range lines {
		out = append(out, edge+l)
	}
	if hidden > 0 {
		more := m.text("ui.moreText", "n", strconv.Itoa(hidden)) + "  " + t.Sep + "  " + m.text("ui.openWhole")
		out = append(out, t.pad(4)+t.Quiet.of(t.cut(safe.Text(more, safe.Inline), room)))
	}
	return out
}

// reportText is the report that a call saves, as Markdown; "" of any other call.
func reportText(c *view.Call) string {
	if c == nil || c.Tool != "save_report_draft" {
		return ""
	}
	var args struct{ Title, Body string }
	if json.Unmarshal(c.Arguments, &args) != nil || strings.TrimSpace(args.Body) == "" {
		return ""
	}
	if title := strings.TrimSpace(args.Title); title != "" {
		return "# " + title + "\n\n" + args.Body
	}
	return args.Body
}

// argument is one of a call's, as people read it.
type argument struct{ name, value string }

// argumentsOf are a call's arguments in the order they came; what isn't an object is one value
// without a name.
func argumentsOf(c *view.Call) (list []argument) {
	whole := func() []argument {
		raw := c.Raw
		if raw == "" {
			raw = string(c.Arguments)
		}
		if raw == "" {
			return nil
		}
		return []argument{{"", raw}}
	}
	d := json.NewDecoder(bytes.NewReader(c.Arguments))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return whole()
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return whole()
		}
		var raw json.RawMessage
		if d.Decode(&raw) != nil {
			return whole()
		}
		text, _ := name.(string) // a key always is
		list = append(list, argument{text, valueText(raw)})
	}
	return list
}

// valueText is a value as people read it: a text without its quotes, the rest indented.
func valueText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil && raw[0] == '"' {
		return text
	}
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return string(raw)
	}
	return b.String()
}

// argumentText is a call's arguments as one text.
func argumentText(c *view.Call) string {
	var b strings.Builder
	for _, a := range argumentsOf(c) {
		switch {
		case a.name == "":
			b.WriteString(a.value)
		case strings.Contains(a.value, "\n"):
			b.WriteString(a.name + ":\n" + a.value)
		default:
			b.WriteString(a.name + ": " + a.value)
		}
		b.WriteByte('\n')
	}
	return strings.TrimRight(b.String(), "\n")
}
