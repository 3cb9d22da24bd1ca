package mirror

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"agentstudio/engine"
)

// pace is how long each side may keep the other waiting, by the real time.
type pace struct {
	write time.Duration // for the client to take what is written, up to 64 KiB at once
	body  time.Duration // for the whole of a small body
	stall time.Duration // between two bytes of an upload
	whole time.Duration // for the whole of an upload
}

func (p pace) withDefaults() pace {
	def := func(v *time.Duration, d time.Duration) {
		if *v <= 0 {
			*v = d
		}
	}
	def(&p.write, writeWithin)
	def(&p.body, 5*time.Second)
	def(&p.stall, 15*time.Second)
	def(&p.whole, 10*time.Minute)
	return p
}

// pacedWriter gives each piece of an answer its own write deadline, so that a reader that stops is let
// go and a slow one is not. Every route answers through it; sockets leave it with the upgrade.
type pacedWriter struct {
	http.ResponseWriter
	within time.Duration
}

// Unwrap is for http.ResponseController.
func (w *pacedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *pacedWriter) renew() {
	_ = http.NewResponseController(w.ResponseWriter).SetWriteDeadline(time.Now().Add(w.within))
}

// WriteHeader implements http.ResponseWriter.
func (w *pacedWriter) WriteHeader(status int) {
	w.renew()
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (w *pacedWriter) Write(b []byte) (n int, err error) {
	for {
		piece := b[n:min(len(b), n+gathered)]
		w.renew()
		k, err := w.ResponseWriter.Write(piece)
		if n += k; err != nil || n == len(b) {
			return n, err
		}
	}
}

// hasBody tells whether bytes come after the head of a request.
func hasBody(r *http.Request) bool { return r.ContentLength != 0 }

// uploading is the body of an upload under way. It ends when no byte has come for a while, when it has
// taken too long in all, or when end is called.
type uploading struct {
	body  io.ReadCloser
	rc    *http.ResponseController
	pace  pace
	until time.Time
	done  chan struct{} // closed when the upload has been answered

	mu    sync.Mutex
	ended bool
}

// Read implements io.Reader.
func (u *uploading) Read(b []byte) (int, error) {
	u.mu.Lock()
	at := time.Now().Add(u.pace.stall)
	switch {
	case u.ended:
		at = time.Now()
	case at.After(u.until):
		at = u.until
	}
	_ = u.rc.SetReadDeadline(at)
	u.mu.Unlock()
	n, err := u.body.Read(b)
	if errors.Is(err, io.EOF) {
		_ = u.rc.SetReadDeadline(time.Time{}) // else it would end the request while the picture is looked at
	}
	return n, err
}

// Close implements io.Closer.
func (u *uploading) Close() error { return u.body.Close() }

// end has a Read that waits return, and every later one fail. Any goroutine.
func (u *uploading) end() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.ended = true
	_ = u.rc.SetReadDeadline(time.Now())
}

// uploads are those under way, by device and the client's id.
type uploads struct {
	mu sync.Mutex
	by map[string]*uploading
}

// begin registers an upload. An older one under the same id, whose connection may be long dead without
// anybody having noticed, is ended first and waited for, so that the client that tries again is served.
func (l *uploads) begin(ctx context.Context, key string, u *uploading) error {
	for {
		l.mu.Lock()
		older := l.by[key]
		if older == nil {
			if l.by == nil {
				l.by = map[string]*uploading{}
			}
			l.by[key] = u
			l.mu.Unlock()
			return nil
		}
		l.mu.Unlock()
		older.end()
		select {
		case <-older.done:
		case <-ctx.Done():
			return cutShort(ctx.Err())
		}
	}
}

func (l *uploads) finish(key string, u *uploading) {
	l.mu.Lock()
	delete(l.by, key)
	l.mu.Unlock()
	close(u.done)
}

// heeded is a body that ends with the right to send it, and whose end is an end only if after says so.
type heeded struct {
	io.Reader
	may, after func() error
}

// Read implements io.Reader. It asks after each part of the body, so before the end is known too.
func (h *heeded) Read(b []byte) (int, error) {
	n, err := h.Reader.Read(b)
	if lost := h.may(); lost != nil {
		return 0, lost
	}
	if errors.Is(err, io.EOF) {
		if wrong := h.after(); wrong != nil {
			return 0, wrong
		}
	}
	return n, err
}

// fault keeps the first thing that went wrong with reading, so that a client that goes in the middle is
// told from a fault of what reads.
type fault struct {
	io.Reader
	err error
}

// Read implements io.Reader.
func (f *fault) Read(b []byte) (int, error) {
	n, err := f.Reader.Read(b)
	if err != nil && !errors.Is(err, io.EOF) && f.err == nil {
		f.err = err
	}
	return n, err
}

// cutShort is what is said of a body that did not come whole; nobody may be there to read it.
func cutShort(err error) error {
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return tooLarge(large.Limit)
	}
	return engine.Errorf(engine.RequestMalformed, "the body was cut before its end, or came too slowly; try again")
}
