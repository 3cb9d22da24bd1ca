package tui

import (
	"context"

	"agentstudio/engine"
)

// Connections are the models that a person can choose. Its methods are called on goroutines of
// their own, with nothing of the screen held.
type Connections interface {
	// Load gives what is in force, with where each part comes from, and what can be chosen.
	Load(ctx context.Context) (ConnectionForm, error)
	// Known are the models that the catalogue has for an address, the newest first.
	Known(ctx context.Context, provider, baseURL string) []KnownModel
	// Test makes the smallest real call, at most 15 s, and says in the screen's language which step
	// failed and what to do, or that it works.
	Test(ctx context.Context, d ConnectionDraft) TestReport
	// Use checks a draft strictly and gives the connection that it makes, for engine.Configure. With
	// Remember it is kept on this computer, else a kept one stays as it is.
	Use(ctx context.Context, d ConnectionDraft) (engine.Connection, error)
	// Forget removes what is kept on this computer, key included; there may be nothing.
	Forget(ctx context.Context) error
}

// ConnectionForm is what the form begins with.
type ConnectionForm struct {
	Draft   ConnectionDraft
	KeyHint string            // of the key in force, "" for none
	Origins map[string]string // by field's name (provider, api, baseURL, model, images, contextWindow, key): a flag, a variable, saved, default
	Presets []Preset
	APIs    []string // that this version speaks
	Keeper  string   // where a key would be kept: keyring, file; "" where nothing can be kept
	Kept    bool     // something is kept now
	Levels  []string // of thinking, of the model in force
}

// ConnectionDraft is what is typed into the form.
type ConnectionDraft struct {
	Provider, API, BaseURL, Model string
	Images                        string        // auto, true, false
	ContextWindow                 string        // tokens, "" for what the catalogue says
	Thinking                      string        // level, "" for the model's own
	Key                           engine.Secret // empty: the one in force, while the origin is the same
	Localhost, Private            bool          // addresses that are allowed beside public ones, for this session
	Remember                      bool
}

// Preset fills the form for a provider. It holds no key.
type Preset struct {
	Name  string // as people know it
	Draft ConnectionDraft
}

// KnownModel is a model of the catalogue.
type KnownModel struct {
	ID            string
	Name          string
	ContextWindow int
	Images        bool
	Levels        []string // of thinking, none for a model without
	Price         string   // in and out for a million tokens in US dollars, "" if unknown
}

// TestReport is what a test found.
type TestReport struct {
	OK   bool
	Step string // dns, connect, guard, tls, auth, model, quota, rate, server, format, timeout; "" when it works
	Says string // in words, with what to do
}
