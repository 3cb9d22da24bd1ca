package mirror

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"agentstudio/engine"
)

// statusOf is the one table from codes to HTTP statuses.
func statusOf(c engine.Code) int {
	switch c {
	case engine.RequestMalformed, engine.InvalidCommand, engine.EmptyMessage:
		return http.StatusBadRequest
	case engine.TokenInvalid:
		return http.StatusUnauthorized
	case engine.OriginRefused, engine.NotAllowed, engine.PairingWrong, engine.PairingRefused, engine.MirrorNeedsTLS, engine.SessionReadOnly:
		return http.StatusForbidden
	case engine.ApprovalNotFound, engine.RefNotFound, engine.SessionNotFound, engine.DeviceUnknown:
		return http.StatusNotFound
	case engine.PairingExpired, engine.ApprovalExpired, engine.ApprovalCancelled, engine.SessionClosedCode:
		return http.StatusGone
	case engine.RequestTooLarge, engine.MessageTooLarge:
		return http.StatusRequestEntityTooLarge
	case engine.RateLimited, engine.MirrorFull:
		return http.StatusTooManyRequests
	case engine.Internal, engine.JournalFailed, engine.ReadFailed:
		return http.StatusInternalServerError
	}
	if strings.HasPrefix(string(c), "IMAGE_") {
		return http.StatusUnprocessableEntity
	}
	return http.StatusConflict // what is there does not allow it now
}

// fail answers with a typed error and tells the log of what the door refused.
func (m *Mirror) fail(v *visit, err error) {
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		err = tooLarge(large.Limit)
	}
	c := engine.CodeOf(err)
	status := statusOf(c)
	if err == errMethod {
		status = http.StatusMethodNotAllowed
	}
	if status == http.StatusUnauthorized || status == http.StatusForbidden {
		m.refused(v.r, string(c))
	}
	message := engine.MessageOf(err)
	if c == engine.Internal {
		m.o.Log("mirror: fault in " + v.r.URL.Path + ", request " + v.id)
		message = "something went wrong here; the log file has the request " + v.id
	}
	v.json(status, struct {
		Error     wireError `json:"error"`
		RequestID string    `json:"requestId"`
	}{wireError{c, message, engine.DetailsOf(err)}, v.id})
}

type wireError struct {
	Code    engine.Code    `json:"code"`
	Message string         `json:"message"`
	Details map[string]any `json:"details,omitempty"`
}

// refused is one line for each refused try: never a token, a code, a query or a header.
func (m *Mirror) refused(r *http.Request, why string) {
	path := r.URL.Path
	if len(path) > 80 {
		path = path[:80]
	}
	m.ledger.line("mirror: refused " + inline(r.Method+" "+path+" from "+r.RemoteAddr) + ": " + why)
}

func (v *visit) json(status int, body any) {
	v.w.Header().Set("Content-Type", "application/json; charset=utf-8")
	v.w.WriteHeader(status)
	_, _ = v.w.Write(append(encode(body), '\n'))
}

// read decodes the body, which is one JSON object.
func (v *visit) read(into any) error {
	b, err := io.ReadAll(v.r.Body)
	if err != nil {
		return cutShort(err)
	}
	_ = http.NewResponseController(v.raw).SetReadDeadline(time.Time{}) // it has come; the answer may take its time
	if err := json.Unmarshal(b, into); err != nil {
		return malformed(err)
	}
	return nil
}

func malformed(err error) error {
	var t *json.UnmarshalTypeError
	if errors.As(err, &t) {
		return engine.Errorf(engine.RequestMalformed, "the field %s cannot be a %s", t.Field, t.Value)
	}
	return engine.Errorf(engine.RequestMalformed, "this is not the JSON that is expected here")
}
