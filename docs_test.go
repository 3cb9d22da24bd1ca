package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"agentstudio/engine/scenario"
)

// update writes what is compared: docs/commands.md and the expectations inside fixtures/scripts.
var update = flag.Bool("update", false, "write docs/commands.md and the scripts' expectations instead of comparing")

// TestCommandsPage keeps docs/commands.md to the command tree.
func TestCommandsPage(t *testing.T) {
	root := (&options{}).command()
	var b strings.Builder
	b.WriteString("<!-- Made by go run ./scripts/gendocs; change the code, not this file. -->\n\n# Commands\n\n" +
		"Exit status: 0 done, 2 usage, 3 failed, 4 cancelled, 5 denied or expired. What a command is asked for goes to standard output,\n" +
		"what it has to say besides to standard error. `agentstudio COMMAND --help` shows the same as this page, `agentstudio completion SHELL` prints\n" +
		"completions for bash, zsh, fish and PowerShell, `agentstudio man` a manual page.\n\n" +
		"## Flags of every command\n\n")
	flagTable(&b, root.PersistentFlags())
	describe(&b, root)
	at := filepath.Join("docs", "commands.md")
	if *update {
		if err := os.WriteFile(at, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if was, err := os.ReadFile(at); err != nil || strings.ReplaceAll(string(was), "\r\n", "\n") != b.String() {
		t.Errorf("%s is stale (%v); go run ./scripts/gendocs writes it", at, err)
	}
}

// TestCommandsAreExplained wants an example of every command that does something, and --json on
// every one that prints data.
func TestCommandsAreExplained(t *testing.T) {
	silent := map[string]bool{"sessions rename": true, "sessions delete": true, "sessions repair": true} // they do, and print no data
	walk((&options{}).command(), func(c *cobra.Command) {
		name := strings.TrimPrefix(c.CommandPath(), "agentstudio ")
		if c.HasSubCommands() {
			return
		}
		if c.Example == "" {
			t.Errorf("%s has no example", name)
		}
		if c.Flags().Lookup("json") == nil && !silent[name] {
			t.Errorf("%s has no --json", name)
		}
	})
}

func walk(c *cobra.Command, do func(*cobra.Command)) {
	do(c)
	for _, sub := range c.Commands() {
		walk(sub, do)
	}
}

func describe(b *strings.Builder, root *cobra.Command) {
	walk(root, func(c *cobra.Command) {
		text := c.Long
		if text == "" {
			text = c.Short + "."
		}
		fmt.Fprintf(b, "\n## %s\n\n", c.CommandPath())
		if !c.HasSubCommands() || c == root {
			fmt.Fprintf(b, "`%s`\n\n", c.UseLine())
		}
		b.WriteString(markdown(text))
		if c.Example != "" {
			fmt.Fprintf(b, "\n```sh\n%s\n```\n", strings.ReplaceAll(strings.TrimPrefix(c.Example, "  "), "\n  ", "\n"))
		}
		if c.LocalNonPersistentFlags().HasFlags() {
			b.WriteString("\n")
			flagTable(b, c.LocalNonPersistentFlags())
		}
	})
}

// markdown keeps indented lines apart, as code.
func markdown(text string) string {
	var b strings.Builder
	code := false
	for line := range strings.Lines(text + "\n") {
		indented := strings.HasPrefix(line, "  ")
		if indented && !code {
			b.WriteString("\n")
		}
		if code = indented; code {
			line = "  " + line
		}
		b.WriteString(line)
	}
	return b.String()
}

// flagWords says for people what pflag calls a flag's type.
func flagWords() map[string]string {
	return map[string]string{"bool": "", "string": "text", "stringArray": "text, repeatable", "int": "number", "uint64": "number", "duration": "duration, as 90s or 5m"}
}

func flagTable(b *strings.Builder, flags *pflag.FlagSet) {
	b.WriteString("| flag | value | |\n| --- | --- | --- |\n")
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		value := f.Value.Type()
		if word, ok := flagWords()[value]; ok {
			value = word
		}
		usage := strings.ReplaceAll(f.Usage, "|", `\|`)
		if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "0" && f.DefValue != "[]" {
			usage += " (default " + f.DefValue + ")"
		}
		fmt.Fprintf(b, "| `--%s` | %s | %s |\n", f.Name, value, usage)
	})
}

