// Command catalogue writes engine/catalogue/models.tsv: the facts about models that the studio uses,
// taken from the data files of the module charm.land/catwalk. The module is fetched for this alone
// and is no dependency of the program; see docs/decisions/0007-catalogue.md.
//
//	go run ./scripts/catalogue
package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"agentstudio/engine"
)

const source = "charm.land/catwalk@v0.52.1"

// maker is one file of the module: a server and its models.
type maker struct {
	Name     string  `json:"name"`
	ID       string  `json:"id"`
	Endpoint string  `json:"api_endpoint"`
	Models   []model `json:"models"`
}

// model is what is taken of a model; see catwalk's Model.
type model struct {
	ID        string      `json:"id"`
	Name      string      `json:"name"`
	In        json.Number `json:"cost_per_1m_in"`
	Out       json.Number `json:"cost_per_1m_out"`
	InCached  json.Number `json:"cost_per_1m_in_cached"`
	OutCached json.Number `json:"cost_per_1m_out_cached"`
	Window    int         `json:"context_window"`
	MaxOutput int         `json:"default_max_tokens"`
	Levels    []string    `json:"reasoning_levels"`
	Thinks    bool        `json:"can_reason"`
	Images    bool        `json:"supports_attachments"`
}

func main() {
	if err := write(filepath.Join("engine", "catalogue")); err != nil {
		fmt.Fprintln(os.Stderr, "catalogue:", err)
		os.Exit(1)
	}
}

func write(dir string) error {
	from, err := download()
	if err != nil {
		return err
	}
	makers, err := read(filepath.Join(from, "internal", "providers", "configs"))
	if err != nil {
		return err
	}
	license, err := os.ReadFile(filepath.Join(from, "LICENSE"))
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "LICENSE.catwalk"), license, 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "models.tsv"), []byte(table(makers)), 0o644)
}

// download puts the module into the module cache and says where.
func download() (string, error) {
	out, err := exec.Command("go", "mod", "download", "-json", source).Output()
	var m struct{ Dir, Error string }
	if jerr := json.Unmarshal(out, &m); jerr != nil || m.Dir == "" {
		return "", fmt.Errorf("%s could not be fetched: %v %s", source, err, m.Error)
	}
	return m.Dir, nil
}

// read gives the makers whose servers have an address, in the order of their files.
func read(dir string) (all []maker, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		var m maker
		if err := json.Unmarshal(b, &m); err != nil {
			return nil, fmt.Errorf("%s: %w", f, err)
		}
		if m.Endpoint = origin(m); m.Endpoint != "" {
			all = append(all, m)
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("there is no data in %s", dir)
	}
	return all, nil
}

// origin is where a maker's server is; "" where every customer has an address of their own.
func origin(m maker) string {
	own := map[string]string{"openai": "https://api.openai.com", "anthropic": "https://api.anthropic.com", "gemini": "https://generativelanguage.googleapis.com"}
	if strings.HasPrefix(m.Endpoint, "https://") {
		return engine.OriginOf(m.Endpoint)
	}
	return engine.OriginOf(own[m.ID])
}

// table writes one block for each origin: its line, then a line for each model.
func table(makers []maker) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# From %s (MIT, see LICENSE.catwalk) by scripts/catalogue.\n", source)
	b.WriteString("# @origin; then id, name, window, most output, images, US dollars a million tokens in, out, in_cached, out_cached, reasoning levels, reasons\n")
	for i, m := range makers {
		same := func(o maker) bool { return o.Endpoint == m.Endpoint }
		if slices.ContainsFunc(makers[:i], same) {
			continue // written with the first of its origin
		}
		var models []model
		for _, o := range makers[i:] {
			if same(o) {
				models = merge(models, o.Models)
			}
		}
		fmt.Fprintf(&b, "@%s\n", m.Endpoint)
		for _, x := range models {
			b.WriteString(x.line())
		}
	}
	return b.String()
}

// merge adds the models of another offer at the same origin. Where two offers differ, the smaller
// window, no images, and no price are what holds for both.
func merge(all, more []model) []model {
	for _, m := range more {
		at := slices.IndexFunc(all, func(o model) bool { return o.ID == m.ID })
		if at < 0 {
			all = append(all, m)
			continue
		}
		o := &all[at]
		o.Window, o.MaxOutput = min(o.Window, m.Window), min(o.MaxOutput, m.MaxOutput)
		o.Images, o.Thinks = o.Images && m.Images, o.Thinks && m.Thinks
		if o.In != m.In || o.Out != m.Out || o.InCached != m.InCached || o.OutCached != m.OutCached {
			o.In, o.Out, o.InCached, o.OutCached = "", "", "", ""
		}
		if !slices.Equal(o.Levels, m.Levels) {
			o.Levels = nil
		}
	}
	return all
}

func (m model) line() string {
	yes := func(is bool) string {
		if is {
			return "yes"
		}
		return ""
	}
	return strings.Join([]string{plain(m.ID), plain(m.Name), figure(m.Window), figure(m.MaxOutput), yes(m.Images),
		price(m.In), price(m.Out), price(m.InCached), price(m.OutCached), plain(strings.Join(m.Levels, ",")), yes(m.Thinks)}, "\t") + "\n"
}

// plain keeps a text to one field.
func plain(s string) string { return strings.Join(strings.Fields(s), " ") }

func figure(n int) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprint(n)
}

// price is a decimal. A price of nothing, which is unknown, is left out, and so are the traces of
// binary fractions that some of the data has, as in 0.39999999999999997.
func price(n json.Number) string {
	f, err := n.Float64()
	if f = math.Round(f*1e9) / 1e9; err != nil || f <= 0 {
		return ""
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}
