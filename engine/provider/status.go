package provider

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"agentstudio/engine"
)

// fault is what a server says of a failure, in whatever shape it came.
type fault struct {
	status  int // of HTTP, or a code inside a stream that is one; 0 is unknown
	message string
	code    string
	kind    string
}

// refusal reads an answer whose status is not 2xx.
func (r *reply) refusal() error {
	var body []byte
	from, first, err := r.stream()
	if err == nil {
		body, err = io.ReadAll(io.LimitReader(from, maxErrorBody))
	}
	if r.parent.Err() != nil {
		return r.failed(err, r.wire.cut)
	}
	f := fault{} // a body that can't be read says nothing; the status says enough
	if err == nil {
		f = readFault(body, first)
	}
	f.status = r.status
	e := r.wire.explain(f)
	if wait, ok := retryAfter(r.header, r.wire.clock.Now()); ok {
		_ = e.With("retryAfterMs", wait.Milliseconds())
	}
	if again, err := strconv.ParseBool(r.header.Get("X-Should-Retry")); err == nil {
		_ = e.With("shouldRetry", again)
	}
	return e
}

// readFault finds the message in an error body: JSON of several shapes, also as the data of an
// event, else a page or plain text.
func readFault(body []byte, first byte) fault {
	body = bytes.TrimSpace(body)
	if rest, ok := bytes.CutPrefix(body, []byte("data:")); ok {
		body = bytes.TrimSpace(rest)
	}
	switch {
	case json.Valid(body):
		return jsonFault(body)
	case first == '<':
		return fault{message: untagged(string(body[:min(len(body), 16<<10)]))}
	}
	return fault{message: string(body)}
}

// jsonFault reads {"error": {…}}, {"error": "…"}, {"message": …}, {"detail": …}, a bare string, and a
// list of one of these.
func jsonFault(raw []byte) fault {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return fault{message: text}
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil {
		if len(list) > 0 {
			return jsonFault(list[0])
		}
		return fault{}
	}
	var o map[string]json.RawMessage
	if json.Unmarshal(raw, &o) != nil {
		return fault{}
	}
	f := fault{code: scalar(o["code"]), kind: scalar(o["type"])}
	if f.kind == "" {
		f.kind = scalar(o["status"])
	}
	for _, name := range []string{"error", "message", "detail", "msg", "error_msg"} {
		inner, ok := o[name]
		if !ok || string(inner) == "null" {
			continue
		}
		g := jsonFault(inner)
		f.message = g.message
		if g.code != "" {
			f.code = g.code
		}
		if g.kind != "" {
			f.kind = g.kind
		}
		break
	}
	if n, err := strconv.Atoi(f.code); err == nil && n >= 400 && n < 600 {
		f.status = n
	}
	return f
}

// scalar is a JSON string or number as text, "" for anything else.
func scalar(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var n json.Number
	if json.Unmarshal(raw, &n) == nil {
		return n.String()
	}
	return ""
}

// explain makes an error of a fault: its code, and a sentence with what the server said and what to
// do about it.
func (w *wire) explain(f fault) *engine.Error {
	code := judge(f)
	lead, advice := sentence(code, f)
	if code == engine.ModelAuth && f.status != http.StatusForbidden && w.key.Empty() {
		lead, advice = "the provider wants a key, and none was sent", "set a key for "+w.host+"; one that is set for another address is not sent there"
	}
	said := w.upstream.said(f.message)
	var detail string
	switch {
	case said != "" && f.status != 0:
		detail = fmt.Sprintf(" (%d): “%s”", f.status, said)
	case said != "":
		detail = fmt.Sprintf(": “%s”", said)
	case f.status != 0:
		detail = fmt.Sprintf(" (%d, no message)", f.status)
	default:
		detail = " (no message)"
	}
	e := engine.Errorf(code, "%s%s; %s", lead, detail, advice)
	if f.status != 0 {
		_ = e.With("status", f.status)
	}
	if code == engine.ModelNotFound && !f.aboutModel() {
		_ = e.With("about", "address")
	}
	if said != "" {
		_ = e.With("providerMessage", said)
	}
	for _, c := range []string{f.code, f.kind} {
		if c = w.upstream.code(c); c != "" {
			return e.With("providerCode", c)
		}
	}
	return e
}

