package engine

import (
	"errors"
	"fmt"
	"strings"
)

// Error is the one error type. Message says what was wrong and what to do, in plain English,
// never with a path outside its display form, a key or a raw upstream body. Details hold the
// figures that screens put into their own words. Err is kept for the log file only.
type Error struct {
	Op      string
	Code    Code
	Message string
	Details map[string]any
	Err     error
}

// Errorf makes an Error with a code and a message. The operation is added at each border by At.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// With returns e with one detail added; it changes e, which must not be shared yet.
func (e *Error) With(key string, value any) *Error {
	if e.Details == nil {
		e.Details = map[string]any{}
	}
	e.Details[key] = value
	return e
}

// At names the operation in which err came up, keeping its code. A nil err stays nil.
func At(op string, err error) error {
	if err == nil {
		return nil
	}
	var e *Error
	if errors.As(err, &e) {
		wrapped := *e
		wrapped.Op = strings.TrimSuffix(op+": "+e.Op, ": ")
		return &wrapped
	}
	return &Error{Op: op, Code: CodeOf(err), Message: err.Error(), Err: err}
}

// Error gives the message with its code in front.
func (e *Error) Error() string {
	if e.Message == "" {
		return string(e.Code)
	}
	return string(e.Code) + ": " + e.Message
}

// Is compares by code, so errors.Is(err, SessionBusy) is how callers ask.
func (e *Error) Is(target error) bool {
	code, ok := target.(Code)
	return ok && code == e.Code
}

// Unwrap gives the cause, if one was kept.
func (e *Error) Unwrap() error { return e.Err }

// CodeOf is the code that err carries; INTERNAL for an error of no known kind, "" for nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	var c Code
	if errors.As(err, &c) {
		return c
	}
	return Internal
}

// MessageOf is what err says to people and to the model.
func MessageOf(err error) string {
	var e *Error
	if errors.As(err, &e) && e.Message != "" {
		return e.Message
	}
	if err == nil {
		return ""
	}
	for _, m := range Codes() {
		if m.Code == CodeOf(err) {
			return m.Meaning
		}
	}
	return err.Error()
}

// DetailsOf is the details err carries, or nil. Do not change the map.
func DetailsOf(err error) map[string]any {
	var e *Error
	if errors.As(err, &e) {
		return e.Details
	}
	return nil
}
