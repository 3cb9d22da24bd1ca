package main

import (
	"context"
	"crypto/tls"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"agentstudio/engine"
	"agentstudio/engine/netguard"
	"agentstudio/engine/words"
	"agentstudio/tui"
)

// maxProbe is how long a test of a connection may take.
const maxProbe = 15 * time.Second

// errProbe ends a test that took too long.
var errProbe = errors.New("the test took too long")

// Test implements tui.Connections.
func (c *connections) Test(ctx context.Context, d tui.ConnectionDraft) tui.TestReport {
	got, err := c.choose(ctx, d)
	if err != nil {
		return c.unready(err)
	}
	return c.probe(ctx, got, netguard.Policy{Localhost: d.Localhost, Private: d.Private}, maxProbe)
}

// unready is the report of a connection that isn't whole, so that nothing was sent.
func (c *connections) unready(err error) tui.TestReport {
	step := "format"
	switch lacks, _ := engine.DetailsOf(err)["missing"].([]string); {
	case engine.CodeOf(err) == engine.AddressRefused:
		return c.failed("guard", err, engine.Connection{})
	case len(lacks) > 0 && lacks[0] == "key":
		step = "auth"
	case len(lacks) > 0:
		step = "model"
	}
	return tui.TestReport{Step: step, Says: sayFault(c.lang, err)}
}

// probe makes the smallest real call: a few words, of whose answer only the beginning is awaited.
func (c *connections) probe(ctx context.Context, got chosen, allow netguard.Policy, limit time.Duration) tui.TestReport {
	if got.scripted() {
		return tui.TestReport{OK: true, Says: words.Text(c.lang, "connection.test.scripted", nil)}
	}
	client := netguard.Client(allow, c.net)
	defer client.CloseIdleConnections()
	m, err := speak(got.Connection, client, 2*limit)
	if err != nil {
		return c.unready(err)
	}
	ctx, stop := context.WithTimeoutCause(ctx, limit, errProbe)
	defer stop()
	if err := hear(ctx, m); err != nil {
		return c.failed(stepOf(err), err, got.Connection)
	}
	return tui.TestReport{OK: true, Says: words.Text(c.lang, "connection.test.ok", map[string]string{"model": got.Model, "host": hostOf(got.BaseURL)})}
}

// hear waits for the first sign of an answer.
func hear(ctx context.Context, m engine.Model) error {
	for chunk, err := range m.Stream(ctx, engine.Request{Purpose: engine.PurposeTurn, Turn: 1, Attempt: 1,
		Messages: []engine.Message{{Role: engine.RoleUser, Text: "Say OK."}}}) {
		if err != nil {
			return err
		}
		switch chunk.(type) {
		case engine.Text, engine.Reasoning, engine.ToolCall, engine.Stop:
			return nil
		}
	}
	return engine.Errorf(engine.ModelProtocol, "the answer was empty")
}

// stepOf is the step at which a call failed.
func stepOf(err error) string {
	if errors.Is(err, errProbe) {
		return "timeout"
	}
	if step := netguard.Diagnose(err); step != "" && !(step == netguard.StepTLS && speaksPlain(err)) {
		return string(step)
	}
	details := engine.DetailsOf(err)
	switch engine.CodeOf(err) {
	case engine.ModelTLS:
		if speaksPlain(err) {
			return "plain"
		}
		return "tls"
	case engine.ModelAuth:
		if details["status"] == http.StatusForbidden {
			return "denied"
		}
		return "auth"
	case engine.ModelNotFound:
		if details["about"] == "address" {
			return "address"
		}
		return "model"
	case engine.ModelBadRequest, engine.ModelTooLarge, engine.ContextOverflow:
		return "request"
	case engine.ModelQuota:
		return "quota"
	case engine.ModelRateLimited:
		return "rate"
	case engine.ModelOverloaded, engine.ModelServer:
		return "server"
	case engine.ModelUnreachable:
		return "dropped"
	}
	return "format"
}

// speaksPlain tells that a server answered a TLS greeting without TLS.
func speaksPlain(err error) bool {
	var record tls.RecordHeaderError
	return errors.As(err, &record) || errors.Is(err, http.ErrSchemeMismatch)
}

// failed puts a failure into words. What the server said is quoted as the error has it: cleaned and
// without the key.
func (c *connections) failed(step string, err error, conn engine.Connection) tui.TestReport {
	_, said, _ := strings.Cut(engine.MessageOf(err), "“")
	said, _, _ = strings.Cut(said, "”")
	sentence := step
	switch {
	case step == "guard":
		said = sayFault(c.lang, err)
	case step == "auth" && conn.Key.Empty():
		sentence = "keyless"
	}
	origin, host := shownOrigin(conn.Origin()), hostOf(conn.BaseURL)
	if step == "dns" { // a name has no port
		if u, err := url.Parse(conn.BaseURL); err == nil {
			host = u.Hostname()
		}
	}
	return tui.TestReport{Step: step, Says: words.Text(c.lang, "connection.test."+sentence, map[string]string{"host": host,
		"model": conn.Model, "api": conn.API, "origin": origin, "variable": variableOf(origin), "said": said})}
}

func hostOf(base string) string {
	u, err := url.Parse(base)
	if err != nil {
		return ""
	}
	return u.Host
}
