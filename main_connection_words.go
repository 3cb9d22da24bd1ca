package main

import (
	"slices"
	"strings"

	"agentstudio/engine"
	"agentstudio/engine/netguard"
	"agentstudio/engine/words"
)

// incomplete is MODEL_NOT_CONFIGURED with all that is missing, nil if nothing is. For a key it also
// says whose the keys are that were given.
func incomplete(lacks []string, origin, whose string) error {
	if len(lacks) == 0 {
		return nil
	}
	if !slices.Contains(lacks, "key") {
		whose = ""
	}
	e := engine.Errorf(engine.ModelNotConfigured, "%s", lacking(words.English, lacks, origin, whose))
	return e.With("missing", lacks).With("origin", origin).With("whose", whose)
}

func lacking(lang words.Lang, lacks []string, origin, whose string) string {
	var parts []string
	for _, id := range lacks {
		parts = append(parts, words.Text(lang, "connection.lacks."+id, map[string]string{"origin": origin, "variable": variableOf(origin)}))
	}
	comma := map[words.Lang]string{words.English: ", ", words.Chinese: "；"}[lang]
	return words.Text(lang, "connection.missing", map[string]string{"what": strings.Join(parts, comma), "whose": whose})
}

// variableOf is the variable of the environment that holds the key of a server.
func variableOf(origin string) string {
	for provider, name := range map[string]string{engine.ProviderOpenAI: "OPENAI_API_KEY", engine.ProviderAnthropic: "ANTHROPIC_API_KEY"} {
		if engine.OriginOf(origin) == engine.OriginOf(homeOf(provider)) {
			return name
		}
	}
	return "LLM_API_KEY + LLM_BASE_URL"
}

// unmade is MODEL_NOT_CONFIGURED in words of the catalogue, which it remembers for another language.
func unmade(lang words.Lang, key, name, value string) error {
	return engine.Errorf(engine.ModelNotConfigured, "%s", words.Text(lang, key, map[string]string{name: value})).
		With("words", key).With("name", name).With("value", value)
}

// sayFault is what is wrong with a connection, in a language.
func sayFault(lang words.Lang, err error) string {
	d := engine.DetailsOf(err)
	if lacks, ok := d["missing"].([]string); ok {
		origin, _ := d["origin"].(string)
		whose, _ := d["whose"].(string)
		return lacking(lang, lacks, origin, whose)
	}
	if key, ok := d["words"].(string); ok {
		name, _ := d["name"].(string)
		value, _ := d["value"].(string)
		return words.Text(lang, key, map[string]string{name: value})
	}
	if key := "connection.refused." + string(netguard.ReasonOf(err)); lang != words.English && words.Has(key) {
		return words.Text(lang, key, nil)
	}
	return words.Fault(lang, string(engine.CodeOf(err)), engine.MessageOf(err), d)
}
