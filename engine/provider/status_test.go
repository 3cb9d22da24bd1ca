package provider

import (
	"encoding/base64"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"agentstudio/engine"
)

// answered is the error of a server that answers with status and body.
func answered(t *testing.T, status int, body string, header http.Header) error {
	t.Helper()
	if header == nil {
		header = http.Header{"Content-Type": {"application/json"}}
	}
	from := &canned{t: t, status: status, header: header, body: func() io.Reader { return strings.NewReader(body) }}
	got := ask(t.Context(), t, from.model(), hello())
	if got.err == nil || len(got.order) > 0 {
		t.Fatalf("%d %s: %+v", status, body, got)
	}
	return got.err
}

// A key that was never sent is not called refused: it may be set for another address.
func TestAKeyThatWasNotSentIsNotRefused(t *testing.T) {
	for _, d := range dialects() {
		from := &canned{t: t, dialect: d, status: 401, header: http.Header{"Content-Type": {"application/json"}}, body: func() io.Reader { return strings.NewReader(`{"error":{"message":"no key"}}`) }}
		c := d.connection("https://models.example/v1")
		c.Key = engine.Secret{}
		m, err := d.make(c, Options{Client: &http.Client{Transport: from}})
		if err != nil {
			t.Fatal(err)
		}
		err = ask(t.Context(), t, m, hello()).err
		if engine.CodeOf(err) != engine.ModelAuth || engine.MessageOf(err) != "the provider wants a key, and none was sent (401): “no key”; set a key for models.example; one that is set for another address is not sent there" {
			t.Errorf("%v", err)
		}
	}
}

func TestStatuses(t *testing.T) {
	for _, c := range []struct {
		status int
		body   string
		code   engine.Code
		says   string
	}{
		{400, `{"error":{"message":"bad tool"}}`, engine.ModelBadRequest, "(400): “bad tool”"},
		{400, `{"error":{"message":"API key not valid. Please pass a valid API key."}}`, engine.ModelAuth, "API key setting"},
		{400, `{"error":{"message":"The model x does not exist","code":"model_not_found"}}`, engine.ModelNotFound, "model id"},
		{401, ``, engine.ModelAuth, "(401, no message); check the API key setting"},
		{402, `{"error":{"message":"Insufficient Balance"}}`, engine.ModelQuota, "billing"},
		{403, `{"error":{"message":"Country not supported"}}`, engine.ModelAuth, "does not allow"},
		{403, `{"error":{"message":"out of credits"}}`, engine.ModelQuota, ""},
		{404, `<html><h1>404</h1>nginx</html>`, engine.ModelNotFound, "“404 nginx”"},
		{405, ``, engine.ModelNotFound, "base URL"},
		{408, ``, engine.ModelServer, "try again"},
		{409, `{"message":"conflict"}`, engine.ModelServer, "conflict"},
		{413, ``, engine.ModelTooLarge, "send less"},
		{413, `{"error":{"message":"prompt is too long: 250000 tokens"}}`, engine.ContextOverflow, ""},
		{422, `{"detail":[{"loc":["body"],"msg":"field required","type":"missing"}]}`, engine.ModelBadRequest, "field required"},
		{429, `{"error":{"message":"Rate limit reached for requests per min. Visit https://x/account/billing to add a payment method."}}`, engine.ModelRateLimited, "wait a little"},
		{429, `{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}`, engine.ModelQuota, ""},
		{429, `{"error":{"message":"token limit exceeded, maximum context length"}}`, engine.ModelRateLimited, ""},
		{500, `oops`, engine.ModelServer, "“oops”"},
		{502, ``, engine.ModelServer, "(502, no message)"},
		{503, `{"error":"slot unavailable"}`, engine.ModelOverloaded, "slot unavailable"},
		{504, ``, engine.ModelServer, ""},
		{520, ``, engine.ModelServer, ""},
		{529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, engine.ModelOverloaded, "Overloaded"},
		{302, ``, engine.ModelNotFound, "never followed"},
		{418, `"short"`, engine.ModelBadRequest, "short"},
		{500, `[{"error":{"message":"in a list","status":"INTERNAL"}}]`, engine.ModelServer, "in a list"},
		{500, "data: {\"error\":{\"message\":\"as an event\"}}\n\n", engine.ModelServer, "as an event"},
	} {
		err := answered(t, c.status, c.body, nil)
		if engine.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%d %s: %v, want %s with %q", c.status, c.body, err, c.code, c.says)
		}
		if engine.DetailsOf(err)["status"] != c.status {
			t.Errorf("%d: details %v", c.status, engine.DetailsOf(err))
		}
	}
}

