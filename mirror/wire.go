package mirror

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sort"
	"strconv"
	"strings"

	"agentstudio/engine"
	"agentstudio/engine/safe"
	"agentstudio/engine/view"
)

// The rows of a patch, as they go over the wire: kind, code and arguments, never translated text.
// Every string has passed safe when it gets here.
type (
	messageRow struct {
		ID       string            `json:"id"`
		Before   string            `json:"before,omitempty"`
		Kind     view.MessageKind  `json:"kind"`
		Seq      engine.Seq        `json:"seq"`
		At       engine.Instant    `json:"at"`
		Run      engine.RunID      `json:"run,omitempty"`
		State    string            `json:"state"`
		Delivery string            `json:"delivery,omitempty"`
		Text     string            `json:"text"`
		Thinking string            `json:"thinking,omitempty"`
		By       *engine.Actor     `json:"by,omitempty"`
		Code     engine.Code       `json:"code,omitempty"`
		Event    string            `json:"event,omitempty"`
		Args     map[string]string `json:"args,omitempty"`
		Call     *callRow          `json:"call,omitempty"`
	}
	callRow struct {
		Tool       string                `json:"tool"`
		Policy     engine.Judgement      `json:"policy"`
		Arguments  string                `json:"arguments,omitempty"` // indented JSON, or what the model sent instead
		Content    string                `json:"content,omitempty"`   // the first 4 KiB
		Bytes      int                   `json:"bytes,omitempty"`     // of the whole content
		ContentSeq engine.Seq            `json:"contentSeq,omitempty"`
		Data       json.RawMessage       `json:"data,omitempty"`
		DurationMS int64                 `json:"durationMs"`
		Error      string                `json:"error,omitempty"`
		LeftOut    *engine.LeftOut       `json:"leftOut,omitempty"`
		Repeats    engine.Seq            `json:"repeats,omitempty"`
		Decision   engine.ApprovalStatus `json:"decision,omitempty"`
		DecidedBy  *engine.Actor         `json:"decidedBy,omitempty"`
		DecidedAt  engine.Instant        `json:"decidedAt,omitzero"`
		Digest     string                `json:"digest,omitempty"` // of the arguments that were decided on
		Reason     string                `json:"reason,omitempty"`
	}
	timelineRow struct {
		ID     string            `json:"id"`
		Before string            `json:"before,omitempty"`
		Kind   string            `json:"kind"`
		Last   engine.Seq        `json:"last"`
		Cause  engine.Seq        `json:"cause,omitempty"`
		Depth  int               `json:"depth"`
		At     engine.Instant    `json:"at"`
		Since  int64             `json:"sinceMs"`
		Run    engine.RunID      `json:"run,omitempty"`
		About  string            `json:"about,omitempty"`
		Count  int               `json:"count,omitempty"`
		Tone   view.Tone         `json:"tone"`
		Args   map[string]string `json:"args,omitempty"`
	}
	skillRow struct {
		ID          string            `json:"id"`
		Kind        string            `json:"kind"` // skill
		State       view.Light        `json:"state"`
		At          engine.Seq        `json:"at,omitempty"` // the event that set the state
		Name        string            `json:"name"`
		Description string            `json:"description"`
		Source      string            `json:"source"`
		Path        string            `json:"path"`
		Found       engine.SkillState `json:"found"`
		Tokens      int               `json:"tokens"`
	}
	approvalRow struct {
		ID        engine.ApprovalID `json:"id"`
		Seq       engine.Seq        `json:"seq"`
		At        engine.Instant    `json:"at"`
		Call      engine.CallID     `json:"call"`
		Tool      string            `json:"tool"`
		Summary   string            `json:"summary"`
		Risk      string            `json:"risk,omitempty"`
		Digest    string            `json:"digest,omitempty"`
		ExpiresAt engine.Instant    `json:"expiresAt"`
		Text      string            `json:"text"`      // what it will do: the tool's preview, else the arguments
		Arguments string            `json:"arguments"` // indented JSON
		Policy    engine.Judgement  `json:"policy"`
	}
)

func inline(s string) string { return string(safe.Text(s, safe.Inline)) }

func code(s string) string { return string(safe.Text(s, safe.Code)) }

func cleanActor(a *engine.Actor) *engine.Actor {
	if a == nil {
		return nil
	}
	return &engine.Actor{Screen: inline(a.Screen), Device: inline(a.Device), Name: inline(a.Name)}
}

func cleanArgs(args map[string]string) map[string]string {
	if len(args) == 0 {
		return nil
	}
	out := make(map[string]string, len(args))
	for k, v := range args {
		out[inline(k)] = inline(v)
	}
	return out
}

func cleanPolicy(j engine.Judgement) engine.Judgement {
	return engine.Judgement{Verdict: j.Verdict, Rule: inline(j.Rule), Source: inline(j.Source), Matched: inline(j.Matched)}
}