// judge gives the code of a fault. What the text says goes before the status, since servers use
// statuses loosely; a rate limit goes before an overflow, whose words it borrows.
func judge(f fault) engine.Code {
	text := strings.ToLower(f.message + " " + f.code + " " + f.kind)
	vague := f.status == 0 || f.status == http.StatusBadRequest || f.status >= 500
	switch {
	case (f.status == http.StatusPaymentRequired || f.status == http.StatusForbidden || f.status == http.StatusTooManyRequests || vague) && holds(text, quotaWords()):
		return engine.ModelQuota
	case f.status == http.StatusTooManyRequests || vague && holds(text, rateWords()):
		return engine.ModelRateLimited
	case holds(text, overflowWords()):
		return engine.ContextOverflow
	case vague && f.status < 500 && holds(text, keyWords()):
		return engine.ModelAuth
	case vague && f.status < 500 && holds(text, []string{"model_not_found", "model not found", "unknown model", "model does not exist", "not a valid model"}):
		return engine.ModelNotFound
	}
	if f.status == 0 {
		f.status = statusOf(f.kind)
	}
	if f.status != 0 {
		return byStatus(f.status)
	}
	switch {
	case holds(text, []string{"overloaded", "unavailable", "loading", "capacity", "busy", "insufficient_system_resource"}):
		return engine.ModelOverloaded
	case holds(text, []string{"invalid_request", "bad_request", "badrequest", "invalid_argument", "invalid_prompt"}):
		return engine.ModelBadRequest
	}
	return engine.ModelServer
}

// statusOf is the status that a kind of error has where it comes as one, 0 if it is none of
// Anthropic's. Source: platform.claude.com/docs/en/api/errors.
func statusOf(kind string) int {
	return map[string]int{"invalid_request_error": http.StatusBadRequest, "authentication_error": http.StatusUnauthorized,
		"billing_error": http.StatusPaymentRequired, "permission_error": http.StatusForbidden, "not_found_error": http.StatusNotFound,
		"request_too_large": http.StatusRequestEntityTooLarge, "rate_limit_error": http.StatusTooManyRequests,
		"timeout_error": http.StatusGatewayTimeout, "overloaded_error": 529}[kind]
}

func byStatus(status int) engine.Code {
	switch {
	case status >= 300 && status < 400, status == http.StatusNotFound, status == http.StatusMethodNotAllowed, status == http.StatusGone:
		return engine.ModelNotFound
	case status == http.StatusUnauthorized, status == http.StatusForbidden, status == http.StatusProxyAuthRequired:
		return engine.ModelAuth
	case status == http.StatusPaymentRequired:
		return engine.ModelQuota
	case status == http.StatusRequestTimeout, status == http.StatusConflict, status == http.StatusTooEarly:
		return engine.ModelServer // the same request may do next time
	case status == http.StatusRequestEntityTooLarge:
		return engine.ModelTooLarge
	case status == http.StatusServiceUnavailable, status == 529:
		return engine.ModelOverloaded
	case status >= 400 && status < 500:
		return engine.ModelBadRequest
	}
	return engine.ModelServer
}

// aboutModel tells whether what was not found is the model, and not the address: servers name it.
func (f fault) aboutModel() bool {
	text := strings.ToLower(f.message + " " + f.code + " " + f.kind)
	return strings.Contains(text, "model") && holds(text, []string{"not found", "not_found", "not exist", "unknown", "no such", "not a valid", "invalid", "unsupported", "not supported", "deprecated", "no access", "not have access"})
}