// TestDocumentedCommands takes every agentstudio line of the documentation and of the help's
// examples, and wants its command, flags and arguments to exist.
func TestDocumentedCommands(t *testing.T) {
	var lines []string
	for _, name := range documents(t) {
		for _, block := range blocks(t, name, "sh") {
			lines = append(lines, strings.Split(block, "\n")...)
		}
	}
	walk((&options{}).command(), func(c *cobra.Command) { lines = append(lines, strings.Split(c.Example, "\n")...) })
	seen := 0
	for _, line := range lines {
		_, line, ok := strings.Cut(" "+line, " agentstudio")
		if !ok || strings.HasPrefix(line, "/") {
			continue
		}
		seen++
		args := shellWords(line)
		c, rest, err := (&options{}).command().Find(args)
		if err == nil {
			err = c.ParseFlags(rest)
		}
		if err == nil {
			err = c.ValidateArgs(c.Flags().Args())
		}
		if err != nil {
			t.Errorf("agentstudio%s: %v", line, err)
		}
	}
	if seen < 20 {
		t.Errorf("only %d lines found; the documentation has more", seen)
	}
}

// TestDocumentedScenarios checks the scenarios that docs/scenarios.md shows.
func TestDocumentedScenarios(t *testing.T) {
	all := blocks(t, filepath.Join("docs", "scenarios.md"), "yaml")
	if len(all) == 0 {
		t.Error("docs/scenarios.md shows no scenario")
	}
	for _, text := range all {
		sc, err := scenario.Parse("scenarios.md", []byte(text))
		if err != nil {
			t.Error(err)
			continue
		}
		at := filepath.Join(t.TempDir(), sc.Name()+".yaml")
		if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		var out, faults strings.Builder
		status := run(t.Context(), []string{"run", "--no-save", "--lang", "en", "--approve", "never", "--scenario", at, sc.Prompt("en")}, stdio{in: strings.NewReader(""), out: &out, err: &faults})
		if status != exitDone || strings.Contains(out.String(), "n/a") {
			t.Errorf("%s: status %d\n%s%s", sc.Name(), status, out.String(), faults.String())
		}
	}
}

// TestLinksLeadSomewhere follows the links between our pages.
func TestLinksLeadSomewhere(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#:]+)\)`)
	for _, name := range documents(t) {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(b), -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(name), filepath.FromSlash(m[1]))); err != nil {
				t.Errorf("%s links to %s: %v", name, m[1], err)
			}
		}
	}
}

// documents are all pages that people read.
func documents(t *testing.T) []string {
	t.Helper()
	all := []string{"README.md"}
	for _, pattern := range []string{"docs/*.md", "docs/*/*.md"} {
		found, err := filepath.Glob(filepath.FromSlash(pattern))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, found...)
	}
	return all
}

// blocks are the code blocks of a page in one language.
func blocks(t *testing.T, name, lang string) (all []string) {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for rest := strings.ReplaceAll(string(b), "\r\n", "\n"); ; {
		_, after, ok := strings.Cut(rest, "\n```"+lang+"\n")
		if !ok {
			return all
		}
		var block string
		block, rest, _ = strings.Cut(after, "\n```\n")
		all = append(all, block)
	}
}

// shellWords splits a line as a shell does, as far as the documentation uses one: quotes, a
// comment, and everything from a pipe or redirection on left out.
func shellWords(line string) (words []string) {
	for _, m := range regexp.MustCompile(`"([^"]*)"|'([^']*)'|(#|[|>].*)|([^\s"']+)`).FindAllStringSubmatch(line, -1) {
		if m[3] != "" {
			break
		}
		words = append(words, m[1]+m[2]+m[4])
	}
	return words
}
