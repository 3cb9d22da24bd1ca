package main

import (
	"context"
	"os"
	"strconv"
	"sync"

	"agentstudio/engine"
	"agentstudio/engine/catalogue"
	"agentstudio/engine/netguard"
	"agentstudio/engine/words"
	"agentstudio/tui"
)

// connections are the models that can be chosen: by flags, environment, what is saved, and by the
// screen. Its methods may be called from any goroutine.
type connections struct {
	o        *options
	lang     words.Lang
	keeping  keeping
	net      netguard.Options
	scripted engine.Model // what plays when nobody names a model

	mu    sync.Mutex
	used  *chosen         // what the screen has chosen
	typed engine.Secret   // that choice's key, if a person typed it
	allow netguard.Policy // for the models of this session
}

var _ tui.Connections = (*connections)(nil)

const thisSession = "this session"

// variables are those of the environment that speak of a connection, read once.
func variables() map[string]string {
	vars := map[string]string{}
	for _, name := range []string{"AGENT_PROVIDER", "AGENT_MODEL", "LLM_API", "LLM_BASE_URL", "LLM_API_KEY", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "ALLOW_PRIVATE_LLM_BASE_URLS"} {
		vars[name] = os.Getenv(name)
	}
	return vars
}

// connecting gives the connections of this command, which are made once.
func (o *options) connecting() (*connections, error) {
	if o.connections != nil {
		return o.connections, nil
	}
	lang, err := o.language()
	if err != nil {
		return nil, err
	}
	root, err := o.stateRoot()
	if err != nil {
		return nil, err
	}
	allow := netguard.Policy{Localhost: o.localhost, Private: o.private}
	switch v := o.vars["ALLOW_PRIVATE_LLM_BASE_URLS"]; {
	case v == "" || o.given("allow-private-models"):
	default:
		if allow.Private, err = strconv.ParseBool(v); err != nil {
			return nil, engine.Errorf(engine.ConfigInvalid, "ALLOW_PRIVATE_LLM_BASE_URLS takes true or false, not %q", v)
		}
	}
	k := keeping{root: root, ring: systemKeyring{}, wait: maxKeyring}
	if o.ring != nil {
		k.ring = o.ring
	}
	o.connections = &connections{o: o, lang: lang, keeping: k, allow: allow}
	if o.proxy != "" {
		if o.connections.net.Proxy, err = netguard.ParseProxy(o.proxy); err != nil {
			return nil, engine.Errorf(engine.ConfigInvalid, "--model-proxy: %s", sayFault(lang, err))
		}
	}
	return o.connections, nil
}

// places reads all that a connection can come from.
func (c *connections) places() places {
	v := c.o.vars
	p := places{flags: c.o.connectionFlags(), policy: c.policy(), facts: catalogue.Lookup,
		environment: statement{provider: stated{v["AGENT_PROVIDER"], "AGENT_PROVIDER"}, api: stated{v["LLM_API"], "LLM_API"},
			baseURL: stated{v["LLM_BASE_URL"], "LLM_BASE_URL"}, model: stated{v["AGENT_MODEL"], "AGENT_MODEL"}}}
	var kept keptConnection
	kept, _, p.broken = c.keeping.load()
	p.saved = kept.statement()
	if c.o.keyFile != "" {
		own := p.flags.provider.value
		for _, s := range []statement{p.environment, p.saved} {
			if own == "" && !p.flags.begins() {
				own = s.provider.value
			}
		}
		p.keys = append(p.keys, fileKey(c.o.keyFile, p.flags.baseURL.value, own))
	}
	p.keys = append(p.keys, environmentKeys(v)...)
	if kept.KeyIn != "" {
		p.keys = append(p.keys, c.keeping.key(kept))
	}
	return p
}