// rowOf is a message without its text, which the folder keeps cleaned.
func rowOf(m *view.Message) messageRow {
	r := messageRow{ID: m.ID, Kind: m.Kind, Seq: m.Seq, At: m.At, Run: m.Run, State: m.State, Delivery: m.Delivery,
		By: cleanActor(m.By), Code: m.Code, Event: m.Event, Args: cleanArgs(m.Args)}
	c := m.Call
	if c == nil {
		return r
	}
	arguments := c.Raw
	if len(c.Arguments) > 0 {
		arguments = indented(c.Arguments)
	}
	r.Call = &callRow{Tool: inline(c.Tool), Policy: cleanPolicy(c.Policy), Arguments: code(arguments), Content: code(c.Content), Bytes: c.Bytes,
		ContentSeq: c.ContentSeq, Data: cleanJSON(c.Data), DurationMS: c.DurationMS, Error: string(safe.Text(c.Error, safe.Prose)), LeftOut: c.LeftOut,
		Repeats: c.Repeats, Decision: c.Decision, DecidedBy: cleanActor(c.DecidedBy), DecidedAt: c.DecidedAt, Digest: c.Digest, Reason: string(safe.Text(c.Reason, safe.Prose))}
	return r
}

func timelineOf(r *view.Row) timelineRow {
	return timelineRow{ID: timelineID(r.Seq), Kind: inline(r.Kind), Last: r.Last, Cause: r.Cause, Depth: r.Depth, At: r.At, Since: r.Since,
		Run: r.Run, About: inline(r.About), Count: r.Count, Tone: r.Tone, Args: cleanArgs(r.Args)}
}

func timelineID(s engine.Seq) string { return strconv.FormatUint(uint64(s), 10) }

func skillOf(s *view.Skill) skillRow {
	return skillRow{ID: inline(s.Path), Kind: "skill", State: s.Light, At: s.At, Name: inline(s.Name), Description: inline(s.Description),
		Source: s.Source, Path: inline(s.Path), Found: s.State, Tokens: s.Tokens}
}

// approvalsOf are the open questions with exactly what the terminal shows.
func approvalsOf(list []view.Approval) []approvalRow {
	out := make([]approvalRow, 0, len(list))
	for _, a := range list {
		arguments := indented(a.Arguments)
		text := a.Preview
		if text == "" {
			text = arguments
		}
		out = append(out, approvalRow{ID: a.Approval, Seq: a.Seq, At: a.At, Call: a.Call, Tool: inline(a.Tool), Summary: inline(a.Summary),
			Risk: inline(a.Risk), Digest: a.Digest, ExpiresAt: a.ExpiresAt, Text: string(safe.Text(strings.TrimRight(text, "\n"), safe.Approval)),
			Arguments: string(safe.Text(arguments, safe.Approval)), Policy: cleanPolicy(a.Policy)})
	}
	return out
}

func indented(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return string(raw)
	}
	return b.String()
}

// cleaned is the JSON of v with every string in it cleaned, for what is small and of many fields.
func cleaned(v any) json.RawMessage { return cleanJSON(encode(v)) }

func cleanJSON(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return nil
	}
	return encode(cleanValue(v))
}

func cleanValue(v any) any {
	switch v := v.(type) {
	case string:
		return code(v)
	case []any:
		for i := range v {
			v[i] = cleanValue(v[i])
		}
	case map[string]any:
		for k, e := range v {
			if c := inline(k); c != k {
				delete(v, k)
				k = c
			}
			v[k] = cleanValue(e)
		}
	}
	return v
}

// encode is v as JSON without HTML escaping. What is encoded here always encodes.
func encode(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return json.RawMessage("null")
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}

// appendText appends cleaned text, which is valid UTF-8 without controls but line ends, as a JSON string.
func appendText[T string | []byte](dst []byte, s T) []byte {
	dst = append(dst, '"')
	start := 0
	for i := range len(s) {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[start:i]...)
		start = i + 1
		switch {
		case c == '\n':
			dst = append(dst, `\n`...)
		case c >= ' ':
			dst = append(dst, '\\', c)
		default:
			dst = fmt.Appendf(dst, `\u%04x`, c)
		}
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}

// checksum is FNV-1a, 32 bits, over rows: of each its id, kind, state, text, thinking, and its
// arguments by name, every one of them followed by a zero byte.
type checksum uint32

const fnvOffset checksum = 2166136261

func (c *checksum) add(s string) {
	for i := range len(s) {
		*c = (*c ^ checksum(s[i])) * 16777619
	}
	*c *= 16777619
}

func (c *checksum) addBytes(s []byte) {
	for _, b := range s {
		*c = (*c ^ checksum(b)) * 16777619
	}
	*c *= 16777619
}

func (c *checksum) addArgs(args map[string]string) {
	names := make([]string, 0, len(args))
	for k := range args {
		names = append(names, k)
	}
	sort.Strings(names)
	for _, k := range names {
		c.add(k)
		c.add(args[k])
	}
}

func (c checksum) String() string {
	s := strconv.FormatUint(uint64(c), 16)
	return strings.Repeat("0", 8-len(s)) + s
}
