// Package provider speaks to language models over the network: requests and streams of each wire
// format, read by one decoder, and every failure as an engine.Error in plain words.
//
// It is given the HTTP client that guards addresses and makes none itself, takes nothing from the
// environment, follows no redirect and repeats no request on its own but one that a server refuses
// because of something that can be left out (see chat.Stream, responses.Stream).
package provider

import (
	"context"
	"iter"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"agentstudio/engine"
)

// Options are what a model is made with.
type Options struct {
	// Client makes every connection; required. Redirects and cookies are switched off for it.
	Client *http.Client
	// First limits the wait for the first event, Idle each wait after it. 0 means 120 s, and 600 s
	// for a server on this computer.
	First, Idle time.Duration
	// Clock measures these; nil means the real time.
	Clock engine.Clock
	// UserAgent names the program; "" means agentstudio.
	UserAgent string
	// MaxOutput is how many tokens an answer may have, by the setting or what is known of the model,
	// whichever is less; 0 is unknown. Only anthropic-messages asks for it.
	MaxOutput int
	// ThinkingForm is how the model is told how much to think, ThinkingAdaptive or ThinkingBudget; "" is
	// unknown. Only anthropic-messages asks for it.
	ThinkingForm string
}

// NewChat makes the model behind an OpenAI-style Chat Completions server: OpenAI's own or one of
// the many compatible ones. Nothing is sent before the first Stream. Errors: MODEL_NOT_CONFIGURED
// for a base URL or model id that cannot be used. The model may be used from any goroutine.
// Source: platform.openai.com/docs/api-reference/chat.
func NewChat(c engine.Connection, o Options) (engine.Model, error) {
	w, err := newWire(c, o, "/chat/completions")
	if err != nil {
		return nil, err
	}
	return &chat{wire: w, origin: c.Origin(), thinking: c.Thinking, info: engine.ModelInfo{Provider: c.Provider, API: engine.APIChat,
		ID: c.Model, Host: w.host, Images: c.Images, ContextWindow: c.ContextWindow, KeyHint: c.Key.Hint()}}, nil
}

type chat struct {
	wire     *wire
	origin   string
	thinking string // level, "" for the model's own
	info     engine.ModelInfo
	noUsage  atomic.Bool // the server refuses stream_options
}

// Info is constant.
func (m *chat) Info() engine.ModelInfo { return m.info }

// stopped unwinds when the caller has broken off.
type stopped struct{}

func (stopped) Error() string { return "the caller broke off" }

// Stream makes one call; tool calls, usage and the continuation come together at the end, before
// Stop. A server that refuses stream_options by name is asked once more without, before anything is
// yielded. Errors: the model's codes (MODEL_…, CONTEXT_OVERFLOW), each with a sentence that says
// what to do; the cause of ctx where that ended. Details: status, providerCode, retryAfterMs,
// shouldRetry, limitSeconds, where known.
func (m *chat) Stream(ctx context.Context, r engine.Request) iter.Seq2[engine.Chunk, error] {
	return func(yield func(engine.Chunk, error) bool) {
		a := newAnswer(m, r, yield)
		err := m.exchange(ctx, r, a)
		if err != nil && !a.stopped {
			yield(nil, err)
		}
	}
}

func (m *chat) exchange(ctx context.Context, r engine.Request, a *answer) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	usage := !m.noUsage.Load()
	got, err := m.send(ctx, r, usage)
	if err != nil {
		return err
	}
	taken, err := got.end(a)
	if taken {
		return err
	}
	if !usage || !namesStreamOptions(err) {
		return err
	}
	m.noUsage.Store(true)
	if !a.say(engine.Repeated("the server takes no stream_options, so the request is made once more without")) {
		return stopped{}
	}
	return m.exchange(ctx, r, a)
}

func (m *chat) send(ctx context.Context, r engine.Request, usage bool) (*reply, error) {
	body, err := m.body(ctx, r, usage)
	if err != nil {
		return nil, err
	}
	return m.wire.post(ctx, body)
}

// namesStreamOptions tells whether a server refuses the request because of stream_options.
func namesStreamOptions(err error) bool {
	code := engine.CodeOf(err)
	return (code == engine.ModelBadRequest || code == engine.ModelServer) && strings.Contains(engine.MessageOf(err), "stream_options")
}
