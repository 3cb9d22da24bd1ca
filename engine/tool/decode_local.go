package tool

import (
	"bytes"
	"encoding/json"
	"io"

	"agentstudio/engine"
)

// decodeLocal reads one JSON object into v and refuses what v has no field for.
func decodeLocal(raw json.RawMessage, v any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return engine.Errorf(engine.InvalidArguments, "the arguments do not fit: %v", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return engine.Errorf(engine.InvalidArguments, "the arguments must be one JSON object")
	}
	return nil
}
