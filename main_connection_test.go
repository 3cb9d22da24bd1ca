package main

import (
	"slices"
	"strings"
	"testing"

	"agentstudio/engine"
	"agentstudio/engine/catalogue"
	"agentstudio/engine/netguard"
)

func says(where, provider, api, base, model string) statement {
	return statement{provider: stated{provider, where}, api: stated{api, where}, baseURL: stated{base, where}, model: stated{model, where}}
}

// A connection comes whole from the first place that begins one; nothing of another is mixed in.
func TestConnectionPrecedence(t *testing.T) {
	flag, env, saved := says("flag", "", "", "https://flag.example/v1", "f"), says("env", "", "", "https://env.example/v1", "e"), says("saved", "other", "openai-chat", "https://saved.example/v1", "s")
	none := statement{}
	for name, c := range map[string]struct {
		p                  places
		base, model, where string
	}{
		"nobody":               {places{}, "", "", byDefault},
		"saved":                {places{saved: saved}, "https://saved.example/v1", "s", "saved"},
		"environment first":    {places{environment: env, saved: saved}, "https://env.example/v1", "e", "env"},
		"flags first":          {places{flags: flag, environment: env, saved: saved}, "https://flag.example/v1", "f", "flag"},
		"an API begins none":   {places{environment: statement{api: stated{"openai-chat", "env"}}, saved: saved}, "https://saved.example/v1", "s", "saved"},
		"broken, not needed":   {places{environment: env, broken: engine.ModelNotConfigured}, "https://env.example/v1", "e", "env"},
		"flags say scripted":   {places{flags: says("--scenario", "scripted", "", "", ""), environment: env}, "", "", "--scenario"},
		"environment scripted": {places{flags: none, environment: says("env", "scripted", "", "", ""), saved: saved}, "", "", "env"},
	} {
		got, err := c.p.resolve(t.Context())
		where := got.from["model"]
		if got.scripted() {
			where = got.from["provider"]
		}
		if err != nil || got.BaseURL != c.base || got.Model != c.model || where != c.where || got.scripted() != (c.base == "") {
			t.Errorf("%s: %+v %v %v", name, got.Connection, got.from, err)
		}
	}
}

// What is missing is named exactly, and nothing else is taken in its place.
func TestConnectionFaults(t *testing.T) {
	saved := says("saved", "other", "openai-chat", "https://saved.example/v1", "s")
	for name, c := range map[string]struct {
		p     places
		code  engine.Code
		lacks []string
		says  string
	}{
		"model":            {places{flags: says("f", "", "", "https://x.example/v1", ""), saved: saved}, engine.ModelNotConfigured, []string{"model"}, "--model or AGENT_MODEL"},
		"base URL":         {places{flags: says("f", "other", "", "", "m"), saved: saved}, engine.ModelNotConfigured, []string{"baseURL"}, "--base-url"},
		"provider":         {places{environment: says("e", "", "", "", "m"), saved: saved}, engine.ModelNotConfigured, []string{"provider"}, "no provider or base URL"},
		"model and key":    {places{flags: says("f", "openai", "", "", ""), saved: saved}, engine.ModelNotConfigured, []string{"model", "key"}, "https://api.openai.com is missing"},
		"key":              {places{flags: says("f", "", "", "https://api.openai.com/v1", "m")}, engine.ModelNotConfigured, []string{"key"}, ""},
		"broken saved":     {places{broken: engine.ModelNotConfigured}, engine.ModelNotConfigured, nil, ""},
		"mismatch":         {places{flags: says("f", "openai", "anthropic-messages", "", "m")}, engine.ProviderAPIMismatch, nil, "openai-chat"},
		"mismatch script":  {places{flags: says("f", "scripted", "openai-chat", "", "")}, engine.ProviderAPIMismatch, nil, "scripted"},
		"scripted API":     {places{flags: says("f", "other", "scripted", "https://x.example", "m")}, engine.ProviderAPIMismatch, nil, "openai-chat"},
		"responses":        {places{flags: says("f", "openai", "openai-responses", "", "m")}, engine.ModelNotConfigured, []string{"key"}, "https://api.openai.com is missing"},
		"anthropic":        {places{flags: says("f", "anthropic", "", "", "m")}, engine.ModelNotConfigured, []string{"key"}, "https://api.anthropic.com is missing"},
		"unknown provider": {places{flags: says("--provider", "opnai", "", "", "m")}, engine.ConfigInvalid, nil, "--provider takes"},
		"unknown API":      {places{flags: says("--api", "openai", "chat", "", "m")}, engine.ConfigInvalid, nil, "--api takes openai-chat"},
		"loose API":        {places{flags: statement{api: stated{"openai-chat", "--api"}}, saved: saved}, engine.ModelNotConfigured, nil, "--api belongs to a connection"},
		"loose key":        {places{keys: []ownedKey{fileKey("x", "", "")}}, engine.ModelNotConfigured, nil, "--key-file belongs"},
		"this computer":    {places{flags: says("f", "", "", "http://127.0.0.1:1234/v1", "m")}, engine.AddressRefused, nil, "--allow-localhost-models"},
		"window":           {places{flags: statement{baseURL: stated{"https://x.example", "f"}, model: stated{"m", "f"}, window: stated{"-1", "--context-window"}}}, engine.ConfigInvalid, nil, "--context-window"},
		"images":           {places{flags: statement{baseURL: stated{"https://x.example", "f"}, model: stated{"m", "f"}, images: stated{"yes", "--images"}}}, engine.ConfigInvalid, nil, "--images takes true or false"},
	} {
		_, err := c.p.resolve(t.Context())
		lacks, _ := engine.DetailsOf(err)["missing"].([]string)
		if engine.CodeOf(err) != c.code || !slices.Equal(lacks, c.lacks) || !strings.Contains(engine.MessageOf(err), c.says) {
			t.Errorf("%s: %v, missing %v", name, err, lacks)
		}
		if zh := sayFault("zh", err); len(c.lacks) > 0 && !strings.Contains(zh, "缺少") {
			t.Errorf("%s: %q", name, zh)
		}
	}
}

