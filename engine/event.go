package engine

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Seq numbers the events of a session: 1, 2, 3, without holes. 0 means none.
type Seq uint64

// Ids carry their kind as a prefix: ses_, run_, evt_, msg_, call_, apr_, att_, art_.
type (
	SessionID  string
	RunID      string
	EventID    string
	MessageID  string
	ApprovalID string
)

// Event is one entry of a session's log. Events are values: nobody changes one after append.
type Event struct {
	ID      EventID
	Session SessionID
	Seq     Seq
	At      time.Time // UTC, whole milliseconds
	Run     RunID     // "" outside a run
	Cause   Seq       // the event that led to this one; 0 at the roots
	Payload Payload
}

// Payload is the closed set of facts: one struct and one row of the kinds table each.
//
//sumtype:decl
type Payload interface{ payload() }

// Unknown keeps an event of a type that this program does not know, written by a newer one.
type Unknown struct {
	Type string
	Raw  json.RawMessage
}

func (Unknown) payload() {}

// Kind is the event's type on the wire, as in "tool.requested".
func (e Event) Kind() string { return KindOf(e.Payload) }

const timeLayout = "2006-01-02T15:04:05.000Z"

// AppendJSON appends the event's whole envelope to dst, on one line, private fields included.
// DEL and C1 controls are escaped too, so that showing a journal with cat is harmless.
func (e Event) AppendJSON(dst []byte) ([]byte, error) {
	dst = append(dst, `{"eventId":"`...)
	dst = append(dst, e.ID...)
	dst = append(dst, `","sessionId":"`...)
	dst = append(dst, e.Session...)
	dst = append(dst, `","sequence":`...)
	dst = strconv.AppendUint(dst, uint64(e.Seq), 10)
	dst = append(dst, `,"timestamp":"`...)
	dst = e.At.UTC().AppendFormat(dst, timeLayout)
	dst = append(dst, `","type":"`...)
	dst = append(dst, e.Kind()...)
	dst = append(dst, '"')
	if e.Run != "" {
		dst = append(dst, `,"runId":"`...)
		dst = append(dst, e.Run...)
		dst = append(dst, '"')
	}
	if e.Cause != 0 {
		dst = append(dst, `,"cause":`...)
		dst = strconv.AppendUint(dst, uint64(e.Cause), 10)
	}
	dst = append(dst, `,"payload":`...)
	start := len(dst)
	dst, err := appendPayload(dst, e.Payload)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", e.Kind(), err)
	}
	return append(escapeControls(dst, start), '}'), nil
}

// MarshalJSON gives the same bytes as AppendJSON.
func (e Event) MarshalJSON() ([]byte, error) { return e.AppendJSON(nil) }

// Public returns e without the fields that are private to the provider: what leaves the process.
func (e Event) Public() Event {
	if p, ok := e.Payload.(AssistantCompleted); ok && p.Continuation != nil {
		p.Continuation = nil
		e.Payload = p
	}
	return e
}

func appendPayload(dst []byte, p Payload) ([]byte, error) {
	switch p := p.(type) {
	case AssistantDelta: // by far the most frequent, so by hand
		dst = append(dst, `{"messageId":"`...)
		dst = append(dst, p.Message...)
		dst = append(dst, `","delta":`...)
		return append(appendString(dst, p.Delta), '}'), nil
	case Unknown:
		return append(dst, p.Raw...), nil
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(p); err != nil {
		return nil, err
	}
	return append(dst, bytes.TrimRight(b.Bytes(), "\n")...), nil
}

// appendString appends s as a JSON string, exactly as encoding/json without HTML escaping does.
func appendString(dst []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c == '"' || c == '\\' || c == 0x7f || c >= utf8.RuneSelf {
			return appendStringSlow(dst, s)
		}
	}
	dst = append(dst, '"')
	dst = append(dst, s...)
	return append(dst, '"')
}

func appendStringSlow(dst []byte, s string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always encodes
	return append(dst, bytes.TrimRight(b.Bytes(), "\n")...)
}