// connectionFlags is what the command line says of the connection.
func (o *options) connectionFlags() statement {
	s := statement{provider: stated{o.provider, "--provider"}, api: stated{o.api, "--api"}, baseURL: stated{o.baseURL, "--base-url"},
		model: stated{o.model, "--model"}, images: stated{o.images, "--images"}, thinking: stated{o.thinking, "--thinking"}}
	if o.given("context-window") {
		s.window = stated{strconv.Itoa(o.window), "--context-window"}
	}
	if !s.begins() && o.given("scenario") {
		s.provider = stated{engine.ProviderScripted, "--scenario"} // whoever names a script wants it played
	}
	return s
}

func (c *connections) policy() netguard.Policy {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.allow
}

// inForce is the connection that is spoken to.
func (c *connections) inForce(ctx context.Context) (chosen, error) {
	c.mu.Lock()
	used := c.used
	c.mu.Unlock()
	if used != nil {
		return *used, nil
	}
	return c.places().resolve(ctx)
}

// model makes the model of a connection; it is engine.Config.Models.
func (c *connections) model(conn engine.Connection) (engine.Model, error) {
	if conn.API == engine.APIScripted {
		return c.scripted, nil
	}
	return speak(conn, netguard.Client(c.policy(), c.net), 0)
}

// Load implements tui.Connections. With a half-made connection it gives what there is of it.
func (c *connections) Load(ctx context.Context) (tui.ConnectionForm, error) {
	in, err := c.inForce(ctx)
	if engine.CodeOf(err) == engine.ConfigInvalid {
		return tui.ConnectionForm{}, err
	}
	allow := c.policy()
	_, kept, _ := c.keeping.load()
	f := tui.ConnectionForm{KeyHint: in.Key.Hint(), Origins: in.from, APIs: []string{engine.APIChat}, Kept: kept, Presets: c.presets(),
		Keeper: c.keeping.keeper(ctx), Draft: tui.ConnectionDraft{Provider: in.Provider, API: in.API, BaseURL: in.BaseURL, Model: in.Model,
			Images: "auto", Localhost: allow.Localhost, Private: allow.Private}}
	if from := in.from["images"]; from != "" && from != byDefault {
		f.Draft.Images = strconv.FormatBool(in.Images)
	}
	if from := in.from["contextWindow"]; from != "" && from != byDefault {
		f.Draft.ContextWindow = strconv.Itoa(in.ContextWindow)
	}
	if from := in.from["thinking"]; from != "" && from != byDefault {
		f.Draft.Thinking = in.Thinking
	}
	if levels, known := (places{facts: catalogue.Lookup}).levels(in.Connection); known || f.Draft.Thinking != "" {
		f.Levels = levels
	}
	return f, nil
}

// presets fill the form; each is spoken to by its provider's first API.
func (c *connections) presets() (all []tui.Preset) {
	for _, p := range []struct{ name, provider, base string }{
		{"OpenAI", engine.ProviderOpenAI, homeOf(engine.ProviderOpenAI)},
		{"Anthropic", engine.ProviderAnthropic, homeOf(engine.ProviderAnthropic)},
		{"DeepSeek", engine.ProviderOther, "https://api.deepseek.com/v1"},
		{"Qwen", engine.ProviderOther, "https://dashscope.aliyuncs.com/compatible-mode/v1"},
		{"OpenRouter", engine.ProviderOther, "https://openrouter.ai/api/v1"},
	} {
		all = append(all, tui.Preset{Name: p.name, Draft: tui.ConnectionDraft{Provider: p.provider, API: firstAPI(p.provider), BaseURL: p.base, Images: "auto"}})
	}
	return append(all, tui.Preset{Name: words.Text(c.lang, "connection.ollama", nil), Draft: tui.ConnectionDraft{
		Provider: engine.ProviderOther, API: engine.APIChat, BaseURL: "http://127.0.0.1:11434/v1", Images: "auto", Localhost: true}})
}

