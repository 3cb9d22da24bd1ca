package provider

import (
	"encoding/json"
	"errors"
)

// lenient reads a JSON object into v. A field of another kind than it should be is none, so that
// servers may write [] for an empty object, and events of the future may look as they like. What is no
// JSON object at all is an error.
func lenient(data []byte, v any) error {
	err := json.Unmarshal(data, v)
	if data[0] == '{' && oddly(err) == nil {
		return nil
	}
	return err
}

// oddly is err, or nil where it only says that some field is of another kind.
func oddly(err error) error {
	var odd *json.UnmarshalTypeError
	if errors.As(err, &odd) {
		return nil
	}
	return err
}