// sentence is what went wrong and what to do about it.
func sentence(code engine.Code, f fault) (lead, advice string) {
	switch status := f.status; {
	case status >= 300 && status < 400:
		return "the server sends elsewhere, which is never followed", "set the base URL to the API itself"
	case status == http.StatusForbidden && code == engine.ModelAuth:
		return "the provider does not allow this", "check what the API key setting's key may use, and from where"
	}
	switch code {
	case engine.ModelAuth:
		return "the provider refuses the key", "check the API key setting"
	case engine.ModelQuota:
		return "the account has no quota or credit left", "look at the provider's billing page or use another connection"
	case engine.ModelRateLimited:
		return "the provider limits the rate of requests", "wait a little, then try again"
	case engine.ModelOverloaded:
		return "the provider is overloaded or not ready", "try again in a moment"
	case engine.ModelNotFound:
		if f.aboutModel() {
			return "the provider knows no such model", "check the model id"
		}
		return "there is no such API at this address", "check the base URL, which often ends in /v1, and the connection's API"
	case engine.ModelTooLarge:
		return "the request is larger than the provider takes", "send less at once, or start a new session"
	case engine.ContextOverflow:
		return "the conversation does not fit into the model's context window", "compact it or start a new session"
	case engine.ModelBadRequest:
		text := strings.ToLower(f.message + " " + f.code)
		switch {
		case holds(text, []string{"image", "picture", "vision"}):
			return "the provider calls the request wrong", "leave the picture out, or choose a model that takes it"
		case holds(text, []string{"thinking", "reasoning", "effort"}):
			return "the provider calls the request wrong", "choose another thinking level, or none"
		}
		return "the provider calls the request wrong", "check that the model takes tools and that the connection's API is the server's"
	}
	return "the provider had a fault", "try again"
}

func holds(text string, words []string) bool {
	for _, w := range words {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}

// The words by which makers say the same things, in lower case. Sources: their API references and
// the error texts that open-source clients match.
func overflowWords() []string {
	return []string{"context_length_exceeded", "maximum context length", "context length exceeded", "exceeds the context window", // OpenAI, OpenRouter
		"prompt is too long", "exceed context limit", // Anthropic
		"exceeds the available context size", "exceed_context_size", "context size has been exceeded", // llama.cpp
		"model's context length", "maximum model length", "exceeds model's maximum", // vLLM
		"greater than the context length", "exceeded max context length", // LM Studio, Ollama
		"input token count", "maximum number of tokens allowed", // Google
		"maximum prompt length is", "reduce the length of the messages", // xAI, Groq
		"context window exceeds limit", "exceeded model token limit", "too large for model with", // MiniMax, Kimi, Mistral
		"range of input length should be", "maximum input length", "maximum allowed input length", // Qwen, DeepSeek hosts
		"input is too long for requested model", "model_context_window_exceeded", "token limit exceeded"}
}

func quotaWords() []string {
	return []string{"insufficient_quota", "insufficient balance", "insufficient_balance", "insufficient credit", "exceeded your current quota",
		"quota exceeded for the month", "monthly limit", "check your plan and billing", "billing_hard_limit", "billing_not_active", "arrearage", "payment required", "credit balance is too low", "out of credits"}
}

func rateWords() []string {
	return []string{"rate_limit", "rate limit", "ratelimit", "too many requests", "requests per minute", "tokens per minute", "slow down"}
}

func keyWords() []string {
	return []string{"invalid_api_key", "invalid api key", "incorrect api key", "api key not valid", "authentication_error", "invalid x-api-key", "unauthorized"}
}

// retryAfter is how long a server asks to wait: retry-after-ms, then Retry-After in seconds, which
// may be a fraction, or as a date. A time in the past is no wait.
func retryAfter(h http.Header, now time.Time) (time.Duration, bool) {
	const most = 24 * time.Hour
	in := func(value string, unit time.Duration) (time.Duration, bool) {
		n, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
		if err != nil || n != n {
			return 0, false
		}
		n = min(max(n, 0), float64(most/unit))
		return time.Duration(n * float64(unit)), true
	}
	if d, ok := in(h.Get("Retry-After-Ms"), time.Millisecond); ok {
		return d, true
	}
	if d, ok := in(h.Get("Retry-After"), time.Second); ok {
		return d, true
	}
	at, err := http.ParseTime(h.Get("Retry-After"))
	if err != nil {
		return 0, false
	}
	return min(max(at.Sub(now), 0), most), true
}