// Known implements tui.Connections.
func (c *connections) Known(_ context.Context, provider, baseURL string) []tui.KnownModel {
	if baseURL == "" {
		baseURL = homeOf(provider)
	}
	var all []tui.KnownModel
	for _, m := range catalogue.Models(engine.OriginOf(baseURL)) {
		k := tui.KnownModel{ID: m.ID, Name: m.Name, ContextWindow: m.ContextWindow, Images: m.Images, Levels: levelsOf(m.Facts, firstAPI(provider))}
		if m.Price.Known() {
			k.Price = "$" + m.Price.In + " / $" + m.Price.Out
		}
		all = append(all, k)
	}
	return all
}

// choose makes the connection of a draft, as strictly as one of flags. An empty key is the one in
// force, or another that belongs to the same origin.
func (c *connections) choose(ctx context.Context, d tui.ConnectionDraft) (chosen, error) {
	s := statement{provider: stated{d.Provider, thisSession}, api: stated{d.API, thisSession}, baseURL: stated{d.BaseURL, thisSession},
		model: stated{d.Model, thisSession}, window: stated{d.ContextWindow, thisSession}, thinking: stated{d.Thinking, thisSession}}
	if d.Images != "auto" {
		s.images = stated{d.Images, thisSession}
	}
	if !s.begins() {
		return chosen{}, incomplete([]string{"provider", "model"}, "", "")
	}
	p := c.places()
	p.flags, p.environment, p.saved, p.broken = s, statement{}, statement{}, nil
	p.policy = netguard.Policy{Localhost: d.Localhost, Private: d.Private}
	base := d.BaseURL
	if base == "" {
		base = homeOf(d.Provider)
	}
	var first []ownedKey
	if !d.Key.Empty() {
		first = append(first, known(thisSession, engine.OriginOf(base), "", d.Key.Reveal()))
	}
	c.mu.Lock()
	if c.used != nil && !c.used.Key.Empty() {
		first = append(first, known(c.used.from["key"], c.used.Origin(), "", c.used.Key.Reveal()))
	}
	c.mu.Unlock()
	p.keys = append(first, p.keys...)
	return p.resolve(ctx)
}

// Use implements tui.Connections. Only a key that a person typed, or that is saved already, is kept:
// one of the environment or of a file stays where it is.
func (c *connections) Use(ctx context.Context, d tui.ConnectionDraft) (engine.Connection, error) {
	conn, err := c.use(ctx, d)
	if err != nil && c.lang != words.English {
		return conn, &engine.Error{Code: engine.CodeOf(err), Message: sayFault(c.lang, err), Details: engine.DetailsOf(err), Err: err}
	}
	return conn, err
}

func (c *connections) use(ctx context.Context, d tui.ConnectionDraft) (engine.Connection, error) {
	got, err := c.choose(ctx, d)
	if err == nil && !got.scripted() {
		// Whether all of it can be used shows before anything is kept or changed.
		_, err = speak(got.Connection, netguard.Client(netguard.Policy{}, c.net), 0)
	}
	if err != nil {
		return engine.Connection{}, err
	}
	c.mu.Lock()
	typed := d.Key
	if typed.Empty() && c.used != nil && c.used.Origin() == got.Origin() {
		typed = c.typed
	}
	c.mu.Unlock()
	if d.Remember {
		key := typed
		if key.Empty() && got.from["key"] == isSaved {
			key = got.Key
		}
		if err := c.keeping.save(ctx, got, key); err != nil {
			return engine.Connection{}, err
		}
	}
	c.mu.Lock()
	c.used, c.typed = &got, typed
	c.allow = netguard.Policy{Localhost: d.Localhost, Private: d.Private}
	c.mu.Unlock()
	return got.Connection, nil
}

// chosen gives what the screen has chosen since the start, nil for nothing.
func (c *connections) chosen() *engine.Connection {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.used == nil {
		return nil
	}
	return &c.used.Connection
}

// Forget implements tui.Connections. The model that is spoken to now stays until another is chosen.
func (c *connections) Forget(ctx context.Context) error { return c.keeping.forget(ctx) }
