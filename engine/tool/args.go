package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"agentstudio/engine"
)

// arguments is the schema of one tool's arguments, made from the fields of T: those with omitempty
// are optional, the jsonschema tag describes a field, other fields are refused.
type arguments[T any] struct {
	tool   string
	schema *jsonschema.Schema
	fields map[string]*jsonschema.Resolved
}

// argumentsOf makes the schema; adjust, if not nil, may add limits to the fields. It panics if T
// has no schema, which is a fault of the program that every test meets.
func argumentsOf[T any](tool string, adjust func(fields map[string]*jsonschema.Schema)) arguments[T] {
	schema, err := jsonschema.For[T](nil)
	if err != nil {
		panic(err)
	}
	if adjust != nil {
		adjust(schema.Properties)
	}
	a := arguments[T]{tool: tool, schema: schema, fields: map[string]*jsonschema.Resolved{}}
	for name, field := range schema.Properties {
		resolved, err := field.CloneSchemas().Resolve(nil)
		if err != nil {
			panic(err)
		}
		a.fields[name] = resolved
	}
	return a
}

// parameters is the schema as the model gets it.
func (a arguments[T]) parameters() json.RawMessage {
	data, err := json.Marshal(a.schema)
	if err != nil {
		panic(err) // a schema of our own structs
	}
	return data
}

// decode reads the arguments of a call. null for an optional field counts as left out, since some
// providers make models send every field. Errors: INVALID_ARGUMENTS, naming the field.
func (a arguments[T]) decode(raw json.RawMessage) (T, error) {
	var args T
	var given map[string]any
	if err := json.Unmarshal(raw, &given); err != nil || given == nil {
		return args, engine.Errorf(engine.InvalidArguments, "%s takes one JSON object with %s", a.tool, a.names())
	}
	for _, name := range a.schema.Required {
		if _, ok := given[name]; !ok {
			return args, a.invalid(name, "%q is missing; %s needs it", name, a.tool)
		}
	}
	for _, name := range sortedKeys(given) {
		field, ok := a.fields[name]
		if !ok {
			return args, a.invalid(name, "%s has no field %q; it takes %s", a.tool, name, a.names())
		}
		if given[name] == nil && !slices.Contains(a.schema.Required, name) {
			delete(given, name)
			continue
		}
		if err := field.Validate(given[name]); err != nil {
			return args, a.invalid(name, "%q must be %s, not %s", name, expected(a.schema.Properties[name]), shown(given[name]))
		}
	}
	data, err := json.Marshal(given)
	if err == nil {
		err = json.Unmarshal(data, &args)
	}
	if err != nil {
		return args, a.invalid("", "the arguments do not fit: %v", err)
	}
	return args, nil
}

func (a arguments[T]) invalid(field, format string, args ...any) error {
	err := engine.Errorf(engine.InvalidArguments, format, args...)
	if field != "" {
		err = err.With("field", field)
	}
	return err
}

// names lists the fields in their order, optional ones with a question mark.
func (a arguments[T]) names() string {
	var names []string
	for _, name := range a.schema.PropertyOrder {
		if !slices.Contains(a.schema.Required, name) {
			name += "?"
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

// expected says in words what a field takes.
func expected(s *jsonschema.Schema) string {
	switch s.Type {
	case "integer":
		return "a whole number" + bounds(s)
	case "boolean":
		return "true or false"
	case "string":
		words := "a text"
		if s.MinLength != nil && *s.MinLength == 1 {
			words += " that is not empty"
		}
		if s.MaxLength != nil {
			words += fmt.Sprintf(" of at most %d characters", *s.MaxLength)
		}
		return words
	}
	return "of type " + s.Type
}

func bounds(s *jsonschema.Schema) string {
	switch {
	case s.Minimum != nil && s.Maximum != nil:
		return fmt.Sprintf(" from %.0f to %.0f", *s.Minimum, *s.Maximum)
	case s.Minimum != nil:
		return fmt.Sprintf(" from %.0f", *s.Minimum)
	}
	return ""
}

// shown is what was given, short enough for a message.
func shown(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return "that"
	}
	text := strings.TrimSpace(b.String())
	if runes := []rune(text); len(runes) > 60 {
		text = string(runes[:59]) + "…"
	}
	return text
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
