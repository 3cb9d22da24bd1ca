package catalogue

import (
	"math/big"
	"regexp"
	"slices"
	"strings"
	"testing"

	"agentstudio/engine"
)

// TestTheTableIsWhole reads every line as Lookup does, so that parse needs no errors.
func TestTheTableIsWhole(t *testing.T) {
	decimal := regexp.MustCompile(`^([0-9]+(\.[0-9]{1,9})?)?$`)
	number := regexp.MustCompile(`^([1-9][0-9]*)?$`)
	origins, models := map[string]bool{}, map[string]bool{}
	at := ""
	for line := range strings.Lines(table) {
		line = strings.TrimSuffix(line, "\n")
		switch f := strings.Split(line, "\t"); {
		case strings.HasPrefix(line, "#"):
			continue
		case strings.HasPrefix(line, "@"):
			at = line[1:]
			if origins[at] || engine.OriginOf(at) != at || !strings.HasPrefix(at, "https://") {
				t.Errorf("origin %q is there twice or is none", at)
			}
			origins[at] = true
		case at == "" || len(f) != 11 || f[0] == "" || f[1] == "":
			t.Errorf("%q is no model", line)
		default:
			if models[at+"\t"+f[0]] {
				t.Errorf("%s has %s twice", at, f[0])
			}
			models[at+"\t"+f[0]] = true
			for i, form := range map[int]*regexp.Regexp{2: number, 3: number, 5: decimal, 6: decimal, 7: decimal, 8: decimal} {
				if !form.MatchString(f[i]) || decimal == form && f[i] != "" && rat(f[i]).Sign() <= 0 {
					t.Errorf("%s %s: field %d is %q", at, f[0], i, f[i])
				}
			}
			if f[10] != "" && f[10] != "yes" {
				t.Errorf("%s %s: thinks %q", at, f[0], f[10])
			}
			if f[4] != "" && f[4] != "yes" {
				t.Errorf("%s %s: images %q", at, f[0], f[4])
			}
		}
	}
	if len(origins) < 30 || len(models) < 1000 {
		t.Errorf("%d origins, %d models", len(origins), len(models))
	}
}

func TestLookup(t *testing.T) {
	for _, address := range []string{"https://api.openai.com:443", "https://api.openai.com/v1", "HTTPS://API.OpenAI.com/v1/"} {
		f, ok := Lookup(address, "gpt-5.6-sol")
		want := Price{In: "5", Out: "30", CacheRead: "0.5", CacheWrite: "6.25"}
		if !ok || f.ContextWindow != 1050000 || f.MaxOutput != 128000 || !f.Images || f.Price != want ||
			!slices.Equal(f.Levels, []string{"none", "low", "medium", "high", "xhigh", "max"}) {
			t.Errorf("%s: %+v, %v", address, f, ok)
		}
	}
	for _, c := range [][2]string{
		{"https://api.openai.com:443", "no-such-model"}, {"https://api.openai.com:443", ""}, {"https://api.openai.com:8443", "gpt-5.6-sol"},
		{"http://api.openai.com:80", "gpt-5.6-sol"}, {"https://example.com", "gpt-5.6-sol"}, {"", "gpt-5.6-sol"}, {"nonsense", "gpt-5.6-sol"},
		{"https://api.openai.com:443", "@https://api.openai.com:443"},
	} {
		if f, ok := Lookup(c[0], c[1]); ok {
			t.Errorf("%v is known: %+v", c, f)
		}
	}
}

func TestHowModelsAreToldToThink(t *testing.T) {
	const maker = "https://api.anthropic.com"
	for id, want := range map[string]string{"claude-opus-5": "adaptive", "claude-sonnet-4-6": "adaptive", "claude-opus-4-6": "adaptive",
		"claude-opus-4-5-20251101": "budget", "claude-haiku-4-5-20251001": "budget"} {
		if f, ok := Lookup(maker, id); !ok || f.ThinkingForm() != want || !f.Thinks {
			t.Errorf("%s: %q of %+v, want %q", id, f.ThinkingForm(), f, want)
		}
	}
	if f := (Facts{Levels: []string{"max"}}); f.ThinkingForm() != "" {
		t.Error("a model that doesn't think is told how")
	}
}

func TestAModelOnThisMachineCostsNothing(t *testing.T) {
	in, out := 1000, 1000
	for _, address := range []string{"http://localhost:11434/v1", "http://127.0.0.1:1", "http://[::1]:8080/v1", "http://127.9.9.9", "http://[::ffff:127.0.0.1]:80"} {
		f, ok := Lookup(address, "whatever")
		if usd, known := f.Cost(engine.Usage{InputTokens: &in, OutputTokens: &out}); !ok || !known || usd != "0" || f.ContextWindow != 0 || f.Images {
			t.Errorf("%s: %+v costs %q", address, f, usd)
		}
	}
	for _, address := range []string{"http://192.168.1.5:11434", "http://10.0.0.1", "http://localhost.example.com"} {
		if _, ok := Lookup(address, "whatever"); ok {
			t.Errorf("%s is taken for this machine", address)
		}
	}
}

func TestModels(t *testing.T) {
	all := Models("https://api.openai.com/v1")
	if len(all) < 10 || all[0].ID != "gpt-5.6-sol" || all[0].Name != "GPT-5.6 Sol" || all[0].ContextWindow != 1050000 {
		t.Fatalf("%d models, first %+v", len(all), all[:min(1, len(all))])
	}
	for _, m := range all {
		if f, ok := Lookup("https://api.openai.com", m.ID); !ok || f.ContextWindow != m.ContextWindow || f.Price != m.Price {
			t.Errorf("%s is listed as %+v and looked up as %+v", m.ID, m.Facts, f)
		}
	}
	all[0].Levels[0] = "changed"
	if f, _ := Lookup("https://api.openai.com", all[0].ID); f.Levels[0] == "changed" {
		t.Error("the caller's slice is the catalogue's")
	}
	if all := Models("https://example.com"); all != nil {
		t.Errorf("an unknown origin has %d models", len(all))
	}
}

