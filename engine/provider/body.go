package provider

import (
	"encoding/json"
	"errors"
	"io"
	"strings"

	"agentstudio/engine"
)

const maxWhole = 8 << 20 // bytes of an answer that did not stream

// listener takes a 2xx answer in the shape it came in.
type listener interface {
	events(r *reply, d *decoder) error
	whole(r *reply, from io.Reader) error
}

// readInto reads a 2xx answer, whatever it turns out to be: its content type is often wrong, so its
// first byte decides: an event stream begins with data:, event: or a comment.
func (r *reply) readInto(l listener) error {
	from, first, err := r.stream()
	if err != nil {
		return err
	}
	kind, _, _ := strings.Cut(r.header.Get("Content-Type"), ";")
	kind = strings.ToLower(strings.TrimSpace(kind))
	switch {
	case first == '{' || first == '[':
		return l.whole(r, from)
	case first == '<' || kind == "text/html" && first != 'd' && first != 'e' && first != ':':
		return r.page(from, kind)
	}
	return l.events(r, newDecoder(from))
}

// end reads the whole exchange and closes it: an answer, taken by l, or the refusal that came in its
// place.
func (r *reply) end(l listener) (taken bool, err error) {
	defer r.close()
	if r.status < 200 || r.status >= 300 {
		return false, r.refusal()
	}
	if err = r.readInto(l); err == nil {
		r.drain()
	}
	return true, err
}

// page says that a web page came in place of an answer.
func (r *reply) page(from io.Reader, kind string) error {
	b, err := io.ReadAll(io.LimitReader(from, maxErrorBody))
	if err != nil {
		return r.failed(err, r.wire.cut)
	}
	f := readFault(b, '<')
	said := r.wire.upstream.said
	return engine.Errorf(engine.ModelProtocol, "a web page came in place of an answer (%s: “%s”); check the base URL, and whether a gateway wants you to sign in",
		said(kind), said(f.message))
}

// json reads an answer that did not stream into v. It gives the bytes as well, and the error of v
// where they are JSON of another kind. JSON that ends too early is MODEL_STREAM_CUT.
func (r *reply) json(from io.Reader, v any) (b []byte, wrong, err error) {
	b, err = io.ReadAll(io.LimitReader(from, maxWhole+1))
	if err != nil {
		return nil, nil, r.failed(err, r.wire.cut)
	}
	wrong = json.Unmarshal(b, v)
	var syntax *json.SyntaxError
	if errors.As(wrong, &syntax) && syntax.Offset >= int64(len(strings.TrimSpace(string(b)))) && len(b) <= maxWhole {
		return nil, nil, r.wire.cut(io.ErrUnexpectedEOF)
	}
	return b, wrong, nil
}
