package engine

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

const maxArgumentDepth = 64

// Canonical rewrites one JSON object in the form of RFC 8785 (keys in UTF-16 order, numbers as
// ECMAScript writes them, no white space), so that equal arguments have equal bytes. It refuses
// what has no single meaning: anything but one object, duplicate keys, numbers beyond the exact
// range of a double, invalid UTF-8, nesting over 64 (INVALID_ARGUMENTS).
func Canonical(raw []byte) (json.RawMessage, error) {
	if !utf8.Valid(raw) {
		return nil, Errorf(InvalidArguments, "the arguments are not valid UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	v, err := readValue(d, 0)
	if err != nil {
		return nil, Errorf(InvalidArguments, "the arguments are not one JSON object: %s", jsonFault(err))
	}
	if _, ok := v.(object); !ok {
		return nil, Errorf(InvalidArguments, "the arguments must be one JSON object")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, Errorf(InvalidArguments, "something follows the arguments object; send exactly one object")
	}
	return appendValue(nil, v), nil
}

// Digest is the lower-case hex SHA-256 of canonical arguments; people are shown its first eight digits.
func Digest(canonical []byte) string {
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:])
}

func jsonFault(err error) string {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return "they end too early"
	}
	return strings.TrimPrefix(err.Error(), "json: ")
}

type member struct {
	key   string
	value any
}

type object []member

func readValue(d *json.Decoder, depth int) (any, error) {
	if depth > maxArgumentDepth {
		return nil, fmt.Errorf("nested deeper than %d", maxArgumentDepth)
	}
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t := t.(type) {
	case json.Delim:
		if t == '{' {
			return readObject(d, depth)
		}
		return readArray(d, depth)
	case json.Number:
		return number(t)
	}
	return t, nil
}

func readObject(d *json.Decoder, depth int) (any, error) {
	o := object{}
	seen := map[string]bool{}
	for d.More() {
		k, err := d.Token()
		if err != nil {
			return nil, err
		}
		key, _ := k.(string)
		if seen[key] {
			return nil, fmt.Errorf("the key %q stands twice", key)
		}
		seen[key] = true
		v, err := readValue(d, depth+1)
		if err != nil {
			return nil, err
		}
		o = append(o, member{key, v})
	}
	_, err := d.Token()
	slices.SortFunc(o, func(a, b member) int {
		return slices.Compare(utf16.Encode([]rune(a.key)), utf16.Encode([]rune(b.key)))
	})
	return o, err
}

func readArray(d *json.Decoder, depth int) (any, error) {
	a := []any{}
	for d.More() {
		v, err := readValue(d, depth+1)
		if err != nil {
			return nil, err
		}
		a = append(a, v)
	}
	_, err := d.Token()
	return a, err
}

func number(n json.Number) (any, error) {
	f, err := n.Float64()
	if err != nil || math.IsInf(f, 0) {
		return nil, fmt.Errorf("the number %s is out of range", n)
	}
	if f == math.Trunc(f) && math.Abs(f) > 1<<53-1 {
		return nil, fmt.Errorf("the number %s is beyond 2^53; send it as a string", n)
	}
	return f, nil
}

func appendValue(dst []byte, v any) []byte {
	switch v := v.(type) {
	case object:
		dst = append(dst, '{')
		for i, m := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendCanonicalString(dst, m.key), ':')
			dst = appendValue(dst, m.value)
		}
		return append(dst, '}')
	case []any:
		dst = append(dst, '[')
		for i, e := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendValue(dst, e)
		}
		return append(dst, ']')
	case string:
		return appendCanonicalString(dst, v)
	case float64:
		return appendNumber(dst, v)
	case bool:
		return strconv.AppendBool(dst, v)
	}
	return append(dst, "null"...)
}

func appendCanonicalString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			dst = append(dst, '\\', byte(r))
		case r == '\b':
			dst = append(dst, '\\', 'b')
		case r == '\t':
			dst = append(dst, '\\', 't')
		case r == '\n':
			dst = append(dst, '\\', 'n')
		case r == '\f':
			dst = append(dst, '\\', 'f')
		case r == '\r':
			dst = append(dst, '\\', 'r')
		case r < 0x20:
			dst = fmt.Appendf(dst, `\u%04x`, r)
		default:
			dst = utf8.AppendRune(dst, r)
		}
	}
	return append(dst, '"')
}

// appendNumber follows ECMAScript's Number::toString, which RFC 8785 asks for.
func appendNumber(dst []byte, f float64) []byte {
	if f == 0 {
		return append(dst, '0') // also for -0
	}
	format, abs := byte('f'), math.Abs(f)
	if abs < 1e-6 || abs >= 1e21 {
		format = 'e'
	}
	b := strconv.AppendFloat(nil, f, format, -1, 64)
	if format == 'e' { // e-09 becomes e-9
		if i := bytes.IndexByte(b, 'e'); i >= 0 && i+2 < len(b) && b[i+2] == '0' {
			b = append(b[:i+2], b[i+3:]...)
		}
	}
	return append(dst, b...)
}

// readRaw reads any JSON value, keeping the order of keys and the spelling of numbers.
func readRaw(d *json.Decoder) (any, error) {
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t {
	case json.Delim('{'):
		o := object{}
		for d.More() {
			k, err := d.Token()
			if err != nil {
				return nil, err
			}
			v, err := readRaw(d)
			if err != nil {
				return nil, err
			}
			key, _ := k.(string)
			o = append(o, member{key, v})
		}
		_, err := d.Token()
		return o, err
	case json.Delim('['):
		a := []any{}
		for d.More() {
			v, err := readRaw(d)
			if err != nil {
				return nil, err
			}
			a = append(a, v)
		}
		_, err := d.Token()
		return a, err
	}
	return t, nil
}

// appendRaw writes what readRaw read.
func appendRaw(dst []byte, v any) []byte {
	if n, ok := v.(json.Number); ok {
		return append(dst, n...)
	}
	switch v := v.(type) {
	case object:
		dst = append(dst, '{')
		for i, m := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendString(dst, m.key), ':')
			dst = appendRaw(dst, m.value)
		}
		return append(dst, '}')
	case []any:
		dst = append(dst, '[')
		for i, e := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendRaw(dst, e)
		}
		return append(dst, ']')
	}
	return appendValue(dst, v)
}