func TestPriceRules(t *testing.T) {
	for _, c := range []struct {
		in, out, inCached, outCached string
		want                         Price
	}{
		{"5", "30", "6.25", "0.5", Price{"5", "30", "0.5", "6.25"}}, // writing dearer, reading named
		{"5", "30", "0.5", "", Price{"5", "30", "0.5", "5"}},        // in_cached is what reading costs
		{"5", "30", "0.5", "0.4", Price{"5", "30", "0.4", "5"}},
		{"5", "30", "6.25", "", Price{"5", "30", "", "6.25"}}, // nobody says what reading costs
		{"5", "30", "5", "", Price{"5", "30", "", "5"}},
		{"5", "30", "", "", Price{"5", "30", "", "5"}},
		{"10", "30", "9", "", Price{"10", "30", "9", "10"}}, // compared as numbers
		{"", "30", "1", "1", Price{}},                       // half a price is none
		{"5", "", "1", "1", Price{}},
	} {
		if got := priceOf(c.in, c.out, c.inCached, c.outCached); got != c.want {
			t.Errorf("%+v: %+v", c, got)
		}
	}
}

func TestCost(t *testing.T) {
	n := func(n int) *int { return &n }
	full := Facts{Price: Price{"5", "30", "0.5", "6.25"}}
	for _, c := range []struct {
		facts Facts
		usage engine.Usage
		want  string
	}{
		{full, engine.Usage{InputTokens: n(1_000_000), OutputTokens: n(0)}, "5"},
		{full, engine.Usage{InputTokens: n(1), OutputTokens: n(1)}, "0.000035"},
		{full, engine.Usage{InputTokens: n(1000), OutputTokens: n(100), CachedTokens: n(400)}, "0.0062"}, // 600×5 + 400×0.5 + 100×30
		{full, engine.Usage{InputTokens: n(0), OutputTokens: n(0)}, "0"},
		{full, engine.Usage{InputTokens: n(1000), OutputTokens: n(0), CachedTokens: n(400), CacheWriteTokens: n(100)}, "0.003325"}, // 500×5 + 400×0.5 + 100×6.25
		{full, engine.Usage{InputTokens: n(10), OutputTokens: n(0), CachedTokens: n(4), CacheWriteTokens: n(99)}, "0.0000395"},
		{full, engine.Usage{InputTokens: n(10), OutputTokens: n(0), CacheWriteTokens: n(-1)}, ""},
		{full, engine.Usage{InputTokens: n(10), OutputTokens: n(0), CachedTokens: n(99)}, "0.000005"}, // never more cached than there is
		{Facts{Price: Price{"5", "30", "", "5"}}, engine.Usage{InputTokens: n(1000), OutputTokens: n(0), CachedTokens: n(400)}, "0.005"},
		{Facts{Price: Price{"0.1", "0.3", "0.025", "0.1"}}, engine.Usage{InputTokens: n(3), OutputTokens: n(7), CachedTokens: n(1)}, "0.000002325"},
		{full, engine.Usage{InputTokens: n(1)}, ""},
		{full, engine.Usage{OutputTokens: n(1)}, ""},
		{full, engine.Usage{InputTokens: n(-1), OutputTokens: n(1)}, ""},
		{Facts{}, engine.Usage{InputTokens: n(1), OutputTokens: n(1)}, ""},
	} {
		if got, ok := c.facts.Cost(c.usage); got != c.want || ok != (c.want != "") {
			t.Errorf("%+v of %+v: %q, %v, want %q", c.usage, c.facts.Price, got, ok, c.want)
		}
	}
	// A million small calls add up to what one large call costs: no digit is lost.
	usd, _ := Facts{Price: Price{"0.15", "0.6", "0.075", "0.15"}}.Cost(engine.Usage{InputTokens: n(1), OutputTokens: n(1)})
	r, _ := new(big.Rat).SetString(usd)
	if sum := r.Mul(r, big.NewRat(1_000_000, 1)).FloatString(2); sum != "0.75" {
		t.Errorf("a million times %s is %s", usd, sum)
	}
}

func TestPricedKeepsTheModel(t *testing.T) {
	var m engine.Model = fake{}
	if _, ok := Priced(m, Facts{}).(engine.Priced); ok {
		t.Error("an unknown price is told")
	}
	f, _ := Lookup("https://api.openai.com", "gpt-5.6-sol")
	p, ok := Priced(m, f).(engine.Priced)
	n := 1_000_000
	if usd, known := p.Cost(engine.Usage{InputTokens: &n, OutputTokens: &n}); !ok || !known || usd != "35" {
		t.Errorf("a million in and out costs %q", usd)
	}
	if Priced(m, f).Info().ID != "fake" {
		t.Error("the model's facts are gone")
	}
}

type fake struct{ engine.Model }

func (fake) Info() engine.ModelInfo { return engine.ModelInfo{ID: "fake"} }

func BenchmarkLookup(b *testing.B) {
	for b.Loop() {
		if _, ok := Lookup("https://openrouter.ai/api/v1", "openai/gpt-5.5"); !ok {
			b.Fatal("unknown")
		}
	}
}

func BenchmarkModels(b *testing.B) {
	for b.Loop() {
		Models("https://openrouter.ai/api/v1")
	}
}
