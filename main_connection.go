package main

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"agentstudio/engine"
	"agentstudio/engine/catalogue"
	"agentstudio/engine/netguard"
	"agentstudio/engine/words"
)

// stated is one value of a connection, and where it comes from, as in --model or LLM_BASE_URL.
type stated struct{ value, origin string }

// statement is what one place says of the connection. A connection comes whole from the first place
// that begins one.
type statement struct{ provider, api, baseURL, model, images, window, thinking stated }

func (s statement) begins() bool { return s.provider.value+s.baseURL.value+s.model.value != "" }

// places are all that a connection can come from.
type places struct {
	flags, environment, saved statement
	broken                    error // why what is saved can't be read
	keys                      []ownedKey
	policy                    netguard.Policy
	facts                     func(origin, model string) (catalogue.Facts, bool) // nil where nothing is known
}

// chosen is a connection with the origin of each part, by the names of tui.ConnectionForm.
type chosen struct {
	engine.Connection
	from map[string]string
}

func (c *chosen) scripted() bool { return c.API == engine.APIScripted }

const byDefault = "default"

// resolve finds the connection in force: the scripted one if nobody names another. With an error it
// gives what is known of the connection. Errors: CONFIG_INVALID, PROVIDER_API_MISMATCH,
// MODEL_NOT_CONFIGURED with what is missing, ADDRESS_REFUSED.
func (p places) resolve(ctx context.Context) (chosen, error) {
	var s statement
	switch {
	case p.flags.begins():
		s = p.flags
	case p.environment.begins():
		s = p.environment
	case p.broken != nil:
		return scriptedChoice(byDefault), p.broken
	default:
		s = p.saved
	}
	if err := p.loose(s); err != nil {
		return scriptedChoice(byDefault), err
	}
	if !s.begins() {
		return scriptedChoice(byDefault), nil
	}
	c, err := whole(s)
	if err != nil || c.scripted() {
		return c, err
	}
	if err := p.learn(&c); err != nil {
		return c, err
	}
	if err := p.unlock(ctx, &c); err != nil {
		return c, err
	}
	return c, netguard.Check(c.BaseURL, p.policy)
}

// loose refuses flags that belong to a connection given by flags when s is another one or none:
// what somebody has typed is never passed over in silence.
func (p places) loose(s statement) error {
	facts := []stated{p.flags.images, p.flags.window, p.flags.thinking}
	scripted, key := s.provider.value == engine.ProviderScripted, stated{}
	for _, k := range p.keys {
		if k.name != keyFileFlag {
			continue
		}
		key = stated{"given", k.name}
		if s.begins() && !scripted && k.origin != s.origin() {
			return unmade(words.English, "connection.keyElsewhere", "origin", cmp.Or(shownOrigin(k.origin), "?"))
		}
	}
	switch {
	case !s.begins():
		return unused("connection.loose", append(facts, p.flags.api, key))
	case scripted:
		return unused("connection.scripted", append(facts, p.flags.baseURL, p.flags.model, key))
	case !p.flags.begins():
		return unused("connection.loose", []stated{p.flags.api})
	}
	return nil
}

// unused refuses the first flag that was given although nothing would come of it.
func unused(why string, flags []stated) error {
	for _, f := range flags {
		if f.value != "" {
			return unmade(words.English, why, "flag", f.origin)
		}
	}
	return nil
}

// origin is where a statement leads, by the defaults of its provider.
func (s statement) origin() string {
	return engine.OriginOf(cmp.Or(s.baseURL.value, homeOf(s.provider.value)))
}

func scriptedChoice(origin string) chosen {
	return chosen{engine.Connection{Provider: engine.ProviderScripted, API: engine.APIScripted},
		map[string]string{"provider": origin, "api": byDefault}}
}

// whole makes a connection of what a statement says and of the defaults of its provider.
func whole(s statement) (chosen, error) {
	if s.provider.value == "" && s.baseURL.value != "" {
		s.provider = stated{engine.ProviderOther, byDefault}
		for _, name := range []string{engine.ProviderOpenAI, engine.ProviderAnthropic} {
			if engine.OriginOf(s.baseURL.value) == engine.OriginOf(homeOf(name)) {
				s.provider.value = name
			}
		}
	}
	if s.api.value == "" {
		s.api = stated{firstAPI(s.provider.value), byDefault}
	}
	if s.baseURL.value == "" {
		s.baseURL = stated{homeOf(s.provider.value), byDefault}
	}
	c := chosen{engine.Connection{Provider: s.provider.value, API: s.api.value, BaseURL: s.baseURL.value, Model: s.model.value},
		map[string]string{"provider": s.provider.origin, "api": s.api.origin, "baseURL": s.baseURL.origin, "model": s.model.origin}}
	return c, fits(s)
}

// homeOf is the base URL of a provider's own servers, "" for one that has none.
func homeOf(provider string) string {
	switch provider {
	case engine.ProviderOpenAI:
		return "https://api.openai.com/v1"
	case engine.ProviderAnthropic:
		return "https://api.anthropic.com"
	}
	return ""
}

// firstAPI is the API that a provider is spoken to by unless another is asked for.
func firstAPI(provider string) string {
	switch provider {
	case engine.ProviderScripted:
		return engine.APIScripted
	case engine.ProviderAnthropic:
		return engine.APIAnthropic
	case engine.ProviderOpenAI:
		return engine.APIResponses
	}
	return engine.APIChat
}