// Images and window may come from elsewhere; what was saved counts for the same model only.
func TestConnectionFacts(t *testing.T) {
	conn := says("env", "", "", "https://x.example/v1", "m")
	saved := conn
	saved.images, saved.window = stated{"true", isSaved}, stated{"1000", isSaved}
	other := saved
	other.model.value = "another"
	book := func(string, string) (catalogue.Facts, bool) {
		return catalogue.Facts{Images: true, ContextWindow: 77}, true
	}
	window := statement{window: stated{"5", "--context-window"}, images: stated{"false", "--images"}}
	for name, c := range map[string]struct {
		p      places
		images bool
		window int
		from   string
	}{
		"unknown":       {places{environment: conn}, false, 0, ""},
		"catalogue":     {places{environment: conn, facts: book}, true, 77, byDefault},
		"saved":         {places{environment: conn, saved: saved, facts: book}, true, 1000, isSaved},
		"another model": {places{environment: conn, saved: other}, false, 0, ""},
		"flags":         {places{flags: window, environment: conn, saved: saved, facts: book}, false, 5, "--context-window"},
	} {
		got, err := c.p.resolve(t.Context())
		if err != nil || got.Images != c.images || got.ContextWindow != c.window || got.from["contextWindow"] != c.from {
			t.Errorf("%s: %+v %v %v", name, got.Connection, got.from, err)
		}
	}
}

