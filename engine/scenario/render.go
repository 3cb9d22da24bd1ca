package scenario

import (
	"encoding/json"
	"math/big"
	"strconv"
	"strings"

	"agentstudio/engine"
)

// notThere stands where a figure cannot be computed or a value is missing.
const notThere = "n/a"

// scope resolves paths: loops first, then what the situation holds.
type scope struct {
	s     situation
	names []string
	items []any
	tools map[string]any // parsed results
}

func newScope(s situation) *scope { return &scope{s: s, tools: map[string]any{}} }

// render fills the template in. What is over the limit is left out; nothing else can go wrong.
func (sc *scope) render(t *template) string {
	if t == nil {
		return ""
	}
	var b strings.Builder
	sc.parts(&b, t.parts)
	return strings.TrimRight(b.String(), "\n")
}

func (sc *scope) parts(b *strings.Builder, parts []part) {
	for _, p := range parts {
		switch {
		case b.Len() > maxRendered:
			return
		case p.value != nil:
			b.WriteString(format(sc.lookup(p.value.path), p.value.format, p.value.places))
		case p.cond != nil:
			if sc.holds(p.cond) {
				sc.parts(b, p.inner)
			} else {
				sc.parts(b, p.orElse)
			}
		case p.loop != "":
			list, _ := sc.lookup(p.over).([]any)
			for _, item := range list {
				sc.names, sc.items = append(sc.names, p.loop), append(sc.items, item)
				sc.parts(b, p.inner)
				sc.names, sc.items = sc.names[:len(sc.names)-1], sc.items[:len(sc.items)-1]
				if b.Len() > maxRendered {
					return
				}
			}
		default:
			b.WriteString(p.plain)
		}
	}
}

func (sc *scope) holds(c *condition) bool {
	v := sc.lookup(c.path)
	if c.compare {
		return (format(v, "", 0) == c.operand) != c.negate
	}
	return truthy(v) != c.negate
}

func truthy(v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case bool:
		return v
	case string:
		return v != ""
	case []any:
		return len(v) > 0
	}
	return true
}

func (sc *scope) lookup(path []string) any {
	v := sc.root(path[0])
	for _, key := range path[1:] {
		v = step(v, key)
	}
	return v
}

func (sc *scope) root(name string) any {
	for i := len(sc.names) - 1; i >= 0; i-- {
		if sc.names[i] == name {
			return sc.items[i]
		}
	}
	switch name {
	case "prompt":
		return sc.s.prompt.Text
	case "round":
		return strconv.Itoa(sc.s.round())
	case "last":
		if m, ok := sc.s.newest(""); ok {
			return map[string]any{"tool": m.Tool, "code": string(m.Code), "text": m.Text, "message": reason(m)}
		}
		return nil
	case "attachments":
		return attachments(sc.s.prompt.Attachments, "")
	case "image", "table":
		return step(attachments(sc.s.prompt.Attachments, name), "0")
	}
	return sc.tool(name)
}

func (sc *scope) tool(name string) any {
	if v, ok := sc.tools[name]; ok {
		return v
	}
	m, ok := sc.s.newestGood(name)
	if !ok {
		return nil
	}
	var v any
	d := json.NewDecoder(strings.NewReader(m.Text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		v = m.Text
	}
	sc.tools[name] = v
	return v
}

// reason is the message of a failed result without what the transcript puts before it.
func reason(m engine.Message) string {
	if _, after, ok := strings.Cut(m.Text, string(m.Code)+": "); ok && m.Failed && m.Code != "" {
		return after
	}
	return m.Text
}

func attachments(list []engine.Attachment, kind string) []any {
	out := []any{}
	for _, a := range list {
		if kind == "" || a.Kind == kind {
			out = append(out, map[string]any{"id": a.ID, "name": a.Name, "kind": a.Kind, "mime": a.MIME,
				"bytes": strconv.FormatInt(a.Bytes, 10), "width": strconv.Itoa(a.Width), "height": strconv.Itoa(a.Height)})
		}
	}
	return out
}

func step(v any, key string) any {
	switch v := v.(type) {
	case map[string]any:
		return v[key]
	case []any:
		if key == "count" {
			return strconv.Itoa(len(v))
		}
		if i, err := strconv.Atoi(key); err == nil {
			if i >= 0 && i < len(v) {
				return v[i]
			}
			return nil
		}
		for _, item := range v {
			if o, ok := item.(map[string]any); ok && (o["name"] == key || o["id"] == key) {
				return o
			}
		}
	}
	return nil
}

// format writes a value out: text as it is, a decimal in the form asked for.
func format(v any, form string, places int) string {
	s := ""
	switch v := v.(type) {
	case nil:
		return notThere
	case string:
		s = v
	case json.Number:
		s = v.String()
	case bool:
		return strconv.FormatBool(v)
	default:
		b, err := json.Marshal(v)
		if err != nil {
			return notThere
		}
		return string(b)
	}
	if form == "" {
		return s
	}
	if len(s) > 100 {
		return s // no figure, and big.Rat would take its time over 1e999999
	}
	r, ok := new(big.Rat).SetString(s)
	if !ok || strings.ContainsAny(s, "eE/") {
		return s
	}
	switch form {
	case "percent":
		return r.Mul(r, big.NewRat(100, 1)).FloatString(places) + "%"
	case "money":
		return thousands(r.FloatString(2))
	case "count":
		return thousands(r.FloatString(0))
	}
	return r.FloatString(places)
}

func thousands(s string) string {
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "-", s[1:]
	}
	whole, fraction, _ := strings.Cut(s, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if fraction != "" {
		fraction = "." + fraction
	}
	return sign + whole + fraction
}

// arguments makes the JSON of a call.
func (sc *scope) arguments(v *value, lang string) json.RawMessage {
	var b strings.Builder
	sc.write(&b, v, lang)
	return json.RawMessage(b.String())
}

func (sc *scope) write(b *strings.Builder, v *value, lang string) {
	switch {
	case v.fixed != nil:
		b.Write(v.fixed)
	case v.list != nil:
		b.WriteByte('[')
		for i, c := range v.list {
			if i > 0 {
				b.WriteByte(',')
			}
			sc.write(b, c, lang)
		}
		b.WriteByte(']')
	case v.keys != nil:
		b.WriteByte('{')
		for i, key := range v.keys {
			if i > 0 {
				b.WriteByte(',')
			}
			b.Write(quote(key))
			b.WriteByte(':')
			sc.write(b, v.fields[i], lang)
		}
		b.WriteByte('}')
	default:
		b.Write(quote(sc.render(v.text.in(lang))))
	}
}

func quote(s string) []byte {
	b, err := json.Marshal(s)
	if err != nil {
		return []byte(`""`) // a string always marshals
	}
	return b
}
