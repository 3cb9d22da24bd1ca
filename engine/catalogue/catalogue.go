// Package catalogue knows facts about models of well-known servers: context window, prices, images,
// reasoning levels. They ship with the program and age with it; what a person says goes before them.
// Nothing is read before somebody asks, and nothing is kept.
package catalogue

import (
	_ "embed"
	"iter"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"agentstudio/engine"
)

// table has a line for each origin and below it one for each of its models; scripts/catalogue
// writes it.
//
//go:embed models.tsv
var table string

// Facts are what is known of a model at one origin. Zero numbers, no levels and no price mean
// unknown; a model that isn't known to take images takes none.
type Facts struct {
	ContextWindow int      // tokens
	MaxOutput     int      // tokens to ask for at most
	Images        bool     // takes images
	Thinks        bool     // can reason before it answers
	Levels        []string // of reasoning, as the model names them; one of them may be "none"
	Price         Price
}

// ThinkingForm is how a model of anthropic-messages is told how much to think, in the words of
// engine/provider: "adaptive" at a level of effort, "budget" in tokens, "" where nothing is known.
// Since adaptive thinking came, every list of levels goes up to max; older models have shorter lists
// or none.
func (f Facts) ThinkingForm() string {
	switch {
	case !f.Thinks:
		return ""
	case slices.Contains(f.Levels, "max"):
		return "adaptive"
	}
	return "budget"
}

// Model is a model with its facts.
type Model struct {
	ID, Name string
	Facts
}

// Lookup gives the facts of a model at an origin, which may also be a whole base URL. For a model
// on this machine only the price is known: it costs nothing.
func Lookup(origin, modelID string) (Facts, bool) {
	for line := range linesOf(origin) {
		if id, _, _ := strings.Cut(line, "\t"); id == modelID {
			return parse(line).Facts, true
		}
	}
	if loopback(origin) {
		return Facts{Price: Price{In: "0", Out: "0", CacheRead: "0", CacheWrite: "0"}}, true
	}
	return Facts{}, false
}

// Models are the known models at an origin, in the order of the catalogue; nil for an origin that
// it doesn't know. The caller owns the slice.
func Models(origin string) (all []Model) {
	for line := range linesOf(origin) {
		all = append(all, parse(line))
	}
	return all
}

// linesOf gives the lines of the models at an origin.
func linesOf(origin string) iter.Seq[string] {
	return func(yield func(string) bool) {
		origin = engine.OriginOf(origin)
		_, below, found := strings.Cut(table, "\n@"+origin+"\n")
		if origin == "" || !found {
			return
		}
		for line := range strings.Lines(below) {
			if strings.HasPrefix(line, "@") || !yield(strings.TrimSuffix(line, "\n")) {
				return
			}
		}
	}
}

// parse reads a line of the table, whose columns its head names.
func parse(line string) Model {
	f := strings.Split(line, "\t")
	number := func(s string) int { n, _ := strconv.Atoi(s); return n } // an empty field is 0
	m := Model{ID: f[0], Name: f[1], Facts: Facts{ContextWindow: number(f[2]), MaxOutput: number(f[3]), Images: f[4] == "yes",
		Price: priceOf(f[5], f[6], f[7], f[8])}}
	m.Thinks = f[10] == "yes"
	if f[9] != "" {
		m.Levels = strings.Split(f[9], ",")
	}
	return m
}

// loopback tells an address of this machine.
func loopback(origin string) bool {
	u, err := url.Parse(origin)
	if err != nil {
		return false
	}
	if strings.EqualFold(u.Hostname(), "localhost") {
		return true
	}
	a, err := netip.ParseAddr(u.Hostname())
	return err == nil && a.Unmap().IsLoopback()
}