func TestEveryMakersOverflow(t *testing.T) {
	for _, text := range []string{
		"This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.",
		"Your input exceeds the context window of this model.",
		"prompt is too long: 213462 tokens > 200000 maximum",
		"input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000",
		"the request exceeds the available context size. try increasing the context size or enable context shift",
		"Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is greater than the context length",
		"The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).",
		"This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
		"Please reduce the length of the messages or completion.",
		"Prompt contains 9 tokens, too large for model with 8 maximum context length",
		"Invalid request: Your request exceeded model token limit: 8192",
		"Range of input length should be [1, 98304]",
		"invalid params, context window exceeds limit",
		"prompt too long; exceeded max context length by 12 tokens",
		"Input is too long for requested model.",
	} {
		wantCode(t, answered(t, 400, `{"error":{"message":"`+text+`"}}`, nil), engine.ContextOverflow)
	}
	wantCode(t, answered(t, 400, `{"error":{"message":"no","code":"context_length_exceeded"}}`, nil), engine.ContextOverflow)
	wantCode(t, answered(t, 400, `{"error":{"message":"Too many tokens, please wait: rate limit"}}`, nil), engine.ModelRateLimited)
}

func TestWhatAServerSaysIsMadeHarmless(t *testing.T) {
	half := testKey[:7] + "***" + testKey[len(testKey)-4:]
	for _, said := range []string{testKey, half, testKey[4:16], url.QueryEscape(testKey), base64.StdEncoding.EncodeToString([]byte(testKey)),
		"sk-proj-AbCdEfGhIjKlMnOpQrSt", "(" + testKey + ")", "key=" + testKey + "&x"} {
		err := answered(t, 401, `{"error":{"message":"Incorrect API key provided: `+said+` see docs","code":"`+said+`"}}`, nil)
		if text := errText(err); strings.Contains(text, said) || !strings.Contains(text, "[redacted]") || !strings.Contains(text, "see docs") {
			t.Errorf("%s: %s", said, text)
		}
	}
	err := answered(t, 500, "\x1b]0;owned\x07 a\u202eb\r\nc "+strings.Repeat("世", 300), http.Header{"Content-Type": {"text/plain"}})
	text := err.Error()
	if strings.ContainsAny(text, "\x1b\x07\r\n\u202e") || utf8.RuneCountInString(text) > maxSaid+80 || !strings.Contains(text, "…") {
		t.Errorf("%q", text)
	}
	err = answered(t, 500, `{"error":{"message":"x","code":"has blanks in it","type":"plain_one"}}`, nil)
	if c := engine.DetailsOf(err)["providerCode"]; c != "plain_one" {
		t.Errorf("provider code %v", c)
	}
	huge := strings.Repeat("<script>", 20000)
	wantCode(t, answered(t, 500, "<html>"+huge, nil), engine.ModelServer)
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name, value string
		want        time.Duration
		ok          bool
	}{
		{"Retry-After", "2", 2 * time.Second, true},
		{"Retry-After", "0.5", 500 * time.Millisecond, true},
		{"Retry-After", "-3", 0, true},
		{"Retry-After", "1e300", 24 * time.Hour, true},
		{"Retry-After", "NaN", 0, false},
		{"Retry-After", "soon", 0, false},
		{"Retry-After", "", 0, false},
		{"Retry-After", "Mon, 30 Nov 2026 10:01:00 GMT", time.Minute, true},
		{"Retry-After", "Mon, 30 Nov 2026 09:00:00 GMT", 0, true},
		{"Retry-After-Ms", "1500", 1500 * time.Millisecond, true},
	} {
		got, ok := retryAfter(http.Header{http.CanonicalHeaderKey(c.name): {c.value}}, now)
		if got != c.want || ok != c.ok {
			t.Errorf("%s %q: %v %v, want %v %v", c.name, c.value, got, ok, c.want, c.ok)
		}
	}
	err := answered(t, 429, "", http.Header{"Retry-After": {"9"}, "Retry-After-Ms": {"100"}, "X-Should-Retry": {"false"}})
	d := engine.DetailsOf(err)
	if d["retryAfterMs"] != int64(100) || d["shouldRetry"] != false {
		t.Errorf("details %v", d)
	}
}