// escapeControls replaces DEL and U+0080–U+009F in b[start:] by their escapes. Such bytes can
// only stand inside strings there, so no parsing is needed.
func escapeControls(b []byte, start int) []byte {
	found := false
	for i := start; i < len(b); i++ {
		if b[i] == 0x7f || b[i] == 0xc2 && i+1 < len(b) && b[i+1] < 0xa0 {
			found = true
			break
		}
	}
	if !found {
		return b
	}
	out := append([]byte(nil), b[:start]...)
	for i := start; i < len(b); i++ {
		switch {
		case b[i] == 0x7f:
			out = append(out, `\u007f`...)
		case b[i] == 0xc2 && i+1 < len(b) && b[i+1] < 0xa0:
			out = fmt.Appendf(out, `\u%04x`, b[i+1])
			i++
		default:
			out = append(out, b[i])
		}
	}
	return out
}

type envelope struct {
	ID      EventID         `json:"eventId"`
	Session SessionID       `json:"sessionId"`
	Seq     Seq             `json:"sequence"`
	At      string          `json:"timestamp"`
	Type    string          `json:"type"`
	Run     RunID           `json:"runId"`
	Cause   Seq             `json:"cause"`
	Payload json.RawMessage `json:"payload"`
}

// DecodeEvent reads one envelope. An unknown type is kept as Unknown; a payload that does not fit
// its type is EVENT_MALFORMED naming type and field. Fields it does not know are ignored.
func DecodeEvent(b []byte) (Event, error) {
	var w envelope
	if err := json.Unmarshal(b, &w); err != nil {
		return Event{}, malformed("envelope", err)
	}
	at, err := time.Parse(time.RFC3339Nano, w.At)
	if err != nil {
		return Event{}, Errorf(EventMalformed, "envelope: field timestamp: %q is not an RFC 3339 time", w.At)
	}
	switch {
	case w.Seq == 0:
		return Event{}, Errorf(EventMalformed, "envelope: field sequence is missing")
	case w.Type == "":
		return Event{}, Errorf(EventMalformed, "envelope: field type is missing")
	case w.ID == "" || w.Session == "":
		return Event{}, Errorf(EventMalformed, "envelope: field eventId or sessionId is missing")
	case !plainID(string(w.ID)) || !plainID(string(w.Session)) || w.Run != "" && !plainID(string(w.Run)):
		return Event{}, Errorf(EventMalformed, "envelope: an id holds characters that no id has")
	}
	p, err := decodePayload(w.Type, w.Payload)
	if err != nil {
		return Event{}, err
	}
	return Event{ID: w.ID, Session: w.Session, Seq: w.Seq, At: at.UTC().Truncate(time.Millisecond),
		Run: w.Run, Cause: w.Cause, Payload: p}, nil
}

// UnmarshalJSON is DecodeEvent for encoding/json.
func (e *Event) UnmarshalJSON(b []byte) error {
	d, err := DecodeEvent(b)
	if err == nil {
		*e = d
	}
	return err
}

func decodePayload(kind string, raw json.RawMessage) (Payload, error) {
	read, known := readers[kind]
	if !known {
		if !plainID(kind) {
			return nil, Errorf(EventMalformed, "envelope: field type is not a type's name")
		}
		if len(raw) == 0 {
			raw = json.RawMessage("{}")
		}
		return Unknown{Type: kind, Raw: append(json.RawMessage(nil), raw...)}, nil
	}
	if len(raw) == 0 || raw[0] != '{' {
		return nil, Errorf(EventMalformed, "%s: field payload is not an object", kind)
	}
	p, err := read(raw)
	if err != nil {
		return nil, malformed(kind, err)
	}
	return p, nil
}

func malformed(kind string, err error) error {
	var t *json.UnmarshalTypeError
	if errors.As(err, &t) && t.Field != "" {
		return Errorf(EventMalformed, "%s: field %s: %s where %s belongs", kind, t.Field, t.Value, t.Type)
	}
	return Errorf(EventMalformed, "%s: %s", kind, strings.TrimPrefix(err.Error(), "json: "))
}

// plainID tells whether s is spelled like an id or a type: it goes into JSON unescaped.
func plainID(s string) bool {
	if s == "" || len(s) > 128 {
		return false
	}
	for _, c := range []byte(s) {
		ok := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '.'
		if !ok {
			return false
		}
	}
	return true
}

// Instant is a time in a payload: UTC RFC 3339 with milliseconds on the wire.
type Instant struct{ time.Time }

// MarshalJSON writes the time in the journal's layout.
func (t Instant) MarshalJSON() ([]byte, error) {
	return t.UTC().AppendFormat(nil, `"`+timeLayout+`"`), nil
}