// Whatever is given where, a key goes to its own origin only.
func TestKeyOrigins(t *testing.T) {
	const maker, gateway, typed = "https://api.openai.com/v1", "https://gateway.example/v1", "https://typed.example:8443/v1"
	for name, c := range map[string]struct {
		vars     map[string]string
		file     string // what --base-url says; "-" for no --key-file
		provider string
		saved    string // origin of a saved key
		want     map[string]string
	}{
		"maker's":            {map[string]string{"OPENAI_API_KEY": "k1"}, "-", "", "", map[string]string{maker: "OPENAI_API_KEY"}},
		"gateway's":          {map[string]string{"OPENAI_API_KEY": "k1", "LLM_BASE_URL": gateway}, "-", "", "", map[string]string{gateway: "OPENAI_API_KEY"}},
		"gateway's own":      {map[string]string{"OPENAI_API_KEY": "k1", "LLM_API_KEY": "k2", "LLM_BASE_URL": gateway}, "-", "", "", map[string]string{gateway: "LLM_API_KEY"}},
		"nowhere":            {map[string]string{"LLM_API_KEY": "k2"}, "-", "", "", nil},
		"a broken base URL":  {map[string]string{"OPENAI_API_KEY": "k1", "LLM_API_KEY": "k2", "LLM_BASE_URL": "nonsense"}, "-", "", "", nil},
		"Anthropic's":        {map[string]string{"ANTHROPIC_API_KEY": "k3", "LLM_BASE_URL": gateway}, "-", "", "", nil}, // no chat API takes it
		"file":               {nil, typed, "", "", map[string]string{typed: keyFileFlag}},
		"file for the maker": {nil, "", "openai", "", map[string]string{maker: keyFileFlag}},
		"file for nobody":    {nil, "", "other", "", nil},
		"file before others": {map[string]string{"OPENAI_API_KEY": "k1"}, "", "openai", maker, map[string]string{maker: keyFileFlag}},
		"saved":              {nil, "-", "", gateway, map[string]string{gateway: isSaved}},
		"environment first":  {map[string]string{"OPENAI_API_KEY": "k1"}, "-", "", maker, map[string]string{maker: "OPENAI_API_KEY"}},
	} {
		keys := environmentKeys(c.vars)
		if c.file != "-" {
			k := fileKey("unread", c.file, c.provider)
			keys = append([]ownedKey{known(k.name, k.origin, k.apis, "kf")}, keys...)
		}
		if c.saved != "" {
			keys = append(keys, known(isSaved, engine.OriginOf(c.saved), "", "ks"))
		}
		for _, base := range []string{maker, gateway, typed, "http://api.openai.com/v1", "https://api.openai.com:8443/v1", "https://api.openai.com.evil.example/v1", "https://gateway.example:444/v1", "https://api.anthropic.com"} {
			key, from, err := pick(t.Context(), keys, engine.OriginOf(base), engine.APIChat)
			if err != nil || from != c.want[base] || key.Empty() != (from == "") {
				t.Errorf("%s: %s gets %q, want %q", name, base, from, c.want[base])
			}
		}
	}
}

// Only other providers and this computer do without a key.
func TestKeyless(t *testing.T) {
	p := places{policy: netguard.Policy{Localhost: true}}
	for address, want := range map[string]bool{"https://x.example/v1": true, "http://localhost:1234/v1": true, "http://[::1]:1234/v1": true, "https://api.openai.com/v1": false} {
		p.flags = says("f", "", "", address, "m")
		if _, err := p.resolve(t.Context()); (err == nil) != want {
			t.Errorf("%s: %v", address, err)
		}
	}
	p.flags = says("f", "openai", "", "http://127.0.0.1:1234/v1", "m")
	if _, err := p.resolve(t.Context()); err != nil {
		t.Error(err)
	}
}

// A thinking level is one that the model is known to have; of a model that nobody knows, any is taken.
func TestThinkingLevels(t *testing.T) {
	facts := func(_, model string) (catalogue.Facts, bool) {
		switch model {
		case "thinks":
			return catalogue.Facts{ContextWindow: 1000, Thinks: true, Levels: []string{"none", "low", "high"}}, true
		case "plain":
			return catalogue.Facts{ContextWindow: 1000}, true
		}
		return catalogue.Facts{}, false
	}
	for _, c := range []struct {
		model, level string
		want         engine.Code
		says         string
	}{
		{"thinks", "high", "", ""},
		{"thinks", "off", "", ""},
		{"thinks", "max", engine.ConfigInvalid, "--thinking takes off, low, high for thinks, not \"max\""},
		{"plain", "high", engine.ModelNotConfigured, "plain has no thinking levels"},
		{"plain", "", "", ""},
		{"unheard-of", "max", "", ""},
		{"unheard-of", "very", engine.ConfigInvalid, "--thinking takes off, minimal"},
	} {
		s := says("flag", "", "", "https://x.example/v1", c.model)
		s.thinking = stated{c.level, "--thinking"}
		got, err := places{flags: s, facts: facts}.resolve(t.Context())
		if engine.CodeOf(err) != c.want || err == nil && got.Thinking != c.level || err != nil && !strings.Contains(engine.MessageOf(err), c.says) {
			t.Errorf("%s %q: %q, %v", c.model, c.level, got.Thinking, err)
		}
	}
}
