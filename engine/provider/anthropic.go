package provider

import (
	"context"
	"iter"
	"strings"

	"agentstudio/engine"
)

const (
	messagesPath    = "/v1/messages"
	messagesVersion = "2023-06-01"
	makersHost      = "api.anthropic.com"
	maxPauses       = 5 // how often a paused answer is gone on with
)

// NewAnthropic makes the model behind Anthropic's Messages API or a server that speaks it. The base
// URL may end in /v1 or /v1/messages or neither. Nothing is sent before the first Stream. Errors:
// MODEL_NOT_CONFIGURED for a base URL or model id that cannot be used. The model may be used from any
// goroutine. Source: platform.claude.com/docs/en/api/messages.
func NewAnthropic(c engine.Connection, o Options) (engine.Model, error) {
	at := c
	at.BaseURL = strings.TrimRight(strings.TrimSpace(c.BaseURL), "/")
	for _, end := range []string{"/messages", "/v1"} {
		at.BaseURL = strings.TrimSuffix(at.BaseURL, end)
	}
	w, err := newWire(at, o, messagesPath)
	if err != nil {
		return nil, err
	}
	w.keyHeader, w.always = "X-Api-Key", map[string]string{"Anthropic-Version": messagesVersion}
	return &messages{wire: w, origin: c.Origin(), own: engine.OriginOf(c.BaseURL) == "https://"+makersHost+":443",
		most: o.MaxOutput, thinking: c.Thinking, form: o.ThinkingForm,
		info: engine.ModelInfo{Provider: c.Provider, API: engine.APIAnthropic,
			ID: c.Model, Host: w.host, Images: c.Images, ContextWindow: c.ContextWindow, KeyHint: c.Key.Hint()}}, nil
}

// messages is a model of anthropic-messages. It is immutable.
type messages struct {
	wire     *wire
	origin   string
	own      bool // the maker's own server
	info     engine.ModelInfo
	most     int    // tokens of an answer; 0 is unknown
	thinking string // the connection's
	form     string
}

// Info is constant.
func (m *messages) Info() engine.ModelInfo { return m.info }

// Stream makes one call; tool calls, the continuation and usage come together at the end, before
// Stop. An answer that the server pauses in the middle of work of its own (pause_turn) is gone on with
// here, at most five times: to the loop it is one answer, which has one usage, one end and one
// continuation, and no tool of ours is asked for in between. Errors and details are those of NewChat's
// model.
func (m *messages) Stream(ctx context.Context, r engine.Request) iter.Seq2[engine.Chunk, error] {
	return func(yield func(engine.Chunk, error) bool) {
		a := &message{model: m, yield: yield, taken: r.Messages}
		err := m.exchange(ctx, r, a)
		if err != nil && !a.stopped {
			yield(nil, err)
		}
	}
}

func (m *messages) exchange(ctx context.Context, r engine.Request, a *message) error {
	out, err := m.request(ctx, r)
	if err != nil {
		return err
	}
	a.prefix = out.prefix
	for pauses := 0; ; pauses++ {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		body, err := out.with(a.paused)
		if err != nil {
			return err
		}
		if err := m.send(ctx, body, a); err != nil || a.finish != stopPause {
			return err
		}
		if pauses == maxPauses {
			return a.fail(engine.Errorf(engine.ModelProtocol, "the server paused its answer more than %d times; ask for less at once", maxPauses))
		}
		if err := a.pause(); err != nil {
			return a.fail(err)
		}
		if !a.say(engine.Repeated("the server paused the answer and was asked to go on with it")) {
			return stopped{}
		}
	}
}

func (m *messages) send(ctx context.Context, body []byte, a *message) error {
	got, err := m.wire.post(ctx, body)
	if err != nil {
		return err
	}
	taken, err := got.end(a)
	if !taken {
		return a.fail(err)
	}
	return err
}
