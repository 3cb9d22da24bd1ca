package main

import (
	"context"
	"strings"

	"github.com/spf13/pflag"

	"agentstudio/engine"
	"agentstudio/engine/netguard"
	"agentstudio/engine/words"
)

// bindConnection declares the flags that name a model.
func (o *options) bindConnection(f *pflag.FlagSet) {
	f.StringVar(&o.provider, "provider", "", "who runs the model: openai, anthropic, other, or scripted for the scenario")
	f.StringVar(&o.api, "api", "", "how it is spoken to: openai-responses, openai-chat or anthropic-messages (default by the provider; openai-chat for other)")
	f.StringVar(&o.model, "model", "", "id of the model")
	f.StringVar(&o.baseURL, "base-url", "", "address of the model's server, as in https://HOST/v1 (default the provider's own)")
	f.StringVar(&o.images, "images", "", "whether the model takes images: true or false (default from the catalogue)")
	f.IntVar(&o.window, "context-window", 0, "tokens that the model can hold (default from the catalogue)")
	f.StringVar(&o.thinking, "thinking", "", "how much the model thinks before it answers: off, or one of its own levels, as in high (default the model's own)")
	f.StringVar(&o.keyFile, "key-file", "", "file whose first line is the key for --base-url, else for the provider's own server")
	f.BoolVar(&o.localhost, "allow-localhost-models", false, "also speak to models on this computer, with http too")
	f.BoolVar(&o.private, "allow-private-models", false, "also speak to models in private networks, with http too")
	f.StringVar(&o.proxy, "model-proxy", "", "proxy that public models are reached through, as in http://HOST:PORT; it weakens the check of addresses")
}

// modelFor gives the model in force and how others are made. Where one can do without, a connection
// that is half made is told as news instead, and nothing else plays in its place.
func (o *options) modelFor(ctx context.Context, s *studio, scripted engine.Model) (func(engine.Connection) (engine.Model, error), engine.Model, error) {
	c, err := o.connecting()
	if err != nil {
		return nil, nil, err
	}
	c.scripted = scripted
	s.chosen = c.chosen
	var m engine.Model
	in, err := c.inForce(ctx)
	s.news = strings.Join(c.warnings(in.Connection), "\n")
	if err == nil {
		s.real = !in.scripted()
		s.key = in.Connection.Key
		m, err = c.model(in.Connection)
	}
	if err != nil && (!o.modelless || engine.CodeOf(err) == engine.ConfigInvalid) {
		return nil, nil, err
	}
	if err != nil {
		s.real, s.news = true, sayFault(c.lang, err)
		m = nil
	}
	return c.model, m, nil
}

// warnings are about files with keys that others can read, about a proxy, and about a host that may
// be taken for another.
func (c *connections) warnings(in engine.Connection) []string {
	kept, _, _ := c.keeping.load()
	at := ""
	if kept.Key != "" {
		at = c.keeping.path()
	}
	all := keyWarnings(c.lang, c.o.keyFile, at)
	if c.net.Proxy != nil {
		all = append(all, words.Text(c.lang, "connection.proxy", map[string]string{"proxy": c.net.Proxy.Host}))
	}
	if host := netguard.ForeignName(in.BaseURL); host != "" {
		all = append(all, words.Text(c.lang, "connection.foreignName", map[string]string{"host": host}))
	}
	return all
}
