package provider

import (
	"context"
	"iter"
	"strings"
	"sync/atomic"

	"agentstudio/engine"
)

// NewResponses makes the model behind an OpenAI Responses server, OpenAI's own or a compatible one.
// Nothing is kept by the server: each request holds the whole conversation. Nothing is sent before
// the first Stream. Errors: MODEL_NOT_CONFIGURED for a base URL or model id that cannot be used. The
// model may be used from any goroutine. Source: platform.openai.com/docs/api-reference/responses.
func NewResponses(c engine.Connection, o Options) (engine.Model, error) {
	w, err := newWire(c, o, "/responses")
	if err != nil {
		return nil, err
	}
	return &responses{wire: w, origin: c.Origin(), thinking: c.Thinking,
		info: engine.ModelInfo{Provider: c.Provider, API: engine.APIResponses, ID: c.Model, Host: w.host, Images: c.Images,
			ContextWindow: c.ContextWindow, KeyHint: c.Key.Hint()}}, nil
}

type responses struct {
	wire     *wire
	origin   string
	info     engine.ModelInfo
	thinking string
	refused  atomic.Uint32 // the extras that this model or server doesn't take
}

// extras are parts of a request that the answer can do without.
type extras uint32

const (
	encryptedReasoning extras = 1 << iota // "Encrypted content is not supported with this model."
	reasoningSummary                      // "Your organization must be verified to generate reasoning summaries."
	cacheKey                              // unknown to a few servers
	earlierReasoning                      // that of another organisation can't be read
)

// name is what people call one of them.
func (e extras) name() string {
	switch e {
	case encryptedReasoning:
		return "encrypted reasoning"
	case reasoningSummary:
		return "summaries of reasoning"
	case cacheKey:
		return "a cache key"
	}
	return "the earlier reasoning"
}

// Info is constant.
func (m *responses) Info() engine.ModelInfo { return m.info }

// Stream makes one call; tool calls, the continuation and usage come together at the end, before
// Stop. Where a server refuses by name something that the answer can do without (encrypted
// reasoning, reasoning summaries, the cache key), it is asked once more without, before anything is
// yielded. Errors: the model's codes (MODEL_…, CONTEXT_OVERFLOW), each with a sentence that says
// what to do; the cause of ctx where that ended. Details: status, providerCode, retryAfterMs,
// shouldRetry, limitSeconds, where known.
func (m *responses) Stream(ctx context.Context, r engine.Request) iter.Seq2[engine.Chunk, error] {
	return func(yield func(engine.Chunk, error) bool) {
		a := &responding{model: m, yield: yield, taken: idsOf(r)}
		err := m.exchange(ctx, r, a, extras(m.refused.Load()))
		if err != nil && !a.stopped {
			yield(nil, err)
		}
	}
}

func (m *responses) exchange(ctx context.Context, r engine.Request, a *responding, without extras) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	body, err := m.body(ctx, r, without)
	if err != nil {
		return err
	}
	got, err := m.wire.post(ctx, body)
	if err != nil {
		return err
	}
	taken, err := got.end(a)
	if taken {
		return err
	}
	more := refusedExtra(err)
	if more == 0 || without&more != 0 {
		return err
	}
	if more != earlierReasoning { // what this request holds is no fact about the server
		m.refused.Or(uint32(more))
	}
	if !a.say(engine.Repeated("the server does not take " + more.name() + ", so the request is made once more without")) {
		return stopped{}
	}
	return m.exchange(ctx, r, a, without|more)
}

// refusedExtra is what a server names where it calls a request wrong, 0 for anything else.
func refusedExtra(err error) extras {
	if engine.CodeOf(err) != engine.ModelBadRequest {
		return 0
	}
	code, _ := engine.DetailsOf(err)["providerCode"].(string)
	text := strings.ToLower(engine.MessageOf(err)) + " " + code
	switch {
	case holds(text, []string{"invalid_encrypted_content", "could not be verified", "could not be decrypted"}):
		return earlierReasoning
	case holds(text, []string{"encrypted content", "encrypted_content", "'include'", "\"include\""}):
		return encryptedReasoning
	case holds(text, []string{"reasoning summar", "reasoning.summary"}):
		return reasoningSummary
	case holds(text, []string{"prompt_cache_key"}):
		return cacheKey
	}
	return 0
}

// idsOf tells which call ids a conversation has.
func idsOf(r engine.Request) func(id string) bool {
	return func(id string) bool {
		for _, msg := range r.Messages {
			for _, c := range msg.Calls {
				if string(c.ID) == id {
					return true
				}
			}
		}
		return false
	}
}