// fits tells whether provider and API are known and belong together.
func fits(s statement) error {
	pairs := map[string][]string{
		"":                       {engine.APIChat, engine.APIResponses, engine.APIAnthropic},
		engine.ProviderOther:     {engine.APIChat, engine.APIResponses, engine.APIAnthropic},
		engine.ProviderOpenAI:    {engine.APIChat, engine.APIResponses},
		engine.ProviderAnthropic: {engine.APIAnthropic},
		engine.ProviderScripted:  {engine.APIScripted},
	}
	fit, known := pairs[s.provider.value]
	switch {
	case !known:
		return engine.Errorf(engine.ConfigInvalid, "%s takes openai, anthropic, other or scripted, not %q", s.provider.origin, s.provider.value)
	case !slices.Contains([]string{engine.APIChat, engine.APIResponses, engine.APIAnthropic, engine.APIScripted}, s.api.value):
		return engine.Errorf(engine.ConfigInvalid, "%s takes %s, not %q", s.api.origin, strings.Join(fit, " or "), s.api.value)
	case !slices.Contains(fit, s.api.value):
		return engine.Errorf(engine.ProviderAPIMismatch, "the provider %s is not spoken to by %s; it takes %s", cmp.Or(s.provider.value, engine.ProviderOther), s.api.value, strings.Join(fit, " or "))
	}
	return nil
}

// learn fills in the facts: what is stated, then what was saved of the same model, then what the
// catalogue knows. An unknown vision is none.
func (p places) learn(c *chosen) error {
	if p.facts != nil {
		f, _ := p.facts(c.Origin(), c.Model)
		c.Images, c.ContextWindow = f.Images, f.ContextWindow
		c.from["images"], c.from["contextWindow"] = byDefault, byDefault
	}
	all := []statement{p.environment, p.flags}
	if p.saved.model.value == c.Model && engine.OriginOf(p.saved.baseURL.value) == c.Origin() {
		all = append([]statement{p.saved}, all...)
	}
	for _, s := range all {
		if v := s.images; v.value != "" {
			if v.value != "true" && v.value != "false" {
				return engine.Errorf(engine.ConfigInvalid, "%s takes true or false, not %q", v.origin, v.value)
			}
			c.Images, c.from["images"] = v.value == "true", v.origin
		}
		if v := s.window; v.value != "" {
			n, err := strconv.Atoi(v.value)
			if err != nil || n <= 0 {
				return engine.Errorf(engine.ConfigInvalid, "%s takes a number of tokens above zero, as in 128000, not %q", v.origin, v.value)
			}
			c.ContextWindow, c.from["contextWindow"] = n, v.origin
		}
		if v := s.thinking; v.value != "" {
			c.Thinking, c.from["thinking"] = v.value, v.origin
		}
	}
	return p.thinks(*c)
}

// thinks refuses a thinking level that the model is known not to have. Of a model that nobody knows,
// any of the usual levels is taken.
func (p places) thinks(c chosen) error {
	if c.Thinking == "" {
		return nil
	}
	levels, known := p.levels(c.Connection)
	switch {
	case known && len(levels) == 0:
		return unmade(words.English, "connection.thinksNot", "model", c.Model)
	case !slices.Contains(levels, c.Thinking):
		return engine.Errorf(engine.ConfigInvalid, "%s takes %s for %s, not %q", c.from["thinking"], strings.Join(levels, ", "), c.Model, c.Thinking)
	}
	return nil
}

// levels are the thinking levels of a connection's model, and whether they are known to be all.
func (p places) levels(c engine.Connection) ([]string, bool) {
	if p.facts == nil {
		return usualLevels(), false
	}
	f, known := p.facts(c.Origin(), c.Model)
	if !known || f.ContextWindow == 0 {
		return usualLevels(), false
	}
	return levelsOf(f, c.API), true
}

func usualLevels() []string {
	return []string{engine.ThinkingOff, "minimal", "low", "medium", "high", "xhigh", "max"}
}

// levelsOf are the levels of a model in the words of a person: what OpenAI names none is off. By
// Anthropic's API thinking can be switched off as well.
func levelsOf(f catalogue.Facts, api string) []string {
	if len(f.Levels) == 0 {
		return nil
	}
	levels := slices.DeleteFunc(slices.Clone(f.Levels), func(l string) bool { return l == "none" })
	if len(levels) < len(f.Levels) || api == engine.APIAnthropic {
		levels = append([]string{engine.ThinkingOff}, levels...)
	}
	return levels
}

// unlock finds the key, and says what is missing of the connection.
func (p places) unlock(ctx context.Context, c *chosen) error {
	var lacks []string
	if c.Provider == "" {
		lacks = append(lacks, "provider")
	} else if c.BaseURL == "" {
		lacks = append(lacks, "baseURL")
	}
	if c.Model == "" {
		lacks = append(lacks, "model")
	}
	if c.BaseURL == "" {
		return incomplete(lacks, "", "")
	}
	if c.Origin() == "" { // whose key to look for can't be said
		return netguard.Check(c.BaseURL, p.policy)
	}
	key, name, err := pick(ctx, p.keys, c.Origin(), c.API)
	if err != nil {
		return err
	}
	c.Key, c.from["key"] = key, name
	if key.Empty() && !keyless(c.Connection) {
		lacks = append(lacks, "key")
	}
	return incomplete(lacks, shownOrigin(c.Origin()), elsewhere(p.keys, c.API))
}
